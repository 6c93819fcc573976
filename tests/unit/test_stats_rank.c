#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "stats/describe.h"
#include "stats/rank.h"
#include "test_stats_data.h"

static struct numbers named_series(const json_t *root, const char *name)
{
	const json_t *series = json_object_get(root, "one_sample");
	for (size_t i = 0; i < json_array_size(series); i++) {
		const json_t *one = json_array_get(series, i);
		if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
			return json_numbers(json_object_get(one, "x"));
	}
	fail();
	return (struct numbers){0};
}

static void check_shift_interval(const json_t *known, struct numbers x, struct numbers y)
{
	struct stats_location at = stats_shift_interval(x.v, x.n, y.v, y.n);
	const json_t *interval = json_object_get(known, "hl_ci95_exact");
	assert_true(near_to(at.value, json_number(known, "hodges_lehmann_x_minus_y"), 1e-13));
	/* R gives an interval for any number of values; 95 % needs at least 4 x 4 or so. */
	if (x.n * y.n < 12)
		assert_false(at.has_interval);
	else if (!json_is_null(json_array_get(interval, 0))) {
		assert_true(at.has_interval && at.coverage >= 0.95);
		assert_true(near_to(at.lo, json_number_value(json_array_get(interval, 0)), 1e-14));
		assert_true(near_to(at.hi, json_number_value(json_array_get(interval, 1)), 1e-14));
	}
}

static void check_two_samples(const json_t *root, const json_t *known)
{
	struct numbers x = named_series(root, json_string_value(json_object_get(known, "x")));
	struct numbers y = named_series(root, json_string_value(json_object_get(known, "y")));
	struct stats_rank_test test = stats_mann_whitney(x.v, x.n, y.v, y.n);
	const json_t *normal = json_known(known, "p_normal_continuity_tie_corrected");
	const json_t *exact = json_known(known, "p_exact");
	assert_true(test.statistic == json_number(known, "U_x"));
	assert_int_equal(test.has_normal, normal != NULL);
	assert_int_equal(test.has_exact, exact != NULL);
	if (normal != NULL)
		assert_true(near_relative(test.p_normal, json_number_value(normal), 1e-11));
	if (exact != NULL)
		assert_true(near_relative(test.p_exact, json_number_value(exact), 1e-12));
	assert_int_equal(test.has_p, normal != NULL || exact != NULL);
	assert_true(test.p == (test.exact ? test.p_exact : test.p_normal));
	assert_true(near_to(stats_a12(x.v, x.n, y.v, y.n), json_number(known, "a12"), 1e-14));
	assert_true(
		near_to(stats_cliffs_delta(x.v, x.n, y.v, y.n), json_number(known, "cliffs_delta"), 1e-14));
	check_shift_interval(known, x, y);
	free(x.v);
	free(y.v);
}

static void two_samples__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	const json_t *cases = json_object_get(root, "two_sample");
	assert_int_equal(json_array_size(cases), 7);
	for (size_t i = 0; i < json_array_size(cases); i++)
		check_two_samples(root, json_array_get(cases, i));
	json_decref(root);
}

static void paired__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	const json_t *known = json_object_get(root, "paired_log_ratio");
	struct numbers a = json_numbers(json_object_get(known, "a"));
	struct numbers b = json_numbers(json_object_get(known, "b"));
	const json_t *interval = json_object_get(known, "ci95");
	for (size_t i = 0; i < a.n; i++)
		a.v[i] = log(b.v[i]) - log(a.v[i]);
	struct stats_rank_test test = stats_signed_rank(a.v, a.n);
	struct stats_location at = stats_pseudomedian_interval(a.v, a.n);
	assert_true(test.exact && test.statistic == json_number(known, "V"));
	assert_true(near_relative(test.p, json_number(known, "p_exact"), 1e-13));
	assert_true(near_relative(at.value, json_number(known, "pseudomedian"), 1e-12));
	assert_true(at.has_interval && at.coverage >= 0.95);
	assert_true(near_relative(at.lo, json_number_value(json_array_get(interval, 0)), 1e-12));
	assert_true(near_relative(at.hi, json_number_value(json_array_get(interval, 1)), 1e-12));
	assert_true(near_relative(exp(at.value), json_number(known, "ratio"), 1e-13));
	free(a.v);
	free(b.v);
	json_decref(root);
}

static void mann_whitney__published_examples__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "published-examples.json");
	const json_t *cases = json_object_get(root, "mann_whitney");
	assert_int_equal(json_array_size(cases), 4);
	for (size_t i = 0; i < json_array_size(cases); i++) {
		const json_t *known = json_array_get(cases, i);
		struct numbers x = json_numbers(json_object_get(known, "x"));
		struct numbers y = json_numbers(json_object_get(known, "y"));
		struct stats_rank_test test = stats_mann_whitney(x.v, x.n, y.v, y.n);
		assert_true(test.statistic == json_number(known, "U_x"));
		assert_true(test.exact && near_relative(test.p, json_number(known, "p_two_sided"), 1e-13));
		struct stats_rank_test other = stats_mann_whitney(y.v, y.n, x.v, x.n);
		assert_true(near_relative(other.p, test.p, 1e-13));
		assert_true(other.statistic + test.statistic == (double)(x.n * y.n));
		if (json_known(known, "p_greater") != NULL) {
			double below = stats_mann_whitney_cdf((size_t)test.statistic - 1, x.n, y.n);
			assert_true(near_relative(1 - below, json_number(known, "p_greater"), 1e-12));
		}
		free(x.v);
		free(y.v);
	}
	json_decref(root);
}

static void signed_rank__published_example__agrees(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "published-examples.json");
	const json_t *known = json_array_get(json_object_get(root, "wilcoxon_signed_rank"), 0);
	struct numbers x = json_numbers(json_object_get(known, "x"));
	struct numbers y = json_numbers(json_object_get(known, "y"));
	for (size_t i = 0; i < x.n; i++)
		x.v[i] -= y.v[i];
	struct stats_rank_test test = stats_signed_rank(x.v, x.n);
	assert_true(test.exact && test.statistic == json_number(known, "V"));
	assert_true(near_relative(test.p, 2 * json_number(known, "p_greater"), 1e-13));
	free(x.v);
	free(y.v);
	json_decref(root);
}

typedef void pragmastat_check(const json_t *input, const json_t *output);

/* Runs each case of a Pragmastat file that has an answer; returns how many. */
static size_t each_case(const char *path, pragmastat_check *check)
{
	json_t *root = golden_json(path);
	const char *name;
	json_t *known;
	size_t count = 0;
	json_object_foreach(root, name, known)
	{
		const json_t *output = json_object_get(known, "output");
		if (output == NULL)
			continue;
		check(json_object_get(known, "input"), output);
		count++;
	}
	json_decref(root);
	return count;
}

static void check_center(const json_t *input, const json_t *output)
{
	struct numbers x = json_numbers(json_object_get(input, "x"));
	assert_true(near_relative(stats_pseudomedian(x.v, x.n), json_number_value(output), 1e-14));
	free(x.v);
}

static void check_shift(const json_t *input, const json_t *output)
{
	struct numbers x = json_numbers(json_object_get(input, "x"));
	struct numbers y = json_numbers(json_object_get(input, "y"));
	assert_true(near_to(stats_shift(x.v, x.n, y.v, y.n), json_number_value(output), 1e-14));
	free(x.v);
	free(y.v);
}

static void check_ratio(const json_t *input, const json_t *output)
{
	struct numbers x = json_numbers(json_object_get(input, "x"));
	struct numbers y = json_numbers(json_object_get(input, "y"));
	for (size_t i = 0; i < x.n; i++)
		x.v[i] = log(x.v[i]);
	for (size_t i = 0; i < y.n; i++)
		y.v[i] = log(y.v[i]);
	assert_true(near_relative(exp(stats_shift(x.v, x.n, y.v, y.n)), json_number_value(output), 1e-12));
	free(x.v);
	free(y.v);
}

/*
 * With k the smallest value whose lower tail reaches half the rate of misses, R and we end the interval at order
 * statistic k of the pairs, so that it misses no more often than asked. Pragmastat takes k + 1: one pair further in.
 */
static void check_bounds(const json_t *output, double *pairs, size_t count, size_t k)
{
	stats_sort(pairs, count);
	assert_true(k < count);
	assert_true(near_to(pairs[k], json_number(output, "lower"), 1e-12));
	assert_true(near_to(pairs[count - 1 - k], json_number(output, "upper"), 1e-12));
}

static void check_ours(const struct stats_location *at, const double *sorted, size_t count, size_t k)
{
	assert_int_equal(at->has_interval, k > 0);
	if (k == 0)
		return;
	assert_true(near_to(at->lo, sorted[k - 1], 1e-14));
	assert_true(near_to(at->hi, sorted[count - k], 1e-14));
}

static void check_center_bounds(const json_t *input, const json_t *output)
{
	struct numbers x = json_numbers(json_object_get(input, "x"));
	double miss = json_number(input, "misrate");
	double *pairs = malloc(x.n * (x.n + 1) / 2 * sizeof *pairs);
	size_t count = 0, k = 0;
	for (size_t i = 0; i < x.n; i++)
		for (size_t j = i; j < x.n; j++)
			pairs[count++] = 0.5 * x.v[i] + 0.5 * x.v[j];
	while (stats_signed_rank_cdf(k, x.n) < miss / 2 * (1 - 1e-12))
		k++;
	check_bounds(output, pairs, count, k);
	struct stats_location at = stats_pseudomedian_interval(x.v, x.n);
	if (miss == 0.05)
		check_ours(&at, pairs, count, k);
	free(pairs);
	free(x.v);
}

static void check_shift_bounds(const json_t *input, const json_t *output)
{
	struct numbers x = json_numbers(json_object_get(input, "x"));
	struct numbers y = json_numbers(json_object_get(input, "y"));
	double miss = json_number(input, "misrate");
	double *pairs = malloc(x.n * y.n * sizeof *pairs);
	size_t count = 0, k = 0;
	for (size_t i = 0; i < x.n; i++)
		for (size_t j = 0; j < y.n; j++)
			pairs[count++] = x.v[i] - y.v[j];
	if (x.n <= 30 && y.n <= 30) {
		while (stats_mann_whitney_cdf(k, x.n, y.n) < miss / 2 * (1 - 1e-12))
			k++;
		check_bounds(output, pairs, count, k);
		struct stats_location at = stats_shift_interval(x.v, x.n, y.v, y.n);
		if (miss == 0.05)
			check_ours(&at, pairs, count, k);
	}
	free(pairs);
	free(x.v);
	free(y.v);
}

/* Half a margin is where the tail passes half the rate of misses. */
static void check_signed_margin(const json_t *input, const json_t *output)
{
	size_t n = (size_t)json_integer_value(json_object_get(input, "n"));
	size_t half = (size_t)json_integer_value(output) / 2;
	double miss = json_number(input, "misrate") / 2 * (1 + 1e-12);
	if (n > STATS_SIGNED_RANK_EXACT)
		return;
	assert_true(half == 0 || stats_signed_rank_cdf(half - 1, n) <= miss);
	assert_true(stats_signed_rank_cdf(half, n) >= miss * (1 - 1e-11));
}

static void check_pairwise_margin(const json_t *input, const json_t *output)
{
	size_t n = (size_t)json_integer_value(json_object_get(input, "n"));
	size_t m = (size_t)json_integer_value(json_object_get(input, "m"));
	size_t half = (size_t)json_integer_value(output) / 2;
	double miss = json_number(input, "misrate") / 2 * (1 + 1e-12);
	if (n > STATS_MANN_WHITNEY_EXACT || m > STATS_MANN_WHITNEY_EXACT)
		return;
	assert_true(half == 0 || stats_mann_whitney_cdf(half - 1, n, m) <= miss);
	assert_true(stats_mann_whitney_cdf(half, n, m) >= miss * (1 - 1e-11));
}

static void locations__pragmastat__agree(void **state)
{
	(void)state;
	assert_true(each_case(GOLDEN "pragmastat/center.json", check_center) >= 40);
	assert_true(each_case(GOLDEN "pragmastat/shift.json", check_shift) >= 55);
	assert_true(each_case(GOLDEN "pragmastat/ratio.json", check_ratio) >= 35);
}

static void intervals__pragmastat__agree(void **state)
{
	(void)state;
	assert_true(each_case(GOLDEN "pragmastat/center-bounds.json", check_center_bounds) >= 35);
	assert_true(each_case(GOLDEN "pragmastat/shift-bounds.json", check_shift_bounds) >= 55);
}

static void distributions__pragmastat_margins__agree(void **state)
{
	(void)state;
	assert_true(each_case(GOLDEN "pragmastat/signed-rank-margin.json", check_signed_margin) >= 40);
	assert_true(each_case(GOLDEN "pragmastat/pairwise-margin.json", check_pairwise_margin) >= 150);
}

static double pseudomedian_by_hand(const double *x, size_t n)
{
	double *all = malloc(n * (n + 1) / 2 * sizeof *all);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			all[count++] = 0.5 * x[i] + 0.5 * x[j];
	double median = stats_median(all, count);
	free(all);
	return median;
}

static void pseudomedian__random_and_tied__is_the_median_of_averages(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "walsh");
	double x[90];
	for (size_t round = 0; round < 600; round++) {
		size_t n = 1 + (size_t)rng_below(&rng, 90);
		for (size_t i = 0; i < n; i++)
			x[i] = round % 2 ? rng_unit(&rng) - 0.3 : (double)rng_below(&rng, 5) / 3 - 1;
		assert_true(near_to(stats_pseudomedian(x, n), pseudomedian_by_hand(x, n), 1e-15));
	}
}

static void pseudomedian__two_thousand__right_and_quick(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "many");
	double x[2048];
	for (size_t i = 0; i < 2048; i++)
		x[i] = rng_unit(&rng) * rng_unit(&rng);
	double expected = pseudomedian_by_hand(x, 2048);
	for (size_t round = 0; round < 50; round++)
		assert_true(near_to(stats_pseudomedian(x, 2048), expected, 1e-15));
}

static void rank__order_of_input__does_not_matter(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "rank order");
	double x[80], y[80];
	for (size_t i = 0; i < 80; i++)
		x[i] = floor(rng_unit(&rng) * 40) - 15;
	for (size_t i = 0; i < 80; i++)
		y[i] = x[(i * 37 + 11) % 80];
	struct stats_location a = stats_pseudomedian_interval(x, 80);
	struct stats_location b = stats_pseudomedian_interval(y, 80);
	assert_true(a.value == b.value && a.lo == b.lo && a.hi == b.hi && a.coverage == b.coverage);
	assert_true(stats_signed_rank(x, 80).p == stats_signed_rank(y, 80).p);
	assert_true(stats_mann_whitney(x, 40, x + 40, 40).n == 80);
	double p = stats_mann_whitney(x, 80, x, 40).p;
	assert_true(stats_mann_whitney(y, 80, x, 40).p == p);
}

static void signed_rank__degenerate__p_is_one_or_missing(void **state)
{
	(void)state;
	static const double zeros[10];
	static const double same[] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct stats_rank_test test = stats_signed_rank(zeros, 10);
	assert_true(!test.has_p && test.p == 1 && test.n == 0);
	test = stats_signed_rank(zeros, 0);
	assert_true(!test.has_p && test.p == 1);
	test = stats_signed_rank(same, 8);
	assert_true(test.has_p && !test.exact && test.p > 0 && test.p < 0.02);
	test = stats_signed_rank(same, 1);
	assert_true(test.has_p && test.exact && test.p == 1);
	struct stats_location at = stats_pseudomedian_interval(same, 5);
	assert_true(at.value == 2 && !at.has_interval);
	at = stats_pseudomedian_interval(same, 6);
	assert_true(at.has_interval && at.lo == 2 && at.hi == 2);
	at = stats_pseudomedian_interval(same, 0);
	assert_true(at.value == 0 && !at.has_interval);
}

static void mann_whitney__degenerate__p_is_one_or_missing(void **state)
{
	(void)state;
	static const double one[] = {1};
	static const double two[] = {2};
	static const double equal[] = {3, 3, 3, 3};
	struct stats_rank_test test = stats_mann_whitney(one, 1, two, 1);
	assert_true(test.has_p && test.exact && test.p == 1);
	test = stats_mann_whitney(equal, 4, equal, 4);
	assert_true(!test.has_p && test.p == 1);
	test = stats_mann_whitney(one, 0, two, 1);
	assert_true(!test.has_p && test.p == 1);
	assert_true(stats_a12(one, 0, two, 1) == 0.5);
	assert_true(stats_shift(one, 1, two, 0) == 0);
	assert_false(stats_shift_interval(one, 1, two, 1).has_interval);
}

/* Beyond the exact limits the normal approximation takes over without a jump. */
static void signed_rank__at_the_exact_limit__approximation_is_close(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "limit");
	double x[STATS_SIGNED_RANK_EXACT];
	for (size_t round = 0; round < 50; round++) {
		for (size_t i = 0; i < STATS_SIGNED_RANK_EXACT; i++)
			x[i] = rng_unit(&rng) - 0.4;
		struct stats_rank_test test = stats_signed_rank(x, STATS_SIGNED_RANK_EXACT);
		assert_true(test.exact && fabs(test.p_exact - test.p_normal) < 0.003);
	}
	struct stats_location at = stats_pseudomedian_interval(x, STATS_SIGNED_RANK_EXACT);
	assert_true(at.coverage >= 0.95 && at.coverage < 0.955);
}

static void midranks__ties__share_the_mean(void **state)
{
	(void)state;
	static const double x[] = {5, 1, 5, 3, 5};
	double rank[5];
	assert_true(stats_midranks(x, 5, rank) == 24);
	assert_true(rank[0] == 4 && rank[1] == 1 && rank[2] == 4 && rank[3] == 2 && rank[4] == 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_samples__r_values__agree),
		cmocka_unit_test(paired__r_values__agree),
		cmocka_unit_test(mann_whitney__published_examples__agree),
		cmocka_unit_test(signed_rank__published_example__agrees),
		cmocka_unit_test(locations__pragmastat__agree),
		cmocka_unit_test(intervals__pragmastat__agree),
		cmocka_unit_test(distributions__pragmastat_margins__agree),
		cmocka_unit_test(pseudomedian__random_and_tied__is_the_median_of_averages),
		cmocka_unit_test(pseudomedian__two_thousand__right_and_quick),
		cmocka_unit_test(rank__order_of_input__does_not_matter),
		cmocka_unit_test(signed_rank__degenerate__p_is_one_or_missing),
		cmocka_unit_test(mann_whitney__degenerate__p_is_one_or_missing),
		cmocka_unit_test(signed_rank__at_the_exact_limit__approximation_is_close),
		cmocka_unit_test(midranks__ties__share_the_mean),
	};
	return cmocka_run_group_tests_name("stats_rank", tests, NULL, NULL);
}
