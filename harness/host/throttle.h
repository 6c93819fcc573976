/*
 * throttle.h - counters that say that the machine held a CPU back: heat (thermal_throttle of the CPU and its
 * package) and the own control group's CPU quota (cpu.stat). Read before and after a sample: a rise marks it.
 * Opened once, so that a reading costs a few microseconds; where there are none, nothing is read and nothing marked.
 */
#ifndef FLAGSTONE_HOST_THROTTLE_H
#define FLAGSTONE_HOST_THROTTLE_H

#include <stdint.h>

enum { THROTTLE_FILES = 3 };

struct host_throttle {
	int fds[THROTTLE_FILES]; /* -1: not there */
};

/* Opens what there is for a CPU below root ("" live). Never fails. */
void host_throttle_open(struct host_throttle *throttle, const char *root, int cpu);
/* Sum of the counters; only differences mean something. */
uint64_t host_throttle_read(const struct host_throttle *throttle);
void host_throttle_close(struct host_throttle *throttle);

#endif
