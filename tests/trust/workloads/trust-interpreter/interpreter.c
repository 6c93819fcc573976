/*
 * interpreter.c - work of a known amount. A unit is as many steps as the environment's TRUST_WORK says, 1000 without
 * it: TRUST_WORK=1010 is 1 % more work, done by the same program with the same code.
 *
 * The first 1000 steps make the check value, so that it is the same with more work. The others are equal steps of
 * a machine of their own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "step.h"

#define STEPS 1000

static const struct instruction program[] = {
	{OP_SET, 7, 0, 16},
	{OP_ADD, 0, 1, 13},
	{OP_MUL, 1, 0, 0},
	{OP_SHIFT, 1, 0, 15},
	{OP_LOAD, 2, 1, 0},
	{OP_XOR, 2, 0, 0},
	{OP_ADD, 1, 2, 5},
	{OP_SHIFT, 0, 0, 11},
	{OP_STORE, 1, 0, 0},
	{OP_LOOP, 7, 0, 9},
	{OP_END, 0, 0, 0},
};

static struct machine machine, other;
static uint64_t more; /* steps beyond STEPS */

static void clear(struct machine *m, uint32_t first)
{
	for (unsigned i = 0; i < 8; i++)
		m->r[i] = first + i;
	for (unsigned i = 0; i < MEMORY; i++)
		m->memory[i] = i * 7919u;
}

static int reset(void)
{
	clear(&machine, 1);
	return 0;
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		take_steps(&machine, program, STEPS);
		take_steps(&other, program, more);
		GUARD_MEMORY(&other);
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
	clear(&other, 99);
	return reset();
}

static int check(char *text, size_t size)
{
	snprintf(text, size, "%08" PRIx32 "%08" PRIx32, machine.r[0], machine.r[1]);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "trust-interpreter", .setup = setup, .work = work, .check = check, .reset = reset};
