/*
 * pieces.h - a stretch of machine code as a list of instructions, of which those that only fill gaps can be told: where a
 * place is without counting bytes. padding.h says which fillers are dropped, and why.
 */
#ifndef FLAGSTONE_CODE_PIECES_H
#define FLAGSTONE_CODE_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* One instruction, or a byte that is none. */
struct piece {
	uint32_t at; /* from the start */
	uint32_t to; /* where it leads within these pieces; PIECE_NOWHERE */
	uint32_t region,
		order; /* its function, and its number therein; if it is dropped: of the next that is not */
	uint8_t size, kind; /* enum step_kind */
	bool target, dropped;
};
#define PIECE_NOWHERE UINT32_MAX

/* All bytes of the stretch, in order. */
struct pieces {
	struct piece *v;
	size_t n, cap;
	uint32_t regions; /* functions */
};

/* The piece that has the byte at `place`; NULL: none. */
struct piece *pieces_at(const struct pieces *pieces, uint64_t place);
/* Something leads to this place (jumps within the pieces are seen by pieces_finish()). */
void pieces_mark(const struct pieces *pieces, uint64_t place);
/* Once all are there and marked: drops fillers, counts the rest. */
void pieces_finish(struct pieces *pieces);
void pieces_release(struct pieces *pieces);

/* A place in code without counting bytes. Behind all of it: the region after the last. */
struct pieces_spot {
	uint32_t region, order;
	int64_t rest; /* bytes from that piece's start */
};
void pieces_spot(const struct pieces *pieces, uint64_t place, struct pieces_spot *spot);

#endif
