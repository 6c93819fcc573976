#include "session/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "host/host.h"
#include "session/run.h"

/* From a matrix to a bundle: all that a run does before its first round, but for what only the target can say. */

/* A build to be packed: that of the first cell with it. */
struct packed {
	const char *content_hash;
	size_t cell;
};

struct packing {
	struct run *run;
	struct bundle self; /* flagstone's own files, found before anything is built */
	struct session_bundle_made *made;
	struct packed *builds;
	size_t count;
};

/* A machine without a machine id has none in a bundle either; the target only shows the name. */
static int name_host(struct run *run, struct error *e)
{
	const struct session *session = run->session;

	run->record->host_name = session->host_name != NULL
					 ? session->host_name
					 : host_name(&session->host, "no machine id", run->arena, e);
	return run->record->host_name != NULL ? 0 : -1;
}

static int build(struct run *run, struct error *e)
{
	if (session_build(run->session, e) != 0)
		return -1;
	run_describe_builds(run);
	if (run_link(run, e) != 0)
		return -1;
	run_describe_functions(run);
	return 0;
}

/* The archive, if there is one, for units of work that an earlier run found. */
static void take_units(struct run *run)
{
	struct archive *archive = arena_new(run->arena, struct archive);

	if (archive_open(archive, run->arena, run->session->archive_folder, false, NULL) != 0)
		return;
	run->archive = archive;
	run_units_known(run);
}

static bool is_packed(const struct record_build *build)
{
	return build->status == CELL_BUILT && build->content_hash != NULL;
}

static int by_content(const void *left, const void *right)
{
	const struct packed *a = left, *b = right;
	int order = strcmp(a->content_hash, b->content_hash);

	return order != 0 ? order : (a->cell > b->cell) - (a->cell < b->cell);
}

/* Each build once: cells that differ in copies or args share theirs. In the order of the cells. */
static int by_cell(const void *left, const void *right)
{
	const struct packed *a = left, *b = right;

	return (a->cell > b->cell) - (a->cell < b->cell);
}

static void choose_builds(struct packing *p)
{
	const struct record *record = p->run->record;
	size_t n = 0;

	p->builds = arena_array(p->run->arena, record->build_count, sizeof(*p->builds));
	for (size_t i = 0; i < record->build_count; i++)
		if (is_packed(&record->builds[i]))
			p->builds[n++] = (struct packed){record->builds[i].content_hash, i};
	p->made->cells = n;
	if (n > 1)
		qsort(p->builds, n, sizeof(*p->builds), by_content);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(p->builds[i].content_hash, p->builds[i - 1].content_hash) != 0)
			p->builds[p->count++] = p->builds[i];
	if (p->count > 1)
		qsort(p->builds, p->count, sizeof(*p->builds), by_cell);
}

/* Every cell lists all layouts that its build has: a second arm may be another cell's item. */
static void share_layouts(const struct packing *p)
{
	struct record *record = p->run->record;

	for (size_t k = 0; k < p->count; k++) {
		const struct record_build *most = &record->builds[p->builds[k].cell];

		for (size_t i = 0; i < record->build_count; i++)
			if (is_packed(&record->builds[i]) &&
				strcmp(record->builds[i].content_hash, p->builds[k].content_hash) == 0 &&
				record->builds[i].layout_count > most->layout_count)
				most = &record->builds[i];
		for (size_t i = 0; i < record->build_count; i++) {
			struct record_build *build = &record->builds[i];

			if (!is_packed(build) || strcmp(build->content_hash, p->builds[k].content_hash) != 0)
				continue;
			build->layouts = most->layouts;
			build->layout_count = most->layout_count;
		}
	}
}

static void set_cells(struct packing *p)
{
	const struct plan *plan = &p->run->session->plan;
	struct bundle *bundle = &p->made->bundle;

	bundle->cells = arena_array(p->run->arena, plan->cell_count, sizeof(*bundle->cells));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		bundle->cells[i] = (struct bundle_cell){.copies_keyword = cell->copies_keyword,
			.env = cell->variant->env,
			.check_rel = cell->variant->check_rel};
		if (cell->slot->toolchain != NULL)
			bundle->cells[i].runner = cell->slot->toolchain->runner;
	}
}

static const struct spec_workload *spec_of(const struct plan *plan, const char *name)
{
	size_t i = 0;

	while (strcmp(plan->cells[i].workload->name, name) != 0)
		i++;
	return plan->cells[i].workload;
}

static int set_workloads(struct packing *p, struct error *e)
{
	const struct record *record = p->run->record;
	struct bundle *bundle = &p->made->bundle;

	bundle->workloads = arena_array(p->run->arena, record->workload_count, sizeof(*bundle->workloads));
	for (size_t i = 0; i < record->workload_count; i++) {
		const struct spec_workload *spec = spec_of(&p->run->session->plan, record->workloads[i].name);
		struct bundle_workload *workload = &bundle->workloads[i];

		*workload = (struct bundle_workload){.check_units = spec->check_units,
			.check_value = spec->check_value,
			.check_rel = spec->check_rel,
			.cpus = spec->cpus > 0 ? spec->cpus : 1};
		if (spec->stdin_path == NULL)
			continue;
		workload->input = arena_printf(p->run->arena, "inputs/%s", spec->name);
		if (bundle_add_file(bundle, workload->input, spec->stdin_path, false, e) != 0)
			return -1;
	}
	return 0;
}

/* The newest C library that any program asks for. */
static void note_needs(struct packing *p, const struct code_needs *needs)
{
	struct session_bundle_made *made = p->made;
	const char *glibc = code_needs_highest(needs, "GLIBC_", p->run->arena);
	struct words both = {0};
	struct code_need need;

	made->musl |= needs->interpreter != NULL && text_starts(file_name(needs->interpreter), "ld-musl");
	if (glibc == NULL)
		return;
	words_addf(&both, p->run->arena, "GLIBC_%s", glibc);
	if (made->glibc != NULL)
		words_addf(&both, p->run->arena, "GLIBC_%s", made->glibc);
	need = (struct code_need){.library = "", .versions = both};
	made->glibc = code_needs_highest(&(struct code_needs){.v = &need, .n = 1}, "GLIBC_", p->run->arena);
}

static const struct run_item *item_of(const struct run *run, size_t cell, uint32_t arm)
{
	for (size_t i = 0; i < run->item_count; i++)
		if (run->items[i].cell == cell && run->items[i].arm == arm)
			return &run->items[i];
	return NULL;
}

/* The program of a layout, of whichever cell has it. */
static const char *layout_path(
	const struct run *run, const char *content_hash, const struct record_layout *layout)
{
	for (size_t i = 0; i < run->record->build_count; i++) {
		const struct record_build *build = &run->record->builds[i];
		const struct run_item *item;

		if (!is_packed(build) || strcmp(build->content_hash, content_hash) != 0)
			continue;
		item = item_of(run, i, layout->arm);
		if (item != NULL && layout->layout < item->layout_count)
			return item->paths[layout->layout];
	}
	return NULL;
}

static int add_build(struct packing *p, const struct packed *packed, struct error *e)
{
	struct run *run = p->run;
	struct arena *arena = run->arena;
	struct bundle *bundle = &p->made->bundle;
	const struct record_build *build = &run->record->builds[packed->cell];
	const char *binary = run->session->builds[packed->cell].binary;
	struct code_needs needs;

	if (code_needs(binary, arena, &needs, e) != 0 ||
		bundle_add_file(bundle, bundle_program(packed->content_hash, arena), binary, true, e) != 0)
		return -1;
	note_needs(p, &needs);
	for (size_t i = 0; i < run->record->build_count; i++)
		if (is_packed(&run->record->builds[i]) &&
			strcmp(run->record->builds[i].content_hash, packed->content_hash) == 0)
			bundle->cells[i].needs = needs;
	for (size_t k = 0; k < build->layout_count; k++) {
		const struct record_layout *layout = &build->layouts[k];
		char *path = bundle_layout(packed->content_hash, layout->arm, layout->layout, arena);

		if (bundle_add_file(bundle, path, layout_path(run, packed->content_hash, layout), true, e) !=
			0)
			return -1;
	}
	p->made->programs += 1 + build->layout_count;
	return 0;
}

static int pack(struct packing *p, const char *path, struct error *e)
{
	struct run *run = p->run;
	struct bundle *bundle = &p->made->bundle;
	size_t files = BUNDLE_SELF_FILES + run->record->workload_count;

	choose_builds(p);
	share_layouts(p);
	for (size_t k = 0; k < p->count; k++)
		files += 1 + run->record->builds[p->builds[k].cell].layout_count;
	bundle->files = arena_array(run->arena, files, sizeof(*bundle->files));
	bundle->record = run->record;
	bundle->arch = facts_value(&run->session->host, "host.arch");
	if (bundle->arch == NULL)
		return error_set(e, EXIT_CANNOT, "this machine does not say what architecture it is");
	set_cells(p);
	bundle->self = p->self.self;
	bundle->file_count = p->self.file_count;
	memcpy(bundle->files, p->self.files, p->self.file_count * sizeof(*bundle->files));
	if (set_workloads(p, e) != 0)
		return -1;
	for (size_t k = 0; k < p->count; k++)
		if (add_build(p, &p->builds[k], e) != 0)
			return -1;
	return bundle_write(bundle, path, run->arena, &p->made->written, e);
}

int session_bundle(
	struct session *session, const char *path, struct session_bundle_made *made, struct error *e)
{
	struct run run = {.session = session, .arena = session->arena, .lock = {.fd = -1}};
	struct packing p = {.run = &run, .made = made};
	int result = -1;

	memset(made, 0, sizeof(*made));
	run.settings = session_settings(session);
	p.self.files = arena_array(session->arena, BUNDLE_SELF_FILES, sizeof(*p.self.files));
	if (bundle_add_self(&p.self, session->arena, e) != 0)
		return -1;
	if (run_describe(&run, NULL, e) == 0 && name_host(&run, e) == 0 && build(&run, e) == 0) {
		take_units(&run);
		result = 0;
		for (size_t i = 0; i < run.record->build_count; i++)
			made->cells += is_packed(&run.record->builds[i]);
		if (made->cells > 0 && (result = pack(&p, path, e)) == 0)
			made->path = path;
	}
	if (run.record != NULL)
		record_release(run.record);
	if (result != 0)
		memset(made, 0, sizeof(*made));
	return result;
}
