/* What a run would take: learned from records, filled in from like cells, and as bounds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "record_fixture.h"
#include "session/estimate.h"

enum { CELLS = 4 };

static struct arena arena;

struct scene {
	struct spec_workload workloads[2];
	struct toolchain toolchain;
	struct toolchain_slot slot;
	struct spec_variant variants[2];
	struct plan_cell cells[CELLS];
	struct plan plan;
	double build_ns[CELLS], round_ns[CELLS];
	struct estimate_history history;
};

/* Two workloads, gcc, O2 (the baseline) and O3. */
static void begin(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	s->workloads[0].name = "dhrystone";
	s->workloads[1].name = "pipe";
	s->slot = (struct toolchain_slot){.name = "gcc", .toolchain = &s->toolchain};
	s->variants[0].name = "O2";
	s->variants[1].name = "O3";
	for (size_t i = 0; i < CELLS; i++)
		s->cells[i] = (struct plan_cell){.name = arena_printf(&arena, "%s/gcc/%s/1",
							 s->workloads[i / 2].name, s->variants[i % 2].name),
			.workload = &s->workloads[i / 2],
			.slot = &s->slot,
			.variant = &s->variants[i % 2],
			.copies = 1,
			.args = "",
			.baseline = i % 2 == 0};
	s->plan = (struct plan){.slots = &s->slot,
		.slot_count = 1,
		.cells = s->cells,
		.cell_count = CELLS,
		.possible = CELLS};
	s->history = (struct estimate_history){.build_ns = s->build_ns, .round_ns = s->round_ns};
}

/* A record of dhrystone O2 and O3: facts of a run with 2 jobs. */
static struct record *record_of(const char *build_ns, const char *round_ns, int64_t sample_ns)
{
	struct record *record = fixture_plain(&arena, 2);

	for (size_t i = 0; i < 2; i++) {
		record->builds[i].cell =
			arena_printf(&arena, "dhrystone/gcc/%s/1", record->builds[i].variant);
		facts_set(&record->builds[i].facts, ESTIMATE_BUILD_KEY, build_ns, "test");
		facts_set(&record->builds[i].facts, ESTIMATE_ROUND_KEY, round_ns, "test");
	}
	record->plan.settings.sample_ns = sample_ns;
	facts_set(&record->harness, ESTIMATE_JOBS_KEY, "2", "test");
	facts_set(&record->harness, ESTIMATE_WORK_KEY, "400", "test");
	facts_set(&record->harness, ESTIMATE_BUILDS_KEY, "300", "test");
	facts_set(&record->harness, ESTIMATE_LINK_KEY, "700", "test");
	facts_set(&record->harness, ESTIMATE_LINKS_KEY, "14", "test");
	facts_set(&record->harness, ESTIMATE_CHECK_KEY, "90", "test");
	facts_set(&record->harness, ESTIMATE_CHECKS_KEY, "3", "test");
	return record;
}

static void estimate_learn__facts_of_a_record__times_of_one_cpu(void **state)
{
	struct record *record = record_of("200", "11", 5000000);
	struct scene s;

	(void)state;
	begin(&s);
	estimate_learn(&s.history, &s.plan, record, 5000000);
	assert_true(s.build_ns[0] == 200 && s.build_ns[1] == 200);
	assert_true(s.build_ns[2] == 0 && s.build_ns[3] == 0);
	assert_true(s.round_ns[0] == 11 && s.round_ns[1] == 11 && s.round_ns[2] == 0);
	assert_true(s.history.build_factor == 1.5); /* 300 x 2 / 400 */
	assert_true(s.history.link_ns == 100);	    /* 700 x 2 / 14 */
	assert_true(s.history.check_ns == 30);	    /* one after the other */
	assert_true(s.history.layout_check_ns == 0);
	record_release(record);
}

static void estimate_learn__newer_record_first__older_ones_fill_in_only(void **state)
{
	struct record *newer = record_of("200", "11", 5000000), *older = record_of("900", "99", 5000000);
	struct scene s;

	(void)state;
	begin(&s);
	older->builds[1].cell = "pipe/gcc/O2/1";
	older->builds[1].workload = "pipe";
	older->builds[1].variant = "O2";
	estimate_learn(&s.history, &s.plan, newer, 5000000);
	estimate_learn(&s.history, &s.plan, older, 5000000);
	assert_true(s.build_ns[0] == 200 && s.round_ns[0] == 11);
	assert_true(s.build_ns[2] == 900 && s.round_ns[2] == 99);
	assert_true(s.history.link_ns == 100);
	record_release(newer);
	record_release(older);
}

/* What a round took says nothing of one with other samples; what a build took does. */
static void estimate_learn__other_samples__builds_only(void **state)
{
	struct record *record = record_of("200", "11", 1000000);
	struct scene s;

	(void)state;
	begin(&s);
	estimate_learn(&s.history, &s.plan, record, 5000000);
	assert_true(s.build_ns[0] == 200 && s.round_ns[0] == 0);
	record_release(record);
}

/* Nothing was made: all came from the cache. A record of another version has no such facts, or odd ones. */
static void estimate_learn__nothing_made_or_nonsense__unknown(void **state)
{
	struct record *record = record_of("soon", "-5", 5000000);
	struct scene s;

	(void)state;
	begin(&s);
	facts_set(&record->harness, ESTIMATE_WORK_KEY, "0", "test");
	facts_set(&record->harness, ESTIMATE_LINKS_KEY, "0", "test");
	facts_unknown(&record->harness, ESTIMATE_CHECKS_KEY, "test", "a test");
	estimate_learn(&s.history, &s.plan, record, 5000000);
	for (size_t i = 0; i < CELLS; i++)
		assert_true(s.build_ns[i] == 0 && s.round_ns[i] == 0);
	assert_true(s.history.build_factor == 0 && s.history.link_ns == 0 && s.history.check_ns == 0);
	record_release(record);
}

static void estimate_of_cell__unknown__its_workload_then_all(void **state)
{
	double by_cell[CELLS] = {100, 0, 0, 0};
	struct scene s;

	(void)state;
	begin(&s);
	assert_true(estimate_of_cell(&s.plan, by_cell, 0) == 100);
	assert_true(estimate_of_cell(&s.plan, by_cell, 1) == 100);
	assert_true(estimate_of_cell(&s.plan, by_cell, 2) == 100);
	by_cell[2] = 300;
	assert_true(estimate_of_cell(&s.plan, by_cell, 1) == 100);
	assert_true(estimate_of_cell(&s.plan, by_cell, 3) == 300);
	by_cell[0] = by_cell[2] = 0;
	assert_true(estimate_of_cell(&s.plan, by_cell, 3) == 0);
}

static void estimate_bounds__a_quarter_of_room_and_the_waits(void **state)
{
	struct session_estimate e = {.build_ns = 40000000000,
		.prepare_ns = 4000000000,
		.first_look_ns = 16000000000,
		.measure_ns = 60000000000};

	(void)state;
	estimate_bounds(&e, 500000000);
	assert_int_equal(e.shortest_ns, 45000000000);		   /* 0.75 x (40 + 4 + 16) */
	assert_int_equal(e.longest_ns, 55000000000 + 71500000000); /* 1.25 x 44, 60 + 10 + 1 + 0.5 */
	e.measure_ns = 12000000000; /* a budget that ends before the first look */
	estimate_bounds(&e, 0);
	assert_int_equal(e.shortest_ns, 42000000000); /* 0.75 x (44 + 12) */
}

/* Nobody to ask: no archive, no cache, no driver to build with. Rough figures, within the budgets. */
static void session_estimate__nothing_known__rough_and_within_the_budgets(void **state)
{
	struct session session = {.arena = &arena,
		.matrix.measure = spec_measure_defaults(),
		.allowed.n = 2,
		.project_folder = "/nonexistent",
		.cache_folder = "/nonexistent/cache",
		.archive_folder = "/nonexistent/archive",
		.host.arena = &arena};
	struct session_estimate e, twice;
	struct scene s;

	(void)state;
	begin(&s);
	session.plan = s.plan;
	session_estimate(&session, &e);
	assert_false(e.looked_up);
	assert_false(e.builds_known || e.rounds_known);
	assert_int_equal(e.builds, CELLS);
	assert_int_equal(e.cached, 0);
	/* 16 layouts a build, and a second arm of each baseline */
	assert_int_equal(e.links, CELLS * 16 + 2 * 16);
	assert_int_equal(e.links_cached, 0);
	assert_int_equal(e.first_look, 16);
	/* 4 cells and 2 arms, at least 5 ms a sample, and no more than ten times that */
	assert_true(
		e.first_look_ns > INT64_C(6) * 16 * 5000000 && e.first_look_ns < INT64_C(60) * 16 * 5000000);
	assert_true(e.measure_ns > INT64_C(6) * 256 * 5000000);
	assert_true(e.shortest_ns < e.longest_ns);
	session.options.budget_ns = 1000000000;
	session.options.build_budget_ns = 2000000000;
	session_estimate(&session, &twice);
	assert_int_equal(twice.measure_ns, 1000000000);
	assert_int_equal(twice.first_look_ns, e.first_look_ns); /* which is more, as the plan then says */
	assert_true(twice.build_ns <= e.build_ns);
	session.options.jobs = 4;
	session.options.build_budget_ns = 0;
	session_estimate(&session, &twice);
	assert_int_equal(twice.build_ns, e.build_ns / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimate_learn__facts_of_a_record__times_of_one_cpu),
		cmocka_unit_test(estimate_learn__newer_record_first__older_ones_fill_in_only),
		cmocka_unit_test(estimate_learn__other_samples__builds_only),
		cmocka_unit_test(estimate_learn__nothing_made_or_nonsense__unknown),
		cmocka_unit_test(estimate_of_cell__unknown__its_workload_then_all),
		cmocka_unit_test(estimate_bounds__a_quarter_of_room_and_the_waits),
		cmocka_unit_test(session_estimate__nothing_known__rough_and_within_the_budgets),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
