#include "host/fitness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "host/fitness_probe.h"
#include "host/host.h"

static const char CPU_FOLDER[] = "/sys/devices/system/cpu";

/* "some avg10=1.53 avg60=..." of /proc/pressure (Linux 4.20): the share of time in which some task waited. */
static void set_pressure(struct probe *probe)
{
	static const char *const kinds[] = {"cpu", "memory", "io"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char *path = arena_printf(probe->arena, "/proc/pressure/%s", kinds[i]);
		char *key = arena_printf(probe->arena, "pressure.%s", kinds[i]);
		const char *reason = NULL;
		const char *text = probe_text(probe, path, &reason);
		const char *some = text != NULL ? probe_line(probe, text, "some avg10=") : NULL;
		char *number = some != NULL ? arena_strndup(probe->arena, some, strcspn(some, " ")) : NULL;
		double percent;

		if (number != NULL && num_parse_double(number, &percent) && percent >= 0 && percent <= 100)
			facts_setf(probe->facts, key, path, "%.2f", percent);
		else
			facts_unknown(probe->facts, key, path,
				text == NULL ? reason : "it has no line \"some avg10=\"");
	}
}

/*
 * The line "cpu" of /proc/stat: user nice system idle iowait irq softirq steal; guest time, behind them, is part of the
 * first two (proc(5)).
 */
static bool read_ticks(struct probe *probe, double *steal, double *all, const char **reason)
{
	enum { TIMES = 8, STEAL = 7 };
	const char *text = probe_text(probe, "/proc/stat", reason);
	const char *at = text != NULL ? probe_line(probe, text, "cpu ") : NULL;
	double sum = 0;
	int n = 0;

	if (text == NULL)
		return false;
	for (char *end; at != NULL && n < TIMES; n++, at = end) {
		double value = strtod(at, &end);

		if (end == at || value < 0)
			break;
		sum += value;
		if (n == STEAL)
			*steal = value;
	}
	*all = sum;
	*reason = "its line \"cpu\" has no such time";
	return n == TIMES && sum > 0 && isfinite(sum);
}

static void set_steal(struct probe *probe)
{
	const char *reason = NULL;
	double steal = 0, all = 0;

	if (read_ticks(probe, &steal, &all, &reason))
		facts_setf(probe->facts, "steal.percent", "/proc/stat", "%.2f", 100 * steal / all);
	else
		facts_unknown(probe->facts, "steal.percent", "/proc/stat", reason);
}

/* Of one moment the number says little: live it is the median of some, spread over as many milliseconds. */
static void set_others(struct probe *probe)
{
	enum { READINGS = 7, STEP_NS = 2 * 1000 * 1000 };
	int64_t seen[READINGS] = {0};
	int n = 0;

	for (; n < (probe->live ? READINGS : 1); n++) {
		struct host_load load;
		int at = n;

		if (n > 0)
			clock_sleep_ns(STEP_NS);
		host_load_read(probe->root, &load);
		if (load.running < 0) {
			facts_unknown(probe->facts, "load.others", "/proc/stat",
				"it has no line procs_running, or cannot be read");
			return;
		}
		for (; at > 0 && seen[at - 1] > load.running; at--)
			seen[at] = seen[at - 1];
		seen[at] = load.running;
	}
	facts_setf(probe->facts, "load.others", "/proc/stat", "%lld",
		(long long)(seen[n / 2] > 0 ? seen[n / 2] - 1 : 0));
}

static void set_seccomp(struct probe *probe)
{
	static const char path[] = "/proc/self/status";
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);
	const char *mode = text != NULL ? probe_line(probe, text, "Seccomp:") : NULL;
	const char *count = text != NULL ? probe_line(probe, text, "Seccomp_filters:") : NULL;

	if (mode == NULL)
		facts_unknown(probe->facts, "filter.seccomp", path,
			text == NULL ? reason : "it has no line \"Seccomp:\"");
	else if (strcmp(mode, "0") == 0)
		facts_set(probe->facts, "filter.seccomp", "none", path);
	else if (strcmp(mode, "2") == 0 && count != NULL)
		facts_setf(probe->facts, "filter.seccomp", path, "filters: %s", count);
	else
		facts_set(
			probe->facts, "filter.seccomp", strcmp(mode, "2") == 0 ? "filters" : "strict", path);
}

static void set_errors(struct probe *probe)
{
	static const char folder[] = "/sys/devices/system/edac/mc";
	static const char *const keys[2] = {"edac.corrected", "edac.uncorrected"};
	static const char *const files[2] = {"ce_count", "ue_count"};
	struct words names = {0};
	const char *reason = NULL;

	probe_list(probe, folder, &names, &reason);
	for (int k = 0; k < 2; k++) {
		uint64_t sum = 0, count;
		bool found = false;

		for (size_t i = 0; i < names.n; i++) {
			const char *text = text_starts(names.v[i], "mc")
						   ? probe_textf(probe, &reason, "%s/%s/%s", folder,
							     names.v[i], files[k])
						   : NULL;

			if (text != NULL && num_parse_u64(text, &count)) {
				sum += count;
				found = true;
			}
		}
		if (found)
			facts_setf(probe->facts, keys[k], folder, "%llu", (unsigned long long)sum);
		else
			facts_unknown(probe->facts, keys[k], folder,
				reason != NULL ? reason : "it lists no memory controller");
	}
}

/* The deepest state that is not switched off, of one CPU; its time to wake up in *exit_us. */
static const char *deepest_state(struct probe *probe, int cpu, uint64_t *exit_us)
{
	enum { STATES = 16 };
	const char *found = NULL;

	for (int i = 0; i < STATES; i++) {
		char *folder = arena_printf(probe->arena, "%s/cpu%d/cpuidle/state%d", CPU_FOLDER, cpu, i);
		const char *name = probe_textf(probe, NULL, "%s/name", folder);
		const char *latency = probe_textf(probe, NULL, "%s/latency", folder);
		const char *off = probe_textf(probe, NULL, "%s/disable", folder);
		uint64_t us;

		if (name == NULL || latency == NULL || !num_parse_u64(latency, &us))
			break;
		if (off != NULL && strcmp(off, "0") != 0)
			continue;
		if (found == NULL || us >= *exit_us) {
			found = name;
			*exit_us = us;
		}
	}
	return found;
}

static void set_idle(struct probe *probe, const struct cpu_list *cpus)
{
	char *source = arena_printf(probe->arena, "%s/cpu*/cpuidle", CPU_FOLDER);
	const char *deepest = NULL, *state;
	uint64_t most = 0, us = 0;

	probe_file(probe, "idle.driver", "/sys/devices/system/cpu/cpuidle/current_driver");
	if (!probe_file(probe, "idle.governor", "/sys/devices/system/cpu/cpuidle/current_governor_ro"))
		probe_file(probe, "idle.governor", "/sys/devices/system/cpu/cpuidle/current_governor");
	for (size_t i = 0; i < cpus->n; i++) {
		state = deepest_state(probe, cpus->v[i], &us);
		if (state != NULL && (deepest == NULL || us > most)) {
			deepest = state;
			most = us;
		}
	}
	if (deepest != NULL) {
		facts_set(probe->facts, "idle.deepest", deepest, source);
		facts_setf(probe->facts, "idle.exit_us", source, "%llu", (unsigned long long)most);
		return;
	}
	facts_unknown(probe->facts, "idle.deepest", source, "the kernel lists no idle states");
	facts_unknown(probe->facts, "idle.exit_us", source, "the kernel lists no idle states");
}

/* The policy of this process's own first mapping, which is that of what it starts: "default", "interleave:0-1". */
static void set_policy(struct probe *probe)
{
	static const char path[] = "/proc/self/numa_maps";
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);
	const char *policy = text != NULL ? strchr(text, ' ') : NULL;

	if (policy != NULL)
		facts_setf(probe->facts, "memory.policy", path, "%.*s", (int)strcspn(policy + 1, " \n"),
			policy + 1);
	else
		facts_unknown(
			probe->facts, "memory.policy", path, text == NULL ? reason : "it names no policy");
}

/* What the sensor that gave temperature.cpu_c calls its limit. */
static void set_temperature_limit(struct probe *probe)
{
	static const char *const limits[] = {"max", "crit"};
	const struct fact *fact = facts_find(probe->facts, "temperature.cpu_c");
	const char *end;

	if (fact == NULL || fact->value == NULL || !text_ends(fact->source, "_input")) {
		facts_unknown(probe->facts, "temperature.limit_c", "/sys/class/hwmon",
			"no sensor there is known to be the CPU's");
		return;
	}
	end = strrchr(fact->source, '_');
	for (size_t i = 0; i < 2; i++) {
		char *path = arena_printf(
			probe->arena, "%.*s_%s", (int)(end - fact->source), fact->source, limits[i]);
		const char *text = probe_text(probe, path, NULL);
		long value = text != NULL ? strtol(text, NULL, 10) : 0;

		/* some sensors have a limit of 0, or one that nothing reaches */
		if (value >= 60000 && value <= 130000) {
			facts_setf(probe->facts, "temperature.limit_c", path, "%.1f", (double)value / 1000);
			return;
		}
	}
	facts_unknown(probe->facts, "temperature.limit_c", fact->source, "the sensor names no limit");
}

/* What a hypervisor says that the clock is; the guest can neither set nor check it. */
static void set_hint(struct probe *probe)
{
	const char *text = cpuinfo_first(&probe->cpuinfo, "cpu MHz");

	if (text != NULL)
		facts_set(probe->facts, "freq.hint_mhz", text, "/proc/cpuinfo");
	else
		facts_unknown(probe->facts, "freq.hint_mhz", "/proc/cpuinfo", "it has no line \"cpu MHz\"");
}

void host_fitness_read(const struct host_fitness_input *input, struct facts *facts)
{
	struct arena scratch = {0};
	struct probe probe = {
		.root = input->root, .live = input->root[0] == '\0', .facts = facts, .arena = &scratch};
	struct processes processes;

	cpuinfo_read(&probe);
	set_others(&probe);
	set_pressure(&probe);
	set_steal(&probe);
	fitness_interrupts(&probe, input);
	set_errors(&probe);
	set_idle(&probe, input->cpus);
	set_temperature_limit(&probe);
	set_hint(&probe);
	set_policy(&probe);
	fitness_channels(facts);
	fitness_microcode(&probe);
	set_seccomp(&probe);
	processes_read(&probe, &processes);
	fitness_audit(&probe, &processes);
	fitness_updates(&probe, &processes);
	fitness_jobs(&probe, input, &processes);
	fitness_folder(&probe, input->folder);
	arena_release(&scratch);
}

static double throttles(struct probe *probe, const struct cpu_list *cpus)
{
	static const char *const files[] = {"core_throttle_count", "package_throttle_count"};
	double sum = 0;
	bool found = false;

	for (size_t i = 0; i < cpus->n; i++)
		for (size_t k = 0; k < 2; k++) {
			const char *text = probe_textf(probe, NULL, "%s/cpu%d/thermal_throttle/%s",
				CPU_FOLDER, cpus->v[i], files[k]);
			uint64_t count;

			if (text != NULL && num_parse_u64(text, &count)) {
				sum += (double)count;
				found = true;
			}
		}
	return found ? sum : -1;
}

void host_counts_read(const char *root, const struct cpu_list *cpus, struct host_counts *counts)
{
	struct arena scratch = {0};
	struct probe probe = {.root = root, .live = root[0] == '\0', .arena = &scratch};
	const char *reason = NULL;

	*counts = (struct host_counts){.steal_ticks = -1, .ticks = -1};
	if (!read_ticks(&probe, &counts->steal_ticks, &counts->ticks, &reason))
		counts->steal_ticks = counts->ticks = -1;
	counts->device_interrupts = interrupts_of_devices(&probe, cpus);
	counts->throttles = throttles(&probe, cpus);
	arena_release(&scratch);
}
