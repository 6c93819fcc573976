/*
 * syscall.c - how long the way into the kernel and back takes. One unit is five calls that do nearly nothing there:
 * dup, close, getpid, getuid, umask.
 *
 * getpid goes through syscall(), since some C libraries remember its answer. The other four are the library's
 * wrappers, which every known library passes on. Each answer is known beforehand; the right ones are counted.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "driver.h"

#define MASK 022

enum call { CALL_DUP, CALL_CLOSE, CALL_GETPID, CALL_GETUID, CALL_UMASK, CALLS };

static int original;	  /* the descriptor that is copied: the read end of a pipe of our own */
static int expected_copy; /* the lowest free descriptor, which every copy gets */
static long expected_pid;
static uid_t expected_uid;

static uint64_t done;
static uint64_t right[CALLS]; /* answers as expected */

static int reset(void)
{
	int i;

	done = 0;
	for (i = 0; i < CALLS; i++)
		right[i] = 0;
	return 0;
}

static int setup(void)
{
	int ends[2];

	if (pipe(ends))
		return driver_fail(errno, "cannot open a pipe (see the limit on open files, ulimit -n)");
	original = ends[0];
	expected_copy = dup(original);
	if (expected_copy < 0)
		return driver_fail(errno,
			"cannot duplicate descriptor %d (see the limit on open files, ulimit -n)", original);
	if (close(expected_copy))
		return driver_fail(errno, "cannot close descriptor %d", expected_copy);
	expected_pid = (long)getpid();
	expected_uid = getuid();
	umask(MASK);
	return reset();
}

static int work(uint64_t units)
{
	uint64_t duplicated = 0, closed = 0, pids = 0, uids = 0, masks = 0;
	uint64_t i;

	for (i = 0; i < units; i++) {
		const int copy = dup(original);

		if (copy < 0)
			return driver_fail(errno, "dup of descriptor %d in unit %" PRIu64, original, i + 1);
		duplicated += copy == expected_copy;
		if (close(copy))
			return driver_fail(errno, "close of descriptor %d in unit %" PRIu64, copy, i + 1);
		closed++;
		pids += syscall(SYS_getpid) == expected_pid;
		uids += getuid() == expected_uid;
		masks += umask(MASK) == MASK;
	}
	right[CALL_DUP] += duplicated;
	right[CALL_CLOSE] += closed;
	right[CALL_GETPID] += pids;
	right[CALL_GETUID] += uids;
	right[CALL_UMASK] += masks;
	done += units;
	return 0;
}

/* The check value is the number of right answers. */
static int check(char *text, size_t size)
{
	static const char *const names[CALLS] = {"dup", "close", "getpid", "getuid", "umask"};
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CALLS; i++) {
		if (right[i] != done)
			return driver_fail(0,
				"%s: %" PRIu64 " of %" PRIu64 " answers were not the expected one", names[i],
				done - right[i], done);
		sum += right[i];
	}
	snprintf(text, size, "%" PRIu64, sum);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "syscall",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
