/*
 * fitness.h - facts that only matter for whether one can measure here and now: what is due, who interrupts, what is
 * hot, broken or filtered. host.h has what a machine is; these are read on top, for `flagstone doctor` and for the
 * quick look at a run's start, and are kept in no record.
 *
 *	host_read("", &facts, &e)
 *	host_fitness_read(&input, &facts)
 *	host_checks_make(...)                     check.h
 *
 * Like host.h: files below a root only, nothing is written, no program is started (what systemctl(1) printed is handed
 * in), and each fact is known or unknown with the reason.
 *
 * Keys, by their first word:
 *	interrupts device_per_s busiest (on the CPUs to be measured on, since boot) machine_checks thermal
 *	edac       corrected uncorrected;   idle  driver governor deepest exit_us
 *	memory     policy channels channels.empty peak_bytes_per_s;   temperature.limit_c
 *	filter     seccomp;   audit  daemon rules;   steal.percent (since boot);   freq.hint_mhz
 *	pressure   cpu memory io (percent of the last 10 s in which someone waited)
 *	load.others (runnable tasks that are not this program's)
 *	due        timers cron (within the hour);   updates  automatic running
 *	folder     filesystem device free_bytes;   microcode  date newest
 */
#ifndef FLAGSTONE_HOST_FITNESS_H
#define FLAGSTONE_HOST_FITNESS_H

#include <stdint.h>

#include "record/fact.h"
#include "sys/cpu.h"

enum { HOST_DUE_S = 3600 }; /* what is due later than that is not said */

struct host_fitness_input {
	const char *root;	     /* "" is live */
	const char *folder;	     /* absolute path of the folder that is worked in; NULL: unknown */
	const struct cpu_list *cpus; /* to be measured on */
	/* what `systemctl list-timers --all --no-legend --no-pager` printed with TZ=UTC, LC_ALL=C; NULL: timers_reason */
	const char *timers;
	const char *timers_reason;
	int64_t now_s; /* seconds since 1970: what is due is counted from here */
};

/* Adds the facts; `facts` has those of host_read() of the same root. Never fails. */
void host_fitness_read(const struct host_fitness_input *input, struct facts *facts);

/* Running counts, to be held before against after a stretch of measuring. -1: unknown. */
struct host_counts {
	double device_interrupts;  /* on the CPUs given, since boot */
	double steal_ticks, ticks; /* of all CPUs: what a hypervisor took, and all time */
	double throttles;	   /* core_throttle_count and package_throttle_count of the CPUs given */
};
void host_counts_read(const char *root, const struct cpu_list *cpus, struct host_counts *counts);

#endif
