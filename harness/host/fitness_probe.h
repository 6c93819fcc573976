/*
 * fitness_probe.h - the parts of host_fitness_read(). Private to host.
 */
#ifndef FLAGSTONE_HOST_FITNESS_PROBE_H
#define FLAGSTONE_HOST_FITNESS_PROBE_H

#include "host/fitness.h"
#include "host/probe.h"

/* interrupts.c */
void fitness_interrupts(struct probe *probe, const struct host_fitness_input *input);
/* Interrupts of devices on the CPUs since boot; -1: unknown. */
double interrupts_of_devices(struct probe *probe, const struct cpu_list *cpus);

/* processes.c: which programs run, by name; what that says of audit and updates. */
struct processes {
	struct words names; /* distinct */
	const char *reason; /* why not all are seen; NULL: they are */
};
void processes_read(struct probe *probe, struct processes *processes);
void fitness_audit(struct probe *probe, const struct processes *processes);
void fitness_updates(struct probe *probe, const struct processes *processes);

/* jobs.c: crontabs and timers. */
void fitness_jobs(
	struct probe *probe, const struct host_fitness_input *input, const struct processes *processes);

/* channels.c: memory channels from the facts memory.module.N.* */
void fitness_channels(struct facts *facts);
/* The channel in a module's name; NULL: it tells none. In the arena. */
char *channel_name(struct arena *arena, const char *locator, const char *bank);

/* work_folder.c; folder NULL: not known */
void fitness_folder(struct probe *probe, const char *folder);

/* microcode.c */
void fitness_microcode(struct probe *probe);

#endif
