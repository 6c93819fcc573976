/*
 * perf.h - what the kernel and the CPU count (perf_event_open(2)) over everything that one process starts.
 *
 *	perf_open(&perf, pid)     on the process that will start programs, such as the spawner
 *	(it starts one or several, which end with all their descendants)
 *	perf_read(&perf, counts)
 *	perf_close(&perf)
 *
 * How: the events are opened on that process with inherit and enable_on_exec. It does not exec, so that its own
 * ones never count; each child inherits a copy, which the kernel switches on at its exec and adds to the parent's
 * event at its end. What is read is therefore what all children, and theirs, did from their exec to their end:
 * the C library's start and an untimed warm-up are in it, the vfork before is not. Children that run at the same
 * time cannot be told apart: their sum is known, not each one's share.
 *
 * What stays in the counted programs' own time is the copying of the events at fork and exit, their switching at each
 * context switch, and some instructions more in each page fault. Measured on a busy virtual machine without a PMU, three
 * software events, side by side with the same programs uncounted (`make bench ONLY=counters-switches` and its like):
 * a sample that computes 0.99 to 1.00 of the time, one of page faults 0.98 to 1.03, one of two processes that pass a
 * byte to and fro 1.04 to 1.18, the start of a program 1.05 to 1.11. So no timed sample is counted (measure/count.h).
 *
 * An event that cannot be had is left out, with the errno of the attempt; host/counters.c says it in words.
 * Who may not count in the kernel gets a CPU's events of user mode alone; of the software events only the task
 * clock, as the others happen in the kernel and would read 0 or too few.
 *
 * A PMU has few registers: events that do not fit take turns. Then a count is scaled by the time in which its
 * event was on, and where that is less than nine tenths of the program's time, it is unknown: a guess is no
 * count. On CPUs with two kinds of cores the kernel gives the events of one kind; on the other there are none.
 */
#ifndef FLAGSTONE_SYS_PERF_H
#define FLAGSTONE_SYS_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum counter {
	/* nanoseconds on a CPU, those included that interrupts and a hypervisor took from it, unlike rusage's */
	COUNTER_TASK_CLOCK,
	/* minor and major ones; a few less than rusage's, which has those of exec in it */
	COUNTER_PAGE_FAULTS,
	COUNTER_MIGRATIONS, /* from one CPU to another */
	COUNTER_CYCLES,	    /* of the core, not the bus; none while it sleeps */
	COUNTER_INSTRUCTIONS,
	COUNTER_BRANCH_MISSES,
	COUNTERS
};

/* "task_clock", "page_faults", ... */
const char *perf_name(enum counter counter);
/* Is it the CPU's (a PMU), not the kernel's? */
bool perf_is_hardware(enum counter counter);

/* What came of opening one event. */
struct perf_attempt {
	int errnum;	/* 0: it can be had */
	bool user_only; /* with errnum 0: of user mode alone. Else: that much could be had, and would mislead */
};

/* Tries to open an event on the caller, and closes it again. */
struct perf_attempt perf_try(enum counter counter);
/* What that gives to who may count in user mode alone. */
struct perf_attempt perf_user_only(enum counter counter);

struct perf {
	int fds[COUNTERS]; /* -1: not to be had */
	int own;	   /* an event of the process alone, see perf.c */
};

/* Opens what can be had on a process of the same user, and returns how many; perf_try() tells what cannot, and why. */
int perf_open(struct perf *perf, pid_t pid);
/* What was counted since then; -1: unknown (not to be had, nothing was executed, it had to take turns). */
void perf_read(const struct perf *perf, int64_t counts[COUNTERS]);
void perf_close(struct perf *perf);

/* An event as the kernel gives it: its count, the time its programs ran, the part of it in which it was on. */
struct perf_reading {
	uint64_t value;
	uint64_t enabled_ns, running_ns;
};

/* The count of a reading by the rules above; -1 unknown. */
int64_t perf_count(const struct perf_reading *reading);

#endif
