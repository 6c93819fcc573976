/*
 * image.h - an ELF file in memory with its section table checked: the one thing that the sources of this folder
 * share. libelf decodes headers and tables; every section's range is checked here, so that users of
 * image_section.bytes need no check of their own.
 */
#ifndef FLAGSTONE_CODE_IMAGE_H
#define FLAGSTONE_CODE_IMAGE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct image_section {
	Elf_Scn *scn;
	const char *name;  /* "" when it has none */
	const char *bytes; /* header.sh_size of them; NULL for a section without data in the file */
	GElf_Shdr header;
};

struct image {
	const char *path;
	struct buf file; /* all bytes */
	Elf *elf;
	GElf_Ehdr header;
	struct image_section *sections; /* [0] is the null section */
	size_t section_count;
};

/*
 * Reads and checks. Errors: unreadable, over 1 GiB, not ELF, cut (a section, the section table or the program
 * headers end behind the file), inconsistent (tables of names without an end, sections that overlap so that they
 * have more than some times the file's size together). On failure there is nothing to close.
 */
int image_open(const char *path, struct arena *arena, struct image *image, struct error *e);
void image_close(struct image *image);

/* Is it code that is loaded? */
bool image_is_code(const struct image_section *section);
/* Is it data that is loaded and never written: no tables of the dynamic linker, no notes, no unwinding? */
bool image_is_constant(const struct image_section *section);
/*
 * Is it data that is loaded and may be written: initialised variables, thread-local ones, tables of constructors,
 * constants that the dynamic linker completes (.data.rel.ro)? The linker's own tables (.got, .dynamic) are none.
 */
bool image_is_writable(const struct image_section *section);
/* Memory that begins as zeroes (.bss, .tbss): no bytes, only a size. */
bool image_is_zeroed(const struct image_section *section);
/* Any of the four: what a program computes with, hence what its code hash is of. */
bool image_counts(const struct image_section *section);
/* Does it hold a compiler's intermediate form: gcc's .gnu.lto_*, clang's .llvm.lto? */
bool image_is_intermediate(const struct image_section *section);

#endif
