#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "host/host.h"
#include "record/host_name.h"
#include "session/bundle.h"

/* From a folder name to a plan. */

static char *cache_folder(struct arena *arena, const struct spec_project *project)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (project->settings.cache != NULL)
		return file_join(arena, project->folder, project->settings.cache);
	if (cache != NULL && cache[0] == '/')
		return file_join(arena, cache, "flagstone");
	if (home != NULL && home[0] == '/')
		return file_join(arena, home, ".cache/flagstone");
	return file_join(arena, project->folder, ".build/cache");
}

static char *archive_folder(const struct session *session)
{
	const struct session_options *options = &session->options;
	const struct spec_project *project = &session->project;
	struct arena *arena = session->arena;
	/* who works in the source tree has its archive; who only calls the program in it has one of their own */
	bool is_installed = session->no_project || (options->installed != NULL && !options->source_tree &&
							   strcmp(options->installed, project->folder) == 0);
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (options->archive != NULL)
		return arena_strdup(arena, options->archive);
	if (project->settings.archive != NULL)
		return file_join(arena, project->folder, project->settings.archive);
	if (is_installed) {
		/* the project is the installed data, which is read only */
		if (data != NULL && data[0] == '/')
			return file_join(arena, data, "flagstone/archive");
		return file_join(arena, home != NULL ? home : ".", ".local/share/flagstone/archive");
	}
	return file_join(arena, project->folder, "archive");
}

static int find_project(struct session *session, struct error *e)
{
	struct arena *arena = session->arena;
	const char *installed = session->options.installed;
	struct error why = {0};
	char *here = getcwd(NULL, 0);
	char *folder = spec_find_project(session->options.project, here != NULL ? here : ".", arena, &why);

	free(here);
	if (folder == NULL && session->options.project == NULL && installed != NULL) {
		folder = arena_strdup(arena, installed);
		session->no_project = true;
	}
	if (folder == NULL) {
		if (e != NULL)
			*e = why;
		return -1;
	}
	session->project_folder = folder;
	session->errors.arena = arena;
	if (spec_read_project(folder, installed, arena, &session->project, &session->errors) != 0)
		return spec_errors_to_error(&session->errors, e);
	return 0;
}

/* A matrix by name, or by path when it has a slash or ends in .yaml. */
static int find_matrix(struct session *session, struct error *e)
{
	struct arena *arena = session->arena;
	struct spec_errors *errors = &session->errors;
	const struct words *names = &session->project.matrix_names;
	const char *wanted = session->options.matrix, *text = session->options.matrix_text;
	const char *path = NULL, *nearest;

	if (text != NULL)
		return spec_read_matrix_bytes(text, strlen(text), wanted, arena, &session->matrix, errors) !=
				       0
			       ? spec_errors_to_error(errors, e)
			       : 0;
	if (strchr(wanted, '/') != NULL || text_ends(wanted, ".yaml"))
		path = wanted;
	for (size_t i = 0; i < names->n && path == NULL; i++)
		if (strcmp(names->v[i], wanted) == 0)
			path = session->project.matrix_paths.v[i];
	if (path == NULL) {
		nearest = text_nearest(wanted, (const char *const *)names->v, names->n);
		return error_set(e, EXIT_USAGE,
			"there is no matrix \"%s\" in %s/matrices%s%s%s; there %s: %s", wanted,
			session->project_folder, nearest != NULL ? "; did you mean \"" : "",
			nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "",
			names->n == 1 ? "is" : "are", names->n > 0 ? words_join(names, arena) : "none");
	}
	if (spec_read_matrix(path, arena, &session->matrix, errors) != 0)
		return spec_errors_to_error(errors, e);
	return 0;
}

static int find_cpus(struct session *session, struct error *e)
{
	struct arena *arena = session->arena;

	if (cpu_allowed("", arena, &session->allowed, e) != 0)
		return -1;
	if (session->options.cpus != NULL) {
		struct cpu_list wanted = {0};

		if (cpu_list_parse(session->options.cpus, arena, &wanted, e) != 0)
			return error_context(e, "--cpus %s", session->options.cpus);
		if (cpu_check(&wanted, &session->allowed, e) != 0)
			return error_context(e, "--cpus %s", session->options.cpus);
		session->allowed = wanted;
		session->pin_order = wanted;
		return 0;
	}
	return cpu_pin_order("", &session->allowed, arena, &session->pin_order, e);
}

static int find_host(struct session *session, struct error *e)
{
	struct arena *arena = session->arena;
	const char *given = session->options.host;

	session->host.arena = arena;
	if (host_read("", &session->host, e) != 0)
		return -1;
	if (given == NULL)
		given = getenv("FLAGSTONE_HOST");
	if (given == NULL || given[0] == '\0')
		given = session->project.settings.host;
	if (given == NULL) {
		session->host_name = host_name(&session->host, NULL, arena, NULL);
		return 0; /* NULL: no machine id; the archive then keeps a random one */
	}
	session->host_name = host_name_of(arena, given);
	if (session->host_name == NULL)
		return error_set(e, EXIT_USAGE,
			"\"%s\" cannot be a host's name; allowed: letters, digits, . _ + -, at most 64",
			given);
	return 0;
}

int session_take_matrix(struct session *session, const char *name, const char *text, struct error *e)
{
	session->options.matrix = name;
	session->options.matrix_text = text;
	return find_matrix(session, e);
}

int session_plan(struct session *session, struct error *e)
{
	struct plan_options options = {.only = session->options.only,
		.cpus = (uint32_t)session->allowed.n,
		.cores = (uint32_t)cpu_core_count("", &session->allowed, session->arena),
		.cpu_flags = facts_value(&session->host, "cpu.flags"),
		.arch = facts_value(&session->host, "host.arch")};

	session->errors = (struct spec_errors){.arena = session->arena};
	if (session->bundle != NULL)
		return session_bundle_plan(session, e);
	if (plan_make(&session->project, &session->matrix, &session->toolchains, &options, session->arena,
		    &session->plan, &session->errors) != 0)
		return spec_errors_to_error(&session->errors, e);
	return 0;
}

/* A bundle needs no project; where there is one, its archive and settings are taken. */
static int find_project_or_none(struct session *session, struct error *e)
{
	struct error why = {0};

	if (find_project(session, &why) == 0)
		return 0;
	session->no_project = true;
	if (session->options.bundle != NULL && session->errors.n == 0 && session->options.project == NULL)
		return 0;
	if (e != NULL)
		*e = why;
	return -1;
}

int session_archive_folder(
	const struct session_options *options, const char **folder, struct arena *arena, struct error *e)
{
	struct session session = {.arena = arena, .options = *options};

	if (options->archive != NULL) {
		*folder = options->archive;
		return 0;
	}
	if (find_project_or_none(&session, e) != 0)
		return error_advice(e, "or name the archive with --archive DIR");
	*folder = archive_folder(&session);
	return 0;
}

static int find_settle(struct session *session, struct error *e)
{
	const char *set = getenv("FLAGSTONE_SETTLE");

	session->settle_max_ns = SESSION_SETTLE_NS;
	if (set != NULL && set[0] != '\0' && !num_parse_duration(set, &session->settle_max_ns))
		return error_set(e, EXIT_USAGE,
			"FLAGSTONE_SETTLE in the environment: expected a time such as 10s or 0s, found "
			"\"%s\"",
			set);
	return 0;
}

static int open_bundle(struct session *session, struct error *e)
{
	if (find_project_or_none(session, e) != 0)
		return -1;
	session->archive_folder = archive_folder(session);
	if (find_settle(session, e) != 0 || find_cpus(session, e) != 0 || find_host(session, e) != 0)
		return -1;
	return session_bundle_open(session, e);
}

int session_open(struct session *session, const struct session_options *options,
	const struct session_events *events, struct arena *arena, struct error *e)
{
	struct toolchain_options find = {.probe = options->probe};

	memset(session, 0, sizeof(*session));
	session->opened_ns = clock_ns();
	session->arena = arena;
	session->options = *options;
	if (events != NULL)
		session->events = *events;
	if (options->bundle != NULL)
		return open_bundle(session, e);
	if (find_project(session, e) != 0)
		return -1;
	session->archive_folder = archive_folder(session);
	/* what compilers answered holds as long as their files stay the same, wherever builds are kept */
	find.cache_folder = cache_folder(arena, &session->project);
	session->cache_folder = options->cache != NULL ? options->cache : find.cache_folder;
	if (options->matrix != NULL && find_matrix(session, e) != 0)
		return -1;
	if (find_settle(session, e) != 0 || find_cpus(session, e) != 0 || find_host(session, e) != 0)
		return -1;
	if (file_make_folders(session->cache_folder, e) != 0)
		return error_advice(e, "name a folder that can be written with XDG_CACHE_HOME or `cache:` in "
				       ".flagstone.yaml");
	if (toolchains_find(&session->project, &find, arena, &session->toolchains, e) != 0)
		return -1;
	return options->matrix != NULL ? session_plan(session, e) : 0;
}

void session_close(struct session *session)
{
	builder_free(session->builder);
	session->builder = NULL;
	if (session->bundle != NULL)
		session_bundle_close(session);
}

static uint32_t pick(uint32_t given, uint32_t fallback)
{
	return given != 0 ? given : fallback;
}

struct measure_settings session_settings(const struct session *session)
{
	const struct spec_measure *m = &session->matrix.measure;
	const struct session_options *o = &session->options;
	double precision = o->precision > 0 ? o->precision : m->precision;
	double matters = o->matters > 0 ? o->matters : m->matters;

	return (struct measure_settings){.sample_ns = o->sample_ns > 0 ? o->sample_ns : m->sample_ns,
		.layouts_min = pick(o->layouts, m->layouts_min),
		.layouts_max = pick(pick(o->layouts_max, o->layouts), m->layouts_max),
		.rounds_min = pick(o->rounds_min, m->rounds_min),
		.rounds_max = pick(o->rounds_max, m->rounds_max),
		.precision = precision,
		.matters = matters,
		.budget_ns = o->budget_ns > 0 ? o->budget_ns : m->budget_ns,
		.build_budget_ns = o->build_budget_ns > 0 ? o->build_budget_ns : m->build_budget_ns,
		.timeout_ns = o->timeout_ns > 0	  ? o->timeout_ns
			      : m->timeout_ns > 0 ? m->timeout_ns
						  : 60000000000,
		.counted_rounds = m->counted_rounds};
}
