/*
 * Expected numbers: Welch's t by hand. Logarithms m - d, m, m + d of three runs have the variance d^2, so two such
 * sides give the standard error d sqrt(2/3) with 4 degrees of freedom, whose 97.5 % quantile is 2.776445105197798
 * (R: qt(0.975, 4)).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare_runs.h"

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

/* Two sides of three runs, d apart within a side, the second exp(effect) times as fast. */
static void three_each(struct runs *runs, double effect, double d)
{
	double a[3], b[3];

	memset(runs, 0, sizeof(*runs));
	for (int i = 0; i < 3; i++) {
		a[i] = 100 * exp(d * (i - 1));
		b[i] = 100 * exp(effect + d * (i - 1));
	}
	cr_side(runs, "a", a, 3);
	cr_side(runs, "b", b, 3);
}

static struct between_effect *first(struct runs *runs)
{
	return &runs->between.cells[0].effects[1];
}

static void between_compare__three_runs__welch(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.cell_count, 2);
	assert_int_equal(runs.between.family, 2);
	struct comparison *c = &first(&runs)->c;
	assert_int_equal(c->answer, ANSWER_FASTER);
	near(c->effect, 0.05);
	near(c->se, 0.002 * sqrt(2.0 / 3));
	near(c->df, 4);
	near(c->hi, 0.05 + 2.776445105197798 * 0.002 * sqrt(2.0 / 3));
	near(c->p_adjusted, 2 * c->p);
	assert_false(first(&runs)->has_rank);
	near(runs.between.cells[0].values[0].median, 100);
	near(runs.between.cells[0].values[0].lo, 100 * exp(-0.002));
	assert_int_equal(first(&runs)->comparable.code, CODE_SAME);
	has_text(runs.between.sentences[1], "COMPARABLE: ");
	has_text(runs.between.sentences[1], "axis: time");
	cr_end(&runs);
}

static void between_compare__lower_is_better__sign_turns(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 0; i < runs.n; i++)
		runs.f[i].record->workloads[0].lower_is_better = true;
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	near(first(&runs)->c.effect, -0.05);
	near(first(&runs)->ratio, -0.05);
	assert_int_equal(first(&runs)->c.answer, ANSWER_SLOWER);
	cr_end(&runs);
}

static void between_compare__other_baseline__sign_turns(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	assert_int_equal(cr_compare(&runs, (struct between_options){.baseline = 1}, &e), 0);
	near(runs.between.cells[0].effects[0].c.effect, -0.05);
	assert_null(runs.between.sentences[1]);
	cr_end(&runs);
}

static void between_compare__no_difference__within_precision(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0, 0.002);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_NO_DIFFERENCE);
	near(first(&runs)->c.x, 2.776445105197798 * 0.002 * sqrt(2.0 / 3));
	cr_end(&runs);
}

static void between_compare__scatter__cant_tell_with_what_it_takes(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0, 0.01);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_CANT_TELL);
	/* x = 2.7764 * 0.01 * sqrt(2/3) = 0.02267: (2.267)^2 = 5.14 times 3 runs are 16 */
	has_text(first(&runs)->c.reason, "about 16 runs a side would do: flagstone run quick --repeat 16");
	cr_end(&runs);
}

static void between_compare__one_run_a_side__never_a_verdict(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	cr_side(&runs, "a", (const double[]){100}, 1);
	cr_side(&runs, "b", (const double[]){200}, 1);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_CANT_TELL);
	assert_false(first(&runs)->c.has_effect);
	assert_true(first(&runs)->has_ratio);
	near(first(&runs)->ratio, log(2));
	has_text(first(&runs)->c.reason, "one run a side: between-run noise unknown");
	assert_true(runs.between.cells[0].values[0].has_interval);
	assert_int_equal(runs.between.family, 0);
	cr_end(&runs);
}

static void between_compare__three_against_two__no_verdict_either(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	cr_side(&runs, "a", (const double[]){100, 101, 102}, 3);
	cr_side(&runs, "b", (const double[]){200, 201}, 2);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_CANT_TELL);
	has_text(first(&runs)->c.reason, "3 against 2 runs");
	cr_end(&runs);
}

/*
 * Eight runs a side, seven of which are 1 % faster than all of the other side, the last far slower: ranks see it
 * (U = 56 of 64: p = 0.0104 by enumeration, as 2 P(U <= 8); R: wilcox.test), means do not.
 */
static void between_compare__eight_runs_tests_disagree__cant_tell(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct error e = {0};
	double a[8], b[8];
	for (int i = 0; i < 8; i++) {
		a[i] = 100 + 0.01 * i;
		b[i] = i < 7 ? 101 + 0.01 * i : 50;
	}
	cr_side(&runs, "a", a, 8);
	cr_side(&runs, "b", b, 8);
	struct words only = {0};
	words_add(&only, &runs.arena, "//O2");
	struct between_options options = {.only = &only, .matters = 0.0001, .precision = 0.0001};
	assert_int_equal(cr_compare(&runs, options, &e), 0);
	assert_int_equal(runs.between.cell_count, 1);
	assert_true(first(&runs)->has_rank);
	near(first(&runs)->p_rank, 134.0 / 12870); /* 67 of the 12870 ways have U <= 8 */
	assert_int_equal(first(&runs)->c.answer, ANSWER_CANT_TELL);
	has_text(first(&runs)->c.reason, "disagree");
	cr_end(&runs);
}

static void between_compare__other_architecture__incomparable_without_ratio(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++)
		facts_set(&runs.f[i].record->host, "host.arch", "aarch64", "uname");
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_NONE);
	assert_false(first(&runs)->has_ratio);
	assert_string_equal(runs.between.sentences[1],
		"INCOMPARABLE: host.arch: x86_64 against aarch64 (axis: time, guessed).");
	assert_int_equal(cr_compare(&runs, (struct between_options){.force = true}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_FASTER);
	cr_end(&runs);
}

static void between_compare__other_metric_or_content__cells_incomparable(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++)
		runs.f[i].record->workloads[0].unit = "KBps";
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	has_text(first(&runs)->c.reason, "other metric: lps against KBps");
	has_text(runs.between.sentences[1], "INCOMPARABLE: none of the 2 cells in both");
	assert_int_equal(runs.between.counts[1].incomparable, 2);
	for (size_t i = 3; i < 6; i++) {
		runs.f[i].record->workloads[0].unit = "lps";
		runs.f[i].record->workloads[0].content_hash = "beef";
		runs.f[i].record->builds[0].code_hash = "code-beef";
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){.axis = AXIS_KERNEL}, &e), 0);
	has_text(first(&runs)->c.reason, "workload.content_hash: cafe against beef (other workload content");
	assert_int_equal(first(&runs)->c.answer, ANSWER_NONE);
	/* the sources are what is compared, if nobody says otherwise; nobody knows what flags were asked for */
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.comparable[1].axis, AXIS_SOURCE);
	assert_int_equal(first(&runs)->comparable.row, 11);
	assert_int_equal(first(&runs)->c.answer, ANSWER_FASTER);
	cr_end(&runs);
}

static void between_compare__differences__axis_and_caveats(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++) {
		struct record *r = runs.f[i].record;

		facts_set(&r->host, "kernel.release", "6.12", "uname");
		facts_unknown(&r->host, "bios.version", "dmi", "Permission denied");
		facts_set(&r->toolchains[0].facts, "toolchain.version", "13.1.0", "gcc");
		facts_set(&r->builds[0].facts, "build.cflags", "-O2 -march=native", "matrix");
		r->builds[0].code_hash = "code-other";
		r->builds[1].layout_count = 1;
	}
	for (size_t i = 0; i < 3; i++) {
		facts_set(&runs.f[i].record->host, "bios.version", "1.4", "dmi");
		facts_set(&runs.f[i].record->builds[0].facts, "build.cflags", "-O2 -march=native", "matrix");
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	const struct comparable *records = &runs.between.comparable[1];
	assert_int_equal(records->axis, AXIS_COMPILER);
	has_text(records->what, "slot gcc: compiler 12.2.0 against compiler 13.1.0");
	assert_int_equal(records->verdict, COMPARABLE_CAVEAT);
	assert_true(any_has(&records->caveats, "kernel.release: 6.1 against 6.12"));
	assert_true(any_has(&records->caveats, "bios.version: 1.4 against unknown (Permission denied)"));
	assert_false(any_has(&records->caveats, "toolchain.version"));
	assert_int_equal(first(&runs)->comparable.code, CODE_OTHER);
	has_text(first(&runs)->comparable.native_b, "compiler 13.1.0: its answer was not recorded");
	assert_true(any_has(&runs.between.cells[1].effects[1].comparable.caveats, "placement not averaged"));
	assert_int_equal(runs.between.counts[1].cells, 2);
	assert_int_equal(runs.between.counts[1].caveats, 2);
	assert_int_equal(first(&runs)->c.answer, ANSWER_FASTER); /* a caveat suppresses nothing */
	cr_end(&runs);
}

static void between_compare__other_machine__axis_machine(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++)
		runs.f[i].record->host_name = "x86_64-25-97-ba9876543210";
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	has_text(runs.between.sentences[1], "axis: machine");
	cr_end(&runs);
}

/* CASES 117: the same code cannot be slower by its compiler. */
static void between_compare__same_code_and_slower__no_effect_of_the_axis(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, -0.05, 0.002);
	for (size_t i = 3; i < 6; i++)
		facts_set(&runs.f[i].record->toolchains[0].facts, "toolchain.version", "13.1.0", "gcc");
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.comparable[1].axis, AXIS_COMPILER);
	assert_true(any_has(&runs.between.notes, "2 cells of b (sort/gcc/O2/1 first) differ in speed"));
	assert_true(any_has(&runs.between.notes, "no effect of the compiler"));
	cr_end(&runs);
}

/* CASES 120: a noisy series is a caveat on either side. */
static void between_compare__noisy_series__caveat(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0, 0.002);
	for (size_t i = 0; i < runs.f[4].record->samples.n; i++)
		runs.f[4].record->samples.v[i].value *= i % 4 < 2 ? 0.9 : 1.1;
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_true(any_has(&first(&runs)->comparable.caveats, "series: quiet against noisy, spread"));
	assert_int_equal(first(&runs)->comparable.verdict, COMPARABLE_CAVEAT);
	cr_end(&runs);
}

static void between_compare__cells_on_one_side__listed(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++) {
		struct fixture *f = &runs.f[i];

		f->record->builds[1].cell = "sort/gcc/Os/1";
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_true(any_has(&runs.between.missing, "sort/gcc/Os/1: in b, not in a"));
	assert_true(any_has(&runs.between.missing, "sort/gcc/O3/1: in a, not in b"));
	assert_int_equal(runs.between.missing.n, 2);
	assert_int_equal(runs.between.cells[1].effects[1].c.answer, ANSWER_NONE);
	cr_end(&runs);
}

static void between_compare__failed_on_one_side__reason(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	for (size_t i = 3; i < 6; i++) {
		runs.f[i].record->builds[0].status = CELL_BUILD_FAILED;
		runs.f[i].record->builds[0].reason = "no such file";
		samples_release(&runs.f[i].record->samples);
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(first(&runs)->c.answer, ANSWER_NONE);
	has_text(first(&runs)->c.reason, "b: ");
	has_text(first(&runs)->c.reason, "no such file");
	cr_end(&runs);
}

static void between_compare__side_of_two_machines__refused(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	runs.f[4].record->host_name = "x86_64-25-97-ba9876543210";
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	has_text(e.text, "the runs of b are no repeats of one another");
	cr_end(&runs);
}

static void between_compare__code_changes_within_a_side__caveat(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	runs.f[5].record->builds[0].code_hash = "code-new";
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_true(any_has(&first(&runs)->comparable.caveats, "the runs of b do not have the same code"));
	assert_false(any_has(&runs.between.cells[1].effects[1].comparable.caveats, "same code"));
	cr_end(&runs);
}

static void between_compare__three_sides__family_over_the_table(void **state)
{
	(void)state;
	struct runs runs;
	struct error e = {0};
	three_each(&runs, 0.05, 0.002);
	cr_side(&runs, "c", (const double[]){99.9, 100, 100.1}, 3);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_int_equal(runs.between.family, 4);
	assert_int_equal(first(&runs)->c.answer, ANSWER_FASTER);
	assert_int_equal(runs.between.cells[0].effects[2].c.answer, ANSWER_NO_DIFFERENCE);
	cr_end(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_compare__three_runs__welch),
		cmocka_unit_test(between_compare__lower_is_better__sign_turns),
		cmocka_unit_test(between_compare__other_baseline__sign_turns),
		cmocka_unit_test(between_compare__no_difference__within_precision),
		cmocka_unit_test(between_compare__scatter__cant_tell_with_what_it_takes),
		cmocka_unit_test(between_compare__one_run_a_side__never_a_verdict),
		cmocka_unit_test(between_compare__three_against_two__no_verdict_either),
		cmocka_unit_test(between_compare__eight_runs_tests_disagree__cant_tell),
		cmocka_unit_test(between_compare__other_architecture__incomparable_without_ratio),
		cmocka_unit_test(between_compare__other_metric_or_content__cells_incomparable),
		cmocka_unit_test(between_compare__differences__axis_and_caveats),
		cmocka_unit_test(between_compare__other_machine__axis_machine),
		cmocka_unit_test(between_compare__same_code_and_slower__no_effect_of_the_axis),
		cmocka_unit_test(between_compare__noisy_series__caveat),
		cmocka_unit_test(between_compare__cells_on_one_side__listed),
		cmocka_unit_test(between_compare__failed_on_one_side__reason),
		cmocka_unit_test(between_compare__side_of_two_machines__refused),
		cmocka_unit_test(between_compare__code_changes_within_a_side__caveat),
		cmocka_unit_test(between_compare__three_sides__family_over_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
