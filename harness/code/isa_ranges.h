/*
 * isa_ranges.h - where in an ELF file code is: runs to decode, found by symbols and exception tables, and the names of
 * what stands there. isa.h is the manual of what comes of it.
 */
#ifndef FLAGSTONE_CODE_ISA_RANGES_H
#define FLAGSTONE_CODE_ISA_RANGES_H

#include "base/mem.h"
#include "code/image.h"
#include "code/isa.h"

/* Which functions count. The lists are sorted by text_compare(); NULL: no matter. */
struct isa_wanted {
	const struct words *only;    /* these and nothing else */
	const struct words *without; /* not these */
	const struct words *linked;  /* none that is not among these */
	bool sweep;
};

/* From the section's first byte. */
struct isa_range {
	size_t section;
	uint64_t begin, end;
};

struct isa_list {
	struct isa_range *v;
	size_t n, cap;
};

struct isa_symbol {
	struct isa_range at;
	const char *name; /* borrowed from the image */
	bool is_ifunc;
};

struct isa_ranges {
	struct isa_list code;		  /* to decode: by section and place, disjoint, none empty */
	struct isa_list gaps;		  /* between what was found: padding, or code that nothing tells of */
	struct isa_list left_out;	  /* functions that do not count */
	VEC(struct isa_symbol) functions; /* that count, by section and place, the longer one first */
	const char *looks; /* a symbol by which programs look at the CPU, NULL: none. Borrowed */
	bool by_symbols, by_frames, by_sections; /* how they were found */
};

/* Sorts, and makes one of those that overlap; those that only touch stay apart, as one may end in a trap. */
void isa_list_merge(struct isa_list *list);
/* Takes `less` away; both merged before. */
void isa_list_subtract(struct isa_list *from, const struct isa_list *less);

/* Errors: damaged (sections of code or tables of symbols overlap). On failure there is nothing to release. */
int isa_ranges_find(const struct image *image, const struct isa_wanted *wanted, struct isa_ranges *ranges,
	struct error *e);
void isa_ranges_release(struct isa_ranges *ranges);
/* The innermost function at a place; NULL: none. */
const struct isa_symbol *isa_ranges_function(const struct isa_ranges *ranges, size_t section, uint64_t at);
/* isa_symbols.c */
struct isa_mark {
	size_t section;
	uint64_t at;
	bool is_data;
};

struct isa_marks {
	struct isa_mark *v;
	size_t n, cap;
};

/*
 * Functions, what is left out, signs of looking at the CPU, and aarch64's marks of data among code. The full table where
 * there is one with functions, else the dynamic linker's. Error: the tables overlap.
 */
int isa_symbols_read(const struct image *image, const struct isa_wanted *wanted, struct isa_ranges *ranges,
	struct isa_marks *marks, struct error *e);
int isa_damaged(const struct image *image, const char *what, struct error *e);
/* The names of all functions that a linked file's symbol table has, sorted; none where it was stripped. */
void isa_ranges_names(const struct image *image, struct arena *arena, struct words *names);

#endif
