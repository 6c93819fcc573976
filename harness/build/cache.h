/*
 * cache.h - the folder of finished builds: CACHE/builds/HASH and CACHE/objects/HASH. An entry is made in a
 * temporary folder beside it and renamed when complete, so that half an entry is never seen. Each use touches the
 * entry's `used` file; when the whole passes its limit, the longest unused entries go.
 */
#ifndef FLAGSTONE_BUILD_CACHE_H
#define FLAGSTONE_BUILD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct build_cache {
	const char *folder;
	uint64_t limit;	   /* bytes */
	int64_t started_s; /* entries used since then belong to this run and stay */
};

/* Makes the folder; removes temporary folders that dead processes left behind. */
int build_cache_open(struct build_cache *cache, const char *folder, uint64_t limit, struct error *e);
/* Path of an entry, whether or not it exists. kind: "builds", "objects". */
char *build_cache_path(
	const struct build_cache *cache, struct arena *arena, const char *kind, const char *hash);
/* Is there a complete entry? Touches it. */
bool build_cache_has(const struct build_cache *cache, const char *kind, const char *hash);
/* A new temporary folder, HASH.PID.tmp, for an entry to be; NULL with the error. */
char *build_cache_begin(const struct build_cache *cache, struct arena *arena, const char *kind,
	const char *hash, struct error *e);
/* The temporary folder becomes the entry, unless another process was first: then it is dropped. */
int build_cache_commit(const struct build_cache *cache, const char *temporary, const char *kind,
	const char *hash, struct error *e);
/*
 * Takes an entry away, all at once for whoever looks: a damaged one, or one that is to be replaced. One that is not
 * there is fine.
 */
int build_cache_drop(const struct build_cache *cache, const char *kind, const char *hash, struct error *e);
/*
 * Writes a small file of an entry under its name at once, whoever looks. Unlike file_write_atomic() it does not wait for
 * the disk: what a crash leaves of a cache is made again.
 */
int build_cache_write(const char *path, const char *text, size_t count, struct error *e);
/* Removes what dead processes left in a folder: names NAME.PID.tmp. */
void build_cache_sweep(const char *folder);
/* Removes the longest unused entries until the rest fits the limit. Errors are of no consequence and not told. */
void build_cache_trim(const struct build_cache *cache);

#endif
