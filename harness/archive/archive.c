#include "archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/folder.h"
#include "archive/place.h"
#include "base/file.h"
#include "record/host_name.h"
#include "record/json.h"

int archive_open(struct archive *archive, struct arena *arena, const char *root, bool create, struct error *e)
{
	struct stat st;
	int fd;

	if (stat(root, &st) != 0) {
		if (errno != ENOENT)
			return error_errno(e, errno, "opening the archive %s", root);
		if (!create)
			return error_set(e, EXIT_CANNOT,
				"there is no archive at %s; `flagstone run` makes one, --archive DIR names "
				"another",
				root);
		if (file_make_folders(root, e) != 0)
			return error_context(e, "making the archive");
	}
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "opening the archive %s", root);
	close(fd);
	archive->root = arena_strdup(arena, root);
	archive->arena = arena;
	return 0;
}

bool archive_stamp(const char *started, char stamp[17])
{
	static const char form[] = "0000-00-00T00:00:00Z";
	size_t n = 0;

	if (strlen(started) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i] != '\0'; i++) {
		if (form[i] == '0' ? started[i] < '0' || started[i] > '9' : started[i] != form[i])
			return false;
		if (form[i] != '-' && form[i] != ':')
			stamp[n++] = started[i];
	}
	stamp[n] = '\0';
	return memcmp(stamp + 4, "01", 2) >= 0 && memcmp(stamp + 4, "12", 2) <= 0;
}

/* Makes one folder below another; what stands there must be a folder and no link to one. */
static int step_down(struct arena *arena, const char **path, const char *name, struct error *e)
{
	const char *inner = file_join(arena, *path, name);
	struct stat st;

	if (mkdir(inner, 0777) == 0) {
		if (file_sync_folder(*path, e) != 0)
			return -1;
	} else if (errno != EEXIST) {
		return error_errno(e, errno, "making folder %s", inner);
	}
	if (lstat(inner, &st) != 0)
		return error_errno(e, errno, "looking at folder %s", inner);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, EXIT_CANNOT,
			"%s is %s; nothing is written through it: remove it, or use another archive", inner,
			S_ISLNK(st.st_mode) ? "a symbolic link" : "not a folder");
	*path = inner;
	return 0;
}

int folder_make(const struct archive *archive, const struct record *record, const char **folder,
	char stamp[17], struct error *e)
{
	const char *path = archive->root;
	char year[5] = {0}, month[3] = {0};

	if (record->host_name == NULL || !host_name_is_valid(record->host_name))
		return error_set(e, EXIT_CANNOT,
			"\"%s\" is no name of a host's folder (NAME-XXXXXXXXXXXX with 12 hex digits)",
			record->host_name != NULL ? record->host_name : "");
	if (record->started == NULL || !archive_stamp(record->started, stamp))
		return error_set(e, EXIT_CANNOT, "\"%s\" is no start of a run (YYYY-MM-DDTHH:MM:SSZ)",
			record->started != NULL ? record->started : "");
	memcpy(year, stamp, 4);
	memcpy(month, stamp + 4, 2);
	if (step_down(archive->arena, &path, record->host_name, e) != 0 ||
		step_down(archive->arena, &path, year, e) != 0 ||
		step_down(archive->arena, &path, month, e) != 0)
		return -1;
	*folder = path;
	return 0;
}

/* Writes and syncs the record to a descriptor, and closes it. */
static int fill(struct record *record, int fd, const char *path, struct error *e)
{
	int result = fchmod(fd, 0644) == 0 ? 0 : error_errno(e, errno, "setting the mode of %s", path);

	if (result == 0)
		result = record_write(record, fd, path, e);
	if (result == 0 && fsync(fd) != 0)
		result = error_errno(e, errno, "syncing %s", path);
	if (close(fd) != 0 && result == 0)
		result = error_errno(e, errno, "closing %s", path);
	return result;
}

int archive_write(const struct archive *archive, struct record *record, const char **path, struct error *e)
{
	const char *folder = NULL, *final;
	char *temporary;
	char stamp[17];
	int fd;

	if (folder_make(archive, record, &folder, stamp, e) != 0)
		return error_context(e, "archiving the record");
	temporary = arena_printf(archive->arena, "%s/" PLACE_TEMPORARY "XXXXXX", folder);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "archiving the record: creating a file in %s", folder);
	if (fill(record, fd, temporary, e) != 0)
		goto failed;
	final = arena_printf(archive->arena, "%s/%s-%.12s.json.gz", folder, stamp, record->id);
	if (place_file(temporary, final, PLACE_BEST, e) != 0)
		goto failed;
	if (file_sync_folder(folder, e) != 0)
		return error_context(e, "archiving the record");
	*path = final;
	return 0;
failed:
	unlink(temporary);
	return error_context(e, "archiving the record");
}
