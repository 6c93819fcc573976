/*
 * walk.h - goes over all that lies in an archive, in the order of the names. Used within archive/ only.
 */
#ifndef FLAGSTONE_ARCHIVE_WALK_H
#define FLAGSTONE_ARCHIVE_WALK_H

#include "archive/archive.h"

enum walk_kind {
	WALK_RECORD, /* by its name; the content is not looked at */
	WALK_JOURNAL,
	WALK_TEMPORARY,
	WALK_LINK,
	WALK_UNREADABLE, /* a folder: `reason` */
	WALK_FOREIGN
};

struct walk_item {
	enum walk_kind kind;
	const char *path;   /* in the archive's arena */
	const char *host;   /* the folder HOST; NULL above it */
	const char *folder; /* "HOST/YYYY/MM" for files in months, else NULL */
	const char *name;
	const char *reason;
};

/* Called for each item. -1 with the error set ends the walk. */
typedef int walk_visit(void *context, const struct walk_item *item, struct error *e);

/* Goes over the archive. Folders that are entered are reported only when they cannot be read. */
int walk_archive(const struct archive *archive, walk_visit *visit, void *context, struct error *e);
/* Has the name the form STARTED-ID12 with this ending (".json.gz", ".journal")? */
bool walk_name_has_form(const char *name, const char *ending);
/* Opens a regular file for reading, never through a symbolic link. -1 with the error set. */
int walk_open(const char *path, struct error *e);

#endif
