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
