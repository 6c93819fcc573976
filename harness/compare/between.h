/*
 * between.h - two or more records (or groups of repeats) against each other: unpaired, and the run is the unit.
 *
 * A side is one or more runs. Cells are matched by name. With STATS_MIN_RUNS runs on both sides a cell gets Welch's t
 * on the logarithms of the runs' medians; from STATS_RANK_RUNS on Mann and Whitney's test stands beside it, and where
 * the two disagree the answer is can't tell. With fewer there is never a verdict: medians and intervals are shown, and
 * why that is no answer. Holm over the whole table, which is stated.
 */
#ifndef FLAGSTONE_COMPARE_BETWEEN_H
#define FLAGSTONE_COMPARE_BETWEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/comparable.h"
#include "compare/comparable_advice.h"
#include "compare/comparable_groups.h"
#include "compare/effect.h"
#include "record/record.h"

struct between_run {
	const struct record *record;
	const struct result *result; /* its summaries, by effect_of_record() */
};

/* Runs of one kind: borrowed. */
struct between_side {
	const char *name; /* as it was asked for */
	const struct between_run *runs;
	size_t run_count;
};

/* One cell on one side. */
struct between_value {
	const char *unit;
	size_t runs;	 /* that have a value */
	double *medians; /* their medians, in the side's order */
	bool has_value;
	double median; /* of the medians */
	bool has_interval;
	double lo, hi;	    /* one run: its 95 % interval; several: least and largest median */
	const char *reason; /* without a value: why; NULL else */
};

/* One cell of one side against the baseline side. */
struct between_effect {
	struct comparison c; /* answer, reason and numbers; a, b are no builds here */
	bool has_ratio;	     /* a difference of the medians can be stated, however uncertain */
	double ratio;	     /* log effect of the medians of medians */
	bool has_rank;
	double p_rank; /* Mann and Whitney's, of this comparison alone */
	struct comparable_cell comparable;
};

struct between_cell {
	const char *cell;
	struct between_value *values;	/* one a side */
	struct between_effect *effects; /* one a side; that of the baseline side is empty */
};

struct between {
	const struct between_side *sides;
	size_t side_count;
	size_t baseline; /* index of a side */
	struct between_cell *cells;
	size_t cell_count;
	const struct comparable_view **views; /* one a side: of its first record */
	struct comparable *comparable;	      /* one a side against the baseline's first record */
	struct comparable_count *counts;      /* one a side: the cells that are in both */
	struct advices *advice;		      /* one a side: what to do about its verdict */
	struct comparable_groups groups;      /* with more than two sides: which compare with one another */
	const char **sentences;		      /* one a side: the first line; NULL for the baseline */
	struct words missing;		      /* "CELL: only in A" */
	struct words notes;
	size_t family; /* comparisons with a test */
	double matters, precision;
};

struct between_options {
	size_t baseline;
	const struct words *only;  /* cell patterns; NULL or empty: all */
	double matters, precision; /* 0: the larger of the records' own */
	enum axis axis;		   /* what is meant to differ; AXIS_NONE: guess it */
	bool force;		   /* ratios also of what is incomparable; every page must then say so */
};

/* "A", "B", ... for sides, since names of records are long; beyond 26 the number. In the arena. */
const char *between_letter(size_t side, struct arena *arena);

/*
 * sides: at least 2, each with at least one run; they must outlive the result, which is in the arena. Errors
 * (EXIT_USAGE): runs of one side that cannot be held against each other themselves.
 */
int between_compare(const struct between_side *sides, size_t side_count,
	const struct between_options *options, struct arena *arena, struct between *between, struct error *e);

#endif
