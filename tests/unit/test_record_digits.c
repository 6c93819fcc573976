#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "record/digits.h"

static const char *text_of(double x)
{
	static char text[DIGITS_SIZE + 1];

	*digits_double(text, x) = '\0';
	return text;
}

/* Expected texts: Python 3.11, repr(x), which gives the shortest text that reads back. */
static void digits_double__known_numbers__text_as_python_repr(void **state)
{
	(void)state;
	assert_string_equal(text_of(1.0), "1");
	assert_string_equal(text_of(1.5), "1.5");
	assert_string_equal(text_of(27130000.5), "27130000.5");
	assert_string_equal(text_of(27100000.0 / 3), "9033333.333333334");
	assert_string_equal(text_of(100.0 / 3), "33.333333333333336");
	assert_string_equal(text_of(4.35), "4.35");
	assert_string_equal(text_of(9007199254740991.0), "9007199254740991");
	assert_string_equal(text_of(2251799813685248.5), "2251799813685248.5");
	assert_string_equal(text_of(4503599627370498.0), "4503599627370498");
	assert_string_equal(text_of(0.1), "0.1");
	assert_string_equal(text_of(9.999999999999998), "9.999999999999998");
	assert_string_equal(text_of(nextafter(1000, 0)), "999.9999999999999");
}

static void check_back(double x)
{
	char text[DIGITS_SIZE + 1];
	double back = 0, reader = 0;

	*digits_double(text, x) = '\0';
	back = strtod(text, NULL); /* of the C library: an independent reader */
	if (memcmp(&back, &x, sizeof(x)) != 0)
		fail_msg("%.17g was written as %s", x, text);
	assert_ptr_equal(digits_read_double(text, &reader), text + strlen(text));
	assert_memory_equal(&reader, &x, sizeof(x));
}

static void digits_double__random_bits__reads_back_bit_by_bit(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "digits");
	for (int i = 0; i < 200000; i++) {
		uint64_t bits = rng_next(&rng) & INT64_MAX;
		double x;

		memcpy(&x, &bits, sizeof(x));
		if (isfinite(x))
			check_back(x);
		check_back(1 + rng_unit(&rng) * (double)(UINT64_C(1) << (i % 53)));
	}
}

static void digits_double__edges__read_back(void **state)
{
	(void)state;
	check_back(DBL_MAX);
	check_back(DBL_MIN);
	check_back(DBL_TRUE_MIN);
	check_back(0);
	check_back(-2.5);
	for (int k = 0; k <= 53;
		k++) { /* neighbours of each power of two, where the distance of doubles changes */
		check_back(ldexp(1, k));
		check_back(nextafter(ldexp(1, k), 0));
		check_back(nextafter(ldexp(1, k), INFINITY));
	}
}

static void digits_double__numbers_with_few_digits__stay_short(void **state)
{
	char want[DIGITS_SIZE + 1];

	(void)state;
	for (int i = 10001; i < 60000; i += 7) {
		if (i % 10 == 0)
			continue;
		snprintf(want, sizeof(want), "%d.%04d", i / 10000, i % 10000);
		while (want[strlen(want) - 1] == '0')
			want[strlen(want) - 1] = '\0';
		assert_string_equal(text_of(i / 10000.0), want);
	}
}

static void digits_integers__edges__as_printf(void **state)
{
	static const int64_t numbers[] = {
		0, 1, 9, 10, 99, 100, -1, -10, INT64_MAX, INT64_MIN, 9007199254740991};
	char text[DIGITS_SIZE + 1], want[DIGITS_SIZE + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*digits_i64(text, numbers[i]) = '\0';
		snprintf(want, sizeof(want), "%lld", (long long)numbers[i]);
		assert_string_equal(text, want);
	}
	*digits_u64(text, UINT64_MAX) = '\0';
	assert_string_equal(text, "18446744073709551615");
}

static void digits_read_double__not_json__refused(void **state)
{
	static const char *const bad[] = {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "NaN", "nan",
		"Infinity", "-inf", "1e999", "null", " 1", "--1"};
	static const char *const part[] = {"1,5", "0x10"};
	double x = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (digits_read_double(bad[i], &x) != NULL)
			fail_msg("\"%s\" was taken as a number", bad[i]);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]);
		i++) /* the number ends, the caller sees what follows */
		assert_ptr_equal(digits_read_double(part[i], &x), part[i] + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_double__known_numbers__text_as_python_repr),
		cmocka_unit_test(digits_double__random_bits__reads_back_bit_by_bit),
		cmocka_unit_test(digits_double__edges__read_back),
		cmocka_unit_test(digits_double__numbers_with_few_digits__stay_short),
		cmocka_unit_test(digits_integers__edges__as_printf),
		cmocka_unit_test(digits_read_double__not_json__refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
