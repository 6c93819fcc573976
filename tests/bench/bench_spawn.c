/*
 * bench_spawn.c - what a sample costs: from spawner_run() to its answer against a bare posix_spawn and wait4 of
 * the same program, and against what `hyperfine -N` says a run of it takes from start to end.
 *
 *	bench_spawn [PROGRAM]      PROGRAM: a no-op; default /bin/true (dynamically linked)
 *
 * Prints "spawn<tab>RATIO<tab>ratio<tab>1.10": the median over blocks of (time through the spawner / bare time).
 * Both take turns in short blocks in one run, the order changing each time, so that what disturbs the machine hits
 * both. All runs on one CPU: a second one would add the cost of waking it to whichever is unlucky.
 * "spawn-vs-hyperfine<tab>RATIO<tab>ratio<tab>1.00" only where hyperfine is installed: the wall
 * time that one more run costs, without the start of hyperfine itself.
 * bench_spawn needs FLAGSTONE_LIBEXEC or the helper beside itself.
 * figures: spawn spawn-vs-hyperfine
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "sys/cpu.h"
#include "sys/process.h"
#include "sys/spawner.h"

enum { BLOCKS = 120, RUNS = 15, TURNS = 15, HYPERFINE_RUNS = 150 };

static char *const no_env[] = {NULL};
static const int any_cpu = -1;

static _Noreturn void fail(const struct error *e)
{
	fprintf(stderr, "bench_spawn: %s\n", e->text);
	exit(3);
}

static int64_t bare_block(char *const *argv)
{
	int64_t start = clock_ns();

	for (int i = 0; i < RUNS; i++) {
		struct rusage usage;
		int status;
		pid_t pid;

		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, no_env) != 0 ||
			wait4(pid, &status, 0, &usage) != pid) {
			perror("bench_spawn: posix_spawn");
			exit(3);
		}
	}
	return clock_ns() - start;
}

static int64_t spawner_block(struct spawner *spawner, char *const *argv)
{
	struct spawn_request request = {
		.argv = argv, .env = no_env, .cpus = &any_cpu, .copies = 1, .timeout_ns = 10000000000};
	int64_t start = clock_ns();

	for (int i = 0; i < RUNS; i++) {
		struct spawn_copy copy;
		struct error e;

		if (spawner_run(spawner, &request, &copy, &e) != 0)
			fail(&e);
		if (copy.exec_errno != 0 || copy.exit_code != 0) {
			fprintf(stderr, "bench_spawn: %s did not end with 0\n", argv[0]);
			exit(3);
		}
	}
	return clock_ns() - start;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), num_compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Wall time of hyperfine for so many runs, in nanoseconds; 0 when it is not installed or fails. */
static double hyperfine_wall_ns(char *program, int count)
{
	char runs[32];
	char *argv[] = {(char *)"hyperfine", (char *)"-N", (char *)"--style", (char *)"none",
		(char *)"--warmup", (char *)"0", (char *)"--runs", runs, program, NULL};
	struct process_options options = {.argv = argv, .cpu = -1, .timeout_ns = 120000000000};
	struct process_result result;
	double ns = 0;

	snprintf(runs, sizeof(runs), "%d", count);
	if (process_run(&options, &result, NULL) != 0)
		return 0;
	if (process_ok(&result))
		ns = (double)result.wall_ns;
	process_result_release(&result);
	return ns;
}

/* What one more run costs hyperfine, its own start and end (some milliseconds) taken off; 0: not to be had. */
static double hyperfine_ns(char *program)
{
	double few = hyperfine_wall_ns(program, RUNS),
	       more = hyperfine_wall_ns(program, RUNS + HYPERFINE_RUNS);

	return few > 0 && more > few ? (more - few) / HYPERFINE_RUNS : 0;
}

/* Takes turns with hyperfine, so that both see the same machine; prints nothing without it. */
static void against_hyperfine(struct spawner *spawner, char **program)
{
	double ratios[TURNS];
	double hyperfine = 0;

	for (int i = 0; i < TURNS; i++) {
		double through = 0;

		hyperfine = hyperfine_ns(program[0]);
		if (!(hyperfine > 0))
			return;
		for (int k = 0; k < HYPERFINE_RUNS / RUNS; k++)
			through += (double)spawner_block(spawner, program) / HYPERFINE_RUNS;
		ratios[i] = through / hyperfine;
	}
	printf("spawn-vs-hyperfine\t%.3f\tratio\t1.00\n", median(ratios, TURNS));
	fprintf(stderr, "bench_spawn: hyperfine -N %.1f us\n", hyperfine / 1e3);
}

int main(int argc, char **argv)
{
	static char fallback[] = "/bin/true";
	char *program[] = {argc > 1 ? argv[1] : fallback, NULL};
	static double ratios[BLOCKS], through_ns[BLOCKS], bare_ns[BLOCKS];
	struct arena arena = {0};
	struct cpu_list allowed;
	struct spawner *spawner;
	struct error e = {0};
	char *helper;

	program[0] = file_real(&arena, program[0], &e);
	if (program[0] == NULL)
		fail(&e);
	if (cpu_allowed("", &arena, &allowed, &e) != 0 || cpu_pin_self(allowed.v[allowed.n - 1], &e) != 0)
		fail(&e);
	helper = spawner_find_helper(&arena, "spawner", &e);
	spawner = helper != NULL ? spawner_new(helper, &e) : NULL;
	if (spawner == NULL)
		fail(&e);
	spawner_block(spawner, program);
	bare_block(program);
	for (int i = 0; i < BLOCKS; i++) {
		if (i % 2)
			bare_ns[i] = (double)bare_block(program) / RUNS;
		through_ns[i] = (double)spawner_block(spawner, program) / RUNS;
		if (i % 2 == 0)
			bare_ns[i] = (double)bare_block(program) / RUNS;
		ratios[i] = through_ns[i] / bare_ns[i];
	}
	printf("spawn\t%.3f\tratio\t1.10\n", median(ratios, BLOCKS));
	fprintf(stderr, "bench_spawn: %s, medians: spawner %.1f us, posix_spawn and wait4 %.1f us\n",
		program[0], median(through_ns, BLOCKS) / 1e3, median(bare_ns, BLOCKS) / 1e3);
	against_hyperfine(spawner, program);
	spawner_free(spawner);
	arena_release(&arena);
	return 0;
}
