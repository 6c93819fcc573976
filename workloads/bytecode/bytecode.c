/*
 * bytecode.c - an interpreter of byte code. A unit is one run of the program in program.c, some 9,400
 * instructions of the machine in machine.h.
 *
 * The input of unit number k (from 0) depends on k and on the output before it, so no unit can be shared with
 * another, and none left out unseen; it also keeps the branch predictor from learning the runs by heart.
 */
#include <inttypes.h>
#include <stdio.h>

#include "driver.h"
#include "machine.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static struct instruction code[MACHINE_PROGRAM];
static struct machine machine;

static uint64_t units_done;
static uint64_t chain;

/* FNV-1a over the eight bytes of value, lowest first, so that byte order does not matter. */
static uint64_t hash_value(uint64_t hash, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		hash = (hash ^ (value >> shift & 0xff)) * FNV_PRIME;
	return hash;
}

static int reset(void)
{
	for (size_t i = 0; i < MACHINE_MEMORY; i++)
		machine.memory[i] = 0;
	units_done = 0;
	chain = FNV_BASIS;
	return 0;
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		machine.r[0] = (uint32_t)(chain >> 24) + (uint32_t)units_done;
		/* the program may be another one now: nothing may be interpreted ahead of time */
		GUARD_MEMORY(code);
		machine_run(&machine, code);
		GUARD_MEMORY(&machine);
		chain = (chain ^ machine.r[1]) * FNV_PRIME;
		units_done++;
	}
	return 0;
}

/* One unit here pages in code and data, so that the first timed one costs what the others do. */
static int setup(void)
{
	if (program_assemble(code) < 0)
		return driver_fail(0, "the program does not fit into %d instructions", MACHINE_PROGRAM);
	reset();
	work(1);
	return reset();
}

static int check(char *text, size_t size)
{
	uint64_t hash = hash_value(hash_value(FNV_BASIS, units_done), chain);

	for (size_t i = 0; i < PROGRAM_MEMORY; i++)
		hash = hash_value(hash, machine.memory[i]);
	snprintf(text, size, "%016" PRIx64, hash);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "bytecode",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
