/*
 * within.h - the cells of one record against any baseline: variants, slots (toolchains) or copies, paired by rounds.
 *
 * The record's own comparisons are each variant against the matrix' baseline. This module chooses others, and lets
 * effect.h answer them as a family of its own: same looks, same A/A check, Holm over these comparisons. So an answer
 * may differ from the run's own table, which is said (own_family).
 */
#ifndef FLAGSTONE_COMPARE_WITHIN_H
#define FLAGSTONE_COMPARE_WITHIN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/effect.h"
#include "record/record.h"

/* What differs between a cell and its baseline; all else in their names is equal. */
enum within_axis { WITHIN_ANY, WITHIN_VARIANT, WITHIN_SLOT, WITHIN_COPIES };

/* "variant", "slot", "copies" */
const char *within_axis_text(enum within_axis axis);

struct within_options {
	enum within_axis
		by; /* WITHIN_ANY: that of the baseline's name, else the first in which cells differ */
	const char *
		baseline; /* a variant, slot or number of copies; NULL: the record's baseline variant, else the
				 first slot, else the least copies */
	const struct words *only;  /* cell patterns as plan_cell_matches() takes them; NULL or empty: all */
	double matters, precision; /* 0: as the record says */
	bool no_same_code;
	const char *where; /* of struct effect_options */
};

struct within {
	enum within_axis by;
	const char *baseline;
	struct record
		record; /* the record with these comparisons as its plan's; shares everything else: not released */
	struct result result;
	bool own_family;	  /* not exactly the comparisons that the run planned */
	struct words no_baseline; /* cells without a baseline cell */
};

/* The part of a cell's name that the axis is: "O3", "gcc", "4". In the arena or borrowed. */
const char *within_value(const struct record_build *build, enum within_axis axis, struct arena *arena);

/* Does each pattern match a cell? Error (EXIT_USAGE): which one does not. */
int within_check_patterns(const struct record *record, const struct words *only, struct error *e);

/*
 * Chooses and answers. Errors: (EXIT_USAGE) no such baseline or axis value, with the nearest and a list, a pattern
 * that matches no cell; (EXIT_NOTHING) nothing differs along the axis, so that there is nothing to compare.
 */
int within_compare(const struct record *record, const struct within_options *options, struct arena *arena,
	struct within *within, struct error *e);

#endif
