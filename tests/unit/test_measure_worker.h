/*
 * test_measure_worker.h - a worker of known speed: the test program itself, executed again with the words of
 * workloads/driver/protocol.h. It does no work and claims `pace` nanoseconds a unit (1000 unless given), 16 times as much
 * in the first `slow` starts that it counts in the file `starts`; mode= makes it misbehave.
 */
#ifndef FLAGSTONE_TEST_MEASURE_WORKER_H
#define FLAGSTONE_TEST_MEASURE_WORKER_H

#include <inttypes.h>

#include "test_sys_worker.h"

static inline const char *pace_word(int argc, char **argv, const char *name, const char *fallback)
{
	size_t n = strlen(name);

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
			return argv[i] + n + 1;
	return fallback;
}

static inline int pace_misbehave(const char *mode)
{
	if (strcmp(mode, "exit22") == 0) {
		fputs("cannot go on\n", stderr);
		return 22;
	}
	if (strcmp(mode, "hang") == 0)
		worker_sleep();
	if (strcmp(mode, "children") == 0 && fork() == 0) {
		worker_sleep();
		_exit(0);
	}
	return strcmp(mode, "silent") == 0 ? -2 : -1;
}

static inline void pace_barrier(void)
{
	struct flagstone_barrier *b;

	if (getenv(FLAGSTONE_BARRIER_ENV) == NULL)
		return;
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, FLAGSTONE_BARRIER_FD, 0);
	if (b == MAP_FAILED)
		_exit(10);
	__atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL);
	syscall(SYS_futex, &b->arrived, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while (__atomic_load_n(&b->go, __ATOMIC_ACQUIRE) == 0)
		syscall(SYS_futex, &b->go, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* Starts so far, as bytes of a file. */
static inline int64_t pace_starts(const char *path)
{
	FILE *file = fopen(path, "a");
	long starts;

	if (file == NULL)
		_exit(11);
	fseek(file, 0, SEEK_END);
	starts = ftell(file);
	fputc('x', file);
	fclose(file);
	return starts;
}

static inline int pace_run(int argc, char **argv)
{
	const char *mode = pace_word(argc, argv, "mode", "");
	int64_t pace = atoll(pace_word(argc, argv, "pace", "1000"));
	int64_t calibrate = atoll(pace_word(argc, argv, "calibrate", "0"));
	int64_t units = atoll(pace_word(argc, argv, "units", "1")), start, elapsed;
	char line[256];
	const char *starts = pace_word(argc, argv, "starts", "");
	int n, code = pace_misbehave(mode);

	if (code != -1)
		return code == -2 ? 0 : code;
	if (starts[0] != '\0' && pace_starts(starts) < atoll(pace_word(argc, argv, "slow", "0")))
		pace *= 16;
	while (calibrate > 0 && units * pace < calibrate)
		units *= 2;
	pace_barrier();
	elapsed = units * pace;
	if (strcmp(mode, "removed") == 0) { /* no work is left: any number of units takes as long */
		units = calibrate > 0 ? INT64_C(1) << 45 : units;
		elapsed = 30;
	}
	start = clock_ns();
	if (strcmp(mode, "apart") == 0)
		start += getpid() % 1000 * INT64_C(1000000000);
	if (strcmp(mode, "together") == 0) /* whatever the machine does */
		start = INT64_C(4000000000000000000);
	n = snprintf(line, sizeof(line),
		"flagstone-result 1 units=%" PRId64 " elapsed_ns=%" PRId64 " start_ns=%" PRId64
		" end_ns=%" PRId64 " check=%" PRId64 "%s\n",
		strcmp(mode, "fewer") == 0 ? units - 1 : units, elapsed, start,
		strcmp(mode, "back") == 0 ? start - 1 : start + elapsed,
		units * 3 + (strcmp(mode, "wrong") == 0), strcmp(mode, "rate") == 0 ? " rate=12.5" : "");
	return write(FLAGSTONE_RESULT_FD, line, (size_t)n) != n;
}

/* Does not return where this is a worker. */
static inline void pace_main(int argc, char **argv)
{
	if (argc > 1 && (strncmp(argv[1], "units=", 6) == 0 || strncmp(argv[1], "calibrate=", 10) == 0))
		exit(pace_run(argc, argv));
}

#endif
