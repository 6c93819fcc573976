/*
 * folder.h - the folder of a record, and new files in it. Used within archive/ only.
 */
#ifndef FLAGSTONE_ARCHIVE_FOLDER_H
#define FLAGSTONE_ARCHIVE_FOLDER_H

#include "archive/archive.h"

/*
 * Makes archive/HOST/YYYY/MM for a record where it is missing, and refuses a host that has not HOST's form, a
 * start that is no stamp, and folders that are symbolic links. *folder: its path; stamp: STARTED.
 */
int folder_make(const struct archive *archive, const struct record *record, const char **folder,
	char stamp[17], struct error *e);

#endif
