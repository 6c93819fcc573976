#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int file_read(const char *path, size_t limit, struct buf *out, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t start = out->n;
	char block[16384];

	if (fd < 0)
		return error_errno(e, errno, "reading %s", path);
	for (;;) {
		ssize_t got = read(fd, block, sizeof(block));

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			break;
		if (got < 0 || out->n - start + (size_t)got > limit) {
			int errnum = got < 0 ? errno : EFBIG;

			close(fd);
			out->n = start;
			if (errnum == EFBIG)
				return error_set(e, EXIT_CANNOT,
					"reading %s: it is longer than the %zu bytes allowed here", path,
					limit);
			return error_errno(e, errnum, "reading %s", path);
		}
		buf_add(out, block, (size_t)got);
	}
	close(fd);
	buf_add(out, "", 0);
	return 0;
}

int file_write_all(int fd, const void *bytes, size_t count, const char *path, struct error *e)
{
	const char *p = bytes;

	while (count > 0) {
		ssize_t put = write(fd, p, count);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return error_errno(e, errno, "writing %s", path);
		p += put;
		count -= (size_t)put;
	}
	return 0;
}

int file_sync_folder(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return error_errno(e, errno, "opening folder %s", path);
	/* some file systems do not sync folders and say EINVAL: there is nothing to be lost then */
	if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
		result = error_errno(e, errno, "syncing folder %s", path);
	close(fd);
	return result;
}

int file_write_atomic(const char *path, const void *bytes, size_t count, struct error *e)
{
	struct arena arena = {0};
	char *temporary = arena_printf(&arena, "%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);
	int result;

	if (fd < 0) {
		result = error_errno(e, errno, "creating a file beside %s", path);
		goto out;
	}
	fchmod(fd, 0644);
	result = file_write_all(fd, bytes, count, path, e);
	if (result == 0 && fsync(fd) != 0)
		result = error_errno(e, errno, "syncing %s", path);
	if (close(fd) != 0 && result == 0)
		result = error_errno(e, errno, "closing %s", path);
	if (result == 0 && rename(temporary, path) != 0)
		result = error_errno(e, errno, "renaming to %s", path);
	if (result == 0)
		result = file_sync_folder(file_folder(&arena, path), e);
	else
		unlink(temporary);
out:
	arena_release(&arena);
	return result;
}

int file_make_folders(const char *path, struct error *e)
{
	char *copy = mem_strdup(path);
	int result = 0;

	for (char *p = copy + 1; *copy != '\0'; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
			result = error_errno(e, errno, "making folder %s", copy);
			break;
		}
		*p = was;
		if (was == '\0')
			break;
	}
	if (result == 0 && !file_is_folder(path))
		result = error_set(
			e, EXIT_CANNOT, "making folder %s: something that is no folder stands there", path);
	mem_free(copy);
	return result;
}

/* Removes everything below the folder open as fd; closes fd. */
static int remove_inside(int fd, const char *path, struct error *e)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int result = 0;

	if (dir == NULL) {
		close(fd);
		return error_errno(e, errno, "reading folder %s", path);
	}
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		int inner;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
			continue;
		inner = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0) {
			result = error_errno(e, errno, "removing %s/%s", path, entry->d_name);
			break;
		}
		result = remove_inside(inner, path, e);
		if (result == 0 && unlinkat(fd, entry->d_name, AT_REMOVEDIR) != 0)
			result = error_errno(e, errno, "removing %s/%s", path, entry->d_name);
	}
	closedir(dir);
	return result;
}

int file_remove_tree(const char *path, struct error *e)
{
	int fd;

	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "removing %s", path);
	if (remove_inside(fd, path, e) != 0)
		return -1;
	if (rmdir(path) != 0)
		return error_errno(e, errno, "removing folder %s", path);
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int file_list(const char *path, struct arena *arena, struct words *names, struct error *e)
{
	DIR *dir = opendir(path);
	struct words found = {0};
	struct dirent *entry;

	if (dir == NULL)
		return error_errno(e, errno, "reading folder %s", path);
	while ((errno = 0, entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			words_add(&found, arena, entry->d_name);
	if (errno != 0) {
		int errnum = errno;

		closedir(dir);
		return error_errno(e, errnum, "reading folder %s", path);
	}
	closedir(dir);
	if (found.n > 1)
		qsort(found.v, found.n, sizeof(*found.v), by_bytes);
	words_add_all(names, arena, &found);
	return 0;
}

bool file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool file_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *file_join(struct arena *arena, const char *a, const char *b)
{
	if (b[0] == '/' || a[0] == '\0')
		return arena_strdup(arena, b);
	return arena_printf(arena, text_ends(a, "/") ? "%s%s" : "%s/%s", a, b);
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

char *file_folder(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return arena_strdup(arena, ".");
	if (slash == path)
		return arena_strdup(arena, "/");
	return arena_strndup(arena, path, (size_t)(slash - path));
}

char *file_real(struct arena *arena, const char *path, struct error *e)
{
	char *real = realpath(path, NULL);
	char *copy;

	if (real == NULL) {
		error_errno(e, errno, "resolving %s", path);
		return NULL;
	}
	copy = arena_strdup(arena, real);
	free(real);
	return copy;
}

char *file_find_program(struct arena *arena, const char *name, const char *path_text)
{
	const char *p = path_text != NULL ? path_text : getenv("PATH");

	if (strchr(name, '/') != NULL)
		return file_is_program(name) ? arena_strdup(arena, name) : NULL;
	if (p == NULL)
		p = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t n = strcspn(p, ":");
		char *path = n > 0 ? arena_printf(arena, "%.*s/%s", (int)n, p, name)
				   : arena_printf(arena, "./%s", name);

		if (file_is_program(path))
			return path;
		if (p[n] == '\0')
			return NULL;
		p += n + 1;
	}
}
