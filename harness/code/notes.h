/*
 * notes.h - what stands in an ELF file's notes and in .comment.
 */
#ifndef FLAGSTONE_CODE_NOTES_H
#define FLAGSTONE_CODE_NOTES_H

#include "base/arena.h"
#include "base/text.h"
#include "code/image.h"

/* The GNU build-id in hex, NULL: none. */
const char *notes_build_id(const struct image *image, struct arena *arena);
/*
 * x86 levels of .note.gnu.property, needed and used together, lowest first: "x86-64-baseline x86-64-v2".
 * NULL: no such note, or not x86.
 */
const char *notes_isa(const struct image *image, struct arena *arena);
/* The distinct texts of .comment in their order, at most 64. */
void notes_comments(const struct image *image, struct arena *arena, struct words *seen);
/* The same joined by "; ", NULL: none. */
const char *notes_compiler(const struct image *image, struct arena *arena);

#endif
