/*
 * dwarf_bytes.h - the bytes of a debug section, for dwarf.c: decompressed, with what a linker would fill in objects, and
 * read within their bounds.
 */
#ifndef FLAGSTONE_CODE_DWARF_BYTES_H
#define FLAGSTONE_CODE_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "code/image.h"

struct dwarf_fill {
	uint64_t offset, value;
};

struct dwarf_bytes {
	const unsigned char *v; /* NULL: there is no such section */
	size_t n;
	bool little, wide;	      /* order of bytes; offsets of 8 bytes */
	VEC(struct dwarf_fill) fills; /* by offset: what relocations put there; objects only */
};

/*
 * Takes the section, decompressing it. NULL, or why it cannot be read: a compression that libelf here does not know,
 * damaged, or larger than 256 MiB.
 */
const char *dwarf_bytes_open(const struct image *image, size_t index, struct dwarf_bytes *bytes);
void dwarf_bytes_release(struct dwarf_bytes *bytes);

/* A place in them; `bad` stays set once something was read behind the end. */
struct dwarf_cursor {
	const struct dwarf_bytes *bytes;
	size_t at, end;
	bool bad;
};

/* A number of 1, 2, 3, 4 or 8 bytes as it stands; 0 behind the end. */
uint64_t dwarf_number(struct dwarf_cursor *cursor, size_t size);
/* An offset into another section, of 4 or 8 bytes, as a linker would leave it. */
uint64_t dwarf_offset(struct dwarf_cursor *cursor, size_t size);
/* LEB128; of a signed one the value does not matter here. */
uint64_t dwarf_leb(struct dwarf_cursor *cursor);
void dwarf_skip(struct dwarf_cursor *cursor, uint64_t count);
enum { DWARF_TEXT_MOST = 4096 };
/*
 * The text that begins at an offset, of which only the first DWARF_TEXT_MOST bytes are looked at; NULL: it has no end
 * within the section.
 */
const char *dwarf_text(const struct dwarf_bytes *bytes, uint64_t offset);

#endif
