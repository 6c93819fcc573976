#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

/* One workload, toolchain file or matrix of the project or of the installed data. */
struct entry {
	const char *name, *path;
	bool installed;
};
struct entries {
	struct entry *v;
	size_t n;
};

struct load {
	struct reader reader;
	const char *folder, *installed; /* installed: NULL when it is the project itself */
	struct spec_project *out;
	struct words family_names; /* also of families that are wrong */
};

static struct spec_place whole(const char *path)
{
	return (struct spec_place){path, 0, 0};
}

/* The name that a directory entry stands for, or NULL when it is none of the kind. */
static const char *entry_name(struct load *load, const char *kind, const char *path, const char *file)
{
	struct arena *arena = load->reader.arena;

	if (file[0] == '.')
		return NULL;
	if (strcmp(kind, "workloads") == 0)
		return file_exists(file_join(arena, path, "workload.yaml")) ? file : NULL;
	if (text_ends(file, ".yml"))
		spec_error(load->reader.errors, whole(path),
			"the suffix is .yml; rename the file to end in .yaml");
	return text_ends(file, ".yaml") ? arena_strndup(arena, file, strlen(file) - 5) : NULL;
}

static void list_folder(
	struct load *load, const char *base, const char *kind, bool installed, struct entries *found)
{
	struct arena *arena = load->reader.arena;
	const char *folder = file_join(arena, base, kind);
	struct words files = {0};
	struct error e = {0};
	struct entry *v;

	if (!file_exists(
		    folder)) /* a project may do without toolchains/, and the installed data without any */
		return;
	if (file_list(folder, arena, &files, &e) != 0) {
		/* behind "reading folder NAME: ", which the place says already */
		spec_error(load->reader.errors, whole(folder), "cannot be read: %s",
			e.text + strlen("reading folder ") + strlen(folder) + 2);
		return;
	}
	v = arena_array(arena, found->n + files.n + 1, sizeof(*v));
	if (found->n > 0)
		memcpy(v, found->v, found->n * sizeof(*v));
	found->v = v;
	for (size_t i = 0; i < files.n; i++) {
		const char *path = file_join(arena, folder, files.v[i]);
		const char *name = entry_name(load, kind, path, files.v[i]);

		if (name != NULL)
			v[found->n++] = (struct entry){name, path, installed};
	}
}

static int by_name(const void *a, const void *b)
{
	const struct entry *p = a, *q = b;
	int order = strcmp(p->name, q->name);

	return order != 0 ? order : p->installed - q->installed;
}

static int by_lower_name(const void *a, const void *b)
{
	const struct entry *p = a, *q = b;
	int order = strcasecmp(p->name, q->name);

	return order != 0 ? order : by_name(a, b);
}

/* The project's entries win over installed ones of the same name. */
static void drop_shadowed(struct load *load, const char *kind, struct entries *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->n; i++) {
		if (kept > 0 && strcmp(found->v[kept - 1].name, found->v[i].name) == 0)
			words_addf(&load->out->shadowed, load->reader.arena,
				"the project's %s/%s stands in for the installed one", kind,
				found->v[i].name);
		else
			found->v[kept++] = found->v[i];
	}
	found->n = kept;
}

static void refuse_twins(struct load *load, const char *kind, const struct entries *found)
{
	struct entry *sorted = arena_array(load->reader.arena, found->n + 1, sizeof(*sorted));

	if (found->n > 0)
		memcpy(sorted, found->v, found->n * sizeof(*sorted));
	qsort(sorted, found->n, sizeof(*sorted), by_lower_name);
	for (size_t i = 1; i < found->n; i++)
		if (strcasecmp(sorted[i - 1].name, sorted[i].name) == 0)
			spec_error(load->reader.errors, whole(sorted[i].path),
				"its name differs from %s only in case; rename one of the %s",
				sorted[i - 1].path, kind);
}

/* All entries of a kind, sorted by name. */
static struct entries list_kind(struct load *load, const char *kind)
{
	struct entries found = {0};

	list_folder(load, load->folder, kind, false, &found);
	if (load->installed != NULL)
		list_folder(load, load->installed, kind, true, &found);
	if (found.n > 0)
		qsort(found.v, found.n, sizeof(*found.v), by_name);
	drop_shadowed(load, kind, &found);
	refuse_twins(load, kind, &found);
	return found;
}

/* The name in a file is the name that it is found by. */
static void check_name(
	struct load *load, const struct entry *entry, struct spec_place place, const char *name)
{
	if (name != NULL && strcmp(name, entry->name) != 0)
		spec_error(load->reader.errors, place,
			"the name is `%s` here, but `%s` by its place (%s); make them equal", name,
			entry->name, entry->path);
}

static void read_workloads(struct load *load)
{
	struct entries found = list_kind(load, "workloads");
	struct spec_project *out = load->out;

	out->workloads = arena_array(load->reader.arena, found.n + 1, sizeof(*out->workloads));
	for (size_t i = 0; i < found.n; i++) {
		struct spec_workload *w = &out->workloads[out->workload_count];
		const char *path = file_join(load->reader.arena, found.v[i].path, "workload.yaml");

		if (spec_read_workload(path, load->reader.arena, w, load->reader.errors) != 0)
			continue;
		check_name(load, &found.v[i], w->place, w->name);
		w->installed = found.v[i].installed;
		out->workload_count++;
	}
}

static void read_toolchain_file(struct load *load, const struct entry *entry)
{
	struct spec_project *out = load->out;
	struct spec_family *f = &out->families[out->family_count];
	struct spec_toolchain *t = &out->toolchains[out->toolchain_count];
	struct reader *r = &load->reader;
	bool is_family;

	if (spec_toolchain_file_is_family(entry->path, r->arena, &is_family, r->errors) != 0)
		return;
	if (is_family) {
		words_add(&load->family_names, r->arena, entry->name);
		if (spec_read_family(entry->path, r->arena, f, r->errors) == 0) {
			check_name(load, entry, f->place, f->name);
			out->family_count++;
		}
	} else if (spec_read_toolchain(entry->path, r->arena, t, r->errors) == 0) {
		check_name(load, entry, t->place, t->name);
		out->toolchain_count++;
	}
}

/* FAMILY and FAMILY-MAJOR are slots of compilers in PATH: a toolchain of such a name would take their place. */
static void check_toolchain(struct load *load, const struct spec_toolchain *t)
{
	const struct words *families = &load->family_names;

	if (strcmp(t->name, "all") == 0 || strcmp(t->name, "none") == 0)
		spec_error(load->reader.errors, t->place,
			"a toolchain cannot be called `%s`, which is reserved; rename it", t->name);
	for (size_t i = 0; i < families->n; i++) {
		size_t n = strlen(families->v[i]);

		if (text_starts(t->name, families->v[i]) && t->name[n] == '-' && t->name[n + 1] >= '0' &&
			t->name[n + 1] <= '9')
			spec_error(load->reader.errors, t->place,
				"a toolchain cannot be called `%s`: that names a version of %s found in "
				"PATH; rename it",
				t->name, families->v[i]);
	}
	if (!words_have(families, t->family.text))
		read_unknown(&load->reader, t->family.place, "family", t->family.text,
			(const char *const *)families->v, families->n);
}

static void read_toolchains(struct load *load)
{
	struct entries found = list_kind(load, "toolchains");
	struct spec_project *out = load->out;

	out->families = arena_array(load->reader.arena, found.n + 1, sizeof(*out->families));
	out->toolchains = arena_array(load->reader.arena, found.n + 1, sizeof(*out->toolchains));
	for (size_t i = 0; i < found.n; i++)
		read_toolchain_file(load, &found.v[i]);
	for (size_t i = 0; i < out->toolchain_count; i++)
		check_toolchain(load, &out->toolchains[i]);
}

static void list_matrices(struct load *load)
{
	struct entries found = list_kind(load, "matrices");

	for (size_t i = 0; i < found.n; i++) {
		if (!text_is_name(found.v[i].name)) {
			spec_error(load->reader.errors, whole(found.v[i].path),
				"`%s` is no name for a matrix: 1 to 64 of A-Z a-z 0-9 . _ + -; rename the "
				"file",
				found.v[i].name);
			continue;
		}
		words_add(&load->out->matrix_names, load->reader.arena, found.v[i].name);
		words_add(&load->out->matrix_paths, load->reader.arena, found.v[i].path);
	}
}

/* What a later file sets wins. */
static void add_settings(struct load *load, const char *path)
{
	struct spec_settings *all = &load->out->settings, more;

	if (!file_exists(path) ||
		spec_read_settings(path, load->reader.arena, &more, load->reader.errors) != 0)
		return;
	if (more.host != NULL)
		all->host = more.host;
	if (more.archive != NULL)
		all->archive = more.archive;
	if (more.cache != NULL)
		all->cache = more.cache;
	if (more.cache_limit != 0)
		all->cache_limit = more.cache_limit;
	if (more.jobs != 0)
		all->jobs = more.jobs;
}

static void read_settings(struct load *load)
{
	struct arena *arena = load->reader.arena;
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	/* the XDG specification: a relative path in the variable is to be ignored */
	if (xdg != NULL && xdg[0] == '/')
		add_settings(load, file_join(arena, xdg, "flagstone/config.yaml"));
	else if (home != NULL && home[0] == '/')
		add_settings(load, file_join(arena, home, ".config/flagstone/config.yaml"));
	add_settings(load, file_join(arena, load->folder, ".flagstone.yaml"));
}

static bool same_folder(struct arena *arena, const char *a, const char *b)
{
	const char *real_a = file_real(arena, a, NULL), *real_b = file_real(arena, b, NULL);

	return real_a != NULL && real_b != NULL && strcmp(real_a, real_b) == 0;
}

int spec_read_project(const char *folder, const char *installed, struct arena *arena,
	struct spec_project *out, struct spec_errors *errors)
{
	struct spec_project project = {.folder = arena_strdup(arena, folder)};
	struct load load = {.reader = {arena, errors}, .folder = project.folder, .out = &project};
	size_t before = errors->n;

	if (installed != NULL && !same_folder(arena, folder, installed))
		load.installed = installed;
	read_workloads(&load);
	read_toolchains(&load);
	list_matrices(&load);
	read_settings(&load);
	*out = project;
	return errors->n == before ? 0 : -1;
}
