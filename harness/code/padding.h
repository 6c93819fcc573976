/*
 * padding.h - the hash of objects' code with what only fills gaps dropped: code that differs in placement alone has the
 * same one.
 *
 * Dropped are the instructions that do nothing which assemblers put between functions, and within a function ahead of a
 * place that is aligned and reached by a jump, or that nothing falls into (and the jump over a long run of them). Others stay: a NOP in the middle of a block, or
 * at a function's start (-fpatchable-function-entry), was asked for. Since distances change with what stands between,
 * code is hashed by instruction: of one that leads somewhere the shape (step.h), and where it leads as the number of
 * the instruction there; so too where data refers to code (jump tables, pointers to local functions).
 *
 * Where that fails, code differs that does not: AArch64's jump tables of distances that the assembler resolved, tables
 * of exceptions (.gcc_except_table), which count bytes. Never the other way round: code of equal hashes is equal, but for
 * its padding and short or long forms of jumps.
 */
#ifndef FLAGSTONE_CODE_PADDING_H
#define FLAGSTONE_CODE_PADDING_H

#include "code/names.h"
#include "code/pieces.h"
#include "code/unit.h"

enum { PIECES_MOST = 12 << 20 };

struct padding {
	struct unit *unit;
	struct pieces *sections; /* one a section of the image; none for what is no code */
	size_t pieces;
};

/*
 * Takes the code of an object to pieces. Errors (EXIT_CANNOT): no decoder for its machine (step_missing()), more than
 * PIECES_MOST instructions. On failure there is nothing to release.
 */
int padding_open(struct unit *unit, struct padding *padding, struct error *e);
void padding_release(struct padding *padding);

/*
 * Does a relocation in this section refer, without the name of a symbol, to a place in code? Then which section's, and
 * where in it (which may lie outside).
 */
bool padding_place(const struct padding *padding, size_t section, const struct unit_relocation *relocation,
	size_t *into, uint64_t *place);

/* Adds the object's code and data to a hash. Error: damaged (names that overlap many times). */
int padding_hash(const struct padding *padding, struct names_seen *names, struct hash *hash, struct error *e);

#endif
