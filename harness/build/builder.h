/*
 * builder.h - the builder's own parts, shared by the files of this folder.
 */
#ifndef FLAGSTONE_BUILD_BUILDER_H
#define FLAGSTONE_BUILD_BUILDER_H

#include "base/mem.h"
#include "build/build.h"
#include "build/cache.h"
#include "build/jobs.h"
#include "build/recipe.h"

struct direct_link;
struct link_answer;

/* How the layouts of one build are linked: direct.h. */
struct link_way {
	const char *content_hash;
	const struct direct_link *link;
	const struct words *sections; /* of each object: its sections of code (placement.h); NULL: not read */
	bool shuffles;		      /* functions, by the linker */
	const char *unshuffled;	      /* why not */
	const char *refused;	      /* what the linker said when it was told an order; NULL: nothing */
};

struct builder {
	struct builder_options options;
	struct arena *arena;
	struct build_cache cache;
	struct shared_objects **shared;
	size_t shared_count, shared_cap;
	VEC(struct link_way) ways;
	struct link_answer *answers; /* of direct.c */
	size_t answer_count, answer_cap;
	char driver_hash[HASH_HEX]; /* of the driver's sources */
};

/* jobs_run's options for one phase. */
struct jobs_options builder_jobs(const struct builder *builder, const char *what, int64_t deadline_ns);
/*
 * Environment of a toolchain's commands. PWD: compilers write the folder they work in, by this name if it leads there,
 * into debug information; so it is the same wherever the cache lies.
 */
struct words builder_environment(const struct builder *builder, const struct toolchain *toolchain);
/*
 * A command as a shell in the build's folder takes it: exactly the words, but the cache's folder of shared objects
 * by its relative path (../../objects/HASH).
 */
char *builder_command(const struct builder *builder, const struct words *argv);
/* The shared objects of a toolchain and the build's ABI flags, made or taken from the cache. NULL: interrupted. */
struct shared_objects *builder_shared(struct builder *builder, const struct build *build, struct error *e);
/* Path of the driver's object among them. */
const char *builder_driver(struct builder *builder, const struct build *build);
/* Are they in the cache? */
bool builder_has_shared(struct builder *builder, const struct build *build);
/* Compiles all sources of builds[i]->folder-to-be folders[i]; links canonically; fills commands, facts, reason. */
int builder_make(
	struct builder *builder, struct build **builds, char **folders, size_t count, struct error *e);

#endif
