/*
 * step.h - the work: a step is one run of a program of a small machine, 146 instructions whatever the data.
 */
#ifndef TRUST_INTERPRETER_STEP_H
#define TRUST_INTERPRETER_STEP_H

#include <stdint.h>

#define MEMORY 64u

enum op { OP_SET, OP_ADD, OP_MUL, OP_XOR, OP_SHIFT, OP_LOAD, OP_STORE, OP_LOOP, OP_END };

struct instruction {
	uint8_t op, to, from, value;
};

struct machine {
	uint32_t r[8];
	uint32_t memory[MEMORY];
};

/* Runs the program `steps` times. In a file of its own, so that every call is made. */
void take_steps(struct machine *machine, const struct instruction *program, uint64_t steps);

#endif
