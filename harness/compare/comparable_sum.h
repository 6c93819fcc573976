/*
 * comparable_sum.h - a side's verdict over all cells: rows of the table with their cells, and every differing fact once,
 * with how many cells it is about.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_SUM_H
#define FLAGSTONE_COMPARE_COMPARABLE_SUM_H

#include "compare/between.h"

/* Cells with one row, one verdict, and one answer to native. */
struct sum_row {
	unsigned row;
	enum comparability verdict, by_row;
	const struct comparable_cell *first; /* its facts stand for the others' */
	size_t cell;			     /* index of the first */
	struct words cells;		     /* names of the first few */
	size_t count;
};

/* A fact, of the records (count 0) or of cells. */
struct sum_fact {
	struct comparable_fact fact;
	struct words cells; /* names of the first few */
	size_t count;
	bool others; /* values differ between the cells: those of the first are shown */
};

struct comparable_sum {
	struct sum_row *rows; /* the worst first, of these native, then by row */
	size_t row_count;
	struct sum_fact *facts; /* by part, the records' first */
	size_t fact_count;
};

enum { SUM_CELLS_NAMED = 4 };

/* Everything in the arena or borrowed from `between`. */
void comparable_sum(
	const struct between *between, size_t side, struct arena *arena, struct comparable_sum *out);
/* "a, b and 7 more" */
const char *comparable_cells_named(const struct words *cells, size_t count, struct arena *arena);

#endif
