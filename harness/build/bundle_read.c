#include "build/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"
#include "base/mem.h"
#include "build/bundle_tar.h"
#include "sys/process.h"

/*
 * Unpacking, of a file or of a folder that tar made of it. Whichever it is, nothing is written that bundle.json does not
 * list, and nothing outside of the folder given: paths are checked before, files are made with O_EXCL below it.
 */

enum { COPY_BLOCK = 256 * 1024 };

/* Where members come from. */
struct source {
	const char *path;
	struct gzip_reader *gzip; /* NULL: a folder */
	int folder;
	int fd; /* of the folder's file that is being read; -1 */
};

struct unpacking {
	struct source source;
	const char *into;
	char *block;
	struct arena *arena;
	struct bundle *bundle;
	struct error *e;
};

static int refuse(const struct unpacking *u, const char *member, const char *why)
{
	return error_set(u->e, EXIT_CANNOT, "%s: %s %s; nothing of it is run", u->source.path, member, why);
}

/* Exactly so many bytes of the tar file. */
static int read_exactly(const struct unpacking *u, char *bytes, size_t count)
{
	size_t got;

	while (count > 0) {
		if (gzip_read(u->source.gzip, bytes, count, &got, u->e) != 0)
			return error_context(u->e, "reading the bundle");
		if (got == 0)
			return error_set(u->e, EXIT_CANNOT, "%s: it ends within a member: the file is cut",
				u->source.path);
		bytes += got;
		count -= got;
	}
	return 0;
}

/* Why a member stands where another one is wanted. */
static const char *misplaced(const struct unpacking *u, const char *name, const char *wanted)
{
	const char *path = name + strlen(BUNDLE_FOLDER) + 1;

	if (text_starts(name, "/"))
		return "begins at the root";
	if (!text_starts(name, BUNDLE_FOLDER "/"))
		return bundle_path_fault(name) != NULL ? bundle_path_fault(name)
						       : "is not below " BUNDLE_FOLDER "/";
	if (bundle_path_fault(path) != NULL)
		return bundle_path_fault(path);
	if (u->bundle->files == NULL)
		return "stands where bundle.json should be";
	if (strcmp(path, "bundle.json") == 0)
		return "is there twice";
	for (size_t i = 0; i < u->bundle->file_count; i++) {
		if (strcmp(u->bundle->files[i].path, path) != 0)
			continue;
		for (size_t k = 0; k < i; k++)
			if (wanted != NULL && strcmp(u->bundle->files[k].path, wanted) == 0)
				return arena_printf(u->arena, "stands where %s should be", wanted);
		return "is there twice";
	}
	return "is not listed in bundle.json";
}

/* The next member must be this one (NULL: the end), so large. bytes UINT64_MAX: any size, *size says it. */
static int next_member(struct unpacking *u, const char *wanted, uint64_t bytes, uint64_t *size)
{
	char block[TAR_BLOCK];
	struct tar_entry entry;
	const char *fault;
	char *name = wanted != NULL ? arena_printf(u->arena, BUNDLE_FOLDER "/%s", wanted) : NULL;

	if (read_exactly(u, block, sizeof(block)) != 0)
		return -1;
	if (tar_is_end(block))
		return wanted == NULL ? 0 : refuse(u, wanted, "is missing: the tar file ends before it");
	fault = tar_read_header(block, u->arena, &entry);
	if (fault == NULL && (name == NULL || strcmp(entry.name, name) != 0))
		fault = misplaced(u, entry.name, wanted);
	if (fault == NULL && bytes != UINT64_MAX && entry.bytes != bytes)
		fault = arena_printf(u->arena, "has %llu bytes, and should have %llu",
			(unsigned long long)entry.bytes, (unsigned long long)bytes);
	if (fault != NULL && u->bundle->files == NULL)
		return error_set(u->e, EXIT_CANNOT, "%s is no bundle: its first member, \"%s\", %s",
			u->source.path, entry.name, fault);
	if (fault != NULL)
		return refuse(u, entry.name, fault);
	*size = entry.bytes;
	return 0;
}

static int skip_padding(const struct unpacking *u, uint64_t bytes)
{
	char block[TAR_BLOCK];

	return read_exactly(u, block, tar_padding(bytes));
}

/* Opens a folder's file without following a link anywhere in its path. */
static int open_member(const struct unpacking *u, const char *member, int *fd)
{
	const char *path = member;
	int folder = dup(u->source.folder);
	struct stat st;

	while (folder >= 0) {
		size_t n = strcspn(path, "/");
		char *part = arena_strndup(u->arena, path, n);
		int next = openat(folder, part,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (path[n] == '/' ? O_DIRECTORY : 0));

		close(folder);
		folder = next;
		if (path[n] == '\0')
			break;
		path += n + 1;
	}
	if (folder < 0)
		return refuse(u, member,
			errno == ELOOP ? "is a symbolic link"
				       : arena_printf(u->arena, "cannot be read: %s", strerror(errno)));
	if (fstat(folder, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(folder);
		return refuse(u, member, "is no regular file");
	}
	*fd = folder;
	return 0;
}

static int begin_member(struct unpacking *u, const char *path, uint64_t bytes, uint64_t *size)
{
	struct stat st;

	if (u->source.gzip != NULL)
		return next_member(u, path, bytes, size);
	if (open_member(u, path, &u->source.fd) != 0)
		return -1;
	*size = bytes;
	if (fstat(u->source.fd, &st) == 0 && bytes != UINT64_MAX && (uint64_t)st.st_size != bytes)
		return refuse(u, path,
			arena_printf(u->arena, "has %lld bytes, and should have %llu", (long long)st.st_size,
				(unsigned long long)bytes));
	if (bytes == UINT64_MAX)
		*size = (uint64_t)st.st_size;
	return 0;
}

static int member_bytes(struct unpacking *u, const char *path, char *bytes, size_t count)
{
	if (u->source.gzip != NULL)
		return read_exactly(u, bytes, count);
	while (count > 0) {
		ssize_t got = read(u->source.fd, bytes, count);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0 ? refuse(u, path, "became shorter while it was read")
					: error_errno(u->e, errno, "reading %s/%s", u->source.path, path);
		bytes += got;
		count -= (size_t)got;
	}
	return 0;
}

static int end_member(struct unpacking *u, uint64_t size)
{
	if (u->source.gzip != NULL)
		return skip_padding(u, size);
	if (u->source.fd >= 0)
		close(u->source.fd);
	u->source.fd = -1;
	return 0;
}

/* A new file of ours; -1 as descriptor where the bytes are only checked. */
static int create(const struct unpacking *u, const struct bundle_file *file, const char **path, int *fd)
{
	*fd = -1;
	/* flagstone itself and its script are there for whoever unpacks it by hand */
	if (!text_starts(file->path, "builds/") && !text_starts(file->path, "inputs/"))
		return 0;
	*path = file_join(u->arena, u->into, file->path);
	if (file_make_folders(file_folder(u->arena, *path), u->e) != 0)
		return -1;
	*fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file->program ? 0700 : 0600);
	return *fd >= 0 ? 0 : error_errno(u->e, errno, "writing %s", *path);
}

static int copy_member(struct unpacking *u, const struct bundle_file *file, int fd, const char *path)
{
	uint64_t left = file->bytes;
	struct hash hash;
	char hex[HASH_HEX];

	hash_init(&hash);
	while (left > 0) {
		size_t take = left < COPY_BLOCK ? (size_t)left : COPY_BLOCK;

		if (member_bytes(u, file->path, u->block, take) != 0 ||
			(fd >= 0 && file_write_all(fd, u->block, take, path, u->e) != 0))
			return -1;
		hash_add(&hash, u->block, take);
		left -= take;
	}
	hash_final_hex(&hash, hex);
	return strcmp(hex, file->sha256) == 0
		       ? 0
		       : refuse(u, file->path,
				 "is not what bundle.json says (another SHA-256): damaged, or changed");
}

static int take_member(struct unpacking *u, const struct bundle_file *file)
{
	const char *path = NULL;
	uint64_t size = 0;
	int fd = -1, result;

	if (process_interrupted())
		return error_set(u->e, EXIT_INTERRUPTED, "interrupted while unpacking %s", u->source.path);
	if (begin_member(u, file->path, file->bytes, &size) != 0 || create(u, file, &path, &fd) != 0)
		return -1;
	result = copy_member(u, file, fd, path);
	if (fd >= 0 && close(fd) != 0 && result == 0)
		result = error_errno(u->e, errno, "closing %s", path);
	return result == 0 ? end_member(u, size) : -1;
}

static int take_manifest(struct unpacking *u)
{
	uint64_t size = 0;
	char *text;
	int result;

	if (begin_member(u, "bundle.json", UINT64_MAX, &size) != 0)
		return -1;
	if (size > BUNDLE_MANIFEST_LIMIT)
		return refuse(u, "bundle.json",
			arena_printf(u->arena, "has %llu bytes, more than the %d allowed",
				(unsigned long long)size, BUNDLE_MANIFEST_LIMIT));
	text = mem_alloc((size_t)size + 1);
	result = member_bytes(u, "bundle.json", text, (size_t)size);
	if (result == 0)
		result = end_member(u, size);
	if (result == 0)
		result = bundle_manifest_read(text, (size_t)size, u->source.path, u->arena, u->bundle, u->e);
	mem_free(text);
	return result;
}

/* Nothing may follow: another block of zeroes, and then the end of the compressed data. */
static int take_end(struct unpacking *u)
{
	char block[TAR_BLOCK];
	uint64_t size;
	size_t got;

	if (u->source.gzip == NULL)
		return 0;
	if (next_member(u, NULL, 0, &size) != 0 || read_exactly(u, block, sizeof(block)) != 0)
		return -1;
	if (!tar_is_end(block))
		return refuse(u, "the end of the tar file", "is damaged");
	if (gzip_read(u->source.gzip, block, sizeof(block), &got, u->e) != 0)
		return -1;
	return got == 0 ? 0 : refuse(u, "the tar file", "has bytes behind its end");
}

static int unpack(struct unpacking *u, const char *arch)
{
	if (take_manifest(u) != 0)
		return -1;
	if (!text_same(u->bundle->arch, arch))
		return error_set(u->e, EXIT_CANNOT,
			"%s holds programs for %s, and this machine is %s: build a bundle on a machine of "
			"that "
			"kind (`flagstone build --bundle FILE`)",
			u->source.path, u->bundle->arch, arch);
	for (size_t i = 0; i < u->bundle->file_count; i++)
		if (take_member(u, &u->bundle->files[i]) != 0)
			return -1;
	return take_end(u);
}

static int open_source(struct source *source, const char *path, int *fd, struct error *e)
{
	struct stat st;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return error_errno(e, errno, "opening the bundle %s", path);
	*source = (struct source){.path = path, .folder = *fd, .fd = -1};
	if (fstat(*fd, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return error_set(e, EXIT_CANNOT, "%s is neither a bundle's file nor a folder", path);
	if (S_ISREG(st.st_mode)) /* bundle.json, headers and padding are not part of the limit of its files */
		source->gzip = gzip_reader_new(*fd, path, bundle_limit + (1ULL << 30));
	return 0;
}

int bundle_read(const char *path, const char *arch, const char *into, struct arena *arena,
	struct bundle *bundle, struct error *e)
{
	struct bundle read = {0};
	struct unpacking u = {.into = into, .arena = arena, .bundle = &read, .e = e};
	int fd, result = open_source(&u.source, path, &fd, e);

	if (result == 0) {
		u.block = mem_alloc(COPY_BLOCK);
		result = unpack(&u, arch);
		mem_free(u.block);
	}
	gzip_reader_free(u.source.gzip);
	if (u.source.fd >= 0)
		close(u.source.fd);
	if (fd >= 0)
		close(fd);
	if (result == 0)
		*bundle = read;
	else if (read.record != NULL)
		record_release(read.record);
	return result;
}
