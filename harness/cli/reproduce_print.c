#include "cli/reproduce_print.h"

#include <string.h>

#include "cli/common.h"
#include "cli/table.h"

enum { NAMED = 6 }; /* functions, differences of one cell */

static void add_sources(const struct reproduce_sources *sources, struct table *table)
{
	table_add(table, "sources");
	if (sources->exported)
		table_addf(table, "commit %.12s, exported from %s", sources->commit, sources->folder);
	else if (sources->commit != NULL && sources->note == NULL)
		table_addf(table, "the work tree %s, which is at commit %.12s", sources->folder,
			sources->commit);
	else
		table_addf(table, "the work tree %s", sources->folder);
	if (sources->note != NULL) {
		table_add(table, "");
		table_add(table, sources->note);
	}
	for (size_t i = 0; i < sources->others.n; i++) {
		table_add(table, "");
		table_addf(table, "workload %s: its files are not those of the record", sources->others.v[i]);
	}
}

static void add_toolchain(const struct reproduce_toolchain *toolchain, struct table *table)
{
	table_add(table, toolchain->slot);
	if (toolchain->used == NULL) {
		table_addf(table, "not here: %s", toolchain->reason);
		return;
	}
	table_addf(table, "%s, %s", toolchain->used, toolchain->same ? "the same files" : "another one");
	if (toolchain->reason != NULL) {
		table_add(table, "");
		table_add(table, toolchain->reason);
	}
	for (size_t i = 0; i < toolchain->differs.n; i++) {
		table_add(table, "");
		table_add(table, toolchain->differs.v[i]);
	}
}

/* The functions of a kind, as many as fit into a line. */
static const char *functions_text(
	const char *what, const struct source_function *v, size_t n, struct arena *arena)
{
	struct words names = {0};

	for (size_t i = 0; i < n && i < NAMED; i++)
		words_add(&names, arena, v[i].a != NULL ? v[i].a : v[i].b);
	return arena_printf(arena, "%s: %s%s", what, words_between(&names, ", ", arena),
		n > NAMED ? arena_printf(arena, " and %zu more", n - NAMED) : "");
}

static void add_line(struct table *table, const char *text)
{
	table_add(table, "");
	table_add(table, "");
	table_add(table, text);
}

static const char *headline(const struct reproduce_cell *cell, struct arena *arena)
{
	if (cell->outcome == REPRODUCE_COULD_NOT || cell->outcome == REPRODUCE_NOTHING)
		return cell->reason;
	return arena_printf(arena, "%zu of %zu layout%s%s%s", cell->layouts_same, cell->layouts,
		text_plural(cell->layouts), cell->reason != NULL ? "; " : "",
		cell->reason != NULL ? cell->reason : "");
}

static void add_cell(const struct reproduce_cell *cell, struct arena *arena, struct table *table)
{
	const struct source_functions *f = &cell->functions;

	table_add(table, cell->cell);
	table_add(table, reproduce_outcome_text(cell->outcome));
	table_add(table, headline(cell, arena));
	if (cell->outcome != REPRODUCE_OTHER_CODE)
		return;
	if (f->differ_count > 0)
		add_line(table, functions_text("other code in", f->differ, f->differ_count, arena));
	if (f->only_a_count > 0)
		add_line(table, functions_text("in the record only", f->only_a, f->only_a_count, arena));
	if (f->only_b_count > 0)
		add_line(table, functions_text("here only", f->only_b, f->only_b_count, arena));
	for (size_t i = 0; i < cell->differs.n && i < NAMED; i++)
		add_line(table, cell->differs.v[i]);
	if (cell->differs.n > NAMED)
		add_line(table, arena_printf(arena, "and %zu more facts differ", cell->differs.n - NAMED));
}

static void add_counts(const struct reproduction *done, struct buf *out)
{
	const char *between = "";

	buf_addf(out, "\n%zu cell%s: ", done->cell_count, text_plural(done->cell_count));
	for (size_t i = 0; i <= REPRODUCE_NOTHING; i++) {
		if (done->count[i] == 0)
			continue;
		buf_addf(out, "%s%zu %s", between, done->count[i],
			reproduce_outcome_text((enum reproduce_outcome)i));
		between = ", ";
	}
	buf_addc(out, '\n');
}

/* How to go on: the two records against each other. */
static void add_run(struct cli *cli, const struct reproduction *done, struct buf *out)
{
	const char *where = common_where(cli, &cli->arena);

	if (done->run.record == NULL) {
		buf_adds(out, cli->args.no_measure ? "not measured, as --no-measure asks\n"
						   : "not measured: nothing could be built\n");
		return;
	}
	buf_addf(out, "measured%s: %s\n", done->run.record->complete ? "" : ", incomplete", done->run.path);
	if (done->run.record->incomplete_reason != NULL)
		buf_addf(out, "  %s\n", done->run.record->incomplete_reason);
	buf_addf(out, "the two against each other:\n  flagstone compare %.12s %.12s%s\n", done->record->id,
		done->run.record->id, where);
}

void reproduce_print(struct cli *cli, const char *path, const struct reproduction *done)
{
	struct arena *arena = &cli->arena;
	struct table head, cells;
	struct buf out = {0};

	table_init(&head, arena, 2);
	table_add(&head, "record");
	table_addf(&head, "%.12s of %s, matrix %s: %s", done->record->id, done->record->started,
		done->record->plan.matrix_name, path);
	add_sources(&done->sources, &head);
	for (size_t i = 0; i < done->toolchain_count; i++)
		add_toolchain(&done->toolchains[i], &head);
	for (size_t i = 0; i < done->notes.n; i++) {
		table_add(&head, "note");
		table_add(&head, done->notes.v[i]);
	}
	table_write(&head, &out);
	buf_addc(&out, '\n');
	table_init(&cells, arena, 3);
	for (size_t i = 0; i < done->cell_count; i++)
		add_cell(&done->cells[i], arena, &cells);
	table_write(&cells, &out);
	add_counts(done, &out);
	add_run(cli, done, &out);
	terminal_print(&out);
	buf_release(&out);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_safe_string(text));
}

static json_t *function_names(const struct source_function *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_safe_string(v[i].a != NULL ? v[i].a : v[i].b));
	return list;
}

/* null: they are unknown, and the reason stands beside. */
static void set_functions(json_t *object, const struct reproduce_cell *cell)
{
	const struct source_functions *f = &cell->functions;
	bool compared = cell->outcome < REPRODUCE_COULD_NOT;
	bool known = compared && f->reason == NULL;

	set_text(object, "functions_unknown",
		known	   ? NULL
		: compared ? f->reason
			   : "there are not two builds of it");
	json_object_set_new(
		object, "functions_differ", known ? function_names(f->differ, f->differ_count) : json_null());
	json_object_set_new(object, "functions_only_in_record",
		known ? function_names(f->only_a, f->only_a_count) : json_null());
	json_object_set_new(object, "functions_only_here",
		known ? function_names(f->only_b, f->only_b_count) : json_null());
}

static json_t *cell_json(const struct reproduce_cell *cell)
{
	json_t *object = json_object();

	set_text(object, "cell", cell->cell);
	set_text(object, "outcome", reproduce_outcome_text(cell->outcome));
	set_text(object, "reason", cell->reason);
	json_object_set_new(object, "same_inputs",
		cell->outcome < REPRODUCE_COULD_NOT ? json_boolean(cell->same_inputs) : json_null());
	set_text(object, "content_hash_before", cell->content_hash_before);
	set_text(object, "content_hash_now", cell->content_hash_now);
	set_text(object, "code_hash_before", cell->code_hash_before);
	set_text(object, "code_hash_now", cell->code_hash_now);
	json_object_set_new(object, "layouts", json_integer((json_int_t)cell->layouts));
	json_object_set_new(object, "layouts_same", json_integer((json_int_t)cell->layouts_same));
	set_functions(object, cell);
	json_object_set_new(object, "facts_differ", json_safe_words(&cell->differs));
	return object;
}

static json_t *toolchain_json(const struct reproduce_toolchain *toolchain)
{
	json_t *object = json_object();

	set_text(object, "slot", toolchain->slot);
	set_text(object, "used", toolchain->used);
	json_object_set_new(object, "same", json_boolean(toolchain->same));
	set_text(object, "reason", toolchain->reason);
	json_object_set_new(object, "differs", json_safe_words(&toolchain->differs));
	return object;
}

static json_t *sources_json(const struct reproduce_sources *sources)
{
	json_t *object = json_object();

	set_text(object, "commit", sources->commit);
	json_object_set_new(object, "exported", json_boolean(sources->exported));
	set_text(object, "folder", sources->folder);
	set_text(object, "note", sources->note);
	json_object_set_new(object, "other_workloads", json_safe_words(&sources->others));
	return object;
}

static json_t *run_json(const struct session_outcome *run)
{
	json_t *object;

	if (run->record == NULL)
		return json_null();
	object = json_object();
	set_text(object, "id", run->record->id);
	set_text(object, "path", run->path);
	json_object_set_new(object, "complete", json_boolean(run->record->complete));
	return object;
}

json_t *reproduce_json(const char *path, const struct reproduction *done)
{
	json_t *root = json_object(), *record = json_object(), *toolchains = json_array(),
	       *cells = json_array();

	set_text(root, "schema", "flagstone.reproduction/1");
	set_text(record, "id", done->record->id);
	set_text(record, "path", path);
	set_text(record, "started", done->record->started);
	set_text(record, "matrix", done->record->plan.matrix_name);
	json_object_set_new(root, "record", record);
	json_object_set_new(root, "sources", sources_json(&done->sources));
	for (size_t i = 0; i < done->toolchain_count; i++)
		json_array_append_new(toolchains, toolchain_json(&done->toolchains[i]));
	json_object_set_new(root, "toolchains", toolchains);
	for (size_t i = 0; i < done->cell_count; i++)
		json_array_append_new(cells, cell_json(&done->cells[i]));
	json_object_set_new(root, "cells", cells);
	json_object_set_new(root, "notes", json_safe_words(&done->notes));
	json_object_set_new(root, "run", run_json(&done->run));
	return root;
}
