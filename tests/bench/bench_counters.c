/*
 * bench_counters.c - what counting (sys/perf.h) costs the one that is counted: the same programs with and without.
 *
 * Prints the medians, over pairs of blocks that stand side by side, of time with counters to time without:
 *	counters            a sample of some 5 ms, as a worker times itself, that computes
 *	counters-faults     the same, that touches fresh memory
 *	counters-switches   the same, of two processes that pass a byte to and fro
 *	counters-spawn      from spawner_run() to its answer, for a program that does nothing; opening, reading and
 *	                    closing the counters are not in it
 * A block's time is its fastest sample's, since what else goes on only ever makes one longer; the order changes from
 * pair to pair; all is on one CPU. The events that could be had are named on standard error. No limits: it is the kernel's
 * cost, and why no timed sample is counted (measure/count.h).
 *
 * bench_counters needs FLAGSTONE_LIBEXEC or the helper beside itself.
 * figures: counters counters-faults counters-switches counters-spawn
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "driver/protocol.h"
#include "sys/cpu.h"
#include "sys/perf.h"
#include "sys/spawner.h"

enum { PAIRS = 60, SAMPLES = 6, SPAWNS = 20, PAGES = 64, TRIPS = 800, MAPPINGS = 40, TURNS = 3000000 };

static char *const no_env[] = {NULL};
static const int any_cpu = -1;

static _Noreturn void fail(const struct error *e)
{
	fprintf(stderr, "bench_counters: %s\n", e->text);
	exit(3);
}

static void compute(void)
{
	volatile uint64_t x = 1;

	for (int i = 0; i < TURNS; i++)
		x = x * 6364136223846793005U + 1442695040888963407U;
}

static void touch_memory(void)
{
	size_t size = PAGES * 4096;

	for (int i = 0; i < MAPPINGS; i++) {
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			exit(3);
		for (size_t at = 0; at < size; at += 4096)
			((volatile char *)memory)[at] = 1;
		munmap(memory, size);
	}
}

/* What UnixBench's context1 does. */
static void pass_to_and_fro(void)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) != 0 || pipe(back) != 0)
		exit(3);
	if (fork() == 0) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; i < TRIPS; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			exit(3);
	close(there[1]);
	wait(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"counters", compute}, {"counters-faults", touch_memory}, {"counters-switches", pass_to_and_fro}};

/* A sample: some milliseconds of work that times itself. */
static int work(const char *kind)
{
	int64_t start = clock_ns();
	char line[160];
	int n;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			kinds[i].run();
	n = snprintf(
		line, sizeof(line), FLAGSTONE_RESULT_WORD " 1 elapsed_ns=%" PRId64 "\n", clock_ns() - start);
	return write(FLAGSTONE_RESULT_FD, line, (size_t)n) != n;
}

static void run_once(struct spawner *spawner, char *const *argv, struct spawn_copy *copy)
{
	struct spawn_request request = {
		.argv = argv, .env = no_env, .cpus = &any_cpu, .copies = 1, .timeout_ns = 10000000000};
	struct error e;

	if (spawner_run(spawner, &request, copy, &e) != 0)
		fail(&e);
	if (copy->exec_errno != 0 || copy->exit_code != 0) {
		fprintf(stderr, "bench_counters: %s did not end with 0\n", argv[0]);
		exit(3);
	}
}

/* The time of one run as it tells it; or, when it tells none, as the spawner's caller sees it. */
static double run_timed(struct spawner *spawner, bool counting, char *const *argv)
{
	int64_t counts[COUNTERS], start;
	struct spawn_copy copy;
	struct perf perf;
	const char *at;
	double ns;

	if (counting)
		perf_open(&perf, spawner_pid(spawner));
	start = clock_ns();
	run_once(spawner, argv, &copy);
	ns = (double)(clock_ns() - start);
	if (counting) {
		perf_read(&perf, counts);
		perf_close(&perf);
	}
	at = strstr(copy.result_line, "elapsed_ns=");
	return at != NULL ? strtod(at + strlen("elapsed_ns="), NULL) : ns;
}

static double block(struct spawner *spawner, bool counting, char *const *argv, int samples)
{
	double least = run_timed(spawner, counting, argv);

	for (int i = 1; i < samples; i++) {
		double ns = run_timed(spawner, counting, argv);

		least = ns < least ? ns : least;
	}
	return least;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), num_compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void compare(const char *name, int samples, struct spawner *spawner, char *const *argv)
{
	static double ratios[PAIRS], with[PAIRS], without[PAIRS];

	block(spawner, false, argv, samples);
	for (int i = 0; i < PAIRS; i++) {
		if (i % 2)
			with[i] = block(spawner, true, argv, samples);
		without[i] = block(spawner, false, argv, samples);
		if (i % 2 == 0)
			with[i] = block(spawner, true, argv, samples);
		ratios[i] = with[i] / without[i];
	}
	printf("%s\t%.4f\tratio\t-\n", name, median(ratios, PAIRS));
	fflush(stdout);
	fprintf(stderr, "bench_counters: %s, medians: with %.1f us, without %.1f us\n", name,
		median(with, PAIRS) / 1e3, median(without, PAIRS) / 1e3);
}

static void say_events(void)
{
	fprintf(stderr, "bench_counters:");
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_attempt attempt = perf_try((enum counter)i);

		fprintf(stderr, " %s%s", perf_name((enum counter)i), attempt.errnum != 0 ? " (none)" : "");
	}
	fputc('\n', stderr);
}

int main(int argc, char **argv)
{
	char self[4096], nothing[] = "/bin/true", word[] = "--work", kind[32];
	char *worker[] = {self, word, kind, NULL}, *idle[] = {nothing, NULL};
	struct arena arena = {0};
	struct cpu_list allowed;
	struct spawner *spawner;
	struct error e = {0};
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *helper;

	if (argc > 2 && strcmp(argv[1], word) == 0)
		return work(argv[2]);
	self[length > 0 ? length : 0] = '\0';
	if (cpu_allowed("", &arena, &allowed, &e) != 0 || cpu_pin_self(allowed.v[allowed.n - 1], &e) != 0)
		fail(&e);
	helper = spawner_find_helper(&arena, "spawner", &e);
	spawner = helper != NULL ? spawner_new(helper, &e) : NULL;
	if (spawner == NULL)
		fail(&e);
	say_events();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(kind, sizeof(kind), "%s", kinds[i].name);
		compare(kind, SAMPLES, spawner, worker);
	}
	compare("counters-spawn", SPAWNS, spawner, idle);
	spawner_free(spawner);
	arena_release(&arena);
	return 0;
}
