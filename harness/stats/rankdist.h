/*
 * rankdist.h - the exact distributions behind rank.c, as whole tables. Internal to stats.
 */
#ifndef FLAGSTONE_STATS_RANKDIST_H
#define FLAGSTONE_STATS_RANKDIST_H

#include <stddef.h>

/* A distribution over 0 … top that is symmetric about top/2. */
struct rank_distribution {
	double *p; /* top + 1 probabilities; ends with rank_distribution_release() */
	size_t top;
};

/* Of V for n values without ties: each rank is positive with chance 1/2. top = n(n+1)/2. */
struct rank_distribution rank_distribution_signed(size_t n);

/* Of U for n and m values without ties (Mann and Whitney 1947, their recursion as probabilities). top = n m. */
struct rank_distribution rank_distribution_u(size_t n, size_t m);

void rank_distribution_release(struct rank_distribution *d);

/* P(X <= v). */
double rank_distribution_cdf(const struct rank_distribution *d, size_t v);

/* The smallest v with P(X <= v) >= q, q <= 1/2. */
size_t rank_distribution_quantile(const struct rank_distribution *d, double q);

/* min(1, 2 min(P(X <= v), P(X >= v))). */
double rank_distribution_two_sided(const struct rank_distribution *d, size_t v);

#endif
