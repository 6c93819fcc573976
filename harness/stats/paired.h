/*
 * paired.h - two builds in one run. THE analysis: how much faster is B than A, and how sure is that?
 *
 * In every block A and B stand side by side, so that what disturbs both cancels in the effect e of that block (see
 * stats/effect.h). The unit is the layout, not the block: where the linker happened to put the code is one draw of
 * luck shared by all rounds of that layout, and counting its rounds as independent would cover the truth in 45 of
 * 100 cases instead of 95. So each layout gives one number, the Hodges-Lehmann estimate over its rounds, and the
 * result is the mean of these numbers with a t interval of L - 1 degrees of freedom.
 *
 *   L >= 8      mean of layouts, Student's t               (STATS_BY_LAYOUTS)
 *   L == 1      placement is not averaged: Hodges-Lehmann and signed-rank over at least 6 rounds. The order within
 *               a block is random, so signs are exchangeable under no effect even if noise is autocorrelated.
 *               (STATS_BY_ROUNDS)
 *   2 to 7      STATS_PAIR_FEW_LAYOUTS: neither holds
 *
 * Two other rules were tried on recorded noise (8 or 16 groups of rounds for layouts, Holm over 11, two looks; 4,000
 * stretches each) and on simulated placement, and not taken:
 *   - A clustered signed-rank test (Rosner, Glynn and Lee, Biometrics 62, 2006; Datta and Satten, Biometrics 64, 2008)
 *     in place of t. With its normal distribution it cannot reach small p: its |z| is at most the root of L, so that 8
 *     layouts never find anything. With t on the layouts' mean signed ranks it finds more (5 % at 64 rounds: 69 and 89
 *     of 100 instead of 59 and 79; 2 % at 256: 56 and 92 instead of 49 and 86). But in families of 5 at one look its
 *     false alarms are 0.5 to 1.5 % of the pairs instead of 0.4 to 1.0 %, and 1 % is what is promised; and 1 to 2 % of
 *     its verdicts stand beside a t interval that holds 0.
 *   - t, with which the signed-rank test over all rounds has to agree. False alarms fall from 0.04 ... 0.25 % to 0.01
 *     ... 0.12 %, but were within the promise before, and 2 to 40 % of the effects of 1 and 2 % that t finds are lost.
 *     Real placement makes the rounds of a layout alike and so undoes it: 0.47 -> 0.45 % at a spread of 1.5 %.
 *
 * Sources: Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963); Mytkowicz et al., ASPLOS 2009; Curtsinger
 * and Berger, ASPLOS 2013; Kalibera and Jones, ISMM 2013 (variance by levels).
 */
#ifndef FLAGSTONE_STATS_PAIRED_H
#define FLAGSTONE_STATS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_MIN_LAYOUTS 8
#define STATS_MIN_ROUNDS  6 /* with one layout */

/* A and B in one block of one round. */
struct stats_observation {
	uint32_t layout; /* any number: equal numbers are the same layout of A, and of B */
	uint32_t round;	 /* any number: for counting rounds */
	double effect;	 /* e, natural logarithm, positive: B is faster */
	bool disturbed;	 /* A's or B's sample was marked, also when measured again */
};

enum stats_use {
	STATS_USE_ALL = 0, /* the analysis */
	STATS_USE_CLEAN,   /* without disturbed observations: for holding against the first */
};

enum stats_pair_status {
	STATS_PAIR_OK = 0,
	STATS_PAIR_EMPTY,	/* no observation */
	STATS_PAIR_FEW_LAYOUTS, /* 2 to 7 layouts */
	STATS_PAIR_FEW_ROUNDS,	/* one layout and under 6 rounds */
	STATS_PAIR_BAD_VALUE,	/* an effect that is NaN or infinite: see bad_index */
};

enum stats_pair_method {
	STATS_BY_LAYOUTS = 0,
	STATS_BY_ROUNDS,
};

/* Everything is in natural logarithms. Without STATS_PAIR_OK all but the counts is 0. */
struct stats_pair {
	enum stats_pair_status status;
	enum stats_pair_method method;
	size_t bad_index;
	size_t layouts;	     /* L */
	size_t rounds;	     /* distinct rounds */
	size_t observations; /* that took part */
	size_t disturbed;    /* disturbed ones among all that were given, taking part or not */

	double effect; /* the estimate */
	double lo, hi; /* its 95 % interval */
	double se;     /* standard error; by rounds: interval width / (2 * 1.96) */
	double df;     /* L - 1; by rounds 0: there is no t */
	bool has_p;    /* false if there is no spread and no effect: all differences are exactly 0 */
	double p; /* two-sided, 1 if there is none. All layouts equal and not 0: 2^(1-L), as by flipping signs */

	/*
	 * Where the noise comes from, by analysis of variance with layouts as a random effect. Var of one observation
	 * = var_layout + var_round. var_layout is unbiased, so it can be negative where there is little of it.
	 */
	bool has_split; /* at least two layouts, one of them with two observations or more */
	double var_layout;
	double var_round;
	double placement_share; /* 0 to 1: of the variance of `effect`, what more layouts would lower and more rounds
	                         * on the same layouts would not */
};

/*
 * Analyses n observations in any order; the result does not depend on it. Returns out->status.
 * O(n log n).
 */
enum stats_pair_status stats_pair_analyse(
	const struct stats_observation *obs, size_t n, enum stats_use use, struct stats_pair *out);

/* One-way analysis of variance of the observations by layout, and the components that follow from it. */
struct stats_split {
	bool known; /* at least two layouts, one of them with two observations or more */
	double mean_between, mean_within; /* mean squares */
	double var_layout, var_round;	  /* as in struct stats_pair */
	double placement_share;
};

/*
 * The split of struct stats_pair alone, also for fewer layouts than an analysis needs. Effects must be finite; all
 * take part. The order does not matter.
 */
void stats_split_variance(const struct stats_observation *obs, size_t n, struct stats_split *out);

/*
 * The same result with its standard error multiplied by lambda >= 1 (see stats/aa.h): wider interval, larger p. By
 * rounds, or not STATS_PAIR_OK: unchanged.
 */
struct stats_pair stats_pair_widen(const struct stats_pair *pair, double lambda);

/*
 * How many rounds to spend on a layout before linking a new one: ceil(sqrt(cost_layout / cost_round * var_round /
 * var_layout)), Kalibera and Jones (2013), formula for the last but highest level. Costs in any common unit, > 0.
 * Where var_layout <= 0: rounds / 8. At least 1, at most rounds.
 */
size_t stats_rounds_per_layout(
	double cost_layout, double cost_round, double var_layout, double var_round, size_t rounds);

#endif
