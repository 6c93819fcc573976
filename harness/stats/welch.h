/*
 * welch.h - two sets of runs that were not measured side by side: days, machines, commits.
 *
 * A run holds thousands of samples and yet is one draw: its samples share the luck of its day. So each run gives one
 * number, the natural logarithm of its median, and the sets are held against each other by Welch's t, which does not
 * ask that both scatter alike (Welch, Biometrika 34, 1947; degrees of freedom by Satterthwaite, Biometrics Bulletin
 * 2, 1946).
 */
#ifndef FLAGSTONE_STATS_WELCH_H
#define FLAGSTONE_STATS_WELCH_H

#include <stddef.h>

#include "stats/paired.h"

#define STATS_MIN_RUNS	3 /* a side: from here on there is a verdict */
#define STATS_RANK_RUNS 8 /* a side: from here on Mann and Whitney's test stands beside it */

/*
 * mean(y) - mean(x) with its 95 % interval and p, in the form that stats_family_decide() takes: effect, lo, hi, se,
 * df, has_p, p; rounds is the smaller number of runs, layouts and all counts of observations are 0.
 *
 * x, y: n and m finite numbers in any order. Fewer than 2 a side: STATS_PAIR_FEW_ROUNDS (STATS_PAIR_EMPTY with
 * none). Neither side scatters: the interval is the difference itself; its p is that of exchanging labels,
 * 2 / (n + m over n), and there is none if the difference is 0, too. Returns out->status.
 */
enum stats_pair_status stats_welch(
	const double *x, size_t n, const double *y, size_t m, struct stats_pair *out);

/*
 * The mean of k independent effects with its interval, for a mean over workloads: se^2 is the sum of theirs over k^2,
 * the degrees of freedom Satterthwaite's. df[i] = 0: that effect's noise is known as if from a normal distribution.
 * Effects that scatter not at all have se 0. Everything in `out` as by stats_welch(); k = 0: STATS_PAIR_EMPTY.
 */
enum stats_pair_status stats_mean_of_effects(
	const double *effect, const double *se, const double *df, size_t k, struct stats_pair *out);

#endif
