/*
 * rank.h - estimates and tests that use ranks, so that a burst of noise counts once and not by its size.
 *
 * Inputs are finite numbers in any order, never changed; results do not depend on the order. A p value that does
 * not exist (no spread, no samples) is has_p = false and p = 1. No NaN comes out.
 */
#ifndef FLAGSTONE_STATS_RANK_H
#define FLAGSTONE_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* Up to here (and without ties) the distributions are exact; beyond, normal approximations. */
#define STATS_SIGNED_RANK_EXACT	 63
#define STATS_MANN_WHITNEY_EXACT 49 /* a side, or as many pairs from sides of unlike sizes */

/* An estimate of location with its 95 % interval. */
struct stats_location {
	double value;
	bool has_interval; /* false where so few values cannot reach 95 % */
	double lo, hi;
	double coverage; /* true one, >= 0.95 up to the exact limits; about 0.95 beyond */
};

/* A test of "no shift". */
struct stats_rank_test {
	double statistic; /* V (sum of ranks of the positive values), or U (pairs with x > y, ties half) */
	size_t n;	  /* values that took part: zeros are left out of the signed-rank test */
	bool has_p;
	bool exact; /* p is p_exact; else p_normal */
	double p;   /* two-sided */
	bool has_exact;
	double p_exact;
	bool has_normal; /* false if the variance is 0 */
	double p_normal; /* tie correction, continuity correction */
};

/*
 * Hodges-Lehmann estimate of one sample: the median of all n(n+1)/2 Walsh averages (x_i + x_j)/2, i <= j.
 * O(n log n) by selection in the implicit sorted matrix (after Johnson and Mizoguchi, SIAM J. Computing 7, 1978).
 * 0 if n is 0.
 */
double stats_pseudomedian(const double *x, size_t n);

/*
 * The same with the signed-rank interval: Walsh averages number k and N + 1 - k, k the 2.5 % quantile of the
 * signed-rank distribution (exact up to STATS_SIGNED_RANK_EXACT, else normal). No interval under 6 values.
 * (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.2 and 3.3.)
 */
struct stats_location stats_pseudomedian_interval(const double *x, size_t n);

/*
 * The same at another rate of misses than 5 %: `miss` in (0, 1), the share of intervals that may fail to hold the
 * truth. coverage >= 1 - miss up to the exact limit.
 */
struct stats_location stats_pseudomedian_bounds(const double *x, size_t n, double miss);

/* Hodges-Lehmann shift between two samples: the median of all n*m differences x_i - y_j. 0 if n or m is 0. */
double stats_shift(const double *x, size_t n, const double *y, size_t m);

/* The same with the Mann-Whitney interval; exact up to STATS_MANN_WHITNEY_EXACT a side. (Ibid., 4.2 and 4.3.) */
struct stats_location stats_shift_interval(const double *x, size_t n, const double *y, size_t m);
struct stats_location stats_shift_bounds(const double *x, size_t n, const double *y, size_t m, double miss);

/*
 * The ratio x : y with its interval: exp of the shift between logarithms, so that ratio(x, y) times ratio(y, x) is 1
 * (Akinshin, Pragmastat, Ratio and RatioBounds). All values > 0; value 0 and no interval if one is not, or n or m is 0.
 */
struct stats_location stats_ratio_bounds(const double *x, size_t n, const double *y, size_t m, double miss);

/*
 * Wilcoxon's signed-rank test that d is symmetric about 0. Exact if no value is 0, no two have the same size and
 * n <= STATS_SIGNED_RANK_EXACT; otherwise zeros are dropped, ties share ranks, normal approximation.
 */
struct stats_rank_test stats_signed_rank(const double *d, size_t n);

/*
 * Mann and Whitney's U test of x against y. Exact without ties up to STATS_MANN_WHITNEY_EXACT a side, otherwise the
 * normal approximation.
 */
struct stats_rank_test stats_mann_whitney(const double *x, size_t n, const double *y, size_t m);

/* P(x > y) + P(x = y)/2 over all pairs: Vargha and Delaney's A12. 0.5 if n or m is 0. Cliff's delta is 2 A - 1. */
double stats_a12(const double *x, size_t n, const double *y, size_t m);
double stats_cliffs_delta(const double *x, size_t n, const double *y, size_t m);

/* Ranks from 1, ties share their mean: rank[i] is that of x[i]. Returns the sum of t^3 - t over groups of t ties. */
double stats_midranks(const double *x, size_t n, double *rank);

/*
 * Distribution of the signed-rank statistic V for n values without ties: P(V <= v). O(n^3) time; for n up to a few
 * hundred.
 */
double stats_signed_rank_cdf(size_t v, size_t n);

/* Distribution of U for n and m values without ties: P(U <= u). O((n m)^2) time; for sides up to a hundred. */
double stats_mann_whitney_cdf(size_t u, size_t n, size_t m);

#endif
