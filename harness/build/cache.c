#include "build/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static const char *const kinds[] = {"builds", "objects"};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

void build_cache_sweep(const char *folder)
{
	struct arena arena = {0};
	struct words names = {0};

	if (file_list(folder, &arena, &names, NULL) == 0) {
		for (size_t i = 0; i < names.n; i++) {
			const char *dot = strchr(names.v[i], '.');
			long pid = dot != NULL ? strtol(dot + 1, NULL, 10) : 0;

			if (pid > 0 && text_ends(names.v[i], ".tmp") && kill((pid_t)pid, 0) != 0 &&
				errno == ESRCH)
				file_remove_tree(file_join(&arena, folder, names.v[i]), NULL);
		}
	}
	arena_release(&arena);
}

int build_cache_open(struct build_cache *cache, const char *folder, uint64_t limit, struct error *e)
{
	struct arena arena = {0};
	int result = 0;

	for (size_t i = 0; i < KINDS && result == 0; i++) {
		char *path = file_join(&arena, folder, kinds[i]);

		result = file_make_folders(path, e);
		if (result == 0 && access(path, W_OK | X_OK) != 0)
			result = error_errno(e, errno, "writing to the cache %s", path);
		if (result == 0)
			build_cache_sweep(path);
	}
	if (result == 0) {
		cache->folder = folder;
		cache->limit = limit;
		cache->started_s = (int64_t)time(NULL);
	} else {
		error_advice(e, "name a folder that can be written with XDG_CACHE_HOME or `cache:` in "
				".flagstone.yaml");
	}
	arena_release(&arena);
	return result;
}

char *build_cache_path(
	const struct build_cache *cache, struct arena *arena, const char *kind, const char *hash)
{
	return arena_printf(arena, "%s/%s/%s", cache->folder, kind, hash);
}

bool build_cache_has(const struct build_cache *cache, const char *kind, const char *hash)
{
	struct arena arena = {0};
	char *used = arena_printf(&arena, "%s/%s/%s/used", cache->folder, kind, hash);
	bool has = utimensat(AT_FDCWD, used, NULL, 0) == 0 ||
		   (errno != ENOENT && errno != ENOTDIR && file_exists(used));

	arena_release(&arena);
	return has;
}

char *build_cache_begin(const struct build_cache *cache, struct arena *arena, const char *kind,
	const char *hash, struct error *e)
{
	char *path = arena_printf(arena, "%s/%s/%s.%ld.tmp", cache->folder, kind, hash, (long)getpid());

	if (file_remove_tree(path, e) != 0 || file_make_folders(path, e) != 0)
		return NULL;
	return path;
}

int build_cache_commit(const struct build_cache *cache, const char *temporary, const char *kind,
	const char *hash, struct error *e)
{
	struct arena arena = {0};
	char *used = file_join(&arena, temporary, "used");
	char *path = build_cache_path(cache, &arena, kind, hash);
	int fd = open(used, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	int result = 0;

	if (fd < 0)
		result = error_errno(e, errno, "writing %s", used);
	else
		close(fd);
	if (result == 0 && rename(temporary, path) != 0) {
		if (errno == EEXIST || errno == ENOTEMPTY)
			result = file_remove_tree(temporary, e);
		else
			result = error_errno(e, errno, "moving a finished build to %s", path);
	}
	arena_release(&arena);
	return result;
}

int build_cache_write(const char *path, const char *text, size_t count, struct error *e)
{
	struct arena arena = {0};
	char *temporary = arena_printf(&arena, "%s.%ld.tmp", path, (long)getpid());
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int result;

	if (fd < 0) {
		result = error_errno(e, errno, "writing %s", temporary);
	} else {
		result = file_write_all(fd, text, count, temporary, e);
		if (close(fd) != 0 && result == 0)
			result = error_errno(e, errno, "closing %s", temporary);
		if (result == 0 && rename(temporary, path) != 0)
			result = error_errno(e, errno, "renaming to %s", path);
		if (result != 0)
			unlink(temporary);
	}
	arena_release(&arena);
	return result;
}

/* A tree that is half removed must not be found any more: it gets a temporary's name first. */
static int remove_entry(const char *path, struct error *e)
{
	struct arena arena = {0};
	char *away = arena_printf(&arena, "%s.%ld.old.tmp", path, (long)getpid());
	int result = file_remove_tree(away, e);

	if (result == 0 && rename(path, away) == 0)
		result = file_remove_tree(away, e);
	else if (result == 0 && errno != ENOENT)
		result = error_errno(e, errno, "removing the build %s", path);
	arena_release(&arena);
	return result;
}

int build_cache_drop(const struct build_cache *cache, const char *kind, const char *hash, struct error *e)
{
	struct arena arena = {0};
	int result = remove_entry(build_cache_path(cache, &arena, kind, hash), e);

	arena_release(&arena);
	return result;
}

struct entry {
	char *path;
	int64_t used_s;
	uint64_t bytes;
};

static uint64_t tree_bytes(const char *path, struct arena *arena)
{
	struct words names = {0};
	uint64_t sum = 0;

	if (file_list(path, arena, &names, NULL) != 0)
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		char *inner = file_join(arena, path, names.v[i]);
		struct stat st;

		if (lstat(inner, &st) != 0)
			continue;
		sum += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode))
			sum += tree_bytes(inner, arena);
	}
	return sum;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->used_s != y->used_s ? (x->used_s < y->used_s ? -1 : 1) : strcmp(x->path, y->path);
}

void build_cache_trim(const struct build_cache *cache)
{
	struct arena arena = {0};
	VEC(struct entry) entries = {0};
	uint64_t sum = 0;

	for (size_t k = 0; k < KINDS; k++) {
		char *folder = file_join(&arena, cache->folder, kinds[k]);
		struct words names = {0};

		if (file_list(folder, &arena, &names, NULL) != 0)
			continue;
		for (size_t i = 0; i < names.n; i++) {
			struct entry entry = {.path = file_join(&arena, folder, names.v[i])};
			struct stat st;

			if (stat(file_join(&arena, entry.path, "used"), &st) != 0)
				continue;
			entry.used_s = (int64_t)st.st_mtime;
			entry.bytes = tree_bytes(entry.path, &arena);
			sum += entry.bytes;
			vec_push(&entries, entry);
		}
	}
	if (entries.n > 1)
		qsort(entries.v, entries.n, sizeof(*entries.v), by_use);
	for (size_t i = 0; i < entries.n && sum > cache->limit; i++) {
		if (entries.v[i].used_s >= cache->started_s)
			break;
		if (remove_entry(entries.v[i].path, NULL) == 0)
			sum -= entries.v[i].bytes;
	}
	vec_release(&entries);
	arena_release(&arena);
}
