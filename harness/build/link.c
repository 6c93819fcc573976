#include "build/builder.h"
#include "build/direct.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "code/code.h"

/*
 * Layouts of finished builds: BUILD/layouts/ARM-K, and beside each its hash in ARM-K.sha256, written last: a
 * layout without it is not complete. ARM-K.order is what the linker was told of the order of functions, where that takes
 * a file. Beside layout 0 of arm 0 stands how all are linked, 0-0.how, in three lines: the way, its command, and what
 * becomes of functions.
 */

enum { HOW_LIMIT = 1 << 20 };

bool builder_has_layout(const struct build *build, uint32_t arm, uint32_t layout)
{
	struct arena arena = {0};
	bool found = build->folder != NULL &&
		     file_exists(arena_printf(&arena, "%s/layouts/%u-%u.sha256", build->folder, arm, layout));

	arena_release(&arena);
	return found;
}

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

/* The way of linking a build's layouts, found out once; SIZE_MAX: not yet. */
static size_t way_of(const struct builder *builder, const struct build *build)
{
	for (size_t k = 0; k < builder->ways.n; k++)
		if (strcmp(builder->ways.v[k].content_hash, build->content_hash) == 0)
			return k;
	return SIZE_MAX;
}

static struct link_way *way_to(const struct builder *builder, const struct build_layout *layout)
{
	return &builder->ways.v[way_of(builder, layout->build)];
}

/* two of us may link the same layout at once */
static char *temporary_of(const struct build_layout *layout, struct arena *arena)
{
	return arena_printf(arena, "layouts/%u-%u.%ld.tmp", layout->arm, layout->layout, (long)getpid());
}

static int plan_link(struct builder *builder, struct build_layout *layout, struct job *job, struct error *e)
{
	struct arena *arena = builder->arena;
	const struct link_way *way = way_to(builder, layout);
	const struct direct_link *direct = way->link;
	struct shared_objects *shared = builder_shared(builder, layout->build, e);
	struct words objects = {0};
	struct placement_parts parts = {.objects = &objects,
		.sections = way->sections,
		.pads = shared->folder,
		.linker = way->shuffles ? direct->linker.kind : LINKER_OTHER,
		.order_file = arena_printf(arena, "layouts/%u-%u.order", layout->arm, layout->layout)};
	struct placement placement;

	*job = (struct job){.folder = layout->build->folder,
		.env = builder_environment(builder, layout->build->toolchain),
		.output = temporary_of(layout, arena),
		.executable = true,
		.owner = layout};
	recipe_objects(layout->build, shared, direct->usable ? &direct->lto_objects : NULL, arena, &objects);
	placement_draw(&parts, layout->seed, arena, &placement);
	if (direct->usable)
		direct_command(
			direct, &placement.options, &placement.objects, job->output, arena, &job->argv);
	else
		recipe_link(layout->build, shared, &placement, job->output, arena, &job->argv);
	return placement.order != NULL ? build_cache_write(file_join(arena, job->folder, parts.order_file),
						 placement.order, strlen(placement.order), e)
				       : 0;
}

static bool is_first(const struct build_layout *layout)
{
	return layout->arm == 0 && layout->layout == 0;
}

static int write_how(const struct builder *builder, const struct job *job, const char *path, struct error *e)
{
	struct arena *arena = builder->arena;
	const struct link_way *way = way_to(builder, job->owner);
	struct words argv = {0};
	char *text;

	for (size_t i = 0; i < job->argv.n; i++)
		words_add(&argv, arena,
			strcmp(job->argv.v[i], job->output) == 0 ? "layouts/0-0" : job->argv.v[i]);
	text = arena_printf(arena, "%s\n%s\n%s%s\n", way->link->usable ? "linker" : way->link->reason,
		builder_command(builder, &argv), way->shuffles ? "shuffled by " : "with their objects: ",
		way->shuffles ? way->link->linker.name : way->unshuffled);
	return build_cache_write(arena_printf(arena, "%s.how", path), text, strlen(text), e);
}

/* Facts of the build: how its layouts are linked, where layout 0 was asked for. */
static void read_how(struct build_layout *layout, const char *path, struct arena *arena)
{
	static const char *const keys[] = {
		"build.layout_link", "build.layout_command", "build.layout_functions"};
	static const char *const sources[] = {"canonical link", "link of layout 0", "linker"};
	struct facts *facts = &layout->build->facts;
	struct buf text = {0};
	char *line = NULL;

	if (layout->path != NULL &&
		file_read(arena_printf(arena, "%s.how", path), HOW_LIMIT, &text, NULL) == 0)
		line = arena_strdup(arena, buf_text(&text));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *end = line != NULL ? strchr(line, '\n') : NULL;

		if (end != NULL) {
			facts_set(
				facts, keys[i], arena_strndup(arena, line, (size_t)(end - line)), sources[i]);
			line = end + 1;
		} else if (layout->path == NULL) {
			facts_unknown(facts, keys[i], "linker", layout->reason);
		}
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
	if (build_cache_write(arena_printf(arena, "%s.sha256", path), layout->sha256, HASH_HEX - 1, e) != 0)
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

/* Reads which functions the linker can be given in another order; why not, otherwise. */
static void find_functions(
	struct builder *builder, const struct build *build, struct link_way *way, struct error *e)
{
	struct arena *arena = builder->arena;
	const struct direct_link *link = way->link;
	struct words objects = {0};
	struct words *sections;
	size_t found = 0;

	if (link->linker.kind == LINKER_OTHER) {
		way->unshuffled =
			build->toolchain->spec->style == STYLE_TCC ? link->reason
			: link->linker.name[0] != '\0'
				? arena_printf(arena, "%s cannot be told their order", link->linker.name)
				: "the linker does not say what it is";
		return;
	}
	way->shuffles = true;
	if (link->linker.kind == LINKER_LLD)
		return;
	recipe_objects(build, builder_shared(builder, build, e), link->usable ? &link->lto_objects : NULL,
		arena, &objects);
	sections = arena_array(arena, objects.n, sizeof(*sections));
	for (size_t i = 0; i < objects.n; i++) {
		const char *path = objects.v[i];

		/* an intermediate form has none: what is made of it stays together */
		code_sections(path[0] == '/' ? path : file_join(arena, build->folder, path), arena,
			&sections[i], NULL);
		found += sections[i].n;
	}
	way->sections = sections;
	if (found == 0) {
		way->shuffles = false;
		way->unshuffled = "no object has functions in sections of their own";
	}
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
	for (size_t k = 0; k < n; k++) {
		builder->ways.v[first + k].link = &links[k];
		find_functions(builder, builds[k], &builder->ways.v[first + k], e);
	}
	return 0;
}

/*
 * A linker that refuses an order (a script of the user's without .text) gets its links again without it. The same
 * linker refuses it each time, so that a seed still means one program.
 */
static int link_unshuffled(struct builder *builder, struct job *jobs, size_t count,
	const struct jobs_options *options, struct error *e)
{
	struct job *again = arena_array(builder->arena, count, sizeof(*again));
	size_t *from = arena_array(builder->arena, count, sizeof(*from));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct link_way *way = way_to(builder, jobs[i].owner);

		if (jobs[i].ok || strcmp(jobs[i].reason, JOB_OUT_OF_TIME) == 0 ||
			(!way->shuffles && way->refused == NULL))
			continue;
		way->shuffles = false;
		way->refused = way->unshuffled = jobs[i].reason;
		from[n] = i;
		if (plan_link(builder, jobs[i].owner, &again[n++], e) != 0)
			return -1;
	}
	if (n > 0 && jobs_run(again, n, options, builder->arena, e) != 0)
		return -1;
	for (size_t k = 0; k < n; k++)
		jobs[from[k]] = again[k];
	return 0;
}

/* Links those that are wanted, all builds' layout 0 first. */
static int link_all(struct builder *builder, struct build_layout *layouts, const char **paths,
	const bool *wanted, size_t count, int64_t deadline_ns, struct error *e)
{
	struct jobs_options options = builder_jobs(builder, "link", deadline_ns);
	struct job *jobs = arena_array(builder->arena, count, sizeof(*jobs));
	uint32_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (wanted[i] && layouts[i].layout > last)
			last = layouts[i].layout;
	for (size_t i = 0; i < count; i++)
		if (wanted[i] && layouts[i].layout == last)
			build_cache_sweep(file_join(builder->arena, layouts[i].build->folder, "layouts"));
	for (uint32_t k = 0; k <= last; k++)
		for (size_t i = 0; i < count; i++)
			if (wanted[i] && layouts[i].layout == k &&
				plan_link(builder, &layouts[i], &jobs[n++], e) != 0)
				return -1;
	if (n > 0 && (jobs_run(jobs, n, &options, builder->arena, e) != 0 ||
			     link_unshuffled(builder, jobs, n, &options, e) != 0))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct build_layout *layout = jobs[i].owner;

		if (finish_link(builder, &jobs[i], paths[layout - layouts], e) != 0)
			return -1;
	}
	return 0;
}

/* The hash of layout 0 of this build and arm: among these, or in the cache. */
static bool first_hash(const struct build_layout *layouts, size_t count, const struct build_layout *wanted,
	struct arena *arena, char sha256[HASH_HEX])
{
	struct build_layout first = {.build = wanted->build, .arm = wanted->arm};
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		found = layouts[i].build == wanted->build && layouts[i].arm == wanted->arm &&
			layouts[i].layout == 0 && layouts[i].path != NULL;
		if (found)
			memcpy(sha256, layouts[i].sha256, HASH_HEX);
	}
	if (!found &&
		take_cached(&first,
			arena_printf(arena, "%s/layouts/%u-0", wanted->build->folder, wanted->arm), arena)) {
		memcpy(sha256, first.sha256, HASH_HEX);
		found = true;
	}
	return found;
}

/*
 * Layouts are draws of placement. Where all are one and the same file, the toolchain's links cannot be varied, and
 * there is one draw: the others are none.
 */
static void refuse_equal(struct build_layout *layouts, size_t count, struct arena *arena)
{
	const struct build_layout *seen = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct build *build = layouts[i].build;
		uint32_t arm = layouts[i].arm;
		char first[HASH_HEX];
		bool differ = false;

		if (layouts[i].layout == 0 || layouts[i].path == NULL ||
			(seen != NULL && seen->build == build && seen->arm == arm))
			continue;
		seen = &layouts[i];
		if (!first_hash(layouts, count, seen, arena, first))
			continue;
		for (size_t k = 0; k < count && !differ; k++)
			differ = layouts[k].build == build && layouts[k].arm == arm &&
				 layouts[k].path != NULL && strcmp(layouts[k].sha256, first) != 0;
		for (size_t k = i; k < count && !differ; k++) {
			if (layouts[k].build != build || layouts[k].arm != arm || layouts[k].layout == 0 ||
				layouts[k].path == NULL)
				continue;
			layouts[k].path = NULL;
			layouts[k].reason = BUILD_NOTHING_MOVED;
		}
	}
}

int builder_link(struct builder *builder, struct build_layout *layouts, size_t count, int64_t deadline_ns,
	struct error *e)
{
	struct arena *arena = builder->arena;
	const char **paths = arena_array(arena, count, sizeof(*paths));
	bool *wanted = arena_array(arena, count, sizeof(*wanted));

	for (size_t i = 0; i < count; i++) {
		struct build_layout *layout = &layouts[i];

		paths[i] = arena_printf(
			arena, "%s/layouts/%u-%u", layout->build->folder, layout->arm, layout->layout);
		wanted[i] = look_up(layouts, i, paths[i], arena);
	}
	if (find_ways(builder, layouts, wanted, count, e) != 0 ||
		link_all(builder, layouts, paths, wanted, count, deadline_ns, e) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct build_layout *same = layouts[i].path == NULL ? same_link(layouts, i) : NULL;

		if (same != NULL) {
			layouts[i].path = same->path;
			layouts[i].reason = same->reason;
			memcpy(layouts[i].sha256, same->sha256, sizeof(layouts[i].sha256));
		}
		if (is_first(&layouts[i]))
			read_how(&layouts[i], paths[i], arena);
	}
	refuse_equal(layouts, count, arena);
	return 0;
}
