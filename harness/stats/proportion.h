/*
 * proportion.h - how many of how many, and how well that is known.
 */
#ifndef FLAGSTONE_STATS_PROPORTION_H
#define FLAGSTONE_STATS_PROPORTION_H

#include <stddef.h>

struct stats_proportion {
	size_t k, n;
	double share;  /* k / n; 0 of nothing */
	double lo, hi; /* 95 %; 0 to 1 of nothing */
};

/*
 * k of n (k > n is taken as n) with the interval of Clopper and Pearson, Biometrika 26 (1934): it covers at least
 * 95 % whatever the truth, so it is too wide rather than too narrow where the count is small.
 */
struct stats_proportion stats_proportion(size_t k, size_t n);

#endif
