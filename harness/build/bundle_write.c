#include "build/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"
#include "base/mem.h"
#include "build/bundle_tar.h"
#include "sys/process.h"

enum { COPY_BLOCK = 256 * 1024, LEVEL = 6 };

/* A bundle being written. */
struct writing {
	struct gzip_writer *gzip;
	uint64_t bytes;
	struct error *e;
};

static int put(struct writing *w, const void *bytes, size_t count)
{
	w->bytes += count;
	return gzip_write(w->gzip, bytes, count, w->e);
}

static int put_header(struct writing *w, const char *path, uint64_t bytes, bool program, struct arena *arena)
{
	struct tar_entry entry = {arena_printf(arena, BUNDLE_FOLDER "/%s", path), bytes, program};
	char block[TAR_BLOCK];

	if (!tar_write_header(block, &entry))
		return error_set(w->e, EXIT_CANNOT,
			"%s does not fit into a tar file: its path or size is too large", path);
	return put(w, block, sizeof(block));
}

static int put_padding(struct writing *w, uint64_t bytes)
{
	static const char zeroes[TAR_BLOCK];

	return put(w, zeroes, tar_padding(bytes));
}

/* Its bytes must be those that bundle.json tells of. */
static int copy_file(struct writing *w, const struct bundle_file *file, char *block)
{
	int fd = open(file->from, O_RDONLY | O_CLOEXEC);
	uint64_t left = file->bytes;
	struct hash hash;
	char hex[HASH_HEX];
	ssize_t got = 1;
	int result = 0;

	if (fd < 0)
		return error_errno(w->e, errno, "reading %s", file->from);
	hash_init(&hash);
	while (left > 0 && got > 0 && result == 0) {
		do
			got = read(fd, block, left < COPY_BLOCK ? (size_t)left : COPY_BLOCK);
		while (got < 0 && errno == EINTR);
		if (got < 0) {
			result = error_errno(w->e, errno, "reading %s", file->from);
		} else if (got > 0) {
			hash_add(&hash, block, (size_t)got);
			left -= (uint64_t)got;
			result = put(w, block, (size_t)got);
		}
	}
	close(fd);
	if (result != 0)
		return -1;
	hash_final_hex(&hash, hex);
	if (left > 0 || strcmp(hex, file->sha256) != 0)
		return error_set(w->e, EXIT_CANNOT,
			"%s changed while it was packed; does something else work in that folder?",
			file->from);
	return 0;
}

static int put_file(struct writing *w, const struct bundle_file *file, char *block, struct arena *arena)
{
	int result;

	if (process_interrupted())
		return error_set(w->e, EXIT_INTERRUPTED, "interrupted while packing");
	if (put_header(w, file->path, file->bytes, file->program, arena) != 0)
		return -1;
	result = file->from != NULL ? copy_file(w, file, block) : put(w, file->content, (size_t)file->bytes);
	return result == 0 ? put_padding(w, file->bytes) : -1;
}

static int put_all(struct writing *w, struct bundle *bundle, struct arena *arena)
{
	static const char end[2 * TAR_BLOCK];
	struct buf manifest = {0};
	char *block = mem_alloc(COPY_BLOCK);
	int result;

	bundle_manifest_write(bundle, &manifest);
	hash_bytes_hex(manifest.data, manifest.n, bundle->id);
	if (manifest.n > BUNDLE_MANIFEST_LIMIT)
		result = error_set(w->e, EXIT_CANNOT,
			"a bundle of %zu cells is too large: what is to be said of them takes %zu bytes, "
			"more than "
			"%d; pack fewer of them (--only)",
			bundle->record->build_count, manifest.n, BUNDLE_MANIFEST_LIMIT);
	else
		result = put_header(w, "bundle.json", manifest.n, false, arena);
	if (result == 0)
		result = put(w, manifest.data, manifest.n);
	if (result == 0)
		result = put_padding(w, manifest.n);
	for (size_t i = 0; i < bundle->file_count && result == 0; i++)
		result = put_file(w, &bundle->files[i], block, arena);
	if (result == 0)
		result = put(w, end, sizeof(end));
	buf_release(&manifest);
	mem_free(block);
	return result;
}

/* What stands at the path may be replaced if it is a bundle, or what could be one. */
static int check_target(const char *path, struct error *e)
{
	unsigned char start[2] = {0};
	struct stat st;
	int fd;

	if (stat(path, &st) != 0)
		return errno == ENOENT ? 0 : error_errno(e, errno, "looking at %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(
			e, EXIT_USAGE, "%s is no regular file: a bundle cannot be written there", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "reading %s, which is to be replaced", path);
	if (st.st_size > 0 && (read(fd, start, 2) != 2 || start[0] != 0x1f || start[1] != 0x8b)) {
		close(fd);
		return error_set(e, EXIT_USAGE,
			"%s is there and is no bundle: it is left alone; give another name", path);
	}
	close(fd);
	return 0;
}

static int write_to(int fd, const char *path, struct bundle *bundle, struct arena *arena,
	struct bundle_written *written, struct error *e)
{
	struct writing w = {.gzip = gzip_writer_new(fd, path, LEVEL), .e = e};
	struct stat st;
	int result = put_all(&w, bundle, arena);

	if (result == 0)
		result = gzip_finish(w.gzip, e);
	gzip_writer_free(w.gzip);
	if (result == 0 && (fsync(fd) != 0 || fstat(fd, &st) != 0))
		result = error_errno(e, errno, "syncing %s", path);
	if (result == 0)
		*written = (struct bundle_written){.bytes = (uint64_t)st.st_size, .unpacked = w.bytes};
	return result;
}

int bundle_write(struct bundle *bundle, const char *path, struct arena *arena, struct bundle_written *written,
	struct error *e)
{
	char *temporary = arena_printf(arena, "%s.XXXXXX", path);
	int fd, result;

	if (check_target(path, e) != 0)
		return -1;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "creating a file beside %s", path);
	fchmod(fd, 0644);
	result = write_to(fd, path, bundle, arena, written, e);
	if (close(fd) != 0 && result == 0)
		result = error_errno(e, errno, "closing %s", path);
	if (result == 0 && rename(temporary, path) != 0)
		result = error_errno(e, errno, "renaming to %s", path);
	if (result != 0) {
		unlink(temporary);
		return error_context(e, "writing the bundle %s", path);
	}
	return file_sync_folder(file_folder(arena, path), e);
}

int bundle_add_file(struct bundle *bundle, const char *path, const char *from, bool program, struct error *e)
{
	struct bundle_file *file = &bundle->files[bundle->file_count];
	struct stat st;
	char hex[HASH_HEX];

	if (stat(from, &st) != 0)
		return error_errno(e, errno, "reading %s", from);
	if (!S_ISREG(st.st_mode))
		return error_set(e, EXIT_CANNOT, "%s is no regular file", from);
	if (st.st_size > BUNDLE_FILE_LIMIT)
		return error_set(e, EXIT_CANNOT, "%s has %lld bytes; a bundle takes files up to %d", from,
			(long long)st.st_size, BUNDLE_FILE_LIMIT);
	if (hash_file_hex(from, hex, e) != 0)
		return -1;
	*file = (struct bundle_file){
		.path = path, .from = from, .bytes = (uint64_t)st.st_size, .program = program};
	memcpy(file->sha256, hex, HASH_HEX);
	bundle->file_count++;
	return 0;
}
