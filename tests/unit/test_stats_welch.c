/*
 * Known answers. sleep: R's help page of t.test, t.test(extra ~ group, data = sleep): t = -1.8608, df = 17.776,
 * p = 0.07939, interval -3.3654832 to 0.2054832. Two examples of Wikipedia's article on Welch's t-test, which
 * states t = -2.46, df = 25.0, p = 0.021; t = -1.57, df = 9.9, p = 0.149; the further digits come from a program of
 * a few lines (the textbook's formulas, and Simpson's rule over the density of t).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/welch.h"
#include "test_stats_data.h"

static const double sleep_1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double sleep_2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void stats_welch__sleep__as_r(void **state)
{
	(void)state;
	struct stats_pair out;
	assert_int_equal(stats_welch(sleep_1, 10, sleep_2, 10, &out), STATS_PAIR_OK);
	assert_true(near_to(out.effect, 1.58, 1e-12));
	assert_true(near_to(out.effect / out.se, 1.860813467486853, 1e-12));
	assert_true(near_to(out.df, 17.776473516178495, 1e-12));
	assert_true(out.has_p && near_to(out.p, 0.07939414018735, 1e-10));
	assert_true(near_to(out.lo, -0.2054832, 5e-8));
	assert_true(near_to(out.hi, 3.3654832, 5e-8));
	assert_int_equal(out.rounds, 10);
}

static void stats_welch__other_sizes_and_scatters__as_published(void **state)
{
	(void)state;
	static const double a1[] = {
		27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	static const double a2[] = {
		27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
	static const double b1[] = {17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8};
	static const double b2[] = {21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8, 20.7, 21.7,
		21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8};
	struct stats_pair out;
	stats_welch(a1, 15, a2, 15, &out);
	assert_true(near_to(out.effect / out.se, 2.45535639828601, 1e-12));
	assert_true(near_to(out.df, 24.98852929023142, 1e-12));
	assert_true(near_to(out.p, 0.0213780014628, 1e-10));
	stats_welch(b1, 10, b2, 20, &out);
	assert_true(near_to(out.effect / out.se, 1.5654335235985073, 1e-12));
	assert_true(near_to(out.df, 9.904741248650831, 1e-12));
	assert_true(near_to(out.p, 0.1488416966053, 1e-10));
	assert_int_equal(out.rounds, 10);
}

static void stats_welch__sides_exchanged__sign_turns(void **state)
{
	(void)state;
	struct stats_pair one, other;
	stats_welch(sleep_1, 10, sleep_2, 10, &one);
	stats_welch(sleep_2, 10, sleep_1, 10, &other);
	assert_true(one.effect == -other.effect && one.lo == -other.hi && one.p == other.p);
}

static void stats_welch__any_order__bit_for_bit(void **state)
{
	(void)state;
	static const double turned[] = {2.0, 0.0, 0.8, 3.7, 3.4, -0.1, -1.2, -0.2, -1.6, 0.7};
	struct stats_pair one, other;
	stats_welch(sleep_1, 10, sleep_2, 10, &one);
	stats_welch(turned, 10, sleep_2, 10, &other);
	assert_true(one.effect == other.effect && one.se == other.se && one.p == other.p);
}

static void stats_welch__scaled__same_t(void **state)
{
	(void)state;
	double x[10], y[10];
	struct stats_pair one, tiny;
	for (int i = 0; i < 10; i++) {
		x[i] = sleep_1[i] * 1e-170;
		y[i] = sleep_2[i] * 1e-170;
	}
	stats_welch(sleep_1, 10, sleep_2, 10, &one);
	stats_welch(x, 10, y, 10, &tiny);
	/* the squares are below the smallest double: no spread is left, but no NaN either */
	assert_true(isfinite(tiny.effect) && isfinite(tiny.lo) && isfinite(tiny.p));
	for (int i = 0; i < 10; i++) {
		x[i] = sleep_1[i] * 1e-100;
		y[i] = sleep_2[i] * 1e-100;
	}
	stats_welch(x, 10, y, 10, &tiny);
	assert_true(near_relative(tiny.df, one.df, 1e-12) && near_relative(tiny.p, one.p, 1e-9));
}

static void stats_welch__no_scatter__p_of_labels(void **state)
{
	(void)state;
	static const double x[] = {1, 1, 1}, y[] = {2, 2, 2};
	struct stats_pair out;
	stats_welch(x, 3, y, 3, &out);
	assert_true(out.se == 0 && out.lo == 1 && out.hi == 1);
	assert_true(out.has_p && near_to(out.p, 0.1, 1e-15)); /* 2 of the 20 ways to deal labels */
	stats_welch(x, 3, x, 3, &out);
	assert_true(!out.has_p && out.p == 1 && out.effect == 0);
}

static void stats_welch__one_side_without_scatter__the_others_freedom(void **state)
{
	(void)state;
	static const double x[] = {1, 1, 1}, y[] = {2, 3, 4};
	struct stats_pair out;
	stats_welch(x, 3, y, 3, &out);
	assert_true(near_to(out.se, 1 / sqrt(3), 1e-15) && near_to(out.df, 2, 1e-12));
}

static void stats_welch__too_few_or_no_number__status(void **state)
{
	(void)state;
	static const double bad[] = {1, NAN, 2}, good[] = {1, 2, 3};
	struct stats_pair out;
	assert_int_equal(stats_welch(good, 1, good, 3, &out), STATS_PAIR_FEW_ROUNDS);
	assert_int_equal(stats_welch(good, 0, good, 3, &out), STATS_PAIR_EMPTY);
	assert_int_equal(stats_welch(bad, 3, good, 3, &out), STATS_PAIR_BAD_VALUE);
	assert_true(out.p == 1 && out.effect == 0 && !out.has_p);
}

/* Two effects with equal standard errors s and 15 degrees of freedom: mean s / sqrt(2), 30 degrees; the quantile
 * 2.042272 is R's qt(0.975, 30). */
static void stats_mean_of_effects__equal_noise__pooled(void **state)
{
	(void)state;
	static const double effect[] = {0.02, 0.04}, se[] = {0.01, 0.01}, df[] = {15, 15};
	struct stats_pair out;
	assert_int_equal(stats_mean_of_effects(effect, se, df, 2, &out), STATS_PAIR_OK);
	assert_true(near_to(out.effect, 0.03, 1e-15));
	assert_true(near_relative(out.se, 0.01 / sqrt(2), 1e-12));
	assert_true(near_to(out.df, 30, 1e-12));
	assert_true(near_to(out.hi, 0.03 + 2.042272456301238 * 0.01 / sqrt(2), 1e-12));
}

static void stats_mean_of_effects__without_noise_or_freedom__defined(void **state)
{
	(void)state;
	static const double effect[] = {0.02, 0}, none[] = {0, 0}, se[] = {0.02, 0};
	struct stats_pair out;
	stats_mean_of_effects(effect, none, none, 2, &out);
	assert_true(out.se == 0 && out.lo == 0.01 && out.hi == 0.01);
	stats_mean_of_effects(effect, se, none, 2, &out);
	assert_true(near_to(out.hi, 0.01 + 1.959963984540054 * 0.01, 1e-12));
	assert_int_equal(stats_mean_of_effects(NULL, NULL, NULL, 0, &out), STATS_PAIR_EMPTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_welch__sleep__as_r),
		cmocka_unit_test(stats_welch__other_sizes_and_scatters__as_published),
		cmocka_unit_test(stats_welch__sides_exchanged__sign_turns),
		cmocka_unit_test(stats_welch__any_order__bit_for_bit),
		cmocka_unit_test(stats_welch__scaled__same_t),
		cmocka_unit_test(stats_welch__no_scatter__p_of_labels),
		cmocka_unit_test(stats_welch__one_side_without_scatter__the_others_freedom),
		cmocka_unit_test(stats_welch__too_few_or_no_number__status),
		cmocka_unit_test(stats_mean_of_effects__equal_noise__pooled),
		cmocka_unit_test(stats_mean_of_effects__without_noise_or_freedom__defined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
