/*
 * dwarf.h - what debug information says of how each source was compiled: the first entry of every compile unit, and no
 * more. DWARF 2 to 5, 32- and 64-bit, compressed sections, objects whose offsets are still relocations.
 *
 * Sources: DWARF Debugging Information Format, version 4 and version 5 (section 7, encodings); gABI on SHF_COMPRESSED.
 */
#ifndef FLAGSTONE_CODE_DWARF_H
#define FLAGSTONE_CODE_DWARF_H

#include <stddef.h>

#include "base/arena.h"
#include "code/image.h"

/* Units that say the same of how they were made. */
struct dwarf_producer {
	const char *text;   /* DW_AT_producer: "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2" */
	const char *source; /* DW_AT_name and DW_AT_comp_dir of the first of them; NULL: not said */
	const char *folder;
	size_t units;
};

struct dwarf_producers {
	struct dwarf_producer *v; /* as they come up */
	size_t n;
	size_t units;	     /* all compile units that were read */
	size_t silent;	     /* of these, without a producer, or with it in another file (dwz) */
	const char *problem; /* why some could not be read; NULL: all were */
};

/*
 * Reads the compile units of an ELF file that has debug information; without any all is 0. Texts are cut at 4 KiB, and
 * producers beyond the 64th count as silent. Damaged or foreign information is a `problem`, no error: what was read
 * before it stands.
 */
void dwarf_read(const struct image *image, struct arena *arena, struct dwarf_producers *out);

#endif
