#include "cli/plan_print.h"

#include <string.h>

#include "base/num.h"
#include "cli/common.h"
#include "cli/table.h"

static void add_cells(struct cli *cli, const struct plan *plan, struct buf *out)
{
	struct table table;

	table_init(&table, &cli->arena, 2);
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		table_add(&table, cell->name);
		table_add(&table, cell->reason == NULL
					  ? cell->baseline ? "baseline" : ""
					  : arena_printf(&cli->arena, "cannot exist here: %s", cell->reason));
	}
	table_write(&table, out);
}

static void add_slots(struct cli *cli, const struct plan *plan, struct buf *out)
{
	struct table table;

	table_init(&table, &cli->arena, 2);
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct toolchain_slot *slot = &plan->slots[i];

		table_add(&table, slot->name);
		if (slot->toolchain != NULL)
			table_addf(&table, "%s %s for %s, %s", slot->toolchain->family,
				slot->toolchain->version, slot->toolchain->target, slot->toolchain->cc.v[0]);
		else
			table_add(&table, slot->reason);
	}
	table_write(&table, out);
}

static void add_settings(const struct session *session, struct buf *out)
{
	struct measure_settings s = session_settings(session);
	char sample[NUM_SIZE], budget[NUM_SIZE];
	uint32_t looks[8];
	size_t count = plan_looks(s.rounds_min, s.rounds_max, looks);

	num_duration(s.sample_ns, sample);
	num_duration(s.budget_ns, budget);
	buf_addf(out, "samples of %s, %u", sample, s.layouts_min);
	if (s.layouts_max > s.layouts_min)
		buf_addf(out, " to %u", s.layouts_max);
	buf_addf(out, " layout%s, looks after ", text_plural(s.layouts_max));
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s%u", i == 0 ? "" : i + 1 < count ? ", " : " and ", looks[i]);
	buf_addf(out, " rounds, budget %s\n", s.budget_ns > 0 ? budget : "none");
}

/* Whole seconds where there are any: an estimate is no finer. */
static void add_duration(struct buf *out, int64_t ns)
{
	char text[NUM_SIZE];

	if (ns >= 10000000000)
		ns = (ns + 500000000) / 1000000000 * 1000000000;
	num_duration(ns, text);
	buf_adds(out, text);
}

static void add_build_time(const struct session *session, const struct session_estimate *e, struct buf *out)
{
	int64_t ns = e->build_ns + e->prepare_ns;

	buf_addf(out, "build: %zu build%s and %zu link%s", e->builds, text_plural(e->builds), e->links,
		text_plural(e->links));
	if (e->looked_up)
		buf_addf(out, ", of which %zu and %zu are in the %s", e->cached, e->links_cached,
			session->bundle != NULL ? "bundle" : "cache");
	if (ns > 0) {
		buf_adds(out, "; about ");
		add_duration(out, ns);
		buf_addf(out, " with checks and calibration (%s)",
			e->builds_known ? "from earlier runs here" : "a rough figure");
	}
	buf_addc(out, '\n');
}

static void add_measure_time(const struct session *session, const struct session_estimate *e, struct buf *out)
{
	struct measure_settings s = session_settings(session);
	const char *source = e->rounds_known ? "from earlier runs here" : "a rough figure";

	buf_adds(out, "measure: ");
	if (e->first_look_ns > e->measure_ns) {
		add_duration(out, e->measure_ns);
		buf_addf(out, ", the budget, which ends before the first look: %u rounds take about ",
			e->first_look);
		add_duration(out, e->first_look_ns);
		buf_addf(out, " (%s)\n", source);
		return;
	}
	add_duration(out, e->first_look_ns);
	buf_addf(out, ", if the first look after %u rounds settles all, to ", e->first_look);
	add_duration(out, e->measure_ns);
	buf_addf(out, ", %s (%s)\n",
		s.budget_ns > 0 && e->measure_ns == s.budget_ns ? "the budget" : "all rounds", source);
}

static void add_time(const struct session *session, const struct session_estimate *e, struct buf *out)
{
	add_build_time(session, e, out);
	add_measure_time(session, e, out);
	buf_adds(out, "in all: ");
	add_duration(out, e->shortest_ns);
	buf_adds(out, " to ");
	add_duration(out, e->longest_ns);
	buf_adds(out, "\n");
}

static void print_text(struct cli *cli, struct session *session)
{
	const struct plan *plan = &session->plan;
	struct session_estimate estimate;
	struct buf out = {0};

	buf_addf(&out, "matrix %s: %zu cell%s, %zu of them can exist here\n\n",
		text_safe(&cli->arena, session->matrix.name), plan->cell_count, text_plural(plan->cell_count),
		plan->possible);
	add_slots(cli, plan, &out);
	buf_addc(&out, '\n');
	add_cells(cli, plan, &out);
	buf_addc(&out, '\n');
	for (size_t i = 0; i < plan->notes.n; i++)
		buf_addf(&out, "note: %s\n", text_safe(&cli->arena, plan->notes.v[i]));
	add_settings(session, &out);
	session_estimate(session, &estimate);
	add_time(session, &estimate, &out);
	terminal_print(&out);
	buf_release(&out);
}

static json_t *cell_json(const struct plan *plan, const struct plan_cell *cell)
{
	const char *against = cell->baseline_index >= 0 ? plan->cells[cell->baseline_index].name : NULL;
	json_t *object = json_object();

	json_object_set_new(object, "cell", json_safe_string(cell->name));
	json_object_set_new(object, "workload", json_safe_string(cell->workload->name));
	json_object_set_new(object, "slot", json_safe_string(cell->slot->name));
	json_object_set_new(object, "variant", json_safe_string(cell->variant->name));
	json_object_set_new(object, "copies", json_integer(cell->copies));
	json_object_set_new(object, "args", json_safe_string(cell->args));
	json_object_set_new(object, "baseline", json_boolean(cell->baseline));
	json_object_set_new(object, "compared_with", json_safe_string(against));
	json_object_set_new(object, "reason", json_safe_string(cell->reason));
	return object;
}

static json_t *slot_json(const struct toolchain_slot *slot)
{
	json_t *object = json_object();
	const struct toolchain *toolchain = slot->toolchain;

	json_object_set_new(object, "slot", json_safe_string(slot->name));
	json_object_set_new(object, "family", json_safe_string(toolchain != NULL ? toolchain->family : NULL));
	json_object_set_new(
		object, "version", json_safe_string(toolchain != NULL ? toolchain->version : NULL));
	json_object_set_new(object, "target", json_safe_string(toolchain != NULL ? toolchain->target : NULL));
	/* a bundle's toolchains are known by their facts only */
	json_object_set_new(object, "identity",
		json_safe_string(
			toolchain != NULL && toolchain->identity[0] != '\0' ? toolchain->identity : NULL));
	json_object_set_new(object, "reason", json_safe_string(slot->reason));
	return object;
}

static json_t *settings_json(const struct session *session)
{
	struct measure_settings s = session_settings(session);
	json_t *object = json_object(), *looks = json_array();
	uint32_t at[8];
	size_t count = plan_looks(s.rounds_min, s.rounds_max, at);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(looks, json_integer(at[i]));
	json_object_set_new(object, "looks", looks);
	json_object_set_new(object, "sample_ns", json_integer(s.sample_ns));
	json_object_set_new(object, "layouts", json_integer(s.layouts_min));
	json_object_set_new(object, "layouts_max", json_integer(s.layouts_max));
	json_object_set_new(object, "rounds_min", json_integer(s.rounds_min));
	json_object_set_new(object, "rounds_max", json_integer(s.rounds_max));
	json_object_set_new(object, "precision", json_safe_real(s.precision));
	json_object_set_new(object, "matters", json_safe_real(s.matters));
	json_object_set_new(object, "budget_ns", s.budget_ns > 0 ? json_integer(s.budget_ns) : json_null());
	json_object_set_new(object, "build_budget_ns",
		s.build_budget_ns > 0 ? json_integer(s.build_budget_ns) : json_null());
	json_object_set_new(object, "counted_rounds",
		s.counted_rounds > 0 ? json_integer(s.counted_rounds) : json_null());
	return object;
}

static json_t *estimate_json(const struct session_estimate *e)
{
	json_t *object = json_object();

	json_object_set_new(object, "looked_up", json_boolean(e->looked_up));
	json_object_set_new(object, "builds", json_integer((json_int_t)e->builds));
	json_object_set_new(object, "builds_cached", json_integer((json_int_t)e->cached));
	json_object_set_new(object, "links", json_integer((json_int_t)e->links));
	json_object_set_new(object, "links_cached", json_integer((json_int_t)e->links_cached));
	json_object_set_new(object, "build_ns", json_integer(e->build_ns));
	json_object_set_new(object, "build_source", json_string(e->builds_known ? "records" : "rough"));
	json_object_set_new(object, "prepare_ns", json_integer(e->prepare_ns));
	json_object_set_new(object, "first_look_ns", json_integer(e->first_look_ns));
	json_object_set_new(object, "measure_ns", json_integer(e->measure_ns));
	json_object_set_new(object, "measure_source", json_string(e->rounds_known ? "records" : "rough"));
	json_object_set_new(object, "shortest_ns", json_integer(e->shortest_ns));
	json_object_set_new(object, "longest_ns", json_integer(e->longest_ns));
	return object;
}

static void print_json(struct session *session)
{
	const struct plan *plan = &session->plan;
	json_t *root = json_object(), *cells = json_array(), *slots = json_array();
	struct session_estimate estimate;

	for (size_t i = 0; i < plan->cell_count; i++)
		json_array_append_new(cells, cell_json(plan, &plan->cells[i]));
	for (size_t i = 0; i < plan->slot_count; i++)
		json_array_append_new(slots, slot_json(&plan->slots[i]));
	session_estimate(session, &estimate);
	json_object_set_new(root, "schema", json_string("flagstone.plan/1"));
	json_object_set_new(root, "matrix", json_safe_string(session->matrix.name));
	json_object_set_new(root, "possible", json_integer((json_int_t)plan->possible));
	json_object_set_new(root, "slots", slots);
	json_object_set_new(root, "cells", cells);
	json_object_set_new(root, "notes", json_safe_words(&plan->notes));
	json_object_set_new(root, "measure", settings_json(session));
	json_object_set_new(root, "estimate", estimate_json(&estimate));
	json_object_set_new(root, "estimate_build_ns", json_integer(estimate.build_ns));
	json_object_set_new(root, "estimate_measure_ns", json_integer(estimate.measure_ns));
	common_print_json(root);
}

int plan_check_layouts(const struct arguments *args, struct error *e)
{
	uint32_t low = args->session.layouts, high = args->session.layouts_max;

	if (low == 0 || low >= 8 || high == 1)
		return 0;
	return error_set(e, EXIT_USAGE,
		"--layouts %u..%u: 2 to 7 say nothing about placement; give 1, or 8 and more", low, high);
}

/* The reasons of all cells, each once, as far as they are few. */
static void add_reasons(const struct plan *plan, struct error *e)
{
	enum { SHOWN = 3 };
	struct words told = {0};
	struct arena arena = {0};

	for (size_t i = 0; i < plan->cell_count; i++)
		if (plan->cells[i].reason != NULL && !words_have(&told, plan->cells[i].reason))
			words_add(&told, &arena, plan->cells[i].reason);
	for (size_t i = 0; i < told.n && i < SHOWN; i++)
		error_advice(e, "%.300s", told.v[i]);
	if (told.n > SHOWN)
		error_advice(e, "and %zu more reason%s: see `flagstone plan`", told.n - SHOWN,
			text_plural(told.n - SHOWN));
	arena_release(&arena);
}

enum exit_code plan_impossible(const struct session *session)
{
	const struct plan *plan = &session->plan;
	struct error e = {0};

	error_set(&e, EXIT_CANNOT, "nothing of matrix %s can be run here: none of its %zu cell%s can exist",
		session->matrix.name, plan->cell_count, text_plural(plan->cell_count));
	add_reasons(plan, &e);
	return error_print(&e);
}

enum exit_code plan_print(struct cli *cli, struct session *session)
{
	if (cli->args.json)
		print_json(session);
	else
		print_text(cli, session);
	return session->plan.possible > 0 ? EXIT_YES : plan_impossible(session);
}
