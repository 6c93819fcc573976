#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "host/host.h"
#include "session/layout_order.h"
#include "session/run.h"
#include "stats/marked.h"

/* Rounds over blocks, the journal after each, and when time is up. */

struct measure_item run_measure_item(const struct run *run, const struct run_item *item, uint32_t layout)
{
	const struct plan_cell *cell = &run->session->plan.cells[item->cell];
	struct measure_item m = {.build = (uint32_t)item->cell,
		.arm = item->arm,
		.layout = layout,
		.program = item->paths[layout],
		.runner = cell->slot->toolchain->runner,
		.env = cell->variant->env,
		.stdin_path = cell->workload->stdin_path,
		.copies = cell->copies,
		.units = item->units->units,
		.warmup = item->units->units / 10,
		.lower_is_better = cell->workload->lower_is_better,
		.check_value = item->units->check_value,
		.check_rel = item->check_rel,
		.group = (uint32_t)(cell->baseline_index >= 0 ? cell->baseline_index : (int64_t)item->cell),
		.is_baseline = cell->baseline && item->arm == 0};

	run_arguments(cell->args, run->arena, &m.arguments);
	if (m.warmup == 0)
		m.warmup = 1;
	return m;
}

static const char *newest_failure(const struct record *record, uint32_t build)
{
	for (size_t i = record->failure_count; i > 0; i--)
		if (record->failures[i - 1].build == build)
			return record->failures[i - 1].reason;
	return "a sample failed";
}

/* Fails the cells that had a failed sample. */
static void fail_cells(struct run *run, struct run_item *const *from, const bool *failed, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *reason = newest_failure(run->record, (uint32_t)from[i]->cell);

		if (failed[i])
			run_fail_cell(run, from[i]->cell,
				text_starts(reason, "wrong") ? CELL_CHECK_FAILED : CELL_RUN_FAILED, "run",
				reason);
	}
}

static int measure_workload(
	struct run *run, uint32_t workload, uint32_t round, uint32_t block, struct error *e)
{
	struct measure_item *items = mem_alloc_array(run->item_count, sizeof(*items));
	struct run_item **from = mem_alloc_array(run->item_count, sizeof(*from));
	bool *failed = mem_alloc_array(run->item_count, sizeof(*failed));
	uint32_t layout = layout_order_of_round(&run->record->plan, workload, round);
	int64_t begin = clock_ns(), once = run->times.once_ns;
	size_t count = 0, row = run->record->samples.n;
	int result = 0;

	for (size_t i = 0; i < run->item_count && result == 0; i++) {
		struct run_item *item = &run->items[i];

		if (!item->open || item->workload != workload)
			continue;
		result = run_check_layout(run, item, layout, e);
		if (item->open) {
			from[count] = item;
			items[count++] = run_measure_item(run, item, layout);
		}
	}
	if (result == 0 && count > 0)
		result = measure_block(&run->measurer, run->record, items, count, round, block, failed, e);
	fail_cells(run, from, failed, count);
	if (result == 0 && count > 0) {
		run_watch_units(run, row);
		pace_add(&run->pace[workload], clock_ns() - begin, run->times.once_ns - once, count);
	}
	mem_free(items);
	mem_free(from);
	mem_free(failed);
	return result;
}

int64_t run_left_ns(const struct run *run)
{
	int64_t spent = clock_ns() - run->measure_begin_ns + run->measured_before_ns;

	return run->settings.budget_ns > 0 ? run->settings.budget_ns - spent : INT64_MAX;
}

static size_t open_items(const struct run *run, uint32_t workload)
{
	size_t open = 0;

	for (size_t i = 0; i < run->item_count; i++)
		open += run->items[i].open && run->items[i].workload == workload;
	return open;
}

/* Is there a block to measure among these workloads? */
static bool any_open(const struct run *run, const uint32_t *workloads, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (open_items(run, workloads[i]) > 0)
			return true;
	return false;
}

/* *cut: the time was up after a block that was not the last. */
static int measure_round(struct run *run, uint32_t round, bool *cut, struct error *e)
{
	uint32_t count = (uint32_t)run->record->workload_count;
	uint32_t *order = mem_alloc_array(count, sizeof(*order));
	int result = 0;

	*cut = false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	rng_shuffle(&run->measurer.rng, order, count);
	for (uint32_t i = 0; i < count && result == 0 && !*cut; i++) {
		result = measure_workload(run, order[i], round, i, e);
		*cut = run_left_ns(run) < 0 && any_open(run, order + i + 1, count - i - 1);
	}
	mem_free(order);
	return result;
}

static size_t open_count(const struct run *run)
{
	size_t open = 0;

	for (size_t i = 0; i < run->item_count; i++)
		open += run->items[i].open;
	return open;
}

/* What the next round should take at most; 0: nothing was measured yet. */
static double next_round_ns(const struct run *run)
{
	double ns = 0;

	for (uint32_t w = 0; w < run->record->workload_count; w++)
		ns += pace_slow_ns(&run->pace[w]) * (double)open_items(run, w);
	return ns;
}

double run_round_ns(const struct run *run, uint32_t workload)
{
	return pace_mean_ns(&run->pace[workload]) * (double)open_items(run, workload);
}

/* Time left: to the budget's end or the last round, whichever is first, at the pace so far. */
static int64_t time_left(const struct run *run, uint32_t rounds_done)
{
	int64_t spent = clock_ns() - run->measure_begin_ns, left, budget = run_left_ns(run);
	uint32_t done = rounds_done - run->first_round;

	if (done == 0)
		return run->settings.budget_ns > 0 ? run->settings.budget_ns : -1;
	left = spent / done * (run->settings.rounds_max - rounds_done);
	left = budget < left ? budget : left;
	return left > 0 ? left : 0;
}

static void tell_round(const struct run *run, uint32_t done)
{
	const struct session_events *events = &run->session->events;
	struct session_progress progress = {.what = "measure",
		.done = done,
		.total = run->settings.rounds_max,
		.left_ns = time_left(run, done),
		.open_cells = open_count(run),
		.undecided = run_undecided(run),
		.comparisons = run->record->plan.comparison_count};

	if (events->progress != NULL)
		events->progress(events->context, &progress);
}

static void watch_others(struct run *run)
{
	struct host_load load = {0};

	host_load_read("", &load);
	if (load.running > 1) /* this program itself is one */
		run->busy_rounds++;
	if (load.running - 1 > run->busy_most)
		run->busy_most = load.running - 1;
}

static int keep_round(struct run *run, uint32_t round, struct error *e)
{
	if (journal_round(run->journal, run->record, e) != 0)
		return error_context(e, "keeping round %u", round);
	run->journalled = run->record->samples.n;
	return 0;
}

static void fix_thresholds(struct run *run)
{
	struct record_plan *plan = &run->record->plan;

	struct samples own = {
		.v = run->record->samples.v + run->first_row, .n = run->record->samples.n - run->first_row};

	if (own.n < STATS_MARKED_MIN)
		return; /* after a later round, then */
	measure_fix_thresholds(&run->measurer, &own);
	plan->canary_dep_limit_ns = run->measurer.canary_dep_limit_ns;
	plan->canary_wide_limit_ns = run->measurer.canary_wide_limit_ns;
	plan->run_wait_limit = run->measurer.run_wait_limit;
}

static void set_measured(struct run *run)
{
	for (size_t i = 0; i < run->item_count; i++) {
		struct record_build *build = &run->record->builds[run->items[i].cell];

		if (build->status == CELL_BUILT)
			build->status = CELL_MEASURED;
	}
}

/* An unfinished round is no round: all cells have the same number. */
static void drop_unfinished(struct run *run)
{
	struct record *record = run->record;
	size_t kept = 0;

	record->samples.n = run->journalled;
	for (size_t i = 0; i < record->failure_count; i++)
		if (record->failures[i].sample < (int64_t)record->samples.n)
			record->failures[kept++] = record->failures[i];
	record->failure_count = kept;
}

/* Would a round that begins now, and the look that may follow, still end within the budget? */
static bool time_for_round(const struct run *run, uint32_t done)
{
	double look = run_is_look(&run->record->plan, done + 1) ? (double)run->times.look_ns : 0;

	return run->settings.budget_ns == 0 || next_round_ns(run) + look <= (double)run_left_ns(run);
}

static void note_budget(const struct run *run, uint32_t done)
{
	const struct measure_settings *settings = &run->settings;
	uint32_t first = run->record->plan.looks[0];
	double round = next_round_ns(run);
	char budget[NUM_SIZE], need[NUM_SIZE];

	num_duration(settings->budget_ns, budget);
	run_note(run, "the time budget (%s) ended the run after %u of %u rounds", budget, done,
		settings->rounds_max);
	if (done >= first)
		return;
	if (round <= 0) {
		run_note(run, "not even one round fits into a budget of %s", budget);
		return;
	}
	num_duration((int64_t)(round * first * 1.1), need);
	run_note(run,
		"that was before the first look, after %u rounds: they take a budget of about %s, or ask for "
		"fewer cells (--only)",
		first, need);
}

/* A round is over: what it says is kept before anything else is done. */
static int finish_round(struct run *run, uint32_t round, struct error *e)
{
	set_measured(run);
	if (run->measurer.run_wait_limit <= 0)
		fix_thresholds(run);
	watch_others(run);
	return keep_round(run, round, e);
}

/* What stands between two rounds. */
static int between_rounds(struct run *run, uint32_t done, struct error *e)
{
	if (run_is_look(&run->record->plan, done) && run_look(run, done, e) != 0)
		return -1;
	return open_count(run) > 0 ? run_recalibrate(run, done, e) : 0;
}

static int measure_rounds(struct run *run, uint32_t *done, struct error *e)
{
	bool cut;

	while (*done < run->settings.rounds_max && open_count(run) > 0) {
		if (!time_for_round(run, *done)) {
			note_budget(run, *done);
			return 0;
		}
		tell_round(run, *done);
		if (measure_round(run, *done, &cut, e) != 0)
			return -1;
		if (cut) {
			note_budget(run, *done);
			drop_unfinished(run);
			return 0;
		}
		if (finish_round(run, *done, e) != 0)
			return -1;
		++*done;
		if (between_rounds(run, *done, e) != 0)
			return -1;
	}
	return 0;
}

int run_rounds(struct run *run, struct error *e)
{
	const struct record_plan *plan = &run->record->plan;
	uint32_t done = run->first_round;
	int result = 0;

	run->measure_begin_ns = clock_ns();
	facts_setf(&run->record->harness, "harness.start_to_measure_ns", "CLOCK_MONOTONIC_RAW", "%lld",
		(long long)(run->measure_begin_ns - run->session->opened_ns));
	run_close_settled(run); /* what a resumed run had settled */
	/* a run may have been cut off between its round and the look at it */
	if (run->resumed != NULL && run_is_look(plan, done) && done < run->settings.rounds_max)
		result = run_look(run, done, e);
	if (result == 0)
		result = measure_rounds(run, &done, e);
	if (result != 0)
		drop_unfinished(run);
	run->record->plan.last_look = done;
	return result;
}
