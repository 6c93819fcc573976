/*
 * dist.h - the probability distributions that the other modules need.
 *
 * Relative error is about 1e-12 in the bulk and in the tails alike; a tail is always computed as a tail and never
 * as 1 - something. Arguments outside a domain give the limit that makes sense (0, 1, plus or minus infinity);
 * no function here returns NaN for arguments that are not NaN. No function has state.
 */
#ifndef FLAGSTONE_STATS_DIST_H
#define FLAGSTONE_STATS_DIST_H

#include <stddef.h>

/* P(Z <= z) for a standard normal Z. */
double stats_normal_cdf(double z);

/* The z with P(Z <= z) = p. p <= 0 gives -INFINITY, p >= 1 gives INFINITY. Start: Abramowitz and Stegun
 * 26.2.23; then Halley steps on the tail. */
double stats_normal_quantile(double p);

/*
 * The regularised incomplete beta function I_x(a, b) for a, b > 0, x clamped to [0, 1].
 * Continued fraction DLMF 8.17.22 by the modified method of Lentz.
 */
double stats_incomplete_beta(double a, double b, double x);

/* P(T <= t) for Student's t with df > 0 degrees of freedom; df need not be whole (Welch). From 10,000 degrees on by
 * way of the normal distribution (Hill, CACM 13, 1970, algorithm 395), below by the beta function. */
double stats_t_cdf(double t, double df);

/* P(|T| >= |t|), the two-sided p value of t. Precise however small it is. */
double stats_t_two_sided(double t, double df);

/* The t with P(T <= t) = p. p <= 0 gives -INFINITY, p >= 1 gives INFINITY. */
double stats_t_quantile(double p, double df);

/* P(X <= k) for X binomial with n trials of probability p. k < 0 gives 0, k >= n gives 1. */
double stats_binomial_cdf(long k, size_t n, double p);

/* The smallest k with P(X <= k) >= q. */
size_t stats_binomial_quantile(double q, size_t n, double p);

#endif
