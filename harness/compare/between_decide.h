/*
 * between_decide.h - the tests of a table of runs, decided as one family. Internal to between.c.
 */
#ifndef FLAGSTONE_COMPARE_BETWEEN_DECIDE_H
#define FLAGSTONE_COMPARE_BETWEEN_DECIDE_H

#include "compare/between.h"
#include "stats/paired.h"

/* One test of the table while the family is decided. */
struct trial {
	struct between_effect *effect;
	struct stats_pair welch, rank; /* rank: the same with Mann and Whitney's p where there is one */
	const struct record *record;   /* of the baseline: its matrix */
	size_t runs;
};

struct trials {
	struct trial *v;
	size_t n, cap;
};

/* Adds the test of a cell with at least STATS_MIN_RUNS runs on both sides. record: the baseline's, for advice. */
void between_add_trial(struct trials *trials, const struct record *record, const struct between_value *a,
	const struct between_value *b, bool higher_is_better, struct between_effect *effect);
/* Fills in every answer, Holm over all of them. */
void between_decide(const struct trials *trials, double matters, double precision, struct arena *arena);
/* Why so few runs give no verdict, and the command that makes more. */
const char *between_too_few(const struct record *record, size_t runs_a, size_t runs_b, struct arena *arena);

#endif
