#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "host/tune_work.h"

struct probe tune_probe(const struct tune *tune)
{
	return (struct probe){.root = tune->root, .live = tune->root[0] == '\0', .arena = tune->arena};
}

char *tune_read(const struct tune *tune, const char *path, const char **reason)
{
	struct probe probe = tune_probe(tune);

	return probe_text(&probe, path, reason);
}

void tune_step(const struct tune *tune)
{
	if (tune->io != NULL && tune->io->step != NULL)
		tune->io->step(tune->io->context);
}

static char *full_path(const struct tune *tune, const char *path)
{
	return arena_printf(tune->arena, "%s%s", tune->root, path);
}

static bool is_kernels(const struct statfs *fs)
{
	static const unsigned long kernels[] = {SYSFS_MAGIC, PROC_SUPER_MAGIC, CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if ((unsigned long)fs->f_type == kernels[i])
			return true;
	return false;
}

bool tune_root_is_live(const struct tune *tune, const char *path)
{
	struct statfs fs;

	return statfs(full_path(tune, path), &fs) == 0 && is_kernels(&fs);
}

/* A recorded tree may hold links to the live files: those are not what its user means to change. */
static int refuse_kernels(const struct tune *tune, int fd)
{
	struct statfs fs;

	if (tune->root[0] == '\0')
		return 0;
	if (fstatfs(fd, &fs) != 0)
		return errno;
	return is_kernels(&fs) ? ENOTSUP : 0;
}

/* Is it a file of a control group that tune made? A kernel fills those with files; in a recorded tree nobody does. */
static bool in_own_group(const char *path)
{
	return strstr(path, "/" TUNE_GROUP "/") != NULL || strstr(path, "/" TUNE_REST "/") != NULL;
}

static int open_file(const struct tune *tune, const char *path, int *errnum)
{
	bool recorded = tune->root[0] != '\0';
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	int fd = open(full_path(tune, path), flags);

	if (fd < 0 && errno == ENOENT && recorded && in_own_group(path))
		fd = open(full_path(tune, path), flags | O_CREAT, 0644);
	if (fd < 0) {
		*errnum = errno;
		return -1;
	}
	*errnum = refuse_kernels(tune, fd);
	if (*errnum == 0 && recorded && ftruncate(fd, 0) != 0)
		*errnum = errno;
	if (*errnum == 0)
		return fd;
	close(fd);
	return -1;
}

int tune_write(const struct tune *tune, const char *path, const char *text)
{
	char *line = arena_printf(tune->arena, "%s\n", text);
	int errnum = 0, fd;
	ssize_t put;

	tune_step(tune);
	if (tune->io != NULL && tune->io->write != NULL)
		return tune->io->write(full_path(tune, path), text, tune->io->context);
	fd = open_file(tune, path, &errnum);
	if (fd < 0)
		return errnum;
	/* in one call: the kernel takes each as a value of its own */
	do
		put = write(fd, line, strlen(line));
	while (put < 0 && errno == EINTR);
	if (put < 0)
		errnum = errno;
	else if ((size_t)put != strlen(line))
		errnum = EIO;
	if (close(fd) != 0 && errnum == 0)
		errnum = errno;
	return errnum;
}

int tune_writable(const struct tune *tune, const char *path)
{
	return access(full_path(tune, path), W_OK) == 0 ? 0 : errno;
}

static int refuse_folder(const struct tune *tune, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int errnum;

	if (fd < 0)
		return errno;
	errnum = refuse_kernels(tune, fd);
	close(fd);
	return errnum;
}

int tune_make_folder(const struct tune *tune, const char *path)
{
	char *full = full_path(tune, path);
	int errnum;

	tune_step(tune);
	errnum = refuse_folder(tune, file_folder(tune->arena, full));
	if (errnum != 0)
		return errnum;
	return mkdir(full, 0755) == 0 ? 0 : errno;
}

int tune_remove_folder(const struct tune *tune, const char *path)
{
	char *full = full_path(tune, path);
	int errnum;

	tune_step(tune);
	errnum = refuse_folder(tune, full);
	if (errnum != 0)
		return errnum;
	if (tune->root[0] != '\0')
		return file_remove_tree(full, NULL) == 0 ? 0 : EIO;
	return rmdir(full) == 0 ? 0 : errno;
}

static bool same_cpus(const char *a, const char *b, struct arena *arena)
{
	struct cpu_list first = {0}, second = {0};

	return cpu_list_parse(a, arena, &first, NULL) == 0 && cpu_list_parse(b, arena, &second, NULL) == 0 &&
	       strcmp(cpu_list_text(&first, arena), cpu_list_text(&second, arena)) == 0;
}

/* Hex digits with commas between groups and any number of zeros in front. */
static bool same_mask(const char *a, const char *b)
{
	for (;;) {
		size_t skip_a = strspn(a, ","), skip_b = strspn(b, ",");

		a += skip_a;
		b += skip_b;
		if (*a == '\0' || *b == '\0')
			return *a == *b;
		if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
			return false;
	}
}

static bool same_limit(const char *is, const char *wanted)
{
	uint64_t a, b;

	return num_parse_u64(is, &a) && num_parse_u64(wanted, &b) &&
	       (a > b ? a - b : b - a) < TUNE_ROUNDING_KHZ;
}

bool tune_match(enum tune_match match, const char *is, const char *wanted, struct arena *arena)
{
	switch (match) {
	case TUNE_EXACT:
		return strcmp(is, wanted) == 0;
	case TUNE_CPUS:
		return same_cpus(is, wanted, arena);
	case TUNE_MASK:
		return same_mask(is + strspn(is, "0,"), wanted + strspn(wanted, "0,"));
	case TUNE_LIMIT:
		return same_limit(is, wanted);
	}
	return false;
}
