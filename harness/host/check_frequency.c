#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/check_list.h"

/* How fast the clock goes, and what may change it. */

static bool is_virtual(const struct judging *j)
{
	return fact_is(j, "virt.virtual", "yes");
}

/* Nothing to read, as guests see no cpufreq. */
static void judge_hidden(struct judging *j, const char *key)
{
	double mhz;

	if (!is_virtual(j)) {
		judge_unknown(j, key);
		return;
	}
	if (fact_number(j, "freq.hint_mhz", &mhz))
		judge(j, CHECK_UNKNOWN,
			"the host of this virtual machine sets it; \"%s MHz\" in /proc/cpuinfo is what it "
			"was "
			"told, not what runs",
			fact_of(j, "freq.hint_mhz"));
	else
		judge(j, CHECK_UNKNOWN, "the host of this virtual machine sets it");
}

/* intel_pstate and amd-pstate in active mode choose for themselves: their "powersave" is no limit. */
static void judge_one_governor(struct judging *j, const char *governor)
{
	const char *driver = fact_of(j, "freq.driver");
	bool active = fact_is(j, "freq.pstate", "active");

	if (strcmp(governor, "performance") == 0)
		judge(j, CHECK_OK, "performance");
	else if (strcmp(governor, "powersave") == 0 && !active)
		judge(j, CHECK_CAVEAT, "powersave%s%s: all is measured at the lowest frequency",
			driver != NULL ? " of " : "", driver != NULL ? driver : "");
	else
		judge(j, CHECK_CAVEAT, "%s%s: the frequency follows the load, and rises only after a while",
			governor, active ? " (the CPU chooses)" : "");
}

static void judge_governor(struct judging *j)
{
	struct cpu_value values[CPU_VALUES];
	size_t n = fact_values(j, "freq.governor", values);
	const char *epp = fact_of(j, "freq.epp");

	if (n == 0) {
		judge_hidden(j, "freq.governor");
		return;
	}
	if (n > 1)
		judge(j, CHECK_CAVEAT, "the CPUs to be measured on differ: %s", fact_of(j, "freq.governor"));
	for (size_t i = 0; i < n; i++)
		judge_one_governor(j, values[i].value);
	if (epp != NULL && strstr(epp, "power") != NULL)
		judge(j, CHECK_CAVEAT, "energy preference %s", epp);
	if (j->check->status == CHECK_CAVEAT)
		advise(j, "sudo flagstone tune",
			"set the governor performance on all CPUs; `flagstone restore` puts it back");
}

/* The limit of one kind of CPUs against what they can do. */
static void judge_one_limit(struct judging *j, const struct cpu_value *limit)
{
	struct cpu_value most[CPU_VALUES], least[CPU_VALUES];
	double max, can = 0, min = 0;

	if (!num_parse_double(limit->value, &max))
		return;
	/* the largest of those CPUs: kinds of CPUs may differ, and then the pairing is by list */
	for (size_t i = 0, n = fact_values(j, "freq.cpuinfo_max_khz", most); i < n; i++) {
		double value;

		if (num_parse_double(most[i].value, &value) &&
			(most[i].cpus.n == 0 || limit->cpus.n == 0 || most[i].cpus.v[0] <= limit->cpus.v[0]))
			can = value;
	}
	if (fact_values(j, "freq.scaling_min_khz", least) == 1)
		num_parse_double(least[0].value, &min);
	if (can <= 0)
		judge(j, CHECK_UNKNOWN, "limited to %s, and what the CPU can do is not known",
			ghz_text(j->arena, max));
	else if (max < can && min == max)
		judge(j, CHECK_CAVEAT, "fixed at %s of %s: steady, but not this machine's full speed",
			ghz_text(j->arena, max), ghz_text(j->arena, can));
	else if (max < can)
		judge(j, CHECK_CAVEAT, "held to %s of %s", ghz_text(j->arena, max), ghz_text(j->arena, can));
	else
		judge(j, CHECK_OK, "up to %s, as the CPU can", ghz_text(j->arena, max));
}

static void judge_limits(struct judging *j)
{
	struct cpu_value limits[CPU_VALUES];
	size_t n = fact_values(j, "freq.scaling_max_khz", limits);
	double percent;

	if (n == 0) {
		judge_hidden(j, "freq.scaling_max_khz");
		return;
	}
	for (size_t i = 0; i < n; i++)
		judge_one_limit(j, &limits[i]);
	if (n > 1 && fact_of(j, "cpu.hybrid") == NULL)
		judge(j, CHECK_CAVEAT, "the CPUs to be measured on have different limits");
	if (fact_number(j, "freq.max_perf_pct", &percent) && percent < 100)
		judge(j, CHECK_CAVEAT, "intel_pstate is held to %.0f %%", percent);
	if (j->check->status == CHECK_CAVEAT)
		advise(j, "sudo cpupower frequency-set -u 100GHz",
			"lift the limit, unless it is meant; the kernel cuts the value to what the CPU can");
}

static void judge_boost(struct judging *j)
{
	struct cpu_value values[CPU_VALUES];
	size_t n = fact_values(j, "freq.boost", values);
	double base, most;

	if (n == 0) {
		judge_hidden(j, "freq.boost");
		return;
	}
	if (n > 1) {
		judge(j, CHECK_CAVEAT, "the CPUs to be measured on differ: %s", fact_of(j, "freq.boost"));
		return;
	}
	if (strcmp(values[0].value, "off") == 0) {
		judge(j, CHECK_OK, "off: the frequency does not depend on heat and on what else runs");
		return;
	}
	if (strcmp(values[0].value, "on") != 0) {
		judge_unknown(j, "freq.boost");
		return;
	}
	if (fact_number(j, "freq.base_khz", &base) && fact_number(j, "freq.cpuinfo_max_khz", &most) &&
		base > 0 && most > base)
		judge(j, CHECK_CAVEAT, "on: from %s to %s (+%.0f %%), by heat and by how many cores are busy",
			ghz_text(j->arena, base), ghz_text(j->arena, most), 100 * (most / base - 1));
	else
		judge(j, CHECK_CAVEAT, "on: the frequency depends on heat and on how many cores are busy");
	advise(j, "sudo flagstone tune --profile steady",
		"switch it off for comparisons over days or machines, until `flagstone restore`; within one "
		"run, side "
		"by side, most of it cancels");
}

static void judge_throttle(struct judging *j)
{
	const struct host_measured *m = j->in->measured;
	double cores = 0, packages = 0, events = 0;
	bool known = fact_number(j, "throttle.core_count", &cores);

	known |= fact_number(j, "throttle.package_count", &packages);
	if (m != NULL && m->throttles > 0) {
		judge(j, CHECK_UNFIT, "slowed down for heat %.0f times within the last %.0f s", m->throttles,
			m->seconds);
	} else if (cores > 0 || packages > 0) {
		judge(j, CHECK_CAVEAT, "slowed down for heat since boot: %.0f times by core, %.0f by package",
			cores, packages);
	} else if (!known && fact_number(j, "interrupts.thermal", &events) && events > 0) {
		judge(j, CHECK_CAVEAT, "%.0f interrupts for heat since boot", events);
	} else if (known) {
		judge(j, CHECK_OK, "never since boot");
	} else if (is_virtual(j)) {
		judge(j, CHECK_UNKNOWN, "a virtual machine is not told; the canaries of a run see it");
	} else {
		judge_unknown(j, "throttle.core_count");
	}
	if (j->check->status == CHECK_CAVEAT || j->check->status == CHECK_UNFIT)
		advise(j, "grep . /sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count",
			"look at cooling and power limits; see whether the counts rise during a run, whose "
			"samples are marked when they do");
}

static void judge_temperature(struct judging *j)
{
	/* where the sensor names no limit: most processors hold their clock back at 90 to 105 degrees */
	enum { HOT_C = 85, TOO_HOT_C = 95, ROOM_C = 10 };
	double now, limit;
	bool named;

	if (!fact_number(j, "temperature.cpu_c", &now)) {
		judge_unknown(j, "temperature.cpu_c");
		return;
	}
	named = fact_number(j, "temperature.limit_c", &limit);
	if (!named)
		limit = TOO_HOT_C;
	if (now >= limit)
		judge(j, CHECK_UNFIT, "%.0f °C, at its limit%s of %.0f °C", now, named ? "" : ", taken to be",
			limit);
	else if (now >= limit - ROOM_C || (!named && now >= HOT_C))
		judge(j, CHECK_CAVEAT, "%.0f °C, close to its limit of %s%.0f °C", now,
			named ? "" : "perhaps ", limit);
	else
		judge(j, CHECK_OK, "%.0f °C, limit %s%.0f °C", now, named ? "" : "perhaps ", limit);
	if (j->check->status != CHECK_OK)
		advise(j, NULL, "let it cool down before a run, and look at the cooling");
}

/* Is it a machine that is never on battery, by the firmware's word for its case? */
static bool is_stationary(const struct judging *j)
{
	static const char *const cases[] = {"Desktop", "Tower", "Rack", "Server", "Blade", "Main", "Mini PC"};
	const char *chassis = fact_of(j, "chassis.type");

	for (size_t i = 0; chassis != NULL && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strstr(chassis, cases[i]) != NULL)
			return true;
	return is_virtual(j);
}

static void judge_power(struct judging *j)
{
	const char *profile = fact_of(j, "power.profile");

	if (fact_is(j, "power.source", "battery")) {
		judge(j, CHECK_UNFIT, "on battery: firmware and drivers lower limits as they please");
		advise(j, NULL, "connect it to mains");
	} else if (fact_is(j, "power.source", "mains")) {
		judge(j, CHECK_OK, "mains");
	} else if (is_stationary(j)) {
		judge(j, CHECK_OK, "a machine without a battery");
	} else {
		judge_unknown(j, "power.source");
	}
	if (profile == NULL || strcmp(profile, "performance") == 0 || strcmp(profile, "balanced") == 0 ||
		strcmp(profile, "balanced-performance") == 0)
		return;
	judge(j, CHECK_CAVEAT, "the firmware's profile is %s", profile);
	advise(j, "echo balanced | sudo tee /sys/firmware/acpi/platform_profile",
		"choose a profile that does not save energy");
}

static void judge_idle(struct judging *j)
{
	enum { DEEP_US = 50 };
	double us;

	if (!fact_number(j, "idle.exit_us", &us)) {
		if (is_virtual(j))
			judge(j, CHECK_UNKNOWN, "the host of this virtual machine chooses them");
		else
			judge_unknown(j, "idle.exit_us");
		return;
	}
	if (us < DEEP_US) {
		judge(j, CHECK_OK, "the deepest is %s, %.0f µs to wake up", fact_of(j, "idle.deepest"), us);
		return;
	}
	judge(j, CHECK_CAVEAT, "the deepest is %s, %.0f µs to wake up", fact_of(j, "idle.deepest"), us);
	advise(j, "sudo flagstone tune --profile steady",
		"switch the deep ones off, where workloads wait for each other (pipes, switches, shells)");
}

const struct check_kind checks_frequency[] = {
	{.id = "governor",
		.title = "frequency governor",
		.decides = true,
		.why = "A governor that follows the load makes the first milliseconds slow: short samples "
		       "then "
		       "differ by the ratio of highest to lowest frequency, often 2 to 4.",
		.judge = judge_governor,
		.reads = {"freq.governor", "freq.driver", "freq.pstate", "freq.epp", "freq.hint_mhz"}},
	{.id = "limits",
		.title = "frequency limits",
		.decides = true,
		.why = "A limit below what the CPU can do scales all results: a laptop that was held to 1.6 "
		       "GHz "
		       "was reported with its 3.9 GHz (benchexec issue 918), a factor of 2.4.",
		.judge = judge_limits,
		.reads = {"freq.scaling_max_khz", "freq.cpuinfo_max_khz", "freq.scaling_min_khz",
			"freq.max_perf_pct", "cpu.hybrid"}},
	{.id = "boost",
		.title = "turbo, boost",
		.decides = true,
		.why = "With boost the speed depends on temperature, on what other cores do, and on the "
		       "instructions used. A benchmark ran 1.85 times faster from one run to the next when "
		       "other "
		       "programs ended (V. Stinner, vstinner.github.io/intel-cpus-part2.html).",
		.judge = judge_boost,
		.reads = {"freq.boost", "freq.no_turbo", "freq.base_khz", "freq.cpuinfo_max_khz"}},
	{.id = "throttle",
		.title = "throttling",
		.decides = false, /* a run's canaries see it */
		.why = "A CPU that gets too hot is slowed down, mostly after some seconds of load: later "
		       "cells of "
		       "a run then look slower. Samples in which it happened are marked.",
		.judge = judge_throttle,
		.reads = {"throttle.core_count", "throttle.package_count", "interrupts.thermal"}},
	{.id = "temperature",
		.title = "temperature",
		.decides = false,
		.why = "Close to its limit a CPU gives up boost and then throttles; fans and heat also take "
		       "minutes to settle, so that early and late samples differ.",
		.judge = judge_temperature,
		.reads = {"temperature.cpu_c", "temperature.limit_c"}},
	{.id = "power",
		.title = "power supply",
		.decides = false,
		.why = "On battery, and in profiles that save energy, firmware lowers power limits with no "
		       "word "
		       "to the kernel: the frequency asked for is not the one that runs.",
		.judge = judge_power,
		.reads = {"power.source", "power.profile", "chassis.type"}},
	{.id = "idle",
		.title = "deep idle states",
		.decides = false,
		.why = "What sleeps and is woken (pipes, context switches, shells, servers) pays the time to "
		       "leave "
		       "the idle state each time, and finds colder caches; what only computes does not.",
		.judge = judge_idle,
		.reads = {"idle.deepest", "idle.exit_us", "idle.driver", "idle.governor"}},
	{0}};
