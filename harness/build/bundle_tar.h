/*
 * bundle_tar.h - the headers of a tar file, as far as a bundle needs them: regular files in ustar form (POSIX.1-1988,
 * pax(1) "ustar Interchange Format"). Pure functions over blocks of 512 bytes.
 *
 * A file is a header, its bytes, and zeroes up to the next multiple of 512; the end is two blocks of zeroes.
 */
#ifndef FLAGSTONE_BUILD_BUNDLE_TAR_H
#define FLAGSTONE_BUILD_BUNDLE_TAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { TAR_BLOCK = 512 };
static const uint64_t tar_most_bytes = 077777777777ULL; /* 11 octal digits */

struct tar_entry {
	const char *name; /* with its prefix */
	uint64_t bytes;
	bool program; /* mode 0755, else 0644 */
};

/* False: the name does not fit (100 bytes, or 155 and 100 parted by a slash), or the size. */
bool tar_write_header(char block[TAR_BLOCK], const struct tar_entry *entry);
/* Zeroes that follow so many bytes. */
size_t tar_padding(uint64_t bytes);

/* Is it one of the two blocks at the end? */
bool tar_is_end(const char block[TAR_BLOCK]);
/*
 * Reads a header. Returns NULL, or why it is none that a bundle has: "is a symbolic link", "its header is damaged".
 * *entry: name and bytes as far as they can be read, for the message. In the arena.
 */
const char *tar_read_header(const char block[TAR_BLOCK], struct arena *arena, struct tar_entry *entry);

#endif
