/*
 * sources_cells.h - sources.h for what `compare` holds against each other: cells of one record, or of several.
 */
#ifndef FLAGSTONE_COMPARE_SOURCES_CELLS_H
#define FLAGSTONE_COMPARE_SOURCES_CELLS_H

#include "compare/between.h"
#include "compare/sources.h"
#include "compare/within.h"

/* Comparison `index`: "the baseline" against "this cell". */
void sources_within(const struct within *within, size_t index, struct arena *arena, struct sources *out);
/*
 * A cell of one side against the baseline's, under the sides' names. false: they cannot be compared (and that was not
 * forced), or one side does not have the cell.
 */
bool sources_between(const struct between *between, bool forced, size_t cell, size_t side,
	struct arena *arena, struct sources *out);
/* The two builds of the sides' first runs; false as above. */
bool sources_between_builds(const struct between *between, bool forced, size_t cell, size_t side,
	const struct record_build **a, const struct record_build **b);

/*
 * Lets go a record's samples, but those of cells that match a pattern (plan_cell_matches()): these are in the arena
 * then, and the record must not be released again.
 */
void sources_keep_samples(struct record *record, const char *pattern, struct arena *arena);

#endif
