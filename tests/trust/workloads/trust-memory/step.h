/*
 * step.h - the work: a step is 64 hops of a walk over 512 KiB in an order that no prefetcher knows.
 */
#ifndef TRUST_MEMORY_STEP_H
#define TRUST_MEMORY_STEP_H

#include <stdint.h>

#define LINES 8192u

struct line {
	uint32_t next; /* index of a line; all of them make one circle */
	uint32_t rest[15];
};

/* Where a walk from `at` is after `steps` steps. In a file of its own, so that every call is made. */
uint32_t take_steps(const struct line *lines, uint32_t at, uint64_t steps);

#endif
