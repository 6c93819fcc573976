/*
 * driver.h - the runtime that every built-in workload links.
 *
 * A workload's main file defines `const struct workload flagstone_workload`. The runtime has main(): it reads
 * the arguments (protocol.h), calls setup once, runs the warm-up, waits at the barrier if there is one, reads
 * the clock, calls work(units), reads the clock, calls check and writes the result line.
 *
 * Everything here is compiled by the cell's toolchain at -O2 with only the variant's ABI flags and never with
 * LTO, so that the clock and the report are the same in every cell; the workload's own files get the variant's
 * flags. C99, no GNU extension needed but the empty asm of GUARD_*, which is replaced where there is none.
 */
#ifndef FLAGSTONE_DRIVER_H
#define FLAGSTONE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct workload {
	const char *name;
	/* names of the NAME=VALUE parameters it takes, NULL-terminated; NULL: none */
	const char *const *parameters;
	/* Not timed, once; may be NULL. Returns 0, or -1 after driver_fail(). */
	int (*setup)(void);
	/* Timed: exactly `units` units of work; called first with the warm-up's units. Returns 0 or -1. */
	int (*work)(uint64_t units);
	/* Not timed, after the clock: writes the check value of all work done since setup or the last
	 * reset, without blanks, into text[size]. Returns 0, or -1 after driver_fail() when work is seen wrong. */
	int (*check)(char *text, size_t size);
	/* Not timed, may be NULL: before each call of work but the first (between warm-up and timed part, between
	 * the steps of a calibration), so that the check value depends on the last timed units only. */
	int (*reset)(void);
	/* May be NULL: called after check, writes further " NAME=VALUE" fields to the result line, such as " rate=%.17g". Returns 0,
	 * or -1 after driver_fail(). */
	int (*report)(char *text, size_t size, uint64_t units, uint64_t elapsed_ns);
	/* The most units one call of work can do (Dhrystone's counter); 0: no limit but the protocol's. */
	uint64_t max_units;
};

extern const struct workload flagstone_workload;

/* Says on standard error what failed, printf style, with errno's text where errnum is not 0. Returns -1, which
 * the callbacks above hand on; the process then exits with FLAGSTONE_EXIT_WRONG. */
int driver_fail(int errnum, const char *fmt, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;

/* The value of a NAME=VALUE parameter as an integer from 1 to 2^53, or fallback when it was not given. */
uint64_t driver_parameter(const char *name, uint64_t fallback);

/* An empty function of the driver behind a volatile pointer: the guard for compilers without GNU asm. */
extern void (*volatile driver_escape)(void *);

/*
 * Guards: what the optimizer must believe at this point. None of them costs more than a register move, except
 * under compilers without GNU asm, where each is a call.
 *
 *	GUARD_VALUE(x)   the integer or pointer x (an lvalue) is read and written. For a double, which does not
 *	                 fit a general register on every machine, use GUARD_MEMORY on its address.
 *	GUARD_MEMORY(p)  what p points to is read and written, and so is all other memory that a call could reach
 *	GUARD_ALL()      all memory that a call could reach is read and written; a local counts only after its
 *	                 address went through GUARD_MEMORY
 */
#if defined(__GNUC__) && !defined(__TINYC__)
#define GUARD_VALUE(x)	__asm__ volatile("" : "+r"(x))
#define GUARD_MEMORY(p) __asm__ volatile("" : : "r"(p) : "memory")
#define GUARD_ALL()	__asm__ volatile("" : : : "memory")
#else
#define GUARD_VALUE(x)	driver_escape((void *)&(x))
#define GUARD_MEMORY(p) driver_escape((void *)(p))
#define GUARD_ALL()	driver_escape(NULL)
#endif

#endif
