/*
 * place.h - a file gets its final name without ever replacing another one.
 */
#ifndef FLAGSTONE_ARCHIVE_PLACE_H
#define FLAGSTONE_ARCHIVE_PLACE_H

#include "base/error.h"

#define PLACE_TEMPORARY ".new-" /* what names of temporary files begin with */

enum place_how {
	PLACE_BEST,  /* by a hard link, where the file system has none by rename */
	PLACE_RENAME /* renameat2() with RENAME_NOREPLACE */
};

/*
 * Moves the file `temporary` to `path` (same folder). 0: it has only the new name. -1: `path` is as before, and
 * the temporary file still there; it is an error when `path` exists, whatever it is.
 */
int place_file(const char *temporary, const char *path, enum place_how how, struct error *e);

#endif
