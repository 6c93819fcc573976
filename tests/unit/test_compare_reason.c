/*
 * Why there is an answer or none, and what would give one: reasons, commands, identical code, looks, the exit code.
 * Expected numbers as in test_compare_effect.c: 16 layouts with effects m + d and m - d in turns have the standard error
 * d / sqrt(15), and T15 is the 97.5 % quantile of t with 15 degrees of freedom.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"

#define T15 2.131449545559323

static void near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

static void has_text(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", text ? text : "(null)", part);
}

/* Baseline and one variant of one workload, compared. */
static void two_cells(struct fixture *f)
{
	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	cf_build(f, "sort", "gcc", "O3", false);
	cf_compare(f, 0, 1);
}

static void effect_of_record__half_faster_in_wide_spread__cant_tell_with_numbers(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0.4, 2);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	has_text(c->reason, "noise between rounds dominates");
	has_text(c->reason, "times the rounds");
	cf_end(&f);
}

static void effect_of_record__noise_between_rounds__command_that_would_do(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	/* two rounds a layout, m + d and m - d of four times the size: the layout means are m + d/4 * sign */
	for (uint32_t r = 0; r < 32; r++) {
		double away = (r < 16 ? 1 : -1) * 0.04 + 0.03 * cf_sign(r % 16);
		cf_sample(&f, 0, r, r % 16, 100);
		cf_sample(&f, 1, r, r % 16, 100 * exp(away));
	}
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	near(c->x, T15 * 0.03 / sqrt(15));
	/* the noise must fall from x to 1 %: (x / 0.01)^2 times the rounds */
	near(c->effort, pow(c->x / 0.01, 2));
	assert_true(c->placement_share >= 0 && c->placement_share < 0.5);
	has_text(c->reason, "±1.7 %: noise between rounds dominates; about 2.7 times the rounds would do: "
			    "flagstone run quick --only sort/gcc/O3/1 --rounds 256 --budget 8m");
	cf_end(&f);
}

static void effect_of_record__noise_of_placement__more_layouts(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 32, 0, 0.02);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	/* (2.1314 * 0.02 / sqrt(15) / 0.01)^2 = 1.21 times 16 layouts: doubled once */
	has_text(c->reason, "code placement dominates; about 1.2 times the layouts would do: "
			    "flagstone run quick --only sort/gcc/O3/1 --layouts 32 --budget 2m");
	cf_end(&f);
}

/* A program may do other things under another environment, or another emulator: equal code is not enough. */
static void effect_of_record__same_code_in_another_environment_or_runner__is_measured(void **state)
{
	static const char *const keys[] = {"run.env", "run.runner"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture f;

		cf_begin(&f);
		cf_build(&f, "sort", "gcc", "plain", true);
		cf_build(&f, "sort", "gcc", "tuned", false);
		cf_compare(&f, 0, 1);
		cf_pair(&f, 0, 1, 16, 0.5, 0.001);
		f.record->builds[1].code_hash = f.record->builds[0].code_hash;
		facts_set(&f.record->builds[1].facts, keys[i], "A=1", "matrix");
		assert_int_equal(cf_answer(&f)->answer, ANSWER_FASTER);
		assert_int_equal(f.result.aa_pairs, 0);
		facts_set(&f.record->builds[0].facts, keys[i], "A=2", "matrix");
		assert_int_equal(cf_answer(&f)->answer, ANSWER_FASTER);
		facts_set(&f.record->builds[0].facts, keys[i], "A=1", "matrix");
		assert_int_equal(cf_answer(&f)->answer, ANSWER_SAME_CODE);
		assert_int_equal(f.result.aa_pairs, 1);
		cf_end(&f);
	}
}

static void effect_of_record__identical_code__same_code_unless_asked(void **state)
{
	(void)state;
	struct fixture f;
	struct effect_options options = {.no_same_code = true};
	two_cells(&f);
	f.record->builds[1].code_hash = f.record->builds[0].code_hash;
	cf_pair(&f, 0, 1, 16, 0.03, 0.001);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_SAME_CODE);
	assert_false(c->has_effect);
	assert_int_equal(f.result.family, 0);
	effect_of_record(f.record, &options, &f.arena, &f.result);
	assert_int_equal(f.result.comparisons->answer, ANSWER_FASTER);
	f.record->builds[1].args = "work=2"; /* the same program that does other work is compared */
	assert_int_equal(cf_answer(&f)->answer, ANSWER_FASTER);
	f.record->builds[1].args = "";
	f.record->builds[0].code_hash = f.record->builds[1].code_hash = NULL; /* two unknowns are not equal */
	assert_int_equal(cf_answer(&f)->answer, ANSWER_FASTER);
	cf_end(&f);
}

static void effect_of_record__too_little__says_the_minimum(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_sample(&f, 0, 0, 0, 100);
	cf_sample(&f, 1, 0, 0, 110);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	assert_false(c->has_effect);
	has_text(c->reason, "rounds that both have: 1, at least 6");
	assert_false(f.result.cells[0].has_interval);
	cf_sample(&f, 0, 1, 1, 100);
	cf_sample(&f, 1, 1, 1, 110);
	has_text(cf_answer(&f)->reason, "layouts that both have: 2, at least 8");
	cf_end(&f);
}

static void effect_of_record__no_round_in_common__says_so(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_sample(&f, 0, 0, 0, 100);
	cf_sample(&f, 1, 1, 0, 110);
	has_text(cf_answer(&f)->reason, "no round in which both");
	cf_end(&f);
}

/* Whoever resumes has seen a result before: a look that nobody planned. */
static void effect_of_record__resumed_runs__a_look_more_for_each_interruption(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, T15 * 0.01 / sqrt(15), 0.01);
	f.record->session_count = 1;
	near(cf_answer(&f)->p_adjusted, 0.05);
	assert_int_equal(f.result.looks, 1);
	f.record->session_count = 4;
	near(cf_answer(&f)->p_adjusted, 4 * 0.05);
	assert_int_equal(f.result.looks, 4);
	cf_end(&f);
}

static void effect_of_record__record_of_an_aa_run__judges_identical_code_without_being_asked(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	f.record->builds[1].code_hash = f.record->builds[0].code_hash;
	cf_pair(&f, 0, 1, 16, 0.03, 0.001);
	assert_int_equal(cf_answer(&f)->answer, ANSWER_SAME_CODE);
	assert_false(f.result.same_code_judged);
	f.record->plan.aa = true;
	assert_int_equal(cf_answer(&f)->answer, ANSWER_FASTER);
	assert_true(f.result.same_code_judged);
	cf_end(&f);
}

static void effect_of_record__compared_with_another_slot__the_command_names_both_cells(void **state)
{
	(void)state;
	struct fixture f;
	struct effect_options options = {.where = " -C 'my project'"};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "clang", "O2", true);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 32, 0, 0.02);
	effect_of_record(f.record, &options, &f.arena, &f.result);
	has_text(f.result.comparisons[0].reason,
		"flagstone run quick --only sort/clang/O2/1 --only sort/gcc/O2/1 --layouts 32 --budget 2m "
		"-C 'my project'");
	cf_end(&f);
}

static void effect_exit__answers__yes_undecided_or_nothing(void **state)
{
	(void)state;
	struct comparison c[2] = {{.answer = ANSWER_NONE}, {.answer = ANSWER_NONE}};
	struct result result = {.comparisons = c, .comparison_count = 0};

	assert_int_equal(effect_exit(&result), EXIT_YES); /* single series */
	result.comparison_count = 2;
	assert_int_equal(effect_exit(&result), EXIT_NOTHING);
	c[1].answer = ANSWER_CANT_TELL;
	assert_int_equal(effect_exit(&result), EXIT_UNDECIDED);
	c[0].answer = ANSWER_SAME_CODE;
	assert_int_equal(effect_exit(&result), EXIT_YES);
	c[0].answer = ANSWER_SLOWER; /* a slower variant is no failure */
	assert_int_equal(effect_exit(&result), EXIT_YES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect_of_record__half_faster_in_wide_spread__cant_tell_with_numbers),
		cmocka_unit_test(effect_of_record__noise_between_rounds__command_that_would_do),
		cmocka_unit_test(effect_of_record__noise_of_placement__more_layouts),
		cmocka_unit_test(effect_of_record__identical_code__same_code_unless_asked),
		cmocka_unit_test(effect_of_record__same_code_in_another_environment_or_runner__is_measured),
		cmocka_unit_test(effect_of_record__too_little__says_the_minimum),
		cmocka_unit_test(effect_of_record__no_round_in_common__says_so),
		cmocka_unit_test(effect_of_record__resumed_runs__a_look_more_for_each_interruption),
		cmocka_unit_test(
			effect_of_record__record_of_an_aa_run__judges_identical_code_without_being_asked),
		cmocka_unit_test(effect_of_record__compared_with_another_slot__the_command_names_both_cells),
		cmocka_unit_test(effect_exit__answers__yes_undecided_or_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
