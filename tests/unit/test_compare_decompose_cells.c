/* What each flag gave where cells are missing, closed early, have one code or were disturbed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "decompose_fixture.h"

#define T_975_15 2.131449545559323 /* R: qt(0.975, 15) */

/* Without T0+C+k0 the orders in which C comes first are out: T 12 12 31 35, C -4 -3 -3 -7, K 12 11 -8 -8 as TCK TKC KTC
 * KCT; by hand. */
static void decompose__cell_failed__partial_and_parts_add_up(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	f.record->builds[2].status = CELL_BUILD_FAILED;
	f.record->builds[2].reason = "cc1: error";
	df_split(&f, &d);
	const struct decompose_effect *t = df_effect(&d, 0, 0, "part", "T");
	df_near(t->c.effect, (12 + 12 + 31 + 35) / 4.0 / 1000);
	df_near(df_effect_of(&d, "part", "C"), (-4 - 3 - 7 - 3) / 4.0 / 1000);
	df_near(df_effect_of(&d, "part", "K"), (12 + 11 - 8 - 8) / 4.0 / 1000);
	df_parts_add_up(d.groups[0].rows[0].effects, 3);
	assert_true(t->partial);
	df_near(t->used, 4);
	df_near(t->possible, 6);
	assert_string_equal(t->missing, "t0+C+k0: build failed: cc1: error");
	assert_false(df_effect(&d, 0, 0, "whole", "all together")->partial);
	/* over the other axes' combinations that have both: T 12 31 35, C -7 -3 -4, K -8 11 12 */
	df_near(df_effect_of(&d, "main effect", "T"), (12 + 31 + 35) / 3.0 / 1000);
	df_near(df_effect(&d, 0, 0, "main effect", "C")->used, 3);
	df_near(df_effect_of(&d, "main effect", "C"), (-4 - 7 - 3) / 3.0 / 1000);
	df_near(df_effect_of(&d, "interaction", "T x C"), (35 - 31) / 1000.0);
	cf_end(&f);
}

static void decompose__ends_only__the_whole_without_parts(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_PILOT;
	df_cell(&f, "sort", "gcc", "t0+c0+k0", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "T+C+K", false, 0.02, 0, 16);
	df_split(&f, &d);
	const struct decompose_effect *t = df_effect(&d, 0, 0, "part", "T");
	assert_int_equal(t->c.answer, ANSWER_NONE);
	assert_false(t->c.has_effect);
	df_has(t->c.reason, "the record has no such cell");
	df_near(df_effect_of(&d, "whole", "all together"), 0.02);
	assert_int_equal(df_effect(&d, 0, 0, "main effect", "T")->c.answer, ANSWER_NONE);
	assert_int_equal(d.result.family, 1);
	cf_end(&f);
}

static void decompose__no_target_or_no_reference__said(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	f.record->builds[7].status = CELL_IMPOSSIBLE;
	f.record->builds[7].reason = "no static C library";
	df_split(&f, &d);
	df_has(df_effect(&d, 0, 0, "whole", "all together")->c.reason,
		"T+C+K: cannot exist here: no static C library");
	assert_int_equal(df_effect(&d, 0, 0, "part", "T")->c.answer, ANSWER_NONE);
	df_near(df_effect_of(&d, "main effect", "T"), (12 + 14 + 31) / 3.0 / 1000);
	f.record->builds[0].status = CELL_RUN_FAILED;
	f.record->builds[0].reason = "killed by signal 4 (SIGILL)";
	df_split(&f, &d);
	df_has(df_effect(&d, 0, 0, "main effect", "T")->c.reason,
		"the baseline t0+c0+k0: run failed: killed by signal 4 (SIGILL)");
	assert_int_equal(d.result.family, 0);
	cf_end(&f);
}

/* --only leaves cells out, which are missing then; the reference stays. */
static void decompose__only__what_is_left_out_is_missing(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct words only = {0};
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	df_pilot(&f, "hash", "gcc", 1);
	words_add(&only, &f.arena, "sort//T*");
	df_split_as(&f, (struct decompose_options){.only = &only}, &d);
	assert_int_equal(d.groups[0].row_count, 1);
	df_near(df_effect(&d, 0, 0, "part", "T")->used, 2); /* T first */
	df_near(df_effect_of(&d, "part", "T"), 0.012);
	df_has(df_effect(&d, 0, 0, "part", "T")->missing, "left out by --only");
	df_parts_add_up(d.groups[0].rows[0].effects, 3);
	cf_end(&f);
}

/* A cell of four layouts has no comparison of its own, so it is none here either. */
static void decompose__too_few_layouts__not_measured(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O2+lto", false, 0.01, 0, 4);
	df_cell(&f, "sort", "gcc", "O3+p", false, 0.02, 0, 16);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.04, 0, 16);
	df_split(&f, &d);
	df_has(df_effect(&d, 0, 0, "part", "lto")->missing,
		"O2+lto: too few layouts that both have: 4, at least 8 are needed");
	df_near(df_effect(&d, 0, 0, "part", "lto")->used, 1);
	df_near(df_effect_of(&d, "part", "lto"), 0.02);
	cf_end(&f);
}

/* Each cell has eight layouts of its own, and only four in common: enough for no sum. */
static void decompose__too_few_layouts_in_common__cannot_tell(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O2+lto", false, 0.01, 0, 8);
	cf_build(&f, "sort", "gcc", "O3+p", false);
	for (uint32_t r = 4; r < 12; r++)
		cf_sample(&f, 2, r, r, 102);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.04, 0, 16);
	df_split(&f, &d);
	const struct comparison *c = &df_effect(&d, 0, 0, "part", "lto")->c;
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	assert_false(c->has_effect);
	df_has(c->reason, "too few layouts that both have: 4");
	cf_end(&f);
}

/* --- looks, codes, marks --- */

/* O3+p closed at 16 rounds: sums with it use 16 rounds, in which O2+lto gave 0.01 and not the 0.03 of later ones. */
static void decompose__cell_closed_early__all_of_a_sum_from_one_look(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_HEAD
		"baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}, static: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 64);
	cf_build(&f, "sort", "gcc", "O2+lto", false);
	for (uint32_t r = 0; r < 64; r++)
		cf_sample(&f, 1, r, r % 16, 100 * exp(r < 16 ? 0.01 : 0.03));
	df_cell(&f, "sort", "gcc", "O3+p", false, 0.2, 0, 16);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.25, 0, 64);
	f.record->plan.looks[1] = 64;
	f.record->plan.look_count = 2;
	for (uint32_t b = 1; b < 4; b++)
		cf_compare(&f, 0, b);
	f.record->plan.comparisons[1].closed_at = 16;
	df_split_as(&f, (struct decompose_options){.target = "O3+lto"}, &d);
	const struct comparison *c = &df_effect(&d, 0, 0, "part", "lto")->c;
	df_near(c->effect, (0.01 + 0.05) / 2);
	assert_int_equal(c->rounds, 16);
	assert_int_equal(c->closed_at, 16);
	df_parts_add_up(d.groups[0].rows[0].effects, 2);
	assert_int_equal(d.result.looks, 2);
	df_split_as(&f, (struct decompose_options){.target = "O2+lto"}, &d);
	c = &df_effect(&d, 0, 0, "part", "lto")->c;
	df_near(c->effect, 0.03); /* of its own two cells: all rounds, of which 48 of 64 say so */
	assert_int_equal(c->rounds, 64);
	assert_int_equal(c->closed_at, 0);
	cf_end(&f);
}

/* A round that one cell lacks is missing for that cell only. */
static void decompose__round_without_a_value__missing_for_that_cell(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	for (uint32_t b = 0; b < 8; b++)
		for (uint32_t r = 16; r < 64; r++) /* other rounds would give another answer for b = 1 */
			cf_sample(&f, b, r, r % 16,
				b == 1 && r >= 48 ? NAN : f.record->samples.v[b * 16].value);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "main effect", "T"), 0.023);
	assert_int_equal(df_effect(&d, 0, 0, "main effect", "T")->c.rounds, 48);
	assert_int_equal(df_effect(&d, 0, 0, "main effect", "T")->c.layouts, 16);
	cf_end(&f);
}

/* lto makes no other code under O2 and the same under O3 as without: it gave exactly nothing, whatever was measured. */
static void decompose__same_code__exactly_nothing_and_parts_add_up(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O2+lto", false, 0.004, 0.001, 16);
	df_cell(&f, "sort", "gcc", "O3+p", false, 0.02, 0, 16);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.03, 0.001, 16);
	f.record->builds[1].code_hash = f.record->builds[0].code_hash;
	f.record->builds[3].code_hash = f.record->builds[2].code_hash;
	df_split(&f, &d);
	assert_int_equal(df_effect(&d, 0, 0, "part", "lto")->c.answer, ANSWER_SAME_CODE);
	assert_int_equal(df_effect(&d, 0, 0, "main effect", "lto")->c.answer, ANSWER_SAME_CODE);
	assert_int_equal(df_effect(&d, 0, 0, "interaction", "O3 x lto")->c.answer, ANSWER_SAME_CODE);
	df_near(df_effect_of(&d, "part", "O3"), 0.025); /* both cells of O3 are one code: its mean */
	df_near(df_effect_of(&d, "whole", "all together"), 0.025);
	df_parts_add_up(d.groups[0].rows[0].effects, 2);
	assert_int_equal(d.result.family, 3);
	/* judged like any other code it has its own value */
	df_split_as(&f, (struct decompose_options){.no_same_code = true}, &d);
	df_near(df_effect_of(&d, "part", "lto"), (0.004 + 0.01) / 2);
	df_near(df_effect_of(&d, "whole", "all together"), 0.03);
	df_parts_add_up(d.groups[0].rows[0].effects, 2);
	assert_int_equal(d.result.family, 6);
	cf_end(&f);
}

/* The target has the baseline's code, though each flag alone makes another: the whole is nothing, the parts cancel. */
static void decompose__target_of_the_same_code__parts_cancel(void **state)
{
	(void)state;
	static const double v[4] = {0, 0.02, -0.01, 0.5};
	struct fixture f;
	struct decomposition d;
	df_play(&f, 2, v);
	f.record->builds[3].code_hash = f.record->builds[0].code_hash;
	df_split(&f, &d);
	assert_int_equal(df_effect(&d, 0, 0, "whole", "all together")->c.answer, ANSWER_SAME_CODE);
	df_near(df_effect_of(&d, "part", "p0"), (-0.01 - 0.02) / 2);
	df_near(df_effect_of(&d, "part", "p1"), (0.02 + 0.01) / 2);
	cf_end(&f);
}

/* Marked samples of one cell say something else than its clean ones: can't tell. */
static void decompose__disturbed_unequally__reconciled(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {}}\n";
	df_cell(&f, "sort", "gcc", "O2", true, 0, 1e-4, 64);
	cf_build(&f, "sort", "gcc", "O3", false);
	for (uint32_t r = 0; r < 64; r++) {
		bool clean = r / 16 == 0;
		size_t row =
			cf_sample(&f, 1, r, r % 16, 100 * exp((clean ? 0 : 0.05) + 2e-4 * cf_sign(r / 2)));
		f.record->samples.v[row].marks = clean ? 0 : MARK_SHARED;
	}
	df_split(&f, &d);
	const struct comparison *c = &df_effect(&d, 0, 0, "whole", "all together")->c;
	assert_true(c->marked_differ);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	df_has(c->reason, "disturbed");
	cf_end(&f);
}

/* Twelve cells of one code that differ more than chance allows: all intervals are wider by lambda. */
static void decompose__inflated_run__standard_errors_by_lambda(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct rng rng;
	cf_begin(&f);
	rng_seed_text(&rng, "inflated");
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {}}\n";
	df_cell(&f, "sort", "gcc", "O2", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O3", false, 0.01, 0.001, 16);
	for (int i = 0; i < 12; i++) {
		uint32_t b = df_cell(&f, "hash", "none", arena_printf(&f.arena, "x%d", i), false,
			0.003 * (rng_unit(&rng) - 0.5), 0.001 * (1 + 0.1 * i), 16);

		f.record->builds[b].code_hash = "one";
	}
	df_split(&f, &d);
	assert_true(d.result.lambda > 1.2);
	const struct comparison *c = &df_effect(&d, 0, 0, "whole", "all together")->c;
	df_near(c->se, d.result.lambda * 0.001 / sqrt(15));
	df_near(c->hi, 0.01 + T_975_15 * c->se);
	assert_int_equal(d.fixed.n, 1);
	assert_string_equal(d.fixed.v[0], "hash");
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decompose__cell_failed__partial_and_parts_add_up),
		cmocka_unit_test(decompose__ends_only__the_whole_without_parts),
		cmocka_unit_test(decompose__no_target_or_no_reference__said),
		cmocka_unit_test(decompose__only__what_is_left_out_is_missing),
		cmocka_unit_test(decompose__too_few_layouts__not_measured),
		cmocka_unit_test(decompose__too_few_layouts_in_common__cannot_tell),
		cmocka_unit_test(decompose__cell_closed_early__all_of_a_sum_from_one_look),
		cmocka_unit_test(decompose__round_without_a_value__missing_for_that_cell),
		cmocka_unit_test(decompose__same_code__exactly_nothing_and_parts_add_up),
		cmocka_unit_test(decompose__target_of_the_same_code__parts_cancel),
		cmocka_unit_test(decompose__disturbed_unequally__reconciled),
		cmocka_unit_test(decompose__inflated_run__standard_errors_by_lambda),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
