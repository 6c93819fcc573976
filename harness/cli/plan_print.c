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

	num_duration(s.sample_ns, sample);
	num_duration(s.budget_ns, budget);
	buf_addf(out, "samples of %s, %u layout%s, %u to %u rounds, budget %s\n", sample, s.layouts_min,
		text_plural(s.layouts_min), s.rounds_min, s.rounds_max, s.budget_ns > 0 ? budget : "none");
}

static void add_time(const struct session *session, struct buf *out)
{
	int64_t build_ns, measure_ns;
	char build[NUM_SIZE], measure[NUM_SIZE];

	session_estimate(session, &build_ns, &measure_ns);
	num_duration(build_ns, build);
	num_duration(measure_ns, measure);
	buf_addf(
		out, "about %s to build what is not in the cache, and up to %s to measure\n", build, measure);
}

static void print_text(struct cli *cli, const struct session *session)
{
	const struct plan *plan = &session->plan;
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
	add_time(session, &out);
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
	json_object_set_new(
		object, "identity", json_safe_string(toolchain != NULL ? toolchain->identity : NULL));
	json_object_set_new(object, "reason", json_safe_string(slot->reason));
	return object;
}

static json_t *settings_json(const struct session *session)
{
	struct measure_settings s = session_settings(session);
	json_t *object = json_object();

	json_object_set_new(object, "sample_ns", json_integer(s.sample_ns));
	json_object_set_new(object, "layouts", json_integer(s.layouts_min));
	json_object_set_new(object, "rounds_min", json_integer(s.rounds_min));
	json_object_set_new(object, "rounds_max", json_integer(s.rounds_max));
	json_object_set_new(object, "precision", json_safe_real(s.precision));
	json_object_set_new(object, "matters", json_safe_real(s.matters));
	json_object_set_new(object, "budget_ns", s.budget_ns > 0 ? json_integer(s.budget_ns) : json_null());
	json_object_set_new(object, "build_budget_ns",
		s.build_budget_ns > 0 ? json_integer(s.build_budget_ns) : json_null());
	return object;
}

static void print_json(const struct session *session)
{
	const struct plan *plan = &session->plan;
	json_t *root = json_object(), *cells = json_array(), *slots = json_array();
	int64_t build_ns, measure_ns;

	for (size_t i = 0; i < plan->cell_count; i++)
		json_array_append_new(cells, cell_json(plan, &plan->cells[i]));
	for (size_t i = 0; i < plan->slot_count; i++)
		json_array_append_new(slots, slot_json(&plan->slots[i]));
	session_estimate(session, &build_ns, &measure_ns);
	json_object_set_new(root, "schema", json_string("flagstone.plan/1"));
	json_object_set_new(root, "matrix", json_safe_string(session->matrix.name));
	json_object_set_new(root, "possible", json_integer((json_int_t)plan->possible));
	json_object_set_new(root, "slots", slots);
	json_object_set_new(root, "cells", cells);
	json_object_set_new(root, "notes", common_json_words(&plan->notes));
	json_object_set_new(root, "measure", settings_json(session));
	json_object_set_new(root, "estimate_build_ns", json_integer(build_ns));
	json_object_set_new(root, "estimate_measure_ns", json_integer(measure_ns));
	common_print_json(root);
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

enum exit_code plan_print(struct cli *cli, const struct session *session)
{
	if (cli->args.json)
		print_json(session);
	else
		print_text(cli, session);
	return session->plan.possible > 0 ? EXIT_YES : plan_impossible(session);
}
