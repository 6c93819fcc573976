/*
 * places.h - what stands at an address of a linked file: a function or variable by its symbol, what the dynamic linker
 * puts there, a section.
 *
 * Sources: System V ABI (symbol tables, relocation), the linkage tables of its x86-64 and AArch64 supplements.
 */
#ifndef FLAGSTONE_CODE_PLACES_H
#define FLAGSTONE_CODE_PLACES_H

#include "base/mem.h"
#include "code/image.h"

struct place_symbol {
	uint64_t address, size;
	const char *name;
	bool function;
};

struct place_fill {
	uint64_t address;
	const char *name; /* of the symbol whose address is put there; NULL: none */
	uint64_t value;	  /* then: the address */
};

struct places {
	const struct image *image;
	VEC(struct place_symbol) symbols; /* functions and variables, by address, then by name */
	VEC(struct place_fill) fills;	  /* by address */
	VEC(const struct image_section *) loaded;
	bool full; /* has .symtab: local names, too */
};

/* Borrows image. Symbols are those of .symtab, or where it was stripped those of .dynsym. */
void places_open(const struct image *image, struct places *places);
void places_release(struct places *places);

/* The symbol that begins at the address, or that it lies in; NULL: none is known. */
const struct place_symbol *places_symbol(const struct places *places, uint64_t address);
/* What is put at exactly this address; NULL: nothing. */
const struct place_fill *places_fill(const struct places *places, uint64_t address);
/* The loaded section that has the address; NULL: none. */
const struct image_section *places_section(const struct places *places, uint64_t address);
/* Name of the import that code in a linkage table (.plt) jumps to; NULL: it is none. */
const char *places_import(const struct places *places, uint64_t address);

#endif
