/*
 * decode.h - runs of machine code, instruction by instruction, counted by the instruction set that each needs.
 *
 * Both decoders take a run of bytes that is code from its first byte, and add what they find to a tally. They read
 * nothing outside of the run, and take the same time whatever stands there.
 */
#ifndef FLAGSTONE_CODE_DECODE_H
#define FLAGSTONE_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "code/isa_sets.h"

/* Bytes of a section. */
struct decode_run {
	const uint8_t *bytes;
	uint64_t size;
	uint64_t address; /* of the first byte */
	size_t section;	  /* index */
};

struct decode_place {
	uint64_t address;
	size_t section; /* 0: nowhere yet */
};

struct decode_found {
	uint64_t count;
	struct decode_place first;
	const char *text; /* of the first one, in the arena */
};

struct decode_tally {
	struct arena *arena;
	struct decode_found sets[ISA_SET_COUNT];
	uint64_t instructions, decoded_bytes, bad_bytes;
	struct decode_place bad; /* the first byte that is no instruction */
	struct decode_place
		probe; /* the first instruction that asks what the CPU is: CPUID, a read of ID_AA64*_EL1 */
	uint32_t vector_bits;
	bool scalable;
};

struct x86_decoder;
/* NULL: flagstone was built without Zydis. */
struct x86_decoder *x86_decoder_new(void);
void x86_decoder_free(struct x86_decoder *decoder);
void x86_decode(struct x86_decoder *decoder, const struct decode_run *run, struct decode_tally *tally);
/* How many bytes at the start are padding: instructions that do nothing, traps, zeroes. */
uint64_t x86_padding(struct x86_decoder *decoder, const struct decode_run *run);

/*
 * Bytes of an instruction that needs nothing and whose opcode alone says so; 0: the full decoder must say, or fewer than
 * 16 bytes are left.
 */
unsigned x86_plain(const uint8_t *bytes, uint64_t left);

struct a64_decoder;
struct a64_decoder *a64_decoder_new(void);
void a64_decoder_free(struct a64_decoder *decoder);
void a64_decode(const struct a64_decoder *decoder, const struct decode_run *run, struct decode_tally *tally);
uint64_t a64_padding(const struct decode_run *run);

#endif
