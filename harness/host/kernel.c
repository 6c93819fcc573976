#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "host/probe.h"

/* "Linux version RELEASE (builder) ..." of /proc/version, for trees and containers without /proc/sys. */
static const char *release_of(struct probe *probe, const char *version)
{
	const char *start = "Linux version ";

	if (version == NULL || !text_starts(version, start))
		return NULL;
	version += strlen(start);
	return arena_strndup(probe->arena, version, strcspn(version, " "));
}

static void set_release(struct probe *probe)
{
	const char *build = probe_text(probe, "/proc/version", NULL);
	const char *release = release_of(probe, build);
	const char *number = build != NULL ? strchr(build, '#') : NULL;
	struct utsname names;

	if (!probe_file(probe, "kernel.release", "/proc/sys/kernel/osrelease")) {
		if (release != NULL)
			facts_set(probe->facts, "kernel.release", release, "/proc/version");
		else if (probe->live && uname(&names) == 0)
			facts_set(probe->facts, "kernel.release", names.release, "uname(2)");
	}
	if (!probe_file(probe, "kernel.version", "/proc/sys/kernel/version")) {
		if (number != NULL)
			facts_set(probe->facts, "kernel.version", number, "/proc/version");
		else if (probe->live && uname(&names) == 0)
			facts_set(probe->facts, "kernel.version", names.version, "uname(2)");
	}
}

/* The preemption model it was built with; with PREEMPT_DYNAMIC the command line may change it. */
static void set_preempt(struct probe *probe)
{
	const struct fact *version = facts_find(probe->facts, "kernel.version");
	const char *at = version->value != NULL ? strstr(version->value, "PREEMPT") : NULL;

	if (at != NULL)
		facts_setf(probe->facts, "kernel.preempt", version->source, "%.*s",
			(int)strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), at);
	else if (version->value != NULL)
		facts_unknown(
			probe->facts, "kernel.preempt", version->source, "the version does not name it");
	else
		facts_unknown(probe->facts, "kernel.preempt", version->source, version->reason);
}

static void set_mitigations(struct probe *probe)
{
	const char *folder = "/sys/devices/system/cpu/vulnerabilities";
	struct words names = {0};
	const char *reason = NULL;

	if (!probe_list(probe, folder, &names, &reason)) {
		facts_unknown(probe->facts, "kernel.mitigation.count", folder, reason);
		return;
	}
	facts_setf(probe->facts, "kernel.mitigation.count", folder, "%zu", names.n);
	for (size_t i = 0; i < names.n; i++)
		probe_file(probe, arena_printf(probe->arena, "kernel.mitigation.%s", names.v[i]),
			arena_printf(probe->arena, "%s/%s", folder, names.v[i]));
}

void probe_kernel(struct probe *probe)
{
	static const struct probe_entry files[] = {
		{"kernel.build", "/proc/version"},
		{"kernel.cmdline", "/proc/cmdline"},
		{"kernel.clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
		{"kernel.clocksource.available",
			"/sys/devices/system/clocksource/clocksource0/available_clocksource"},
		{"kernel.aslr", "/proc/sys/kernel/randomize_va_space"},
		{"kernel.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"},
		{"kernel.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog"},
		{"kernel.numa_balancing", "/proc/sys/kernel/numa_balancing"},
	};

	set_release(probe);
	set_preempt(probe);
	probe_files(probe, files, sizeof(files) / sizeof(files[0]));
	set_mitigations(probe);
}
