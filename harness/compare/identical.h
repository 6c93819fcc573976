/*
 * identical.h - cells with the same machine code: what the A/A check of a run is made from.
 */
#ifndef FLAGSTONE_COMPARE_IDENTICAL_H
#define FLAGSTONE_COMPARE_IDENTICAL_H

#include <stdbool.h>

#include "compare/effect.h"
#include "compare/shots.h"
#include "record/record.h"

/*
 * Do both do the same work with the same code in the same way: workload, copies, args, a known code hash, the
 * variant's environment (run.env) and the runner (run.runner) equal, where absent is like absent only?
 */
bool identical_code(const struct record_build *a, const struct record_build *b);

/*
 * The A/A check: sets aa, aa_pairs, lambda and p_aa of the result. All arms of all cells of one code with samples
 * make a chain in the order of the record; cells that share build and arm share their layouts too, so only the
 * first of them takes part. The generator is seeded from the record's seed.
 */
void identical_check(const struct record *record, const struct shots *shots, struct result *result);

#endif
