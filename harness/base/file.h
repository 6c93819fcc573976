/*
 * file.h - whole files and folders. Paths are bytes; errors name the path, what was tried and errno's text.
 */
#ifndef FLAGSTONE_BASE_FILE_H
#define FLAGSTONE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

/* Appends the bytes of a file, at most limit of them: longer is an error. Works for /proc and /sys too. */
int file_read(const char *path, size_t limit, struct buf *out, struct error *e);
/*
 * Writes the bytes so that the path holds the old or the new content, never half: temporary file in the same
 * folder, fsync, rename, fsync of the folder. Parent folders must exist.
 */
int file_write_atomic(const char *path, const void *bytes, size_t count, struct error *e);
/* Writes all bytes to an open descriptor; `path` is for the error text. */
int file_write_all(int fd, const void *bytes, size_t count, const char *path, struct error *e);
/* fsync of a folder. */
int file_sync_folder(const char *path, struct error *e);
/* mkdir -p, mode 0777 & ~umask. */
int file_make_folders(const char *path, struct error *e);
/* rm -r; a path that does not exist is fine; symbolic links are removed, never followed. */
int file_remove_tree(const char *path, struct error *e);
/* Names in a folder but . and .., sorted bytewise, in the arena. */
int file_list(const char *path, struct arena *arena, struct words *names, struct error *e);
bool file_exists(const char *path);
bool file_is_folder(const char *path);
/* Is it a regular file that this user may execute? */
bool file_is_program(const char *path);
/* a + "/" + b, or b when b is absolute. In the arena. */
char *file_join(struct arena *arena, const char *a, const char *b);
/* The last part of a path; borrowed. */
const char *file_name(const char *path);
/* All before the last slash, "." if there is none, "/" at the root. In the arena. */
char *file_folder(struct arena *arena, const char *path);
/* realpath, in the arena; NULL with the error set. */
char *file_real(struct arena *arena, const char *path, struct error *e);
/* Finds a program as execvp would in the PATH text given (NULL: the environment's); NULL when there is none. */
char *file_find_program(struct arena *arena, const char *name, const char *path_text);

#endif
