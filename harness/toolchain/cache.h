/*
 * cache.h - what was once found out about files and compilers, kept between starts, so that the second one is
 * quick. Everything in it can be deleted any time; what is damaged, of another format or about a changed file
 * is asked anew. A folder that cannot be written is like no cache.
 *
 * A file is the same as long as device, inode, size, mtime and ctime are (its "stamp").
 */
#ifndef FLAGSTONE_TOOLCHAIN_CACHE_H
#define FLAGSTONE_TOOLCHAIN_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

struct cache {
	const char *folder; /* NULL: nothing is kept */
	json_t *hashes;	    /* path -> {stamp, sha256}; from cache_open() to cache_close() */
	bool changed;
};

void cache_open(struct cache *cache, const char *folder);
/* Writes what is new and frees. */
void cache_close(struct cache *cache);

/* A file's SHA-256, from the cache when its stamp is the same. */
int cache_hash_file(struct cache *cache, const char *path, char hex[HASH_HEX], struct error *e);
/* A text that changes whenever one of the files or folders does; a missing one counts as such. */
void cache_stamp_files(const struct words *paths, char hex[HASH_HEX]);

/* The document kept under a key (64 hex digits); NULL: none. New reference. */
json_t *cache_load(const char *folder, const char *key);
void cache_store(const char *folder, const char *key, const json_t *document);

#endif
