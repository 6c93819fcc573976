/*
 * comparable.h - may two records be held against each other? Answered from their facts before any number is shown.
 *
 * The axis is what is meant to differ; it is guessed from the records: machine, virtualization, compiler, kernel, firmware, C library
 * or, if nothing of these differs, time. Every other difference is a caveat, listed with both values; a fact that only
 * one side knows is one, too. What makes a ratio meaningless is INCOMPARABLE: another architecture for the records;
 * another metric or other workload content for a cell.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_H
#define FLAGSTONE_COMPARE_COMPARABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/record.h"

enum comparability { COMPARABLE, COMPARABLE_CAVEAT, INCOMPARABLE };

/* "comparable", "caveat", "incomparable" */
const char *comparability_text(enum comparability verdict);

struct comparable {
	enum comparability verdict;
	const char *axis;     /* "machine", "virtualization", "compiler", "kernel", "firmware", "C library",
				 "time" */
	const char *what;     /* the axis' difference: "gcc: 12.2.0 against 13.1.0"; NULL: nothing differs */
	const char *reason;   /* INCOMPARABLE: why; NULL else */
	struct words caveats; /* a clause each: "kernel.release: 6.1 against 6.12" */
};

/* The records' surroundings: a is the baseline. */
void comparable_records(
	const struct record *a, const struct record *b, struct arena *arena, struct comparable *out);

/* The code of two cells of one name. */
enum comparable_code { CODE_SAME, CODE_OTHER, CODE_UNKNOWN };

struct comparable_cell {
	enum comparability verdict;
	enum comparable_code code;
	const char *reason;   /* INCOMPARABLE */
	struct words caveats; /* "other code under native", "placement not averaged", ... */
};

/* Builds of the same cell name in two records. */
void comparable_cells(const struct record *a, const struct record_build *build_a, const struct record *b,
	const struct record_build *build_b, struct arena *arena, struct comparable_cell *out);

/* One sentence for the first line, from the records' verdict and how many of the cells in both are incomparable. */
const char *comparable_sentence(
	const struct comparable *records, size_t cells, size_t incomparable, struct arena *arena);

#endif
