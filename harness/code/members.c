#include "code/members.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { LIMIT = 1 << 30, HEAD = 60, NAME = 16, SIZE_AT = 48, SIZE_DIGITS = 10, NAME_LONGEST = 1024 };

struct reading {
	const char *path;
	struct arena *arena;
	const struct buf *file;
	const char *names; /* GNU's long ones */
	size_t names_size;
	VEC(struct member) all;
};

static int damaged(const struct reading *r, struct error *e)
{
	return error_set(e, EXIT_CANNOT,
		"reading %s: it is cut or damaged: the head of a member is not where it should be; make the "
		"archive again",
		r->path);
}

/* The digits of a field that is filled up with blanks. */
static bool read_number(const char *field, size_t width, uint64_t *value)
{
	char text[NAME + 1];
	size_t n = 0;

	while (n < width && field[n] >= '0' && field[n] <= '9') {
		text[n] = field[n];
		n++;
	}
	text[n] = '\0';
	return num_parse_u64(text, value);
}

static const char *long_name(const struct reading *r, const char *head)
{
	uint64_t at;
	size_t n = 0;

	if (!read_number(head + 1, NAME - 1, &at) || at >= r->names_size)
		return NULL;
	while (at + n < r->names_size && r->names[at + n] != '\n' && n < NAME_LONGEST)
		n++;
	if (n > 0 && r->names[at + n - 1] == '/')
		n--;
	return arena_strndup(r->arena, r->names + at, n);
}

/* Adds a member, unless it is one of the archive's own tables. */
static int add_member(struct reading *r, const char *head, const char *bytes, size_t size, struct error *e)
{
	struct member member = {.bytes = bytes, .size = size};
	size_t n = 0;

	if (memcmp(head, "//", 2) == 0) {
		r->names = bytes;
		r->names_size = size;
		return 0;
	}
	if (memcmp(head, "/ ", 2) == 0 || memcmp(head, "/SYM64/", 7) == 0 ||
		memcmp(head, "__.SYMDEF", 9) == 0)
		return 0;
	if (memcmp(head, "#1/", 3) == 0) {
		uint64_t length;

		if (!read_number(head + 3, NAME - 3, &length) || length > size)
			return damaged(r, e);
		n = strnlen(bytes, length < NAME_LONGEST ? length : NAME_LONGEST);
		member.name = arena_strndup(r->arena, bytes, n);
		member.bytes += length;
		member.size -= length;
		if (text_starts(member.name, "__.SYMDEF"))
			return 0;
	} else if (head[0] == '/') {
		member.name = long_name(r, head);
		if (member.name == NULL)
			return damaged(r, e);
	} else {
		while (n < NAME && head[n] != '/')
			n++;
		while (n > 0 && head[n - 1] == ' ')
			n--;
		member.name = arena_strndup(r->arena, head, n);
	}
	vec_push(&r->all, member);
	return 0;
}

static int read_all(struct reading *r, struct error *e)
{
	const struct buf *file = r->file;
	size_t at = 8;

	while (at < file->n) {
		const char *head = file->data + at;
		uint64_t size;

		if (file->n - at < HEAD || memcmp(head + HEAD - 2, "`\n", 2) != 0 ||
			!read_number(head + SIZE_AT, SIZE_DIGITS, &size) || size > file->n - at - HEAD)
			return damaged(r, e);
		if (add_member(r, head, head + HEAD, size, e) != 0)
			return -1;
		at += HEAD + size + size % 2;
	}
	return 0;
}

int members_open(const char *path, struct arena *arena, struct members *members, struct error *e)
{
	struct reading r = {.path = path, .arena = arena, .file = &members->file};
	int result;

	*members = (struct members){0};
	if (file_read(path, LIMIT, &members->file, e) != 0)
		return -1;
	if (members->file.n < 8 || memcmp(members->file.data, "!<arch>\n", 8) != 0)
		result = error_set(e, EXIT_CANNOT, "reading %s: it is no archive", path);
	else
		result = read_all(&r, e);
	if (result != 0) {
		vec_release(&r.all);
		members_release(members);
		return -1;
	}
	members->n = r.all.n;
	members->v = arena_array(arena, r.all.n, sizeof(*members->v));
	if (r.all.n > 0)
		memcpy(members->v, r.all.v, r.all.n * sizeof(*members->v));
	vec_release(&r.all);
	return 0;
}

void members_release(struct members *members)
{
	buf_release(&members->file);
	*members = (struct members){0};
}

const char *member_path(const struct member *member, struct arena *arena, int *fd, struct error *e)
{
	*fd = memfd_create("member", MFD_CLOEXEC);
	if (*fd < 0) {
		error_errno(e, errno, "making a file in memory for the member %s", member->name);
		return NULL;
	}
	if (file_write_all(*fd, member->bytes, member->size, member->name, e) != 0) {
		close(*fd);
		*fd = -1;
		return NULL;
	}
	return arena_printf(arena, "/proc/self/fd/%d", *fd);
}
