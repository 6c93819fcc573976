#include "build/builder.h"
#include "build/direct.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/*
 * Layouts of finished builds: BUILD/layouts/ARM-K, and beside each its hash in ARM-K.sha256, written last: a
 * layout without it is not complete.
 */

static bool take_cached(struct build_layout *layout, const char *path, struct arena *arena)
{
	struct buf text = {0};
	bool found = file_is_program(path) &&
		     file_read(arena_printf(arena, "%s.sha256", path), HASH_HEX, &text, NULL) == 0 &&
		     text.n == HASH_HEX - 1;

	if (found) {
		memcpy(layout->sha256, text.data, HASH_HEX);
		layout->path = path;
	}
	buf_release(&text);
	return found;
}

static void plan_link(struct builder *builder, const struct direct_link *direct, struct build_layout *layout,
	struct job *job, struct error *e)
{
	struct arena *arena = builder->arena;
	struct shared_objects *shared = builder_shared(builder, layout->build, e);
	struct words objects = {0};

	facts_set(&layout->build->facts, "build.layout_link", direct->usable ? "linker" : direct->reason,
		"canonical link");
	/* two of us may link the same layout at once */
	job->output =
		arena_printf(arena, "layouts/%u-%u.%ld.tmp", layout->arm, layout->layout, (long)getpid());
	if (direct->usable) {
		recipe_objects(layout->build, shared, &direct->lto_objects, layout->seed, arena, &objects);
		direct_command(direct, &objects, job->output, arena, &job->argv);
	} else {
		recipe_link(layout->build, shared, layout->seed, job->output, arena, &job->argv);
	}
	job->folder = layout->build->folder;
	job->env = builder_environment(builder, layout->build->toolchain);
	job->executable = true;
	job->owner = layout;
}

static int finish_link(const struct job *job, const char *path, struct arena *arena, struct error *e)
{
	struct build_layout *layout = job->owner;
	char *temporary = file_join(arena, job->folder, job->output);

	if (!job->ok) {
		layout->reason = job->reason;
		return 0;
	}
	if (hash_file_hex(temporary, layout->sha256, e) != 0)
		return -1;
	if (rename(temporary, path) != 0)
		return error_errno(e, errno, "renaming %s", temporary);
	if (file_write_atomic(arena_printf(arena, "%s.sha256", path), layout->sha256, HASH_HEX - 1, e) != 0)
		return -1;
	layout->path = path;
	return 0;
}

/* The earlier entry that asks for the same link: cells that differ in copies or args share their builds. */
static struct build_layout *same_link(struct build_layout *layouts, size_t before)
{
	const struct build_layout *wanted = &layouts[before];

	for (size_t k = 0; k < before; k++)
		if (layouts[k].layout == wanted->layout && layouts[k].arm == wanted->arm &&
			strcmp(layouts[k].build->content_hash, wanted->build->content_hash) == 0)
			return &layouts[k];
	return NULL;
}

/* Looks a layout up in the cache; returns whether it has to be linked. */
static bool look_up(struct build_layout *layouts, size_t i, const char *path, struct arena *arena)
{
	build_layout_seed(layouts[i].build->content_hash, layouts[i].arm, layouts[i].layout, layouts[i].seed);
	return same_link(layouts, i) == NULL && !take_cached(&layouts[i], path, arena);
}

/* The way of linking a build's layouts, found out once; SIZE_MAX: not yet. */
static size_t way_of(const struct builder *builder, const struct build *build)
{
	for (size_t k = 0; k < builder->ways.n; k++)
		if (strcmp(builder->ways.v[k].content_hash, build->content_hash) == 0)
			return k;
	return SIZE_MAX;
}

static int find_ways(struct builder *builder, struct build_layout *layouts, const bool *wanted, size_t count,
	struct error *e)
{
	size_t first = builder->ways.n, n;
	struct build **builds = arena_array(builder->arena, count, sizeof(struct build *));
	struct direct_link *links;

	for (size_t i = 0; i < count; i++) {
		if (!wanted[i] || way_of(builder, layouts[i].build) != SIZE_MAX)
			continue;
		builds[builder->ways.n - first] = layouts[i].build;
		vec_push(&builder->ways, (struct link_way){.content_hash = layouts[i].build->content_hash});
	}
	n = builder->ways.n - first;
	links = arena_array(builder->arena, n, sizeof(*links));
	if (n > 0 && direct_prepare(builder, builds, links, n, e) != 0)
		return -1;
	for (size_t k = 0; k < n; k++)
		builder->ways.v[first + k].link = &links[k];
	return 0;
}

int builder_link(struct builder *builder, struct build_layout *layouts, size_t count, int64_t deadline_ns,
	struct error *e)
{
	struct arena *arena = builder->arena;
	struct jobs_options options = builder_jobs(builder, "link", deadline_ns);
	struct job *jobs = arena_array(arena, count, sizeof(*jobs));
	const char **paths = arena_array(arena, count, sizeof(*paths));
	bool *wanted = arena_array(arena, count, sizeof(*wanted));
	uint32_t last = 0;
	size_t job_count = 0;
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		struct build_layout *layout = &layouts[i];

		paths[i] = arena_printf(
			arena, "%s/layouts/%u-%u", layout->build->folder, layout->arm, layout->layout);
		wanted[i] = look_up(layouts, i, paths[i], arena);
		if (wanted[i] && layout->layout > last)
			last = layout->layout;
	}
	for (size_t i = 0; i < count; i++)
		if (wanted[i] && layouts[i].layout == last)
			build_cache_sweep(file_join(arena, layouts[i].build->folder, "layouts"));
	if (find_ways(builder, layouts, wanted, count, e) != 0)
		return -1;
	for (uint32_t k = 0; k <= last; k++)
		for (size_t i = 0; i < count; i++)
			if (wanted[i] && layouts[i].layout == k)
				plan_link(builder, builder->ways.v[way_of(builder, layouts[i].build)].link,
					&layouts[i], &jobs[job_count++], e);
	if (job_count > 0)
		result = jobs_run(jobs, job_count, &options, arena, e);
	for (size_t i = 0; i < job_count && result == 0; i++) {
		const struct build_layout *layout = jobs[i].owner;

		result = finish_link(&jobs[i], paths[layout - layouts], arena, e);
	}
	for (size_t i = 0; i < count; i++) {
		const struct build_layout *same = layouts[i].path == NULL ? same_link(layouts, i) : NULL;

		if (same == NULL)
			continue;
		layouts[i].path = same->path;
		layouts[i].reason = same->reason;
		memcpy(layouts[i].sha256, same->sha256, sizeof(layouts[i].sha256));
	}
	return result;
}
