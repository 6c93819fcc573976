#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/adjust.h"
#include "stats/effect.h"
#include "stats/geomean.h"
#include "stats/marked.h"
#include "test_stats_data.h"

static void holm__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	struct numbers p = json_numbers(json_object_get(json_object_get(root, "p_adjust"), "p"));
	struct numbers holm = json_numbers(json_object_get(json_object_get(root, "p_adjust"), "holm"));
	double adjusted[8];
	assert_int_equal(p.n, 8);
	stats_holm(p.v, 8, 8, adjusted);
	for (size_t i = 0; i < 8; i++)
		assert_true(near_relative(adjusted[i], holm.v[i], 1e-14));
	stats_holm(p.v, 8, 0, p.v);
	for (size_t i = 0; i < 8; i++)
		assert_true(p.v[i] == adjusted[i]);
	free(p.v);
	free(holm.v);
	json_decref(root);
}

static void holm__larger_family__as_if_the_rest_were_one(void **state)
{
	(void)state;
	const double given[] = {0.004, 0.03, 0.001};
	const double padded[] = {0.004, 0.03, 0.001, 1, 1, 1, 1};
	double some[3], all[7];
	stats_holm(given, 3, 7, some);
	stats_holm(padded, 7, 7, all);
	for (size_t i = 0; i < 3; i++)
		assert_true(some[i] == all[i]);
	assert_true(near_relative(some[2], 0.007, 1e-15));
	assert_true(near_relative(some[0], 0.024, 1e-15));
}

static void holm__no_p_value__counts_as_one(void **state)
{
	(void)state;
	const double p[] = {NAN, 0.01, -3, 7, INFINITY};
	double adjusted[5];
	stats_holm(p, 5, 5, adjusted);
	assert_true(adjusted[0] == 1 && adjusted[2] == 1 && adjusted[3] == 1 && adjusted[4] == 1);
	assert_true(near_relative(adjusted[1], 0.05, 1e-15));
	stats_holm(NULL, 0, 5, NULL);
}

/* Tea (Fisher 1935) and convictions of twins as in the help of R; the two examples of SciPy's manual. */
static void fisher__published_tables__agree(void **state)
{
	(void)state;
	assert_true(near_relative(stats_fisher(3, 1, 1, 3), 34.0 / 70, 1e-12));
	assert_true(near_relative(stats_fisher(2, 10, 15, 3), 0.0005367241, 1e-7));
	assert_true(near_relative(stats_fisher(6, 2, 1, 4), 0.10256410256410257, 1e-12));
	assert_true(near_relative(stats_fisher(8, 2, 1, 5), 0.034965034965034975, 1e-12));
}

static void fisher__turned_and_mirrored__same(void **state)
{
	(void)state;
	for (size_t a = 0; a < 6; a++)
		for (size_t b = 0; b < 6; b++) {
			double p = stats_fisher(a, b, 4, 9);
			assert_true(p > 0 && p <= 1);
			assert_true(near_relative(stats_fisher(b, a, 9, 4), p, 1e-11));
			assert_true(near_relative(stats_fisher(4, 9, a, b), p, 1e-11));
			assert_true(near_relative(stats_fisher(a, 4, b, 9), p, 1e-11));
		}
}

static void fisher__empty_margin__one(void **state)
{
	(void)state;
	assert_true(stats_fisher(0, 0, 0, 0) == 1);
	assert_true(stats_fisher(0, 5, 0, 7) == 1);
	assert_true(stats_fisher(0, 0, 3, 7) == 1);
	assert_true(stats_fisher(10000, 10000, 10000, 10000) == 1);
}

static void geomean__some_usable__n_of_m(void **state)
{
	(void)state;
	const double ratio[] = {2, NAN, 8, 0};
	const bool usable[] = {true, false, true, false};
	struct stats_geomean mean;
	assert_int_equal(stats_geomean(ratio, usable, 4, &mean), STATS_OK);
	assert_true(near_relative(mean.value, 4, 1e-15) && mean.n == 2 && mean.m == 4);
	assert_int_equal(stats_geomean(ratio, NULL, 4, &mean), STATS_BAD_VALUE);
	assert_true(mean.bad_index == 1 && mean.value == 0 && mean.n == 0);
}

static void geomean__nothing__has_no_value(void **state)
{
	(void)state;
	const double ratio[] = {2, 3};
	const bool usable[] = {false, false};
	struct stats_geomean mean;
	assert_int_equal(stats_geomean(ratio, usable, 2, &mean), STATS_EMPTY);
	assert_true(mean.value == 0 && mean.n == 0 && mean.m == 2);
	assert_int_equal(stats_geomean(NULL, NULL, 0, &mean), STATS_EMPTY);
}

static void geomean__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	const json_t *series = json_object_get(root, "one_sample");
	for (size_t i = 0; i < json_array_size(series); i++) {
		const json_t *known = json_array_get(series, i);
		struct numbers x = json_numbers(json_object_get(known, "x"));
		struct stats_geomean mean;
		stats_geomean(x.v, NULL, x.n, &mean);
		/* R's own value for numbers near 1e15 is off in the 15th digit. */
		assert_true(near_relative(mean.value, json_number(known, "geomean"), 1e-13));
		free(x.v);
	}
	json_decref(root);
}

static void effect__both_directions__positive_is_faster(void **state)
{
	(void)state;
	double e = 7;
	assert_true(stats_effect(100, 102, true, &e) && near_relative(stats_percent(e), 2, 1e-12));
	assert_true(stats_effect(102, 100, false, &e) && near_relative(stats_percent(e), 2, 1e-12));
	assert_true(stats_effect(1, 2, false, &e) && near_relative(stats_percent(e), -50, 1e-14));
	assert_true(stats_effect(3, 3, false, &e) && e == 0 && !signbit(e));
	assert_true(stats_effect(1e-300, 1e300, true, &e) && isfinite(e));
	assert_true(near_relative(stats_log_percent(stats_percent(0.0123)), 0.0123, 1e-14));
}

static void effect__bad_value__refused(void **state)
{
	(void)state;
	double e = 7;
	assert_false(stats_effect(0, 1, true, &e));
	assert_false(stats_effect(1, -1, true, &e));
	assert_false(stats_effect(NAN, 1, true, &e));
	assert_false(stats_effect(1, INFINITY, true, &e));
	assert_true(e == 7);
}

static void marked_threshold__canaries__upper_quartile_and_three_ranges(void **state)
{
	(void)state;
	const double canary[] = {25, 29, 26, 28, 27, 24, 23, 30, 31};
	double threshold = 0;
	assert_true(stats_marked_threshold(canary, 9, &threshold));
	assert_true(threshold == 29 + 3 * 4);
	const double equal[] = {5, 5, 5, 5, 5, 5, 5, 5};
	assert_true(stats_marked_threshold(equal, 8, &threshold) && threshold == 5);
}

static void marked_threshold__too_few_or_bad__none(void **state)
{
	(void)state;
	const double canary[] = {25, 29, 26, 28, 27, 24, 23, NAN};
	double threshold = -1;
	assert_false(stats_marked_threshold(canary, 7, &threshold));
	assert_false(stats_marked_threshold(canary, 8, &threshold));
	assert_true(threshold == -1);
}

static void marked_differ__shares__told_by_fisher(void **state)
{
	(void)state;
	double p = 0;
	assert_false(stats_marked_differ(3, 64, 6, 64, &p));
	assert_true(p > 0.01);
	assert_true(stats_marked_differ(3, 64, 20, 64, &p));
	assert_true(p < 0.01);
	assert_false(stats_marked_differ(0, 0, 5, 64, NULL));
	assert_true(stats_marked_differ(0, 64, 99, 64, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holm__r_values__agree),
		cmocka_unit_test(holm__larger_family__as_if_the_rest_were_one),
		cmocka_unit_test(holm__no_p_value__counts_as_one),
		cmocka_unit_test(fisher__published_tables__agree),
		cmocka_unit_test(fisher__turned_and_mirrored__same),
		cmocka_unit_test(fisher__empty_margin__one),
		cmocka_unit_test(geomean__some_usable__n_of_m),
		cmocka_unit_test(geomean__nothing__has_no_value),
		cmocka_unit_test(geomean__r_values__agree),
		cmocka_unit_test(effect__both_directions__positive_is_faster),
		cmocka_unit_test(effect__bad_value__refused),
		cmocka_unit_test(marked_threshold__canaries__upper_quartile_and_three_ranges),
		cmocka_unit_test(marked_threshold__too_few_or_bad__none),
		cmocka_unit_test(marked_differ__shares__told_by_fisher),
	};
	return cmocka_run_group_tests_name("stats_adjust", tests, NULL, NULL);
}
