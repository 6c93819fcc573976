/*
 * What must hold for any input, over thousands of random ones (test_stats_random.h): the unit does not matter, nor the
 * order, nor which side is called A; and no NaN comes out of finite numbers. Powers of two change no digit, so with
 * them "the same" is meant bit for bit.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/aa.h"
#include "stats/adjust.h"
#include "stats/contrast.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/effect.h"
#include "stats/geomean.h"
#include "stats/marked.h"
#include "stats/modes.h"
#include "stats/proportion.h"
#include "stats/rank.h"
#include "stats/spread.h"
#include "stats/welch.h"
#include "test_stats_random.h"

/*
 * What fails for one input in 600 is seen with a probability of 95 % (0.9983^1800 = 0.05), and for each of the six kinds
 * of values for one in 100. The kinds, not the number, are what finds a mistake: each holds 300 inputs, 100 of few
 * values. The seeds are fixed, so that more on each run would be the same ones again.
 */
#define CASES	   1800
#define SLOW_CASES 900 /* where exact distributions are computed anew for each */

/* A power of two under which nothing overflows or becomes subnormal; 1 for series that fill the range. */
static double any_scale(struct random_case *c)
{
	int exponent = (int)rng_below(&c->rng, 200) - 100;
	bool wide = c->kind == RANDOM_EXTREME || c->kind == RANDOM_EQUAL;
	return ldexp(1, wide ? 0 : exponent);
}

static void scaled(const double *x, size_t n, double factor, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = factor * x[i];
}

/* Within rounding: relative, but for what is rounding itself. */
static bool close_to(double a, double b, double of)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-12 * fabs(of);
}

static void describe__any_unit__the_same_but_for_it(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		double y[RANDOM_MOST];
		struct stats_summary a, b;
		random_draw(&c, "describe unit", i);
		double by = any_scale(&c);
		scaled(c.x, c.n, by, y);
		HOLDS(&c, stats_describe(c.x, c.n, &a) == stats_describe(y, c.n, &b));
		HOLDS(&c, b.median == by * a.median && b.mean == by * a.mean && b.mad == by * a.mad);
		HOLDS(&c, b.q25 == by * a.q25 && b.q75 == by * a.q75 && b.sd == by * a.sd);
		HOLDS(&c, b.has_interval == a.has_interval && b.lo == by * a.lo && b.hi == by * a.hi);
		HOLDS(&c, b.spread == a.spread && b.noise == a.noise && b.outliers == a.outliers);
		HOLDS(&c, b.has_dip == a.has_dip && b.dip == a.dip && b.two_modes == a.two_modes);
		HOLDS(&c, b.has_lag1 == a.has_lag1 && b.lag1 == a.lag1);
		HOLDS(&c, b.autocorrelated == a.autocorrelated);
		HOLDS(&c, b.has_trend == a.has_trend && b.trend == a.trend && b.trending == a.trending);
	}
}

static void describe__any_finite_values__no_nan(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		struct stats_summary s;
		double lag1 = 0;
		random_draw(&c, "describe nan", i);
		stats_describe(c.x, c.n, &s);
		NO_NAN(&c, s.median, s.q25, s.q75, s.min, s.max, s.mean, s.mad, s.spread, s.sd, s.lo, s.hi,
			s.coverage, s.dip, s.lag1, s.trend, stats_relative_range(c.x, c.n));
		HOLDS(&c, c.n == 0 || (s.min <= s.median && s.median <= s.max && s.spread >= 0));
		HOLDS(&c, !s.has_interval || (s.lo <= s.median && s.median <= s.hi && s.coverage >= 0.95));
		random_signs(&c);
		stats_lag1(c.x, c.n, &lag1);
		NO_NAN(&c, lag1, stats_mean(c.x, c.n), stats_variance(c.x, c.n), stats_sd(c.x, c.n),
			stats_median(c.x, c.n), stats_mad(c.x, c.n));
		HOLDS(&c, fabs(lag1) <= 1 && stats_sd(c.x, c.n) >= 0);
	}
}

static void describe__any_order__the_same_but_for_order_fields(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		double y[RANDOM_MOST];
		struct stats_summary a, b;
		random_draw(&c, "describe order", i);
		scaled(c.x, c.n, 1, y);
		random_shuffle(&c.rng, y, c.n);
		stats_describe(c.x, c.n, &a);
		stats_describe(y, c.n, &b);
		a.has_lag1 = b.has_lag1;
		a.lag1 = b.lag1;
		a.autocorrelated = b.autocorrelated;
		a.trend = b.trend;
		a.has_trend = b.has_trend;
		a.trending = b.trending;
		HOLDS(&c, a.median == b.median && a.mean == b.mean && a.sd == b.sd && a.mad == b.mad);
		HOLDS(&c, a.q25 == b.q25 && a.q75 == b.q75 && a.min == b.min && a.max == b.max);
		HOLDS(&c, a.lo == b.lo && a.hi == b.hi && a.dip == b.dip && a.outliers == b.outliers);
		HOLDS(&c, stats_pair_spread(c.x, c.n) == stats_pair_spread(y, c.n));
	}
}

static bool mirrored(struct stats_location a, struct stats_location b)
{
	return a.value == -b.value && a.has_interval == b.has_interval && a.lo == -b.hi && a.hi == -b.lo &&
	       a.coverage == b.coverage;
}

static bool scaled_location(struct stats_location a, struct stats_location b, double by)
{
	return by * a.value == b.value && by * a.lo == b.lo && by * a.hi == b.hi &&
	       a.has_interval == b.has_interval && a.coverage == b.coverage;
}

static void one_sample_ranks__unit_order_and_sign__as_they_should(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < SLOW_CASES; i++) {
		double y[RANDOM_MOST];
		random_draw(&c, "one sample", i);
		random_signs(&c);
		double by = any_scale(&c);
		struct stats_location at = stats_pseudomedian_interval(c.x, c.n);
		struct stats_rank_test test = stats_signed_rank(c.x, c.n);
		NO_NAN(&c, at.value, at.lo, at.hi, at.coverage, test.statistic, test.p, test.p_exact,
			test.p_normal, stats_pair_spread(c.x, c.n));
		HOLDS(&c, test.p > 0 && test.p <= 1 && (!at.has_interval || at.lo <= at.hi));
		HOLDS(&c, !at.has_interval || (at.lo <= at.value && at.value <= at.hi));
		HOLDS(&c, at.value == stats_pseudomedian(c.x, c.n));
		scaled(c.x, c.n, by, y);
		random_shuffle(&c.rng, y, c.n);
		HOLDS(&c, scaled_location(at, stats_pseudomedian_interval(y, c.n), by));
		HOLDS(&c, test.p == stats_signed_rank(y, c.n).p);
		HOLDS(&c, stats_pair_spread(y, c.n) == by * stats_pair_spread(c.x, c.n));
		scaled(c.x, c.n, -1, y);
		HOLDS(&c, mirrored(at, stats_pseudomedian_interval(y, c.n)));
		HOLDS(&c, test.p == stats_signed_rank(y, c.n).p);
		HOLDS(&c, stats_pair_spread(y, c.n) == stats_pair_spread(c.x, c.n));
	}
}

static void two_sample_ranks__unit_order_and_sides__as_they_should(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < SLOW_CASES; i++) {
		double x[RANDOM_MOST], y[RANDOM_MOST];
		random_draw(&c, "two samples", i);
		random_signs(&c);
		double by = any_scale(&c);
		struct stats_location at = stats_shift_interval(c.x, c.n, c.y, c.m);
		struct stats_rank_test test = stats_mann_whitney(c.x, c.n, c.y, c.m);
		double a12 = stats_a12(c.x, c.n, c.y, c.m);
		NO_NAN(&c, at.value, at.lo, at.hi, at.coverage, test.statistic, test.p, test.p_exact,
			test.p_normal, a12, stats_cliffs_delta(c.x, c.n, c.y, c.m));
		HOLDS(&c, test.p > 0 && test.p <= 1 && a12 >= 0 && a12 <= 1);
		HOLDS(&c, mirrored(at, stats_shift_interval(c.y, c.m, c.x, c.n)));
		HOLDS(&c, test.p == stats_mann_whitney(c.y, c.m, c.x, c.n).p);
		HOLDS(&c, close_to(a12, 1 - stats_a12(c.y, c.m, c.x, c.n), 1));
		scaled(c.x, c.n, by, x);
		scaled(c.y, c.m, by, y);
		random_shuffle(&c.rng, x, c.n);
		random_shuffle(&c.rng, y, c.m);
		HOLDS(&c, scaled_location(at, stats_shift_interval(x, c.n, y, c.m), by));
		HOLDS(&c, test.p == stats_mann_whitney(x, c.n, y, c.m).p);
	}
}

static void ratio__unit_and_sides__as_they_should(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < SLOW_CASES; i++) {
		random_draw(&c, "ratio", i);
		struct stats_location at = stats_ratio_bounds(c.x, c.n, c.y, c.m, 0.05);
		struct stats_location back = stats_ratio_bounds(c.y, c.m, c.x, c.n, 0.05);
		double effect = 0, other = 0;
		NO_NAN(&c, at.value, at.lo, at.hi, at.coverage);
		HOLDS(&c, c.n == 0 || c.m == 0 || c.kind == RANDOM_EXTREME ||
				  close_to(at.value * back.value, 1, 1));
		HOLDS(&c, at.has_interval == back.has_interval);
		if (c.n == 0 || c.m == 0)
			continue;
		HOLDS(&c, stats_effect(c.x[0], c.y[0], true, &effect) && isfinite(effect));
		HOLDS(&c, stats_effect(c.y[0], c.x[0], true, &other) && other == -effect);
		HOLDS(&c, stats_effect(c.x[0], c.y[0], false, &other) && other == -effect);
		NO_NAN(&c, stats_percent(effect), stats_log_percent(50));
		double by = any_scale(&c);
		HOLDS(&c, stats_effect(by * c.x[0], by * c.y[0], true, &other) && close_to(other, effect, 1));
	}
}

static void welch__unit_order_and_sides__as_they_should(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		double x[RANDOM_MOST], y[RANDOM_MOST];
		struct stats_pair a, b;
		random_draw(&c, "welch", i);
		random_signs(&c);
		double by = any_scale(&c);
		stats_welch(c.x, c.n, c.y, c.m, &a);
		NO_NAN(&c, a.effect, a.lo, a.hi, a.se, a.df, a.p);
		HOLDS(&c, a.p >= 0 && a.p <= 1 && a.lo <= a.hi);
		stats_welch(c.y, c.m, c.x, c.n, &b);
		HOLDS(&c, a.status == b.status && a.effect == -b.effect && a.se == b.se);
		HOLDS(&c, close_to(a.p, b.p, 1) && a.has_p == b.has_p && close_to(a.df, b.df, 1));
		scaled(c.x, c.n, by, x);
		scaled(c.y, c.m, by, y);
		random_shuffle(&c.rng, x, c.n);
		random_shuffle(&c.rng, y, c.m);
		stats_welch(x, c.n, y, c.m, &b);
		HOLDS(&c, b.effect == by * a.effect && b.se == by * a.se && b.p == a.p && b.df == a.df);
	}
}

/* Adjusted values do not depend on the order, are no smaller than what went in, and keep their ranks. */
static void holm__any_order__the_same(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		double a[RANDOM_MOST], b[RANDOM_MOST], turned[RANDOM_MOST];
		random_draw(&c, "holm", i);
		for (size_t k = 0; k < c.n; k++) {
			c.x[k] = rng_below(&c.rng, 4) == 0 ? 0.01 : pow(rng_unit(&c.rng), 8);
			turned[c.n - 1 - k] = c.x[k];
		}
		stats_holm(c.x, c.n, c.m, a);
		stats_holm(turned, c.n, c.m, b);
		for (size_t k = 0; k < c.n; k++) {
			HOLDS(&c, a[k] == b[c.n - 1 - k] && a[k] >= c.x[k] && a[k] <= 1);
			HOLDS(&c, k == 0 || c.x[k] < c.x[k - 1] || a[k] >= a[k - 1]);
		}
	}
}

static void others__any_finite_values__no_nan(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		struct stats_geomean mean, scaled_mean;
		double threshold = 0, above = 0, y[RANDOM_MOST], zero[RANDOM_MOST] = {0};
		struct stats_pair pair;
		random_draw(&c, "others", i);
		double by = any_scale(&c);
		scaled(c.x, c.n, by, y);
		stats_geomean(c.x, NULL, c.n, &mean);
		stats_geomean(y, NULL, c.n, &scaled_mean);
		HOLDS(&c,
			mean.status == scaled_mean.status && close_to(scaled_mean.value, by * mean.value, 0));
		HOLDS(&c, stats_marked_threshold(c.x, c.n, &threshold) ==
				  stats_marked_threshold(y, c.n, &above));
		HOLDS(&c, above == by * threshold);
		NO_NAN(&c, mean.value, threshold);
		stats_mean_of_effects(c.x, c.x, zero, c.n, &pair);
		NO_NAN(&c, pair.effect, pair.lo, pair.hi, pair.se, pair.df, pair.p);
		stats_mean_of_effects(c.x, c.x, c.x, c.n, &pair);
		NO_NAN(&c, pair.effect, pair.lo, pair.hi, pair.se, pair.df, pair.p);
		double p =
			stats_fisher(c.n, c.m, (size_t)rng_below(&c.rng, 50), (size_t)rng_below(&c.rng, 50));
		HOLDS(&c, p >= 0 && p <= 1);
	}
}

static void modes_proportion_jackknife__any_finite_values__no_nan(void **state)
{
	(void)state;
	struct random_case c;
	for (size_t i = 0; i < CASES; i++) {
		struct stats_modes a = {0}, b = {0};
		struct stats_pair pair, turned;
		double y[RANDOM_MOST];
		random_draw(&c, "modes", i);
		double by = any_scale(&c);
		stats_sort(c.x, c.n);
		scaled(c.x, c.n, by, y);
		HOLDS(&c, stats_two_modes(c.x, c.n, &a) == stats_two_modes(y, c.n, &b));
		NO_NAN(&c, a.low, a.high, a.low_share);
		HOLDS(&c, b.low == by * a.low && b.high == by * a.high && b.low_share == a.low_share);
		HOLDS(&c, a.low <= a.high && a.low_share <= 1);
		struct stats_proportion share = stats_proportion(c.n, c.n + c.m);
		NO_NAN(&c, share.share, share.lo, share.hi);
		HOLDS(&c, 0 <= share.lo && share.lo <= share.hi && share.hi <= 1);
		HOLDS(&c, c.n + c.m == 0 || (share.lo <= share.share && share.share <= share.hi));
		random_signs(&c);
		double middle = stats_median(c.x, c.n);
		stats_jackknife(middle, c.x, c.n, &pair);
		NO_NAN(&c, pair.effect, pair.lo, pair.hi, pair.se, pair.df, pair.p);
		scaled(c.x, c.n, -1, y);
		stats_jackknife(-middle, y, c.n, &turned);
		HOLDS(&c, turned.effect == -pair.effect && close_to(turned.p, pair.p, 1));
	}
}

static void distributions__any_arguments__no_nan(void **state)
{
	(void)state;
	struct random_case c = {.n = 0};
	for (size_t i = 0; i < CASES; i++) {
		double unit, large, df, p;
		random_draw(&c, "distributions", i);
		unit = rng_unit(&c.rng);
		large = pow(10, 600 * rng_unit(&c.rng) - 300) * (rng_below(&c.rng, 2) ? 1 : -1);
		df = pow(10, 16 * rng_unit(&c.rng) - 1);
		p = stats_t_two_sided(large, df);
		NO_NAN(&c, stats_normal_cdf(large), stats_normal_quantile(unit), stats_t_cdf(large, df), p,
			stats_t_quantile(unit, df), stats_incomplete_beta(df, 1 + 9 * unit, unit),
			stats_binomial_cdf((long)c.n, c.n + c.m, unit));
		HOLDS(&c, p >= 0 && p <= 1 && p == stats_t_two_sided(-large, df));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describe__any_unit__the_same_but_for_it),
		cmocka_unit_test(describe__any_finite_values__no_nan),
		cmocka_unit_test(describe__any_order__the_same_but_for_order_fields),
		cmocka_unit_test(one_sample_ranks__unit_order_and_sign__as_they_should),
		cmocka_unit_test(two_sample_ranks__unit_order_and_sides__as_they_should),
		cmocka_unit_test(ratio__unit_and_sides__as_they_should),
		cmocka_unit_test(welch__unit_order_and_sides__as_they_should),
		cmocka_unit_test(holm__any_order__the_same),
		cmocka_unit_test(others__any_finite_values__no_nan),
		cmocka_unit_test(modes_proportion_jackknife__any_finite_values__no_nan),
		cmocka_unit_test(distributions__any_arguments__no_nan),
	};
	return cmocka_run_group_tests_name("stats_properties", tests, NULL, NULL);
}
