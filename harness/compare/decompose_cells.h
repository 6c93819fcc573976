/*
 * decompose_cells.h - the combinations of one row (workload, slot, copies, parameters) as far as they were measured:
 * each paired with the reference cell, cells of identical code put together. decompose_sum.h makes numbers of it.
 *
 * A combination has a value if its comparison with the reference has one: both gave samples, in enough rounds and
 * layouts (stats/paired.h).
 *
 * A node is what has one code: a cell, or all cells with identical code (identical.h), unless identical code is judged
 * like any other. Node 0 is that of the reference.
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_CELLS_H
#define FLAGSTONE_COMPARE_DECOMPOSE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "compare/decompose_design.h"
#include "compare/shots.h"
#include "record/record.h"

#define CELLS_NO_BUILD UINT32_MAX
#define CELLS_OPEN     UINT32_MAX /* closed at no look */

/* What a row is made from; all of it is borrowed. */
struct cells_source {
	const struct record *record;
	const struct shots *shots;
	const struct design *design;
	const uint32_t *builds; /* of each combination, CELLS_NO_BUILD: none */
	const uint32_t *closes; /* of each build of the record: rounds at which it closed, CELLS_OPEN */
	const struct words
		*only; /* patterns; what none of them matches is left out, but the reference; NULL: all */
	bool same_code_judged;
	struct arena *arena;
};

/* A round in one layout: what all cells of a block have in common. */
struct cells_instant {
	uint32_t layout, round;
};

/* A combination with a value. */
struct cells_member {
	size_t combination, node;
	uint32_t build, close;
	bool differ;	 /* from the reference in its share of disturbed samples */
	double *effect;	 /* against the reference, one an instant, NAN: none; NULL for the reference itself */
	bool *disturbed; /* its sample or the reference's, one an instant */
};

struct cells {
	struct cells_source source;
	struct cells_instant *instants; /* of the reference, by layout, then round */
	size_t instant_count;
	size_t *starts; /* of each layout among them, and their number behind the last */
	size_t layout_count;
	struct cells_member *members; /* by node */
	size_t member_count;
	uint32_t *closes; /* of each node: the last close of a member */
	size_t node_count;
	size_t *node_of; /* of each combination; SIZE_MAX: it has no value */
	const char *
		*missing; /* of each combination without a value: "O3+lto: build failed: ...", in the arena */
	uint32_t close;	  /* of the reference */
};

void cells_init(struct cells *cells, const struct cells_source *source);
void cells_release(struct cells *cells);

#endif
