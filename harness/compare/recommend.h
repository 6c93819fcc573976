/*
 * recommend.h - which flags should I use? The builds no worse than the best, the most portable and smallest first.
 *
 * A candidate is a slot and a variant; a row is a workload with its parameters and copies. A candidate counts only
 * where every row was measured under it, since a mean over other rows is another mean. The best one has the largest
 * mean effect over the rows; then every candidate is held against it, paired within the run:
 *
 *   as good   the mean's 95 % interval lies above -matters: at most that is lost
 *   worse     it lies below -matters
 *   open      neither: more rounds would tell
 *
 * Portable: by how many CPU features the compiler was allowed to use, as it resolved the flags (its predefined
 * macros), not by the name after -march. Builds with other floating-point rules come after those without.
 */
#ifndef FLAGSTONE_COMPARE_RECOMMEND_H
#define FLAGSTONE_COMPARE_RECOMMEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/within.h"
#include "record/record.h"

enum recommend_state { RECOMMEND_BEST, RECOMMEND_AS_GOOD, RECOMMEND_OPEN, RECOMMEND_WORSE, RECOMMEND_OUT };

/* "best", "as good", "open", "worse", "out" */
const char *recommend_state_text(enum recommend_state state);

struct recommend_candidate {
	const char *slot, *variant;
	enum recommend_state state;
	const char *reason;	/* RECOMMEND_OUT: why it does not count */
	double effect, lo, hi;	/* log, the mean against the best and its 95 % interval; 0 for the best */
	const char *worst_cell; /* the row that loses most against the best; NULL: none loses */
	double worst;		/* its log effect, below 0 */
	bool has_features;
	size_t features;     /* CPU features that the compiler may use, the most over the rows */
	uint64_t size_bytes; /* code and data, all rows together; 0: unknown */
	bool loose_floats;   /* results of floating point may change */
	const char *flags;   /* of the first row */
};

struct recommendation {
	struct recommend_candidate *v; /* recommended first: as good (with the best), open, worse, out */
	size_t n;
	size_t as_good; /* how many of them are no worse, the best included; 0: there is no candidate */
	size_t best;	/* index */
	size_t rows;
	double matters;
};

/*
 * options->by and ->baseline are not used. Errors: as within_compare(); (EXIT_NOTHING) fewer than two candidates were
 * measured in every row, with the reasons.
 */
int recommend(const struct record *record, const struct within_options *options, struct arena *arena,
	struct recommendation *out, struct error *e);

#endif
