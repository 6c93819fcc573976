/*
 * fitness.h - is this machine fit to measure on, here and now: reads what host/check.h judges, and measures some
 * seconds of canaries and memory bandwidth.
 *
 *	fitness_read(&fitness, &options, &arena, &e)
 *	fitness.checks, fitness.host
 */
#ifndef FLAGSTONE_SESSION_FITNESS_H
#define FLAGSTONE_SESSION_FITNESS_H

#include "host/check.h"
#include "record/record.h"

/* What `doctor` measures for if nothing else is said. */
#define FITNESS_SECONDS 5

struct fitness_options {
	const char *root;	  /* of a recorded tree, of which nothing is measured; NULL: this machine */
	const struct facts *host; /* of host_read(""), already read; NULL: read here */
	const char *folder;	  /* that is worked in; NULL: the current one */
	const struct cpu_list *cpus; /* to be measured on; NULL: those allowed, of a tree those online */
	const char *cpu_text;	     /* --cpus "2,4-7", where cpus is NULL; NULL: not given */
	double seconds;		     /* of canaries; 0: nothing is measured */
	bool in_run;		     /* the caller has the lock of runs */
};

struct fitness {
	struct facts facts; /* of host_read() and host_fitness_read() */
	struct cpu_list cpus;
	struct host_checks checks;
	struct host_measured measured;
	bool is_measured;
	const char *unmeasured; /* why not; NULL: it was not asked for, or it is */
};

/*
 * Reads, measures and judges. It takes the lock of runs while it measures; where another run has it, nothing is
 * measured and the check `other-run` says who. The calling thread is pinned meanwhile, and has its CPUs back at the
 * end. Error: no CPU may be used; the process was interrupted.
 */
int fitness_read(
	struct fitness *fitness, const struct fitness_options *options, struct arena *arena, struct error *e);

/* The verdict as facts doctor.verdict .unfit .caveats .unknown of a record's host (archive/README.md). */
void fitness_facts(const struct fitness *fitness, struct facts *facts);

/* canaries.c: measures on each CPU in turn, for `seconds` in all. -1: interrupted. */
int fitness_canaries(
	const struct cpu_list *cpus, double seconds, struct host_measured *measured, struct error *e);
/*
 * bandwidth.c: bytes a second that all CPUs read from memory at once, over an array beyond all caches; sets
 * bandwidth, or no_bandwidth. Takes some tenths of a second.
 */
void fitness_bandwidth(const struct facts *facts, const struct cpu_list *cpus, struct host_measured *measured,
	struct arena *arena);

#endif
