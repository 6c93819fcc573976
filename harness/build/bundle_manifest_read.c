#include "build/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "build/build.h"
#include "record/host_name.h"
#include "record/json.h"
#include "record/members.h"

/* bundle.json read: every word of it may be a lie, so that afterwards each index, path and hash holds. */

#define SCHEMA_START "flagstone.bundle/"
enum { MOST_CELLS = 100000, MOST_NAMES = 4096, MOST_CPUS = 65536 };

/* A manifest being read. */
struct reading {
	const char *name;
	struct arena *arena;
	struct bundle *bundle;
	const struct bundle_file **sorted; /* by path */
	struct error *e;
};

static int bad(const struct reading *r, const char *what)
{
	return error_set(r->e, EXIT_CANNOT, "%s: bundle.json: %s", r->name, what);
}

static const char *own(const struct reading *r, const json_t *object, const char *key)
{
	const char *text = json_text(object, key, NULL);

	return text != NULL ? arena_strdup(r->arena, text) : NULL;
}

static bool is_hash(const char *text)
{
	return text != NULL && strlen(text) == HASH_HEX - 1 &&
	       strspn(text, "0123456789abcdef") == HASH_HEX - 1;
}

static int read_words(const struct reading *r, const json_t *object, const char *key, struct words *words)
{
	const json_t *array = json_object_get(object, key);

	if (!json_is_array(array))
		return bad(r, arena_printf(r->arena, "%s is no list", key));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (text == NULL)
			return bad(r, arena_printf(r->arena, "%s[%zu] is no text", key, i));
		words_add(words, r->arena, text);
	}
	return 0;
}

static int read_needs(const struct reading *r, const json_t *object, struct code_needs *needs)
{
	const json_t *libraries = json_object_get(object, "libraries");

	*needs = (struct code_needs){0};
	if (object == NULL || json_is_null(object))
		return 0;
	needs->machine = own(r, object, "machine");
	needs->interpreter = own(r, object, "interpreter");
	if (needs->machine == NULL || !json_is_array(libraries))
		return bad(r, "needs: machine or libraries are missing");
	needs->n = json_array_size(libraries);
	needs->v = arena_array(r->arena, needs->n, sizeof(*needs->v));
	for (size_t i = 0; i < needs->n; i++) {
		const json_t *library = json_array_get(libraries, i);

		needs->v[i].library = own(r, library, "library");
		if (needs->v[i].library == NULL ||
			read_words(r, library, "versions", &needs->v[i].versions) != 0)
			return bad(r, "needs: a library without name or versions");
	}
	return 0;
}

static int read_file(const struct reading *r, const json_t *object, struct bundle_file *file)
{
	const char *path = own(r, object, "path"), *sha256 = json_text(object, "sha256", NULL);
	int64_t bytes = json_int(object, "bytes", -1);

	if (path == NULL || bundle_path_fault(path) != NULL)
		return bad(r, arena_printf(r->arena, "the path \"%s\" %s", path != NULL ? path : "",
				      path != NULL ? bundle_path_fault(path) : "is missing"));
	if (bytes < 0 || bytes > BUNDLE_FILE_LIMIT)
		return bad(r, arena_printf(r->arena, "%s: a size of %lld bytes is not allowed", path,
				      (long long)bytes));
	if (!is_hash(sha256))
		return bad(r, arena_printf(r->arena, "%s: its sha256 is not 64 hex digits", path));
	*file = (struct bundle_file){
		.path = path, .bytes = (uint64_t)bytes, .program = json_flag(object, "program", false)};
	memcpy(file->sha256, sha256, HASH_HEX);
	return 0;
}

static int by_path(const void *left, const void *right)
{
	const struct bundle_file *const *a = left, *const *b = right;

	return strcmp((*a)->path, (*b)->path);
}

static const struct bundle_file *find_file(const struct reading *r, const char *path)
{
	struct bundle_file wanted = {.path = path};
	const struct bundle_file *key = &wanted;
	const struct bundle_file **found = NULL;

	if (r->sorted != NULL && r->bundle->file_count > 0)
		found = bsearch(&key, r->sorted, r->bundle->file_count, sizeof(*r->sorted), by_path);
	return found != NULL ? *found : NULL;
}

static int read_files(struct reading *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "files");
	size_t n = json_array_size(array);
	struct bundle *bundle = r->bundle;
	uint64_t sum = 0;

	if (!json_is_array(array) || n > BUNDLE_FILES_MOST)
		return bad(r, "files is no list, or one of more than a million");
	bundle->files = arena_array(r->arena, n, sizeof(*bundle->files));
	r->sorted = arena_array(r->arena, n, sizeof(struct bundle_file *));
	for (size_t i = 0; i < n; i++) {
		if (read_file(r, json_array_get(array, i), &bundle->files[i]) != 0)
			return -1;
		sum += bundle->files[i].bytes;
		r->sorted[i] = &bundle->files[i];
	}
	bundle->file_count = n;
	if (sum > bundle_limit)
		return bad(r, arena_printf(r->arena, "its files have %llu bytes, more than the %llu allowed",
				      (unsigned long long)sum, (unsigned long long)bundle_limit));
	if (n > 1)
		qsort(r->sorted, n, sizeof(*r->sorted), by_path);
	for (size_t i = 1; i < n; i++)
		if (strcmp(r->sorted[i]->path, r->sorted[i - 1]->path) == 0)
			return bad(r, arena_printf(r->arena, "%s is listed twice", r->sorted[i]->path));
	return 0;
}

static int read_workloads(const struct reading *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "workloads");
	struct bundle *bundle = r->bundle;
	size_t n = bundle->record->workload_count;

	if (!json_is_array(array) || json_array_size(array) != n)
		return bad(r, "workloads is no list with one element for each workload of its record");
	bundle->workloads = arena_array(r->arena, n, sizeof(*bundle->workloads));
	for (size_t i = 0; i < n; i++) {
		const json_t *object = json_array_get(array, i);
		struct bundle_workload *workload = &bundle->workloads[i];
		const char *name = bundle->record->workloads[i].name;
		int64_t units = json_int(object, "check_units", -1), cpus = json_int(object, "cpus", 0);

		*workload = (struct bundle_workload){.check_units = units > 0 ? (uint64_t)units : 0,
			.check_value = own(r, object, "check_value"),
			.check_rel = json_num(object, "check_rel", 0),
			.input = own(r, object, "input"),
			.cpus = cpus > 0 && cpus <= MOST_CPUS ? (uint32_t)cpus : 0};
		if (strcmp(json_text(object, "workload", ""), name) != 0 || units < 0 ||
			workload->cpus == 0 || !(workload->check_rel >= 0))
			return bad(r, arena_printf(r->arena, "workloads[%zu] is not that of %s", i, name));
		if (workload->input != NULL && find_file(r, workload->input) == NULL)
			return bad(r, arena_printf(r->arena, "the input %s is not among its files",
					      workload->input));
	}
	return 0;
}

/* Lists of layouts are whole: 0, 1, 2, ... of each arm, each with its file, its seed and its hash. */
static int check_layouts(const struct reading *r, const struct record_build *build)
{
	uint32_t next[BUILD_ARMS] = {0};

	for (size_t i = 0; i < build->layout_count; i++) {
		const struct record_layout *layout = &build->layouts[i];
		const struct bundle_file *file;
		char seed[HASH_HEX];
		char *path;

		if (layout->arm >= BUILD_ARMS || layout->layout != next[layout->arm]++ ||
			layout->layout >= BUILD_LAYOUTS)
			return bad(
				r, arena_printf(r->arena, "%s: its layouts are not in order", build->cell));
		path = bundle_layout(build->content_hash, layout->arm, layout->layout, r->arena);
		file = find_file(r, path);
		build_layout_seed(build->content_hash, layout->arm, layout->layout, seed);
		if (file == NULL || !text_same(file->sha256, layout->sha256) ||
			!text_same(seed, layout->seed))
			return bad(r, arena_printf(r->arena,
					      "%s: %s is not among its files, or has another hash or seed "
					      "there",
					      build->cell, path));
	}
	if (next[0] == 0)
		return bad(r, arena_printf(r->arena, "%s: built, but without layouts", build->cell));
	return 0;
}

/* A part of a cell's name; a variant's that is made of axes may be long. */
static bool is_part(const char *text)
{
	return text[0] != '\0' &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")] ==
		       '\0';
}

static int check_build(const struct reading *r, const struct record_build *build)
{
	const struct record *record = r->bundle->record;
	char *name = arena_printf(r->arena, "%s/%s/%s/%u%s%s", build->workload, build->slot, build->variant,
		build->copies, build->args[0] != '\0' ? "/" : "", build->args);

	if (strcmp(name, build->cell) != 0 || !is_part(build->workload) || !is_part(build->slot) ||
		!is_part(build->variant) || record_workload(record, build->workload) == NULL ||
		record_toolchain(record, build->slot) == NULL || build->copies == 0)
		return bad(
			r, arena_printf(r->arena, "the cell \"%s\" is not made of its parts", build->cell));
	if (build->status != CELL_BUILT)
		return build->reason != NULL
			       ? 0
			       : bad(r, arena_printf(
						r->arena, "%s: not built, and no reason why", build->cell));
	if (!is_hash(build->content_hash))
		return bad(
			r, arena_printf(r->arena, "%s: its content_hash is not 64 hex digits", build->cell));
	if (find_file(r, bundle_program(build->content_hash, r->arena)) == NULL)
		return bad(r, arena_printf(r->arena, "%s: its program is not among the files", build->cell));
	return check_layouts(r, build);
}

static int read_cells(const struct reading *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "cells");
	struct bundle *bundle = r->bundle;
	size_t n = bundle->record->build_count;

	if (n > MOST_CELLS || bundle->record->workload_count > MOST_NAMES ||
		bundle->record->toolchain_count > MOST_NAMES)
		return bad(r, "it has more cells, workloads or toolchains than are allowed");
	if (!json_is_array(array) || json_array_size(array) != n || n == 0)
		return bad(r, "cells is no list with one element for each cell of its record");
	bundle->cells = arena_array(r->arena, n, sizeof(*bundle->cells));
	for (size_t i = 0; i < n; i++) {
		const json_t *object = json_array_get(array, i);
		const struct record_build *build = &bundle->record->builds[i];
		struct bundle_cell *cell = &bundle->cells[i];

		cell->copies_keyword = own(r, object, "copies_keyword");
		cell->check_rel = json_num(object, "check_rel", -1);
		if (strcmp(json_text(object, "cell", ""), build->cell) != 0)
			return bad(r, arena_printf(r->arena, "cells[%zu] is not that of %s", i, build->cell));
		if (read_words(r, object, "env", &cell->env) != 0 ||
			read_words(r, object, "runner", &cell->runner) != 0 ||
			read_needs(r, json_object_get(object, "needs"), &cell->needs) != 0)
			return -1;
		if (build->status == CELL_BUILT && cell->needs.machine == NULL)
			return bad(r,
				arena_printf(r->arena, "%s: what its programs need is missing", build->cell));
		if (check_build(r, build) != 0)
			return -1;
	}
	return 0;
}

static int check_settings(const struct reading *r)
{
	const struct record_plan *plan = &r->bundle->record->plan;
	const struct measure_settings *s = &plan->settings;

	if (plan->matrix_name == NULL || plan->matrix_text == NULL || plan->seed == NULL)
		return bad(r, "its record has no matrix or no seed");
	if (s->sample_ns <= 0 || s->layouts_min == 0 || s->layouts_max < s->layouts_min ||
		s->rounds_min == 0 || s->rounds_max < s->rounds_min || !(s->precision > 0) ||
		!(s->matters > 0) || s->timeout_ns <= 0 || s->budget_ns < 0)
		return bad(r, "its settings of measuring make no sense");
	for (size_t i = 0; i < plan->comparison_count; i++)
		if (plan->comparisons[i].a == plan->comparisons[i].b)
			return bad(r, "a cell is compared with itself");
	return 0;
}

static int read_record(struct reading *r, json_t *root)
{
	json_t *object = json_object_get(root, "record");
	struct record *record = record_new(r->arena);
	char *name = arena_printf(r->arena, "%s: bundle.json: record", r->name);

	r->bundle->record = record;
	if (!json_is_object(object))
		return bad(r, "record is missing");
	if (members_from_json(record, object, name, r->e) != 0 || record_check(record, name, r->e) != 0)
		return -1;
	if (strcmp(record->kind, "run") != 0 || record->samples.n > 0 || record->session_count == 0)
		return bad(r, "its record is not the head of a run");
	if (!host_name_is_valid(record->host_name))
		return bad(r, "its record has no host");
	for (size_t i = 0; i < record->toolchain_count; i++)
		if (record->toolchains[i].slots.n == 0)
			return bad(r, "a toolchain of its record has no slot");
	return 0;
}

static int read_schema(const struct reading *r, const json_t *root)
{
	const char *schema = json_text(root, "schema", "");
	uint64_t major;

	if (!text_starts(schema, SCHEMA_START) || !num_parse_u64(schema + strlen(SCHEMA_START), &major))
		return bad(r, "it is not of the schema " BUNDLE_SCHEMA);
	if (major > BUNDLE_SCHEMA_MAJOR)
		return error_set(r->e, EXIT_CANNOT,
			"%s: made by a newer flagstone (schema %.40s; this one reads up to %d); use the one "
			"that is "
			"in the bundle, or a newer one",
			r->name, schema, BUNDLE_SCHEMA_MAJOR);
	return major == BUNDLE_SCHEMA_MAJOR ? 0 : bad(r, "its schema never existed");
}

static int read_root(struct reading *r, json_t *root)
{
	const json_t *self = json_object_get(root, "flagstone");
	struct bundle *bundle = r->bundle;

	if (read_schema(r, root) != 0)
		return -1;
	bundle->arch = own(r, root, "arch");
	bundle->self.linked = own(r, self, "linked");
	bundle->self.reason = own(r, self, "reason");
	bundle->self.flags = own(r, self, "flags");
	if (bundle->arch == NULL || bundle->self.linked == NULL)
		return bad(r, "arch or flagstone are missing");
	if (read_needs(r, json_object_get(self, "needs"), &bundle->self.needs) != 0 ||
		read_files(r, root) != 0 || read_record(r, root) != 0 || check_settings(r) != 0 ||
		read_workloads(r, root) != 0)
		return -1;
	return read_cells(r, root);
}

int bundle_manifest_read(const char *text, size_t count, const char *name, struct arena *arena,
	struct bundle *bundle, struct error *e)
{
	struct bundle read = {0};
	struct reading r = {.name = name, .arena = arena, .bundle = &read, .e = e};
	json_t *root = json_parse(text, count, arena_printf(arena, "%s: bundle.json", name), e);
	int result;

	if (root == NULL)
		return -1;
	hash_bytes_hex(text, count, read.id);
	result = read_root(&r, root);
	json_decref(root);
	if (result == 0)
		*bundle = read;
	else if (read.record != NULL)
		record_release(read.record);
	return result;
}
