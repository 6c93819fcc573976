#include <string.h>

#include "base/file.h"
#include "session/bundle.h"
#include "session/session.h"

/* From cells to builds. */

static void build_progress(void *context, const char *what, size_t done, size_t total)
{
	struct session *session = context;
	struct session_progress progress = {.what = what, .done = done, .total = total, .left_ns = -1};

	if (strcmp(what, "link") == 0)
		session->links_made = done;
	if (session->events.progress != NULL)
		session->events.progress(session->events.context, &progress);
}

uint32_t session_jobs(const struct session *session)
{
	uint32_t jobs = session->options.jobs > 0 ? session->options.jobs : session->project.settings.jobs;

	return jobs > 0 ? jobs : session->allowed.n > 0 ? (uint32_t)session->allowed.n : 1;
}

/* The driver stands beside the workloads: the project's, or the installed ones'. */
static const char *driver_folder(const struct session *session)
{
	const char *folder = arena_printf(session->arena, "%s/workloads/driver", session->project_folder);

	if (!file_is_folder(folder) && session->options.installed != NULL)
		folder = arena_printf(session->arena, "%s/workloads/driver", session->options.installed);
	return folder;
}

static int open_builder(struct session *session, struct error *e)
{
	struct builder_options options = {.cache_folder = session->cache_folder,
		.cache_limit = session->project.settings.cache_limit,
		.driver_folder = driver_folder(session),
		.jobs = session_jobs(session),
		.fresh = session->options.fresh,
		.progress = build_progress,
		.context = session};

	if (session->builder == NULL)
		session->builder = builder_new(&options, session->arena, e);
	return session->builder != NULL ? 0 : -1;
}

/* Hands the builds of all cells that can exist to `act`, and what became of them to session->builds. */
static int with_possible(struct session *session,
	int (*act)(struct builder *, struct build *, size_t, struct error *), struct error *e)
{
	struct arena *arena = session->arena;
	const struct plan *plan = &session->plan;
	struct build *possible = arena_array(arena, plan->cell_count, sizeof(*possible));
	size_t count = 0;

	if (session->bundle != NULL) {
		session_bundle_builds(session);
		return 0;
	}
	if (open_builder(session, e) != 0)
		return -1;
	session->builds = arena_array(arena, plan->cell_count, sizeof(*session->builds));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		session->builds[i].facts.arena = arena;
		session->builds[i].reason = cell->reason;
		if (cell->reason == NULL)
			possible[count++] = (struct build){.workload = cell->workload,
				.toolchain = cell->slot->toolchain,
				.cflags = cell->variant->cflags,
				.cxxflags = cell->variant->cxxflags,
				.ldflags = cell->variant->ldflags};
	}
	if (act(session->builder, possible, count, e) != 0)
		return -1;
	for (size_t i = 0, next = 0; i < plan->cell_count; i++)
		if (plan->cells[i].reason == NULL)
			session->builds[i] = possible[next++];
	return 0;
}

int session_build(struct session *session, struct error *e)
{
	return with_possible(session, builder_build, e);
}

int session_identify(struct session *session, struct error *e)
{
	return with_possible(session, builder_identify, e);
}

int session_look_up(struct session *session, struct error *e)
{
	return with_possible(session, builder_look_up, e);
}
