#include "build/build.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/builder.h"
#include "build/identity.h"
#include "build/isa.h"
#include "build/meta.h"
#include "sys/cpu.h"
#include "sys/process.h"
#include "toolchain/hidden.h"

enum { SOURCE_DEPTH = 16, DEFAULT_TIMEOUT_S = 120 };
static const uint64_t default_cache_limit = 4ULL << 30;
static const uint64_t default_memory_limit = 4ULL << 30;

/*
 * Hashes names and bytes of all files in a folder and below it, in name order: any of them may be included. Hidden
 * folders (.git) and links that lead nowhere (an editor's locks) cannot act on a build.
 */
static int hash_tree(struct hash *hash, const char *folder, int depth, struct arena *arena, struct error *e)
{
	struct words names = {0};

	if (depth == 0)
		return error_set(e, EXIT_CANNOT,
			"%s lies more than %d folders deep; is there a link in a circle?", folder,
			SOURCE_DEPTH);
	if (file_list(folder, arena, &names, e) != 0)
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		char *path = file_join(arena, folder, names.v[i]);
		char hex[HASH_HEX];

		if (file_is_folder(path)) {
			if (names.v[i][0] == '.')
				continue;
			hash_add_field(hash, names.v[i]);
			if (hash_tree(hash, path, depth - 1, arena, e) != 0)
				return -1;
			hash_add_field(hash, NULL); /* back up */
			continue;
		}
		if (!file_exists(path))
			continue;
		if (hash_file_hex(path, hex, e) != 0)
			return -1;
		hash_add_field(hash, names.v[i]);
		hash_add_field(hash, hex);
	}
	return 0;
}

static int hash_folder(struct hash *hash, const char *folder, struct arena *arena, struct error *e)
{
	return hash_tree(hash, folder, SOURCE_DEPTH, arena, e);
}

int build_workload_hash(const struct spec_workload *workload, char hex[HASH_HEX], struct error *e)
{
	struct arena arena = {0};
	struct hash hash;
	int result;

	hash_init(&hash);
	hash_add_field(&hash, "flagstone workload 1");
	result = hash_folder(&hash, workload->folder, &arena, e);
	for (size_t i = 0; i < workload->sources.n && result == 0; i++) {
		const char *source = workload->sources.v[i].text;
		char *path = file_join(&arena, workload->folder, source);
		char file_hex[HASH_HEX];

		if (strchr(source, '/') == NULL)
			continue; /* in the folder, hashed above */
		result = hash_file_hex(path, file_hex, e);
		hash_add_field(&hash, source);
		hash_add_field(&hash, file_hex);
	}
	for (size_t i = 0; i < workload->includes.n && result == 0; i++)
		result = hash_folder(
			&hash, file_join(&arena, workload->folder, workload->includes.v[i]), &arena, e);
	if (workload->stdin_path != NULL && result == 0) {
		char file_hex[HASH_HEX];

		result = hash_file_hex(workload->stdin_path, file_hex, e);
		hash_add_field(&hash, "stdin");
		hash_add_field(&hash, file_hex);
	}
	arena_release(&arena);
	if (result == 0)
		hash_final_hex(&hash, hex);
	return result;
}

struct builder *builder_new(const struct builder_options *options, struct arena *arena, struct error *e)
{
	struct builder *builder = arena_new(arena, struct builder);
	struct hash hash;

	builder->options = *options;
	builder->arena = arena;
	if (builder->options.timeout_ns == 0)
		builder->options.timeout_ns = (int64_t)DEFAULT_TIMEOUT_S * 1000000000;
	if (builder->options.memory_limit == 0)
		builder->options.memory_limit = default_memory_limit;
	if (builder->options.cache_limit == 0)
		builder->options.cache_limit = default_cache_limit;
	if (builder->options.jobs == 0) {
		struct cpu_list allowed = {0};

		builder->options.jobs = 1;
		if (cpu_allowed("", arena, &allowed, NULL) == 0 && allowed.n > 0)
			builder->options.jobs = (uint32_t)allowed.n;
	}
	if (build_cache_open(&builder->cache, options->cache_folder, builder->options.cache_limit, e) != 0)
		return NULL;
	hash_init(&hash);
	if (hash_folder(&hash, options->driver_folder, arena, e) != 0) {
		error_context(e, "reading the driver that every workload links");
		return NULL;
	}
	hash_final_hex(&hash, builder->driver_hash);
	return builder;
}

void builder_free(struct builder *builder)
{
	if (builder == NULL)
		return;
	build_cache_trim(&builder->cache);
	vec_release(&builder->ways);
	mem_free(builder->answers);
	mem_free(builder->shared);
}

struct jobs_options builder_jobs(const struct builder *builder, const char *what, int64_t deadline_ns)
{
	return (struct jobs_options){.parallel = builder->options.jobs,
		.timeout_ns = builder->options.timeout_ns,
		.memory_limit = builder->options.memory_limit,
		.deadline_ns = deadline_ns,
		.progress = builder->options.progress,
		.context = builder->options.context,
		.what = what};
}

void build_layout_seed(const char *content_hash, uint32_t arm, uint32_t layout, char seed[HASH_HEX])
{
	char text[HASH_HEX + 40];
	int n = snprintf(text, sizeof(text), "%s %u %u", content_hash, arm, layout);

	hash_bytes_hex(text, (size_t)n, seed);
}

bool build_layout_find(const char *content_hash, const char *seed, uint32_t *arm, uint32_t *layout)
{
	char own[HASH_HEX];

	for (*arm = 0; *arm < BUILD_ARMS; ++*arm)
		for (*layout = 0; *layout < BUILD_LAYOUTS; ++*layout) {
			build_layout_seed(content_hash, *arm, *layout, own);
			if (strcmp(own, seed) == 0)
				return true;
		}
	return false;
}

static void hash_words(struct hash *hash, const struct words *words)
{
	char count[24];

	snprintf(count, sizeof(count), "%zu", words->n);
	hash_add_field(hash, count);
	for (size_t i = 0; i < words->n; i++)
		hash_add_field(hash, words->v[i]);
}

/*
 * What "native" means here where others than the flags that were resolved already ask for it: a cached
 * build of another CPU must not be taken for one of this.
 */
static int hash_other_native(
	struct hash *hash, const struct build *build, struct arena *arena, struct error *e)
{
	const struct spec_workload *w = build->workload;
	const struct words *const lists[] = {
		&build->cxxflags, &build->ldflags, &w->cflags, &w->cxxflags, &w->ldflags};
	struct resolved resolved = {.facts.arena = arena};
	struct words native = {0};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (size_t k = 0; k < lists[i]->n; k++) {
			struct words one = {.v = &lists[i]->v[k], .n = 1};

			if (toolchain_flags_native(&one) && !words_have(&native, one.v[0]))
				words_add(&native, arena, one.v[0]);
		}
	}
	if (native.n == 0)
		return 0;
	if (toolchain_resolve(build->toolchain, &native, arena, &resolved, e) != 0)
		return -1;
	hash_add_field(hash, resolved.hash);
	return 0;
}

/* All that goes in. Folders are left out: their content is in, and where they lie does not matter. */
static int content_hash(struct builder *builder, struct build *build, const struct shared_objects *shared,
	const struct resolved *resolved, struct error *e)
{
	const struct spec_workload *w = build->workload;
	const struct words *const lists[] = {&build->toolchain->cc, &build->toolchain->cxx,
		&build->toolchain->env, &build->cflags, &build->cxxflags, &build->ldflags, &w->cflags,
		&w->cxxflags, &w->ldflags, &w->ldlibs, &w->defines, &w->includes};
	char workload_hash[HASH_HEX];
	struct hash hash;

	if (build_workload_hash(w, workload_hash, e) != 0)
		return -1;
	hash_init(&hash);
	hash_add_field(&hash, "flagstone build 3");
	hash_add_field(&hash, builder->driver_hash);
	hash_add_field(&hash, workload_hash);
	hash_add_field(&hash, w->language);
	hash_add_field(&hash, build->toolchain->identity);
	hash_add_field(&hash, resolved->hash);
	hash_add_field(&hash, shared->hash);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		hash_words(&hash, lists[i]);
	for (size_t i = 0; i < w->sources.n; i++)
		hash_add_field(&hash, w->sources.v[i].text);
	if (hash_other_native(&hash, build, builder->arena, e) != 0)
		return -1;
	hash_final_hex(&hash, build->content_hash);
	return 0;
}

static void set_flags_fact(
	struct build *build, const char *key, const struct words *flags, struct arena *arena)
{
	facts_set(&build->facts, key, words_join(flags, arena), "matrix");
}

/* Everything up to the content hash; what goes wrong becomes the build's reason. -1: interrupted. */
static int prepare(struct builder *builder, struct build *build, struct error *e)
{
	struct arena *arena = builder->arena;
	const struct toolchain *toolchain = build->toolchain;
	struct shared_objects *shared;
	struct resolved resolved = {0};
	struct words added = {0}, compile_flags = {0}, link_flags = {0};
	struct error why = {0};

	build->facts.arena = arena;
	resolved.facts.arena = arena;
	set_flags_fact(build, "build.cflags", &build->cflags, arena);
	set_flags_fact(build, "build.cxxflags", &build->cxxflags, arena);
	set_flags_fact(build, "build.ldflags", &build->ldflags, arena);
	recipe_added_flags(toolchain, arena, &added);
	facts_set(&build->facts, "build.added_flags", words_join(&added, arena), "flagstone");
	recipe_compile_flags(build, arena, &compile_flags);
	if (toolchain_resolve(toolchain, &compile_flags, arena, &resolved, &why) != 0) {
		build->reason = arena_strdup(arena, why.text);
		return process_interrupted() ? error_set(e, EXIT_INTERRUPTED, "interrupted while building")
					     : 0;
	}
	shared = builder_shared(builder, build, e);
	if (shared == NULL)
		return -1;
	recipe_link_flags(build, shared, arena, &link_flags);
	toolchain_resolve_link(toolchain, &link_flags, arena, &resolved.facts);
	facts_copy(&build->facts, &resolved.facts);
	hidden_environment(environ, &build->facts);
	if (shared->reason != NULL)
		build->reason = shared->reason;
	else if (content_hash(builder, build, shared, &resolved, &why) != 0)
		build->reason = arena_strdup(arena, why.text);
	return 0;
}

/* An entry of a flagstone that decoded in another way, or not at all: what was found now is kept, if that can be. */
static void decode_again(struct builder *builder, struct build *build)
{
	if (build_isa_is_current(&build->facts) && build_identity_is_current(&build->facts))
		return;
	build_isa(build, build->folder, builder_driver(builder, build), &build->facts);
	build_identity(build, build->folder, &build->facts);
	(void)meta_write(build, build->folder, NULL);
}

/* Takes what a finished entry knows; false, and nothing taken, if there is none or it is damaged. */
static bool adopt(struct builder *builder, struct build *build)
{
	if (!build_cache_has(&builder->cache, "builds", build->content_hash))
		return false;
	build->folder = build_cache_path(&builder->cache, builder->arena, "builds", build->content_hash);
	build->binary = file_join(builder->arena, build->folder, "program");
	build->log = file_join(builder->arena, build->folder, "log");
	build->commands = (struct words){0};
	if (file_is_program(build->binary) && meta_read(build, build->folder, builder->arena, NULL) == 0) {
		/* those of now, not of when it was made */
		hidden_environment(environ, &build->facts);
		decode_again(builder, build);
		return true;
	}
	build->folder = build->binary = build->log = NULL;
	build->code_hash = build->build_id = build->log_excerpt = NULL;
	build->commands = (struct words){0};
	return false;
}

/* Fills a build from an earlier one with the same content. */
static void copy_result(struct build *build, const struct build *from)
{
	build->ok = from->ok;
	build->cached = from->cached;
	build->reason = from->reason;
	build->folder = from->folder;
	build->binary = from->binary;
	build->code_hash = from->code_hash;
	build->build_id = from->build_id;
	build->commands = from->commands;
	build->facts = from->facts;
	build->log = from->log;
	build->log_excerpt = from->log_excerpt;
}

static struct build *same_content(struct build *builds, size_t before)
{
	for (size_t k = 0; k < before; k++)
		if (builds[k].content_hash[0] != '\0' &&
			strcmp(builds[k].content_hash, builds[before].content_hash) == 0)
			return &builds[k];
	return NULL;
}

/* Moves made builds into the cache. */
static int commit(
	struct builder *builder, struct build **builds, char **folders, size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++) {
		struct build *build = builds[i];

		if (build->reason != NULL)
			continue;
		if (meta_write(build, folders[i], e) != 0 ||
			(builder->options.fresh &&
				build_cache_drop(&builder->cache, "builds", build->content_hash, e) != 0) ||
			build_cache_commit(&builder->cache, folders[i], "builds", build->content_hash, e) !=
				0)
			return error_advice(e, "free some space below %s", builder->cache.folder);
		build->ok = adopt(builder, build);
		if (!build->ok)
			build->reason =
				"the finished build vanished from the cache; is something cleaning it?";
	}
	return 0;
}

/* Failed builds leave nothing but their log, in CACHE/logs. */
static void keep_log(struct builder *builder, struct build *build, const char *folder)
{
	struct arena *arena = builder->arena;
	char *logs = file_join(arena, builder->cache.folder, "logs");
	char *path = arena_printf(arena, "%s/%s.log", logs, build->content_hash);

	if (file_make_folders(logs, NULL) == 0 && rename(file_join(arena, folder, "log"), path) == 0)
		build->log = path;
	file_remove_tree(folder, NULL);
}

static int make_all(struct builder *builder, struct build **todo, size_t count, struct error *e)
{
	char **folders = arena_array(builder->arena, count, sizeof(*folders));
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		folders[i] = build_cache_begin(
			&builder->cache, builder->arena, "builds", todo[i]->content_hash, e);
		if (folders[i] == NULL ||
			file_make_folders(file_join(builder->arena, folders[i], "layouts"), e) != 0)
			result = -1;
	}
	if (result == 0)
		result = builder_make(builder, todo, folders, count, e);
	if (result == 0)
		result = commit(builder, todo, folders, count, e);
	for (size_t i = 0; i < count; i++) {
		if (folders[i] == NULL)
			continue;
		if (result == 0 && todo[i]->reason != NULL)
			keep_log(builder, todo[i], folders[i]);
		else if (result != 0)
			file_remove_tree(folders[i], NULL);
	}
	return result;
}

int builder_build(struct builder *builder, struct build *builds, size_t count, struct error *e)
{
	struct build **todo = arena_array(builder->arena, count, sizeof(*todo));
	size_t todo_count = 0;
	int result;

	for (size_t i = 0; i < count; i++) {
		if (prepare(builder, &builds[i], e) != 0)
			return -1;
		if (builds[i].reason != NULL || same_content(builds, i) != NULL)
			continue;
		if (!builder->options.fresh && adopt(builder, &builds[i])) {
			builds[i].ok = builds[i].cached = true;
			continue;
		}
		/* there but not to be used: a damaged entry would stand in the way of the new one */
		if (!builder->options.fresh &&
			build_cache_drop(&builder->cache, "builds", builds[i].content_hash, e) != 0)
			return -1;
		todo[todo_count++] = &builds[i];
	}
	result = todo_count > 0 ? make_all(builder, todo, todo_count, e) : 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		const struct build *same = builds[i].content_hash[0] != '\0' ? same_content(builds, i) : NULL;

		if (same != NULL)
			copy_result(&builds[i], same);
	}
	return result;
}

int builder_identify(struct builder *builder, struct build *builds, size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++)
		if (prepare(builder, &builds[i], e) != 0)
			return -1;
	return 0;
}

int builder_look_up(struct builder *builder, struct build *builds, size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++) {
		struct build *build = &builds[i];

		/* without the objects that its links need a build would be made again */
		if (!builder_has_shared(builder, build))
			continue;
		if (prepare(builder, build, e) != 0)
			return -1;
		build->cached = build->ok =
			build->reason == NULL && !builder->options.fresh && adopt(builder, build);
	}
	return 0;
}
