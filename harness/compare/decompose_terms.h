/*
 * decompose_terms.h - which sums of combinations the parts, the whole, main effects and interactions are.
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_TERMS_H
#define FLAGSTONE_COMPARE_DECOMPOSE_TERMS_H

#include "base/mem.h"
#include "compare/decompose.h"
#include "compare/decompose_cells.h"
#include "compare/decompose_sum.h"
#include "stats/contrast.h"

/* All terms of a design, into out: terms, term_count, part_count. */
void terms_of_design(struct decomposition *out, struct arena *arena);

/* A sum that owns its arrays, and what it was averaged over. */
struct term_sum {
	VEC(size_t) combinations;
	VEC(double) weights;
	double used, possible;
	const char *missing; /* why something is left out; NULL: nothing is */
};

/* The parts of one row: which orders can be used. */
struct term_parts {
	const struct design *design;
	size_t axes[STATS_MOST_THINGS]; /* in which target and reference differ */
	unsigned n;
	struct stats_orders orders;
	const char *missing; /* the first combination without a value; NULL: none */
};

void term_parts_init(struct term_parts *parts, const struct cells *cells);
void term_parts_release(struct term_parts *parts);

/* The sum of one term over the cells of a row; used is 0 where it cannot be formed. term_sum_release() ends it. */
void term_sum(const struct cells *cells, const struct term_parts *parts, const struct decompose_term *term,
	struct term_sum *out);
void term_sum_release(struct term_sum *sum);

#endif
