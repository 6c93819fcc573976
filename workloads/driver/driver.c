/*
 * driver.c - the runtime of the built-in workloads: arguments, barrier, clock, result line (driver.h, protocol.h).
 *
 * It uses neither compiler builtins nor C11 atomics, so that old and small compilers build it too, and as little of
 * the C library as it can, so that a sample of a few milliseconds is not mostly the start of its process.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

#define MOST ((uint64_t)1 << 53)

/* <linux/futex.h> is not there with every C library; these numbers are the kernel's interface */
#define OP_WAIT	   0
#define OP_WAKE_OP 5
/* for OP_WAKE_OP: add 1 to the second word, which here is the first one too: its conditional second waking finds
 * nobody left */
#define ADD_ONE ((1 << 28) | (1 << 12))

#ifdef SYS_futex
#define FUTEX_CALL SYS_futex
#else
#define FUTEX_CALL SYS_futex_time64 /* 32-bit machines that never had the other; no timeout is passed here */
#endif

struct request {
	uint64_t units;	       /* 0: calibrate */
	uint64_t warmup;       /* 0: none */
	uint64_t calibrate_ns; /* 0: units */
	uint64_t stack, heap;  /* bytes to move them by; 0: not */
};

struct timing {
	uint64_t units;
	uint64_t start_ns, end_ns;
};

static char **arguments; /* of main, for driver_parameter */

static void nothing(void *memory)
{
	(void)memory;
}

void (*volatile driver_escape)(void *) = nothing;

/* One write, so that the messages of several copies do not mix. */
static void say(int errnum, const char *fmt, va_list list)
{
	char text[512];
	size_t used = 0;
	const char *reason = errnum ? strerror(errnum) : NULL;

	/* the last byte stays free for the newline */
	snprintf(text, sizeof(text) - 1, "%s: ", flagstone_workload.name);
	used = strlen(text);
	vsnprintf(text + used, sizeof(text) - 1 - used, fmt, list);
	used = strlen(text);
	if (reason) {
		snprintf(text + used, sizeof(text) - 1 - used, ": %s", reason);
		used = strlen(text);
	}
	text[used++] = '\n';
	/* nobody is left to tell when this fails */
	if (write(STDERR_FILENO, text, used) < 0)
		return;
}

int driver_fail(int errnum, const char *fmt, ...)
{
	va_list list;

	va_start(list, fmt);
	say(errnum, fmt, list);
	va_end(list);
	return -1;
}

/* Digits only, 1 ... most. strtoull would let pass blanks, signs and hexadecimal numbers. */
static int parse_number(const char *text, uint64_t most, uint64_t *number)
{
	uint64_t n = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > most)
			return -1;
	}
	if (*p || p == text || n == 0)
		return -1;
	*number = n;
	return 0;
}

/* The VALUE of a word NAME=VALUE with this name, else NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(word, name, length) || word[length] != '=')
		return NULL;
	return word + length + 1;
}

static int is_parameter(const char *word)
{
	const char *const *name = flagstone_workload.parameters;

	for (; name && *name; name++) {
		if (value_of(word, *name))
			return 1;
	}
	return 0;
}

static int already_given(const char *word, char **before)
{
	size_t length = (size_t)(strchr(word, '=') - word) + 1;
	char **other;

	for (other = arguments + 1; other < before; other++) {
		if (!strncmp(*other, word, length))
			return 1;
	}
	return 0;
}

uint64_t driver_parameter(const char *name, uint64_t fallback)
{
	uint64_t number = fallback;
	char **word;

	/* parse_arguments has seen that the text is a number */
	for (word = arguments + 1; *word; word++) {
		const char *text = value_of(*word, name);

		if (text)
			parse_number(text, MOST, &number);
	}
	return number;
}

static int say_usage(void)
{
	const char *const *name = flagstone_workload.parameters;
	char names[256] = "";
	size_t used = 0;

	for (; name && *name && used + strlen(*name) + 6 < sizeof(names); name++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " [%s=N]", *name);
	return driver_fail(0,
		"usage: %s units=N [warmup=N] [stack=N] [heap=N]%s, or calibrate=NANOSECONDS instead of "
		"units=N",
		flagstone_workload.name, names);
}

static int parse_arguments(struct request *request)
{
	const uint64_t most_units = flagstone_workload.max_units ? flagstone_workload.max_units : MOST;
	char **word;

	for (word = arguments + 1; *word; word++) {
		const char *text;
		uint64_t most = MOST;
		uint64_t other;
		uint64_t *number = &other;

		if ((text = value_of(*word, "units"))) {
			number = &request->units;
			most = most_units;
		} else if ((text = value_of(*word, "warmup"))) {
			number = &request->warmup;
			most = most_units;
		} else if ((text = value_of(*word, "calibrate"))) {
			number = &request->calibrate_ns;
		} else if ((text = value_of(*word, "stack"))) {
			number = &request->stack;
			most = FLAGSTONE_START_MAX;
		} else if ((text = value_of(*word, "heap"))) {
			number = &request->heap;
			most = FLAGSTONE_START_MAX;
		} else if (is_parameter(*word)) {
			text = strchr(*word, '=') + 1;
		} else {
			driver_fail(0, "unknown argument '%s'", *word);
			return say_usage();
		}
		if (already_given(*word, word))
			return driver_fail(0, "'%s': given twice", *word);
		/* 0 is the default said aloud */
		if (!strcmp(text, "0") &&
			(number == &request->warmup || number == &request->stack || number == &request->heap))
			continue;
		if (parse_number(text, most, number))
			return driver_fail(0, "'%s': not a whole number from 1 to %" PRIu64, *word, most);
	}
	if (!request->units == !request->calibrate_ns) {
		driver_fail(0, request->units ? "both units= and calibrate= given"
					      : "neither units= nor calibrate= given");
		return say_usage();
	}
	return 0;
}

/* Chosen before the workload runs: one that opens files could be given a free descriptor 3. */
static int choose_output(void)
{
	int flags = fcntl(FLAGSTONE_RESULT_FD, F_GETFL);

	if (flags < 0)
		return STDOUT_FILENO;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return driver_fail(0, "descriptor %d, where the result goes, is open for reading only",
			FLAGSTONE_RESULT_FD);
	return FLAGSTONE_RESULT_FD;
}

/* Sets *barrier to NULL when there is none. */
static int map_barrier(struct flagstone_barrier **barrier)
{
	const char *wanted = getenv(FLAGSTONE_BARRIER_ENV);
	void *memory;

	*barrier = NULL;
	if (!wanted || strcmp(wanted, "1"))
		return 0;
	memory = mmap(NULL, sizeof(**barrier), PROT_READ | PROT_WRITE, MAP_SHARED, FLAGSTONE_BARRIER_FD, 0);
	if (memory == MAP_FAILED)
		return driver_fail(errno, "cannot map the barrier from descriptor %d", FLAGSTONE_BARRIER_FD);
	close(FLAGSTONE_BARRIER_FD);
	*barrier = memory;
	return 0;
}

/* Returns an exit status. */
static int wait_at_barrier(struct flagstone_barrier *barrier)
{
	const volatile uint32_t *go = &barrier->go;

	/* The kernel adds and wakes in one call, atomically: no compiler has to know how. */
	if (syscall(FUTEX_CALL, &barrier->arrived, OP_WAKE_OP, INT_MAX, (void *)0, &barrier->arrived,
		    ADD_ONE) < 0) {
		driver_fail(errno, "cannot arrive at the barrier");
		return FLAGSTONE_EXIT_WRONG;
	}
	while (*go == 0) {
		if (syscall(FUTEX_CALL, &barrier->go, OP_WAIT, 0, (void *)0, (void *)0, 0) < 0 &&
			errno != EAGAIN && errno != EINTR) {
			driver_fail(errno, "cannot wait at the barrier");
			return FLAGSTONE_EXIT_WRONG;
		}
	}
	if (*go != 1) {
		driver_fail(0, "the barrier was given up");
		return FLAGSTONE_EXIT_BARRIER;
	}
	return 0;
}

static uint64_t clock_ns(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int reset(void)
{
	return flagstone_workload.reset ? flagstone_workload.reset() : 0;
}

static int time_units(struct timing *timing, uint64_t units)
{
	int rc;

	timing->units = units;
	timing->start_ns = clock_ns();
	rc = flagstone_workload.work(units);
	timing->end_ns = clock_ns();
	return rc;
}

/* Doubling stops at the most units the workload can do, also when that is too short a time. */
static int calibrate(struct timing *timing, uint64_t least_ns)
{
	const uint64_t most = flagstone_workload.max_units ? flagstone_workload.max_units : MOST;
	uint64_t units = 1;

	for (;;) {
		if (time_units(timing, units))
			return -1;
		if (timing->end_ns - timing->start_ns >= least_ns || units > most / 2)
			return 0;
		units *= 2;
		if (reset())
			return -1;
	}
}

static int write_result(int fd, const struct timing *timing)
{
	char line[FLAGSTONE_RESULT_MAX];
	char check[FLAGSTONE_RESULT_MAX / 2] = "";
	char more[FLAGSTONE_RESULT_MAX / 4] = "";
	const uint64_t elapsed_ns = timing->end_ns - timing->start_ns;
	ssize_t written;
	int length;

	if (flagstone_workload.check(check, sizeof(check)))
		return -1;
	if (!check[0] || strpbrk(check, " \t\n"))
		return driver_fail(0, "check value '%s' is empty or has blanks", check);
	if (flagstone_workload.report &&
		flagstone_workload.report(more, sizeof(more), timing->units, elapsed_ns))
		return -1;
	length = snprintf(line, sizeof(line),
		"%s %d units=%" PRIu64 " elapsed_ns=%" PRIu64 " start_ns=%" PRIu64 " end_ns=%" PRIu64
		" check=%s%s\n",
		FLAGSTONE_RESULT_WORD, FLAGSTONE_PROTOCOL, timing->units, elapsed_ns, timing->start_ns,
		timing->end_ns, check, more);
	if (length < 0 || (size_t)length >= sizeof(line))
		return driver_fail(0, "the result line is longer than %d bytes", FLAGSTONE_RESULT_MAX - 1);
	written = write(fd, line, (size_t)length);
	if (written < 0)
		return driver_fail(errno, "cannot write the result to descriptor %d", fd);
	if (written != length)
		return driver_fail(0, "wrote only %ld of the result's %d bytes to descriptor %d",
			(long)written, length, fd);
	return 0;
}

/* Returns an exit status. */
static int run(const struct request *request, int fd, struct flagstone_barrier *barrier)
{
	struct timing timing = {0, 0, 0};
	int status;

	if (flagstone_workload.setup && flagstone_workload.setup())
		return FLAGSTONE_EXIT_WRONG;
	if (request->warmup && (flagstone_workload.work(request->warmup) || reset()))
		return FLAGSTONE_EXIT_WRONG;
	/* the first call of the clock looks up and touches what later ones find */
	clock_ns();
	if (barrier) {
		status = wait_at_barrier(barrier);
		if (status)
			return status;
	}
	if (request->units ? time_units(&timing, request->units) : calibrate(&timing, request->calibrate_ns))
		return FLAGSTONE_EXIT_WRONG;
	return write_result(fd, &timing) ? FLAGSTONE_EXIT_WRONG : 0;
}

/* What comes behind a block that is kept lies higher on the heap by its size. */
static int move_heap(uint64_t bytes)
{
	void *room;

	if (!bytes)
		return 0;
	room = malloc((size_t)bytes);
	if (!room)
		return driver_fail(errno, "cannot take heap=%" PRIu64 " bytes", bytes);
	driver_escape(room);
	return 0;
}

/* Calls run() from a frame that is larger by the bytes wanted. Arrays of variable length are what C11 made optional. */
static int run_lower(const struct request *request, int fd, struct flagstone_barrier *barrier)
{
	/* cppcheck-suppress allocaCalled */
	char *room = alloca((size_t)request->stack + 1);
	int status;

	driver_escape(room);
	status = run(request, fd, barrier);
	driver_escape(room); /* the frame is still needed: this is no tail call */
	return status;
}

int main(int argc, char **argv)
{
	struct request request = {0, 0, 0, 0, 0};
	struct flagstone_barrier *barrier;
	int fd;

	(void)argc;
	arguments = argv;
	if (parse_arguments(&request))
		return FLAGSTONE_EXIT_USAGE;
	/* a copy whose flagstone was killed must not go on disturbing the machine */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) {
		driver_fail(errno, "cannot ask to be killed with the parent");
		return FLAGSTONE_EXIT_WRONG;
	}
	fd = choose_output();
	if (fd < 0 || map_barrier(&barrier) || move_heap(request.heap))
		return FLAGSTONE_EXIT_WRONG;
	return run_lower(&request, fd, barrier);
}
