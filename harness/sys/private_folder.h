/*
 * private_folder.h - a folder of this process' own for programs that are to be run and removed again: what a bundle
 * is unpacked to, what `reproduce` builds in.
 *
 *	struct private_folder folder = PRIVATE_FOLDER_NONE;
 *	if (private_folder_make(&folder, "bundle", &arena, &e) != 0) ...
 *	... folder.path ...
 *	private_folder_remove(&folder);
 *
 * It is made in TMPDIR, /tmp, /var/tmp or the current folder, the first that can be written, with mode 0700 and a
 * name that cannot be known beforehand (mkdtemp), so that nothing in it can be put in place by others. As long as it
 * is in use it is locked (flock): what a killed process left is found by that and removed by the next
 * private_folder_make().
 */
#ifndef FLAGSTONE_SYS_PRIVATE_FOLDER_H
#define FLAGSTONE_SYS_PRIVATE_FOLDER_H

#include "base/arena.h"
#include "base/error.h"

struct private_folder {
	const char *path; /* absolute; NULL: none */
	int fd;		  /* of the folder, which holds the lock; -1: none */
};
#define PRIVATE_FOLDER_NONE                                                                                  \
	{                                                                                                    \
		NULL, -1                                                                                     \
	}

/*
 * what: a word of letters for its name, flagstone-WHAT-XXXXXX. Programs must be allowed to start from there: a file
 * system that is mounted noexec is an error with advice. Errors (EXIT_CANNOT): no folder can be written; noexec.
 */
int private_folder_make(
	struct private_folder *folder, const char *what, struct arena *arena, struct error *e);
/* Removes it with all that is in it. Error: what could not be removed; it is left then. None: nothing is done. */
int private_folder_remove(struct private_folder *folder, struct error *e);

#endif
