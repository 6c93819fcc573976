#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "session/balance.h"
#include "session/layout_order.h"
#include "session/run.h"
#include "stats/paired.h"

/* Levels balanced at a look: balance.h decides, this file asks it, and has linked what it wants. */

enum { CACHE_ITEMS = 8 };
/* where nothing was linked in this run that could have been timed */
static const double rough_link_ns = 45e6;
static const int64_t deadline_room_ns = 1000000000;

/* The mean of what the open comparisons of a workload say of their variances. Returns how many say anything. */
static size_t pool_variances(
	const struct run *run, const struct result *result, uint32_t workload, struct balance_ask *ask)
{
	const struct record *record = run->record;
	size_t open = 0, known = 0;

	ask->var_layout = ask->var_round = 0;
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		if (record->plan.comparisons[i].closed_at != 0 || c->answer != ANSWER_CANT_TELL ||
			strcmp(record->builds[c->b].workload, record->workloads[workload].name) != 0)
			continue;
		open++;
		if (!isfinite(c->var_layout) || !isfinite(c->var_round))
			continue;
		known++;
		ask->var_layout += c->var_layout;
		ask->var_round += c->var_round;
	}
	ask->var_layout = known > 0 ? ask->var_layout / (double)known : NAN;
	ask->var_round = known > 0 ? ask->var_round / (double)known : NAN;
	return open;
}

/* Do two items have the same links? Cells that differ in copies or args share their builds. */
static bool same_links(const struct run *run, const struct run_item *a, const struct run_item *b)
{
	const struct build *builds = run->session->builds;

	return a->arm == b->arm && strcmp(builds[a->cell].content_hash, builds[b->cell].content_hash) == 0;
}

/* The share of a workload's next layouts that are not in the cache, from some of its items. */
static double share_missing(const struct run *run, uint32_t workload, const struct balance_ask *ask)
{
	size_t asked = 0, missing = 0, items = 0;

	for (size_t i = 0; i < run->item_count && items < CACHE_ITEMS; i++) {
		const struct run_item *item = &run->items[i];

		if (!item->open || item->workload != workload)
			continue;
		items++;
		for (uint32_t k = ask->layouts; k < ask->layouts_max; k++) {
			asked++;
			missing += !builder_has_layout(&run->session->builds[item->cell], item->arm, k);
		}
	}
	return asked > 0 ? (double)missing / (double)asked : 0;
}

/* Links and checks that one more layout of the workload takes. */
static double layout_cost_ns(const struct run *run, uint32_t workload, const struct balance_ask *ask)
{
	const struct run_times *times = &run->times;
	double link = times->links_made > 0 ? (double)times->link_ns / (double)times->links_made
					    : rough_link_ns / (double)session_jobs(run->session);
	double check = times->once > 0 ? (double)times->once_ns / (double)times->once : 0;
	size_t links = 0, items = 0;

	for (size_t i = 0; i < run->item_count; i++) {
		bool shared = false;

		if (!run->items[i].open || run->items[i].workload != workload)
			continue;
		for (size_t k = 0; k < i && !shared; k++)
			shared = run->items[k].open && run->items[k].workload == workload &&
				 same_links(run, &run->items[k], &run->items[i]);
		items++;
		links += !shared;
	}
	return (double)links * link * share_missing(run, workload, ask) + (double)items * check;
}

/* The workload's share of the time that is left: a round is one for all. */
static double time_share_ns(const struct run *run, double round_ns)
{
	double all = 0;

	if (run->settings.budget_ns == 0)
		return INFINITY;
	for (uint32_t w = 0; w < run->record->workload_count; w++)
		all += run_round_ns(run, w);
	return all > 0 ? fmax(0, (double)run_left_ns(run)) * round_ns / all : 0;
}

static uint32_t next_look(const struct record_plan *plan, uint32_t rounds)
{
	for (size_t i = 0; i < plan->look_count; i++)
		if (plan->looks[i] > rounds)
			return plan->looks[i];
	return rounds;
}

/* What was decided, and from what: a fact of the record, and a line for --verbose. */
static void keep_numbers(
	struct run *run, uint32_t workload, const struct balance_ask *ask, const struct balance *balance)
{
	const char *name = run->record->workloads[workload].name, *why = balance_text(balance->why);
	const char *key = arena_printf(run->arena, "harness.balance.%u.%s", ask->rounds, name);
	uint32_t each = balance->rounds_per_layout;
	char round[NUM_SIZE], layout[NUM_SIZE];

	if (balance->placement_share < 0) {
		facts_unknown(&run->record->harness, key, "look", why);
		run_detail(run, "look after %u rounds: %s: %u layouts: %s", ask->rounds, name, ask->layouts,
			why);
		return;
	}
	num_duration((int64_t)ask->round_ns, round);
	num_duration((int64_t)ask->layout_ns, layout);
	facts_setf(&run->record->harness, key, "look",
		"layouts=%u to=%u rounds_per_layout=%u placement_share=%.3f var_layout=%.4g var_round=%.4g "
		"layout_ns=%.0f round_ns=%.0f: %s",
		ask->layouts, balance->layouts, each, balance->placement_share, ask->var_layout,
		ask->var_round, ask->layout_ns, ask->round_ns, why);
	run_detail(run,
		"look after %u rounds: %s: %u layouts; placement makes %.0f %% of an effect's variance; one "
		"layout more costs %s, a round %s, so that %u round%s a layout would be best: %s",
		ask->rounds, name, ask->layouts, 100 * balance->placement_share, layout, round, each,
		text_plural(each), why);
}

/* Links what was decided. Links hold heat, so that the machine is given time to come to rest. */
static int add_layouts(struct run *run, uint32_t workload, const struct balance_ask *ask,
	const struct balance *balance, struct error *e)
{
	double planned = (double)(balance->layouts - ask->layouts) * ask->layout_ns;
	int64_t now = clock_ns(), left = run_left_ns(run), deadline = 0;
	const char *why = NULL;
	uint32_t linked;

	if (left != INT64_MAX) {
		int64_t room = 2 * (int64_t)planned + deadline_room_ns;

		deadline = now + (room < left ? room : left);
	}
	if (cpu_pin_self_list(&run->session->allowed, e) != 0 ||
		run_link_more(run, workload, balance->layouts, deadline, &linked, &why, e) != 0)
		return -1;
	run->times.more_ns += clock_ns() - now;
	if (linked > ask->layouts) {
		run_layout_step(run, ask->rounds, workload, linked);
		run_note(run,
			"%s: after %u rounds code placement makes %.0f %% of an effect's variance; from then "
			"on %u layouts instead of %u, since %u round%s a layout would be best%s%s",
			run->record->workloads[workload].name, ask->rounds, 100 * balance->placement_share,
			linked, ask->layouts, balance->rounds_per_layout,
			text_plural(balance->rounds_per_layout), why != NULL ? "; no more: " : "",
			why != NULL ? why : "");
	} else {
		run_note(run, "%s: after %u rounds %u layouts were wanted, %u stay: %s",
			run->record->workloads[workload].name, ask->rounds, balance->layouts, ask->layouts,
			why != NULL ? why : "none could be linked");
	}
	return 0;
}

/* Has this look's step been taken already, before the run was cut off? */
static bool is_taken(const struct record_plan *plan, uint32_t workload, uint32_t rounds)
{
	for (size_t i = 0; i < plan->layout_step_count; i++)
		if (plan->layout_steps[i].round == rounds && plan->layout_steps[i].workload == workload)
			return true;
	return false;
}

static int balance_workload(
	struct run *run, const struct result *result, uint32_t workload, uint32_t rounds, struct error *e)
{
	const struct record_plan *plan = &run->record->plan;
	struct balance_ask ask = {.rounds = rounds,
		.next_look = next_look(plan, rounds),
		.layouts = layout_order_count(plan, workload, rounds),
		.layouts_max = run->settings.layouts_max,
		.round_ns = run_round_ns(run, workload)};
	struct balance balance;

	if (ask.next_look == rounds || ask.layouts < STATS_MIN_LAYOUTS || !(ask.round_ns > 0) ||
		is_taken(plan, workload, rounds) || pool_variances(run, result, workload, &ask) == 0)
		return 0;
	ask.layout_ns = layout_cost_ns(run, workload, &ask);
	ask.left_ns = time_share_ns(run, ask.round_ns);
	balance = balance_decide(&ask);
	keep_numbers(run, workload, &ask, &balance);
	return balance.why == BALANCE_MORE ? add_layouts(run, workload, &ask, &balance, e) : 0;
}

int run_more_layouts(struct run *run, const struct result *result, uint32_t rounds, struct error *e)
{
	int64_t before = run->times.more_ns, rest;

	/* with as many as are allowed from the start there is nothing to decide */
	if (run->settings.layouts_max <= run->settings.layouts_min)
		return 0;
	for (uint32_t w = 0; w < run->record->workload_count; w++)
		if (balance_workload(run, result, w, rounds, e) != 0)
			return -1;
	if (run->times.more_ns > before) {
		rest = run_left_ns(run) / 8;
		if (rest > run->session->settle_max_ns)
			rest = run->session->settle_max_ns;
		measure_settle(&run->measurer, rest);
	}
	return 0;
}
