#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/dist.h"
#include "test_stats_data.h"

static void normal__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	struct numbers z = json_numbers(json_object_get(json_object_get(root, "normal"), "z"));
	struct numbers p = json_numbers(json_object_get(json_object_get(root, "normal"), "cdf"));
	assert_int_equal(z.n, 5);
	for (size_t i = 0; i < z.n; i++) {
		assert_true(near_relative(stats_normal_cdf(z.v[i]), p.v[i], 1e-13));
		assert_true(near_to(stats_normal_quantile(p.v[i]), z.v[i], 1e-12));
	}
	free(z.v);
	free(p.v);
	json_decref(root);
}

static void normal_quantile__whole_range__inverts_cdf(void **state)
{
	(void)state;
	for (double p = 1e-300; p < 0.5; p *= 7.3)
		assert_true(near_relative(stats_normal_cdf(stats_normal_quantile(p)), p, 1e-11));
	assert_true(stats_normal_quantile(0.5) == 0);
	assert_true(stats_normal_quantile(0.25) == -stats_normal_quantile(0.75));
	assert_true(stats_normal_quantile(0) == -INFINITY);
	assert_true(stats_normal_quantile(1) == INFINITY);
}

static void t_quantile__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	struct numbers df = json_numbers(json_object_get(json_object_get(root, "student_t"), "df"));
	struct numbers q = json_numbers(json_object_get(json_object_get(root, "student_t"), "q975"));
	assert_int_equal(df.n, 4);
	for (size_t i = 0; i < df.n; i++) {
		assert_true(near_relative(stats_t_quantile(0.975, df.v[i]), q.v[i], 1e-13));
		assert_true(near_relative(stats_t_quantile(0.025, df.v[i]), -q.v[i], 1e-13));
	}
	free(df.v);
	free(q.v);
	json_decref(root);
}

static void t_two_sided__one_and_two_degrees__closed_form(void **state)
{
	(void)state;
	for (double t = 1e-3; t < 1e6; t *= 3.7) {
		assert_true(near_relative(stats_t_two_sided(t, 1), 2 / M_PI * atan(1 / t), 1e-12));
		double root = sqrt(2 + t * t);
		assert_true(near_relative(stats_t_two_sided(-t, 2), 2 / (root * (root + t)), 1e-12));
	}
}

static void t_quantile__any_degrees__inverts_tail(void **state)
{
	(void)state;
	static const double dfs[] = {0.7, 1, 2.5, 7, 15, 63, 1e3, 9999, 1e4, 1e5, 1e6, 1e12};
	static const double tails[] = {0.999, 0.5, 0.05, 1e-3, 1e-10, 1e-40};
	for (size_t i = 0; i < sizeof dfs / sizeof dfs[0]; i++)
		for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
			double t = -stats_t_quantile(tails[k] / 2, dfs[i]);
			assert_true(near_relative(stats_t_two_sided(t, dfs[i]), tails[k], 1e-12));
		}
}

/* Where one method takes over from the other, both give the same. */
static void t_two_sided__at_ten_thousand_degrees__no_jump(void **state)
{
	(void)state;
	for (double t = 0.1; t < 30; t *= 1.7) {
		double below = stats_t_two_sided(t, 1e4 * (1 - 1e-12)), above = stats_t_two_sided(t, 1e4);
		assert_true(near_relative(below, above, 1e-9 * (1 + t * t)));
	}
}

static void t__many_degrees__becomes_normal(void **state)
{
	(void)state;
	assert_true(near_to(stats_t_quantile(0.975, 1e9), 1.959963984540054, 1e-8));
	assert_true(near_to(stats_t_quantile(0.975, 1e15), 1.959963984540054, 1e-13));
	assert_true(near_to(stats_t_cdf(1.5, 1e8), stats_normal_cdf(1.5), 1e-8));
}

static void t__limits__have_answers(void **state)
{
	(void)state;
	assert_true(stats_t_two_sided(0, 5) == 1);
	assert_true(stats_t_two_sided(INFINITY, 5) == 0);
	assert_true(stats_t_cdf(-INFINITY, 5) == 0);
	assert_true(stats_t_cdf(INFINITY, 5) == 1);
	assert_true(stats_t_cdf(0, 5) == 0.5);
	assert_true(stats_t_two_sided(1e200, 1) > 0);
	assert_true(near_relative(stats_t_two_sided(1e200, 1), 2 / M_PI * 1e-200, 1e-9));
	assert_true(stats_t_quantile(0, 3) == -INFINITY);
	assert_true(stats_t_quantile(1, 3) == INFINITY);
	assert_true(stats_t_quantile(0.5, 3) == 0);
}

static void incomplete_beta__simple_shapes__closed_form(void **state)
{
	(void)state;
	for (double x = 0; x <= 1.0; x += 0.0625) {
		assert_true(near_to(stats_incomplete_beta(1, 1, x), x, 1e-14));
		assert_true(near_to(stats_incomplete_beta(2, 1, x), x * x, 1e-14));
		assert_true(near_to(stats_incomplete_beta(1, 3, x), 1 - pow(1 - x, 3), 1e-14));
		assert_true(near_to(stats_incomplete_beta(0.5, 0.5, x), 2 / M_PI * asin(sqrt(x)), 1e-13));
		assert_true(near_to(
			stats_incomplete_beta(40, 12, x) + stats_incomplete_beta(12, 40, 1 - x), 1, 1e-12));
	}
	assert_true(stats_incomplete_beta(2, 3, -1) == 0);
	assert_true(stats_incomplete_beta(2, 3, 2) == 1);
}

/* The sum of the terms themselves, each from the one before. */
static double binomial_sum(long k, size_t n, double p)
{
	double term = pow(1 - p, (double)n);
	double sum = term;
	for (long i = 1; i <= k; i++) {
		term *= (double)((long)n - i + 1) / (double)i * p / (1 - p);
		sum += term;
	}
	return sum;
}

static void binomial__all_values__is_the_sum(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 60; n += 7)
		for (long k = 0; k < (long)n; k++) {
			assert_true(
				near_relative(stats_binomial_cdf(k, n, 0.5), binomial_sum(k, n, 0.5), 1e-12));
			assert_true(near_relative(
				stats_binomial_cdf(k, n, 0.03), binomial_sum(k, n, 0.03), 1e-12));
		}
	assert_true(stats_binomial_cdf(-1, 10, 0.5) == 0);
	assert_true(stats_binomial_cdf(10, 10, 0.5) == 1);
}

static void binomial_quantile__at_a_value_of_the_cdf__is_not_pushed_up(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 40; n++)
		for (long k = 0; k < (long)n; k++)
			assert_int_equal(stats_binomial_quantile(stats_binomial_cdf(k, n, 0.5), n, 0.5), k);
	assert_int_equal(stats_binomial_quantile(0.025, 5, 0.5), 0);
	assert_int_equal(stats_binomial_quantile(0.025, 6, 0.5), 1);
	assert_int_equal(stats_binomial_quantile(0.025, 1000, 0.5), 469);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal__r_values__agree),
		cmocka_unit_test(normal_quantile__whole_range__inverts_cdf),
		cmocka_unit_test(t_quantile__r_values__agree),
		cmocka_unit_test(t_two_sided__one_and_two_degrees__closed_form),
		cmocka_unit_test(t_quantile__any_degrees__inverts_tail),
		cmocka_unit_test(t_two_sided__at_ten_thousand_degrees__no_jump),
		cmocka_unit_test(t__many_degrees__becomes_normal),
		cmocka_unit_test(t__limits__have_answers),
		cmocka_unit_test(incomplete_beta__simple_shapes__closed_form),
		cmocka_unit_test(binomial__all_values__is_the_sum),
		cmocka_unit_test(binomial_quantile__at_a_value_of_the_cdf__is_not_pushed_up),
	};
	return cmocka_run_group_tests_name("stats_dist", tests, NULL, NULL);
}
