#include "session/bundle.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* From a bundle to a session that can be run. */

static const struct record *record_of(const struct session *session)
{
	return session->bundle->bundle.record;
}

/* The toolchain that a slot was, as far as its facts say. */
static struct toolchain *toolchain_of(const struct record_toolchain *from, struct arena *arena)
{
	struct toolchain *toolchain = arena_new(arena, struct toolchain);
	const char *cc = facts_value(&from->facts, "toolchain.cc");

	toolchain->family = facts_value(&from->facts, "toolchain.family");
	toolchain->version = facts_value(&from->facts, "toolchain.version");
	toolchain->target = facts_value(&from->facts, "toolchain.target");
	toolchain->arch = facts_value(&from->facts, "toolchain.arch");
	if (toolchain->family == NULL || toolchain->version == NULL || toolchain->target == NULL)
		return NULL;
	words_add(&toolchain->cc, arena, cc != NULL ? cc : "unknown");
	toolchain->facts = from->facts;
	return toolchain;
}

static void take_slots(struct session *session)
{
	const struct record *record = record_of(session);
	struct plan *plan = &session->plan;

	plan->slots = arena_array(session->arena, record->toolchain_count, sizeof(*plan->slots));
	plan->slot_count = record->toolchain_count;
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct record_toolchain *from = &record->toolchains[i];
		const struct fact *family = facts_find(&from->facts, "toolchain.family");
		struct toolchain_slot *slot = &plan->slots[i];

		slot->name = from->slots.v[0];
		slot->toolchain = toolchain_of(from, session->arena);
		if (slot->toolchain == NULL)
			slot->reason = slot->brief = family != NULL && family->reason != NULL
							     ? family->reason
							     : "there was no such toolchain";
	}
}

static struct spec_workload *take_workloads(struct session *session)
{
	const struct record *record = record_of(session);
	struct session_bundle *b = session->bundle;
	struct spec_workload *all = arena_array(session->arena, record->workload_count, sizeof(*all));

	for (size_t i = 0; i < record->workload_count; i++) {
		const struct record_workload *from = &record->workloads[i];
		const struct bundle_workload *more = &b->bundle.workloads[i];

		all[i] = (struct spec_workload){.name = from->name,
			.folder = b->folder.path,
			.title = from->title,
			.tags = from->tags,
			.unit = from->unit,
			.lower_is_better = from->lower_is_better,
			.suite = from->suite,
			.suite_baseline = from->suite_baseline,
			.check_units = more->check_units,
			.check_value = more->check_value,
			.check_rel = more->check_rel};
		if (more->input != NULL)
			all[i].stdin_path = file_join(session->arena, b->folder.path, more->input);
	}
	return all;
}

static size_t workload_index(const struct record *record, const char *name)
{
	size_t i = 0;

	while (strcmp(record->workloads[i].name, name) != 0)
		i++;
	return i;
}

static struct toolchain_slot *slot_of(const struct plan *plan, const struct record *record, const char *name)
{
	return &plan->slots[record_toolchain(record, name) - record->toolchains];
}

static struct plan_cell take_cell(struct session *session, size_t i, const struct spec_workload *workloads)
{
	const struct record *record = record_of(session);
	const struct record_build *build = &record->builds[i];
	const struct bundle_cell *more = &session->bundle->bundle.cells[i];
	struct spec_variant *variant = arena_new(session->arena, struct spec_variant);
	struct toolchain_slot *slot = slot_of(&session->plan, record, build->slot);

	*variant =
		(struct spec_variant){.name = build->variant, .env = more->env, .check_rel = more->check_rel};
	if (slot->toolchain != NULL && slot->toolchain->runner.n == 0)
		((struct toolchain *)(uintptr_t)slot->toolchain)->runner = more->runner;
	return (struct plan_cell){.name = build->cell,
		.workload = &workloads[workload_index(record, build->workload)],
		.slot = slot,
		.variant = variant,
		.copies = build->copies,
		.copies_keyword = more->copies_keyword,
		.args = build->args,
		.reason = build->status == CELL_BUILT && slot->toolchain != NULL
				  ? NULL
				  : arena_printf(session->arena, "not in the bundle: %s",
					    build->reason != NULL ? build->reason : slot->reason),
		.baseline = build->baseline,
		.baseline_index = -1};
}

static void take_cells(struct session *session)
{
	const struct record *record = record_of(session);
	struct session_bundle *b = session->bundle;
	const struct spec_workload *workloads = take_workloads(session);

	b->cells = arena_array(session->arena, record->build_count, sizeof(*b->cells));
	for (size_t i = 0; i < record->build_count; i++)
		b->cells[i] = take_cell(session, i, workloads);
	for (size_t i = 0; i < record->plan.comparison_count; i++)
		b->cells[record->plan.comparisons[i].b].baseline_index = record->plan.comparisons[i].a;
}

/* Layouts that each built cell has under arm 0. */
static uint32_t fewest_layouts(const struct record *record)
{
	uint32_t fewest = UINT32_MAX;

	for (size_t i = 0; i < record->build_count; i++) {
		uint32_t own = 0;

		if (record->builds[i].status != CELL_BUILT)
			continue;
		for (size_t k = 0; k < record->builds[i].layout_count; k++)
			own += record->builds[i].layouts[k].arm == 0;
		fewest = own < fewest ? own : fewest;
	}
	return fewest != UINT32_MAX ? fewest : 1;
}

static void take_matrix(struct session *session)
{
	const struct record_plan *plan = &record_of(session)->plan;
	const struct measure_settings *s = &plan->settings;
	uint32_t layouts = fewest_layouts(record_of(session));
	struct spec_matrix *matrix = &session->matrix;

	matrix->name = plan->matrix_name;
	matrix->text = plan->matrix_text;
	matrix->measure = (struct spec_measure){.sample_ns = s->sample_ns,
		.layouts_min = layouts,
		.layouts_max = layouts,
		.rounds_min = s->rounds_min,
		.rounds_max = s->rounds_max,
		.precision = s->precision,
		.matters = s->matters,
		.budget_ns = s->budget_ns,
		.timeout_ns = s->timeout_ns,
		.counted_rounds = s->counted_rounds};
}

/* What the command line asks for that a bundle cannot give. */
static int check_options(const struct session *session, struct error *e)
{
	const struct session_options *o = &session->options;
	uint32_t have = session->matrix.measure.layouts_max;
	uint32_t wanted = o->layouts_max > o->layouts ? o->layouts_max : o->layouts;

	if (wanted > have)
		return error_set(e, EXIT_USAGE,
			"--layouts: the bundle %s has %u layout%s of each build; pack more with `flagstone "
			"build "
			"--bundle FILE --layouts %u`",
			o->bundle, have, text_plural(have), wanted);
	return 0;
}

int session_bundle_open(struct session *session, struct error *e)
{
	struct session_bundle *b = session->bundle = arena_new(session->arena, struct session_bundle);
	const char *arch = facts_value(&session->host, "host.arch");

	b->folder = (struct private_folder)PRIVATE_FOLDER_NONE;
	if (private_folder_make(&b->folder, "bundle", session->arena, e) != 0 ||
		bundle_read(session->options.bundle, arch != NULL ? arch : "unknown", b->folder.path,
			session->arena, &b->bundle, e) != 0)
		goto fail;
	take_slots(session);
	take_cells(session);
	take_matrix(session);
	if (check_options(session, e) == 0 && session_bundle_here(session, e) == 0 &&
		session_bundle_plan(session, e) == 0)
		return 0;
fail:
	session_bundle_close(session);
	return -1;
}

void session_bundle_close(struct session *session)
{
	struct session_bundle *b = session->bundle;

	session->bundle = NULL;
	private_folder_remove(&b->folder, NULL);
	if (b->bundle.record != NULL)
		record_release(b->bundle.record);
}

/* keep[i]: cells that a pattern matches, and the baselines that these are compared with. */
static int choose(const struct session *session, bool *keep, struct error *e)
{
	const struct session_bundle *b = session->bundle;
	const struct words *only = &session->options.only;
	size_t count = record_of(session)->build_count;

	for (size_t k = 0; k < only->n; k++) {
		bool any = false;

		for (size_t i = 0; i < count; i++) {
			if (!plan_cell_matches(only->v[k], b->cells[i].name))
				continue;
			any = keep[i] = true;
		}
		if (!any)
			return error_set(e, EXIT_USAGE,
				"no cell of the bundle %s matches \"%s\"; `flagstone run "
				"--bundle FILE --dry-run` lists them",
				session->options.bundle, only->v[k]);
	}
	for (size_t i = 0; i < count; i++) {
		int64_t baseline = b->cells[i].baseline_index;

		if (only->n == 0)
			keep[i] = true;
		else if (keep[i] && baseline >= 0 && b->cells[baseline].reason == NULL)
			keep[baseline] = true;
	}
	return 0;
}

int session_bundle_plan(struct session *session, struct error *e)
{
	struct session_bundle *b = session->bundle;
	struct plan *plan = &session->plan;
	size_t count = record_of(session)->build_count;
	bool *keep = arena_array(session->arena, count, sizeof(*keep));
	int64_t *place = arena_array(session->arena, count, sizeof(*place));

	if (choose(session, keep, e) != 0)
		return -1;
	plan->matrix = &session->matrix;
	plan->cells = arena_array(session->arena, count, sizeof(*plan->cells));
	b->of = arena_array(session->arena, count, sizeof(*b->of));
	plan->cell_count = plan->possible = 0;
	for (size_t i = 0; i < count; i++) {
		place[i] = keep[i] ? (int64_t)plan->cell_count : -1;
		if (!keep[i])
			continue;
		b->of[plan->cell_count] = i;
		plan->cells[plan->cell_count++] = b->cells[i];
		plan->possible += b->cells[i].reason == NULL;
	}
	for (size_t i = 0; i < plan->cell_count; i++) {
		int64_t *baseline = &plan->cells[i].baseline_index;

		*baseline = *baseline >= 0 && b->cells[*baseline].reason == NULL ? place[*baseline] : -1;
	}
	plan->notes = record_of(session)->notes;
	return 0;
}

const struct record_build *session_bundle_build(const struct session *session, size_t cell)
{
	return &record_of(session)->builds[session->bundle->of[cell]];
}

void session_bundle_builds(struct session *session)
{
	struct arena *arena = session->arena;
	const struct session_bundle *b = session->bundle;

	session->builds = arena_array(arena, session->plan.cell_count, sizeof(*session->builds));
	for (size_t i = 0; i < session->plan.cell_count; i++) {
		const struct plan_cell *cell = &session->plan.cells[i];
		const struct record_build *from = session_bundle_build(session, i);
		struct build *build = &session->builds[i];

		build->workload = cell->workload;
		build->toolchain = cell->slot->toolchain;
		build->facts.arena = arena;
		build->reason = cell->reason;
		if (cell->reason != NULL)
			continue;
		memcpy(build->content_hash, from->content_hash, HASH_HEX);
		build->ok = build->cached = true;
		build->binary = file_join(arena, b->folder.path, bundle_program(from->content_hash, arena));
		build->folder = file_folder(arena, build->binary);
		build->code_hash = from->code_hash;
		build->build_id = from->build_id;
		build->commands = from->commands;
		facts_copy(&build->facts, &from->facts);
		build->log_excerpt = from->log_excerpt;
	}
}

void session_bundle_link(const struct session *session, struct build_layout *layouts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct build_layout *layout = &layouts[i];
		size_t cell = (size_t)(layout->build - session->builds);
		const struct record_build *build = session_bundle_build(session, cell);

		layout->path = NULL;
		layout->reason = "the bundle does not have this layout";
		build_layout_seed(layout->build->content_hash, layout->arm, layout->layout, layout->seed);
		for (size_t k = 0; k < build->layout_count; k++) {
			if (build->layouts[k].arm != layout->arm ||
				build->layouts[k].layout != layout->layout)
				continue;
			memcpy(layout->sha256, build->layouts[k].sha256, HASH_HEX);
			layout->path = file_join(session->arena, session->bundle->folder.path,
				bundle_layout(
					build->content_hash, layout->arm, layout->layout, session->arena));
		}
	}
}

bool session_bundle_has_arm(const struct session *session, size_t cell, uint32_t arm)
{
	const struct record_build *build = session_bundle_build(session, cell);

	for (size_t k = 0; k < build->layout_count; k++)
		if (build->layouts[k].arm == arm)
			return true;
	return false;
}

static void copy_fact(struct facts *to, const char *key, const struct facts *from, const char *from_key)
{
	const struct fact *fact = facts_find(from, from_key);

	if (fact != NULL && fact->value != NULL)
		facts_set(to, key, fact->value, "bundle.json");
	else
		facts_unknown(
			to, key, "bundle.json", fact != NULL ? fact->reason : "the bundle does not say it");
}

void session_bundle_facts(const struct session *session, struct facts *facts)
{
	const struct record *record = record_of(session);

	facts_set(facts, BUNDLE_ID_KEY, session->bundle->bundle.id, "SHA-256 of bundle.json");
	facts_set(facts, BUNDLE_HOST_KEY, record->host_name, "bundle.json");
	copy_fact(facts, BUNDLE_VERSION_KEY, &record->harness, "harness.version");
	copy_fact(facts, BUNDLE_COMMIT_KEY, &record->harness, "harness.commit");
}
