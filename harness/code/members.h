/*
 * members.h - the members of an archive of objects (ar, .a).
 *
 * Sources: ar(5), System V's and GNU's long names ("/" and "//"), BSD's ("#1/").
 */
#ifndef FLAGSTONE_CODE_MEMBERS_H
#define FLAGSTONE_CODE_MEMBERS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct member {
	const char *name;  /* in the arena */
	const char *bytes; /* within the archive's */
	size_t size;
};

struct members {
	struct buf file;
	struct member *v; /* tables of symbols and of names are left out */
	size_t n;
};

/* Errors: not an archive, over 1 GiB, cut, damaged. On failure there is nothing to release. */
int members_open(const char *path, struct arena *arena, struct members *members, struct error *e);
void members_release(struct members *members);

/*
 * A path under which a member's bytes can be read as a file, while *fd is open: the caller closes it. NULL with the
 * error.
 */
const char *member_path(const struct member *member, struct arena *arena, int *fd, struct error *e);

#endif
