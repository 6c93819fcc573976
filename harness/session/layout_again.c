#include "session/layout_again.h"

#include <string.h>

#include "archive/archive.h"
#include "record/json.h"

/* Where a record names the seed. */
struct named {
	const char *id, *path, *matrix;
	const struct record_build *build;
	const struct record_layout *layout;
};

static bool find_in_record(const struct record *record, const char *seed, struct named *named)
{
	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];

		for (size_t k = 0; k < build->layout_count; k++) {
			if (build->layouts[k].seed == NULL || strcmp(build->layouts[k].seed, seed) != 0)
				continue;
			named->build = build;
			named->layout = &build->layouts[k];
			named->matrix = record->plan.matrix_name;
			return true;
		}
	}
	return false;
}

/* The newest record of the archive that names the seed; false: none, or there is no archive. */
static bool find_named(const struct session *session, const char *seed, struct named *named)
{
	struct archive archive;
	struct archive_entries entries = {0};

	if (archive_open(&archive, session->arena, session->archive_folder, false, NULL) != 0 ||
		archive_list(&archive, &entries, NULL) != 0)
		return false;
	for (size_t i = entries.n; i-- > 0;) {
		struct record *record;
		uint64_t rows;

		if (record_read_head_file(entries.v[i].path, session->arena, &record, &rows, NULL) == 0 &&
			find_in_record(record, seed, named)) {
			named->id = entries.v[i].id;
			named->path = entries.v[i].path;
			return true;
		}
	}
	return false;
}

static bool has_layout(const struct build *build, const char *seed, const struct named *named, uint32_t *arm,
	uint32_t *layout)
{
	char own[HASH_HEX];

	if (build->content_hash[0] == '\0')
		return false;
	if (named == NULL)
		return build_layout_find(build->content_hash, seed, arm, layout);
	*arm = named->layout->arm;
	*layout = named->layout->layout;
	build_layout_seed(build->content_hash, *arm, *layout, own);
	return strcmp(own, seed) == 0;
}

/* The first cell with this layout; SIZE_MAX: none. The record says which layout it is; without one all are tried. */
static size_t find_cell(const struct session *session, const char *seed, const struct named *named,
	uint32_t *arm, uint32_t *layout)
{
	for (size_t i = 0; i < session->plan.cell_count; i++)
		if (has_layout(&session->builds[i], seed, named, arm, layout))
			return i;
	return SIZE_MAX;
}

/* What keeps a seed of a record from being made here. */
static int say_other(const struct session *session, const struct named *named, struct error *e)
{
	const struct record_build *build = named->build;
	size_t i = 0;

	error_set(e, EXIT_CANNOT, "record %.12s names this seed: layout %u of %s (matrix %s)", named->id,
		named->layout->layout, build->cell, named->matrix != NULL ? named->matrix : "unknown");
	while (i < session->plan.cell_count && strcmp(session->plan.cells[i].name, build->cell) != 0)
		i++;
	if (i == session->plan.cell_count)
		return error_advice(e,
			"that cell is none of those asked for: give its matrix%s%s, and --only CELL",
			named->matrix != NULL ? ", " : "", named->matrix != NULL ? named->matrix : "");
	if (session->builds[i].content_hash[0] == '\0')
		return error_advice(e, "that cell cannot be built here now: %s",
			session->builds[i].reason != NULL ? session->builds[i].reason : "reason unknown");
	return error_advice(e,
		"what goes into that cell is another build now (%.12s, in the record %.12s): sources, flags, "
		"compiler, "
		"or flagstone's own recipe changed",
		session->builds[i].content_hash,
		build->content_hash != NULL ? build->content_hash : "unknown");
}

static int say_unknown(const struct session *session, const char *seed, struct error *e)
{
	error_set(e, EXIT_USAGE,
		"no layout of the %zu cell%s asked for has the seed %s, and no record in %s names it",
		session->plan.cell_count, text_plural(session->plan.cell_count), seed,
		session->archive_folder);
	return error_advice(e,
		"a record lists its seeds as builds[].layouts[].seed; --archive says where to look for it");
}

/* The plan becomes that one cell: nothing else is built. */
static void keep_only(struct session *session, size_t cell)
{
	struct plan_cell *one = arena_new(session->arena, struct plan_cell);

	*one = session->plan.cells[cell];
	one->baseline_index = -1;
	session->plan.cells = one;
	session->plan.cell_count = session->plan.possible = 1;
}

static int link_it(struct session *session, struct session_layout *out, struct error *e)
{
	const struct build *build = &session->builds[0];
	struct build_layout layout = {.build = &session->builds[0], .arm = out->arm, .layout = out->layout};

	if (!build->ok) {
		error_set(e, EXIT_CANNOT, "%s could not be built: %s", out->cell, build->reason);
		return build->log != NULL ? error_advice(e, "log: %s", build->log) : -1;
	}
	if (builder_link(session->builder, &layout, 1, 0, e) != 0)
		return -1;
	if (layout.path == NULL)
		return error_set(
			e, EXIT_CANNOT, "layout %u of %s: %s", out->layout, out->cell, layout.reason);
	out->path = layout.path;
	out->sha256 = arena_strdup(session->arena, layout.sha256);
	return 0;
}

int session_layout_again(
	struct session *session, const char *seed, struct session_layout *out, struct error *e)
{
	struct named named = {0};
	bool is_named = find_named(session, seed, &named);
	size_t cell;

	*out = (struct session_layout){.cell = NULL};
	if (session_identify(session, e) != 0)
		return -1;
	cell = find_cell(session, seed, is_named ? &named : NULL, &out->arm, &out->layout);
	if (cell == SIZE_MAX)
		return is_named ? say_other(session, &named, e) : say_unknown(session, seed, e);
	out->cell = session->plan.cells[cell].name;
	if (is_named && named.layout->sha256 != NULL) {
		out->record_id = named.id;
		out->record_path = named.path;
		out->record_sha256 = named.layout->sha256;
	}
	keep_only(session, cell);
	return session_build(session, e) != 0 ? -1 : link_it(session, out, e);
}
