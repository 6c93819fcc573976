/*
 * The parts of measuring that run nothing: result lines, check values, marks, and what a failed sample is told to be.
 * Thresholds are computed by hand from their definition (upper quartile, type 7, + 3 x IQR).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "measure/sample.h"

static struct arena arena;

static void measure_field__line__exact_names_only(void **state)
{
	const char *line = "flagstone-result 1 units=8 xunits=9 elapsed_ns=12 check=a=b,c rate= last=z\n";

	(void)state;
	assert_string_equal(measure_field(line, "units", &arena), "8");
	assert_string_equal(measure_field(line, "xunits", &arena), "9");
	assert_string_equal(measure_field(line, "elapsed_ns", &arena), "12");
	assert_null(measure_field(line, "elapsed", &arena));
	assert_string_equal(measure_field(line, "check", &arena), "a=b,c");
	assert_string_equal(measure_field(line, "rate", &arena), "");
	assert_string_equal(measure_field(line, "last", &arena), "z");
	assert_null(measure_field(line, "flagstone-result", &arena));
	assert_null(measure_field("", "units", &arena));
	assert_null(measure_field("units=8", "units", &arena)); /* the first word is the protocol's */
}

static void measure_check_agrees__rel_0__texts_must_be_equal(void **state)
{
	(void)state;
	assert_true(measure_check_agrees("3552074529", "3552074529", 0));
	assert_true(measure_check_agrees("ab12", "ab12", 0));
	assert_false(measure_check_agrees("1.0", "1", 0));
	assert_false(measure_check_agrees("", "1", 0));
	assert_true(measure_check_agrees("nan", "nan", 0)); /* a text like any other */
}

static void measure_check_agrees__rel__each_of_a_list_within_it(void **state)
{
	(void)state;
	assert_true(measure_check_agrees("1.0000000001", "1", 1e-9));
	assert_false(measure_check_agrees("1.00000001", "1", 1e-9));
	assert_true(measure_check_agrees("-5.0,1e300,0", "-5.0000000001,1e300,0", 1e-9));
	assert_false(measure_check_agrees("1,2,3", "1,2,4", 1e-3));
	assert_false(measure_check_agrees("1,2", "1,2,3", 1e-3));
	assert_false(measure_check_agrees("1,2,3", "1,2", 1e-3));
	assert_false(measure_check_agrees("1,2,", "1,2", 1e-3));
	assert_false(measure_check_agrees("1;2", "1;2", 1e-3));
	assert_false(measure_check_agrees("1e-300", "0", 1e-3)); /* nothing but 0 is near 0 */
	assert_true(measure_check_agrees("-0", "0", 1e-3));
}

static void measure_check_agrees__no_finite_number__never(void **state)
{
	static const char *const odd[] = {"nan", "inf", "-inf", "1e999", "", "x", "1x", "1 2", "0x", "--1"};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_false(measure_check_agrees(odd[i], "1", 0.5));
		assert_false(measure_check_agrees("1", odd[i], 0.5));
		assert_false(measure_check_agrees(odd[i], odd[i], 0.5));
	}
}

static struct spawn_copy good(void)
{
	return (struct spawn_copy){.exec_what = "",
		.result_line = "flagstone-result 1 units=1 elapsed_ns=5 start_ns=1 end_ns=6 check=x",
		.output = ""};
}

static void assert_failure(const struct spawn_copy *copy, const char *expected)
{
	char *text = sample_failure(copy, 5000000000, &arena);

	if (expected == NULL)
		assert_null(text);
	else
		assert_string_equal(text, expected);
}

static void sample_failure__each_kind__named_with_last_words(void **state)
{
	struct spawn_copy c = good();

	(void)state;
	assert_failure(&c, NULL);
	c.output = "noise\n"; /* CASES.md 27: words alone are no failure */
	assert_failure(&c, NULL);
	c.exit_code = 22;
	c.output = "cannot go on \n\n";
	assert_failure(&c, "ended with exit code 22: cannot go on");
	c.output = "";
	assert_failure(&c, "ended with exit code 22");
	c = good();
	c.exit_code = -1;
	c.signal = 4;
	assert_failure(&c, "killed by signal 4 (SIGILL): it has instructions that this CPU lacks");
	c.signal = 11;
	assert_failure(&c, "killed by signal 11 (SIGSEGV)");
	c.signal = 9;
	assert_failure(&c,
		"killed by signal 9 (SIGKILL): by someone, or because memory ran out (see the kernel log)");
	c.oom_kill = true; /* CASES.md 54 */
	assert_non_null(strstr(sample_failure(&c, 1, &arena), "the kernel counted an out-of-memory kill"));
	c = good();
	c.timed_out = true;
	c.signal = 9;
	c.output = "working";
	assert_failure(&c, "did not end within 5.00 s (timeout:) and was killed: working");
	c = good();
	c.exec_errno = ENOENT;
	c.exec_what = "starting /x/y";
	assert_failure(&c, "could not be started: starting /x/y: No such file or directory");
	c = good();
	c.result_line = "";
	assert_failure(&c, "ended with exit code 0 but gave no result line");
	c.result_line = "flagstone-results 1 units=1";
	assert_failure(&c, "ended with exit code 0 but gave no result line");
}

/* CASES.md 104: "CPU ISA level is lower than required" */
static void sample_failure__loader_refuses_the_cpu__neither_slow_nor_fast(void **state)
{
	struct spawn_copy c = good();

	(void)state;
	c.exit_code = 127;
	c.output = "x: CPU ISA level is lower than required\n";
	assert_failure(&c,
		"refused by the C library's loader (exit code 127): x: CPU ISA level is lower than required");
}

static void sample_failure__long_output__its_end(void **state)
{
	struct spawn_copy c = good();
	char *output = arena_alloc(&arena, 2001);
	char *text;

	(void)state;
	memset(output, 'a', 2000);
	memcpy(output + 1997, "end", 3);
	c.exit_code = 1;
	c.output = output;
	text = sample_failure(&c, 1, &arena);
	assert_true(text_ends(text, "end"));
	assert_in_range(strlen(text), 400, 450);
}

static struct sample quiet_row(void)
{
	struct sample row;

	sample_init(&row);
	row.elapsed_ns = 5000000;
	row.user_ns = 4900000;
	row.system_ns = 50000;
	row.run_wait_ns = 0;
	row.value = 1;
	row.canary_dep_before_ns = row.canary_wide_before_ns = 25000;
	return row;
}

static void sample_marks__canaries_and_waiting__above_the_threshold_never_by_value(void **state)
{
	struct measurer m = {
		.canary_dep_limit_ns = 26000, .canary_wide_limit_ns = 27000, .run_wait_limit = 0.01};
	struct sample row = quiet_row();

	(void)state;
	assert_int_equal(sample_marks(&m, &row), 0);
	row.value = 1e-30;
	row.elapsed_ns = 5000000000;
	assert_int_equal(sample_marks(&m, &row), 0);
	row = quiet_row();
	row.canary_dep_after_ns = row.canary_wide_after_ns =
		99000; /* a variant can lower the frequency itself */
	assert_int_equal(sample_marks(&m, &row), 0);
	row.canary_dep_before_ns = 26000; /* at the threshold: not above */
	assert_int_equal(sample_marks(&m, &row), 0);
	row.canary_dep_before_ns = 26001;
	assert_int_equal(sample_marks(&m, &row), MARK_FREQ);
	row.canary_wide_before_ns = 27001;
	assert_int_equal(sample_marks(&m, &row), MARK_FREQ | MARK_SHARED);
	row.run_wait_ns = 50001; /* of 4.95 ms on a CPU and the wait: 1 % and a little */
	assert_int_equal(sample_marks(&m, &row), MARK_FREQ | MARK_SHARED | MARK_WAIT);
	row.run_wait_ns = 50000;
	assert_int_equal(sample_marks(&m, &row), MARK_FREQ | MARK_SHARED);
}

static void sample_marks__unknown_or_no_threshold_yet__none(void **state)
{
	struct measurer m = {.canary_dep_limit_ns = 1, .canary_wide_limit_ns = 1, .run_wait_limit = 0.01};
	struct measurer fresh = {0};
	struct sample row = quiet_row();

	(void)state;
	row.run_wait_ns = 1000000000;
	assert_int_equal(sample_marks(&fresh, &row), 0);
	row = quiet_row();
	row.canary_dep_before_ns = row.canary_wide_before_ns = SAMPLE_NONE;
	row.run_wait_ns = -1;
	assert_int_equal(sample_marks(&m, &row), 0);
	row.run_wait_ns = 1000000000;
	row.user_ns = -1; /* unknown: nothing to hold it against */
	assert_int_equal(sample_marks(&m, &row), 0);
}

static void measure_fix_thresholds__canaries_before__quartile_and_3_iqr(void **state)
{
	struct samples samples = {0};
	struct measurer m = {0};

	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		struct sample row = quiet_row();

		row.canary_dep_before_ns = 1000 + 100 * i; /* Q1 1200, Q3 1600: 1600 + 3 x 400 */
		row.canary_wide_before_ns = 2000 + 10 * i; /* Q1 2020, Q3 2060: 2060 + 3 x 40 */
		row.canary_dep_after_ns = 90000;
		row.value = NAN;
		samples_add(&samples, &row);
		row.canary_dep_before_ns = row.canary_wide_before_ns = SAMPLE_NONE; /* copy 1 */
		samples_add(&samples, &row);
	}
	measure_fix_thresholds(&m, &samples);
	assert_true(fabs(m.canary_dep_limit_ns - 2800) < 1e-9);
	assert_true(fabs(m.canary_wide_limit_ns - 2180) < 1e-9);
	/* none waited: under 1 % of a sample's time no wait is a disturbance */
	assert_true(m.run_wait_limit == 0.01);
	for (size_t i = 0; i < samples.n; i++)
		samples.v[i].run_wait_ns = 550000; /* of 5.5 ms: 10 %, all */
	measure_fix_thresholds(&m, &samples);
	assert_true(fabs(m.run_wait_limit - 0.1) < 1e-6);
	samples_release(&samples);
}

static void measure_fix_thresholds__too_few_rows__none(void **state)
{
	struct samples samples = {0};
	struct measurer m = {0};
	struct sample row = quiet_row();

	(void)state;
	for (int i = 0; i < 7; i++)
		samples_add(&samples, &row);
	measure_fix_thresholds(&m, &samples);
	assert_true(m.canary_dep_limit_ns == 0 && m.canary_wide_limit_ns == 0);
	samples_release(&samples);
}

static void sample_overlap_is_small__common_share__under_nine_tenths(void **state)
{
	int64_t at_once[2][3] = {{0, 0, 0}, {100, 100, 100}};
	int64_t late[2][3] = {{0, 6, 0}, {100, 100, 100}};    /* 94 of 100 */
	int64_t later[2][3] = {{0, 11, 0}, {100, 100, 100}};  /* 89 of 100 */
	int64_t both[2][3] = {{0, 3, 5}, {100, 101, 96}};     /* 91 of 101 */
	int64_t apart[2][3] = {{0, 200, 0}, {100, 300, 100}}; /* never together */

	(void)state;
	assert_false(sample_overlap_is_small(at_once[0], at_once[1], 3));
	assert_false(sample_overlap_is_small(late[0], late[1], 3));
	assert_true(sample_overlap_is_small(later[0], later[1], 3));
	assert_false(sample_overlap_is_small(both[0], both[1], 3));
	assert_true(sample_overlap_is_small(apart[0], apart[1], 3));
	assert_false(sample_overlap_is_small(apart[0], apart[1], 1));
}

static void sample_environment__words__fixed_variant_and_random_size(void **state)
{
	struct measurer m = {0};
	struct words env = {0};
	uint32_t least = UINT32_MAX, most = 0, bytes;

	(void)state;
	rng_seed_text(&m.rng, "seed");
	words_add(&env, &arena, "MINE=a b");
	setenv("LD_PRELOAD_OF_USER", "x", 1);
	for (int i = 0; i < 200; i++) {
		char **v = sample_environment(&m, &env, &arena, &bytes);
		uint32_t sum = 0;

		assert_string_equal(v[0], "LC_ALL=C");
		assert_true(text_starts(v[1], "PATH="));
		assert_string_equal(v[2], "MINE=a b");
		assert_true(text_starts(v[3], "FLAGSTONE_SIZE="));
		assert_null(v[4]);
		for (int k = 0; k < 4; k++)
			sum += (uint32_t)strlen(v[k]) + 1;
		assert_int_equal(bytes, sum);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	/* uniform over 4097 sizes: of 200 draws the range is under 3600 with p < 1e-9 */
	assert_true(most - least > 3600 && most - least <= 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measure_field__line__exact_names_only),
		cmocka_unit_test(measure_check_agrees__rel_0__texts_must_be_equal),
		cmocka_unit_test(measure_check_agrees__rel__each_of_a_list_within_it),
		cmocka_unit_test(measure_check_agrees__no_finite_number__never),
		cmocka_unit_test(sample_failure__each_kind__named_with_last_words),
		cmocka_unit_test(sample_failure__loader_refuses_the_cpu__neither_slow_nor_fast),
		cmocka_unit_test(sample_failure__long_output__its_end),
		cmocka_unit_test(sample_marks__canaries_and_waiting__above_the_threshold_never_by_value),
		cmocka_unit_test(sample_marks__unknown_or_no_threshold_yet__none),
		cmocka_unit_test(measure_fix_thresholds__canaries_before__quartile_and_3_iqr),
		cmocka_unit_test(measure_fix_thresholds__too_few_rows__none),
		cmocka_unit_test(sample_overlap_is_small__common_share__under_nine_tenths),
		cmocka_unit_test(sample_environment__words__fixed_variant_and_random_size),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
