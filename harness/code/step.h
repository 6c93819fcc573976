/*
 * step.h - machine code, one instruction after the other: how long it is, whether it only fills space, and where it
 * leads. What comparing code without its padding and without its addresses needs; which instruction sets are used is
 * another question (isa.h).
 *
 * The shape of an instruction is its bytes without the distance to where it leads: jumps of the same condition have one
 * shape, whether the distance took 1 byte or 4, since that depends on what stands between.
 *
 * Sources: Intel SDM volume 2 (opcode maps, NOP), the AMD and Intel lists of recommended NOP sequences; Arm ARM, C4.1
 * (encodings of branches, PC-relative addressing, loads of literals, hints). x86's lengths come from Zydis.
 */
#ifndef FLAGSTONE_CODE_STEP_H
#define FLAGSTONE_CODE_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step_kind {
	STEP_PLAIN,
	STEP_FILL, /* does nothing: what assemblers fill gaps with */
	STEP_CALL, /* what follows it may not be reached, if the callee does not return */
	STEP_END   /* what follows it is reached by jumps only: return, jump, trap */
};

enum { STEP_LONGEST = 16 };

struct step {
	unsigned size; /* bytes, at least 1 */
	enum step_kind kind;
	bool leads;	  /* to a place given by a distance: jumps, calls, relative addresses */
	bool flow;	  /* control goes there */
	bool computed;	  /* a jump to where a register or memory says: jump tables, tail calls by pointers */
	bool page;	  /* AArch64 adrp: the distance is between pages of 4 KiB */
	int64_t distance; /* from the instruction's first byte */
	unsigned field_at, field_size; /* the bytes that hold the distance */
	unsigned access;	       /* bytes that it reads or writes there; 0: none, or not known */
	/* fields of 4 or 8 bytes that may hold an address, where code is linked for fixed ones (x86); size 0: none */
	struct {
		unsigned at, size;
		uint64_t value;
	} absolute[2];
	unsigned shape_size;
	unsigned char shape[STEP_LONGEST + 1];
};

/* Why code of this machine (e_machine) cannot be read here; NULL: it can. */
const char *step_missing(unsigned machine);
/* The instruction at `bytes`, of which `left` are there. false: none, or cut. step_missing() must be NULL. */
bool step_read(unsigned machine, const unsigned char *bytes, size_t left, struct step *step);

/* Was Zydis missing for what has this reason, and is it here now? */
bool step_wanted_zydis(const char *reason);

/* x86 in 64-bit or 32-bit mode: step_x86.c, of which step.c is the only caller. */
const char *step_x86_missing(void);
bool step_x86(bool wide, const unsigned char *bytes, size_t left, struct step *step);

#endif
