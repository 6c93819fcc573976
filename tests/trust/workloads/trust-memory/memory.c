/*
 * memory.c - work of a known amount. A unit is as many steps as the environment's TRUST_WORK says, 1000 without it:
 * TRUST_WORK=1010 is 1 % more work, done by the same program with the same code.
 *
 * The first 1000 steps make the check value, so that it is the same with more work. The others are equal steps of
 * another walk on the same lines, which goes on where it was: one that began near the first would find its lines
 * in a nearer cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "step.h"

#define STEPS 1000

static struct line lines[LINES];
static uint32_t at, other_at;
static uint32_t seen; /* where the walk was after each unit */
static uint64_t more; /* steps beyond STEPS */

static int reset(void)
{
	at = 0;
	seen = 0;
	return 0;
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		at = take_steps(lines, at, STEPS);
		seen = seen * 31 + at;
		other_at = take_steps(lines, other_at, more);
		GUARD_VALUE(other_at);
	}
	return 0;
}

/* One circle through all lines (Sattolo, Information Processing Letters 22, 1986). */
static void make_circle(void)
{
	uint32_t random = 1;

	for (uint32_t i = 0; i < LINES; i++)
		lines[i].next = i;
	for (uint32_t i = LINES - 1; i > 0; i--) {
		uint32_t k, swap = lines[i].next;

		random = random * 1664525u + 1013904223u;
		k = (random >> 8) % i;
		lines[i].next = lines[k].next;
		lines[k].next = swap;
	}
}

static int setup(void)
{
	const char *wanted = getenv("TRUST_WORK");
	long steps = wanted != NULL ? strtol(wanted, NULL, 10) : STEPS;

	if (steps < STEPS)
		return driver_fail(0, "TRUST_WORK=%s is no number from %d", wanted, STEPS);
	more = (uint64_t)steps - STEPS;
	make_circle();
	other_at = take_steps(lines, 0, LINES / 64 / 2); /* half a circle ahead */
	return reset();
}

static int check(char *text, size_t size)
{
	snprintf(text, size, "%" PRIu32, seen);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "trust-memory", .setup = setup, .work = work, .check = check, .reset = reset};
