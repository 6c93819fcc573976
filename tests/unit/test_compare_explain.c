#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare/explain.h"
#include "compare_runs.h"

static void has_step(const struct words *steps, const char *part)
{
	for (size_t i = 0; i < steps->n; i++)
		if (strstr(steps->v[i], part) != NULL)
			return;
	for (size_t i = 0; i < steps->n; i++)
		fprintf(stderr, "%zu. %s\n", i + 1, steps->v[i]);
	fail_msg("no step with \"%s\"", part);
}

/* 16 layouts of 0.05 +- 0.01: standard error 0.01 / sqrt(15) = 0.002582, or 0.2585 %; t = 2.131 (R: qt(0.975, 15)),
 * so that the interval is exp(0.05 -+ 0.005503) = +4.55 % to +5.71 %. */
static void explain_within__faster__every_step_with_its_figure(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct words steps = {0};
	struct error e = {0};
	size_t index = 9;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 32, 0.05, 0.01);
	assert_int_equal(within_compare(f.record, &(struct within_options){0}, &f.arena, &w, &e), 0);
	assert_int_equal(explain_find_within(&w, "sort//O3", &f.arena, &index, &e), 0);
	assert_int_equal(index, 0);
	explain_within(&w, index, &f.arena, &steps);
	has_step(&steps, "sort/gcc/O3/1, against its baseline sort/gcc/O2/1");
	has_step(&steps, "their machine code differs");
	has_step(&steps,
		"Samples of the baseline: 32 rounds with a value, 0 samples without; median 100.0 lps");
	has_step(&steps, "32 rounds have both (0 of them disturbed)");
	has_step(&steps, "from +4.08 % to +6.18 %");
	has_step(&steps, "Layouts: ");
	has_step(&steps, "Mean: +5.13 % over the 16 layouts");
	has_step(&steps, "standard error 0.259 %");
	has_step(&steps, "15 degrees of freedom lies within ±2.131");
	has_step(&steps, "+4.55 % to +5.71 %");
	has_step(&steps, "Holm over the 1 comparison of this table");
	has_step(&steps, "yes, yes: faster.");
	has_step(&steps, "Answer: faster.");
	cf_end(&f);
}

static void explain_within__one_layout__says_that_placement_is_not_averaged(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct words steps = {0};
	struct error e = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	for (uint32_t r = 0; r < 8; r++) {
		cf_sample(&f, 0, r, 0, 100);
		cf_sample(&f, 1, r, 0, 100 * exp(0.001 * cf_sign(r)));
	}
	assert_int_equal(within_compare(f.record, &(struct within_options){0}, &f.arena, &w, &e), 0);
	explain_within(&w, 0, &f.arena, &steps);
	has_step(&steps, "there is one layout, so placement is not averaged");
	has_step(&steps, "Question 2: ");
	has_step(&steps, "Answer: no difference.");
	cf_end(&f);
}

static void explain_within__same_code_or_failed__short(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct words same = {0}, failed = {0};
	struct error e = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_build(&f, "sort", "gcc", "v3", false);
	f.record->builds[1].code_hash = f.record->builds[0].code_hash;
	f.record->builds[2].status = CELL_BUILD_FAILED;
	f.record->builds[2].reason = "cc1: error";
	cf_pair(&f, 0, 1, 16, 0, 0);
	assert_int_equal(within_compare(f.record, &(struct within_options){0}, &f.arena, &w, &e), 0);
	explain_within(&w, 0, &f.arena, &same);
	has_step(&same, "Answer: same code.");
	assert_int_equal(same.n, 3);
	explain_within(&w, 1, &f.arena, &failed);
	has_step(&failed, "Answer: n/a: build failed: cc1: error.");
	cf_end(&f);
}

static void explain_find_within__none_or_several__said(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	size_t index;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_build(&f, "sort", "gcc", "v3", false);
	assert_int_equal(within_compare(f.record, &(struct within_options){0}, &f.arena, &w, &e), 0);
	assert_int_equal(explain_find_within(&w, "sort", &f.arena, &index, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "matches 2 compared cells"));
	assert_non_null(strstr(e.text, "sort/gcc/O3/1 sort/gcc/v3/1"));
	e = (struct error){0};
	/* the baseline is no compared cell */
	assert_int_equal(explain_find_within(&w, "sort/gcc/O2/1", &f.arena, &index, &e), -1);
	assert_non_null(strstr(e.text, "did you mean sort/gcc/O3/1?"));
	cf_end(&f);
}

static void explain_between__three_runs__welch_step_by_step(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct words steps = {0};
	struct error e = {0};
	size_t index;
	cr_side(&runs, "a", (const double[]){100 * exp(-0.002), 100, 100 * exp(0.002)}, 3);
	cr_side(&runs, "b", (const double[]){105 * exp(-0.002), 105, 105 * exp(0.002)}, 3);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(explain_find_between(&runs.between, "//O2", &runs.arena, &index, &e), 0);
	explain_between(&runs.between, index, 1, &runs.arena, &steps);
	has_step(&steps, "May they be compared? COMPARABLE");
	has_step(&steps, "both sides have the same machine code");
	has_step(&steps, "a: 3 runs with the medians 99.80 lps, 100.0 lps, 100.2 lps");
	has_step(&steps, "the logarithms of the medians is +5.00 %");
	has_step(&steps, "with 4 degrees of freedom");
	has_step(&steps, "±2.776 standard errors");
	has_step(&steps, "Answer: faster.");
	cr_end(&runs);
}

static void explain_between__one_run__why_there_is_no_verdict(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct words steps = {0};
	struct error e = {0};
	cr_side(&runs, "a", (const double[]){100}, 1);
	cr_side(&runs, "b", (const double[]){105}, 1);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	explain_between(&runs.between, 0, 1, &runs.arena, &steps);
	has_step(&steps, "one run, median 100.0 lps");
	has_step(&steps, "Difference of the medians: +5.00 %");
	has_step(&steps, "Answer: can't tell: one run a side: between-run noise unknown");
	cr_end(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explain_within__faster__every_step_with_its_figure),
		cmocka_unit_test(explain_within__one_layout__says_that_placement_is_not_averaged),
		cmocka_unit_test(explain_within__same_code_or_failed__short),
		cmocka_unit_test(explain_find_within__none_or_several__said),
		cmocka_unit_test(explain_between__three_runs__welch_step_by_step),
		cmocka_unit_test(explain_between__one_run__why_there_is_no_verdict),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
