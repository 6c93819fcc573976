/*
 * decompose_sum.h - weighted sums of what the combinations of a row gave against the reference, with intervals.
 *
 * The value of a combination in a layout is what compare makes of it, too: the Hodges-Lehmann estimate of its effect
 * against the reference over the rounds of that layout, paired within blocks (stats/paired.h). A sum is formed in each
 * layout from these values, and its mean over layouts has a t interval of L - 1 degrees of freedom: the layout is the
 * unit here as elsewhere. The cells are estimated first and their estimates added, and not each block's sum estimated,
 * since only so do parts add up to the whole: the Hodges-Lehmann estimate of a sum is not the sum of the estimates
 * (Lehmann, Robust estimation in analysis of variance, Annals of Mathematical Statistics 34, 1963, makes all contrasts
 * from such estimates, which keep their efficiency, and has to make them consistent with each other; here they are,
 * since every cell is held against the same one).
 *
 * With one layout nothing tells how far layouts lie apart. Then the sum is formed once, of estimates over all rounds,
 * and its interval comes from leaving out one part of the rounds at a time, neighbours together (stats_jackknife(), at
 * most SUM_PARTS parts): "placement not averaged".
 *
 * - A round in which a cell or the reference gave no value is missing for this cell only.
 * - A cell that closed at a look has no samples behind it. A sum uses the rounds below the earliest close among its
 *   cells: so all of them are seen at one planned look, and p is multiplied by the number of looks as everywhere.
 * - A layout counts where every cell of the sum has an estimate.
 * - Cells of identical code have one value, the mean of theirs in each round; 0 where it is the reference's code. So a
 *   flag that changes no code gives exactly 0, and parts still add up.
 * - Where a cell of the sum and the reference differ in their share of disturbed samples, the sum is formed without
 *   these, too, for stats_verdict_reconcile().
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_SUM_H
#define FLAGSTONE_COMPARE_DECOMPOSE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/decompose_cells.h"
#include "stats/paired.h"

enum { SUM_PARTS = 32 };

/* Combinations, all of which have a value, and their weights, which add up to 0. One of weight 0 counts as a cell of the
 * sum all the same: sums that are to add up have the same cells. */
struct sum {
	const size_t *combinations;
	const double *weights;
	size_t n;
};

struct sum_estimate {
	bool same_code;		      /* the weights cancel within each code: it is 0, and all below is */
	bool differ;		      /* `clean` is to be reconciled with `all` */
	uint32_t limit;		      /* the rounds below this were used; CELLS_OPEN: all */
	double placement_share;	      /* of the variance, as in struct stats_pair; -1: unknown */
	struct stats_pair all, clean; /* not widened; rounds: the fewest that a cell has */
};

/* Estimates sums over the cells of one row; keeps what several of them need. */
struct sums;

struct sums *sums_new(const struct cells *cells);
void sums_free(struct sums *sums);
void sums_estimate(struct sums *sums, const struct sum *sum, struct sum_estimate *out);

#endif
