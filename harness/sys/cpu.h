/*
 * cpu.h - which CPUs there are and which this process may use; pinning. Masks grow with the machine (more than
 * 1024 CPUs work).
 */
#ifndef FLAGSTONE_SYS_CPU_H
#define FLAGSTONE_SYS_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct cpu_list {
	int *v; /* ascending unless said otherwise */
	size_t n;
};

/* Parses the kernel's list form "0-3,8,10-11"; error: column and what is allowed. */
int cpu_list_parse(const char *text, struct arena *arena, struct cpu_list *list, struct error *e);
char *cpu_list_text(const struct cpu_list *list, struct arena *arena);
/*
 * The calling thread's affinity as `get` tells it: sched_getaffinity(), or a test's stand-in for a machine with
 * more CPUs. The kernel says EINVAL while the mask is shorter than its own, so the mask is doubled, from 1024 CPUs
 * up to 65536.
 */
typedef int cpu_affinity_get(pid_t thread, size_t size, cpu_set_t *set);
int cpu_affinity(cpu_affinity_get *get, struct arena *arena, struct cpu_list *list, struct error *e);
/* CPUs that this process may run on and that are online (affinity, cpuset, /sys below root). */
int cpu_allowed(const char *root, struct arena *arena, struct cpu_list *list, struct error *e);
/*
 * The order in which copies are pinned: a thread of each core first, highest maximum frequency first, CPU 0
 * last within what is equal. root: "" or a recorded tree. Takes the allowed list, gives all of it reordered.
 */
int cpu_pin_order(const char *root, const struct cpu_list *allowed, struct arena *arena,
	struct cpu_list *order, struct error *e);
/* Number of distinct cores among the CPUs (siblings counted once); unknown topology: each CPU is one. */
size_t cpu_core_count(const char *root, const struct cpu_list *cpus, struct arena *arena);
/* Checks a user's --cpus: each must be allowed; the error lists the allowed ones. */
int cpu_check(const struct cpu_list *wanted, const struct cpu_list *allowed, struct error *e);
/* Pins the calling thread to one CPU, or to a list. */
int cpu_pin_self(int cpu, struct error *e);
int cpu_pin_self_list(const struct cpu_list *cpus, struct error *e);

#endif
