/*
 * All comparisons of a run together: family, looks, the A/A check, means. Expected numbers as in
 * test_compare_effect.c; recorded noise with known truth: tests/golden/stats/README.md.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare_fixture.h"

#define T15 2.131449545559323

static void near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

/* Baseline and one variant of one workload, compared. */
static void two_cells(struct fixture *f)
{
	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	cf_build(f, "sort", "gcc", "O3", false);
	cf_compare(f, 0, 1);
}

static void effect_of_record__two_comparisons__holm(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	for (uint32_t i = 0; i < 3; i++)
		cf_build(&f, "sort", "gcc", i == 0 ? "O2" : i == 1 ? "O3" : "v3", i == 0);
	cf_compare(&f, 0, 1);
	cf_compare(&f, 0, 2);
	cf_pair(&f, 0, 1, 16, T15 * 0.01 / sqrt(15), 0.01);
	cf_pair(&f, 2, 2, 16, 0.5, 0.01);
	struct comparison *c = cf_answer(&f);
	near(c[0].p_adjusted, 0.05); /* the larger p: times 1 */
	near(c[1].p_adjusted / c[1].p, 2);
	cf_end(&f);
}

static void effect_of_record__closed_at_a_look__answer_as_it_was_then(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	f.record->plan.looks[1] = 64;
	f.record->plan.look_count = 2;
	f.record->plan.last_look = 64;
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	for (uint32_t r = 16; r < 64; r++) { /* measured on for another comparison's sake */
		cf_sample(&f, 0, r, r % 16, 100);
		cf_sample(&f, 1, r, r % 16, 50);
	}
	f.record->plan.comparisons[0].closed_at = 16;
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_FASTER);
	assert_int_equal(c->closed_at, 16);
	assert_int_equal(c->rounds, 16);
	near(c->effect, 0.05);
	f.record->plan.comparisons[0].closed_at = 17; /* no look: it counts as open */
	assert_int_equal(cf_answer(&f)->answer, ANSWER_SLOWER);
	f.record->plan.comparisons[0].closed_at = 0;
	assert_int_equal(cf_answer(&f)->answer, ANSWER_SLOWER);
	struct effect_options options = {.rounds = 16};
	effect_of_record(f.record, &options, &f.arena, &f.result);
	assert_int_equal(f.result.comparisons->answer, ANSWER_FASTER);
	assert_int_equal(f.result.rounds, 16);
	cf_end(&f);
}

/* n cells of one code; from each to the next the layouts' effects are m + d and m - d. */
static void identical_cells(struct fixture *f, uint32_t n, double m, double d)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = cf_build(f, "aa", arena_printf(&f->arena, "slot%u", i), "O2", true);
		f->record->builds[b].code_hash = "equal";
		for (uint32_t r = 0; r < 16; r++)
			cf_sample(f, b, r, r, 100 * exp(i * (m + d * cf_sign(r))));
	}
}

static void effect_of_record__identical_cells__lambda_from_their_chain(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0.05, 0.01);
	/* z = 1.2, z^2 * 13/15 = 1.248: lambda is its root */
	identical_cells(&f, 11, 1.2 * 0.01 / sqrt(15), 0.01);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(f.result.aa_pairs, 10);
	assert_int_equal(f.result.aa, AA_INFLATED);
	near(f.result.lambda, sqrt(1.248));
	near(c->se, 0.01 / sqrt(15) * sqrt(1.248));
	near(c->hi - c->effect, T15 * c->se);
	cf_end(&f);
}

static void effect_of_record__few_identical_cells__not_checked(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	cf_pair(&f, 0, 1, 16, 0.05, 0.01);
	identical_cells(&f, 10, 0.01, 0.01);
	cf_answer(&f);
	assert_int_equal(f.result.aa, AA_NOT_CHECKED);
	assert_int_equal(f.result.aa_pairs, 9);
	near(f.result.lambda, 1);
	cf_end(&f);
}

static void effect_of_record__differences_between_identical_cells__suspect(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	identical_cells(&f, 12, 6 * 0.01 / sqrt(15), 0.01);
	cf_answer(&f);
	assert_int_equal(f.result.aa, AA_SUSPECT);
	assert_true(f.result.p_aa < 0.001);
	cf_end(&f);
}

static void effect_of_record__shared_layouts__no_pair_but_arms_are(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	identical_cells(&f, 11, 0.001, 0.01);
	f.record->builds[5].content_hash =
		f.record->builds[4].content_hash; /* one build under two slot names */
	cf_answer(&f);
	assert_int_equal(f.result.aa_pairs, 9);
	for (uint32_t r = 0; r < 16; r++) { /* a second arm of the last cell */
		size_t row = cf_sample(&f, 10, r, r, 100 + r);
		f.record->samples.v[row].arm = 1;
	}
	cf_answer(&f);
	assert_int_equal(f.result.aa_pairs, 10);
	assert_int_equal(f.result.cells[10].samples, 16); /* the cell itself is arm 0 */
	cf_end(&f);
}

static void effect_of_record__rows_in_another_order__same_answer(void **state)
{
	(void)state;
	struct fixture f;
	two_cells(&f);
	struct rng rng;
	rng_seed_text(&rng, "order");
	for (uint32_t r = 0; r < 48; r++) {
		cf_sample(&f, 0, r, r % 16, 100 + rng_unit(&rng));
		cf_sample(&f, 1, r, r % 16, 104 + rng_unit(&rng));
	}
	identical_cells(&f, 12, 0.001, 0.004);
	struct comparison before = *cf_answer(&f);
	double lambda = f.result.lambda, p = f.result.p_aa;
	struct samples *s = &f.record->samples;
	for (size_t i = s->n - 1; i > 0; i--) {
		size_t k = rng_below(&rng, i + 1);
		struct sample swap = s->v[i];
		s->v[i] = s->v[k];
		s->v[k] = swap;
	}
	struct comparison after = *cf_answer(&f);
	assert_memory_equal(&before.effect, &after.effect, sizeof(double));
	assert_memory_equal(&before.lo, &after.lo, sizeof(double));
	assert_memory_equal(&before.p_adjusted, &after.p_adjusted, sizeof(double));
	assert_memory_equal(&lambda, &f.result.lambda, sizeof(double));
	assert_memory_equal(&p, &f.result.p_aa, sizeof(double));
	cf_end(&f);
}

/* 256 rounds of 12 cells: 0 to 8 are one program, 9 to 11 do 1, 2 and 5 % more work. */
static void effect_of_record__recorded_noise__finds_five_per_cent_and_no_false_alarm(void **state)
{
	(void)state;
	struct fixture f;
	FILE *file = fopen("tests/golden/stats/noise/interpreter.txt", "r");
	assert_non_null(file);
	cf_begin(&f);
	cf_workload(&f, "interpreter", "10ns", true);
	for (uint32_t c = 0; c < 12; c++) {
		cf_build(&f, "interpreter", "gcc", arena_printf(&f.arena, "cell%u", c), c == 0);
		if (c > 0)
			cf_compare(&f, 0, c);
	}
	f.record->plan.settings.rounds_max = 256;
	f.record->plan.looks[1] = 64;
	f.record->plan.looks[2] = 256;
	f.record->plan.look_count = 3;
	for (uint32_t r = 0; r < 256; r++)
		for (uint32_t c = 0; c < 12; c++) {
			double time;
			assert_int_equal(fscanf(file, "%lf", &time), 1);
			cf_sample(&f, c, r, r % 16, time);
		}
	fclose(file);
	struct comparison *c = cf_answer(&f);
	for (int i = 0; i < 8; i++)
		assert_true(c[i].answer != ANSWER_FASTER && c[i].answer != ANSWER_SLOWER);
	assert_int_equal(c[10].answer, ANSWER_SLOWER);
	assert_true(c[10].lo < -log(1.0469) && -log(1.0469) < c[10].hi);
	assert_int_equal(f.result.family, 11);
	assert_int_equal(f.result.looks, 3);
	cf_end(&f);
}

static void effect_geomean__same_code_counts_failed_does_not__n_of_m(void **state)
{
	(void)state;
	struct fixture f;
	static const char *const workloads[] = {"sort", "matmul", "lz77", "pipe"};
	cf_begin(&f);
	for (uint32_t i = 0; i < 4; i++) {
		cf_build(&f, workloads[i], "gcc", "O2", true);
		cf_build(&f, workloads[i], "gcc", "O3", false);
		cf_compare(&f, 2 * i, 2 * i + 1);
	}
	cf_pair(&f, 0, 1, 16, 0.3, 0);
	cf_pair(&f, 2, 3, 16, -0.06, 0);
	f.record->builds[5].code_hash = f.record->builds[4].code_hash;
	f.record->builds[7].status = CELL_IMPOSSIBLE;
	cf_answer(&f);
	struct effect_mean mean = effect_geomean(f.record, &f.result, "gcc", "O3", 1);
	assert_true(mean.has_mean);
	assert_int_equal(mean.n, 3);
	assert_int_equal(mean.m, 4);
	near(mean.effect, 0.08); /* (0.3 - 0.06 + 0) / 3 */
	mean = effect_geomean(f.record, &f.result, "gcc", "O3", 2);
	assert_false(mean.has_mean);
	assert_int_equal(mean.m, 0);
	mean = effect_geomean(f.record, &f.result, "gcc", "O2", 1);
	assert_int_equal(mean.m, 0); /* the baseline itself is no cell of a mean */
	cf_end(&f);
}

static void effect_of_record__empty_record__nothing(void **state)
{
	(void)state;
	struct fixture f;
	cf_begin(&f);
	cf_answer(&f);
	assert_int_equal(f.result.cell_count, 0);
	assert_int_equal(f.result.comparison_count, 0);
	assert_int_equal(f.result.aa, AA_NOT_CHECKED);
	assert_int_equal(f.result.rounds, 0);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect_of_record__empty_record__nothing),
		cmocka_unit_test(effect_of_record__two_comparisons__holm),
		cmocka_unit_test(effect_of_record__closed_at_a_look__answer_as_it_was_then),
		cmocka_unit_test(effect_of_record__identical_cells__lambda_from_their_chain),
		cmocka_unit_test(effect_of_record__few_identical_cells__not_checked),
		cmocka_unit_test(effect_of_record__differences_between_identical_cells__suspect),
		cmocka_unit_test(effect_of_record__shared_layouts__no_pair_but_arms_are),
		cmocka_unit_test(effect_of_record__rows_in_another_order__same_answer),
		cmocka_unit_test(effect_of_record__recorded_noise__finds_five_per_cent_and_no_false_alarm),
		cmocka_unit_test(effect_geomean__same_code_counts_failed_does_not__n_of_m),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
