#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "compare/effect.h"
#include "host/host.h"
#include "session/run.h"
#include "stats/marked.h"

/* Rounds over blocks, looks, the journal after each round, and when it is enough. */

uint32_t run_layout_of_round(const struct run *run, uint32_t round)
{
	uint32_t count = run->layout_count > 0 ? run->layout_count : 1;
	uint32_t *order = mem_alloc_array(count, sizeof(*order));
	uint32_t layout;
	struct rng rng;

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	rng_seed_text(&rng,
		arena_printf(run->arena, "flagstone layouts %s %u", run->record->plan.seed, round / count));
	rng_shuffle(&rng, order, count);
	layout = order[round % count];
	mem_free(order);
	return layout;
}

static struct measure_item measure_item(const struct run *run, const struct run_item *item, uint32_t layout)
{
	const struct plan_cell *cell = &run->session->plan.cells[item->cell];
	struct measure_item m = {.build = (uint32_t)item->cell,
		.arm = item->arm,
		.layout = layout,
		.program = item->paths[layout],
		.runner = cell->slot->toolchain->runner,
		.env = cell->variant->env,
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

static int measure_workload(struct run *run, size_t workload, uint32_t round, uint32_t block, struct error *e)
{
	struct measure_item *items = mem_alloc_array(run->item_count, sizeof(*items));
	struct run_item **from = mem_alloc_array(run->item_count, sizeof(*from));
	bool *failed = mem_alloc_array(run->item_count, sizeof(*failed));
	uint32_t layout = run_layout_of_round(run, round);
	size_t count = 0;
	int result = 0;

	for (size_t i = 0; i < run->item_count && result == 0; i++) {
		struct run_item *item = &run->items[i];

		if (!item->open || item->workload != workload)
			continue;
		result = run_check_layout(run, item, layout, e);
		if (item->open) {
			from[count] = item;
			items[count++] = measure_item(run, item, layout);
		}
	}
	if (result == 0 && count > 0)
		result = measure_block(&run->measurer, run->record, items, count, round, block, failed, e);
	for (size_t i = 0; i < count; i++)
		if (failed[i])
			run_fail_cell(run, from[i]->cell,
				text_starts(newest_failure(run->record, items[i].build), "wrong")
					? CELL_CHECK_FAILED
					: CELL_RUN_FAILED,
				"run", newest_failure(run->record, items[i].build));
	mem_free(items);
	mem_free(from);
	mem_free(failed);
	return result;
}

static int measure_round(struct run *run, uint32_t round, struct error *e)
{
	uint32_t count = (uint32_t)run->record->workload_count;
	uint32_t *order = mem_alloc_array(count, sizeof(*order));
	int result = 0;

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	rng_shuffle(&run->measurer.rng, order, count);
	for (uint32_t i = 0; i < count && result == 0; i++)
		result = measure_workload(run, order[i], round, i, e);
	mem_free(order);
	return result;
}

static bool is_look(const struct record_plan *plan, uint32_t rounds)
{
	for (size_t i = 0; i < plan->look_count; i++)
		if (plan->looks[i] == rounds)
			return true;
	return false;
}

/* Is any comparison of this workload open? */
static bool workload_wanted(const struct record *record, const char *workload)
{
	for (size_t i = 0; i < record->plan.comparison_count; i++) {
		const struct record_comparison *c = &record->plan.comparisons[i];

		if (c->closed_at == 0 && strcmp(record->builds[c->b].workload, workload) == 0)
			return true;
	}
	return false;
}

/* Has cell a comparison, and is one of them open? */
static bool cell_wanted(const struct run *run, size_t cell)
{
	const struct record_plan *plan = &run->record->plan;
	bool any = false;

	for (size_t i = 0; i < plan->comparison_count; i++) {
		const struct record_comparison *c = &plan->comparisons[i];

		if (c->a != cell && c->b != cell)
			continue;
		any = true;
		if (c->closed_at == 0)
			return true;
	}
	return !any;
}

/* A cell leaves with its last comparison, arms with their workload. */
static void close_settled(struct run *run)
{
	const struct record *record = run->record;

	for (size_t i = 0; i < run->item_count; i++) {
		struct run_item *item = &run->items[i];

		if (item->arm > 0)
			item->open &= workload_wanted(record, record->workloads[item->workload].name);
		else
			item->open &= cell_wanted(run, item->cell);
	}
}

/*
 * Identical code needs no more rounds for an answer, but is what the A/A check lives on: it stays as long as
 * something else of its workload does.
 */
static void close_same_code(struct record *record, const struct result *result, uint32_t rounds)
{
	for (size_t i = 0; i < result->comparison_count; i++) {
		struct record_comparison *c = &record->plan.comparisons[i];
		bool others = false;

		if (c->closed_at != 0 || result->comparisons[i].answer != ANSWER_SAME_CODE)
			continue;
		for (size_t k = 0; k < result->comparison_count; k++)
			others |= record->plan.comparisons[k].closed_at == 0 &&
				  result->comparisons[k].answer != ANSWER_SAME_CODE &&
				  strcmp(record->builds[record->plan.comparisons[k].b].workload,
					  record->builds[c->b].workload) == 0;
		if (!others)
			c->closed_at = rounds;
	}
}

/* Closes what the look settles. */
static void look(struct run *run, uint32_t rounds)
{
	struct record *record = run->record;
	struct arena arena = {0};
	struct result result = {0};
	struct effect_options options = {.no_same_code = run->session->options.aa, .rounds = rounds};

	record->plan.last_look = rounds;
	effect_of_record(record, &options, &arena, &result);
	for (size_t i = 0; i < result.comparison_count; i++) {
		struct record_comparison *c = &record->plan.comparisons[i];
		enum answer answer = result.comparisons[i].answer;

		if (c->closed_at == 0 && answer != ANSWER_CANT_TELL && answer != ANSWER_SAME_CODE)
			c->closed_at = rounds;
	}
	close_same_code(record, &result, rounds);
	arena_release(&arena);
	close_settled(run);
}

static size_t open_count(const struct run *run)
{
	size_t open = 0;

	for (size_t i = 0; i < run->item_count; i++)
		open += run->items[i].open;
	return open;
}

static int64_t measured_ns(const struct run *run)
{
	return clock_ns() - run->measure_begin_ns + run->measured_before_ns;
}

/* Time left: to the budget's end or the last round, whichever is first, at the pace so far. */
static int64_t left_ns(const struct run *run, uint32_t rounds_done)
{
	int64_t spent = clock_ns() - run->measure_begin_ns, left, budget;
	uint32_t done = rounds_done - run->first_round;

	if (done == 0)
		return run->settings.budget_ns > 0 ? run->settings.budget_ns : -1;
	left = spent / done * (run->settings.rounds_max - rounds_done);
	budget = run->settings.budget_ns - measured_ns(run);
	return run->settings.budget_ns > 0 && budget < left ? (budget > 0 ? budget : 0) : left;
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

int run_rounds(struct run *run, struct error *e)
{
	uint32_t done = run->first_round;
	int result = 0;

	run->measure_begin_ns = clock_ns();
	facts_setf(&run->record->harness, "harness.start_to_measure_ns", "CLOCK_MONOTONIC_RAW", "%lld",
		(long long)(run->measure_begin_ns - run->session->opened_ns));
	close_settled(run); /* what a resumed run had settled */
	while (done < run->settings.rounds_max && open_count(run) > 0) {
		bool over = run->settings.budget_ns > 0 && measured_ns(run) > run->settings.budget_ns;

		if (over && done >= run->settings.rounds_min) {
			record_note(run->record, "the time budget ended the run after %u of %u rounds", done,
				run->settings.rounds_max);
			break;
		}
		run_tell(run, "measure", done, run->settings.rounds_max, left_ns(run, done), open_count(run));
		result = measure_round(run, done, e);
		if (result != 0) {
			drop_unfinished(run);
			break;
		}
		set_measured(run);
		if (run->measurer.run_wait_limit <= 0)
			fix_thresholds(run);
		watch_others(run);
		result = keep_round(run, done, e);
		if (result != 0) {
			drop_unfinished(run);
			break;
		}
		done++;
		if (is_look(&run->record->plan, done))
			look(run, done);
	}
	run->record->plan.last_look = done;
	return result;
}
