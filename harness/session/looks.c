#include <string.h>

#include "base/clock.h"
#include "compare/effect.h"
#include "compare/identical.h"
#include "compare/reason.h"
#include "session/run.h"

/*
 * Looks: planned moments at which it is decided what is settled. Nothing is closed in between, nor by a budget that
 * runs out.
 */

bool run_is_look(const struct record_plan *plan, uint32_t rounds)
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
void run_close_settled(struct run *run)
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
static void close_decided(struct run *run, const struct result *result, uint32_t rounds)
{
	struct record *record = run->record;

	for (size_t i = 0; i < result->comparison_count; i++) {
		struct record_comparison *c = &record->plan.comparisons[i];
		enum answer answer = result->comparisons[i].answer;

		if (c->closed_at == 0 && answer != ANSWER_CANT_TELL && answer != ANSWER_SAME_CODE)
			c->closed_at = rounds;
	}
	close_same_code(record, result, rounds);
	run_close_settled(run);
}

int run_look(struct run *run, uint32_t rounds, struct error *e)
{
	struct arena arena = {0};
	struct result result = {0};
	struct effect_options options = {.no_same_code = run->session->options.aa, .rounds = rounds};
	int64_t begin = clock_ns(), took;
	int status;

	run->record->plan.last_look = rounds;
	effect_of_record(run->record, &options, &arena, &result);
	close_decided(run, &result, rounds);
	took = clock_ns() - begin;
	run->times.look_ns = took > run->times.look_ns ? took : run->times.look_ns;
	status = run_more_layouts(run, &result, rounds, e);
	arena_release(&arena);
	/* what was decided must not depend on whether the next round is finished */
	return status != 0 ? -1 : journal_event(run->journal, run->record, e);
}

/* Has it an answer that no more rounds would change: failed, or the same code? */
static bool needs_no_rounds(const struct run *run, const struct record_comparison *c)
{
	const struct record_build *a = &run->record->builds[c->a], *b = &run->record->builds[c->b];

	if (!reason_could_measure(a) || !reason_could_measure(b) || a->status == CELL_RUN_FAILED ||
		b->status == CELL_RUN_FAILED)
		return true;
	return !run->session->options.aa && identical_code(a, b);
}

size_t run_undecided(const struct run *run)
{
	const struct record_plan *plan = &run->record->plan;
	size_t undecided = 0;

	for (size_t i = 0; i < plan->comparison_count; i++)
		undecided +=
			plan->comparisons[i].closed_at == 0 && !needs_no_rounds(run, &plan->comparisons[i]);
	return undecided;
}
