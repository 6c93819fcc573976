/*
 * relocation.h - the entries of relocation tables, of objects and of linked files.
 */
#ifndef FLAGSTONE_CODE_RELOCATION_H
#define FLAGSTONE_CODE_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "code/image.h"

struct relocations {
	const struct image *image;
	const struct image_section *table; /* of symbols; NULL: none, as in static programs */
	Elf_Data *data, *symbols;	   /* NULL: unreadable, or none */
	bool explicit_addend;		   /* SHT_RELA: not in the place that is relocated */
	size_t count;
};

/* Is it a table of relocations? If so, opens it. */
bool relocations_open(
	const struct image *image, const struct image_section *section, struct relocations *relocations);
/* One entry; false: damaged. r_addend is 0 where the table has none. */
bool relocations_get(const struct relocations *relocations, size_t index, GElf_Rela *out);
/* The name that its symbol goes by: its own, or its section's; "" when it has none. NULL: damaged. */
const char *relocations_symbol(const struct relocations *relocations, const GElf_Rela *relocation);

#endif
