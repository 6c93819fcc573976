#include "session/reproduce.h"

#include <string.h>

#include "base/file.h"
#include "session/reproduce_work.h"
#include "sys/cpu.h"
#include "sys/private_folder.h"
#include "sys/process.h"

static int check_record(const struct record *record, struct error *e)
{
	if (strcmp(record->kind, "run") != 0)
		return error_set(e, EXIT_USAGE, "record %.12s is of kind %s; what can be reproduced is a run",
			record->id, record->kind);
	if (record->plan.matrix_name == NULL || record->plan.matrix_text == NULL)
		return error_set(e, EXIT_CANNOT,
			"record %.12s keeps no matrix, so that nobody knows what to build", record->id);
	return 0;
}

/* CPUs that the record was given by --cpus, where this process may use them. */
static const char *cpus_of(struct reproducing *r)
{
	const struct fact *cpus = facts_find(&r->record->harness, RUN_CPUS_KEY);
	struct cpu_list wanted = {0}, allowed = {0};
	struct error why = {0};

	if (r->options->session->cpus != NULL)
		return r->options->session->cpus;
	if (cpus == NULL || cpus->value == NULL || !text_same(cpus->source, RUN_CPUS_GIVEN))
		return NULL;
	if (cpu_list_parse(cpus->value, r->arena, &wanted, &why) == 0 &&
		cpu_allowed("", r->arena, &allowed, &why) == 0 && cpu_check(&wanted, &allowed, &why) == 0)
		return cpus->value;
	words_addf(&r->out->notes, r->arena,
		"the record was measured with --cpus %s, which cannot be had here (%s)", cpus->value,
		why.text);
	return NULL;
}

/* The record's settings; those of the command line are only about this machine. */
static void set_options(struct reproducing *r)
{
	const struct session_options *own = r->options->session;
	const struct record_plan *plan = &r->record->plan;
	const struct measure_settings *s = &plan->settings;

	r->open = (struct session_options){.installed = own->installed,
		.source_tree = own->source_tree,
		.archive = own->archive,
		.cache = file_join(r->arena, r->folder, "cache"),
		.host = own->host,
		.seed = plan->seed,
		.rounds_min = s->rounds_min,
		.rounds_max = s->rounds_max,
		.layouts = s->layouts_min,
		.layouts_max = s->layouts_max,
		.jobs = own->jobs,
		.sample_ns = s->sample_ns,
		.budget_ns = s->budget_ns,
		.build_budget_ns = s->build_budget_ns,
		.timeout_ns = s->timeout_ns,
		.precision = s->precision,
		.matters = s->matters,
		.aa = plan->aa,
		.probe = true,
		.reproduces = r->record->id,
		.lock_wait_ns = own->lock_wait_ns};
	r->open.cpus = cpus_of(r);
}

/* The plan becomes the record's cells that are wanted, with the baselines they are compared with. */
static void keep_cells(struct reproducing *r)
{
	struct plan *plan = &r->session->plan;
	const struct words *only = &r->options->session->only;
	bool *keep = arena_array(r->arena, plan->cell_count, sizeof(*keep));
	int64_t *place = arena_array(r->arena, plan->cell_count, sizeof(*place));
	size_t n = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];
		bool wanted = only->n == 0;

		for (size_t k = 0; k < only->n; k++)
			wanted |= plan_cell_matches(only->v[k], cell->name);
		if (!wanted || record_find_cell(r->record, cell->name) < 0)
			continue;
		keep[i] = true;
		if (cell->baseline_index >= 0)
			keep[cell->baseline_index] = true;
	}
	for (size_t i = 0; i < plan->cell_count; i++)
		place[i] = keep[i] ? (int64_t)n++ : -1;
	for (size_t i = 0; i < plan->cell_count; i++) {
		int64_t baseline = plan->cells[i].baseline_index;

		if (!keep[i])
			continue;
		plan->cells[place[i]] = plan->cells[i];
		plan->cells[place[i]].baseline_index = baseline >= 0 ? place[baseline] : -1;
	}
	plan->cell_count = n;
	plan->possible = 0;
	for (size_t i = 0; i < n; i++)
		plan->possible += plan->cells[i].reason == NULL;
}

/*
 * The plan with the toolchains that were found. Cells of the record that the matrix does not have any more (a compiler
 * of `toolchains: [all]` that is gone) are no error here, as --only would make them.
 */
static int plan_it(struct reproducing *r, struct error *e)
{
	struct session *session = r->session;

	if (session_take_matrix(session, r->record->plan.matrix_name, r->record->plan.matrix_text, e) != 0)
		return error_context(e, "the record's matrix");
	if (session_plan(session, e) != 0)
		return error_context(e, "the record's matrix with these sources");
	keep_cells(r);
	if (session->plan.cell_count > 0)
		return 0;
	return error_set(e, EXIT_CANNOT,
		"no cell of record %.12s exists here%s: its workloads or toolchains are missing",
		r->record->id, r->options->session->only.n > 0 ? ", or none that --only names" : "");
}

static int check_only(const struct reproducing *r, struct error *e)
{
	const struct words *only = &r->options->session->only;

	for (size_t k = 0; k < only->n; k++) {
		bool any = false;

		for (size_t i = 0; i < r->record->build_count; i++)
			any |= plan_cell_matches(only->v[k], r->record->builds[i].cell);
		if (!any)
			return error_set(e, EXIT_USAGE,
				"no cell of record %.12s matches \"%s\"; `flagstone show "
				"%.12s --builds` lists them",
				r->record->id, only->v[k], r->record->id);
	}
	return 0;
}

/* A compiler that was ended while it was asked looks like one that does not work. */
static bool interrupted(struct error *e)
{
	return process_interrupted() != 0 &&
	       error_set(e, EXIT_INTERRUPTED, "interrupted before anything was measured; nothing is kept") !=
		       0;
}

static int work(struct reproducing *r, const struct session_events *events, struct error *e)
{
	if (reproduce_find_sources(r, e) != 0 ||
		session_open(r->session, &r->open, events, r->arena, e) != 0 || interrupted(e))
		return -1;
	reproduce_compare_sources(r);
	reproduce_find_toolchains(r);
	if (plan_it(r, e) != 0 || interrupted(e) || reproduce_cells(r, e) != 0 || interrupted(e))
		return -1;
	if (!r->options->measure || !r->out->built)
		return 0;
	return session_run(r->session, NULL, &r->out->run, e);
}

int session_reproduce(const struct reproduce_options *options, const struct session_events *events,
	struct arena *arena, struct reproduction *out, struct spec_errors *errors, struct error *e)
{
	struct private_folder folder = PRIVATE_FOLDER_NONE;
	struct session *session = arena_new(arena, struct session);
	struct reproducing r = {.options = options,
		.record = options->record,
		.out = out,
		.session = session,
		.arena = arena};
	int result;

	*out = (struct reproduction){.record = options->record};
	if (check_record(options->record, e) != 0 || check_only(&r, e) != 0 ||
		private_folder_make(&folder, "reproduce", arena, e) != 0)
		return -1;
	r.folder = folder.path;
	set_options(&r);
	result = work(&r, events, e);
	*errors = session->errors;
	session_close(session);
	private_folder_remove(&folder, NULL);
	return result;
}
