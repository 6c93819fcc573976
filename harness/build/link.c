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
 * layout without it is not complete. Beside layout 0 of arm 0 stands how all are linked, 0-0.how: the way on the
 * first line, its command on the second.
 */

enum { HOW_LIMIT = 1 << 20 };

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

/* The way of linking a build's layouts, found out once; SIZE_MAX: not yet. */
static size_t way_of(const struct builder *builder, const struct build *build)
{
	for (size_t k = 0; k < builder->ways.n; k++)
		if (strcmp(builder->ways.v[k].content_hash, build->content_hash) == 0)
			return k;
	return SIZE_MAX;
}

static bool is_first(const struct build_layout *layout)
{
	return layout->arm == 0 && layout->layout == 0;
}

static int write_how(const struct builder *builder, const struct job *job, const char *path, struct error *e)
{
	const struct build_layout *layout = job->owner;
	const struct direct_link *direct = builder->ways.v[way_of(builder, layout->build)].link;
	struct words argv = {0};
	char *text;

	for (size_t i = 0; i < job->argv.n; i++)
		words_add(&argv, builder->arena,
			strcmp(job->argv.v[i], job->output) == 0 ? "layouts/0-0" : job->argv.v[i]);
	text = arena_printf(builder->arena, "%s\n%s\n", direct->usable ? "linker" : direct->reason,
		builder_command(builder, &argv));
	return file_write_atomic(arena_printf(builder->arena, "%s.how", path), text, strlen(text), e);
}

/* Facts of the build: how its layouts are linked, where layout 0 was asked for. */
static void read_how(struct build_layout *layout, const char *path, struct arena *arena)
{
	struct facts *facts = &layout->build->facts;
	struct buf text = {0};
	char *way, *command;

	if (layout->path == NULL) {
		facts_unknown(facts, "build.layout_link", "linker", layout->reason);
		facts_unknown(facts, "build.layout_command", "linker", layout->reason);
	} else if (file_read(arena_printf(arena, "%s.how", path), HOW_LIMIT, &text, NULL) == 0 &&
		   (command = strchr(way = arena_strdup(arena, buf_text(&text)), '\n')) != NULL) {
		*command++ = '\0';
		command[strcspn(command, "\n")] = '\0';
		facts_set(facts, "build.layout_link", way, "canonical link");
		facts_set(facts, "build.layout_command", command, "link of layout 0");
	}
	buf_release(&text);
}

static int finish_link(
	const struct builder *builder, const struct job *job, const char *path, struct error *e)
{
	struct build_layout *layout = job->owner;
	struct arena *arena = builder->arena;
	char *temporary = file_join(arena, job->folder, job->output);

	if (!job->ok) {
		layout->reason = job->reason;
		return 0;
	}
	if (hash_file_hex(temporary, layout->sha256, e) != 0)
		return -1;
	if (rename(temporary, path) != 0)
		return error_errno(e, errno, "renaming %s", temporary);
	if (is_first(layout) && write_how(builder, job, path, e) != 0)
		return -1;
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

		result = finish_link(builder, &jobs[i], paths[layout - layouts], e);
	}
	for (size_t i = 0; i < count; i++) {
		const struct build_layout *same = layouts[i].path == NULL ? same_link(layouts, i) : NULL;

		if (same != NULL) {
			layouts[i].path = same->path;
			layouts[i].reason = same->reason;
			memcpy(layouts[i].sha256, same->sha256, sizeof(layouts[i].sha256));
		}
		if (result == 0 && is_first(&layouts[i]))
			read_how(&layouts[i], paths[i], arena);
	}
	return result;
}
