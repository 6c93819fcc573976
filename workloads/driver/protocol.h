/*
 * protocol.h - what flagstone and a built-in workload agree on. The one file that both sides include.
 *
 * A worker is started as
 *
 *	PROGRAM units=N [warmup=N] [NAME=VALUE ...]
 *
 * with these words of the runtime's own (any other NAME=VALUE is a parameter of the workload, see driver.h):
 *
 *	units=N        units of work in the timed part, 1 ... 2^53
 *	warmup=N       units of the untimed pass before it; default 0
 *	calibrate=NS   instead of units: double the units from 1 until the timed part takes at least NS
 *	               nanoseconds; the result line then tells the units reached and their time
 *	stack=N        bytes by which the stack of all that the workload does begins lower, at most 65536; default 0
 *	heap=N         bytes taken from the heap before anything else, and kept, at most 65536; default 0
 *
 * The last two move what a workload has on its stack and heap. flagstone draws them for each start, so that no cell
 * is measured with one lucky or unlucky address: multiples of FLAGSTONE_START_STEP below FLAGSTONE_START_BELOW.
 *
 * Descriptors, open at exec:
 *
 *	FLAGSTONE_RESULT_FD   the worker writes one result line to it, with one write(2); if it is closed
 *	                      (started by hand), the line goes to standard output
 *	FLAGSTONE_BARRIER_FD  only when the environment has FLAGSTONE_BARRIER_ENV=1: shared memory of
 *	                      sizeof(struct flagstone_barrier). The worker maps it, does set-up and warm-up, adds
 *	                      1 to `arrived` (and wakes `arrived` waiters), waits by futex while `go` is 0,
 *	                      then starts the clock. `go` other than 0 and 1 means: give up, exit 75.
 *
 * The result line, fields in any order, unknown ones ignored by the reader:
 *
 *	flagstone-result 1 units=N elapsed_ns=N start_ns=N end_ns=N check=TEXT [rate=X] [NAME=VALUE ...]\n
 *
 * start_ns and end_ns are CLOCK_MONOTONIC_RAW, read right before and after the timed units; elapsed_ns is
 * their difference. check has no blanks; for doubles it is printed with %.17g. `value` of a sample is
 * units / elapsed in units a second, unless the line has rate=X (the workload's own figure, in its unit).
 *
 * Exit: 0 result line written; 64 bad arguments; 70 the workload saw that its own work was wrong or a
 * system call failed (said on standard error); 75 barrier given up.
 */
#ifndef FLAGSTONE_DRIVER_PROTOCOL_H
#define FLAGSTONE_DRIVER_PROTOCOL_H

#include <stdint.h>

#define FLAGSTONE_RESULT_FD   3
#define FLAGSTONE_BARRIER_FD  4
#define FLAGSTONE_BARRIER_ENV "FLAGSTONE_BARRIER"
#define FLAGSTONE_RESULT_WORD "flagstone-result"
#define FLAGSTONE_PROTOCOL    1
#define FLAGSTONE_START_STEP  16
#define FLAGSTONE_START_BELOW 4096
#define FLAGSTONE_START_MAX   65536
/* longest result line, with its newline: below PIPE_BUF, so one write arrives whole */
#define FLAGSTONE_RESULT_MAX 2048

enum flagstone_exit { FLAGSTONE_EXIT_USAGE = 64, FLAGSTONE_EXIT_WRONG = 70, FLAGSTONE_EXIT_BARRIER = 75 };

struct flagstone_barrier {
	uint32_t arrived; /* futex word: workers that are ready */
	uint32_t go;	  /* futex word: 0 wait, 1 run, else give up */
};

#endif
