#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "host/tune_work.h"

void tune_add(struct tune *tune, const struct tune_change *change)
{
	if (tune->n == tune->cap) {
		size_t cap = mem_grown(tune->cap, tune->n + 1);
		struct tune_change *v = arena_array(tune->arena, cap, sizeof(*v));

		if (tune->n > 0)
			memcpy(v, tune->v, tune->n * sizeof(*v));
		tune->v = v;
		tune->cap = cap;
	}
	tune->v[tune->n++] = *change;
}

void tune_leave_alone(struct tune *tune, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	words_add(&tune->left, tune->arena, arena_vprintf(tune->arena, fmt, ap));
	va_end(ap);
}

bool tune_want(struct tune *tune, const struct tune_change *like, const char *path, const char **old)
{
	const char *reason = NULL;
	char *text = tune_read(tune, path, &reason);
	struct tune_change change = *like;
	bool same;

	if (old != NULL)
		*old = text;
	if (text == NULL)
		return false;
	/* what a driver may round to is not what it shall read from the start */
	same = tune_match(
		like->match == TUNE_LIMIT ? TUNE_EXACT : like->match, text, like->want, tune->arena);
	change.kind = same ? TUNE_WATCH : TUNE_WRITE;
	change.path = path;
	change.old = text;
	tune_add(tune, &change);
	return true;
}

void tune_watch(struct tune *tune, const char *setting, const char *path)
{
	char *text = tune_read(tune, path, NULL);

	for (size_t i = 0; i < tune->n; i++)
		if (strcmp(tune->v[i].path, path) == 0)
			return;
	if (text != NULL)
		tune_add(tune, &(struct tune_change){.kind = TUNE_WATCH,
				       .setting = setting,
				       .path = path,
				       .old = text,
				       .follows = true});
}

/* A switch of the kernel that both profiles set. */
struct kernel_switch {
	const char *setting, *path, *want, *means, *why;
};

static void plan_switch(struct tune *tune, const struct kernel_switch *it)
{
	struct tune_change like = {
		.setting = it->setting, .want = it->want, .means = it->means, .why = it->why};

	if (!tune_want(tune, &like, it->path, NULL))
		tune_leave_alone(tune, "%s: this kernel has no %s", it->setting, it->path);
}

static void plan_kernel(struct tune *tune, bool counters)
{
	static const struct kernel_switch switches[] = {
		{"numa_balancing", "/proc/sys/kernel/numa_balancing", "0", "off",
			"the kernel unmaps pages of running programs to see who uses them, and moves them: "
			"page faults in "
			"the middle of samples, at moments of its own"},
		{"nmi_watchdog", "/proc/sys/kernel/nmi_watchdog", "0", "off",
			"it interrupts each CPU and keeps one of the few registers that count events, so "
			"that others have "
			"to take turns"},
	};
	const char *paranoid = "/proc/sys/kernel/perf_event_paranoid";
	const char *level;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		plan_switch(tune, &switches[i]);
	if (!counters) {
		tune_leave_alone(tune,
			"perf_event_paranoid: only --counters changes it, since it lets every user count "
			"events of their programs");
		return;
	}
	level = tune_read(tune, paranoid, NULL);
	/* 1: also without privileges, a user's own programs, the kernel's part of them included */
	if (level != NULL && (strcmp(level, "1") == 0 || strcmp(level, "0") == 0 || level[0] == '-')) {
		tune_watch(tune, "perf_event_paranoid", paranoid);
		return;
	}
	plan_switch(tune, &(struct kernel_switch){"perf_event_paranoid", paranoid, "1", "1",
				  "programs of every user can have their events counted (--counters)"});
}

static void plan_left_alone(struct tune *tune)
{
	tune_leave_alone(tune,
		"address space randomisation: each sample is a process of its own, so that its effect is "
		"averaged; without it one placement would be measured, over and over");
	tune_leave_alone(tune,
		"transparent huge pages, SMT, mitigations, swap: they change what is measured, not how "
		"well; set them as the machine will be used. Records keep them");
}

/* Is root a copy of files, as it should be when it is not the live system? */
static int check_root(const struct tune *tune, struct error *e)
{
	static const char *const folders[] = {"/sys", "/proc", "/sys/fs/cgroup"};

	if (tune->root[0] == '\0')
		return 0;
	if (!file_is_folder(tune->root))
		return error_set(e, EXIT_USAGE,
			"tuning below %s: it is no folder; give the root of a recorded tree", tune->root);
	if (!file_exists(arena_printf(tune->arena, "%s/sys/devices/system/cpu", tune->root)))
		return error_set(e, EXIT_USAGE,
			"tuning below %s: there is no sys/devices/system/cpu in it; give the root of a "
			"recorded tree",
			tune->root);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (tune_root_is_live(tune, folders[i]))
			return error_set(e, EXIT_USAGE,
				"tuning below %s: %s%s is the kernel's own file system, not a copy; leave "
				"the root out to "
				"tune this machine",
				tune->root, tune->root, folders[i]);
	return 0;
}

static const char *copy_or(struct arena *arena, const char *text, const char *fallback)
{
	return arena_strdup(arena, text != NULL ? text : fallback);
}

int tune_plan(struct tune *tune, const struct tune_options *options, struct arena *arena, struct error *e)
{
	char stamp[CLOCK_STAMP_SIZE];
	struct probe probe;

	*tune = (struct tune){.arena = arena,
		.root = options->root,
		.io = options->io,
		.profile = options->profile,
		.owner = copy_or(arena, options->owner, "tune"),
		.pid = (long)getpid()};
	clock_stamp(stamp);
	tune->started = arena_strdup(arena, stamp);
	if (check_root(tune, e) != 0)
		return -1;
	tune->boot_id = copy_or(arena, tune_read(tune, "/proc/sys/kernel/random/boot_id", NULL), "");
	probe = tune_probe(tune);
	cpuinfo_read(&probe);
	if (tune_plan_frequency(tune, &probe, e) != 0)
		return -1;
	plan_kernel(tune, options->counters);
	if (options->cpus != NULL && tune_plan_cpus(tune, &probe, options->cpus, e) != 0)
		return -1;
	plan_left_alone(tune);
	return 0;
}

bool tune_changes_something(const struct tune *tune)
{
	for (size_t i = 0; i < tune->n; i++)
		if (tune->v[i].kind != TUNE_WATCH)
			return true;
	return false;
}
