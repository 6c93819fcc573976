/*
 * What further runs would settle. Expected numbers by hand, from the formulas at the top of compare/next.h: V(L, R) =
 * var_layout / L + var_round / R in units of the variance now.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/next.h"
#include "compare_fixture.h"
#include "session/estimate.h"

enum { MS = 1000000 };

static struct comparison comparisons[CF_MOST];
static const struct next_options plain = {.where = " -C dir"};

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

/* O2 is the baseline; v cells of one workload, 64 rounds: samples of 5 ms, one every 6 ms. */
static void scene(struct fixture *f, uint32_t cells)
{
	int64_t at = 0;

	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	for (uint32_t b = 1; b < cells; b++)
		cf_build(f, "sort", "gcc", arena_printf(&f->arena, "v%u", b), false);
	for (uint32_t r = 0; r < 64; r++)
		for (uint32_t b = 0; b < cells; b++) {
			size_t index = cf_sample(f, b, r, r % 16, 100);
			struct sample *row = &f->record->samples.v[index];

			row->elapsed_ns = 5 * MS;
			row->start_offset_ns = at;
			at += 6 * MS;
		}
	f->result = (struct result){.comparisons = comparisons, .lambda = 1};
}

/* An open comparison of b with the baseline: half-width 2 %, 64 rounds over 16 layouts. */
static struct comparison *open_one(struct fixture *f, uint32_t b, double effect, double effort, double share)
{
	struct comparison *c = &comparisons[f->result.comparison_count++];

	*c = (struct comparison){.a = 0,
		.b = b,
		.answer = ANSWER_CANT_TELL,
		.reason = "too wide",
		.has_effect = true,
		.effect = effect,
		.lo = effect - 0.02,
		.hi = effect + 0.02,
		.x = fabs(effect) + 0.02,
		.effort = effort,
		.layouts = 16,
		.rounds = 64,
		.placement_averaged = true,
		.placement_share = share};
	return c;
}

static void plan(struct fixture *f, struct next *next)
{
	next_plan(f->record, &f->result, &f->record->plan.settings, &plain, &f->arena, next);
}

static void next_plan__no_placement__rounds_grow_with_the_effort(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 2);
	open_one(&f, 1, 0.002, 2.2, 0);
	plan(&f, &next);
	assert_int_equal(next.n, 1);
	assert_int_equal(next.possible, 1);
	const struct next_item *item = &next.items[0];
	/* 64 * 2.2 = 140.8; nine passes over 16 layouts are 144; more layouts would need as many, and links */
	near(item->rounds_alone, 140.8);
	assert_int_equal(item->rounds, 144);
	assert_int_equal(item->layouts, 16);
	/* 128 samples, 127 gaps of 1 ms: 6 ms a sample, two a round */
	near(next.cost.overhead_ns, 1e6);
	near(next.cost.cell_ns[1], 6e6);
	near(next.cost.samples[1], 1);
	near(item->seconds, 144 * 0.012);
	assert_null(item->reason);
	cf_end(&f);
}

static void next_plan__step__doubled_rounds_and_the_exact_command(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 2);
	open_one(&f, 1, 0.002, 2.2, 0);
	plan(&f, &next);
	assert_int_equal(next.step_count, 1);
	/* 16, 32, 64, 128, 256; two cells of 6 ms; half as long again is under a minute */
	assert_int_equal(next.steps[0].rounds, 256);
	near(next.steps[0].seconds, 256 * 0.012);
	near(next.steps[0].total_seconds, 256 * 0.012);
	assert_int_equal(next.steps[0].settled, 1);
	assert_int_equal(next.items[0].step, 0);
	/* the record keeps no matrix, so its settings are said */
	assert_string_equal(next.steps[0].command,
		"flagstone run quick --only sort/gcc/v1/1 --rounds 256 --layouts "
		"16 --budget 1m --precision 1% --matters 0.5% -C dir");
	cf_end(&f);
}

/*
 * share 0.8, 2.5 times less variance: layouts leave 12.8 / L of the 0.4 that may be left, rounds need 12.8 over the rest.
 *	L = 16, 24, 32: 0.8, 0.53, 0.4 are left: no number of rounds
 *	L = 40: 0.32, so 160 rounds    L = 48: 0.2667, 96    L = 56: 0.2286, 74.7, 112 in whole passes    L = 64: 0.2, 64
 * A round of both takes 12 ms, a layout two links.
 */
static void next_plan__placement__the_cheapest_number_of_layouts(void **state)
{
	(void)state;
	static const struct {
		const char *link_ns, *check_ns; /* of 10 each; NULL: the record does not say */
		uint32_t layouts, rounds;
		double seconds;
	} cases[] = {
		/* 45 ms: 40 layouts 1920 + 24 * 90 = 4080 ms, 48 layouts 1152 + 32 * 90 = 4032, 56 layouts 4944 */
		{NULL, NULL, 48, 96, 4.032},
		/* 60 + 40 ms: 40 layouts 1920 + 4800 = 6720, 48 layouts 7552 */
		{"600000000", "400000000", 40, 160, 6.720},
		/* 1 ms: 64 layouts 768 + 96 = 864, 56 layouts 1344 + 80 */
		{"10000000", NULL, 64, 64, 0.864}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		struct next next;
		scene(&f, 2);
		open_one(&f, 1, 0.002, 2.5, 0.8);
		f.record->harness.arena = &f.arena;
		if (cases[i].link_ns != NULL) {
			facts_set(&f.record->harness, ESTIMATE_LINK_KEY, cases[i].link_ns, "clock");
			facts_set(&f.record->harness, ESTIMATE_LINKS_KEY, "10", "flagstone");
		}
		if (cases[i].check_ns != NULL) {
			facts_set(&f.record->harness, ESTIMATE_ONCE_KEY, cases[i].check_ns, "clock");
			facts_set(&f.record->harness, ESTIMATE_ONCES_KEY, "10", "flagstone");
		}
		plan(&f, &next);
		assert_true(isinf(next.items[0].rounds_alone));
		assert_int_equal(next.items[0].layouts, cases[i].layouts);
		assert_int_equal(next.items[0].rounds, cases[i].rounds);
		near(next.items[0].seconds, cases[i].seconds);
		assert_int_equal(next.cost.link_known, cases[i].link_ns != NULL);
		/* a run has doubled layouts, and rounds from one pass over them */
		assert_int_equal(next.steps[0].layouts, 64);
		cf_end(&f);
	}
}

static void next_plan__half_placement__rounds_alone_take_more(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 2);
	/* of 1/1.6 = 0.625 that may be left placement leaves 0.5: 0.5 * 64 / 0.125 = 256 rounds, not 64 * 1.6 */
	open_one(&f, 1, 0.002, 1.6, 0.5);
	plan(&f, &next);
	near(next.items[0].rounds_alone, 256);
	cf_end(&f);
}

static void next_plan__one_layout__rounds_only(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 3);
	struct comparison *c = open_one(&f, 1, 0.002, 3, -1);
	c->layouts = 1;
	c->rounds = 20;
	c = open_one(&f, 2, 0.002, 300, -1);
	c->layouts = 1;
	c->rounds = 20;
	plan(&f, &next);
	assert_int_equal(next.possible, 1);
	assert_int_equal(next.items[0].layouts, 1);
	assert_int_equal(next.items[0].rounds, 60);
	assert_int_equal(next.steps[0].rounds, 96); /* 6, 12, 24, 48, 96 */
	assert_false(next.items[1].possible);
	assert_int_equal(next.items[1].step, SIZE_MAX);
	has_text(next.items[1].reason, "about 6000 rounds, over 4096");
	cf_end(&f);
}

static void next_plan__placement_beyond_reach__said_with_what_it_would_take(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 2);
	/* 64 layouts leave 0.9 * 16 / 64 = 0.225 of the 0.05 that may be left */
	open_one(&f, 1, 0.002, 20, 0.9);
	plan(&f, &next);
	assert_int_equal(next.possible, 0);
	assert_int_equal(next.step_count, 0);
	has_text(next.items[0].reason, "placement dominates");
	has_text(next.items[0].reason, "about 320 layouts");
	cf_end(&f);
}

static void next_plan__goal__the_nearer_answer(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 3);
	/* half-width 0.02, precision 0.01: from 0.02 to 0.008 are 6.25 times less variance */
	open_one(&f, 1, 0.002, 6.25, 0);
	/* showing 0.03 takes less; if nothing is there, from 0.02 to 0.01 is 4 times: 256 rounds */
	open_one(&f, 2, -0.03, 1.5, 0);
	plan(&f, &next);
	assert_int_equal(next.items[0].comparison, 1); /* the cheaper one first */
	assert_int_equal(next.items[0].goal, NEXT_SHOWN);
	near(next.items[0].bound, 0.03);
	assert_int_equal(next.items[0].rounds, 96);
	assert_int_equal(next.items[0].rounds_if_none, 256);
	assert_int_equal(next.items[1].goal, NEXT_NARROW);
	near(next.items[1].bound, 0.01);
	assert_int_equal(next.items[1].rounds_if_none, 0);
	cf_end(&f);
}

static void next_plan__unknown__with_its_reason(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 5);
	f.record->plan.settings.precision = 0.005;
	f.record->plan.settings.matters = 0.02;
	open_one(&f, 1, 0.007, 0, 0); /* less than matters, more than the precision: no answer is for that */
	open_one(&f, 2, 0.002, 0, 0)->marked_differ = true;
	struct comparison *c = open_one(&f, 3, 0, 0, -1);
	c->has_effect = false;
	c->reason = "too few layouts that both have: 3, at least 8 are needed";
	c = open_one(&f, 4, 0, 0, -1);
	c->answer = ANSWER_NONE;
	c->has_effect = false;
	c->reason = "not measured: the run ended before";
	plan(&f, &next);
	assert_int_equal(next.n, 3);
	assert_int_equal(next.possible, 0);
	assert_int_equal(next.unmeasured, 1);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(next.items[i].goal, NEXT_NONE);
		assert_false(next.items[i].possible);
	}
	has_text(next.items[0].reason,
		"too small to matter (under 2 %) and too large for the precision (0.5 %)");
	has_text(next.items[1].reason, "disturbed in different shares");
	has_text(next.items[2].reason, "too few layouts");
	cf_end(&f);
}

static void next_plan__failed_and_hidden_and_decided__are_not_open(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 5);
	open_one(&f, 1, 0.05, 2, 0)->answer = ANSWER_FASTER;
	open_one(&f, 2, 0.002, 2, 0)->hidden = true;
	open_one(&f, 3, 0, 0, 0)->answer = ANSWER_NONE;
	f.record->builds[3].status = CELL_RUN_FAILED;
	open_one(&f, 4, 0, 0, 0)->answer = ANSWER_SAME_CODE;
	plan(&f, &next);
	assert_int_equal(next.n, 0);
	assert_int_equal(next.unmeasured, 0);
	assert_int_equal(next.step_count, 0);
	assert_int_equal(next.basis.n, 0);
	cf_end(&f);
}

/* Many needs become at most four runs, each item in one, and the sums are those of the parts. */
static void next_plan__many__few_runs_that_add_up(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	size_t settled = 0;
	double seconds = 0;
	scene(&f, 41);
	for (uint32_t b = 1; b <= 40; b++)
		open_one(&f, b, 0.002, 1 + 0.35 * b, b % 5 * 0.02);
	plan(&f, &next);
	assert_int_equal(next.n, 40);
	assert_true(next.possible >= 30);
	assert_in_range(next.step_count, 2, NEXT_MOST_STEPS);
	for (size_t s = 0; s < next.step_count; s++) {
		const struct next_step *step = &next.steps[s];
		for (size_t i = 0; i < step->n; i++) {
			const struct next_item *item = &next.items[step->items[i]];
			assert_int_equal(item->step, s);
			assert_true(step->rounds >= item->rounds || step->layouts > item->layouts);
			assert_true(step->layouts >= item->layouts);
		}
		settled += step->n;
		seconds += step->seconds;
		assert_int_equal(step->settled, settled);
		near(step->total_seconds, seconds);
		/* n cells and one baseline, 6 ms each */
		assert_true(step->seconds >= step->rounds * 0.006 * (double)(step->n + 1) * (1 - 1e-9));
		if (s > 0) /* what settles most for its time first */
			assert_true(step->seconds / (double)step->n >=
				    next.steps[s - 1].seconds / (double)next.steps[s - 1].n);
	}
	assert_int_equal(settled, next.possible);
	cf_end(&f);
}

static void next_plan__no_clock_in_the_record__time_unknown(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	scene(&f, 2);
	for (size_t i = 0; i < f.record->samples.n; i++)
		f.record->samples.v[i].start_offset_ns = 0;
	open_one(&f, 1, 0.002, 2.2, 0);
	plan(&f, &next);
	assert_false(next.cost.known);
	near(next.items[0].seconds, 0);
	assert_int_equal(next.items[0].rounds, 144);
	near(next.steps[0].seconds, 0);
	/* the record's budget of a minute, for 256 instead of 64 rounds */
	has_text(next.steps[0].command, "--rounds 256 --layouts 16 --budget 4m");
	has_text(next.basis.v[next.basis.n - 2], "times are unknown");
	cf_end(&f);
}

static void round_cost__repeats_arms_and_copies__count_as_they_took(void **state)
{
	(void)state;
	struct fixture f;
	struct round_cost cost;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	/* two rounds, a sample every 10 ms: O2 8 ms, its second arm 8 ms, O3 of two copies 6 ms, once measured again */
	static const struct {
		uint32_t build, arm, copy, round;
	} rows[] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 0}, {1, 0, 1, 0},
		{0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}, {1, 0, 1, 1}};
	int64_t at = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t index = cf_sample(&f, rows[i].build, rows[i].round, 0, 1);
		struct sample *row = &f.record->samples.v[index];
		row->arm = rows[i].arm;
		row->copy = rows[i].copy;
		row->elapsed_ns = (rows[i].build == 0 ? 8 : 6) * MS;
		at += rows[i].copy == 0 && i > 0 ? 10 * MS : 0;
		row->start_offset_ns = at;
	}
	round_cost_of_record(f.record, &f.arena, &cost);
	assert_true(cost.known);
	/* seven samples: from 0 to 66 ms, 50 ms of them timed, six gaps: 16/6 ms */
	near(cost.overhead_ns, 16e6 / 6);
	near(cost.cell_ns[0], 2 * (8e6 + 16e6 / 6));
	near(cost.cell_ns[1], 1.5 * (6e6 + 16e6 / 6));
	near(cost.samples[1], 1.5);
	assert_string_equal(ROUND_COST_LINK_KEY, ESTIMATE_LINK_KEY);
	assert_string_equal(ROUND_COST_LINKS_KEY, ESTIMATE_LINKS_KEY);
	assert_string_equal(ROUND_COST_CHECK_KEY, ESTIMATE_ONCE_KEY);
	assert_string_equal(ROUND_COST_CHECKS_KEY, ESTIMATE_ONCES_KEY);
	cf_end(&f);
}

static void next_command__cells__patterns_that_are_these_and_no_others(void **state)
{
	(void)state;
	struct fixture f;
	struct next next;
	static const char matrix[] =
		"workloads: [sort]\nslots: [gcc]\nbaseline: O2\nvariants:\n  O2: {cflags: -O2}\n"
		"  v1: {cflags: -O1}\n  v2: {cflags: -O3}\n"
		"measure: {sample: 5ms, precision: 1%, matters: 0.5%}\n";
	scene(&f, 3);
	f.record->plan.matrix_text = matrix;
	f.record->plan.matrix_name = "my matrix";
	f.record->plan.settings.sample_ns = 5 * MS;
	open_one(&f, 1, 0.002, 2.2, 0);
	plan(&f, &next);
	/* as the matrix says, nothing is said again */
	assert_string_equal(next.steps[0].command, "flagstone run 'my matrix' --only sort/gcc/v1/1 --rounds "
						   "256 --layouts 16 --budget 1m -C dir");
	open_one(&f, 2, 0.002, 2.2, 0);
	plan(&f, &next);
	has_text(next.steps[0].command, "run 'my matrix' --only sort/gcc --rounds"); /* all there is of it */
	/* the same comparison against another baseline: both cells are named, since --only brings O2 along */
	comparisons[1].a = 1;
	f.result.comparisons = comparisons + 1;
	f.result.comparison_count = 1;
	f.record->plan.settings.sample_ns = 1500000;
	f.record->plan.settings.precision = 0.02;
	f.record->plan.aa = true;
	f.record->harness.arena = &f.arena;
	facts_set(&f.record->harness, RECORD_CPUS_KEY, "2,4-7", RECORD_CPUS_GIVEN);
	f.record->builds[2].cell = "sort/gcc/v2 x/1";
	plan(&f, &next);
	has_text(next.steps[0].command, "--only sort/gcc --rounds");
	has_text(next.steps[0].command, " --sample 1500us --precision 2% --cpus 2,4-7 --aa -C dir");
	f.record->plan.matrix_text = NULL; /* then nobody knows what else the matrix has */
	plan(&f, &next);
	has_text(next.steps[0].command, "--only sort/gcc/v1/1 --only 'sort/gcc/v2 x/1' --rounds");
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_plan__no_placement__rounds_grow_with_the_effort),
		cmocka_unit_test(next_plan__step__doubled_rounds_and_the_exact_command),
		cmocka_unit_test(next_plan__placement__the_cheapest_number_of_layouts),
		cmocka_unit_test(next_plan__half_placement__rounds_alone_take_more),
		cmocka_unit_test(next_plan__one_layout__rounds_only),
		cmocka_unit_test(next_plan__placement_beyond_reach__said_with_what_it_would_take),
		cmocka_unit_test(next_plan__goal__the_nearer_answer),
		cmocka_unit_test(next_plan__unknown__with_its_reason),
		cmocka_unit_test(next_plan__failed_and_hidden_and_decided__are_not_open),
		cmocka_unit_test(next_plan__many__few_runs_that_add_up),
		cmocka_unit_test(next_plan__no_clock_in_the_record__time_unknown),
		cmocka_unit_test(round_cost__repeats_arms_and_copies__count_as_they_took),
		cmocka_unit_test(next_command__cells__patterns_that_are_these_and_no_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
