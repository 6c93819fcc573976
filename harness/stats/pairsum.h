/*
 * pairsum.h - the k-th smallest of all sums a_i + b_j without writing them down; used by rank.c.
 *
 * Both arrays are sorted upwards, so the sums form a matrix that rises along rows and columns, and counting how many
 * are at most v takes one walk along its edge. Selection narrows the candidates of each row around random pivots
 * until one is left: O(n) a step, O(log n) steps expected (Johnson and Mizoguchi, SIAM J. Computing 7, 1978;
 * Monahan, ACM Algorithm 616, 1984). The result is one of the sums, bit for bit.
 */
#ifndef FLAGSTONE_STATS_PAIRSUM_H
#define FLAGSTONE_STATS_PAIRSUM_H

#include <stdbool.h>
#include <stddef.h>

struct pair_sums {
	const double *a;
	size_t n; /* rows, >= 1 */
	const double *b;
	size_t m;  /* columns, >= 1 */
	bool half; /* only j >= i counts (a and b the same array): the Walsh averages of halved values */
};

/* How many sums there are. */
size_t pair_sums_count(const struct pair_sums *sums);

/* The k-th smallest, k from 1 to the count. */
double pair_sums_select(const struct pair_sums *sums, size_t k);

/* The mean of the middle one or two. */
double pair_sums_median(const struct pair_sums *sums);

#endif
