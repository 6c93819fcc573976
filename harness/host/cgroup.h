/*
 * cgroup.h - the control group that this program runs in, version 1 or 2. Private to host.
 *
 * A limit is the tightest one from the own group up to the mount's root: what stands above that, outside a
 * container's namespace, cannot be seen from within.
 */
#ifndef FLAGSTONE_HOST_CGROUP_H
#define FLAGSTONE_HOST_CGROUP_H

#include "host/probe.h"

struct cgroup {
	const char *mount; /* where the hierarchy is mounted; NULL: not */
	const char *path;  /* the own group below it: "/" or "/a/b" */
	bool v2;
};

/* The hierarchy of a controller ("cpu", "memory", "cpuset"); false: it is mounted nowhere. */
bool cgroup_find(struct probe *probe, const char *controller, struct cgroup *group);
/* Microseconds that the own group was held back by its CPU quota; -1: unreadable. */
int64_t cgroup_throttled_us(struct probe *probe);

#endif
