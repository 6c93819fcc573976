#include "archive/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/place.h"
#include "base/file.h"
#include "record/host_name.h"

enum { STAMP = 16, HEX_PART = 12 };

/* Known neighbours of the HOST folders. */
static const char *const neighbours[] = {"README.md", "schema", "example", "baselines", "lost+found"};

struct walk {
	const struct archive *archive;
	walk_visit *visit;
	void *context;
	struct error *e;
};

bool walk_name_has_form(const char *name, const char *ending)
{
	static const char form[] = "00000000T000000Z-";
	size_t i = 0;

	for (; i < STAMP + 1; i++)
		if (form[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
			return false;
	if (strspn(name + i, "0123456789abcdef") != HEX_PART)
		return false;
	return strcmp(name + i + HEX_PART, ending) == 0;
}

int walk_open(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return error_errno(e, errno, "reading %s", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, EXIT_CANNOT, "reading %s: it is not a regular file", path);
	}
	return fd;
}

/* Names in a folder, which must not be a symbolic link itself. */
static int list_folder(
	const char *path, bool may_be_link, struct arena *arena, struct words *names, struct error *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (may_be_link ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return error_errno(e, errno, "reading folder %s", path);
	close(fd);
	return file_list(path, arena, names, e);
}

static bool is_number(const char *name, size_t digits)
{
	return strlen(name) == digits && strspn(name, "0123456789") == digits;
}

static bool is_month(const char *name)
{
	return is_number(name, 2) && strcmp(name, "01") >= 0 && strcmp(name, "12") <= 0;
}

static mode_t type_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_mode & S_IFMT : 0;
}

static enum walk_kind kind_of_file(const char *name, mode_t type)
{
	if (type == S_IFLNK)
		return WALK_LINK;
	if (type != S_IFREG)
		return WALK_FOREIGN;
	if (walk_name_has_form(name, ".json.gz"))
		return WALK_RECORD;
	if (walk_name_has_form(name, ".journal"))
		return WALK_JOURNAL;
	return text_starts(name, PLACE_TEMPORARY) ? WALK_TEMPORARY : WALK_FOREIGN;
}

static int report(const struct walk *w, const struct walk_item *item)
{
	return w->visit(w->context, item, w->e);
}

static int walk_month(const struct walk *w, const char *path, const char *host, const char *folder,
	const struct words *names)
{
	for (size_t i = 0; i < names->n; i++) {
		struct walk_item item = {.host = host, .folder = folder, .name = names->v[i]};

		item.path = file_join(w->archive->arena, path, item.name);
		item.kind = kind_of_file(item.name, type_of(item.path));
		if (report(w, &item) != 0)
			return -1;
	}
	return 0;
}

/* level 0: the archive itself, 1: a HOST, 2: a year, 3: a month. */
static bool is_folder_of(const char *name, int level)
{
	if (level == 1)
		return host_name_is_valid(name);
	return level == 2 ? is_number(name, 4) : is_month(name);
}

static bool is_neighbour(const char *name)
{
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++)
		if (strcmp(name, neighbours[i]) == 0)
			return true;
	return name[0] == '.' && !text_starts(name, PLACE_TEMPORARY); /* .git and its like */
}

static int walk_level(const struct walk *w, const char *path, const char *host, const char *folder, int level)
{
	struct arena *arena = w->archive->arena;
	struct words names = {0};
	struct error why = {0};

	if (list_folder(path, level == 0, arena, &names, &why) != 0) {
		struct walk_item item = {.kind = WALK_UNREADABLE,
			.path = path,
			.host = host,
			.name = file_name(path),
			.reason = arena_strdup(arena, why.text)};

		return report(w, &item);
	}
	if (level == 3)
		return walk_month(w, path, host, folder, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];
		struct walk_item item = {.host = host, .name = name, .path = file_join(arena, path, name)};
		mode_t type = type_of(item.path);
		int result;

		if (level == 0 && is_neighbour(name))
			continue;
		item.kind = type == S_IFLNK ? WALK_LINK : WALK_FOREIGN;
		if (type == S_IFDIR && is_folder_of(name, level + 1))
			result = walk_level(w, item.path, level == 0 ? name : host,
				level == 0 ? name : file_join(arena, folder, name), level + 1);
		else
			result = report(w, &item);
		if (result != 0)
			return -1;
	}
	return 0;
}

int walk_archive(const struct archive *archive, walk_visit *visit, void *context, struct error *e)
{
	struct walk w = {archive, visit, context, e};

	return walk_level(&w, archive->root, NULL, NULL, 0);
}
