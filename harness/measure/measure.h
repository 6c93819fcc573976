/*
 * measure.h - one block: all open cells of one workload, back to back in random order, each as one sample (a new
 * process, or N copies with a common start) between two pairs of canaries. Knows nothing of compilers and
 * nothing of statistics: it gets programs and gives rows.
 *
 * How, and why: blocks keep what is compared close in time, since disturbances last for seconds; samples are
 * short and many; a new process each time, with a random environment size, which moves the stack of any program, and a
 * random start of stack and heap, which built-in workloads' runtime sees to; pinned; CLOCK_MONOTONIC_RAW, read in the
 * worker (workloads/driver/protocol.h).
 */
#ifndef FLAGSTONE_MEASURE_MEASURE_H
#define FLAGSTONE_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "host/energy.h"
#include "host/throttle.h"
#include "record/record.h"
#include "sys/canary.h"
#include "sys/cpu.h"
#include "sys/spawner.h"

/* How a program is started, apart from its arguments. */
struct measure_start {
	const char *program;	/* absolute path */
	struct words runner;	/* argv before the program (cross); n == 0: none */
	struct words env;	/* the variant's */
	const char *stdin_path; /* NULL: /dev/null */
};

/* One cell in a block: a program, its arguments, its amount of work. */
struct measure_item {
	uint32_t build; /* index in record->builds */
	uint32_t arm;
	uint32_t layout;
	const char *program;	/* absolute path of the layout's link */
	struct words arguments; /* of the workload: "n=4" words */
	struct words runner;	/* argv before the program (cross); n == 0: none */
	struct words env;	/* the variant's */
	const char *stdin_path; /* NULL: /dev/null */
	uint32_t copies;
	uint64_t units, warmup;
	bool lower_is_better;	 /* value is elapsed seconds a unit instead of units a second */
	const char *check_value; /* what equal units must give; NULL: not compared */
	double check_rel;
	uint32_t group;	  /* cells that are compared with one baseline have the same number */
	bool is_baseline; /* of its group */
};

struct measurer {
	struct spawner *spawner;
	const char *spawner_path;
	struct canary canary;
	const struct cpu_list *pin_order;
	struct rng rng;	  /* order and environment sizes */
	int64_t epoch_ns; /* CLOCK_MONOTONIC_RAW of this session's start */
	uint32_t session; /* index in record->sessions */
	int64_t timeout_ns;
	double rest_dep_ns, rest_wide_ns; /* canaries of the machine at rest; 0: not asked */
	struct host_throttle throttle;
	struct host_energy energy;
	uint32_t counted_rounds; /* every so many rounds are counted (count.h), the first one, too; 0: none */
	uint64_t counts,
		counts_lost; /* counts asked for, and those of them that were not to be had after all */
	/* marking thresholds, fixed after the first round; 0: not yet */
	double canary_dep_limit_ns, canary_wide_limit_ns, run_wait_limit;
	struct arena *arena;			       /* for failure texts */
	int64_t canaries_ns, spawning_ns, sampling_ns; /* where the time went, sums */
};

int measurer_init(struct measurer *m, const char *spawner_path, const struct cpu_list *pin_order,
	const char *seed, struct arena *arena, struct error *e);
void measurer_release(struct measurer *m);

/*
 * Measures count items once in fresh random order, then those marked again, together with their group's baseline (a
 * marked baseline: its whole group), at most twice (repeat_of tells). In a counted round each item that did not fail
 * then runs once more, counted and not timed (count.h). Rows go to record->samples with round, block and position;
 * failures to record->failures. A failed sample (died, timed out, wrong) is a row with value NAN and its mark; failed[i]
 * (may be NULL) tells the caller which items had one. -1: interrupted or the spawner is gone for good.
 */
int measure_block(struct measurer *m, struct record *record, const struct measure_item *items, size_t count,
	uint32_t round, uint32_t block, bool *failed, struct error *e);

/*
 * One process outside any block: runs the program with the words given. *line: its result line, or NULL with
 * *reason (exit code, signal and what it said). Used for check runs and calibration.
 */
int measure_once(struct measurer *m, const struct measure_start *start, const char *const *arguments,
	int64_t timeout_ns, const char **line, const char **reason, struct error *e);

/*
 * Units of work, a power of two, so that one sample takes 1 to 2 x sample_ns: asks the worker (calibrate=) three times,
 * or up to nine until the two fastest agree within 5 %, and takes the fastest, since a disturbance only ever makes it
 * slower. *reason when the program does not answer.
 */
int measure_calibrate(struct measurer *m, const struct measure_start *start, const struct words *arguments,
	int64_t sample_ns, uint64_t *units, const char **reason, struct error *e);

/* A field of a result line: "elapsed_ns"; the text behind NAME= in the arena, NULL when absent. */
char *measure_field(const char *line, const char *name, struct arena *arena);

/*
 * Does a check value agree: equal texts at rel 0; else comma-separated doubles, each within rel.
 */
bool measure_check_agrees(const char *got, const char *expected, double rel);

/*
 * Fixes the marking thresholds from the canaries and run-queue waits of the rows: upper quartile + 3 x IQR; too few rows:
 * none.
 */
void measure_fix_thresholds(struct measurer *m, const struct samples *samples);
/* Reads the canaries of the machine at rest, before anything heats it: some 50 ms. */
void measure_rest(struct measurer *m);
/*
 * Waits, after a build or a pause, until the canaries are back where they were at rest (upper quartile + 3 x IQR), at
 * most max_ns; returns the time waited, 0 where nothing is known of rest, -1 if they never came back.
 */
int64_t measure_settle(struct measurer *m, int64_t max_ns);

#endif
