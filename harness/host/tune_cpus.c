#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "host/cgroup.h"
#include "host/tune_work.h"

/*
 * Reserving CPUs. Under cgroup version 2 the kernel takes them from everybody else, where it makes a partition of them
 * (Linux, Documentation/admin-guide/cgroup-v2.rst, "cpuset.cpus.partition"); where it does not, and under version 1,
 * the other groups are confined to the rest. What is bound to a CPU stays there, and is said.
 */

enum { DEPTH_MAX = 16 };

struct reserve {
	struct tune *tune;
	struct probe *probe;
	const char *mount;
	struct cpu_list cpus, rest; /* reserved; online and not reserved */
	const char *cpus_text, *rest_text;
};

static bool has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == cpu)
			return true;
	return false;
}

static bool overlap(const struct cpu_list *a, const struct cpu_list *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (has(b, a->v[i]))
			return true;
	return false;
}

static struct cpu_list without(struct arena *arena, const struct cpu_list *list, const struct cpu_list *drop)
{
	struct cpu_list left = {.v = arena_array(arena, list->n, sizeof(int))};

	for (size_t i = 0; i < list->n; i++)
		if (!has(drop, list->v[i]))
			left.v[left.n++] = list->v[i];
	return left;
}

static char *in(const struct reserve *r, const char *folder, const char *name)
{
	return arena_printf(r->tune->arena, "%s/%s", folder, name);
}

/* The CPUs in a file; false: it does not exist or holds none. */
static bool list_in(const struct reserve *r, const char *path, const char **text, struct cpu_list *list)
{
	*text = tune_read(r->tune, path, NULL);
	return *text != NULL && cpu_list_parse(*text, r->tune->arena, list, NULL) == 0 && list->n > 0;
}

static void own(const struct reserve *r, const char *setting, const char *path, const char *want, bool list)
{
	tune_add(r->tune, &(struct tune_change){.kind = TUNE_OWN,
				  .match = list ? TUNE_CPUS : TUNE_EXACT,
				  .setting = setting,
				  .path = path,
				  .old = "",
				  .want = want,
				  .why = "the group of those who measure has these CPUs"});
}

static int make_group(const struct reserve *r, const char *name, const char **folder, struct error *e)
{
	*folder = in(r, r->mount, name);
	if (probe_exists(r->probe, *folder))
		return error_set(e, EXIT_CANNOT,
			"reserving CPUs: there is a control group %s already that %s does not know; if "
			"nobody needs it, "
			"remove it with rmdir",
			*folder, TUNE_STATE);
	tune_add(r->tune, &(struct tune_change){.kind = TUNE_FOLDER,
				  .setting = "group",
				  .path = *folder,
				  .why = "a control group to hold the CPUs apart"});
	return 0;
}

/* Takes the reserved CPUs from a group's list. instead: also from one without a list of its own. */
static int confine(const struct reserve *r, const char *group, bool instead, bool may_fail, struct error *e)
{
	struct tune_change change = {.kind = TUNE_WRITE,
		.match = TUNE_CPUS,
		.setting = "confine",
		.path = in(r, group, "cpuset.cpus"),
		.why = "everything else runs on the other CPUs",
		.may_fail = may_fail,
		.instead = instead};
	struct cpu_list list = {0}, left;
	const char *text;
	bool any = list_in(r, change.path, &text, &list);

	if (any != !instead || (any && !overlap(&list, &r->cpus)))
		return 0;
	change.old = text != NULL ? text : "";
	change.want = r->rest_text;
	if (any) {
		left = without(r->tune->arena, &list, &r->cpus);
		change.want = cpu_list_text(&left, r->tune->arena);
		if (left.n == 0 && !may_fail)
			return error_set(e, EXIT_CANNOT,
				"reserving CPUs %s: the control group %s may run on %s and nowhere else; "
				"widen it, or "
				"reserve others",
				r->cpus_text, group, text);
		if (left.n == 0) {
			tune_leave_alone(r->tune, "%s: it may run on CPUs %s and nowhere else", group, text);
			return 0;
		}
	}
	tune_add(r->tune, &change);
	return 0;
}

/* The groups at the top, ours left out. */
static void groups_below(const struct reserve *r, const char *folder, struct words *groups)
{
	struct words names = {0};

	probe_list(r->probe, folder, &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		const char *path = in(r, folder, names.v[i]);

		if (strcmp(names.v[i], TUNE_GROUP) != 0 && strcmp(names.v[i], TUNE_REST) != 0 &&
			probe_exists(r->probe, in(r, path, "cgroup.procs")))
			words_add(groups, r->tune->arena, path);
	}
}

static int plan_v2(struct reserve *r, struct error *e)
{
	struct tune *tune = r->tune;
	const char *controllers = tune_read(tune, in(r, r->mount, "cgroup.controllers"), NULL);
	const char *enabled = tune_read(tune, in(r, r->mount, "cgroup.subtree_control"), NULL);
	struct words groups = {0};

	if (probe_exists(r->probe, in(r, r->mount, "cgroup.type")))
		return error_set(e, EXIT_CANNOT,
			"reserving CPUs: %s is a container's part of the control groups; only the machine "
			"itself can",
			r->mount);
	if (controllers == NULL || strstr(controllers, "cpuset") == NULL || enabled == NULL)
		return error_set(e, EXIT_CANNOT,
			"reserving CPUs: the control groups at %s have no controller cpuset", r->mount);
	if (strstr(enabled, "cpuset") == NULL) {
		tune_add(tune, &(struct tune_change){.kind = TUNE_CONTROLLER,
				       .setting = "controller",
				       .path = in(r, r->mount, "cgroup.subtree_control"),
				       .old = enabled,
				       .want = "+cpuset",
				       .why = "groups can then be given CPUs"});
		words_add(&tune->notes, tune->arena,
			"no group was given CPUs until now: where systemd arranges the groups, a "
			"daemon-reload may switch "
			"the controller cpuset off again, and with it the reservation (a run then says that "
			"the profile "
			"does not hold)");
	}
	groups_below(r, r->mount, &groups);
	for (size_t i = 0; i < groups.n; i++)
		if (confine(r, groups.v[i], false, false, e) != 0)
			return -1;
	if (make_group(r, TUNE_GROUP, &tune->group, e) != 0)
		return -1;
	own(r, "cpus", in(r, tune->group, "cpuset.cpus"), r->cpus_text, true);
	tune_add(tune, &(struct tune_change){.kind = TUNE_OWN,
			       .setting = "partition",
			       .path = in(r, tune->group, "cpuset.cpus.partition"),
			       .old = "member",
			       .want = "root",
			       .why = "the kernel takes the CPUs from everybody else",
			       .may_fail = true});
	for (size_t i = 0; i < groups.n; i++)
		if (confine(r, groups.v[i], true, false, e) != 0)
			return -1;
	return 0;
}

/* Those inside of a group before the group itself: a group's CPUs are among those of the one above it. */
static void confine_tree(const struct reserve *r, const char *folder, int depth)
{
	struct words groups = {0};

	groups_below(r, folder, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		if (depth < DEPTH_MAX)
			confine_tree(r, groups.v[i], depth + 1);
		confine(r, groups.v[i], false, true, NULL);
	}
}

static int plan_v1(struct reserve *r, struct error *e)
{
	struct tune *tune = r->tune;
	const char *mems = tune_read(tune, in(r, r->mount, "cpuset.mems"), NULL);
	const char *rest;

	if (mems == NULL)
		return error_set(e, EXIT_CANNOT, "reserving CPUs: %s/cpuset.mems cannot be read", r->mount);
	confine_tree(r, r->mount, 0);
	if (make_group(r, TUNE_GROUP, &tune->group, e) != 0 || make_group(r, TUNE_REST, &rest, e) != 0)
		return -1;
	own(r, "cpus", in(r, tune->group, "cpuset.cpus"), r->cpus_text, true);
	own(r, "mems", in(r, tune->group, "cpuset.mems"), mems, true);
	own(r, "cpus", in(r, rest, "cpuset.cpus"), r->rest_text, true);
	own(r, "mems", in(r, rest, "cpuset.mems"), mems, true);
	tune_add(tune, &(struct tune_change){.kind = TUNE_TASKS,
			       .setting = "tasks",
			       .path = rest,
			       .old = r->mount,
			       .why = "everything else runs on the other CPUs"});
	return 0;
}

static void plan_interrupts(struct reserve *r)
{
	struct tune *tune = r->tune;
	struct words names = {0};

	probe_list(r->probe, "/proc/irq", &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		struct tune_change like = {.match = TUNE_CPUS,
			.setting = "irq",
			.why = "a device's interrupts are served on the other CPUs",
			.may_fail = true};
		const char *path = arena_printf(tune->arena, "/proc/irq/%s/smp_affinity_list", names.v[i]);
		struct cpu_list list = {0}, left;
		const char *text;

		if (names.v[i][strspn(names.v[i], "0123456789")] != '\0' || !list_in(r, path, &text, &list) ||
			!overlap(&list, &r->cpus))
			continue;
		left = without(tune->arena, &list, &r->cpus);
		like.want = left.n > 0 ? cpu_list_text(&left, tune->arena) : r->rest_text;
		tune_want(tune, &like, path, NULL);
	}
}

/* As the kernel writes it: groups of eight hex digits, the highest CPUs first. */
static char *mask_text(const struct cpu_list *cpus, struct arena *arena)
{
	size_t words = cpus->n > 0 ? (size_t)cpus->v[cpus->n - 1] / 32 + 1 : 1;
	uint32_t *bits = arena_array(arena, words, sizeof(*bits));
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < cpus->n; i++)
		bits[cpus->v[i] / 32] |= (uint32_t)1 << (cpus->v[i] % 32);
	for (size_t i = words; i > 0; i--)
		buf_addf(&out, i == words ? "%x" : ",%08x", bits[i - 1]);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static void plan_masks(struct reserve *r)
{
	static const char *const masks[][3] = {
		{"irq_default", "/proc/irq/default_smp_affinity", "so are those of devices that come later"},
		{"workqueue", "/sys/devices/virtual/workqueue/cpumask",
			"what the kernel does in the background it does on the other CPUs"}};

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		const struct tune_change like = {.match = TUNE_MASK,
			.setting = masks[i][0],
			.want = mask_text(&r->rest, r->tune->arena),
			.why = masks[i][2],
			.may_fail = true};

		tune_want(r->tune, &like, masks[i][1], NULL);
	}
}

static void note_siblings(struct reserve *r)
{
	for (size_t i = 0; i < r->cpus.n; i++) {
		const char *path = arena_printf(r->tune->arena,
			"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", r->cpus.v[i]);
		struct cpu_list siblings = {0};
		const char *text;

		if (!list_in(r, path, &text, &siblings))
			continue;
		siblings = without(r->tune->arena, &siblings, &r->cpus);
		if (siblings.n > 0)
			words_addf(&r->tune->notes, r->tune->arena,
				"CPU %d shares its core with CPU %s, which is not reserved: what runs there "
				"slows it down",
				r->cpus.v[i], cpu_list_text(&siblings, r->tune->arena));
	}
}

static int read_cpus(struct reserve *r, const char *cpus, struct error *e)
{
	struct arena *arena = r->tune->arena;
	const struct cpu_list *online = &r->probe->online;

	if (cpu_list_parse(cpus, arena, &r->cpus, e) != 0)
		return -1;
	for (size_t i = 0; i < r->cpus.n; i++)
		if (!has(online, r->cpus.v[i]))
			return error_set(e, EXIT_USAGE, "CPU %d is not online; online are %s", r->cpus.v[i],
				cpu_list_text(online, arena));
	r->rest = without(arena, online, &r->cpus);
	if (r->cpus.n == 0 || r->rest.n == 0)
		return error_set(e, EXIT_USAGE, "%s; online are %s",
			r->cpus.n == 0 ? "no CPU is named" : "no CPU is left for everything else",
			cpu_list_text(online, arena));
	r->cpus_text = cpu_list_text(&r->cpus, arena);
	r->rest_text = cpu_list_text(&r->rest, arena);
	return 0;
}

int tune_plan_cpus(struct tune *tune, struct probe *probe, const char *cpus, struct error *e)
{
	struct reserve r = {.tune = tune, .probe = probe};
	struct cgroup group;

	if (read_cpus(&r, cpus, e) != 0)
		return error_context(e, "--cpus %s", cpus);
	if (!cgroup_find(probe, "cpuset", &group))
		return error_set(e, EXIT_CANNOT,
			"reserving CPUs %s: no control groups with the controller cpuset are mounted",
			r.cpus_text);
	if (!text_starts(group.mount, "/sys/"))
		return error_set(e, EXIT_CANNOT,
			"reserving CPUs %s: control groups are mounted at %s, and restore writes to nothing "
			"outside of /sys "
			"and /proc",
			r.cpus_text, group.mount);
	r.mount = arena_strdup(tune->arena, group.mount);
	tune->cpus = r.cpus_text;
	if ((group.v2 ? plan_v2(&r, e) : plan_v1(&r, e)) != 0)
		return -1;
	plan_interrupts(&r);
	plan_masks(&r);
	note_siblings(&r);
	tune_note_processes(tune);
	return 0;
}
