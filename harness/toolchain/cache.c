#include "toolchain/cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { DOCUMENT_LIMIT = 4 << 20, STAMP_SIZE = 160 };

static const char *const hashes_name = "hashes.json";

static void stamp_of(const char *path, char stamp[STAMP_SIZE])
{
	struct stat st;

	if (stat(path, &st) != 0) {
		snprintf(stamp, STAMP_SIZE, "missing");
		return;
	}
	snprintf(stamp, STAMP_SIZE, "%llx:%llx:%lld:%lld.%09ld:%lld.%09ld", (unsigned long long)st.st_dev,
		(unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

void cache_stamp_files(const struct words *paths, char hex[HASH_HEX])
{
	char stamp[STAMP_SIZE];
	struct hash hash;

	hash_init(&hash);
	for (size_t i = 0; i < paths->n; i++) {
		stamp_of(paths->v[i], stamp);
		hash_add_field(&hash, paths->v[i]);
		hash_add_field(&hash, stamp);
	}
	hash_final_hex(&hash, hex);
}

/* A JSON document from a file of the cache; NULL when there is none that can be read. */
static json_t *load(const char *folder, const char *name)
{
	struct arena arena = {0};
	struct buf text = {0};
	json_t *document = NULL;

	if (folder != NULL && file_read(file_join(&arena, folder, name), DOCUMENT_LIMIT, &text, NULL) == 0)
		document = json_parse(buf_text(&text), text.n, name, NULL);
	buf_release(&text);
	arena_release(&arena);
	return document;
}

static void store(const char *folder, const char *name, const json_t *document)
{
	struct arena arena = {0};
	struct buf text = {0};

	if (folder != NULL && file_make_folders(folder, NULL) == 0) {
		json_add_tree(&text, document, false);
		(void)file_write_atomic(file_join(&arena, folder, name), buf_text(&text), text.n, NULL);
	}
	buf_release(&text);
	arena_release(&arena);
}

json_t *cache_load(const char *folder, const char *key)
{
	char name[HASH_HEX + 8];

	snprintf(name, sizeof(name), "%s.json", key);
	return load(folder, name);
}

void cache_store(const char *folder, const char *key, const json_t *document)
{
	char name[HASH_HEX + 8];

	snprintf(name, sizeof(name), "%s.json", key);
	store(folder, name, document);
}

void cache_open(struct cache *cache, const char *folder)
{
	*cache = (struct cache){.folder = folder, .hashes = load(folder, hashes_name)};
	if (!json_is_object(cache->hashes)) {
		json_decref(cache->hashes);
		cache->hashes = json_object();
	}
}

void cache_close(struct cache *cache)
{
	if (cache->changed)
		store(cache->folder, hashes_name, cache->hashes);
	json_decref(cache->hashes);
	*cache = (struct cache){0};
}

int cache_hash_file(struct cache *cache, const char *path, char hex[HASH_HEX], struct error *e)
{
	const json_t *entry = json_object_get(cache->hashes, path);
	const char *known = json_text(entry, "sha256", "");
	char stamp[STAMP_SIZE];
	json_t *fresh;

	stamp_of(path, stamp);
	if (strcmp(json_text(entry, "stamp", ""), stamp) == 0 && strlen(known) == HASH_HEX - 1) {
		memcpy(hex, known, HASH_HEX);
		return 0;
	}
	if (hash_file_hex(path, hex, e) != 0)
		return -1;
	fresh = json_object();
	json_object_set_new(fresh, "stamp", json_safe_string(stamp));
	json_object_set_new(fresh, "sha256", json_safe_string(hex));
	/* A path that is no UTF-8 cannot be a key; then its hash is not kept. */
	if (json_object_set_new(cache->hashes, path, fresh) == 0)
		cache->changed = true;
	return 0;
}
