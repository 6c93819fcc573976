/*
 * placement.h - one layout drawn from its seed: which objects the linker gets in which order, with which padding
 * between, and in which order it is to put functions. No command is run here.
 *
 * Three things move. The pieces of padding ahead of all: pieces of 16, 32, ... 2048 bytes, each in or left out by the
 * toss of a coin, so that code, and on its own the data, begins at a random multiple of 16 within 4 KiB. The objects:
 * in random order, further pieces between. And the functions of all objects, each compiled into a section of its
 * own, in random order where the linker can be told:
 *
 *	GNU ld   a script of its own for each layout, `INSERT BEFORE .text`: the built-in script stays what it is
 *	LLD      --shuffle-sections (since 13)
 *	gold     --section-ordering-file
 *
 * What a compiler knows of hot and cold code stays: functions are shuffled within the groups that GNU ld's own script
 * keeps apart (.text.unlikely, .text.exit, .text.startup, .text.hot, the rest). .text.sorted, the order that a profile
 * asked for, is left alone.
 *
 * The code of a static C library is moved as a whole, but by LLD, which shuffles it like the rest.
 */
#ifndef FLAGSTONE_BUILD_PLACEMENT_H
#define FLAGSTONE_BUILD_PLACEMENT_H

#include "base/arena.h"
#include "base/text.h"

/* Padding objects: sizes PAD_SMALLEST << n for n below PAD_COUNT. */
enum { PAD_COUNT = 8, PAD_SMALLEST = 16 };

enum pad_kind {
	PAD_CODE,    /* code-N.o, ahead of all: moves what is behind it in memory, all of the code */
	PAD_DATA,    /* data-N.o, ahead of all: constants and variables */
	PAD_BETWEEN, /* pad-N.o: each kind of section, among the objects */
	PAD_KINDS
};

/* "code-3": of its source .s and its object .o. In the arena. */
char *placement_pad_name(enum pad_kind kind, size_t n, struct arena *arena);
/* Its assembler text. elf_sections: the assembler takes other sections than .text and .data (tcc's does not). */
char *placement_pad_source(enum pad_kind kind, size_t n, bool elf_sections, struct arena *arena);

enum linker_kind { LINKER_OTHER, LINKER_GNU, LINKER_LLD, LINKER_GOLD };

struct linker {
	enum linker_kind kind;
	const char *name; /* the line in which it says what it is; "" where it does not say */
};

/* Understands what a linker, or a driver that calls it, answers to --version. */
void placement_linker(const char *answer, struct arena *arena, struct linker *linker);

/* What there is to place. */
struct placement_parts {
	const struct words *objects;  /* canonical order */
	const struct words *sections; /* of each object: its sections of code; wanted for GNU ld and gold */
	const char *pads;	      /* folder of the padding objects */
	enum linker_kind linker;      /* LINKER_OTHER: functions stay with their objects */
	const char *order_file; /* where the order for the linker is to stand, as the command names it */
};

struct placement {
	struct words objects;
	struct words options; /* the linker's own words for the order of functions; n == 0: none */
	const char *order;    /* text of order_file; NULL: the linker wants none */
};

/* The same seed gives the same again. Lists live in the arena. */
void placement_draw(
	const struct placement_parts *parts, const char *seed, struct arena *arena, struct placement *out);

#endif
