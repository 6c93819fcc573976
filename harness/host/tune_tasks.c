#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/cgroup.h"
#include "host/tune_work.h"

/* Who runs where: moving tasks between control groups, and telling those that cannot be moved. */

int tune_move_tasks(const struct tune *tune, const char *from, const char *to, size_t *moved, size_t *stayed)
{
	char *list, *save = NULL;
	const char *path = arena_printf(tune->arena, "%s/cgroup.procs", to);

	/* files alone move nobody */
	if (tune->root[0] != '\0' && (tune->io == NULL || tune->io->write == NULL))
		return 0;
	list = tune_read(tune, arena_printf(tune->arena, "%s/cgroup.procs", from), NULL);
	if (list == NULL)
		return ENOENT;
	for (char *pid = strtok_r(list, "\n", &save); pid != NULL; pid = strtok_r(NULL, "\n", &save)) {
		int errnum = tune_write(tune, path, pid);

		*moved += errnum == 0;
		*stayed += errnum != 0 && errnum != ESRCH; /* that one has ended */
	}
	return 0;
}

static bool reserves(const struct cpu_list *reserved, int cpu)
{
	for (size_t i = 0; i < reserved->n; i++)
		if (reserved->v[i] == cpu)
			return true;
	return false;
}

/* A process by its name, where all CPUs that it may use are reserved; NULL: it is none. *kernels: a thread of the kernel's. */
static char *bound_process(
	const struct tune *tune, const char *pid, const struct cpu_list *reserved, bool *kernels)
{
	struct probe probe = tune_probe(tune);
	char *status = tune_read(tune, arena_printf(tune->arena, "/proc/%s/status", pid), NULL);
	const char *parent = status != NULL ? probe_line(&probe, status, "PPid:") : NULL;
	const char *allowed = status != NULL ? probe_line(&probe, status, "Cpus_allowed_list:") : NULL;
	struct cpu_list list = {0};

	if (parent == NULL || allowed == NULL || cpu_list_parse(allowed, tune->arena, &list, NULL) != 0 ||
		list.n == 0)
		return NULL;
	for (size_t i = 0; i < list.n; i++)
		if (!reserves(reserved, list.v[i]))
			return NULL;
	*kernels = strcmp(parent, "2") == 0;
	return probe_line(&probe, status, "Name:");
}

static char *first_few(const struct words *names, struct arena *arena)
{
	return arena_printf(arena, "%s%s", names->v[0], names->n > 1 ? ", ..." : "");
}

static void note(struct tune *tune, const struct words *bound, const struct words *pinned)
{
	if (bound->n > 0)
		words_addf(&tune->notes, tune->arena,
			"%zu thread%s of the kernel %s bound to CPUs %s and cannot be moved (%s)", bound->n,
			text_plural(bound->n), bound->n == 1 ? "is" : "are", tune->cpus,
			first_few(bound, tune->arena));
	if (pinned->n > 0)
		words_addf(&tune->notes, tune->arena,
			"%zu process%s pinned to CPUs %s only (%s) %s moved off them; before Linux 6.2 "
			"restore cannot pin "
			"%s there again",
			pinned->n, pinned->n == 1 ? "" : "es", tune->cpus, first_few(pinned, tune->arena),
			pinned->n == 1 ? "is" : "are", pinned->n == 1 ? "it" : "them");
}

void tune_note_processes(struct tune *tune)
{
	struct probe probe = tune_probe(tune);
	struct cpu_list reserved = {0};
	struct words pids = {0}, bound = {0}, pinned = {0};
	bool irqbalance = false;

	if (cpu_list_parse(tune->cpus, tune->arena, &reserved, NULL) != 0)
		return;
	probe_list(&probe, "/proc", &pids, NULL);
	for (size_t i = 0; i < pids.n; i++) {
		bool kernels = false;
		char *name;

		if (pids.v[i][strspn(pids.v[i], "0123456789")] != '\0')
			continue;
		name = bound_process(tune, pids.v[i], &reserved, &kernels);
		if (name != NULL)
			words_add(kernels ? &bound : &pinned, tune->arena, name);
		name = tune_read(tune, arena_printf(tune->arena, "/proc/%s/comm", pids.v[i]), NULL);
		irqbalance = irqbalance || text_same(name, "irqbalance");
	}
	note(tune, &bound, &pinned);
	if (irqbalance)
		words_add(&tune->notes, tune->arena,
			"irqbalance is running, which moves interrupts as it sees fit: stop it while you "
			"measure");
}

/* Where this process is: the folder of its group in the hierarchy that has the CPUs. */
static const char *own_group(struct tune *tune, struct error *e)
{
	struct probe probe = tune_probe(tune);
	struct cgroup group;

	if (!cgroup_find(&probe, "cpuset", &group)) {
		error_set(e, EXIT_CANNOT,
			"finding the own control group: none with the controller cpuset is mounted");
		return NULL;
	}
	return arena_printf(tune->arena, "%s%s", group.mount, strcmp(group.path, "/") == 0 ? "" : group.path);
}

static int move_self(struct tune *tune, const char *to, struct error *e)
{
	const char *path = arena_printf(tune->arena, "%s/cgroup.procs", to);
	int errnum = tune_write(tune, path, arena_printf(tune->arena, "%ld", (long)getpid()));

	return errnum != 0 ? error_errno(e, errnum, "moving flagstone into the control group %s", to) : 0;
}

int tune_join(struct tune *tune, const char **from, struct error *e)
{
	const char *group;

	*from = NULL;
	if (tune->group == NULL || tune->root[0] != '\0')
		return 0;
	group = own_group(tune, e);
	if (group == NULL)
		return -1;
	if (strcmp(group, tune->group) == 0)
		return 0;
	if (move_self(tune, tune->group, e) != 0)
		return -1;
	*from = group;
	return 0;
}

int tune_leave(struct tune *tune, const char *from, struct error *e)
{
	return from != NULL ? move_self(tune, from, e) : 0;
}
