#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "session/reproduce_work.h"
#include "sys/git.h"
#include "sys/git_export.h"

/* The sources that a record was built from. */

/* The project as any other command would take it; installed data where there is none. */
static const char *find_folder(struct reproducing *r, struct error *e)
{
	const struct session_options *o = r->options->session;
	char *here = getcwd(NULL, 0);
	const char *folder = spec_find_project(o->project, here != NULL ? here : ".", r->arena, e);

	free(here);
	return folder == NULL && o->project == NULL ? o->installed : folder;
}

/* The work tree's settings hold for what is archived, wherever the sources are taken from. */
static int keep_settings(struct reproducing *r, const char *folder, struct error *e)
{
	const char *path = file_join(r->arena, folder, ".flagstone.yaml"), *set = getenv("FLAGSTONE_HOST");
	struct spec_settings settings = {0};
	struct spec_errors errors = {.arena = r->arena};

	if (session_archive_folder(r->options->session, &r->open.archive, r->arena, e) != 0)
		return -1;
	if (r->open.host == NULL && (set == NULL || set[0] == '\0') && file_exists(path) &&
		spec_read_settings(path, r->arena, &settings, &errors) == 0)
		r->open.host = settings.host;
	return 0;
}

/* Is the work tree what the record's project was: the same commit, and no changes or the same ones? */
static bool is_at(const struct git_state *now, const struct facts *then, const char *commit)
{
	const char *dirty = facts_value(then, "project.dirty");
	const char *changes = facts_value(then, "project.diff_sha256");

	if (now->commit == NULL || strcmp(now->commit, commit) != 0 || !now->dirty_known || dirty == NULL)
		return false;
	return strcmp(dirty, "yes") == 0 ? now->dirty && text_same(now->diff_hash, changes) : !now->dirty;
}

/* What an export cannot bring back. */
static const char *lost_changes(const struct facts *project)
{
	const struct fact *dirty = facts_find(project, "project.dirty");

	if (dirty == NULL || dirty->value == NULL)
		return "whether the record's project had changes beyond its commit is unknown";
	return strcmp(dirty->value, "yes") == 0
		       ? "the record's project had changes beyond its commit, which no repository keeps"
		       : NULL;
}

static void use_work_tree(struct reproducing *r, const char *folder, const char *note)
{
	r->open.project = r->options->session->project;
	r->out->sources.folder = folder;
	r->out->sources.note = note;
}

int reproduce_find_sources(struct reproducing *r, struct error *e)
{
	const struct facts *project = &r->record->project;
	const struct fact *fact = facts_find(project, "project.commit");
	const char *folder = find_folder(r, e), *into = file_join(r->arena, r->folder, "source"), *inside;
	struct git_state now = {0};
	struct error why = {0};

	if (folder == NULL || keep_settings(r, folder, e) != 0)
		return -1;
	r->out->sources.commit = fact != NULL ? fact->value : NULL;
	if (r->out->sources.commit == NULL) {
		use_work_tree(r, folder,
			arena_printf(r->arena, "the record does not know its project's commit (%s)",
				fact != NULL ? fact->reason : "no such fact"));
		return 0;
	}
	git_read(folder, true, "archive", r->arena, &now);
	if (is_at(&now, project, r->out->sources.commit)) {
		use_work_tree(r, folder, NULL);
		return 0;
	}
	if (file_make_folders(into, e) != 0)
		return -1;
	if (git_export(folder, r->out->sources.commit, into, &inside, r->arena, &why) != 0) {
		if (why.code == EXIT_INTERRUPTED || why.code == EXIT_TERMINATED)
			return error_set(e, why.code, "%s", why.text);
		use_work_tree(r, folder, arena_strdup(r->arena, why.text));
		return 0;
	}
	r->out->sources.exported = true;
	r->out->sources.folder = folder;
	r->out->sources.note = lost_changes(project);
	r->open.project = inside;
	r->open.exported_commit = r->out->sources.commit;
	return 0;
}

void reproduce_compare_sources(struct reproducing *r)
{
	const struct spec_project *project = &r->session->project;

	for (size_t i = 0; i < r->record->workload_count; i++) {
		const struct record_workload *then = &r->record->workloads[i];
		const char *now = "";
		char hash[HASH_HEX];

		for (size_t k = 0; k < project->workload_count; k++)
			if (strcmp(project->workloads[k].name, then->name) == 0 &&
				build_workload_hash(&project->workloads[k], hash, NULL) == 0)
				now = hash;
		if (then->content_hash == NULL || strcmp(then->content_hash, now) != 0)
			words_add(&r->out->sources.others, r->arena, then->name);
	}
}
