#include "step.h"

uint64_t take_steps(uint64_t state, uint64_t steps)
{
	for (uint64_t s = 0; s < steps; s++) {
		for (unsigned i = 0; i < 128; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
		}
	}
	return state;
}
