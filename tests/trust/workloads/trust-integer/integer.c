/*
 * integer.c - work of a known amount. A unit is as many steps as the environment's TRUST_WORK says, 1000 without it:
 * TRUST_WORK=1010 is 1 % more work, done by the same program with the same code.
 *
 * The first 1000 steps make the check value, so that it is the same with more work. The others are equal steps on
 * a state of their own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "step.h"

#define STEPS 1000

static uint64_t state, other;
static uint64_t more; /* steps beyond STEPS */

static int reset(void)
{
	state = UINT64_C(0x9e3779b97f4a7c15);
	return 0;
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		state = take_steps(state, STEPS);
		other = take_steps(other, more);
		GUARD_VALUE(other);
	}
	return 0;
}

static int setup(void)
{
	const char *wanted = getenv("TRUST_WORK");
	long steps = wanted != NULL ? strtol(wanted, NULL, 10) : STEPS;

	if (steps < STEPS)
		return driver_fail(0, "TRUST_WORK=%s is no number from %d", wanted, STEPS);
	more = (uint64_t)steps - STEPS;
	other = 1;
	return reset();
}

static int check(char *text, size_t size)
{
	snprintf(text, size, "%016" PRIx64, state);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "trust-integer", .setup = setup, .work = work, .check = check, .reset = reset};
