#include "archive/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int taken(const char *path, struct error *e)
{
	return error_set(
		e, EXIT_CANNOT, "writing %s: it exists already, and records are never overwritten", path);
}

static int by_rename(const char *temporary, const char *path, struct error *e)
{
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST)
		return taken(path, e);
	if (errno == EINVAL || errno == ENOSYS)
		return error_set(e, EXIT_CANNOT,
			"writing %s: this file system can neither link files nor rename without overwriting; "
			"put the archive on another one (--archive DIR)",
			path);
	return error_errno(e, errno, "renaming to %s", path);
}

int place_file(const char *temporary, const char *path, enum place_how how, struct error *e)
{
	if (how == PLACE_RENAME)
		return by_rename(temporary, path, e);
	if (linkat(AT_FDCWD, temporary, AT_FDCWD, path, 0) == 0) {
		unlink(temporary); /* a second name that stays is named by archive_verify(), and harmless */
		return 0;
	}
	if (errno == EEXIST)
		return taken(path, e);
	/* FAT and some network file systems have no links, some sandboxes forbid them */
	if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK || errno == EACCES)
		return by_rename(temporary, path, e);
	return error_errno(e, errno, "linking to %s", path);
}
