/* Numbers in text. Expected values by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static void num_parse_u64__whole_texts_only(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "0x10", "1e3", "1.0", "18446744073709551616", "a", "1a"};
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (num_parse_u64(bad[i], &value))
			fail_msg("took %s", bad[i]);
	assert_int_equal(value, 7);
	assert_true(num_parse_u64("0", &value));
	assert_int_equal(value, 0);
	assert_true(num_parse_u64("18446744073709551615", &value));
	assert_true(value == UINT64_MAX);
}

static void num_parse_double__whole_texts_only(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "nan", "inf", "0x1p3", "1e999", "1,5", "1.2.3", "-", "e5"};
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (num_parse_double(bad[i], &value))
			fail_msg("took %s", bad[i]);
	assert_true(value == 7);
	assert_true(num_parse_double("-1.5e-3", &value));
	assert_true(value == -0.0015);
	assert_true(num_parse_double(".5", &value));
	assert_true(value == 0.5);
}

static void num_parse_duration__units(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {{"0s", 0}, {"10ns", 10}, {"300us", 300000}, {"5ms", 5000000}, {"1.5s", 1500000000},
		{"20m", 1200000000000}, {"20min", 1200000000000}, {"2h", 7200000000000}, {"0.5ms", 500000}};
	static const char *const bad[] = {
		"5", "ms", "-5ms", "5 ms", "5MS", "5msx", "", "1e3s", "9999999999h", "1.2.3s", "5d"};
	int64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (num_parse_duration(bad[i], &ns))
			fail_msg("took %s", bad[i]);
	assert_int_equal(ns, 7);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(num_parse_duration(good[i].text, &ns));
		assert_int_equal(ns, good[i].ns);
	}
}

static void num_parse_percent__needs_the_sign(void **state)
{
	double x = 7;

	(void)state;
	assert_false(num_parse_percent("0.5", &x));
	assert_false(num_parse_percent("%", &x));
	assert_false(num_parse_percent("-1%", &x));
	assert_false(num_parse_percent("1%%", &x));
	assert_true(x == 7);
	assert_true(num_parse_percent("0.5%", &x));
	assert_true(x == 0.005);
	assert_true(num_parse_percent("100 %", &x));
	assert_true(x == 1);
}

static void num_parse_range__both_ends(void **state)
{
	static const char *const bad[] = {
		"", "..", "16..", "..64", "64..16", "16...64", "16-64", "16 .. 64", "a..b", "-1..2"};
	uint64_t low = 7, high = 8;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (num_parse_range(bad[i], &low, &high))
			fail_msg("took %s", bad[i]);
	assert_int_equal(low, 7);
	assert_true(num_parse_range("16..64", &low, &high));
	assert_int_equal(low, 16);
	assert_int_equal(high, 64);
	assert_true(num_parse_range("3", &low, &high));
	assert_int_equal(low, 3);
	assert_int_equal(high, 3);
}

static void num_parse_size__powers_of_1024(void **state)
{
	uint64_t bytes = 7;

	(void)state;
	assert_true(num_parse_size("4096", &bytes) && bytes == 4096);
	assert_true(num_parse_size("64K", &bytes) && bytes == 65536);
	assert_true(num_parse_size("512M", &bytes) && bytes == 536870912);
	assert_true(num_parse_size("2GiB", &bytes) && bytes == 2147483648);
	assert_true(num_parse_size("1.5K", &bytes) && bytes == 1536);
	assert_false(num_parse_size("2X", &bytes));
	assert_false(num_parse_size("M", &bytes));
	assert_false(num_parse_size("-1K", &bytes));
	assert_false(num_parse_size("99999999T", &bytes));
}

/* CASES 65: rounding never changes the leading digits */
static void num_significant__keeps_leading_digits(void **state)
{
	static const struct {
		double x;
		int digits;
		const char *text;
	} cases[] = {{94.6, 3, "94.6"}, {94.6, 2, "95"}, {0.0004, 3, "0.000400"}, {9.996, 3, "10.0"},
		{123456, 3, "123456"}, {1234.5678, 6, "1234.57"}, {0, 3, "0"}, {-2.5, 3, "-2.50"},
		{1e15, 3, "1.00e+15"}, {1e-10, 2, "1.0e-10"}};
	char text[NUM_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		num_significant(cases[i].x, cases[i].digits, text);
		assert_string_equal(text, cases[i].text);
	}
}

/* CASES 137: no NaN, no infinity in what is shown */
static void num_texts__not_finite__n_a(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY};
	char text[NUM_SIZE];

	(void)state;
	for (int i = 0; i < 3; i++) {
		num_significant(bad[i], 3, text);
		assert_string_equal(text, "n/a");
		num_rate(bad[i], text);
		assert_string_equal(text, "n/a");
	}
	num_effect(NAN, 1, text);
	assert_string_equal(text, "n/a");
	num_effect(INFINITY, 1, text);
	assert_string_equal(text, "n/a");
}

static void num_rate__steps(void **state)
{
	char text[NUM_SIZE];

	(void)state;
	num_rate(27310000, text);
	assert_string_equal(text, "27.31 M");
	num_rate(999, text);
	assert_string_equal(text, "999.0");
	num_rate(1000, text);
	assert_string_equal(text, "1.000 k");
	num_rate(4.2e12, text);
	assert_string_equal(text, "4.200 T");
	num_rate(0, text);
	assert_string_equal(text, "0");
	num_rate(0.5, text);
	assert_string_equal(text, "500.0 m");
	num_rate(0.00123456, text);
	assert_string_equal(text, "1.235 m");
	num_rate(3.3e-6, text);
	assert_string_equal(text, "3.300 u");
	num_rate(2.944e-7, text);
	assert_string_equal(text, "294.4 n");
	num_rate(5e-12, text);
	assert_string_equal(text, "5.000 p");
	num_rate(4e-15, text);
	assert_string_equal(text, "0.004000 p");
	num_rate(999960, text); /* rounds up to the next prefix */
	assert_string_equal(text, "1.000 M");
	num_rate(999940, text);
	assert_string_equal(text, "999.9 k");
	num_rate(0.99996, text);
	assert_string_equal(text, "1.000");
	num_rate(-0.002, text);
	assert_string_equal(text, "-2.000 m");
}

static void num_quantity__units__prefixes_only_where_there_is_none(void **state)
{
	static const struct {
		double x, like;
		const char *unit, *text;
	} cases[] = {{27310000, 27310000, "lps", "27.31 M lps"}, {0.25, 0.25, "lps", "250.0 m lps"},
		{2.944e-7, 2.944e-7, "s/op", "294.4 ns/op"}, {2.5, 2.5, "s", "2.500 s"},
		{7200, 7200, "s", "7200 s"}, {1.5e9, 1.5e9, "B/s", "1.500 GB/s"},
		{10044, 10044, "KBps", "10044 KBps"}, {0.0125, 0.0125, "ms", "0.01250 ms"},
		{1234567, 1234567, "us/op", "1234567 us/op"}, {0.5, 0.5, "\xc2\xb5s", "0.5000 \xc2\xb5s"},
		{5000, 5000, "MiB/s", "5000 MiB/s"}, {5000, 5000, "kbit/s", "5000 kbit/s"},
		{5000, 5000, "MWIPS", "5000 MWIPS"}, {1.232e9, 1.232e9, "mul/s", "1.232 G mul/s"},
		{5000, 5000, "pages/s", "5.000 k pages/s"}, {5000, 5000, "sorts/s", "5.000 k sorts/s"},
		{5000, 5000, "", "5.000 k"}, {2, 2, "", "2.000"}, {0, 0, "s", "0 s"},
		{NAN, NAN, "s", "n/a s"},
		/* beside 800 ns, so in ns too */
		{1.1e-6, 8e-7, "s/op", "1100 ns/op"}, {950, 1200, "lps", "0.9500 k lps"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};

		num_quantity(&out, cases[i].x, cases[i].like, cases[i].unit);
		assert_string_equal(buf_text(&out), cases[i].text);
		buf_release(&out);
	}
}

static void num_compare_doubles__qsort__upwards(void **state)
{
	double x[] = {3, -1, 2.5, 2.5, -1e300, 0};
	const double sorted[] = {-1e300, -1, 0, 2.5, 2.5, 3};

	(void)state;
	qsort(x, 6, sizeof(x[0]), num_compare_doubles);
	assert_memory_equal(x, sorted, sizeof(x));
}

static void num_duration__steps(void **state)
{
	char text[NUM_SIZE];

	(void)state;
	num_duration(4970000, text);
	assert_string_equal(text, "4.97 ms");
	num_duration(83000000000, text);
	assert_string_equal(text, "1 min 23 s");
	num_duration(7380000000000, text);
	assert_string_equal(text, "2 h 3 min");
	num_duration(999, text);
	assert_string_equal(text, "999 ns");
	num_duration(1500, text);
	assert_string_equal(text, "1.50 us");
}

static void num_effect__sign_and_zero(void **state)
{
	char text[NUM_SIZE];

	(void)state;
	num_effect(log(1.013), 1, text);
	assert_string_equal(text, "+1.3 %");
	num_effect(log(0.998), 1, text);
	assert_string_equal(text, "-0.2 %");
	num_effect(0.0004, 1, text);
	assert_string_equal(text, "0.0 %");
	num_effect(-0.0004, 1, text);
	assert_string_equal(text, "0.0 %");
	num_effect(log(2), 0, text);
	assert_string_equal(text, "+100 %");
	num_effect(600, 1, text); /* absurd, but must fit and stay a number */
	assert_string_equal(text, "+3.8e+262 %");
}

static void num_grouped__commas(void **state)
{
	char text[NUM_SIZE];

	(void)state;
	num_grouped(0, text);
	assert_string_equal(text, "0");
	num_grouped(999, text);
	assert_string_equal(text, "999");
	num_grouped(1234567, text);
	assert_string_equal(text, "1,234,567");
	num_grouped(UINT64_MAX, text);
	assert_string_equal(text, "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(num_parse_u64__whole_texts_only),
		cmocka_unit_test(num_parse_double__whole_texts_only),
		cmocka_unit_test(num_parse_duration__units),
		cmocka_unit_test(num_parse_percent__needs_the_sign),
		cmocka_unit_test(num_parse_range__both_ends),
		cmocka_unit_test(num_parse_size__powers_of_1024),
		cmocka_unit_test(num_significant__keeps_leading_digits),
		cmocka_unit_test(num_texts__not_finite__n_a),
		cmocka_unit_test(num_rate__steps),
		cmocka_unit_test(num_quantity__units__prefixes_only_where_there_is_none),
		cmocka_unit_test(num_compare_doubles__qsort__upwards),
		cmocka_unit_test(num_duration__steps),
		cmocka_unit_test(num_effect__sign_and_zero),
		cmocka_unit_test(num_grouped__commas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
