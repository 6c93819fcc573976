/*
 * git_export.h - the files of a commit in a folder of their own; the repository, its work tree and its index stay as they
 * are. By libgit2, or, where that cannot read the repository (SHA-256), by `git`.
 */
#ifndef FLAGSTONE_SYS_GIT_EXPORT_H
#define FLAGSTONE_SYS_GIT_EXPORT_H

#include "base/arena.h"
#include "base/error.h"

/*
 * Writes the files of `commit` (a full hash) of the repository that holds `folder` into the empty folder `into`.
 * *inside: the folder below `into` that corresponds to `folder`. Line ends and filters are as in a checkout;
 * submodules stay empty. Errors (EXIT_CANNOT): no repository, owned by another user, the commit is not in it
 * (with advice), the folder was not there at that commit, disk full.
 */
int git_export(const char *folder, const char *commit, const char *into, const char **inside,
	struct arena *arena, struct error *e);

#endif
