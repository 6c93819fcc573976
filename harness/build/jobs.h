/*
 * jobs.h - independent commands, several at once. A job is one command that has to leave one output file: the
 * output is removed before it starts and looked at when it has ended.
 */
#ifndef FLAGSTONE_BUILD_JOBS_H
#define FLAGSTONE_BUILD_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#define JOB_OUT_OF_TIME "build budget used up"

struct job {
	struct words argv;
	struct words env;   /* beyond process_clean_env() */
	const char *folder; /* working directory */
	const char *output; /* file it must leave, relative to folder: removed before, looked at after */
	bool executable;    /* the output must be executable */
	void *owner;	    /* for the caller */
	/* results */
	bool ok;
	const char *reason; /* why not ok */
	const char *text;   /* what it wrote to both streams, bounded */
	int64_t wall_ns, cpu_ns, peak_kib;
};

struct jobs_options {
	uint32_t parallel;
	int64_t timeout_ns;
	uint64_t memory_limit;
	int64_t deadline_ns; /* none is started after it (clock_ns); 0: none */
	void (*progress)(void *context, const char *what, size_t done, size_t total);
	void *context;
	const char *what;
};

/* Runs all, in order. -1: interrupted (children are dead). A job that fails is no error: that stands in it. */
int jobs_run(struct job *jobs, size_t count, const struct jobs_options *options, struct arena *arena,
	struct error *e);

#endif
