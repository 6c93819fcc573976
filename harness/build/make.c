#include "build/builder.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "build/identity.h"
#include "build/isa.h"
#include "code/code.h"

/*
 * From argument lists to a finished folder: objects shared by all builds of a toolchain, then each build's own
 * compiles and canonical link.
 */

enum { EXCERPT = 1024 };

struct words builder_environment(const struct builder *builder, const struct toolchain *toolchain)
{
	struct words env = {0};

	words_add(&env, builder->arena, "PWD=/proc/self/cwd");
	words_add_all(&env, builder->arena, &toolchain->env);
	return env;
}

static void shared_hash(const struct builder *builder, struct shared_objects *shared)
{
	struct hash hash;

	hash_init(&hash);
	hash_add_field(&hash, "flagstone shared objects 3");
	hash_add_field(&hash, builder->driver_hash);
	hash_add_field(&hash, shared->toolchain->identity);
	for (size_t i = 0; i < shared->abi.n; i++)
		hash_add_field(&hash, shared->abi.v[i]);
	hash_final_hex(&hash, shared->hash);
}

/* The driver and the padding objects, several at once. */
enum { SHARED_OBJECTS = 1 + PAD_KINDS * PAD_COUNT };

static int plan_shared(struct builder *builder, struct shared_objects *shared, const char *folder,
	struct job *jobs, struct error *e)
{
	struct arena *arena = builder->arena;
	bool elf = shared->toolchain->spec->style != STYLE_TCC;

	recipe_driver(shared, builder->options.driver_folder, arena, &jobs[0].argv);
	jobs[0].output = "driver.o";
	for (size_t i = 0; i < PAD_KINDS * PAD_COUNT; i++) {
		enum pad_kind kind = (enum pad_kind)(i / PAD_COUNT);
		const char *name = placement_pad_name(kind, i % PAD_COUNT, arena);
		char *source = placement_pad_source(kind, i % PAD_COUNT, elf, arena);
		char *path = arena_printf(arena, "%s/%s.s", folder, name);

		if (build_cache_write(path, source, strlen(source), e) != 0)
			return -1;
		recipe_pad(shared, kind, i % PAD_COUNT, arena, &jobs[1 + i].argv);
		jobs[1 + i].output = arena_printf(arena, "%s.o", name);
	}
	for (size_t i = 0; i < SHARED_OBJECTS; i++) {
		jobs[i].folder = folder;
		jobs[i].env = builder_environment(builder, shared->toolchain);
	}
	return 0;
}

static int make_shared(struct builder *builder, struct shared_objects *shared, struct error *e)
{
	struct arena *arena = builder->arena;
	struct jobs_options options = builder_jobs(builder, "compile", 0);
	char *folder = build_cache_begin(&builder->cache, arena, "objects", shared->hash, e);
	struct job jobs[SHARED_OBJECTS] = {0};

	if (folder == NULL)
		return -1;
	if (plan_shared(builder, shared, folder, jobs, e) != 0 ||
		jobs_run(jobs, SHARED_OBJECTS, &options, arena, e) != 0) {
		file_remove_tree(folder, NULL);
		return -1;
	}
	for (size_t i = 0; i < SHARED_OBJECTS; i++) {
		if (jobs[i].ok)
			continue;
		shared->reason = arena_printf(
			arena, "the driver's %s could not be compiled: %s", jobs[i].output, jobs[i].reason);
		file_remove_tree(folder, NULL);
		return 0;
	}
	return build_cache_commit(&builder->cache, folder, "objects", shared->hash, e);
}

/* Which they are: toolchain, ABI flags, hash. */
static struct shared_objects *name_shared(const struct builder *builder, const struct build *build)
{
	struct arena *arena = builder->arena;
	struct shared_objects *shared = arena_new(arena, struct shared_objects);
	struct words all = {0};

	words_add_all(&all, arena, &build->cflags);
	words_add_all(&all, arena, &build->ldflags);
	shared->toolchain = build->toolchain;
	toolchain_abi_flags(build->toolchain, &all, arena, &shared->abi);
	shared_hash(builder, shared);
	return shared;
}

bool builder_has_shared(struct builder *builder, const struct build *build)
{
	return build_cache_has(&builder->cache, "objects", name_shared(builder, build)->hash);
}

struct shared_objects *builder_shared(struct builder *builder, const struct build *build, struct error *e)
{
	struct arena *arena = builder->arena;
	struct shared_objects *shared = name_shared(builder, build);

	for (size_t i = 0; i < builder->shared_count; i++)
		if (strcmp(builder->shared[i]->hash, shared->hash) == 0)
			return builder->shared[i];
	if (!build_cache_has(&builder->cache, "objects", shared->hash) &&
		make_shared(builder, shared, e) != 0)
		return NULL;
	shared->folder = build_cache_path(&builder->cache, arena, "objects", shared->hash);
	if (builder->shared_count == builder->shared_cap) {
		builder->shared_cap = mem_grown(builder->shared_cap, builder->shared_count + 1);
		builder->shared = mem_resize(builder->shared, builder->shared_cap, sizeof(*builder->shared));
	}
	return builder->shared[builder->shared_count++] = shared;
}

const char *builder_driver(struct builder *builder, const struct build *build)
{
	return arena_printf(builder->arena, "%s/driver.o",
		build_cache_path(
			&builder->cache, builder->arena, "objects", name_shared(builder, build)->hash));
}

char *builder_command(const struct builder *builder, const struct words *argv)
{
	struct arena *arena = builder->arena;
	struct words shown = {0};
	size_t n = strlen(builder->cache.folder);

	for (size_t i = 0; i < argv->n; i++) {
		const char *word = argv->v[i];

		if (strncmp(word, builder->cache.folder, n) == 0 && text_starts(word + n, "/objects/"))
			words_addf(&shown, arena, "../..%s", word + n);
		else
			words_add(&shown, arena, word);
	}
	return words_join(&shown, arena);
}

/* Adds a job's command and words to build and log; its failure becomes the build's reason. */
static void account(struct builder *builder, struct build *build, const struct job *job, struct buf *log,
	int64_t sums[3], size_t *warnings)
{
	words_add(&build->commands, builder->arena, builder_command(builder, &job->argv));
	buf_addf(log, "$ %s\n%s", build->commands.v[build->commands.n - 1],
		job->text != NULL ? job->text : "");
	if (log->n > 0 && log->data[log->n - 1] != '\n')
		buf_addc(log, '\n');
	sums[0] += job->wall_ns > 0 ? job->wall_ns : 0;
	sums[1] += job->cpu_ns;
	sums[2] = job->peak_kib > sums[2] ? job->peak_kib : sums[2];
	for (const char *p = job->text; p != NULL && (p = strstr(p, "warning:")) != NULL; p++)
		(*warnings)++;
	if (!job->ok && build->reason == NULL)
		build->reason = job->reason;
}

static const char *excerpt(const struct buf *log, struct arena *arena)
{
	if (log->n <= 2 * EXCERPT)
		return arena_strdup(arena, buf_text(log));
	return arena_printf(arena, "%.*s\n... (%zu bytes left out)\n%s", EXCERPT, log->data,
		log->n - 2 * EXCERPT, log->data + log->n - EXCERPT);
}

/* Facts of the linked program; a program that cannot be read has no code hash, and says why. */
static void read_code(struct build *build, const char *program, struct arena *arena)
{
	struct code_info info = {0};
	struct error why = {0};

	if (code_read(program, arena, &info, &why) != 0) {
		facts_unknown(&build->facts, "code.sha256", "ELF file", why.text);
		return;
	}
	code_facts(&info, &build->facts);
	build->code_hash = arena_strdup(arena, info.code_hash);
	build->build_id = info.build_id;
}

static void set_time_facts(struct build *build, const int64_t sums[3], size_t warnings)
{
	facts_setf(&build->facts, "build.wall_ns", "CLOCK_MONOTONIC_RAW", "%lld", (long long)sums[0]);
	facts_setf(&build->facts, "build.cpu_ns", "wait4", "%lld", (long long)sums[1]);
	facts_setf(&build->facts, "build.peak_kib", "wait4", "%lld", (long long)sums[2]);
	facts_setf(&build->facts, "build.warnings", "compiler's output", "%zu", warnings);
}

static int finish(struct builder *builder, struct build *build, const char *folder, struct job *compiles,
	struct job *link, struct error *e)
{
	struct arena *arena = builder->arena;
	int64_t sums[3] = {0};
	size_t warnings = 0;
	struct buf log = {0};
	int result;

	for (size_t i = 0; i < build->workload->sources.n; i++)
		account(builder, build, &compiles[i], &log, sums, &warnings);
	if (link != NULL)
		account(builder, build, link, &log, sums, &warnings);
	set_time_facts(build, sums, warnings);
	build->log_excerpt = warnings > 0 || build->reason != NULL ? excerpt(&log, arena) : "";
	result = file_write_atomic(file_join(arena, folder, "log"), buf_text(&log), log.n, e);
	if (result == 0 && build->reason == NULL) {
		read_code(build, file_join(arena, folder, "program"), arena);
		build_isa(build, folder, builder_driver(builder, build), &build->facts);
		build_identity(build, folder, &build->facts);
	}
	buf_release(&log);
	return result;
}

int builder_make(
	struct builder *builder, struct build **builds, char **folders, size_t count, struct error *e)
{
	struct arena *arena = builder->arena;
	struct jobs_options compile_options = builder_jobs(builder, "compile", 0);
	struct jobs_options link_options = builder_jobs(builder, "link", 0);
	size_t *first = arena_array(arena, count + 1, sizeof(*first));
	struct job *compiles, *links = arena_array(arena, count, sizeof(*links));
	size_t link_count = 0;
	int result = 0;

	for (size_t i = 0; i < count; i++)
		first[i + 1] = first[i] + builds[i]->workload->sources.n;
	compiles = arena_array(arena, first[count], sizeof(*compiles));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < builds[i]->workload->sources.n; k++) {
			struct job *job = &compiles[first[i] + k];

			recipe_compile(builds[i], k, builder->options.driver_folder, arena, &job->argv);
			job->folder = folders[i];
			job->env = builder_environment(builder, builds[i]->toolchain);
			job->output = recipe_object(arena, k, builds[i]->workload->sources.v[k].text);
		}
	}
	if (jobs_run(compiles, first[count], &compile_options, arena, e) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		bool ok = true;

		for (size_t k = first[i]; k < first[i + 1]; k++)
			ok &= compiles[k].ok;
		if (!ok)
			continue;
		recipe_link(builds[i], builder_shared(builder, builds[i], e), NULL, "program", arena,
			&links[link_count].argv);
		links[link_count].folder = folders[i];
		links[link_count].env = builder_environment(builder, builds[i]->toolchain);
		links[link_count].output = "program";
		links[link_count].executable = true;
		links[link_count].owner = builds[i];
		link_count++;
	}
	if (jobs_run(links, link_count, &link_options, arena, e) != 0)
		return -1;
	for (size_t i = 0, next = 0; i < count && result == 0; i++) {
		bool linked = next < link_count && links[next].owner == builds[i];

		result = finish(
			builder, builds[i], folders[i], &compiles[first[i]], linked ? &links[next] : NULL, e);
		next += linked;
	}
	return result;
}
