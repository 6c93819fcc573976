#include "sys/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* One that has just been made may not be locked yet. */
enum { OLD_S = 60 };

/* Did a process that is gone leave it? */
static bool is_abandoned(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool abandoned;

	if (fd < 0)
		return false;
	abandoned = fstat(fd, &st) == 0 && st.st_uid == geteuid() && st.st_mtime + OLD_S < time(NULL) &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return abandoned;
}

/* What cannot be removed is of no consequence here. */
static void sweep(const char *parent, const char *start, struct arena *arena)
{
	struct words names = {0};

	if (file_list(parent, arena, &names, NULL) != 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		char *path = file_join(arena, parent, names.v[i]);

		if (text_starts(names.v[i], start) && is_abandoned(path))
			file_remove_tree(path, NULL);
	}
}

static int lock_it(struct private_folder *folder, struct error *e)
{
	struct statvfs fs;

	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->fd < 0)
		return error_errno(e, errno, "opening the folder %s", folder->path);
	/* a file system without locks: it is then never taken for abandoned, as nobody gets one */
	(void)flock(folder->fd, LOCK_EX | LOCK_NB);
	if (fstatvfs(folder->fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC) != 0)
		return error_set(e, EXIT_CANNOT,
			"programs cannot be started from %s: its file system is mounted noexec; set TMPDIR "
			"to "
			"another folder",
			folder->path);
	return 0;
}

int private_folder_make(struct private_folder *folder, const char *what, struct arena *arena, struct error *e)
{
	const char *set = getenv("TMPDIR");
	char *here = getcwd(NULL, 0);
	const char *parents[] = {set, "/tmp", "/var/tmp", here};
	char *start = arena_printf(arena, "flagstone-%s-", what);
	struct words tried = {0};
	int last = ENOENT;

	*folder = (struct private_folder)PRIVATE_FOLDER_NONE;
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]) && folder->path == NULL; i++) {
		char *path;

		if (parents[i] == NULL || parents[i][0] != '/')
			continue;
		path = arena_printf(arena, "%s/%sXXXXXX", parents[i], start);
		if (mkdtemp(path) != NULL) {
			folder->path = path;
			sweep(parents[i], start, arena);
		} else {
			last = errno;
			words_add(&tried, arena, parents[i]);
		}
	}
	free(here);
	if (folder->path == NULL) {
		error_errno(e, last, "making a private folder in any of %s", words_join(&tried, arena));
		return error_advice(e, "set TMPDIR to a folder that can be written");
	}
	if (lock_it(folder, e) == 0)
		return 0;
	private_folder_remove(folder, NULL);
	return -1;
}

int private_folder_remove(struct private_folder *folder, struct error *e)
{
	int result = 0;

	if (folder->path != NULL)
		result = file_remove_tree(folder->path, e);
	if (folder->fd >= 0)
		close(folder->fd);
	*folder = (struct private_folder)PRIVATE_FOLDER_NONE;
	return result;
}
