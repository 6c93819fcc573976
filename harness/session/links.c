#include <string.h>

#include "base/file.h"
#include "build/jobs.h"
#include "compare/identical.h"
#include "session/run.h"
#include "stats/aa.h"
#include "stats/paired.h"

/* From cells to things that can be measured. */

static void build_progress(void *context, const char *what, size_t done, size_t total)
{
	struct session *session = context;
	struct session_progress progress = {.what = what, .done = done, .total = total, .left_ns = -1};

	if (session->events.progress != NULL)
		session->events.progress(session->events.context, &progress);
}

int session_build(struct session *session, struct error *e)
{
	struct arena *arena = session->arena;
	const struct plan *plan = &session->plan;
	struct builder_options options = {.cache_folder = session->cache_folder,
		.cache_limit = session->project.settings.cache_limit,
		.driver_folder = NULL,
		.jobs = session->options.jobs > 0 ? session->options.jobs : session->project.settings.jobs,
		.fresh = session->options.fresh,
		.progress = build_progress,
		.context = session};
	struct build *possible = arena_array(arena, plan->cell_count, sizeof(*possible));
	size_t count = 0;

	/* the driver stands beside the workloads: the project's, or the installed ones' */
	options.driver_folder = arena_printf(arena, "%s/workloads/driver", session->project_folder);
	if (!file_is_folder(options.driver_folder) && session->options.installed != NULL)
		options.driver_folder =
			arena_printf(arena, "%s/workloads/driver", session->options.installed);
	if (session->builder == NULL)
		session->builder = builder_new(&options, arena, e);
	if (session->builder == NULL)
		return -1;
	session->builds = arena_array(arena, plan->cell_count, sizeof(*session->builds));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		session->builds[i].facts.arena = arena;
		session->builds[i].reason = cell->reason;
		if (cell->reason == NULL)
			possible[count++] = (struct build){.workload = cell->workload,
				.toolchain = cell->slot->toolchain,
				.cflags = cell->variant->cflags,
				.cxxflags = cell->variant->cxxflags,
				.ldflags = cell->variant->ldflags};
	}
	if (builder_build(session->builder, possible, count, e) != 0)
		return -1;
	for (size_t i = 0, next = 0; i < plan->cell_count; i++)
		if (plan->cells[i].reason == NULL)
			session->builds[i] = possible[next++];
	return 0;
}

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

/* All layouts that every item has: links that failed or did not fit into the time lower the number for all. */
static uint32_t common_layouts(const struct run *run, uint32_t wanted, const char **why)
{
	uint32_t common = wanted;

	for (size_t i = 0; i < run->item_count; i++) {
		const struct build_layout *layouts = &run->layouts[i * wanted];

		for (uint32_t k = 0; k < common && run->items[i].open; k++) {
			if (layouts[k].path == NULL) {
				*why = layouts[k].reason;
				common = k;
			}
		}
	}
	return common;
}

static void fail_unlinked(struct run *run, uint32_t wanted)
{
	for (size_t i = 0; i < run->item_count; i++) {
		const struct build_layout *first = &run->layouts[i * wanted];

		/* the canonical link worked, this one did not: the layout's own fault is still the cell's */
		if (first->path == NULL && strcmp(first->reason, JOB_OUT_OF_TIME) != 0)
			run_fail_cell(run, run->items[i].cell, CELL_BUILD_FAILED, "build", first->reason);
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

static void set_record_layouts(struct run *run)
{
	for (size_t i = 0; i < run->item_count; i++) {
		struct record_build *build = &run->record->builds[run->items[i].cell];
		const struct build *from = &run->session->builds[run->items[i].cell];
		struct record_layout *all =
			arena_array(run->arena, build->layout_count + run->layout_count, sizeof(*all));

		if (build->layout_count > 0)
			memcpy(all, build->layouts, build->layout_count * sizeof(*all));
		for (uint32_t k = 0; k < run->layout_count; k++) {
			const struct build_layout *layout = &run->layouts[i * run->settings.layouts_min + k];

			all[build->layout_count++] = (struct record_layout){.arm = layout->arm,
				.layout = k,
				.seed = arena_strdup(run->arena, layout->seed),
				.sha256 = arena_strdup(run->arena, layout->sha256)};
		}
		build->layouts = all;
		copy_fact(&build->facts, &from->facts, "build.layout_link");
		copy_fact(&build->facts, &from->facts, "build.layout_command");
	}
}

static int link_range(struct run *run, uint32_t from, uint32_t to, int64_t deadline_ns, struct error *e)
{
	uint32_t wanted = run->settings.layouts_min;
	size_t count = 0;
	struct build_layout *some = arena_array(run->arena, run->item_count * (to - from), sizeof(*some));
	int result;

	for (size_t i = 0; i < run->item_count; i++)
		for (uint32_t k = from; k < to; k++)
			some[count++] = run->layouts[i * wanted + k];
	result = count > 0 ? builder_link(run->session->builder, some, count, deadline_ns, e) : 0;
	count = 0;
	for (size_t i = 0; i < run->item_count; i++)
		for (uint32_t k = from; k < to; k++)
			run->layouts[i * wanted + k] = some[count++];
	return result;
}

int run_link(struct run *run, struct error *e)
{
	uint32_t wanted = run->settings.layouts_min;
	uint32_t always = wanted < STATS_MIN_LAYOUTS ? wanted : STATS_MIN_LAYOUTS;
	int64_t deadline =
		run->settings.build_budget_ns > 0 ? run->measure_begin_ns + run->settings.build_budget_ns : 0;
	const char *why = NULL;

	add_items(run);
	run->layouts = arena_array(run->arena, run->item_count * wanted, sizeof(*run->layouts));
	for (size_t i = 0; i < run->item_count; i++)
		for (uint32_t k = 0; k < wanted; k++)
			run->layouts[i * wanted + k] =
				(struct build_layout){.build = &run->session->builds[run->items[i].cell],
					.arm = run->items[i].arm,
					.layout = k};
	/* fewer than 8 layouts would average nothing, so these are made whatever the budget says */
	if (link_range(run, 0, always, 0, e) != 0 || link_range(run, always, wanted, deadline, e) != 0)
		return -1;
	fail_unlinked(run, wanted);
	run->layout_count = run->item_count > 0 ? common_layouts(run, wanted, &why) : 0;
	if (run->layout_count < wanted && run->item_count > 0)
		record_note(run->record, "%u of %u layouts were linked: %s", run->layout_count, wanted, why);
	if (run->layout_count > 1 && run->layout_count < STATS_MIN_LAYOUTS)
		run->layout_count = 1; /* 2 to 7 would be neither averaged nor paired by rounds */
	for (size_t i = 0; i < run->item_count; i++) {
		const char **paths = arena_array(run->arena, run->layout_count, sizeof(*paths));

		for (uint32_t k = 0; k < run->layout_count; k++)
			paths[k] = run->layouts[i * wanted + k].path;
		run->items[i].paths = (const char *const *)paths;
		run->items[i].checked = arena_array(run->arena, run->layout_count, sizeof(bool));
	}
	set_record_layouts(run);
	return 0;
}
