/*
 * One comparison. Expected numbers: arithmetic on exact data. 16 layouts with effects m + d and m - d in turns have the
 * mean m and the standard deviation d * sqrt(16/15), so the standard error is d / sqrt(15). The 97.5 % quantile of t
 * with 15 degrees of freedom is 2.131449545559323 (R: qt(0.975, 15)), so that m = 2.1314... * d / sqrt(15) has
 * p = 0.05.
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

static void effect_of_record__layout_effects__mean_and_t_interval(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 32, 0.05, 0.01);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_FASTER);
	assert_true(c->has_effect && c->placement_averaged && c->reason == NULL);
	near(c->effect, 0.05);
	near(c->se, 0.01 / sqrt(15));
	near(c->lo, 0.05 - T15 * 0.01 / sqrt(15));
	near(c->hi, 0.05 + T15 * 0.01 / sqrt(15));
	near(c->df, 15);
	near(c->x, c->hi);
	assert_int_equal(c->layouts, 16);
	assert_int_equal(c->rounds, 32);
	assert_int_equal(f.result.rounds, 32);
	assert_int_equal(f.result.family, 1);
	near(c->placement_share, 1); /* rounds of a layout are equal: all of the variance is placement */
	cf_end(&f);
}

static void effect_of_record__p_of_005__multiplied_by_looks(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	f.record->plan.looks[1] = 64;
	f.record->plan.looks[2] = 256; /* beyond rounds_max: not planned */
	f.record->plan.look_count = 3;
	cf_pair(&f, 0, 1, 16, T15 * 0.01 / sqrt(15), 0.01);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(f.result.looks, 2);
	near(c->p, 0.05);
	near(c->p_adjusted, 0.10);
	near(c->lo + 1, 1);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	cf_end(&f);
}

static void effect_of_record__lower_is_better__sign_turns(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	cf_workload(&f, "sort", "s", true);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_SLOWER);
	near(c->effect, -0.05);
	cf_end(&f);
}

static void effect_of_record__small_effects__too_small_or_none(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_build(&f, "sort", "gcc", "v3", false);
	cf_compare(&f, 0, 1);
	cf_compare(&f, 0, 2);
	cf_pair(&f, 0, 1, 16, 0.003, 0.001);
	cf_pair(&f, 2, 2, 16, 0, 0.005);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c[0].answer, ANSWER_TOO_SMALL);
	near(c[0].x, 0.003 + T15 * 0.001 / sqrt(15));
	assert_int_equal(c[1].answer, ANSWER_NO_DIFFERENCE);
	near(c[1].x, T15 * 0.005 / sqrt(15));
	cf_end(&f);
}

static void effect_of_record__all_samples_equal__no_difference_and_no_nan(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0, 0);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_NO_DIFFERENCE);
	near(c->effect, 0);
	near(c->lo, 0);
	near(c->hi, 0);
	near(c->x, 0);
	near(c->p_adjusted, 1);
	near(f.result.cells[0].spread, 0);
	cf_end(&f);
}

static void effect_of_record__copies__summed_and_never_fewer(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	f.record->builds[0].copies = f.record->builds[1].copies = 2;
	for (uint32_t r = 0; r < 17; r++)
		for (uint32_t copy = 0; copy < 2; copy++) {
			size_t a = cf_sample(&f, 0, r, r % 16, 50);
			f.record->samples.v[a].copy = copy;
			if (r == 16 && copy == 1)
				continue; /* the second copy is missing: the sum would lie */
			size_t b = cf_sample(&f, 1, r, r % 16, copy == 0 ? 80 : 30);
			f.record->samples.v[b].copy = copy;
		}
	struct comparison *c = cf_answer(&f);
	near(c->effect, log(1.1));
	assert_int_equal(c->rounds, 16);
	near(f.result.cells[1].median, 110);
	assert_int_equal(f.result.cells[1].failed, 1);
	f.record->kind = "import"; /* one row stands for all copies there */
	cf_answer(&f);
	assert_int_equal(f.result.cells[1].failed, 0);
	cf_end(&f);
}

/* Two copies that take 2 s a unit each make a unit a second: 1 / (1/2 + 1/2); 1 / (1/2 + 1/6) = 1.5. */
static void effect_of_record__copies_of_a_time__rates_are_summed_and_inverted(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	cf_workload(&f, "sort", "s", true);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	f.record->builds[0].copies = f.record->builds[1].copies = 2;
	for (uint32_t r = 0; r < 16; r++)
		for (uint32_t copy = 0; copy < 2; copy++) {
			size_t a = cf_sample(&f, 0, r, r, 2);
			f.record->samples.v[a].copy = copy;
			size_t b = cf_sample(&f, 1, r, r, copy == 0 ? 2 : 6);
			f.record->samples.v[b].copy = copy;
		}
	struct comparison *c = cf_answer(&f);
	near(f.result.cells[0].median, 1);
	near(f.result.cells[1].median, 1.5);
	near(c->effect, log(1 / 1.5));
	f.record->samples.v[0].value = NAN; /* no copy is left out of a sum */
	cf_answer(&f);
	assert_int_equal(f.result.cells[0].failed, 1);
	cf_end(&f);
}

static void mark(struct fixture *f, size_t row, uint32_t marks, uint32_t repeat_of)
{
	f->record->samples.v[row].marks = marks;
	f->record->samples.v[row].repeat_of = repeat_of;
}

/* 16 clean rounds of 100 and 110; round 0 is left to the test. */
static void fifteen_rounds(struct fixture *f)
{
	for (uint32_t r = 1; r < 16; r++) {
		cf_sample(f, 0, r, r, 100);
		cf_sample(f, 1, r, r, 110);
	}
}

static void effect_of_record__repeated_block__last_clean_attempt_of_both(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	size_t a0 = cf_sample(&f, 0, 0, 0, 100), b0 = cf_sample(&f, 1, 0, 0, 50);
	mark(&f, b0, MARK_SHARED, SAMPLE_NONE);
	size_t a1 = cf_sample(&f, 0, 0, 0, 200), b1 = cf_sample(&f, 1, 0, 0, 220);
	mark(&f, a1, 0, (uint32_t)a0);
	mark(&f, b1, 0, (uint32_t)b0);
	size_t a2 = cf_sample(&f, 0, 0, 0, 100), b2 = cf_sample(&f, 1, 0, 0, 300);
	mark(&f, a2, 0,
		(uint32_t)
			a1); /* the block was measured a third time for another cell's sake, and b was marked */
	mark(&f, b2, MARK_WAIT, (uint32_t)b1);
	fifteen_rounds(&f);
	struct comparison *c = cf_answer(&f);
	near(c->effect, log(1.1));
	near(c->hi - c->lo, 0);
	/* the cell's own series keeps the last attempt that has a value */
	assert_int_equal(f.result.cells[1].samples, 16);
	assert_int_equal(f.result.cells[1].marked, 1);
	cf_end(&f);
}

static void effect_of_record__never_clean__last_attempt_counts_as_disturbed(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	size_t a0 = cf_sample(&f, 0, 0, 0, 100), b0 = cf_sample(&f, 1, 0, 0, 50);
	mark(&f, b0, MARK_SHARED, SAMPLE_NONE);
	size_t a1 = cf_sample(&f, 0, 0, 0, 100), b1 = cf_sample(&f, 1, 0, 0, 110);
	mark(&f, a1, MARK_FREQ, (uint32_t)a0);
	mark(&f, b1, 0, (uint32_t)b0);
	fifteen_rounds(&f);
	near(cf_answer(&f)->effect, log(1.1));
	cf_end(&f);
}

static void effect_of_record__repeat_without_the_other__not_paired_across_attempts(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_sample(&f, 0, 0, 0, 100);
	size_t b0 = cf_sample(&f, 1, 0, 0, 110);
	size_t b1 = cf_sample(&f, 1, 0, 0, 300); /* without the baseline: no partner */
	mark(&f, b1, 0, (uint32_t)b0);
	fifteen_rounds(&f);
	near(cf_answer(&f)->effect, log(1.1));
	cf_end(&f);
}

static void effect_of_record__failed_samples_and_other_layouts__left_out(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0.1, 0);
	cf_sample(&f, 0, 16, 0, 100);
	cf_sample(&f, 1, 16, 0, NAN);
	cf_sample(&f, 0, 17, 0, 100);
	size_t row = cf_sample(&f, 1, 17, 0, 900);
	mark(&f, row, MARK_CHECK, SAMPLE_NONE); /* wrong, not fast */
	cf_sample(&f, 0, 18, 0, 100);
	cf_sample(&f, 1, 18, 0, -5);
	cf_sample(&f, 0, 19, 0, 100);
	cf_sample(&f, 1, 19, 1, 900); /* another layout: not side by side */
	struct comparison *c = cf_answer(&f);
	near(c->effect, 0.1);
	assert_int_equal(c->rounds, 16);
	assert_int_equal(f.result.cells[1].failed, 3);
	assert_int_equal(f.result.cells[1].samples, 17);
	cf_end(&f);
}

static void effect_of_record__failed_and_impossible_cells__reason_and_no_place_in_the_family(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	static const char *const variants[] = {"O2", "O3", "static", "lto", "fast", "native"};
	for (uint32_t i = 0; i < 6; i++)
		cf_build(&f, "sort", "gcc", variants[i], i == 0);
	for (uint32_t i = 1; i < 6; i++)
		cf_compare(&f, 0, i);
	cf_compare(&f, 2, 1);
	cf_compare(&f, 0, 99);
	struct record_build *b = f.record->builds;
	b[2].status = CELL_IMPOSSIBLE;
	b[2].reason = "no static C library";
	b[3].status = CELL_BUILD_FAILED;
	b[3].reason = "undefined reference";
	b[4].status = CELL_RUN_FAILED;
	b[4].reason = "killed by signal 4 (SIGILL)";
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c[0].answer, ANSWER_FASTER);
	assert_int_equal(
		f.result.family, 3); /* O3; fast, which broke while it was measured; native, never measured */
	for (int i = 1; i < 7; i++)
		assert_int_equal(c[i].answer, ANSWER_NONE);
	assert_string_equal(c[1].reason, "cannot exist here: no static C library");
	assert_string_equal(c[2].reason, "build failed: undefined reference");
	assert_string_equal(c[3].reason, "run failed: killed by signal 4 (SIGILL)");
	has_text(c[4].reason, "not measured");
	assert_string_equal(c[5].reason, "baseline cannot exist here: no static C library");
	has_text(c[6].reason, "does not have");
	cf_end(&f);
}

static void effect_of_record__one_layout__signed_rank_and_placement_not_averaged(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	for (uint32_t r = 0; r < 10; r++) {
		cf_sample(&f, 0, r, 0, 100);
		cf_sample(&f, 1, r, 0, 100 * exp(0.1 + 0.001 * r));
	}
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_FASTER);
	assert_false(c->placement_averaged);
	near(c->p, 2.0 / 1024);	 /* all ten signs alike: 2 of 2^10 */
	near(c->effect, 0.1045); /* symmetric about its middle */
	near(c->placement_share, -1);
	cf_end(&f);
}

static void effect_of_record__disturbed_unevenly_and_answers_disagree__cant_tell(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	for (uint32_t r = 0; r < 48; r++) {
		bool disturbed = r >= 16;
		cf_sample(&f, 0, r, r % 16, 100);
		size_t row = cf_sample(&f, 1, r, r % 16, disturbed ? 50 : 110);
		mark(&f, row, disturbed ? MARK_SHARED : 0, SAMPLE_NONE);
	}
	struct comparison *c = cf_answer(&f);
	assert_true(c->marked_differ);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	has_text(c->reason, "baseline 0.0 %, this 66.7 % of samples");
	has_text(c->reason, "would be another: faster");
	cf_end(&f);
}

static void effect_of_record__cell__median_interval_and_cpu_time(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	for (uint32_t r = 0; r < 6; r++) {
		size_t row = cf_sample(&f, 0, r, r, 10 * (r + 1));
		f.record->samples.v[row].elapsed_ns = 1000;
		f.record->samples.v[row].user_ns = 700 + 10 * r; /* beyond the timed 1000 for some */
		f.record->samples.v[row].system_ns = 200;
	}
	cf_answer(&f);
	struct cell_summary *cell = &f.result.cells[0];
	near(cell->median, 35);
	assert_true(cell->has_interval); /* all of six: 1 - 2/64 = 96.9 % */
	near(cell->lo, 10);
	near(cell->hi, 60);
	near(cell->user_ns, 725); /* of 700, 710, ... 750 */
	near(cell->system_ns, 200);
	assert_true(cell->very_noisy);
	f.record->samples.v[0].user_ns = -1; /* unknown */
	cf_answer(&f);
	near(f.result.cells[0].user_ns, 730);
	f.record->samples.v[0].value = NAN;
	cf_answer(&f);
	cell = &f.result.cells[0];
	near(cell->median, 40);
	assert_false(cell->has_interval);
	cf_end(&f);
}

static void effect_of_record__rows_of_unknown_builds_and_circular_repeats__harmless(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	cf_sample(&f, 77, 0, 0, 5);
	for (uint32_t i = 0; i < 32; i++)
		f.record->samples.v[i].repeat_of = 32; /* forwards: no chain */
	near(cf_answer(&f)->effect, 0.05);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect_of_record__layout_effects__mean_and_t_interval),
		cmocka_unit_test(effect_of_record__p_of_005__multiplied_by_looks),
		cmocka_unit_test(effect_of_record__lower_is_better__sign_turns),
		cmocka_unit_test(effect_of_record__small_effects__too_small_or_none),
		cmocka_unit_test(effect_of_record__all_samples_equal__no_difference_and_no_nan),
		cmocka_unit_test(effect_of_record__copies__summed_and_never_fewer),
		cmocka_unit_test(effect_of_record__copies_of_a_time__rates_are_summed_and_inverted),
		cmocka_unit_test(effect_of_record__repeated_block__last_clean_attempt_of_both),
		cmocka_unit_test(effect_of_record__never_clean__last_attempt_counts_as_disturbed),
		cmocka_unit_test(effect_of_record__repeat_without_the_other__not_paired_across_attempts),
		cmocka_unit_test(effect_of_record__failed_samples_and_other_layouts__left_out),
		cmocka_unit_test(
			effect_of_record__failed_and_impossible_cells__reason_and_no_place_in_the_family),
		cmocka_unit_test(effect_of_record__one_layout__signed_rank_and_placement_not_averaged),
		cmocka_unit_test(effect_of_record__disturbed_unevenly_and_answers_disagree__cant_tell),
		cmocka_unit_test(effect_of_record__cell__median_interval_and_cpu_time),
		cmocka_unit_test(effect_of_record__rows_of_unknown_builds_and_circular_repeats__harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
