/*
 * repeats.h - `run --repeat N`: the medians of each cell over the repeats, and how far they lie apart.
 *
 * The range of at least three medians against their median: over 5 % is noisy, over 8 % unfit (the limits and their
 * source are in stats/describe.h). It is advice and suppresses no verdict.
 */
#ifndef FLAGSTONE_CLI_REPEATS_H
#define FLAGSTONE_CLI_REPEATS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "compare/effect.h"
#include "record/record.h"

struct repeat_cell {
	const char *cell, *unit;
	double *medians; /* one a repeat that measured it */
	size_t n;
};

struct repeats {
	struct arena *arena;
	uint32_t wanted;
	size_t done;
	struct repeat_cell *cells; /* as the first record lists them */
	size_t cell_count;
};

void repeats_add(struct repeats *repeats, const struct record *record, const struct result *result);
/* A row a cell: median of the medians, their range, what it says. */
void repeats_print(const struct repeats *repeats, struct buf *out);
/* [{"cell", "unit", "medians", "median", "range", "answer"}]. New reference. */
json_t *repeats_json(const struct repeats *repeats);

#endif
