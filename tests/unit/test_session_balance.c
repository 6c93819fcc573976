/*
 * More rounds or more layouts: the formula of Kalibera and Jones (2013) by hand, what limits it, and that a run whose
 * layouts are added by what it saw still promises what it holds. And what the next round will take.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "session/balance.h"
#include "session/layout_order.h"
#include "session/pace.h"
#include "session/recalibrate.h"
#include "stats/paired.h"

/* 16 layouts, each met 4 times, 64 rounds; a layout costs 4 rounds; placement as large as the noise of a round. */
static struct balance_ask usual(void)
{
	return (struct balance_ask){.var_layout = 1e-4,
		.var_round = 1e-4,
		.layout_ns = 4e6,
		.round_ns = 1e6,
		.left_ns = INFINITY,
		.layouts = 16,
		.layouts_max = 64,
		.rounds = 64,
		.next_look = 256};
}

static void balance__placement_as_large_as_noise__layouts_as_the_formula_says(void **state)
{
	struct balance_ask ask = usual();
	struct balance b = balance_decide(&ask);

	(void)state;
	/* r1 = ceil(sqrt(4 / 1 * 1)) = 2: 192 rounds are worth 96 layouts, of which 48 are allowed */
	assert_int_equal(b.why, BALANCE_MORE);
	assert_int_equal(b.rounds_per_layout, 2);
	assert_int_equal(b.layouts, 64);
	/* 1e-4 / (1e-4 + 1e-4 / 4) */
	assert_true(fabs(b.placement_share - 0.8) < 1e-12);
}

static void balance__four_rounds_are_best__new_layouts_for_the_rounds_that_come(void **state)
{
	struct balance_ask ask = usual();
	struct balance b;

	(void)state;
	ask.var_round = 4e-4; /* r1 = sqrt(4 * 4) = 4: 192 / 4 */
	ask.layouts_max = 1024;
	b = balance_decide(&ask);
	assert_int_equal(b.rounds_per_layout, 4);
	assert_int_equal(b.layouts, 16 + 48);
	ask.var_round =
		16e-4; /* r1 = 8: all 256 rounds are worth 32 layouts, the old ones need 4 more each, too */
	b = balance_decide(&ask);
	assert_int_equal(b.rounds_per_layout, 8);
	assert_int_equal(b.layouts, 32);
}

static void balance__noise_of_rounds_dominates__stays(void **state)
{
	struct balance_ask ask = usual();
	struct balance b;

	(void)state;
	ask.var_layout = 1e-6; /* r1 = ceil(sqrt(4 * 100)) = 20: 256 / 20 = 12 */
	b = balance_decide(&ask);
	assert_int_equal(b.why, BALANCE_ROUNDS);
	assert_int_equal(b.rounds_per_layout, 20);
	assert_int_equal(b.layouts, 16);
	ask.var_layout = -1e-5; /* STATISTICS.md: r1 = rounds / 8 */
	b = balance_decide(&ask);
	assert_int_equal(b.why, BALANCE_ROUNDS);
	assert_int_equal(b.rounds_per_layout, 32);
	assert_true(b.placement_share == 0);
}

static void balance__a_step_under_a_quarter__none(void **state)
{
	struct balance_ask ask = usual();
	struct balance b;

	(void)state;
	ask.var_round = 43e-4; /* r1 = ceil(sqrt(4 * 43)) = 14: 256 / 14 = 18 */
	b = balance_decide(&ask);
	assert_int_equal(b.rounds_per_layout, 14);
	assert_int_equal(b.why, BALANCE_ROUNDS);
	ask.var_round = 36e-4; /* r1 = 12: 256 / 12 = 21, 5 more of 16 */
	b = balance_decide(&ask);
	assert_int_equal(b.why, BALANCE_MORE);
	assert_int_equal(b.layouts, 21);
}

static void balance__budget__pays_for_links_and_their_rounds(void **state)
{
	struct balance_ask ask = usual();
	struct balance b;

	(void)state;
	ask.left_ns = 60e6; /* a new layout takes 4 + 2 x 1 ms: 10 */
	b = balance_decide(&ask);
	assert_int_equal(b.why, BALANCE_MORE);
	assert_int_equal(b.layouts, 26);
	ask.left_ns = 23e6; /* 3, under a quarter of 16 */
	b = balance_decide(&ask);
	assert_int_equal(b.why, BALANCE_NO_TIME);
	assert_int_equal(b.layouts, 16);
	ask.left_ns = 0;
	assert_int_equal(balance_decide(&ask).why, BALANCE_NO_TIME);
}

static void balance__links_in_the_cache__cost_nothing(void **state)
{
	struct balance_ask ask = usual();
	struct balance b;

	(void)state;
	ask.layout_ns = 0;
	ask.layouts_max = 40;
	b = balance_decide(&ask); /* then a round a layout */
	assert_int_equal(b.layouts, 40);
}

static void balance__nothing_known_or_allowed__says_so(void **state)
{
	struct balance_ask ask = usual();

	(void)state;
	ask.var_layout = ask.var_round = NAN;
	assert_int_equal(balance_decide(&ask).why, BALANCE_UNKNOWN);
	assert_int_equal(balance_decide(&ask).layouts, 16);
	assert_true(balance_decide(&ask).placement_share == -1);
	ask = usual();
	ask.layouts_max = 16;
	assert_int_equal(balance_decide(&ask).why, BALANCE_MOST);
	assert_int_equal(balance_decide(&ask).layouts, 16);
	ask = usual();
	ask.var_layout = ask.var_round = 0; /* no noise at all: no division by it */
	assert_int_equal(balance_decide(&ask).why, BALANCE_ROUNDS);
	assert_true(balance_decide(&ask).placement_share == 0);
}

static double gauss(struct rng *rng)
{
	/* Box and Muller */
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * 3.14159265358979 * rng_unit(rng));
}

enum { MOST = 64, ROUNDS = 256 };

/* The layouts of all rounds where there are so many from round 64 on; worked out once. */
static const uint32_t *order_of(uint32_t layouts)
{
	static uint32_t orders[MOST + 1][ROUNDS];
	static bool known[MOST + 1];
	struct record_layout_step steps[] = {{0, UINT32_MAX, 16}, {64, 0, layouts}};
	struct record_plan plan = {.seed = "a run", .layout_steps = steps, .layout_step_count = 2};

	for (uint32_t i = 0; i < ROUNDS && !known[layouts]; i++)
		orders[layouts][i] = layout_order_of_round(&plan, 0, i);
	known[layouts] = true;
	return orders[layouts];
}

static void simulate(struct stats_observation *obs, const uint32_t *order, uint32_t from, uint32_t to,
	const double *luck, double sd_round, struct rng *rng)
{
	for (uint32_t i = from; i < to; i++)
		obs[i] = (struct stats_observation){
			.layout = order[i], .round = i, .effect = luck[order[i]] + sd_round * gauss(rng)};
}

/* A run of two identical cells: 64 rounds, a decision from what was seen, the rest. Its result at the end. */
static struct stats_pair adaptive_run(double sd_layout, double sd_round, uint32_t *layouts, struct rng *rng)
{
	struct stats_observation obs[ROUNDS];
	struct balance_ask ask = usual();
	struct stats_pair pair;
	double luck[MOST];

	for (uint32_t k = 0; k < MOST; k++)
		luck[k] = sd_layout * gauss(rng);
	simulate(obs, order_of(16), 0, 64, luck, sd_round, rng);
	stats_pair_analyse(obs, 64, STATS_USE_ALL, &pair);
	ask.var_layout = pair.var_layout;
	ask.var_round = pair.var_round;
	*layouts = balance_decide(&ask).layouts;
	simulate(obs, order_of(*layouts), 64, ROUNDS, luck, sd_round, rng);
	stats_pair_analyse(obs, ROUNDS, STATS_USE_ALL, &pair);
	return pair;
}

/*
 * The decision looks at variances, not at the effect, so a difference of nothing must still be called one in 5 of 100
 * cases (three standard errors of 400 trials: 3.3 %). Where placement dominates, intervals must get narrower than
 * rounds on 16 layouts could make them: with 64 of spread 1.5 % they are some half as wide.
 */
static void balance__layouts_added_by_what_was_seen__no_more_false_alarms(void **state)
{
	enum { TRIALS = 400 };
	static const double cases[][2] = {{0.015, 0.01}, {0.003, 0.01}, {0, 0.01}};
	double added[3] = {0}, width[3] = {0};

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct rng rng;
		int alarms = 0;

		rng_seed_text(&rng, "adaptive layouts");
		for (int i = 0; i < TRIALS; i++) {
			uint32_t layouts;
			struct stats_pair pair = adaptive_run(cases[c][0], cases[c][1], &layouts, &rng);

			alarms += pair.p <= 0.05;
			added[c] += (double)(layouts - 16) / TRIALS;
			width[c] += 0.5 * (pair.hi - pair.lo) / TRIALS;
		}
		if (fabs((double)alarms / TRIALS - 0.05) > 0.033)
			fail_msg("case %zu: %d of %d are false alarms", c, alarms, TRIALS);
	}
	assert_true(added[0] > 47); /* all that are allowed, always */
	assert_true(added[2] < 12);
	/* t(0.975, 63) sqrt((0.015^2 + 0.01^2 / 4) / 64) = 0.39 %; 16 layouts of 16 rounds: 0.81 % */
	assert_true(width[0] > 0.0036 && width[0] < 0.0043);
}

static void pace__blocks__mean_and_slowest_of_the_newest(void **state)
{
	struct pace pace = {0};

	(void)state;
	assert_true(pace_mean_ns(&pace) == 0 && pace_slow_ns(&pace) == 0);
	pace_add(&pace, 1000, 0, 2);  /* 500 an item */
	pace_add(&pace, 900, 600, 3); /* 300, of which 100 are work */
	assert_true(pace_slow_ns(&pace) == 500);
	assert_true(pace_mean_ns(&pace) == 1300.0 / 5);
	for (int i = 0; i < PACE_RECENT; i++)
		pace_add(&pace, 100, 0, 1);
	assert_true(pace_slow_ns(&pace) == 100); /* a slow block of long ago is forgotten */
}

static void recalibrate__bounds__half_and_four_times(void **state)
{
	(void)state;
	/* DESIGN.md: again only when a sample falls outside 0.5 to 4 x sample */
	assert_int_equal(recalibrate_what(2499999, 5000000), RECALIBRATE_SHORT);
	assert_int_equal(recalibrate_what(2500000, 5000000), RECALIBRATE_FITS);
	assert_int_equal(recalibrate_what(20000000, 5000000), RECALIBRATE_FITS);
	assert_int_equal(recalibrate_what(20000001, 5000000), RECALIBRATE_LONG);
}

static void recalibrate__units__a_sample_of_once_to_twice_the_length(void **state)
{
	(void)state;
	assert_int_equal(recalibrate_units(1024, 1000000, 5000000), 8192); /* 8 ms */
	assert_int_equal(recalibrate_units(1024, 2000000, 5000000), 4096); /* 8 ms */
	assert_int_equal(recalibrate_units(1024, 21000000, 5000000), 256); /* 5.25 ms */
	assert_int_equal(recalibrate_units(2, 500000000, 5000000), 1);
	assert_int_equal(recalibrate_units(1024, 5000000, 5000000), 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balance__placement_as_large_as_noise__layouts_as_the_formula_says),
		cmocka_unit_test(balance__four_rounds_are_best__new_layouts_for_the_rounds_that_come),
		cmocka_unit_test(balance__noise_of_rounds_dominates__stays),
		cmocka_unit_test(balance__a_step_under_a_quarter__none),
		cmocka_unit_test(balance__budget__pays_for_links_and_their_rounds),
		cmocka_unit_test(balance__links_in_the_cache__cost_nothing),
		cmocka_unit_test(balance__nothing_known_or_allowed__says_so),
		cmocka_unit_test(balance__layouts_added_by_what_was_seen__no_more_false_alarms),
		cmocka_unit_test(pace__blocks__mean_and_slowest_of_the_newest),
		cmocka_unit_test(recalibrate__bounds__half_and_four_times),
		cmocka_unit_test(recalibrate__units__a_sample_of_once_to_twice_the_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
