/*
 * identical.h - cells with the same machine code: what the A/A check of a run is made from.
 */
#ifndef FLAGSTONE_COMPARE_IDENTICAL_H
#define FLAGSTONE_COMPARE_IDENTICAL_H

#include <stdbool.h>

#include "compare/effect.h"
#include "compare/shots.h"
#include "record/record.h"

/* Equal texts; NULL is like NULL only. */
bool identical_text(const char *a, const char *b);
/* Do both do the same work with the same code: workload, copies, args and a known code hash equal? */
bool identical_code(const struct record_build *a, const struct record_build *b);
/* Is a higher value of this cell better? */
bool identical_higher(const struct record *record, const struct record_build *build);

/*
 * The A/A check: sets aa, aa_pairs, lambda and p_aa of the result. All arms of all cells of one code with samples
 * make a chain in the order of the record; cells that share build and arm share their layouts too, so only the
 * first of them takes part. The generator is seeded from the record's seed.
 */
void identical_check(const struct record *record, const struct shots *shots, struct result *result);

#endif
