/*
 * check.h - is this machine fit to measure on? Checks that only read: pure functions over the facts of host_read() and
 * host_fitness_read(), and over what was measured, if anything was.
 *
 *	host_checks_make(&input, &arena, &checks)
 *	checks.verdict, checks.line; checks.v[0 ... n - 1] in the order in which they are shown
 *
 * A check is ok, a caveat (results hold, with this in mind), unfit (do not measure here now), or unknown with the
 * reason; unknown is never taken for good. The verdict: unfit if any check is; fit if no check is a caveat and none
 * that decides is unknown; usable in between. What does not decide is what the canaries of each run see anyway, or
 * what only some workloads feel: it is said, and spoils no verdict.
 *
 * Each check tells why it matters, with the size of the effect where it is known. Sizes called "seen by flagstone" were
 * measured with this program on a busy virtual machine with 2 CPUs; others name where they were published.
 */
#ifndef FLAGSTONE_HOST_CHECK_H
#define FLAGSTONE_HOST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "record/fact.h"
#include "sys/cpu.h"

enum check_status { CHECK_OK, CHECK_CAVEAT, CHECK_UNFIT, CHECK_UNKNOWN };
enum check_verdict { VERDICT_FIT, VERDICT_USABLE, VERDICT_UNFIT };

enum { CHECK_READS = 8 };

struct host_check {
	const char *id;	   /* "governor" */
	const char *title; /* a few words */
	enum check_status status;
	bool decides;	     /* whether its being unknown keeps the machine from being fit */
	const char *finding; /* one line: what is so here, or why it is unknown */
	const char *why;     /* why it matters */
	const char *todo;    /* what to do; NULL: nothing */
	const char *command; /* that does it; NULL: none */
	/* what was read; copies of the facts */
	struct fact reads[CHECK_READS];
	size_t read_count;
};

/* A canary's times, each divided by the median of its CPU. */
struct host_noise {
	double median_ns; /* of the first CPU */
	double q25, q75, p01, p99;
	double marked; /* share beyond the upper quartile + 3 IQR: what a run would call disturbed */
};

/* How this machine is in words. */
enum noise_word { NOISE_QUIET, NOISE_VM, NOISE_LOUD };

/* What a few seconds of canaries showed. */
struct host_measured {
	double seconds;
	size_t readings; /* pairs of canaries */
	size_t cpus;
	struct host_noise dep, wide; /* sys/canary.h */
	double clock_ns;	     /* cost of one reading of the clock */
	double steal_percent;	     /* while it was measured; -1: unknown, as below */
	double interrupts_per_s;     /* of devices, on the CPUs measured on */
	double throttles;	     /* times that these CPUs were slowed down for heat */
	double bandwidth;	  /* bytes a second read from memory by all allowed CPUs; 0: not measured */
	const char *no_bandwidth; /* why not */
};

/* The word for these canaries; thresholds: check_noise.c. */
enum noise_word host_noise_word(const struct host_measured *measured);
/* "quiet", "usual for a virtual machine", "noisy" */
const char *host_noise_text(enum noise_word word);

struct host_checks_input {
	const struct facts *facts;
	const struct cpu_list *cpus; /* to be measured on, first one first */
	int64_t now_s;
	const struct host_measured *measured; /* NULL: nothing was measured */
	const char *unmeasured; /* then: why; NULL: it was not asked for, and the check is left out */
	const char *other_run;	/* another run on this machine, in words; NULL: none */
};

struct host_checks {
	struct host_check *v;
	size_t n;
	enum check_verdict verdict;
	const char *line; /* the verdict in one line */
};

void host_checks_make(const struct host_checks_input *input, struct arena *arena, struct host_checks *checks);

/* "ok", "caveat", "unfit", "unknown"; "fit", "usable", "unfit". */
const char *check_status_text(enum check_status status);
const char *check_verdict_text(enum check_verdict verdict);
/* Ids of the checks with this status that count for the verdict, with ", " between; NULL: none. In the arena. */
const char *host_checks_named(
	const struct host_checks *checks, enum check_status status, struct arena *arena);

#endif
