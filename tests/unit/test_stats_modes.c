/*
 * Where two modes are. Expected splits by hand: the variance between the parts is n1 n2 (m1 - m2)^2 / n^2. The largest one is
 * where the least is left within the parts; for small sets all splits are tried here, too.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/rng.h"
#include "stats/describe.h"
#include "stats/modes.h"

static void near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-12 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

static void stats_two_modes__two_clusters__their_medians(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, 11, 12};
	struct stats_modes modes;
	assert_true(stats_two_modes(x, 5, &modes));
	near(modes.low, 2);
	near(modes.high, 11.5);
	near(modes.low_share, 0.6);
}

/* 14 around 100, 15 around 110, one at a million, and one at nothing: the split stays between the two. */
static void stats_two_modes__far_out__does_not_split(void **state)
{
	(void)state;
	double x[31];
	struct stats_modes modes;
	x[0] = 1e-3;
	for (size_t i = 1; i < 30; i++)
		x[i] = i < 15 ? 100 + 0.01 * (double)i : 110 + 0.01 * (double)i;
	x[30] = 1e6;
	assert_true(stats_two_modes(x, 31, &modes));
	near(modes.low_share, 15.0 / 31);
	near(modes.low, 100.07);
	near(modes.high, (110.22 + 110.23) / 2);
}

static void stats_two_modes__equal_values__stay_together(void **state)
{
	(void)state;
	const double equal[] = {5, 5, 5, 5}, one[] = {5}, atom[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
	struct stats_modes modes = {.low = 7};
	assert_false(stats_two_modes(equal, 4, &modes));
	assert_false(stats_two_modes(one, 1, &modes));
	assert_false(stats_two_modes(NULL, 0, &modes));
	assert_false(stats_two_modes(atom, 12, &modes)); /* one of 12 is less than a tenth */
	near(modes.low, 7);
	assert_true(stats_two_modes(atom + 2, 10, &modes)); /* one of 10 is a tenth */
	near(modes.high, 2);
}

/* All splits of small sets, the variance within both parts summed up by definition. */
static void stats_two_modes__small_sets__no_split_leaves_less_within(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "modes");
	for (int round = 0; round < 500; round++) {
		double x[12], best = INFINITY;
		size_t n = 2 + (size_t)rng_below(&rng, 11), split = 0;
		struct stats_modes modes;
		for (size_t i = 0; i < n; i++)
			x[i] = rng_unit(&rng) + (double)rng_below(&rng, 2);
		stats_sort(x, n);
		for (size_t i = (size_t)ceil(0.1 * (double)n); i <= n - (size_t)ceil(0.1 * (double)n); i++) {
			double within = 0, m1 = stats_mean(x, i), m2 = stats_mean(x + i, n - i);
			for (size_t k = 0; k < n; k++)
				within += k < i ? (x[k] - m1) * (x[k] - m1) : (x[k] - m2) * (x[k] - m2);
			if (within < best) {
				best = within;
				split = i;
			}
		}
		assert_true(stats_two_modes(x, n, &modes));
		near(modes.low_share, (double)split / (double)n);
		near(modes.low, stats_median(x, split));
		near(modes.high, stats_median(x + split, n - split));
	}
}

static void stats_two_modes__scaled__scales(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, 11, 12}, y[] = {1e300, 2e300, 3e300, 11e300, 12e300};
	struct stats_modes a, b;
	assert_true(stats_two_modes(x, 5, &a));
	assert_true(stats_two_modes(y, 5, &b));
	near(b.low_share, a.low_share);
	near(b.low / 1e300, a.low);
	assert_true(isfinite(b.high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_two_modes__two_clusters__their_medians),
		cmocka_unit_test(stats_two_modes__far_out__does_not_split),
		cmocka_unit_test(stats_two_modes__equal_values__stay_together),
		cmocka_unit_test(stats_two_modes__small_sets__no_split_leaves_less_within),
		cmocka_unit_test(stats_two_modes__scaled__scales),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
