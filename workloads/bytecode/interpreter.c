/*
 * interpreter.c - the dispatch loop: a plain switch, as most interpreters have it.
 */
#include "machine.h"

void machine_run(struct machine *machine, const struct instruction *code)
{
	uint32_t *r = machine->r;
	uint32_t *memory = machine->memory;
	uint32_t *stack = machine->stack;
	uint32_t top = 0;
	uint32_t pc = 0;

	for (;;) {
		struct instruction in = code[pc++ % MACHINE_PROGRAM];
		uint32_t *to = &r[in.a % MACHINE_REGISTERS];
		uint32_t b = r[in.b % MACHINE_REGISTERS];
		uint32_t c = r[in.c % MACHINE_REGISTERS];

		switch (in.op) {
		case OP_SET:
			*to = in.b + 256u * in.c;
			break;
		case OP_MOVE:
			*to = b;
			break;
		case OP_ADD:
			*to = b + c;
			break;
		case OP_SUB:
			*to = b - c;
			break;
		case OP_MUL:
			*to = b * c;
			break;
		case OP_AND:
			*to = b & c;
			break;
		case OP_XOR:
			*to = b ^ c;
			break;
		case OP_ADD_I:
			*to = b + in.c;
			break;
		case OP_SUB_I:
			*to = b - in.c;
			break;
		case OP_SHL_I:
			*to = b << in.c % 32;
			break;
		case OP_SHR_I:
			*to = b >> in.c % 32;
			break;
		case OP_LOAD:
			*to = memory[(b + in.c) % MACHINE_MEMORY];
			break;
		case OP_STORE:
			memory[(b + in.c) % MACHINE_MEMORY] = *to;
			break;
		case OP_PUSH:
			stack[top++ % MACHINE_STACK] = *to;
			break;
		case OP_POP:
			*to = stack[--top % MACHINE_STACK];
			break;
		case OP_JUMP:
			pc = in.c;
			break;
		case OP_JUMP_Z:
			if (*to == 0)
				pc = in.c;
			break;
		case OP_JUMP_NZ:
			if (*to != 0)
				pc = in.c;
			break;
		case OP_JUMP_LT:
			if (*to < b)
				pc = in.c;
			break;
		case OP_CALL:
			stack[top++ % MACHINE_STACK] = pc;
			pc = in.c;
			break;
		case OP_RETURN:
			pc = stack[--top % MACHINE_STACK];
			break;
		default:
			return;
		}
	}
}
