#include "step.h"

static void run_program(struct machine *machine, const struct instruction *program)
{
	uint32_t *r = machine->r;

	for (const struct instruction *in = program;; in++) {
		uint32_t *to = &r[in->to & 7];
		uint32_t from = r[in->from & 7];

		switch (in->op) {
		case OP_SET:
			*to = in->value;
			break;
		case OP_ADD:
			*to += from + in->value;
			break;
		case OP_MUL:
			*to *= from | 1u;
			break;
		case OP_XOR:
			*to ^= from;
			break;
		case OP_SHIFT:
			*to ^= *to >> (in->value & 31);
			break;
		case OP_LOAD:
			*to = machine->memory[from % MEMORY];
			break;
		case OP_STORE:
			machine->memory[from % MEMORY] = *to;
			break;
		case OP_LOOP: /* back by `value` instructions until the register is 0 */
			if (--*to != 0)
				in -= in->value;
			break;
		default:
			return;
		}
	}
}

void take_steps(struct machine *machine, const struct instruction *program, uint64_t steps)
{
	for (uint64_t s = 0; s < steps; s++)
		run_program(machine, program);
}
