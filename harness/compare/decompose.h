/*
 * decompose.h - what did each flag give? For a record made from a matrix with axes.
 *
 * All effects are logarithms, of a combination of values (a variant) against the reference combination, which is the
 * matrix' baseline unless another is asked for. For each row (workload, parameters) of a slot and number of copies:
 *
 *   part         one value's share in what the target combination gained: the difference that changing to this value
 *                makes, averaged over all orders in which the values could be changed one after the other (Shapley
 *                value, stats/contrast.h). Parts add up to the whole.
 *   whole        the target against the reference.
 *   main effect  a value against the reference's value of its axis, averaged over all combinations of the other axes.
 *   interaction  of two values of two axes: what both give together beyond the sum of what each gives alone, averaged
 *                over all combinations of the remaining axes. (For axes of two values the textbooks' interaction is half
 *                of this: Box, Hunter and Hunter, Statistics for Experimenters, 5.) 0: the two just add up.
 *
 * What was not measured makes an effect partial: a main effect or interaction is averaged over those combinations where
 * all its cells have a value, parts over those orders all of whose cells have one, which still add up. How many of how
 * many is kept; with none there is no effect, and the reason is kept.
 *
 * The estimates, their intervals and which rounds they use are decompose_sum.h's; standard errors are multiplied by the
 * lambda of the run's A/A check. Over the rows of a slot there is the geometric mean: the mean of their effects, of n
 * of m rows; parts and whole are averaged over the same rows, so that they add up, too. All these effects with a test
 * are one family for Holm. Answers are those of every comparison (stats/verdict.h).
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_H
#define FLAGSTONE_COMPARE_DECOMPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/decompose_design.h"
#include "compare/effect.h"
#include "record/record.h"

struct decompose_options {
	const char *target;    /* a variant; NULL: the last value of each axis */
	const char *reference; /* a variant; NULL: the matrix' baseline */
	const struct words
		*only; /* cell patterns: what none matches counts as not measured; NULL or empty: all */
	double matters, precision; /* 0: as the record says */
	bool no_same_code;
	const char *where; /* of struct effect_options */
};

enum decompose_kind { DECOMPOSE_PART, DECOMPOSE_WHOLE, DECOMPOSE_MAIN, DECOMPOSE_INTERACTION };

/* "part", "whole", "main effect", "interaction" */
const char *decompose_kind_text(enum decompose_kind kind);

/* What is asked of every row. */
struct decompose_term {
	enum decompose_kind kind;
	size_t axis, value;	/* all but the whole */
	size_t axis_b, value_b; /* interaction: the other one, of a later axis */
	const char *label;	/* "O3", "all together", "O3 x lto" */
};

struct decompose_effect {
	struct comparison
		c; /* a, b: the reference's and the target's build, where it is the whole of a row */
	double used, possible; /* of a row: orders, or combinations of other axes; of a mean: rows */
	bool partial;	       /* used < possible; of a mean: or one of its rows is partial */
	const char *missing;   /* of a row, if partial: the first that was not measured, and why; else NULL */
};

struct decompose_row {
	uint32_t like;			  /* a build of it: workload and parameters */
	struct decompose_effect *effects; /* one a term */
};

/* All of one slot with one number of copies. */
struct decompose_group {
	const char *slot;
	uint32_t copies;
	struct decompose_row *rows;
	size_t row_count;
	struct decompose_effect *means; /* one a term; only with two rows and more, else NULL */
};

struct decomposition {
	struct record record; /* with the settings asked for; shares everything else: not released */
	struct result
		result; /* of all cells: A/A check, looks, rounds; its family is that of the effects here */
	struct design design;
	struct decompose_term *terms; /* parts in the order of axes, the whole, main effects, interactions */
	size_t term_count;
	size_t part_count;
	struct decompose_group *groups;
	size_t group_count;
	struct words not_on_axes; /* variants that `include` made */
	struct words fixed;	  /* workloads on which flags do not act */
};

/*
 * Everything in the arena. Errors: as design_of_record(); (EXIT_USAGE) a pattern that matches no cell; (EXIT_NOTHING)
 * no cell of the record is a combination of the axes.
 */
int decompose(const struct record *record, const struct decompose_options *options, struct arena *arena,
	struct decomposition *out, struct error *e);

#endif
