/*
 * step.h - the work: a step is 128 rounds of xorshift64, each of which needs the one before.
 */
#ifndef TRUST_INTEGER_STEP_H
#define TRUST_INTEGER_STEP_H

#include <stdint.h>

/* The state after `steps` steps. In a file of its own, so that every call is made. */
uint64_t take_steps(uint64_t state, uint64_t steps);

#endif
