/* What a session decides without running anything: settings, whether a run may go on, and with what. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "record_fixture.h"
#include "session/run.h"

enum { BUILDS = 3 };

static struct arena arena;

static void session_settings__nothing_asked__the_matrix(void **state)
{
	struct session session = {.matrix.measure = spec_measure_defaults()};
	struct measure_settings s = session_settings(&session);

	(void)state;
	/* DESIGN.md: sample 5ms, layouts 16..64, rounds 16..256, precision 1%, matters 0.5% */
	assert_int_equal(s.sample_ns, 5000000);
	assert_int_equal(s.layouts_min, 16);
	assert_int_equal(s.layouts_max, 64);
	assert_int_equal(s.rounds_min, 16);
	assert_int_equal(s.rounds_max, 256);
	assert_true(s.precision == 0.01 && s.matters == 0.005);
	assert_int_equal(s.budget_ns, 0);
	assert_int_equal(s.timeout_ns, 60000000000);
}

static void session_settings__options__win(void **state)
{
	struct session session = {.matrix.measure = spec_measure_defaults(),
		.options = {.rounds_min = 20,
			.rounds_max = 40,
			.layouts = 8,
			.sample_ns = 1000000,
			.budget_ns = 7,
			.build_budget_ns = 8,
			.timeout_ns = 9,
			.precision = 0.02,
			.matters = 0.03}};
	struct measure_settings s = session_settings(&session);

	(void)state;
	assert_int_equal(s.sample_ns, 1000000);
	assert_int_equal(s.layouts_min, 8);
	assert_int_equal(s.layouts_max, 8);
	assert_int_equal(s.rounds_min, 20);
	assert_int_equal(s.rounds_max, 40);
	assert_true(s.precision == 0.02 && s.matters == 0.03);
	assert_int_equal(s.budget_ns, 7);
	assert_int_equal(s.build_budget_ns, 8);
	assert_int_equal(s.timeout_ns, 9);
	session.matrix.measure.timeout_ns = 5;
	session.options.timeout_ns = 0;
	assert_int_equal(session_settings(&session).timeout_ns, 5);
}

/* A run that goes on with a record: both the same, until a test changes something. */
struct pair {
	struct record *old, *now;
	struct run run;
	struct run_item items[BUILDS];
};

static struct record *one_side(void)
{
	struct record *record = fixture_plain(&arena, BUILDS);

	record->toolchains = arena_array(&arena, 1, sizeof(*record->toolchains));
	record->toolchain_count = 1;
	record->toolchains[0].facts.arena = &arena;
	words_add(&record->toolchains[0].slots, &arena, "gcc");
	facts_set(&record->toolchains[0].facts, "toolchain.cc1.sha256", "1234", "test");
	facts_set(&record->toolchains[0].facts, "toolchain.lto", "yes", "test");
	facts_set(&record->host, "kernel.release", "6.1.0", "test");
	facts_set(&record->host, "load.1", "0.1", "test");
	facts_unknown(&record->host, "cpu.microcode", "test", "a test");
	for (size_t i = 0; i < BUILDS; i++)
		record->builds[i].status = CELL_BUILT;
	record->workloads = arena_array(&arena, 1, sizeof(*record->workloads));
	record->workload_count = 1;
	record->workloads[0] = (struct record_workload){.name = "dhrystone"};
	record->plan.seed = "00112233445566778899aabbccddeeff";
	return record;
}

static struct pair pair(void)
{
	struct pair p = {.old = one_side(), .now = one_side()};

	p.old->complete = false;
	p.run = (struct run){.arena = &arena,
		.record = p.now,
		.resumed = p.old,
		.item_count = BUILDS,
		.pace = arena_array(&arena, 1, sizeof(struct pace))};
	return p;
}

static void assert_refused(struct pair *p, const char *what, const char *before, const char *now)
{
	struct error e = {0};

	assert_int_equal(run_resume_compare(&p->run, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	if (strstr(e.text, what) == NULL || strstr(e.text, before) == NULL || strstr(e.text, now) == NULL)
		fail_msg("%s", e.text);
	record_release(p->old);
	record_release(p->now);
}

static void run_resume_compare__all_as_it_was__goes_on(void **state)
{
	struct pair p = pair();
	struct error e = {0};

	(void)state;
	facts_set(&p.now->host, "load.1", "7.5", "test");	 /* changes all the time */
	facts_set(&p.now->host, "cpu.microcode", "0x1", "test"); /* unknown before: no difference is known */
	facts_set(&p.now->toolchains[0].facts, "toolchain.lto", "no", "test"); /* an answer, no part */
	if (run_resume_compare(&p.run, &e) != 0)
		fail_msg("%s", e.text);
	record_release(p.old);
	record_release(p.now);
}

static void run_resume_compare__something_differs__refused_by_name(void **state)
{
	struct pair p = pair();

	(void)state;
	p.now->host_name = "x86_64-6-85-ffffffffffff";
	assert_refused(&p, "the host", FIXTURE_HOST, "ffffffffffff");
	p = pair();
	facts_set(&p.now->host, "kernel.release", "6.2.0", "test");
	assert_refused(&p, "kernel.release", "6.1.0", "6.2.0");
	p = pair();
	facts_set(&p.now->toolchains[0].facts, "toolchain.cc1.sha256", "5678", "test");
	assert_refused(&p, "toolchain gcc", "1234", "5678");
	p = pair();
	p.now->toolchain_count = 0;
	assert_refused(&p, "a toolchain", "gcc", "unknown");
	p = pair();
	p.now->build_count = 2;
	assert_refused(&p, "cells", "3", "2");
	p = pair();
	p.now->builds[1].cell = "dhrystone/gcc/other/4";
	assert_refused(&p, "a cell", p.old->builds[1].cell, "other");
}

static void run_take_up__another_build__refused(void **state)
{
	struct pair p = pair();
	struct error e = {0};

	(void)state;
	p.now->builds[2].content_hash = "bbbb";
	assert_int_equal(run_take_up(&p.run, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, p.old->builds[2].cell));
	assert_non_null(strstr(e.text, "bbbb"));
	record_release(p.old);
	record_release(p.now);
}

static void run_take_up__samples_failures_and_settled_cells__are_the_new_records(void **state)
{
	struct pair p = pair();
	struct error e = {0};
	struct sample row;

	(void)state;
	p.run.items = p.items;
	for (size_t i = 0; i < BUILDS; i++)
		p.items[i] = (struct run_item){.cell = i, .open = true, .layout_count = 1};
	sample_init(&row);
	for (uint32_t i = 0; i < 10; i++) { /* rounds 0 to 4 */
		row.round = row.block = i / 2;
		row.build = i % 2;
		row.start_offset_ns = 1000 + i * 100;
		row.elapsed_ns = 50;
		samples_add(&p.old->samples, &row);
	}
	memset(p.old->id, 'a', HASH_HEX - 1);
	p.old->group = "a group";
	p.old->started = "2026-01-01T00:00:00Z";
	p.old->plan.comparisons = arena_array(&arena, 1, sizeof(*p.old->plan.comparisons));
	p.now->plan.comparisons = arena_array(&arena, 1, sizeof(*p.now->plan.comparisons));
	p.old->plan.comparison_count = p.now->plan.comparison_count = 1;
	p.old->plan.comparisons[0].closed_at = 16;
	p.old->builds[2].status = CELL_RUN_FAILED;
	p.old->builds[2].reason = "ended with exit code 22";
	record_add_failure(p.old, 3, 2, "run", "ended with exit code %d", 22);
	record_note(p.old, "an old note");
	if (run_take_up(&p.run, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(p.run.first_round, 5);
	assert_int_equal(p.run.first_row, 10);
	assert_int_equal(p.run.journalled, 10);
	assert_int_equal(p.run.measured_before_ns, 950); /* 1000 to 1900 + 50 */
	/* a block of two: from the first one's start to 50 ns behind the second one's, 100 ns later */
	assert_true(pace_mean_ns(&p.run.pace[0]) == 75);
	assert_int_equal(p.now->samples.n, 10);
	assert_int_equal(p.now->samples.v[9].round, 4);
	assert_string_equal(p.now->continues, p.old->id);
	assert_string_equal(p.now->group, "a group");
	assert_string_equal(p.now->started, "2026-01-01T00:00:00Z");
	assert_int_equal(p.now->session_count, 2);
	assert_int_equal(p.run.measurer.session, 1);
	assert_int_equal(p.now->plan.comparisons[0].closed_at, 16);
	assert_int_equal(p.now->builds[2].status, CELL_RUN_FAILED);
	assert_string_equal(p.now->builds[2].reason, "ended with exit code 22");
	assert_false(p.items[2].open);
	assert_true(p.items[0].open);
	assert_int_equal(p.now->failure_count, 1);
	assert_int_equal(p.now->failures[0].sample, 3);
	assert_string_equal(p.now->notes.v[0], "an old note");
	assert_string_equal(p.now->notes.v[1], "resumed after round 5 of an interrupted run");
	record_release(p.old);
	record_release(p.now);
}

/* A run that had gone from 8 to 16 layouts, of which 12 can be linked again. */
static void run_take_up__fewer_layouts_than_before__a_step_down_and_a_note(void **state)
{
	struct record_layout_step steps[] = {{0, UINT32_MAX, 8}, {3, 0, 16}};
	struct pair p = pair();
	struct error e = {0};
	struct sample row;

	(void)state;
	p.old->plan.layout_steps = steps;
	p.old->plan.layout_step_count = 2;
	p.run.items = p.items;
	for (size_t i = 0; i < BUILDS; i++)
		p.items[i] = (struct run_item){.cell = i, .open = true, .layout_count = 12};
	sample_init(&row);
	row.round = 4;
	samples_add(&p.old->samples, &row);
	if (run_take_up(&p.run, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(p.now->plan.layout_step_count, 3);
	assert_memory_equal(p.now->plan.layout_steps, steps, sizeof(steps));
	assert_int_equal(p.now->plan.layout_steps[2].round, 5);
	assert_int_equal(p.now->plan.layout_steps[2].workload, 0);
	assert_int_equal(p.now->plan.layout_steps[2].layouts, 12);
	assert_string_equal(
		p.now->notes.v[0], "session 2: dhrystone: 12 of the run's 16 layouts could be linked again");
	record_release(p.old);
	record_release(p.now);
}

static void run_take_up__all_layouts_again__the_same_steps(void **state)
{
	struct record_layout_step steps[] = {{0, UINT32_MAX, 8}, {3, 0, 16}};
	struct pair p = pair();
	struct error e = {0};

	(void)state;
	p.old->plan.layout_steps = steps;
	p.old->plan.layout_step_count = 2;
	p.run.items = p.items;
	for (size_t i = 0; i < BUILDS; i++)
		p.items[i] = (struct run_item){.cell = i, .open = true, .layout_count = 16};
	if (run_take_up(&p.run, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(p.now->plan.layout_step_count, 2);
	assert_memory_equal(p.now->plan.layout_steps, steps, sizeof(steps));
	record_release(p.old);
	record_release(p.now);
}

static uint64_t units_taken(
	const struct record *record, const char *content_hash, uint32_t copies, const char *args)
{
	struct run_units units = {.copies = copies, .args = args};

	run_units_take(record, content_hash, &units);
	return units.units;
}

static void run_units_take__workload_copies_and_args__must_be_the_same(void **state)
{
	struct record *record = one_side();
	struct run_units units = {.copies = 4, .args = ""};

	(void)state;
	record->workloads = arena_array(&arena, 1, sizeof(*record->workloads));
	record->workload_count = 1;
	record->workloads[0] = (struct record_workload){.name = "dhrystone", .content_hash = "cccc"};
	facts_set(&record->builds[1].facts, "cell.units", "4096", "test"); /* 4 copies */
	facts_set(&record->builds[1].facts, "cell.units_found_with", "dhrystone/gcc/O3/copies=4", "test");
	assert_int_equal(units_taken(record, "cccc", 4, ""), 4096);
	assert_int_equal(units_taken(record, "dddd", 4, ""), 0);
	assert_int_equal(units_taken(record, "cccc", 1, ""), 0);
	assert_int_equal(units_taken(record, "cccc", 4, "n=4"), 0);
	run_units_take(record, "cccc", &units);
	assert_string_equal(units.fastest, "dhrystone/gcc/O3/copies=4");
	facts_set(&record->builds[1].facts, "cell.units", "lots", "test");
	assert_int_equal(units_taken(record, "cccc", 4, ""), 0);
	record_release(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_settings__nothing_asked__the_matrix),
		cmocka_unit_test(session_settings__options__win),
		cmocka_unit_test(run_resume_compare__all_as_it_was__goes_on),
		cmocka_unit_test(run_resume_compare__something_differs__refused_by_name),
		cmocka_unit_test(run_take_up__another_build__refused),
		cmocka_unit_test(run_take_up__samples_failures_and_settled_cells__are_the_new_records),
		cmocka_unit_test(run_take_up__fewer_layouts_than_before__a_step_down_and_a_note),
		cmocka_unit_test(run_take_up__all_layouts_again__the_same_steps),
		cmocka_unit_test(run_units_take__workload_copies_and_args__must_be_the_same),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
