#include <string.h>

#include "host/probe.h"

/*
 * Where drivers keep the boost switch. One machine has at most two of them; which one depends on driver and
 * kernel version, and amd-pstate in active mode had none before Linux 6.10: then it is unknown, not off.
 */
struct boost_file {
	const char *path; /* per_cpu: below cpuN */
	bool per_cpu;
	bool inverted; /* 1 means that boost is off */
};
static const struct boost_file boost_files[] = {
	{"/sys/devices/system/cpu/intel_pstate/no_turbo", false, true},
	{"/sys/devices/system/cpu/cpufreq/boost", false, false},
	{"cpufreq/boost", true, false},
	{"cpufreq/cpb", true, false},
};
enum { BOOST_FILES = sizeof(boost_files) / sizeof(boost_files[0]) };

static const char *on_off(const char *text, bool inverted)
{
	if (strcmp(text, "1") == 0)
		return inverted ? "off" : "on";
	if (strcmp(text, "0") == 0)
		return inverted ? "on" : "off";
	return text;
}

/* NULL and the reason when no CPU has the file. */
static char *boost_value(struct probe *probe, const struct boost_file *file, const char **reason)
{
	struct spread spread = {0};

	if (!file->per_cpu) {
		const char *text = probe_text(probe, file->path, reason);

		return text != NULL ? arena_strdup(probe->arena, on_off(text, file->inverted)) : NULL;
	}
	for (size_t i = 0; i < probe->online.n; i++) {
		int cpu = probe->online.v[i];
		const char *text =
			probe_textf(probe, reason, "/sys/devices/system/cpu/cpu%d/%s", cpu, file->path);

		if (text != NULL)
			spread_add(&spread, probe, on_off(text, file->inverted), cpu);
	}
	return spread_text(&spread, probe);
}

static void set_boost(struct probe *probe)
{
	const char *missing = "No such file or directory";
	const char *failure = NULL;

	for (size_t i = 0; i < BOOST_FILES; i++) {
		const struct boost_file *file = &boost_files[i];
		const char *reason = missing;
		const char *value = boost_value(probe, file, &reason);

		if (value != NULL) {
			facts_set(probe->facts, "freq.boost", value,
				file->per_cpu ? arena_printf(probe->arena, "/sys/devices/system/cpu/cpu*/%s",
							file->path)
					      : file->path);
			return;
		}
		if (strcmp(reason, missing) != 0 && failure == NULL)
			failure = arena_printf(probe->arena, "%s: %s", file->path, reason);
	}
	facts_unknown(probe->facts, "freq.boost", "/sys/devices/system/cpu",
		failure != NULL ? failure
				: "none of intel_pstate/no_turbo, cpufreq/boost, cpu*/cpufreq/boost and "
				  "cpu*/cpufreq/cpb exists");
}

/* active, passive or guided: says whether the governor's name means anything. */
static void set_pstate(struct probe *probe)
{
	static const char *const paths[] = {
		"/sys/devices/system/cpu/intel_pstate/status", "/sys/devices/system/cpu/amd_pstate/status"};
	const char *reason = NULL;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *text = probe_text(probe, paths[i], &reason);

		if (text != NULL) {
			facts_set(probe->facts, "freq.pstate", text, paths[i]);
			return;
		}
	}
	facts_unknown(
		probe->facts, "freq.pstate", "/sys/devices/system/cpu/{intel,amd}_pstate/status", reason);
}

void probe_frequency(struct probe *probe)
{
	static const struct probe_entry per_cpu[] = {
		{"freq.driver", "cpufreq/scaling_driver"},
		{"freq.governor", "cpufreq/scaling_governor"},
		{"freq.cpuinfo_min_khz", "cpufreq/cpuinfo_min_freq"},
		{"freq.cpuinfo_max_khz", "cpufreq/cpuinfo_max_freq"},
		{"freq.scaling_min_khz", "cpufreq/scaling_min_freq"},
		{"freq.scaling_max_khz", "cpufreq/scaling_max_freq"},
		{"freq.base_khz", "cpufreq/base_frequency"},
		{"freq.epp", "cpufreq/energy_performance_preference"},
	};
	static const struct probe_entry files[] = {
		{"freq.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
		{"freq.min_perf_pct", "/sys/devices/system/cpu/intel_pstate/min_perf_pct"},
		{"freq.max_perf_pct", "/sys/devices/system/cpu/intel_pstate/max_perf_pct"},
	};

	for (size_t i = 0; i < sizeof(per_cpu) / sizeof(per_cpu[0]); i++)
		probe_per_cpu(probe, per_cpu[i].key, per_cpu[i].path);
	probe_files(probe, files, sizeof(files) / sizeof(files[0]));
	set_boost(probe);
	set_pstate(probe);
}
