#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "stats/describe.h"
#include "test_stats_data.h"

static void check_interval(const json_t *known, const struct stats_summary *s)
{
	const json_t *interval = json_known(known, "median_ci95_order_statistic");
	assert_int_equal(s->has_interval, interval != NULL);
	if (interval == NULL)
		return;
	assert_true(near_to(s->lo, json_number_value(json_array_get(interval, 0)), 1e-14));
	assert_true(near_to(s->hi, json_number_value(json_array_get(interval, 1)), 1e-14));
	assert_true(near_to(s->coverage, json_number(known, "median_ci95_coverage"), 1e-12));
	assert_true(s->coverage >= 0.95);
}

static void check_known(const json_t *known)
{
	struct numbers x = json_numbers(json_object_get(known, "x"));
	struct stats_summary s;
	assert_int_equal(stats_describe(x.v, x.n, &s), STATS_OK);
	assert_int_equal(s.n, json_integer_value(json_object_get(known, "n")));
	assert_true(near_relative(s.mean, json_number(known, "mean"), 1e-15));
	assert_int_equal(s.has_sd, json_known(known, "sd") != NULL);
	assert_true(near_relative(s.sd, json_number(known, "sd"), 1e-12));
	assert_true(near_relative(s.median, json_number(known, "median"), 1e-15));
	assert_true(near_relative(s.mad, json_number(known, "mad_1.4826"), 1e-11));
	const json_t *quartiles = json_object_get(known, "quantile_type7_25_75");
	assert_true(near_relative(s.q25, json_number_value(json_array_get(quartiles, 0)), 1e-15));
	assert_true(near_relative(s.q75, json_number_value(json_array_get(quartiles, 1)), 1e-15));
	assert_true(near_relative(s.max - s.min, json_number(known, "range"), 1e-12));
	assert_true(near_relative(
		stats_relative_range(x.v, x.n), json_number(known, "range_over_median"), 1e-12));
	assert_int_equal(s.has_lag1, json_known(known, "lag1_autocorrelation") != NULL);
	assert_true(near_to(s.lag1, json_number(known, "lag1_autocorrelation"), 1e-12));
	check_interval(known, &s);
	free(x.v);
}

static void describe__r_values__agree(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	const json_t *series = json_object_get(root, "one_sample");
	assert_true(json_array_size(series) >= 12);
	for (size_t i = 0; i < json_array_size(series); i++)
		check_known(json_array_get(series, i));
	json_decref(root);
}

static void mad__help_page_of_r__agrees(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "published-examples.json");
	const json_t *cases = json_object_get(root, "mad");
	assert_int_equal(json_array_size(cases), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *known = json_array_get(cases, i);
		struct numbers x = json_numbers(json_object_get(known, "x"));
		assert_true(near_relative(stats_mad(x.v, x.n), json_number(known, "scaled_1.4826"), 1e-15));
		free(x.v);
	}
	json_decref(root);
}

struct certified {
	double mean, sd, lag1;
	double y[2000];
	size_t n;
};

/* The number after the last colon of the line. */
static double after_colon(const char *line)
{
	return strtod(strrchr(line, ':') + 1, NULL);
}

static void read_nist(const char *name, struct certified *out)
{
	char path[128], line[256];
	snprintf(path, sizeof path, GOLDEN "nist/%s.dat", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	memset(out, 0, sizeof *out);
	bool data = false;
	while (fgets(line, sizeof line, file) != NULL) {
		char *end = line;
		double value = strtod(line, &end);
		if (data && end != line && out->n < 2000)
			out->y[out->n++] = value;
		else if (strncmp(line, "Sample Mean", 11) == 0)
			out->mean = after_colon(line);
		else if (strncmp(line, "Sample Standard", 15) == 0)
			out->sd = after_colon(line);
		else if (strncmp(line, "Sample Autocorr", 15) == 0)
			out->lag1 = after_colon(line);
		else if (strncmp(line, "Data: Y", 7) == 0)
			data = true;
	}
	fclose(file);
}

static void moments__nist_strd__certified_digits(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t n;
		double tolerance; /* of the standard deviation */
	} sets[] = {
		{"NumAcc1", 3, 1e-15},
		{"NumAcc2", 1001, 1e-13},
		{"NumAcc3", 1001, 1e-8},
		{"NumAcc4", 1001, 1e-7},
		{"Lew", 200, 1e-13},
		{"Lottery", 218, 1e-13},
		{"Mavro", 50, 1e-12},
		{"Michelso", 100, 1e-13},
	};
	static struct certified set;
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		double lag1 = 0;
		read_nist(sets[i].name, &set);
		assert_int_equal(set.n, sets[i].n);
		assert_true(near_relative(stats_mean(set.y, set.n), set.mean, 1e-14));
		assert_true(near_relative(stats_sd(set.y, set.n), set.sd, sets[i].tolerance));
		assert_true(stats_lag1(set.y, set.n, &lag1));
		assert_true(near_relative(lag1, set.lag1, 10 * sets[i].tolerance));
	}
}

/*
 * What is left of NumAcc4 once its decimals are rounded to binary has a standard deviation of 0.1 up to 6e-9; against
 * that, computed here in extended precision, all digits must agree.
 */
static void sd__numacc4__as_good_as_extended_precision(void **state)
{
	(void)state;
	static struct certified set;
	read_nist("NumAcc4", &set);
	long double sum = 0, squares = 0;
	for (size_t i = 0; i < set.n; i++)
		sum += (long double)set.y[i] - 10000000.0L;
	long double mean = sum / (long double)set.n;
	for (size_t i = 0; i < set.n; i++) {
		long double away = (long double)set.y[i] - 10000000.0L - mean;
		squares += away * away;
	}
	double exact = (double)sqrtl(squares / (long double)(set.n - 1));
	assert_true(near_relative(stats_sd(set.y, set.n), exact, 1e-10));
	assert_true(near_relative(exact, set.sd, 1e-8));
}

static void describe__nothing__empty(void **state)
{
	(void)state;
	struct stats_summary s;
	assert_int_equal(stats_describe(NULL, 0, &s), STATS_EMPTY);
	assert_int_equal(s.n, 0);
	assert_true(
		s.median == 0 && !s.has_interval && !s.has_sd && !s.has_dip && !s.has_lag1 && !s.has_trend);
	assert_true(stats_median(NULL, 0) == 0);
	assert_true(stats_mean(NULL, 0) == 0);
}

static void describe__one_sample__has_no_spread(void **state)
{
	(void)state;
	double x = 7.25;
	struct stats_summary s;
	assert_int_equal(stats_describe(&x, 1, &s), STATS_OK);
	assert_true(s.median == 7.25 && s.mean == 7.25 && s.min == 7.25 && s.q75 == 7.25);
	assert_true(s.spread == 0 && s.mad == 0 && s.sd == 0 && !s.has_sd);
	assert_true(!s.has_interval && !s.has_lag1 && !s.has_dip && s.outliers == 0);
}

static void describe__equal_samples__spread_zero(void **state)
{
	(void)state;
	double x[100];
	struct stats_summary s;
	for (size_t i = 0; i < 100; i++)
		x[i] = 0.1;
	assert_int_equal(stats_describe(x, 100, &s), STATS_OK);
	assert_true(s.median == 0.1 && s.spread == 0 && s.sd == 0 && s.has_sd);
	assert_true(s.has_interval && s.lo == 0.1 && s.hi == 0.1);
	assert_true(
		!s.has_lag1 && !s.has_dip && !s.two_modes && !s.trending && s.trend == 0 && s.outliers == 0);
	assert_int_equal(s.noise, STATS_QUIET);
}

static void describe__bad_values__rejected_with_index(void **state)
{
	(void)state;
	static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -0.0, -1};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		double x[] = {1, 2, 3, bad[i], NAN};
		struct stats_summary s;
		assert_int_equal(stats_describe(x, 5, &s), STATS_BAD_VALUE);
		assert_int_equal(s.bad_index, 3);
		assert_true(s.median == 0 && s.mean == 0 && !s.has_sd);
	}
	double fine[] = {-1, 0, 5};
	assert_int_equal(stats_first_bad(fine, 3, false), 3);
	assert_int_equal(stats_first_bad(fine, 3, true), 0);
}

static void describe__five_and_six__interval_from_six(void **state)
{
	(void)state;
	double x[] = {5, 3, 6, 1, 4, 2};
	struct stats_summary s;
	stats_describe(x, 5, &s);
	assert_false(s.has_interval);
	stats_describe(x, 6, &s);
	assert_true(s.has_interval && s.lo == 1 && s.hi == 6);
	assert_true(near_to(s.coverage, 1 - 2.0 / 64, 1e-14));
}

static void describe__shuffled__same_but_for_order_fields(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "order");
	double x[101];
	struct stats_summary first, again;
	for (size_t i = 0; i < 101; i++)
		x[i] = 1 + exp(3 * rng_unit(&rng));
	stats_describe(x, 101, &first);
	for (size_t i = 100; i > 0; i--) {
		size_t k = (size_t)rng_below(&rng, i + 1);
		double swap = x[i];
		x[i] = x[k];
		x[k] = swap;
	}
	stats_describe(x, 101, &again);
	assert_true(first.lag1 != again.lag1);
	assert_true(first.median == again.median && first.mean == again.mean && first.sd == again.sd);
	assert_true(first.mad == again.mad && first.lo == again.lo && first.hi == again.hi);
	assert_true(first.dip == again.dip && first.outliers == again.outliers);
}

/* Whatever positive numbers come in: nothing but finite numbers goes out. */
static void describe__extreme_values__all_finite(void **state)
{
	(void)state;
	static const double hard[] = {
		5e-324, 1e-300, 1, 1.0000000000000002, 1e154, 1e300, 1.7976931348623157e308};
	struct rng rng;
	rng_seed_text(&rng, "extreme");
	for (size_t round = 0; round < 3000; round++) {
		double x[40];
		size_t n = 1 + (size_t)rng_below(&rng, 40);
		for (size_t i = 0; i < n; i++)
			x[i] = hard[rng_below(&rng, round % 2 ? 7 : 3)];
		struct stats_summary s;
		assert_int_equal(stats_describe(x, n, &s), STATS_OK);
		const double all[] = {s.median, s.q25, s.q75, s.min, s.max, s.mean, s.mad, s.spread, s.sd,
			s.lo, s.hi, s.coverage, s.dip, s.lag1, s.trend};
		assert_int_equal(
			stats_first_bad(all, sizeof all / sizeof all[0], false), sizeof all / sizeof all[0]);
	}
}

static void describe__one_at_seven_times__counted_and_median_kept(void **state)
{
	(void)state;
	double x[20];
	struct stats_summary s;
	for (size_t i = 0; i < 20; i++)
		x[i] = 10 + 0.01 * (double)(i * 7 % 20);
	x[11] = 70;
	stats_describe(x, 20, &s);
	assert_int_equal(s.outliers, 1);
	assert_true(s.median < 10.2 && s.max == 70 && s.mean > 13);
	assert_false(s.two_modes);
}

static void describe__growing_series__trend(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "trend");
	double x[60];
	struct stats_summary s;
	for (size_t i = 0; i < 60; i++)
		x[i] = 100 + 0.2 * (double)i + 4 * rng_unit(&rng);
	stats_describe(x, 60, &s);
	assert_true(s.trending && s.autocorrelated);
	assert_true(s.trend > 0.04 && s.trend < 0.12);
	for (size_t i = 0; i < 60; i++)
		x[i] = (double)(60 - i);
	stats_describe(x, 60, &s);
	assert_true(s.trending && s.trend < 0);
}

/* Of unchanged series about one in a hundred may be flagged, also where neighbours resemble each other. */
static void describe__no_trend__few_false_flags(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "no trend");
	for (size_t kind = 0; kind < 2; kind++) {
		size_t trends = 0, lags = 0, modes = 0;
		for (size_t round = 0; round < 2000; round++) {
			double x[64], memory = 0;
			struct stats_summary s;
			for (size_t i = 0; i < 64; i++) {
				memory = 0.4 * (double)kind * memory + rng_unit(&rng) + rng_unit(&rng);
				x[i] = 10 + memory;
			}
			stats_describe(x, 64, &s);
			trends += s.trending;
			lags += s.autocorrelated;
			modes += s.two_modes;
		}
		assert_true(trends < (kind ? 100 : 40));
		assert_true(kind ? lags > 1200 : lags < 40);
		assert_true(modes < 20);
	}
}

/* Values from the tests of R's package diptest, and by hand. */
static void dip__small_samples__known(void **state)
{
	(void)state;
	static const double two_points[] = {1, 1, 2, 2};
	static const double convex[] = {0, 1, 3, 6};
	static const double concave[] = {0, 3, 5, 6};
	static const double lump[] = {1, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	static const double mirrored[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
	assert_true(stats_dip_sorted(two_points, 4) == 0.25);
	assert_true(stats_dip_sorted(convex, 4) == 0.125);
	assert_true(stats_dip_sorted(concave, 4) == 0.125);
	assert_true(stats_dip_sorted(lump, 10) == stats_dip_sorted(mirrored, 10));
	assert_true(stats_dip_sorted(lump, 10) == 0.05);
	assert_true(stats_dip_sorted(two_points, 2) == 0.25);
	assert_true(stats_dip_sorted(two_points, 0) == 0);
}

static void dip__mirrored__same(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "mirror");
	for (size_t round = 0; round < 500; round++) {
		double x[50], y[50];
		for (size_t i = 0; i < 50; i++) {
			x[i] = floor(rng_unit(&rng) * 64) + (rng_below(&rng, 3) ? 0 : 40);
			y[i] = -x[i];
		}
		stats_sort(x, 50);
		stats_sort(y, 50);
		assert_true(near_to(stats_dip_sorted(x, 50), stats_dip_sorted(y, 50), 1e-13));
	}
}

static void modes__uniform_and_two_lumps__told_apart(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "modes");
	static const size_t sizes[] = {20, 60, 300, 1500};
	for (size_t k = 0; k < 4; k++) {
		size_t n = sizes[k], flat = 0, lumps = 0;
		double x[1500];
		for (size_t round = 0; round < 200; round++) {
			struct stats_summary s;
			for (size_t i = 0; i < n; i++)
				x[i] = 1 + rng_unit(&rng);
			stats_describe(x, n, &s);
			flat += s.two_modes;
			for (size_t i = 0; i < n; i++)
				x[i] = 100 + rng_unit(&rng) + (rng_below(&rng, 10) < 4 ? 6 : 0);
			stats_describe(x, n, &s);
			lumps += s.two_modes;
		}
		assert_true(flat <= 8);
		assert_true(lumps >= (n == 20 ? 100 : 198));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describe__r_values__agree),
		cmocka_unit_test(mad__help_page_of_r__agrees),
		cmocka_unit_test(moments__nist_strd__certified_digits),
		cmocka_unit_test(sd__numacc4__as_good_as_extended_precision),
		cmocka_unit_test(describe__nothing__empty),
		cmocka_unit_test(describe__one_sample__has_no_spread),
		cmocka_unit_test(describe__equal_samples__spread_zero),
		cmocka_unit_test(describe__bad_values__rejected_with_index),
		cmocka_unit_test(describe__five_and_six__interval_from_six),
		cmocka_unit_test(describe__shuffled__same_but_for_order_fields),
		cmocka_unit_test(describe__extreme_values__all_finite),
		cmocka_unit_test(describe__one_at_seven_times__counted_and_median_kept),
		cmocka_unit_test(describe__growing_series__trend),
		cmocka_unit_test(describe__no_trend__few_false_flags),
		cmocka_unit_test(dip__small_samples__known),
		cmocka_unit_test(dip__mirrored__same),
		cmocka_unit_test(modes__uniform_and_two_lumps__told_apart),
	};
	return cmocka_run_group_tests_name("stats_describe", tests, NULL, NULL);
}
