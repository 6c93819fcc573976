/*
 * canary.h - two fixed pieces of work of about 25 us each, timed before and after each sample on its CPU: what
 * disturbs the machine shows here without a look at the sample's value (rank correlation, measured on a busy virtual machine,
 * with the time of a sample 0.23 to 0.35 for the dependent chain, 0.72 to 0.79 for the wide mix).
 */
#ifndef FLAGSTONE_SYS_CANARY_H
#define FLAGSTONE_SYS_CANARY_H

#include <stdint.h>

/* Iteration counts for about 25 us on this machine: fixed once a run, so that times compare within it. */
struct canary {
	uint32_t dep_iterations;
	uint32_t wide_iterations;
};

/* Finds the counts on the current CPU (some milliseconds). */
void canary_calibrate(struct canary *canary);
/* A chain of dependent multiplies: sees the frequency. Nanoseconds. */
uint32_t canary_dep_ns(const struct canary *canary);
/* Independent loads, shifts and adds over 16 KiB: sees a busy sibling thread and a contended cache. Nanoseconds. */
uint32_t canary_wide_ns(const struct canary *canary);

#endif
