/*
 * machine.h - a small register machine: its instructions, its interpreter, its program.
 *
 * Sixteen registers and 512 words of memory, of 32 unsigned bits each; a stack of 64 words for return
 * addresses and saved registers. Addresses are taken modulo the size, so no program can leave the arrays.
 * Arithmetic is modulo 2^32. A program is at most 256 instructions of four bytes.
 */
#ifndef FLAGSTONE_BYTECODE_MACHINE_H
#define FLAGSTONE_BYTECODE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#define MACHINE_REGISTERS 16
#define MACHINE_MEMORY	  512
#define MACHINE_STACK	  64
#define MACHINE_PROGRAM	  256

enum opcode {
	OP_HALT,
	OP_SET,	 /* r[a] = b + 256 c */
	OP_MOVE, /* r[a] = r[b] */
	OP_ADD,	 /* r[a] = r[b] + r[c]; so the next four */
	OP_SUB,
	OP_MUL,
	OP_AND,
	OP_XOR,
	OP_ADD_I,   /* r[a] = r[b] + c */
	OP_SUB_I,   /* r[a] = r[b] - c */
	OP_SHL_I,   /* r[a] = r[b] << c; c below 32 */
	OP_SHR_I,   /* r[a] = r[b] >> c; c below 32 */
	OP_LOAD,    /* r[a] = memory[r[b] + c] */
	OP_STORE,   /* memory[r[b] + c] = r[a] */
	OP_PUSH,    /* r[a] to the stack */
	OP_POP,	    /* r[a] from the stack */
	OP_JUMP,    /* to instruction c; so all that follow but OP_RETURN */
	OP_JUMP_Z,  /* if r[a] is 0 */
	OP_JUMP_NZ, /* if r[a] is not 0 */
	OP_JUMP_LT, /* if r[a] < r[b] */
	OP_CALL,    /* pushes the address of the next instruction */
	OP_RETURN
};

struct instruction {
	uint8_t op, a, b, c;
};

struct machine {
	uint32_t r[MACHINE_REGISTERS];
	uint32_t memory[MACHINE_MEMORY];
	uint32_t stack[MACHINE_STACK];
};

/* Runs code from instruction 0 until OP_HALT, or an opcode that does not exist. */
void machine_run(struct machine *machine, const struct instruction *code);

/*
 * Writes the program into code[MACHINE_PROGRAM], jumps resolved. Input: r[0], output: r[1] and the memory's
 * first PROGRAM_MEMORY words. Returns 0, or -1 if it is too long.
 */
#define PROGRAM_MEMORY (PROGRAM_SIEVE + PROGRAM_SORTED)
#define PROGRAM_SIEVE  256
#define PROGRAM_SORTED 48
int program_assemble(struct instruction *code);

#endif
