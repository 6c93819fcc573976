/*
 * pipe.c - one process writes to a pipe and reads from it. One unit is a write and a read of 512 bytes.
 *
 * The first eight bytes carry the unit's number. The numbers that came back are summed up, and the last message is
 * compared as a whole after the clock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

#define MESSAGE_SIZE 512

static int read_end, write_end;
static union message {
	uint64_t number;
	unsigned char bytes[MESSAGE_SIZE];
} sent, received;
static uint64_t done, sum;

static int reset(void)
{
	done = 0;
	sum = 0;
	memset(&received, 0, sizeof(received));
	return 0;
}

static int setup(void)
{
	int ends[2];
	size_t i;

	if (pipe(ends))
		return driver_fail(errno, "cannot open a pipe (see the limit on open files, ulimit -n)");
	read_end = ends[0];
	write_end = ends[1];
	for (i = 0; i < MESSAGE_SIZE; i++)
		sent.bytes[i] = (unsigned char)i;
	return reset();
}

/* Returns -1. */
static int broken(const char *what, ssize_t moved, uint64_t unit)
{
	if (moved < 0)
		return driver_fail(errno, "%s of %d bytes in unit %" PRIu64, what, MESSAGE_SIZE, unit);
	return driver_fail(0, "%s of %d bytes in unit %" PRIu64 " was short: %ld bytes", what, MESSAGE_SIZE,
		unit, (long)moved);
}

static int work(uint64_t units)
{
	uint64_t i;

	for (i = 1; i <= units; i++) {
		ssize_t moved;

		sent.number = done + i;
		moved = write(write_end, &sent, MESSAGE_SIZE);
		if (moved != MESSAGE_SIZE)
			return broken("write", moved, i);
		moved = read(read_end, &received, MESSAGE_SIZE);
		if (moved != MESSAGE_SIZE)
			return broken("read", moved, i);
		sum += received.number;
	}
	done += units;
	return 0;
}

/* The check value is the sum of the numbers received, modulo 2^64. */
static int check(char *text, size_t size)
{
	if (memcmp(&sent, &received, sizeof(sent)))
		return driver_fail(0, "message %" PRIu64 " was not received as it was sent", done);
	if (received.number != done)
		return driver_fail(0, "the last message has number %" PRIu64 ", must be %" PRIu64,
			received.number, done);
	snprintf(text, size, "%" PRIu64, sum);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "pipe",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
