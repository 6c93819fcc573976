/*
 * Expected numbers: arithmetic on exact data, as test_compare_effect.c explains.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/tally.h"
#include "compare/within.h"
#include "compare_fixture.h"

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

static uint32_t copies_of(struct fixture *f, uint32_t build, uint32_t copies)
{
	struct record_build *b = &f->record->builds[build];

	b->copies = copies;
	b->cell = arena_printf(&f->arena, "%s/%s/%s/%u", b->workload, b->slot, b->variant, copies);
	return build;
}

/* One workload, gcc and clang, O2, O3, v3; each cell k has exp(0.01 k) times the speed of the first. */
static void grid(struct fixture *f)
{
	static const char *const slots[] = {"gcc", "clang"}, *const variants[] = {"O2", "O3", "v3"};

	cf_begin(f);
	for (uint32_t s = 0; s < 2; s++)
		for (uint32_t v = 0; v < 3; v++) {
			uint32_t b = cf_build(f, "sort", slots[s], variants[v], v == 0);

			if (v > 0)
				cf_compare(f, 3 * s, 3 * s + v);
			for (uint32_t r = 0; r < 16; r++)
				cf_sample(f, b, r, r, 100 * exp(0.01 * b + (b % 3) * 1e-4 * cf_sign(r)));
		}
}

static int compare(struct fixture *f, struct within_options options, struct within *within, struct error *e)
{
	return within_compare(f->record, &options, &f->arena, within, e);
}

static void within_compare__nothing_asked__the_runs_own_family(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), 0);
	assert_int_equal(w.by, WITHIN_VARIANT);
	assert_string_equal(w.baseline, "O2");
	assert_false(w.own_family);
	assert_int_equal(w.result.comparison_count, 4);
	struct comparison *own = cf_answer(&f);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(w.result.comparisons[i].a, own[i].a);
		assert_int_equal(w.result.comparisons[i].b, own[i].b);
		near(w.result.comparisons[i].p_adjusted, own[i].p_adjusted);
	}
	cf_end(&f);
}

static void within_compare__other_baseline__effects_against_it(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	assert_int_equal(compare(&f, (struct within_options){.baseline = "O3"}, &w, &e), 0);
	assert_true(w.own_family);
	assert_int_equal(w.result.comparison_count, 4);
	assert_int_equal(w.result.family, 4);
	assert_int_equal(w.result.comparisons[0].a, 1); /* gcc/O3 */
	assert_int_equal(w.result.comparisons[0].b, 0);
	near(w.result.comparisons[0].effect, -0.01);
	assert_int_equal(w.result.comparisons[0].answer, ANSWER_SLOWER);
	near(w.result.comparisons[1].effect, 0.01);
	assert_int_equal(w.result.comparisons[2].a, 4); /* clang/O3 */
	assert_false(f.record->builds[1].baseline);	/* the record itself stays as it was */
	assert_int_equal(f.record->plan.comparison_count, 4);
	cf_end(&f);
}

static void within_compare__by_slot__paired_over_variants(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	assert_int_equal(compare(&f, (struct within_options){.by = WITHIN_SLOT}, &w, &e), 0);
	assert_string_equal(w.baseline, "gcc");
	assert_int_equal(w.result.comparison_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(w.result.comparisons[i].a, i);
		assert_int_equal(w.result.comparisons[i].b, i + 3);
		near(w.result.comparisons[i].effect, 0.03);
	}
	assert_int_equal(compare(&f, (struct within_options){.baseline = "clang"}, &w, &e), 0);
	assert_int_equal(w.by, WITHIN_SLOT); /* the name says which axis is meant */
	near(w.result.comparisons[0].effect, -0.03);
	cf_end(&f);
}

static void within_compare__by_copies__rate_of_all_together(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	copies_of(&f, cf_build(&f, "sort", "gcc", "O2", true), 2);
	for (uint32_t r = 0; r < 16; r++) {
		cf_sample(&f, 0, r, r, 100);
		for (uint32_t copy = 0; copy < 2; copy++) {
			size_t row = cf_sample(&f, 1, r, r, 95);

			f.record->samples.v[row].copy = copy;
		}
	}
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), 0);
	assert_int_equal(w.by, WITHIN_COPIES);
	assert_string_equal(w.baseline, "1");
	near(w.result.comparisons[0].effect, log(1.9));
	cf_end(&f);
}

static void within_compare__closed_at_a_look__look_stands_in_either_direction(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	f.record->plan.comparisons[0].closed_at = 16;
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	for (uint32_t r = 16; r < 32; r++) { /* rounds after the look say something else */
		cf_sample(&f, 0, r, r % 16, 100);
		cf_sample(&f, 1, r, r % 16, 50);
	}
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), 0);
	near(w.result.comparisons[0].effect, 0.05);
	assert_int_equal(compare(&f, (struct within_options){.baseline = "O3"}, &w, &e), 0);
	near(w.result.comparisons[0].effect, -0.05);
	assert_int_equal(w.result.comparisons[0].closed_at, 16);
	cf_end(&f);
}

/* `run --only` keeps the matrix' baseline beside a cell, not the one that was asked for here. */
static void within_compare__another_baseline__the_command_names_both_cells(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_build(&f, "sort", "gcc", "v3", false);
	cf_compare(&f, 0, 1);
	cf_compare(&f, 0, 2);
	cf_pair(&f, 1, 2, 32, 0, 0.02);
	assert_int_equal(compare(&f, (struct within_options){.baseline = "O3"}, &w, &e), 0);
	for (size_t i = 0; i < w.result.comparison_count; i++)
		if (w.result.comparisons[i].b == 2)
			has_text(w.result.comparisons[i].reason,
				"--only sort/gcc/v3/1 --only sort/gcc/O3/1 --");
	assert_int_equal(w.result.comparison_count, 2);
	cf_end(&f);
}

static void within_compare__only__smaller_family(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	struct words only = {0};
	grid(&f);
	words_add(&only, &f.arena, "/clang");
	assert_int_equal(compare(&f, (struct within_options){.only = &only}, &w, &e), 0);
	assert_int_equal(w.result.comparison_count, 2);
	assert_int_equal(w.result.family, 2);
	assert_true(w.own_family);
	words_add(&only, &f.arena, "nothing");
	assert_int_equal(compare(&f, (struct within_options){.only = &only}, &w, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	has_text(e.text, "no cell of the record matches \"nothing\"");
	cf_end(&f);
}

static void within_compare__settings__override_the_records(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	assert_int_equal(compare(&f, (struct within_options){.matters = 0.05, .precision = 0.04}, &w, &e), 0);
	assert_int_equal(w.result.comparisons[0].answer, ANSWER_TOO_SMALL);
	near(f.record->plan.settings.matters, 0.005);
	cf_end(&f);
}

static void within_compare__same_code__found_by_hash_across_slots(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	f.record->builds[3].code_hash = f.record->builds[0].code_hash;
	assert_int_equal(compare(&f, (struct within_options){.by = WITHIN_SLOT}, &w, &e), 0);
	assert_int_equal(w.result.comparisons[0].answer, ANSWER_SAME_CODE);
	assert_int_equal(w.result.family, 2);
	assert_int_equal(
		compare(&f, (struct within_options){.by = WITHIN_SLOT, .no_same_code = true}, &w, &e), 0);
	assert_int_equal(w.result.comparisons[0].answer, ANSWER_FASTER);
	cf_end(&f);
}

static void within_compare__no_baseline_cell__listed(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	cf_build(&f, "other", "gcc", "O3", false);
	cf_build(&f, "fixed", "none", "none", false);
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), 0);
	assert_int_equal(w.result.comparison_count, 4);
	assert_int_equal(w.no_baseline.n, 1);
	assert_string_equal(w.no_baseline.v[0], "other/gcc/O3/1");
	cf_end(&f);
}

static void within_compare__unknown_baseline__nearest_and_list(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	grid(&f);
	assert_int_equal(
		compare(&f, (struct within_options){.by = WITHIN_SLOT, .baseline = "clagn"}, &w, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	has_text(e.text, "did you mean clang?");
	has_text(e.text, "there are: gcc clang");
	e = (struct error){0};
	assert_int_equal(compare(&f, (struct within_options){.baseline = "zzzzzz"}, &w, &e), -1);
	has_text(e.text, "there are: O2 O3 v3 gcc clang 1");
	cf_end(&f);
}

static void within_compare__nothing_differs__nothing_to_compare(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct error e = {0};
	cf_begin(&f);
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), -1); /* no cells at all */
	assert_int_equal(e.code, EXIT_NOTHING);
	cf_build(&f, "sort", "gcc", "O2", true);
	assert_int_equal(compare(&f, (struct within_options){0}, &w, &e), -1);
	assert_int_equal(e.code, EXIT_NOTHING);
	assert_int_equal(compare(&f, (struct within_options){.by = WITHIN_COPIES}, &w, &e), -1);
	has_text(e.text, "only the 1");
	cf_end(&f);
}

static void tally__answers__codes_of_the_design(void **state)
{
	(void)state;
	struct comparison slower = {.answer = ANSWER_SLOWER, .effect = -0.06};
	struct comparison open = {.answer = ANSWER_CANT_TELL}, none = {.answer = ANSWER_NONE};
	struct tally tally = {0};
	assert_int_equal(tally_code(&tally, false), EXIT_NOTHING);
	tally_add(&tally, &none, -1);
	assert_int_equal(tally_code(&tally, false), EXIT_NOTHING);
	tally_add(&tally, &open, -1);
	assert_int_equal(tally_code(&tally, false), EXIT_UNDECIDED);
	tally_add(&tally, &slower, -1); /* no gate */
	assert_int_equal(tally_code(&tally, false), EXIT_YES);
	assert_int_equal(tally_code(&tally, true), EXIT_UNDECIDED);
	tally_add(&tally, &slower, 0.05); /* exp(0.06) - 1 = 6.2 % longer */
	assert_int_equal(tally_code(&tally, false), EXIT_NO);
	assert_int_equal(tally.beyond, 1);
	assert_false(tally_is_beyond(&slower, 0.062));
	assert_true(tally_is_beyond(&slower, 0.0618));
	slower.answer = ANSWER_CANT_TELL;
	assert_false(tally_is_beyond(&slower, 0.01));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_compare__nothing_asked__the_runs_own_family),
		cmocka_unit_test(within_compare__other_baseline__effects_against_it),
		cmocka_unit_test(within_compare__by_slot__paired_over_variants),
		cmocka_unit_test(within_compare__by_copies__rate_of_all_together),
		cmocka_unit_test(within_compare__closed_at_a_look__look_stands_in_either_direction),
		cmocka_unit_test(within_compare__another_baseline__the_command_names_both_cells),
		cmocka_unit_test(within_compare__only__smaller_family),
		cmocka_unit_test(within_compare__settings__override_the_records),
		cmocka_unit_test(within_compare__same_code__found_by_hash_across_slots),
		cmocka_unit_test(within_compare__no_baseline_cell__listed),
		cmocka_unit_test(within_compare__unknown_baseline__nearest_and_list),
		cmocka_unit_test(within_compare__nothing_differs__nothing_to_compare),
		cmocka_unit_test(tally__answers__codes_of_the_design),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
