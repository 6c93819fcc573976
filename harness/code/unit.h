/*
 * unit.h - one relocatable object made ready for hashing its functions: symbols, relocations and places by section.
 * functions.h is the manual of what comes of it.
 */
#ifndef FLAGSTONE_CODE_UNIT_H
#define FLAGSTONE_CODE_UNIT_H

#include "base/hash.h"
#include "base/mem.h"
#include "code/image.h"

struct unit_symbol {
	const char *name;
	uint64_t value, size; /* value: from the section's start */
	size_t section;	      /* index; 0: undefined, common or absolute */
	unsigned type, bind;
	bool named; /* has a name that counts: no section's, no local label */
};

/* What is filled in at link time. */
struct unit_relocation {
	uint64_t offset; /* from the section's start */
	int64_t addend;
	uint32_t type;
	uint32_t symbol; /* index; 0: none */
	uint32_t index;	 /* in its table: the order at one offset */
};

struct unit_section {
	VEC(struct unit_relocation) relocations; /* by offset */
	VEC(const struct unit_symbol *) named;	 /* functions and variables, by value */
	VEC(uint64_t) starts; /* where something begins, upwards: symbols, and what is referred to */
};

struct unit {
	const struct image *image;
	struct unit_symbol *symbols;
	size_t symbol_count;
	struct unit_section *sections; /* one a section of the image */
	uint64_t work, work_limit;     /* bytes and relocations hashed: hostile files make them overlap */
};

/* image: borrowed, of type ET_REL. Errors: no symbol table, damaged. On failure there is nothing to release. */
int unit_open(const struct image *image, struct unit *unit, struct error *e);
void unit_release(struct unit *unit);

/* Is it a function with code in this object? */
bool unit_is_function(const struct unit *unit, const struct unit_symbol *symbol);
/* The function or variable whose first byte is at this place, or that it lies in; NULL: none. */
const struct unit_symbol *unit_at_start(const struct unit *unit, size_t section, uint64_t at);
const struct unit_symbol *unit_around(const struct unit *unit, size_t section, uint64_t at);
/* Index of the section's first relocation at or behind an offset. */
size_t unit_first_relocation(const struct unit_section *section, uint64_t offset);
/* Where what begins at `at` ends at the latest: the next start, or the section's end. */
uint64_t unit_end_of(const struct unit *unit, size_t section, uint64_t at);
/* The last start at or before `at`; 0: none. */
uint64_t unit_start_before(const struct unit *unit, size_t section, uint64_t at);

/*
 * Where a relocation against a section (not a named symbol) leads: *at from that section's start, and *rest, what
 * the relocation adds to it. from_code: the field is an instruction's. x86 counts from the instruction's end, which is
 * 0, 1, 2 or 4 bytes behind the field: of these places the one where something named begins is taken.
 */
void unit_place(const struct unit *unit, const struct unit_relocation *relocation, bool from_code,
	uint64_t *at, int64_t *rest);

/*
 * 16 hex digits of the function's hash. false: its bytes are not there (no size, or behind the section's end), or the
 * limit of work is reached.
 */
bool unit_hash_function(struct unit *unit, const struct unit_symbol *function, char hex[17]);

#endif
