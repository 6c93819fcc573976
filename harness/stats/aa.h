/*
 * aa.h - does the run find differences where there are none?
 *
 * Pairs of identical code, each side with its own draws of layouts, have a true effect of 0. If their z = estimate /
 * standard error is larger than it should be, all standard errors of the run are too small by a factor lambda, and
 * are multiplied by it. This holds for this run only.
 *
 *   lambda = max(1, sqrt(mean of z^2 / (v / (v - 2)))),   v degrees of freedom: z is a t, whose variance is v/(v-2)
 *
 * The sum of these squares is held against its distribution under "all is well", simulated from normal draws with
 * the run's own numbers of layouts and its chains. If it would be so large in fewer than 1 of 1000 runs, the run
 * itself is suspect, and lambda only a patch on it.
 */
#ifndef FLAGSTONE_STATS_AA_H
#define FLAGSTONE_STATS_AA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"

#define STATS_AA_MIN_PAIRS 10
#define STATS_AA_SUSPECT_P 0.001

struct stats_aa_pair {
	double effect;
	double se;
	double df; /* layouts - 1; a pair with df <= 2 (also one by rounds, df 0) is not used */
	size_t chain; /* n identical cells give n - 1 pairs, 1-2, 2-3, …: neighbours in the array with the same number
	               * here share a cell, and are not independent. Pairs on their own: a number each */
};

struct stats_aa {
	bool checked;  /* false: fewer than STATS_AA_MIN_PAIRS usable pairs; lambda is 1: say "not checked" */
	size_t pairs;  /* usable ones */
	size_t unused; /* se = 0, df <= 2 or not finite */
	double lambda; /* >= 1, finite */
	double mean_z2; /* mean of z^2 (v - 2) / v: 1 if all is well */
	double p;	/* of the sum under its null; 1 if not checked */
	bool suspect;	/* p < STATS_AA_SUSPECT_P, or a pair without any spread has an effect */
};

/*
 * Checks n pairs. rng: seeded from the record by the caller, so that the answer is the same each time. At most
 * 10,000 runs are simulated, about a hundred where nothing is wrong.
 */
void stats_aa_check(const struct stats_aa_pair *pairs, size_t n, struct rng *rng, struct stats_aa *out);

#endif
