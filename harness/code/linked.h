/*
 * linked.h - the functions of a linked file, each with a hash of its code that does not change with where the linker put
 * things: what comparing two programs of which there are no objects has.
 *
 * Addresses are resolved again to what they meant, as far as the file tells: functions and variables by their symbols,
 * imports by the linkage table's relocations, constants that an instruction reads by their bytes, texts by their
 * letters, jumps by the number of the instruction. What remains (a table without a name, all variables of a stripped
 * file) is counted: then equal hashes mean code that is equal but perhaps for what it refers to. The exact hash has
 * the distances of these from their sections' starts in it, too: equal exact hashes are equal code, if those
 * sections are equal.
 */
#ifndef FLAGSTONE_CODE_LINKED_H
#define FLAGSTONE_CODE_LINKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "code/image.h"

struct linked_function {
	const char *name; /* NULL: no symbol tells it */
	uint64_t address, size;
	const char *hash,
		*exact; /* 16 hex digits; NULL: no decoder for this machine, or its bytes are not there */
	uint64_t references,
		unfollowed; /* to what lies outside of it; of these, what they refer to is not known */
};

struct linked_functions {
	struct linked_function *v; /* by address */
	size_t n;
	uint64_t code_bytes;	/* of all sections of code */
	uint64_t covered_bytes; /* of these, within a function */
	const char
		*rest; /* 16 hex digits over the code in no function, wherever it stands; NULL: no decoder */
	const char *found_by; /* static: "symbols", "exported symbols and unwinding tables", ... */
	const char *unhashed; /* why no function has a hash; NULL: they have */
};

/* Everything is kept in the arena. Never fails: what cannot be read is not there. Hostile files take some passes. */
void linked_read(const struct image *image, struct arena *arena, struct linked_functions *out);

#endif
