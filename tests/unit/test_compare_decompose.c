/* What each flag gave: designs and games with known answers, and what must hold whatever was measured. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/within.h"
#include "decompose_fixture.h"

#define T_975_15 2.131449545559323 /* R: qt(0.975, 15) */

/*
 * Box, Hunter and Hunter, Statistics for Experimenters, the 2^3 pilot plant: yields 60 72 54 68 52 83 45 80, effects
 * T 23, C -5, K 1.5, TC 1.5, TK 10, CK 0. Here they are logarithms in thousandths; an interaction is twice theirs.
 */
static void decompose__pilot_plant__published_effects(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "main effect", "T"), 0.023);
	df_near(df_effect_of(&d, "main effect", "C"), -0.005);
	df_near(df_effect_of(&d, "main effect", "K"), 0.0015);
	df_near(df_effect_of(&d, "interaction", "T x C"), 2 * 0.0015);
	df_near(df_effect_of(&d, "interaction", "T x K"), 2 * 0.010);
	df_near(df_effect_of(&d, "interaction", "C x K"), 0);
	/* by hand, over the six orders: T 12 14 31 35, C -6 -4 -7 -3, K -8 -9 11 12, ends twice the middle ones */
	df_near(df_effect_of(&d, "part", "T"), (2 * 12 + 14 + 31 + 2 * 35) / 6.0 / 1000);
	df_near(df_effect_of(&d, "part", "C"), (2 * -6 - 4 - 7 + 2 * -3) / 6.0 / 1000);
	df_near(df_effect_of(&d, "part", "K"), (2 * -8 - 9 + 11 + 2 * 12) / 6.0 / 1000);
	df_near(df_effect_of(&d, "whole", "all together"), 0.020);
	assert_int_equal(d.term_count, 3 + 1 + 3 + 3);
	assert_string_equal(d.design.reference_name, "t0+c0+k0");
	assert_string_equal(d.design.target_name, "T+C+K");
	df_near(df_effect(&d, 0, 0, "part", "T")->used, 6);
	df_near(df_effect(&d, 0, 0, "main effect", "T")->used, 4);
	df_near(df_effect(&d, 0, 0, "interaction", "T x C")->used, 2);
	assert_string_equal(d.design.axes[2].values[1].flags, "-DK; link: -s");
	assert_string_equal(d.design.axes[2].values[0].flags, "(none)");
	cf_end(&f);
}

/* Shapley's glove game (1/6, 1/6, 4/6) and the airport game of needs 8 11 13 18 (2, 3, 4, 9): Wikipedia. */
static void decompose__published_games__their_shares(void **state)
{
	(void)state;
	static const double need[4] = {8, 11, 13, 18};
	double glove[8] = {0, 0, 0, 0.1, 0, 0.1, 0, 0.1}, airport[16] = {0};
	struct fixture f;
	struct decomposition d;
	df_play(&f, 3, glove);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "part", "p0"), 0.1 / 6);
	df_near(df_effect_of(&d, "part", "p1"), 0.1 / 6);
	df_near(df_effect_of(&d, "part", "p2"), 0.4 / 6);
	cf_end(&f);
	for (unsigned s = 0; s < 16; s++)
		for (unsigned i = 0; i < 4; i++)
			if ((s >> (3 - i) & 1) != 0)
				airport[s] = fmax(airport[s], need[i] / 100);
	df_play(&f, 4, airport);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "part", "p0"), 0.02);
	df_near(df_effect_of(&d, "part", "p1"), 0.03);
	df_near(df_effect_of(&d, "part", "p2"), 0.04);
	df_near(df_effect_of(&d, "part", "p3"), 0.09);
	cf_end(&f);
}

/* Rounds full of noise, bursts and holes: parts add up, and the whole is what compare says. */
static void noisy(struct fixture *f, const char *text, const char *const *names, size_t n, uint32_t rounds,
	uint32_t layouts)
{
	struct rng rng;

	cf_begin(f);
	rng_seed_text(&rng, "noisy");
	f->record->plan.matrix_text = text;
	for (size_t i = 0; i < n; i++)
		cf_build(f, "sort", "gcc", names[i], i == 0);
	for (uint32_t i = 1; i < n; i++)
		cf_compare(f, 0, i);
	for (uint32_t r = 0; r < rounds; r++)
		for (uint32_t i = 0; i < n; i++) {
			double noise = 0.01 * (rng_unit(&rng) - 0.5) + (rng_below(&rng, 20) == 0 ? 0.2 : 0);

			if (rng_below(&rng, 12) != 0 || r < 16)
				cf_sample(f, i, r, r % layouts, 100 * exp(0.004 * i + noise));
		}
}

static const char *const pilot_names[8] = {
	"t0+c0+k0", "t0+c0+K", "t0+C+k0", "t0+C+K", "T+c0+k0", "T+c0+K", "T+C+k0", "T+C+K"};

static void check_against_compare(struct fixture *f, const struct decomposition *d)
{
	struct within w;
	struct error e = {0};

	df_parts_add_up(d->groups[0].rows[0].effects, d->part_count);
	assert_int_equal(within_compare(f->record, &(struct within_options){0}, &f->arena, &w, &e), 0);
	df_near(df_effect_of(d, "whole", "all together"), w.result.comparisons[6].effect);
	assert_string_equal(w.record.builds[w.result.comparisons[6].b].variant, "T+C+K");
}

static void decompose__noise_and_holes__parts_add_up_to_what_compare_says(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	noisy(&f, DF_PILOT, pilot_names, 8, 96, 16);
	df_split(&f, &d);
	check_against_compare(&f, &d);
	assert_true(df_effect(&d, 0, 0, "part", "T")->c.placement_averaged);
	assert_int_equal(df_effect(&d, 0, 0, "part", "T")->c.layouts, 16);
	assert_true(df_effect(&d, 0, 0, "part", "T")->c.rounds < 96);
	assert_true(df_effect(&d, 0, 0, "part", "T")->c.placement_share >= 0);
	cf_end(&f);
}

static void decompose__one_layout__by_rounds_and_parts_add_up(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	noisy(&f, DF_PILOT, pilot_names, 8, 48, 1);
	f.record->plan.settings.layouts_min = 1;
	df_split(&f, &d);
	check_against_compare(&f, &d);
	const struct comparison *c = &df_effect(&d, 0, 0, "part", "T")->c;
	assert_false(c->placement_averaged);
	assert_int_equal(c->layouts, 1);
	df_near(c->df, 31); /* 32 parts of the rounds */
	assert_true(c->lo < c->effect && c->effect < c->hi);
	if (c->answer == ANSWER_CANT_TELL)
		df_has(c->reason, "placement is not averaged");
	cf_end(&f);
}

/*
 * One layout, by hand: seven rounds of two cells, effects 1 2 3 4 5 6 9 in hundredths, the reference always the same.
 * Worked out with Python from the definition: the Hodges-Lehmann estimates of all and of each six of them, the
 * jackknife's standard error sqrt(6/7 sum (x_i - mean)^2), and R's qt(0.975, 6) = 2.446911851144969.
 */
static void decompose__one_layout__interval_by_hand(void **state)
{
	(void)state;
	static const double effect[7] = {1, 2, 3, 4, 5, 6, 9};
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {}}\n";
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	for (uint32_t r = 0; r < 7; r++) {
		cf_sample(&f, 0, r, 0, 100);
		cf_sample(&f, 1, r, 0, 100 * exp(effect[r] / 100));
	}
	df_split(&f, &d);
	const struct comparison *c = &df_effect(&d, 0, 0, "whole", "all together")->c;
	df_near(c->effect, 0.04);
	df_near(c->se, 0.010202040612204066);
	df_near(c->lo, 0.04 - 2.446911851144969 * 0.010202040612204066);
	df_near(df_effect_of(&d, "main effect", "O3"), c->effect);
	df_near(df_effect_of(&d, "part", "O3"), c->effect);
	assert_int_equal(d.result.family, 3);
	cf_end(&f);
}

/* Of four cells one goes up and down by 0.002 from layout to layout: half of that is in a main effect's standard error,
 * d / sqrt(15) for the mean of 16 layouts. */
static void decompose__interval__t_over_layouts(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O2+lto", false, 0.01, 0, 16);
	df_cell(&f, "sort", "gcc", "O3+p", false, 0.02, 0, 16);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.04, 0.002, 16);
	df_split(&f, &d);
	double se = 0.002 / sqrt(15);
	const struct comparison *c = &df_effect(&d, 0, 0, "main effect", "O3")->c;
	df_near(c->effect, 0.025);
	df_near(c->se, se / 2);
	df_near(c->lo, 0.025 - T_975_15 * se / 2);
	df_near(c->df, 15);
	c = &df_effect(&d, 0, 0, "interaction", "O3 x lto")->c;
	df_near(c->effect, 0.01);
	df_near(c->hi, 0.01 + T_975_15 * se);
	c = &df_effect(&d, 0, 0, "part", "lto")->c;
	df_near(c->effect, (0.01 + 0.02) / 2);
	df_near(c->se, se / 2);
	df_near(df_effect_of(&d, "whole", "all together"), 0.04);
	/* two parts, the whole, two main effects, an interaction */
	assert_int_equal(d.result.family, 6);
	cf_end(&f);
}

/* The same cells under a matrix whose axes stand in another order: every effect is the same. */
static void decompose__axes_in_another_order__same_effects(void **state)
{
	(void)state;
	static const char *const turned[8] = {
		"k0+t0+c0", "K+t0+c0", "k0+t0+C", "K+t0+C", "k0+T+c0", "K+T+c0", "k0+T+C", "K+T+C"};
	static const char *const labels[3] = {"T", "C", "K"};
	struct fixture f, g;
	struct decomposition a, b;
	noisy(&f, DF_PILOT, pilot_names, 8, 64, 16);
	noisy(&g,
		DF_HEAD
		"baseline: k0+t0+c0\naxes:\n  catalyst: {k0: {}, K: {}}\n  temperature: {t0: {}, T: {}}\n"
		"  concentration: {c0: {}, C: {}}\n",
		turned, 8, 64, 16);
	df_split(&f, &a);
	df_split(&g, &b);
	for (int i = 0; i < 3; i++) {
		df_near(df_effect_of(&a, "part", labels[i]), df_effect_of(&b, "part", labels[i]));
		df_near(df_effect_of(&a, "main effect", labels[i]),
			df_effect_of(&b, "main effect", labels[i]));
		df_near(df_effect(&a, 0, 0, "part", labels[i])->c.se,
			df_effect(&b, 0, 0, "part", labels[i])->c.se);
	}
	df_near(df_effect_of(&a, "interaction", "T x K"), df_effect_of(&b, "interaction", "K x T"));
	cf_end(&f);
	cf_end(&g);
}

/* Two flags that do the same in every company get the same share, whatever the third does. */
static void decompose__symmetric_flags__equal_shares(void **state)
{
	(void)state;
	static const double v[8] = {0, 0.01, 0.02, 0.05, 0.02, 0.05, 0.03, 0.11};
	struct fixture f;
	struct decomposition d;
	df_play(&f, 3, v);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "part", "p0"), df_effect_of(&d, "part", "p1"));
	df_near(df_effect_of(&d, "main effect", "p0"), df_effect_of(&d, "main effect", "p1"));
	df_near(df_effect_of(&d, "interaction", "p0 x p2"), df_effect_of(&d, "interaction", "p1 x p2"));
	df_parts_add_up(d.groups[0].rows[0].effects, 3);
	cf_end(&f);
}

/* Three values of an axis: each against the reference's; a target that differs in one axis only. */
static void decompose__three_values__each_against_the_reference(void **state)
{
	(void)state;
	static const char *const names[6] = {"O2+p", "O2+lto", "O3+p", "O3+lto", "Os+p", "Os+lto"};
	static const double v[6] = {0, 0.01, 0.02, 0.05, -0.03, -0.01};
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}, Os: {}}\n  link: {p: {}, lto: {}}\n";
	for (int i = 0; i < 6; i++)
		df_cell(&f, "sort", "gcc", names[i], i == 0, v[i], 0, 16);
	df_split(&f, &d);
	assert_string_equal(d.design.target_name, "Os+lto");
	df_near(df_effect_of(&d, "main effect", "O3"), (0.02 + 0.04) / 2);
	df_near(df_effect_of(&d, "main effect", "Os"), (-0.03 - 0.02) / 2);
	df_near(df_effect_of(&d, "main effect", "lto"), (0.01 + 0.03 + 0.02) / 3);
	df_near(df_effect_of(&d, "interaction", "O3 x lto"), 0.05 - 0.02 - 0.01);
	df_near(df_effect_of(&d, "interaction", "Os x lto"), -0.01 + 0.03 - 0.01);
	df_near(df_effect_of(&d, "part", "Os"), (-0.03 - 0.02) / 2);
	df_near(df_effect_of(&d, "whole", "all together"), -0.01);
	df_split_as(&f, (struct decompose_options){.target = "O3+p"}, &d);
	assert_int_equal(d.part_count, 1);
	df_near(df_effect_of(&d, "part", "O3"), 0.02);
	/* another reference: its own values are what the others are held against */
	df_split_as(&f, (struct decompose_options){.reference = "O3+lto", .target = "O2+p"}, &d);
	df_near(df_effect_of(&d, "whole", "all together"), -0.05);
	df_near(df_effect_of(&d, "part", "O2"), (-0.04 - 0.02) / 2);
	df_near(df_effect_of(&d, "main effect", "p"), -(0.01 + 0.03 + 0.02) / 3);
	cf_end(&f);
}

static void decompose__two_workloads__geometric_mean(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	df_pilot(&f, "hash", "gcc", 3);
	df_pilot(&f, "sort", "clang", -1);
	df_split(&f, &d);
	assert_int_equal(d.group_count, 2);
	assert_int_equal(d.groups[0].row_count, 2);
	assert_null(d.groups[1].means); /* of one workload */
	df_near(df_effect(&d, 0, 2, "main effect", "T")->c.effect, 2 * 0.023);
	df_near(df_effect(&d, 0, 2, "whole", "all together")->c.effect, 0.04);
	df_near(df_effect(&d, 0, 2, "part", "T")->used, 2);
	df_parts_add_up(d.groups[0].means, d.part_count);
	df_near(df_effect(&d, 1, 0, "main effect", "T")->c.effect, -0.023);
	assert_string_equal(d.groups[1].slot, "clang");
	cf_end(&f);
}

/* Standard errors s and 2s with 15 degrees of freedom each: of the mean sqrt(5)/2 s with 15 * 25/17 degrees by
 * Satterthwaite; the quantile is mpmath's (30 digits). */
static void decompose__mean__interval_by_satterthwaite(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {}}\n";
	for (int w = 0; w < 2; w++) {
		df_cell(&f, w == 0 ? "sort" : "hash", "gcc", "O2", true, 0, 0, 16);
		df_cell(&f, w == 0 ? "sort" : "hash", "gcc", "O3", false, 0.01 * (w + 1), 0.001 * (w + 1),
			16);
	}
	df_split(&f, &d);
	const struct comparison *c = &df_effect(&d, 0, 2, "whole", "all together")->c;
	df_near(c->effect, 0.015);
	df_near(c->se, sqrt(5) / 2 * 0.001 / sqrt(15));
	df_near(c->df, 15.0 * 25 / 17);
	assert_true(fabs((c->hi - c->effect) / c->se - 2.073552470237057) < 1e-9);
	cf_end(&f);
}

/* A workload in which parts cannot be told is in no mean of parts or whole, so that these add up; said as n of m. */
static void decompose__mean__parts_and_whole_over_the_same_rows(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	df_pilot(&f, "hash", "gcc", 3);
	for (uint32_t b = 9; b < 15; b++)
		f.record->builds[b].status = CELL_CHECK_FAILED;
	df_split(&f, &d);
	df_near(df_effect(&d, 0, 1, "whole", "all together")->c.effect, 0.06);
	const struct decompose_effect *whole = df_effect(&d, 0, 2, "whole", "all together");
	df_near(whole->c.effect, 0.02);
	df_near(whole->used, 1);
	df_near(whole->possible, 2);
	assert_true(whole->partial);
	df_parts_add_up(d.groups[0].means, d.part_count);
	cf_end(&f);
}

/* Of the family of six p values each is multiplied by looks, then by Holm. */
static void decompose__family__looks_and_holm(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.looks[1] = 64;
	f.record->plan.look_count = 2;
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {}, O3: {}}\n  link: {p: {}, lto: {}}\n";
	df_cell(&f, "sort", "gcc", "O2+p", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O2+lto", false, 1e-4, 0.001, 16);
	df_cell(&f, "sort", "gcc", "O3+p", false, 0.02, 0.002, 16);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.03, 0.003, 16);
	df_split(&f, &d);
	const struct decompose_effect *all = d.groups[0].rows[0].effects;
	double least = 1;
	assert_int_equal(d.result.looks, 2);
	assert_int_equal(d.result.family, 6);
	for (size_t i = 0; i < d.term_count; i++) {
		least = fmin(least, all[i].c.p);
		assert_true(all[i].c.p_adjusted >= fmin(1, 2 * all[i].c.p));
	}
	for (size_t i = 0; i < d.term_count; i++)
		if (all[i].c.p == least)
			df_near(all[i].c.p_adjusted, 2 * 6 * least);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decompose__pilot_plant__published_effects),
		cmocka_unit_test(decompose__published_games__their_shares),
		cmocka_unit_test(decompose__noise_and_holes__parts_add_up_to_what_compare_says),
		cmocka_unit_test(decompose__one_layout__by_rounds_and_parts_add_up),
		cmocka_unit_test(decompose__one_layout__interval_by_hand),
		cmocka_unit_test(decompose__interval__t_over_layouts),
		cmocka_unit_test(decompose__axes_in_another_order__same_effects),
		cmocka_unit_test(decompose__symmetric_flags__equal_shares),
		cmocka_unit_test(decompose__three_values__each_against_the_reference),
		cmocka_unit_test(decompose__two_workloads__geometric_mean),
		cmocka_unit_test(decompose__mean__interval_by_satterthwaite),
		cmocka_unit_test(decompose__mean__parts_and_whole_over_the_same_rows),
		cmocka_unit_test(decompose__family__looks_and_holm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
