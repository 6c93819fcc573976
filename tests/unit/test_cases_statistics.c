/*
 * Cases that broke other tools, each with its number: statistics (59 to 80). Those that only output can show are in
 * tests/cli/cases_statistics.sh. What belongs to history (64, 70, 71, 73, 75) is held here to what there is now.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/num.h"
#include "compare/tally.h"
#include "compare_runs.h"
#include "stats/geomean.h"
#include "stats/rank.h"

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

static bool any_has(const struct words *words, const char *part)
{
	for (size_t i = 0; i < words->n; i++)
		if (strstr(words->v[i], part) != NULL)
			return true;
	return false;
}

/* Near enough to normal, mean 0 and standard deviation 1. */
static double bell(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum;
}

/* A baseline and `variants` of one workload, compared. */
static void family(struct fixture *f, uint32_t variants)
{
	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	for (uint32_t i = 1; i <= variants; i++) {
		cf_build(f, "sort", "gcc", arena_printf(&f->arena, "v%u", i), false);
		cf_compare(f, 0, i);
	}
}

/* criterion.rs#720, #832: variance 0, NaN, panic. */
static void case_59__all_samples_equal__no_difference_and_p_is_none(void **state)
{
	(void)state;
	struct fixture f;
	for (uint32_t layouts = 1; layouts <= 10; layouts += 9) {
		family(&f, 1);
		for (uint32_t r = 0; r < 10; r++) {
			cf_sample(&f, 0, r, r % layouts, 1);
			cf_sample(&f, 1, r, r % layouts, 1);
		}
		struct comparison *c = cf_answer(&f);
		assert_int_equal(c->answer, ANSWER_NO_DIFFERENCE);
		assert_true(!c->has_p && c->has_effect && c->effect == 0 && c->lo == 0 && c->hi == 0);
		assert_true(f.result.cells[0].spread == 0 && f.result.cells[0].median == 1);
		cf_end(&f);
	}
}

/* google/benchmark#617: with two repetitions a rank test cannot find anything. */
static void case_61__one_or_two_samples__too_few_with_the_minimum(void **state)
{
	(void)state;
	struct fixture f;
	for (uint32_t n = 1; n <= 2; n++) {
		family(&f, 1);
		for (uint32_t r = 0; r < n; r++) {
			cf_sample(&f, 0, r, 0, 100 + r);
			cf_sample(&f, 1, r, 0, 200 + r);
		}
		struct comparison *c = cf_answer(&f);
		assert_int_equal(c->answer, ANSWER_CANT_TELL);
		assert_false(c->has_effect);
		has_text(c->reason, "too few rounds that both have");
		has_text(c->reason, "at least 6 are needed");
		assert_false(f.result.cells[0].has_interval);
		cf_end(&f);
	}
	struct stats_rank_test test =
		stats_mann_whitney((const double[]){1, 2}, 2, (const double[]){3, 4}, 2);
	near(test.p, 1.0 / 3); /* 2 of the 6 ways to deal ranks: the least that there can be */
}

/* google/benchmark#1477, #1482: 0 as the mean of nothing. */
static void case_62__geometric_mean_of_nothing__none(void **state)
{
	(void)state;
	struct fixture f;
	struct stats_geomean mean;
	assert_int_equal(stats_geomean(NULL, NULL, 0, &mean), STATS_EMPTY);
	family(&f, 1);
	f.record->builds[1].status = CELL_BUILD_FAILED;
	cf_answer(&f);
	struct effect_mean effects = effect_geomean(f.record, &f.result, "gcc", "v1", 1);
	assert_true(!effects.has_mean && effects.n == 0 && effects.m == 1);
	effects = effect_geomean(f.record, &f.result, "gcc", "no such", 1);
	assert_true(!effects.has_mean && effects.n == 0 && effects.m == 0);
	cf_end(&f);
}

/* reframe#3434: 5 % of a reference of 0. A value of 0 is none, and a limit of 0 % still has `matters` under it. */
static void case_64__limit_of_nothing__an_absolute_floor(void **state)
{
	(void)state;
	struct fixture f;
	family(&f, 1);
	cf_pair(&f, 0, 1, 16, -0.003, 0.0001); /* slower, surely, but by less than what matters: 0.5 % */
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_TOO_SMALL);
	assert_false(tally_is_beyond(c, 0));
	cf_end(&f);
	family(&f, 1);
	cf_pair(&f, 0, 1, 16, -0.01, 0.0001);
	assert_true(tally_is_beyond(cf_answer(&f), 0));
	assert_false(tally_is_beyond(f.result.comparisons, 0.05));
	for (size_t i = 0; i < f.record->samples.n; i++)
		if (f.record->samples.v[i].build == 0)
			f.record->samples.v[i].value = 0;
	c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_NONE);
	has_text(c->reason, "baseline not measured: it has no sample with a value");
	assert_true(!c->has_effect && !tally_is_beyond(c, 0.05));
	cf_end(&f);
}

/* temci#43: 94.6 with a deviation of 30 printed as 90. */
static void case_65__rounding__leading_digits_stay(void **state)
{
	(void)state;
	static const double values[] = {94.6, 0.0004, 0.00039996, 999.96, 99995, 1e-300, 7.0004};
	char text[NUM_SIZE];
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (int digits = 3; digits <= 6; digits++) {
			num_significant(values[i], digits, text);
			double shown = strtod(text, NULL);
			assert_true(fabs(shown - values[i]) <= 0.5001 * pow(10, 1 - digits) * values[i]);
		}
	num_significant(94.6, 3, text);
	assert_string_equal(text, "94.6");
	num_significant(0.0004, 3, text);
	assert_string_equal(text, "0.000400");
}

/* neqo#3787: seconds and milliseconds in one formula. */
static void case_66__archives_in_two_units__not_compared(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	cr_side(&runs, "a", (const double[]){100, 101, 102}, 3);
	cr_side(&runs, "b", (const double[]){0.1, 0.101, 0.102}, 3);
	for (size_t i = 0; i < 6; i++) {
		runs.f[i].record->workloads[0].unit = i < 3 ? "ms" : "s";
		runs.f[i].record->workloads[0].lower_is_better = true;
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	struct between_effect *effect = &runs.between.cells[0].effects[1];
	assert_int_equal(effect->c.answer, ANSWER_NONE);
	assert_true(!effect->has_ratio && !effect->c.has_effect);
	has_text(effect->c.reason, "other metric: ms against s");
	assert_string_equal(runs.between.cells[0].values[1].unit, "s");
	cr_end(&runs);
}

/* asv#752: a rise by half, hidden as unchanged, since the spread is wide. */
static void case_67__large_and_uncertain__cant_tell(void **state)
{
	(void)state;
	struct fixture f;
	family(&f, 1);
	cf_pair(&f, 0, 1, 16, log(1.5), 1.2);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_CANT_TELL);
	assert_true(c->x > log(1.5) && c->effort > 1);
	has_text(c->reason, "would do: flagstone run");
	cf_end(&f);
}

/*
 * folo#429: 49 series of noise, 17 findings, all of them one-sided. Here 40 runs of 49: at 5 % a comparison 98 are
 * expected raw, as many faster as slower; of whole runs at most 5 % may have any verdict. Both ways a real one is found.
 */
static void case_68__noise_only__no_finding_and_both_sides_alike(void **state)
{
	(void)state;
	struct rng rng;
	size_t up = 0, down = 0, runs_with_any = 0;
	rng_seed_text(&rng, "case 68");
	for (size_t run = 0; run < 40; run++) {
		struct fixture f;
		size_t any = 0;
		family(&f, 49);
		for (uint32_t cell = 0; cell < 50; cell++)
			for (uint32_t r = 0; r < 32; r++) {
				double planted = cell == 48 ? 0.1 : cell == 49 ? -0.1 : 0;
				cf_sample(&f, cell, r, r % 16, 100 * exp(planted + 0.02 * bell(&rng)));
			}
		struct comparison *c = cf_answer(&f);
		for (size_t i = 0; i < 47; i++) {
			up += c[i].p <= 0.05 && c[i].effect > 0;
			down += c[i].p <= 0.05 && c[i].effect < 0;
			any += c[i].answer == ANSWER_FASTER || c[i].answer == ANSWER_SLOWER;
		}
		runs_with_any += any > 0;
		assert_int_equal(c[47].answer, ANSWER_FASTER);
		assert_int_equal(c[48].answer, ANSWER_SLOWER);
		cf_end(&f);
	}
	assert_in_range(up + down, 50, 150);
	assert_in_range(up, down / 3, 3 * down);
	assert_true(runs_with_any <= 4);
}

/* rustc-perf#902: one threshold for quiet and noisy alike. Each comparison has the one that its own noise gives. */
static void case_70__quiet_and_noisy__each_with_its_own_bound(void **state)
{
	(void)state;
	struct fixture f;
	family(&f, 2);
	cf_pair(&f, 0, 1, 16, 0.01, 0.001);
	cf_pair(&f, 2, 2, 16, 0.01, 0.04);
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c[0].answer, ANSWER_FASTER);
	assert_int_equal(c[1].answer, ANSWER_CANT_TELL);
	assert_true(c[1].x > 20 * (c[0].x - 0.01));
	cf_end(&f);
}

/* asv#881, otava#150: a spike of one run is no change. */
static void case_71__one_spike__no_change(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	struct fixture f;
	cr_side(&runs, "a", (const double[]){100, 100.1, 99.9, 100}, 4);
	cr_side(&runs, "b", (const double[]){100, 100, 130, 100}, 4);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.cells[0].effects[1].c.answer, ANSWER_CANT_TELL);
	near(runs.between.cells[0].values[1].median, 100);
	cr_end(&runs);
	/* and a spike of one round: counted, in neither median nor trend */
	family(&f, 1);
	for (uint32_t r = 0; r < 32; r++) {
		cf_sample(&f, 0, r, r % 16, 100 + 0.01 * (r * 7 % 32));
		cf_sample(&f, 1, r, r % 16, r == 20 ? 130 : 100 + 0.01 * (r * 11 % 32));
	}
	struct comparison *c = cf_answer(&f);
	assert_true(c->answer == ANSWER_NO_DIFFERENCE || c->answer == ANSWER_CANT_TELL);
	assert_int_equal(f.result.cells[1].outliers, 1);
	assert_true(!f.result.cells[1].trending && f.result.cells[1].median < 101);
	cf_end(&f);
}

/* asv#444: a slow drift read as many steps. Drift that both sides share is none of their difference, and it is said. */
static void case_73__drift_and_step_of_both__no_difference_but_named(void **state)
{
	(void)state;
	struct fixture f;
	struct rng rng;
	rng_seed_text(&rng, "case 73");
	family(&f, 1);
	for (uint32_t r = 0; r < 1000; r++) {
		double level = 10 + 0.2 * cos(r / 100.0) + (r >= 500 ? 1 : 0);
		cf_sample(&f, 0, r, r % 16, level * exp(0.01 * bell(&rng)));
		cf_sample(&f, 1, r, r % 16, level * exp(0.01 * bell(&rng)));
	}
	struct comparison *c = cf_answer(&f);
	assert_int_equal(c->answer, ANSWER_NO_DIFFERENCE);
	assert_true(f.result.cells[0].autocorrelated && f.result.cells[0].trending);
	assert_true(f.result.cells[0].two_modes); /* before the step, and after it */
	cf_end(&f);
}

/* ruptures#122: NaN gives nonsense. No value that is none comes into a statistic; at reading: the shell test. */
static void case_74__no_number__rejected_with_its_index(void **state)
{
	(void)state;
	static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 0};
	struct stats_summary s;
	struct fixture f;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		double x[] = {1, 2, bad[i], 4};
		assert_int_equal(stats_describe(x, 4, &s), STATS_BAD_VALUE);
		assert_int_equal(s.bad_index, 2);
		family(&f, 1);
		cf_pair(&f, 0, 1, 17, 0.1, 0);
		f.record->samples.v[33].value = bad[i]; /* the last of b */
		struct comparison *c = cf_answer(&f);
		near(c->effect, 0.1);
		assert_int_equal(c->rounds, 16);
		assert_int_equal(f.result.cells[1].failed, 1);
		cf_end(&f);
	}
}

/* dvc-bench#105: a regression that went away again is never told. All sides stand in one table. */
static void case_75__up_and_down_again__both_told(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	cr_side(&runs, "before", (const double[]){100, 100.1, 99.9}, 3);
	cr_side(&runs, "between", (const double[]){90, 90.1, 89.9}, 3);
	cr_side(&runs, "after", (const double[]){100, 100.2, 99.9}, 3);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.cells[0].effects[1].c.answer, ANSWER_SLOWER);
	assert_int_equal(runs.between.cells[0].effects[2].c.answer, ANSWER_NO_DIFFERENCE);
	cr_end(&runs);
}

/* hyperfine#171, #528: one of twenty at seven times as much. */
static void case_77__one_far_out__median_stands_and_it_is_counted(void **state)
{
	(void)state;
	struct fixture f;
	family(&f, 1);
	for (uint32_t r = 0; r < 20; r++) {
		cf_sample(&f, 0, r, 0, 10 + 0.001 * (r * 7 % 20));
		cf_sample(&f, 1, r, 0, r == 11 ? 70 : 10 + 0.001 * (r * 3 % 20));
	}
	struct comparison *c = cf_answer(&f);
	assert_true(fabs(f.result.cells[1].median - 10) < 0.02);
	assert_int_equal(f.result.cells[1].outliers, 1);
	assert_int_equal(f.result.cells[1].samples, 20);
	assert_int_equal(f.record->samples.n, 40);
	assert_int_equal(c->answer, ANSWER_NO_DIFFERENCE);
	cf_end(&f);
}

/* Pragmastat natural-2, natural-3: the middle one, or the mean of the middle two; nothing gives 0 and a status. */
static void case_78__median_of_few_unsorted__documented_rule(void **state)
{
	(void)state;
	struct stats_summary s;
	near(stats_median((const double[]){40, 10, 30, 20}, 4), 25);
	near(stats_median((const double[]){3, 1, 2}, 3), 2);
	near(stats_median((const double[]){7.25}, 1), 7.25);
	near(stats_median(NULL, 0), 0);
	assert_int_equal(stats_describe(NULL, 0, &s), STATS_EMPTY);
	near(stats_pseudomedian((const double[]){2, 1}, 2), 1.5);
	near(stats_pseudomedian((const double[]){3, 1, 2}, 3), 2);
}

/* folo, llvm#214499: another number of repeats or another length is another protocol. */
static void case_79__other_protocol__said(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	cr_side(&runs, "a", (const double[]){100, 100.1, 99.9}, 3);
	cr_side(&runs, "b", (const double[]){100, 100.1, 99.9}, 3);
	for (size_t i = 3; i < 6; i++) {
		struct measure_settings *settings = &runs.f[i].record->plan.settings;
		settings->rounds_max = 256;
		settings->sample_ns = 20000000;
		settings->layouts_min = 8;
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	const struct words *caveats = &runs.between.comparable[1].caveats;
	assert_true(any_has(caveats, "rounds: at most 64 against at most 256"));
	assert_true(any_has(caveats, "length of a sample: 0 ms against 20 ms"));
	assert_true(any_has(caveats, "layouts: 16 against 8"));
	assert_int_equal(runs.between.comparable[1].verdict, COMPARABLE_CAVEAT);
	cr_end(&runs);
}

/* NIST NumAcc3 and NumAcc4, in small: 1e7 give or take 0.1, of which a one-pass variance leaves nothing. */
static void case_80__large_mean_small_spread__digits_stay(void **state)
{
	(void)state;
	double x[1001];
	x[0] = 10000000.2;
	for (size_t i = 1; i < 1001; i++)
		x[i] = i % 2 ? 10000000.1 : 10000000.3;
	assert_true(
		fabs(stats_sd(x, 1001) / 0.1 - 1) < 1e-8); /* certified: 0.1; decimals as doubles cap it */
	assert_true(fabs(stats_mean(x, 1001) / 10000000.2 - 1) < 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_59__all_samples_equal__no_difference_and_p_is_none),
		cmocka_unit_test(case_61__one_or_two_samples__too_few_with_the_minimum),
		cmocka_unit_test(case_62__geometric_mean_of_nothing__none),
		cmocka_unit_test(case_64__limit_of_nothing__an_absolute_floor),
		cmocka_unit_test(case_65__rounding__leading_digits_stay),
		cmocka_unit_test(case_66__archives_in_two_units__not_compared),
		cmocka_unit_test(case_67__large_and_uncertain__cant_tell),
		cmocka_unit_test(case_68__noise_only__no_finding_and_both_sides_alike),
		cmocka_unit_test(case_70__quiet_and_noisy__each_with_its_own_bound),
		cmocka_unit_test(case_71__one_spike__no_change),
		cmocka_unit_test(case_73__drift_and_step_of_both__no_difference_but_named),
		cmocka_unit_test(case_74__no_number__rejected_with_its_index),
		cmocka_unit_test(case_75__up_and_down_again__both_told),
		cmocka_unit_test(case_77__one_far_out__median_stands_and_it_is_counted),
		cmocka_unit_test(case_78__median_of_few_unsorted__documented_rule),
		cmocka_unit_test(case_79__other_protocol__said),
		cmocka_unit_test(case_80__large_mean_small_spread__digits_stay),
	};
	return cmocka_run_group_tests_name("cases_statistics", tests, NULL, NULL);
}
