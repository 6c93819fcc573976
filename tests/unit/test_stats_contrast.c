/* Shares over orders and the jackknife, against values published or worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "stats/contrast.h"
#include "stats/rank.h"

static void near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-12 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

/* The shares of all things in a game of 2^n values; measured NULL: all are. Returns the orders used. */
static double shares_of(const double *value, const bool *measured, unsigned n, double *share)
{
	bool all[64];
	double weight[64], used;
	struct stats_orders orders;

	for (size_t i = 0; i < 64; i++)
		all[i] = true;
	stats_orders_init(&orders, measured != NULL ? measured : all, n);
	for (unsigned i = 0; i < n; i++) {
		stats_orders_weights(&orders, i, weight);
		share[i] = 0;
		for (size_t set = 0; set < (size_t)1 << n; set++)
			share[i] += weight[set] * value[set];
	}
	used = orders.used;
	stats_orders_release(&orders);
	return used;
}

/* Two owners of a left glove, one of a right one, a pair is worth 1: 1/6, 1/6, 4/6 (Wikipedia, "Shapley value"). */
static void orders__glove_game__published_shares(void **state)
{
	(void)state;
	double value[8] = {0}, share[3];
	value[5] = value[6] = value[7] = 1;
	near(shares_of(value, NULL, 3, share), 6);
	near(share[0], 1.0 / 6);
	near(share[1], 1.0 / 6);
	near(share[2], 4.0 / 6);
}

/* A runway for aircraft that need 8, 11, 13 and 18: they pay 2, 3, 4 and 9 (Littlechild and Owen 1973; the example
 * of Wikipedia, "Airport problem"). */
static void orders__airport_game__published_shares(void **state)
{
	(void)state;
	static const double need[4] = {8, 11, 13, 18};
	double value[16] = {0}, share[4];
	for (size_t set = 0; set < 16; set++)
		for (unsigned i = 0; i < 4; i++)
			if ((set >> i & 1) != 0)
				value[set] = fmax(value[set], need[i]);
	near(shares_of(value, NULL, 4, share), 24);
	near(share[0], 2);
	near(share[1], 3);
	near(share[2], 4);
	near(share[3], 9);
}

/* By hand: without the set {b} four orders are left, abc acb cab cba, in which a gives 1 1 3 5, b 4 6 6 4, c 7 5 3 3. */
static void orders__set_not_measured__orders_through_it_left_out(void **state)
{
	(void)state;
	static const double value[8] = {0, 1, 1000, 5, 3, 6, 7, 12};
	static const bool measured[8] = {true, true, false, true, true, true, true, true};
	double share[3];
	near(shares_of(value, measured, 3, share), 4);
	near(share[0], 2.5);
	near(share[1], 5);
	near(share[2], 4.5);
}

static void orders__no_complete_order__no_weights(void **state)
{
	(void)state;
	static const double value[4] = {1, 2, 3, 4};
	static const bool only_ends[4] = {true, false, false, true}, no_end[4] = {true, true, true, false};
	double share[2];
	near(shares_of(value, only_ends, 2, share), 0);
	near(share[0], 0);
	near(shares_of(value, no_end, 2, share), 0);
	near(share[1], 0);
}

/* In any game, whatever is measured, shares add up to the whole, and the sets they need lie on complete orders. */
static void orders__random_games__shares_add_up(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "games");
	for (int trial = 0; trial < 500; trial++) {
		unsigned n = 1 + (unsigned)rng_below(&rng, 6);
		size_t sets = (size_t)1 << n;
		double value[64], share[6], sum = 0;
		bool measured[64];
		for (size_t s = 0; s < sets; s++) {
			value[s] = rng_unit(&rng) - 0.5;
			measured[s] = s == 0 || s == sets - 1 || rng_below(&rng, 5) != 0;
		}
		double used = shares_of(value, measured, n, share);
		for (unsigned i = 0; i < n; i++)
			sum += share[i];
		near(sum, used > 0 ? value[sets - 1] - value[0] : 0);
	}
}

/* Things that make the same difference everywhere have the same share; one that makes none has none. */
static void orders__symmetric_and_idle_things__equal_and_nothing(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "symmetric");
	for (int trial = 0; trial < 100; trial++) {
		double by_size[3][2], value[16], share[4];
		for (int size = 0; size < 3; size++)
			for (int c = 0; c < 2; c++)
				by_size[size][c] = rng_unit(&rng);
		for (size_t set = 0; set < 16; set++) /* 0 and 1 alike, 2 has a part of its own, 3 is idle */
			value[set] = by_size[(set & 1) + (set >> 1 & 1)][set >> 2 & 1];
		shares_of(value, NULL, 4, share);
		near(share[0], share[1]);
		near(share[3], 0);
	}
}

static void orders__renamed_things__shares_go_along(void **state)
{
	(void)state;
	struct rng rng;
	double value[32], other[32], share[5], renamed[5];
	static const unsigned to[5] = {3, 0, 4, 1, 2};
	rng_seed_text(&rng, "renamed");
	for (size_t set = 0; set < 32; set++) {
		size_t as = 0;
		value[set] = rng_unit(&rng);
		for (unsigned i = 0; i < 5; i++)
			as |= (set >> i & 1) << to[i];
		other[as] = value[set];
	}
	shares_of(value, NULL, 5, share);
	shares_of(other, NULL, 5, renamed);
	for (unsigned i = 0; i < 5; i++)
		near(renamed[to[i]], share[i]);
}

static void orders__sixteen_things__counted_exactly(void **state)
{
	(void)state;
	struct stats_orders orders;
	static bool all[1 << 16];
	memset(all, true, sizeof(all));
	stats_orders_init(&orders, all, 16);
	near(orders.used, 20922789888000.0); /* 16! */
	near(orders.possible, 20922789888000.0);
	stats_orders_release(&orders);
}

/* Of a mean the jackknife is Student's interval. R's sleep data, differences of the two drugs, as t.test(paired =
 * TRUE) on its help page prints them: t = 4.0621, df = 9, p = 0.002833, interval 0.7001142 to 2.4598858. */
static void jackknife__mean__students_t(void **state)
{
	(void)state;
	static const double x[10] = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
	double left[10], sum = 0;
	struct stats_pair pair;
	for (int i = 0; i < 10; i++)
		sum += x[i];
	for (int i = 0; i < 10; i++)
		left[i] = (sum - x[i]) / 9;
	stats_jackknife(sum / 10, left, 10, &pair);
	assert_int_equal(pair.status, STATS_PAIR_OK);
	assert_true(fabs(pair.lo - 0.7001142) < 5e-8);
	assert_true(fabs(pair.hi - 2.4598858) < 5e-8);
	assert_true(fabs(pair.effect / pair.se - 4.0621) < 5e-5);
	assert_true(fabs(pair.p - 0.002833) < 5e-7);
	near(pair.df, 9);
}

static void jackknife__no_spread__p_of_signs(void **state)
{
	(void)state;
	double left[8];
	struct stats_pair pair;
	for (int i = 0; i < 8; i++)
		left[i] = 0.25;
	stats_jackknife(0.25, left, 8, &pair);
	near(pair.se, 0);
	near(pair.lo, 0.25);
	assert_true(pair.has_p);
	near(pair.p, 2 * pow(0.5, 8)); /* all eight signs alike */
	for (int i = 0; i < 8; i++)
		left[i] = i % 2 == 0 ? 1e-18 : -1e-18; /* rounding, not noise */
	stats_jackknife(0, left, 8, &pair);
	assert_false(pair.has_p);
	near(pair.p, 1);
	assert_true(isfinite(pair.lo) && isfinite(pair.hi));
}

static void jackknife__five_parts__too_few(void **state)
{
	(void)state;
	static const double left[5] = {1, 2, 3, 4, 5};
	struct stats_pair pair;
	stats_jackknife(3, left, 5, &pair);
	assert_int_equal(pair.status, STATS_PAIR_FEW_ROUNDS);
	near(pair.effect, 0);
}

/* The share of one thing of two, 24 rounds, noise with bursts: 1000 intervals of 95 % hold the truth in 95 of 100, give
 * or take three standard deviations of a binomial (2.1). */
static void jackknife__sums_of_hodges_lehmann__cover(void **state)
{
	(void)state;
	enum { ROUNDS = 24, TRIALS = 1000 };
	static const double weight[3] = {0.5, 0.5, -0.5}; /* v1, v12, v2 */
	struct rng rng;
	int held = 0;
	rng_seed_text(&rng, "cover");
	for (int trial = 0; trial < TRIALS; trial++) {
		double x[3][ROUNDS], left[ROUNDS] = {0}, share = 0, room[ROUNDS];
		struct stats_pair pair;
		for (int r = 0; r < ROUNDS; r++) {
			double base = rng_unit(&rng);
			for (int i = 0; i < 3; i++)
				x[i][r] = rng_unit(&rng) - base +
					  (rng_below(&rng, 10) == 0 ? 8 * (rng_unit(&rng) - 0.5) : 0);
		}
		for (int i = 0; i < 3; i++) {
			share += weight[i] * stats_pseudomedian(x[i], ROUNDS);
			for (int out = 0; out < ROUNDS; out++) {
				size_t n = 0;
				for (int r = 0; r < ROUNDS; r++)
					if (r != out)
						room[n++] = x[i][r];
				left[out] += weight[i] * stats_pseudomedian(room, n);
			}
		}
		stats_jackknife(share, left, ROUNDS, &pair);
		held += pair.lo <= 0 && pair.hi >= 0;
	}
	if (held < 929 || held > 971)
		fail_msg("%d of %d", held, TRIALS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders__glove_game__published_shares),
		cmocka_unit_test(orders__airport_game__published_shares),
		cmocka_unit_test(orders__set_not_measured__orders_through_it_left_out),
		cmocka_unit_test(orders__no_complete_order__no_weights),
		cmocka_unit_test(orders__random_games__shares_add_up),
		cmocka_unit_test(orders__symmetric_and_idle_things__equal_and_nothing),
		cmocka_unit_test(orders__renamed_things__shares_go_along),
		cmocka_unit_test(orders__sixteen_things__counted_exactly),
		cmocka_unit_test(jackknife__mean__students_t),
		cmocka_unit_test(jackknife__no_spread__p_of_signs),
		cmocka_unit_test(jackknife__five_parts__too_few),
		cmocka_unit_test(jackknife__sums_of_hodges_lehmann__cover),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
