#include "build/bundle.h"

#include <string.h>

#include "base/json.h"
#include "record/members.h"

/* bundle.json: what the other members are, and what their programs are measured by. */

char *bundle_program(const char *content_hash, struct arena *arena)
{
	return arena_printf(arena, "builds/%s/program", content_hash);
}

char *bundle_layout(const char *content_hash, uint32_t arm, uint32_t layout, struct arena *arena)
{
	return arena_printf(arena, "builds/%s/layouts/%u-%u", content_hash, arm, layout);
}

const char *bundle_path_fault(const char *path)
{
	const char *part = path;

	if (path[0] == '/')
		return "begins at the root";
	if (strlen(path) > BUNDLE_PATH_MOST)
		return "is too long";
	while (true) {
		size_t n = strcspn(part, "/");

		if (n == 0)
			return "has an empty part";
		if (n == 2 && part[0] == '.' && part[1] == '.')
			return "goes up (..)";
		if (part[0] == '.')
			return "has a part that begins with a dot";
		for (size_t i = 0; i < n; i++)
			if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-",
				    part[i]) == NULL)
				return "has a character that no path of a bundle has";
		if (part[n] == '\0')
			return NULL;
		part += n + 1;
	}
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_safe_string(text));
}

static json_t *needs_to_json(const struct code_needs *needs)
{
	json_t *object = json_object(), *libraries = json_array();

	set_text(object, "machine", needs->machine);
	set_text(object, "interpreter", needs->interpreter);
	for (size_t i = 0; i < needs->n; i++) {
		json_t *library = json_object();

		set_text(library, "library", needs->v[i].library);
		json_object_set_new(library, "versions", json_safe_words(&needs->v[i].versions));
		json_array_append_new(libraries, library);
	}
	json_object_set_new(object, "libraries", libraries);
	return object;
}

static json_t *files_to_json(const struct bundle *bundle)
{
	json_t *array = json_array();

	for (size_t i = 0; i < bundle->file_count; i++) {
		const struct bundle_file *file = &bundle->files[i];
		json_t *object = json_object();

		set_text(object, "path", file->path);
		json_object_set_new(object, "bytes", json_integer((json_int_t)file->bytes));
		set_text(object, "sha256", file->sha256);
		json_object_set_new(object, "program", json_boolean(file->program));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *workloads_to_json(const struct bundle *bundle)
{
	json_t *array = json_array();

	for (size_t i = 0; i < bundle->record->workload_count; i++) {
		const struct bundle_workload *workload = &bundle->workloads[i];
		json_t *object = json_object();

		set_text(object, "workload", bundle->record->workloads[i].name);
		json_object_set_new(object, "check_units", json_integer((json_int_t)workload->check_units));
		set_text(object, "check_value", workload->check_value);
		json_object_set_new(object, "check_rel", json_safe_real(workload->check_rel));
		set_text(object, "input", workload->input);
		json_object_set_new(object, "cpus", json_integer(workload->cpus));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *cells_to_json(const struct bundle *bundle)
{
	json_t *array = json_array();

	for (size_t i = 0; i < bundle->record->build_count; i++) {
		const struct bundle_cell *cell = &bundle->cells[i];
		json_t *object = json_object();

		set_text(object, "cell", bundle->record->builds[i].cell);
		set_text(object, "copies_keyword", cell->copies_keyword);
		json_object_set_new(object, "env", json_safe_words(&cell->env));
		json_object_set_new(object, "runner", json_safe_words(&cell->runner));
		json_object_set_new(object, "check_rel",
			cell->check_rel < 0 ? json_null() : json_safe_real(cell->check_rel));
		json_object_set_new(object, "needs",
			cell->needs.machine != NULL ? needs_to_json(&cell->needs) : json_null());
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *self_to_json(const struct bundle_self *self)
{
	json_t *object = json_object();

	set_text(object, "linked", self->linked);
	set_text(object, "reason", self->reason);
	set_text(object, "flags", self->flags);
	json_object_set_new(object, "needs", needs_to_json(&self->needs));
	return object;
}

void bundle_manifest_write(const struct bundle *bundle, struct buf *out)
{
	json_t *root = json_object();

	set_text(root, "schema", BUNDLE_SCHEMA);
	set_text(root, "arch", bundle->arch);
	json_object_set_new(root, "flagstone", self_to_json(&bundle->self));
	json_object_set_new(root, "files", files_to_json(bundle));
	json_object_set_new(root, "workloads", workloads_to_json(bundle));
	json_object_set_new(root, "cells", cells_to_json(bundle));
	json_object_set_new(root, "record", members_to_json(bundle->record));
	json_add_tree(out, root, true);
	buf_addc(out, '\n');
	json_decref(root);
}
