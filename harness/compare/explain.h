/*
 * explain.h - from the samples to the verdict of one cell, in plain words, a step a line, with the figures.
 *
 * Everything is computed from the samples again, by the same functions as the verdict; the texts name what was done
 * so that it can be done by hand. Effects are logarithms shown as per cent, positive is faster.
 */
#ifndef FLAGSTONE_COMPARE_EXPLAIN_H
#define FLAGSTONE_COMPARE_EXPLAIN_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/between.h"
#include "compare/within.h"

/*
 * The comparison whose cell (b) matches the pattern, as plan_cell_matches() takes it. Errors (EXIT_USAGE): none, with
 * the nearest; several, listed.
 */
int explain_find_within(const struct within *within, const char *pattern, struct arena *arena, size_t *index,
	struct error *e);
/* The same among the cells of records. */
int explain_find_between(const struct between *between, const char *pattern, struct arena *arena,
	size_t *index, struct error *e);

/* The steps to the answer of comparison `index`. */
void explain_within(const struct within *within, size_t index, struct arena *arena, struct words *steps);
/* The steps to the answer of a cell of one side against the baseline's. */
void explain_between(
	const struct between *between, size_t cell, size_t side, struct arena *arena, struct words *steps);

#endif
