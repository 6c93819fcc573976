#include <string.h>

#include "base/clock.h"
#include "build/jobs.h"
#include "compare/identical.h"
#include "session/bundle.h"
#include "session/layout_order.h"
#include "session/run.h"
#include "stats/aa.h"
#include "stats/paired.h"

/* From cells to things that can be measured. */

/* Pairs for the A/A check that a run of these cells has for free: n equal cells give n - 1. */
static size_t free_pairs(const struct run *run)
{
	const struct record *record = run->record;
	size_t pairs = 0;

	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *a = &record->builds[i];

		for (size_t k = 0; k < i; k++) {
			if (identical_code(a, &record->builds[k])) {
				pairs++;
				break;
			}
		}
	}
	return pairs;
}

static size_t workload_index(const struct record *record, const char *name)
{
	size_t i = 0;

	while (strcmp(record->workloads[i].name, name) != 0)
		i++;
	return i;
}

static void add_item(struct run *run, size_t cell, uint32_t arm)
{
	const struct plan_cell *plan = &run->session->plan.cells[cell];
	struct run_item *item = &run->items[run->item_count++];

	item->cell = cell;
	item->arm = arm;
	item->open = true;
	item->workload = workload_index(run->record, plan->workload->name);
	item->check_rel =
		plan->variant->check_rel >= 0 ? plan->variant->check_rel : plan->workload->check_rel;
}

/*
 * Second arms of baseline cells for the A/A check, one a workload: of the first slot, then of the next ones, until
 * there are pairs enough; --aa asks for one of each slot.
 */
static void add_arms(struct run *run, size_t pairs)
{
	const struct record *record = run->record;
	bool all = run->session->options.aa;

	for (size_t t = 0; t < record->toolchain_count && (all || pairs < STATS_AA_MIN_PAIRS); t++) {
		size_t last = SIZE_MAX;

		for (size_t i = 0; i < record->build_count; i++) {
			const struct record_build *build = &record->builds[i];
			size_t workload = workload_index(record, build->workload);

			if (build->status != CELL_BUILT || !build->baseline || workload == last ||
				strcmp(build->slot, record->toolchains[t].slots.v[0]) != 0)
				continue;
			if (t > 0 && !all && pairs >= STATS_AA_MIN_PAIRS)
				break;
			if (run->session->bundle != NULL && !session_bundle_has_arm(run->session, i, 1))
				continue;
			last = workload;
			pairs++;
			add_item(run, i, 1);
		}
	}
}

static void add_items(struct run *run)
{
	const struct record *record = run->record;
	size_t pairs = free_pairs(run);

	run->items = arena_array(run->arena, 2 * record->build_count, sizeof(*run->items));
	for (size_t i = 0; i < record->build_count; i++)
		if (record->builds[i].status == CELL_BUILT)
			add_item(run, i, 0);
	if (run->settings.layouts_min >= STATS_MIN_LAYOUTS)
		add_arms(run, pairs);
}

/* Room for so many layouts; what is linked already stays. */
static void grow(struct run *run, struct run_item *item, uint32_t to)
{
	struct build_layout *layouts = arena_array(run->arena, to, sizeof(*layouts));
	const char **paths = arena_array(run->arena, to, sizeof(*paths));
	bool *checked = arena_array(run->arena, to, sizeof(*checked));

	if (item->layout_count > 0) {
		memcpy(layouts, item->layouts, item->layout_count * sizeof(*layouts));
		memcpy(paths, item->paths, item->layout_count * sizeof(*paths));
		memcpy(checked, item->checked, item->layout_count * sizeof(*checked));
	}
	for (uint32_t k = item->layout_count; k < to; k++)
		layouts[k] = (struct build_layout){
			.build = &run->session->builds[item->cell], .arm = item->arm, .layout = k};
	item->layouts = layouts;
	item->paths = paths;
	item->checked = checked;
}

static int link_some(
	struct run *run, struct build_layout *some, size_t count, int64_t deadline_ns, struct error *e)
{
	if (run->session->bundle != NULL) {
		session_bundle_link(run->session, some, count);
		return 0;
	}
	return count > 0 ? builder_link(run->session->builder, some, count, deadline_ns, e) : 0;
}

/* Links layouts from `from` to below `to` of these items, which have room for them. */
static int link_range(struct run *run, struct run_item **items, size_t n, uint32_t from, uint32_t to,
	int64_t deadline_ns, struct error *e)
{
	struct build_layout *some = arena_array(run->arena, n * (to - from), sizeof(*some));
	int64_t begin = clock_ns();
	size_t count = 0;
	int result;

	for (size_t i = 0; i < n; i++)
		for (uint32_t k = from; k < to; k++)
			some[count++] = items[i]->layouts[k];
	run->session->links_made = 0;
	result = link_some(run, some, count, deadline_ns, e);
	count = 0;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = from; k < to; k++)
			items[i]->layouts[k] = some[count++];
	run->times.links_made += run->session->links_made;
	if (run->session->links_made > 0) /* else all were in the cache */
		run->times.link_ns += clock_ns() - begin;
	return result;
}

/* Those that all of the items have: links that failed or did not fit into the time lower the number for all. */
static uint32_t common_layouts(
	struct run_item *const *items, size_t n, uint32_t from, uint32_t to, const char **why)
{
	uint32_t common = to;

	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = from; k < common && items[i]->open; k++) {
			if (items[i]->layouts[k].path == NULL) {
				*why = items[i]->layouts[k].reason;
				common = k;
			}
		}
	}
	return common;
}

static void fail_unlinked(struct run *run, struct run_item *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct build_layout *first = &items[i]->layouts[0];

		/* the canonical link worked, this one did not: the layout's own fault is still the cell's */
		if (first->path == NULL && strcmp(first->reason, JOB_OUT_OF_TIME) != 0)
			run_fail_cell(run, items[i]->cell, CELL_BUILD_FAILED, "build", first->reason);
	}
}

static void copy_fact(struct facts *to, const struct facts *from, const char *key)
{
	const struct fact *fact = facts_find(from, key);

	if (fact != NULL && fact->value != NULL)
		facts_set(to, key, fact->value, fact->source);
	else
		facts_unknown(to, key, "linker", fact != NULL ? fact->reason : "layout 0 was not linked");
}

/* The item has so many layouts now: the new ones go into the record. */
static void set_layouts(struct run *run, struct run_item *item, uint32_t count)
{
	struct record_build *build = &run->record->builds[item->cell];
	const struct build *from = &run->session->builds[item->cell];
	uint32_t more = count - item->layout_count;
	struct record_layout *all = arena_array(run->arena, build->layout_count + more, sizeof(*all));

	if (build->layout_count > 0)
		memcpy(all, build->layouts, build->layout_count * sizeof(*all));
	for (uint32_t k = item->layout_count; k < count; k++) {
		const struct build_layout *layout = &item->layouts[k];

		item->paths[k] = layout->path;
		all[build->layout_count++] = (struct record_layout){.arm = layout->arm,
			.layout = k,
			.seed = arena_strdup(run->arena, layout->seed),
			.sha256 = arena_strdup(run->arena, layout->sha256)};
	}
	build->layouts = all;
	item->layout_count = count;
	copy_fact(&build->facts, &from->facts, "build.layout_link");
	copy_fact(&build->facts, &from->facts, "build.layout_command");
	copy_fact(&build->facts, &from->facts, "build.layout_functions");
}

void run_layout_step(struct run *run, uint32_t round, uint32_t workload, uint32_t layouts)
{
	struct record_plan *plan = &run->record->plan;
	struct record_layout_step *steps =
		arena_array(run->arena, plan->layout_step_count + 1, sizeof(*steps));

	if (plan->layout_step_count > 0)
		memcpy(steps, plan->layout_steps, plan->layout_step_count * sizeof(*steps));
	steps[plan->layout_step_count++] = (struct record_layout_step){round, workload, layouts};
	plan->layout_steps = steps;
}

/* Items of a workload, UINT32_MAX: of all, that are open; in the arena. */
static struct run_item **open_items(struct run *run, uint32_t workload, size_t *n)
{
	struct run_item **items = arena_array(run->arena, run->item_count, sizeof(struct run_item *));

	*n = 0;
	for (size_t i = 0; i < run->item_count; i++)
		if (run->items[i].open && (workload == UINT32_MAX || run->items[i].workload == workload))
			items[(*n)++] = &run->items[i];
	return items;
}

int run_link_more(struct run *run, uint32_t workload, uint32_t layouts, int64_t deadline_ns, uint32_t *linked,
	const char **why, struct error *e)
{
	size_t n;
	struct run_item **items = open_items(run, workload, &n);
	uint32_t from = n > 0 ? items[0]->layout_count : 0;

	*linked = from;
	if (n == 0 || layouts <= from)
		return 0;
	for (size_t i = 0; i < n; i++)
		grow(run, items[i], layouts);
	if (link_range(run, items, n, from, layouts, deadline_ns, e) != 0)
		return -1;
	*linked = common_layouts(items, n, from, layouts, why);
	for (size_t i = 0; i < n; i++)
		set_layouts(run, items[i], *linked);
	return 0;
}

/* Layouts that a run begins with; those of the run that this one goes on with. */
static uint32_t first_layouts(const struct run *run)
{
	const struct record *old = run->resumed;
	uint32_t most = 0;

	if (old == NULL)
		return run->settings.layouts_min;
	for (size_t i = 0; i < old->plan.layout_step_count; i++)
		if (old->plan.layout_steps[i].workload == UINT32_MAX)
			return old->plan.layout_steps[i].layouts;
	for (size_t i = 0; i < old->build_count; i++) /* of a version that did not say */
		for (size_t k = 0; k < old->builds[i].layout_count; k++)
			if (old->builds[i].layouts[k].layout >= most)
				most = old->builds[i].layouts[k].layout + 1;
	return most > 0 ? most : run->settings.layouts_min;
}

static int link_first(struct run *run, uint32_t wanted, struct error *e)
{
	/* fewer than 8 layouts would average nothing, so these are made whatever the budget says */
	uint32_t always = wanted < STATS_MIN_LAYOUTS || run->resumed != NULL ? wanted : STATS_MIN_LAYOUTS;
	int64_t deadline =
		run->settings.build_budget_ns > 0 ? run->build_begin_ns + run->settings.build_budget_ns : 0;
	const char *why = NULL;
	uint32_t common;
	size_t n;
	struct run_item **items = open_items(run, UINT32_MAX, &n);

	for (size_t i = 0; i < n; i++)
		grow(run, items[i], wanted);
	if (link_range(run, items, n, 0, always, 0, e) != 0 ||
		link_range(run, items, n, always, wanted, deadline, e) != 0)
		return -1;
	fail_unlinked(run, items, n);
	common = common_layouts(items, n, 0, wanted, &why);
	if (common < wanted)
		record_note(run->record, "%u of %u layouts were linked: %s", common, wanted, why);
	if (common > 1 && common < STATS_MIN_LAYOUTS)
		common = 1; /* 2 to 7 would be neither averaged nor paired by rounds */
	for (size_t i = 0; i < n; i++)
		set_layouts(run, items[i], items[i]->open ? common : 0);
	run_layout_step(run, 0, UINT32_MAX, common);
	return 0;
}

/* Those that the run which this one goes on with had added for some workloads. */
static int link_added(struct run *run, struct error *e)
{
	const struct record_plan *old = &run->resumed->plan;
	const char *why = NULL;
	uint32_t linked;

	for (uint32_t w = 0; w < run->record->workload_count; w++)
		if (run_link_more(run, w, layout_order_count(old, w, UINT32_MAX), 0, &linked, &why, e) != 0)
			return -1;
	return 0;
}

int run_link(struct run *run, struct error *e)
{
	add_items(run);
	if (run->item_count == 0)
		return 0;
	if (link_first(run, first_layouts(run), e) != 0)
		return -1;
	return run->resumed != NULL ? link_added(run, e) : 0;
}
