#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "host/cgroup.h"
#include "host/host.h"
#include "host/probe.h"

static double word_double(const char *text, int index)
{
	char *end = NULL;
	double value = -1;

	for (int i = 0; i <= index && text != NULL; i++, text = end) {
		value = strtod(text, &end);
		if (end == text)
			return -1;
	}
	return value;
}

/* Field 8 of the line "cpu" in /proc/stat (proc(5)), in ticks of 1/100 s on every architecture's user interface. */
static int64_t steal_ns(struct probe *probe, const char *stat)
{
	const char *cpu = probe_line(probe, stat, "cpu ");
	double ticks = cpu != NULL ? word_double(cpu, 7) : -1;

	return ticks < 0 ? -1 : (int64_t)(ticks * 1e9 / (double)sysconf(_SC_CLK_TCK));
}

static void read_load(struct probe *probe, struct host_load *load)
{
	const char *average = probe_text(probe, "/proc/loadavg", NULL);
	const char *stat = probe_text(probe, "/proc/stat", NULL);
	const char *running = stat != NULL ? probe_line(probe, stat, "procs_running") : NULL;

	*load = (struct host_load){-1, -1, -1, -1, -1, -1};
	if (average != NULL) {
		load->load1 = word_double(average, 0);
		load->load5 = word_double(average, 1);
		load->load15 = word_double(average, 2);
	}
	if (running != NULL)
		load->running = strtoll(running, NULL, 10);
	if (stat != NULL)
		load->steal_ns = steal_ns(probe, stat);
	load->throttled_us = cgroup_throttled_us(probe);
}

void host_load_read(const char *root, struct host_load *load)
{
	struct arena arena = {0};
	struct probe probe = {.root = root, .live = root[0] == '\0', .arena = &arena};

	read_load(&probe, load);
	arena_release(&arena);
}

static void set_number(struct probe *probe, const char *key, const char *path, int decimals, double value)
{
	const char *reason = "it has no such number";

	if (value >= 0) {
		facts_setf(probe->facts, key, path, "%.*f", decimals, value);
		return;
	}
	probe_text(probe, path, &reason);
	facts_unknown(probe->facts, key, path, reason);
}

static void set_load(struct probe *probe)
{
	struct host_load load;
	const char *reason = NULL;
	const char *uptime = probe_text(probe, "/proc/uptime", &reason);

	read_load(probe, &load);
	set_number(probe, "load.1min", "/proc/loadavg", 2, load.load1);
	set_number(probe, "load.5min", "/proc/loadavg", 2, load.load5);
	set_number(probe, "load.15min", "/proc/loadavg", 2, load.load15);
	set_number(probe, "load.running", "/proc/stat", 0, (double)load.running);
	set_number(probe, "load.steal_ns", "/proc/stat", 0, (double)load.steal_ns);
	if (uptime != NULL)
		facts_setf(probe->facts, "uptime_s", "/proc/uptime", "%.0f", strtod(uptime, NULL));
	else
		facts_unknown(probe->facts, "uptime_s", "/proc/uptime", reason);
}

/* The hottest plausible of the sensors seen so far. */
struct hottest {
	long millidegrees;
	const char *source; /* NULL: none */
};

static void take_sensor(struct probe *probe, const char *path, struct hottest *hottest)
{
	const char *text = probe_text(probe, path, NULL);
	long value = text != NULL ? strtol(text, NULL, 10) : 0;

	/* unconnected sensors read far below freezing or beyond what silicon stands */
	if (text == NULL || value < -40000 || value > 150000)
		return;
	if (hottest->source == NULL || value > hottest->millidegrees)
		*hottest = (struct hottest){.millidegrees = value, .source = path};
}

static bool is_cpu_sensor(const char *name)
{
	static const char *const names[] = {"coretemp", "k10temp", "zenpower", "cpu", "soc", "x86_pkg_temp",
		"scpi_sensors", "via_cputemp", "fam15h_power"};

	for (size_t i = 0; name != NULL && i < sizeof(names) / sizeof(names[0]); i++)
		if (text_starts(name, names[i]))
			return true;
	return false;
}

static void scan_hwmon(struct probe *probe, struct hottest *hottest)
{
	const char *folder = "/sys/class/hwmon";
	struct words chips = {0};

	probe_list(probe, folder, &chips, NULL);
	for (size_t i = 0; i < chips.n; i++) {
		char *chip = arena_printf(probe->arena, "%s/%s", folder, chips.v[i]);
		struct words files = {0};

		if (!is_cpu_sensor(probe_textf(probe, NULL, "%s/name", chip)))
			continue;
		probe_list(probe, chip, &files, NULL);
		for (size_t k = 0; k < files.n; k++)
			if (text_glob("temp*_input", files.v[k]))
				take_sensor(probe, arena_printf(probe->arena, "%s/%s", chip, files.v[k]),
					hottest);
	}
}

static void scan_zones(struct probe *probe, struct hottest *hottest)
{
	const char *folder = "/sys/class/thermal";
	struct words zones = {0};

	probe_list(probe, folder, &zones, NULL);
	for (size_t i = 0; i < zones.n; i++)
		if (text_starts(zones.v[i], "thermal_zone") &&
			is_cpu_sensor(probe_textf(probe, NULL, "%s/%s/type", folder, zones.v[i])))
			take_sensor(
				probe, arena_printf(probe->arena, "%s/%s/temp", folder, zones.v[i]), hottest);
}

static void set_temperature(struct probe *probe)
{
	struct hottest hottest = {0};

	scan_hwmon(probe, &hottest);
	if (hottest.source == NULL)
		scan_zones(probe, &hottest);
	if (hottest.source != NULL)
		facts_setf(probe->facts, "temperature.cpu_c", hottest.source, "%.1f",
			(double)hottest.millidegrees / 1000);
	else
		facts_unknown(probe->facts, "temperature.cpu_c", "/sys/class/hwmon, /sys/class/thermal",
			"no sensor there is known to be the CPU's");
}

/* Times that cores or packages were slowed down for heat, since boot: the sum shows whether one rose. */
static void set_throttle(struct probe *probe, const char *key, const char *name)
{
	const char *reason = "no CPU is online";
	uint64_t sum = 0;
	bool found = false;

	for (size_t i = 0; i < probe->online.n; i++) {
		const char *text = probe_textf(probe, &reason,
			"/sys/devices/system/cpu/cpu%d/thermal_throttle/%s", probe->online.v[i], name);
		uint64_t count;

		if (text != NULL && num_parse_u64(text, &count)) {
			sum += count;
			found = true;
		}
	}
	if (found)
		facts_setf(probe->facts, key,
			arena_printf(probe->arena, "/sys/devices/system/cpu/cpu*/thermal_throttle/%s", name),
			"%llu", (unsigned long long)sum);
	else
		facts_unknown(probe->facts, key,
			arena_printf(probe->arena, "/sys/devices/system/cpu/cpu*/thermal_throttle/%s", name),
			reason);
}

void probe_moment(struct probe *probe)
{
	set_load(probe);
	set_temperature(probe);
	set_throttle(probe, "throttle.core_count", "core_throttle_count");
	set_throttle(probe, "throttle.package_count", "package_throttle_count");
}
