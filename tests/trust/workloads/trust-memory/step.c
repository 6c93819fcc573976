#include "step.h"

uint32_t take_steps(const struct line *lines, uint32_t at, uint64_t steps)
{
	for (uint64_t s = 0; s < steps; s++)
		for (unsigned i = 0; i < 64; i++)
			at = lines[at].next;
	return at;
}
