#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/check_list.h"

/* Who else is on the CPUs: a hypervisor, a sibling thread, interrupts. */

static void judge_virtual(struct judging *j)
{
	const char *hypervisor = fact_of(j, "virt.hypervisor");

	if (fact_is(j, "virt.virtual", "no")) {
		judge(j, CHECK_OK, "no: real hardware");
	} else if (fact_is(j, "virt.virtual", "yes")) {
		judge(j, CHECK_CAVEAT, "yes%s%s: neighbours share core, cache and memory with it",
			hypervisor != NULL ? ", under " : "", hypervisor != NULL ? hypervisor : "");
		advise(j, NULL,
			"measure side by side, never in blocks; compare only within one run; for absolute "
			"figures take real hardware");
	} else {
		judge_unknown(j, "virt.virtual");
	}
}

static void judge_steal(struct judging *j)
{
	/* percent: what is lost this way is lost to the result at once */
	static const double some = 0.5, much = 5;
	const struct host_measured *m = j->in->measured;
	double boot;
	bool measured = m != NULL && m->steal_percent >= 0;

	if (!fact_number(j, "steal.percent", &boot)) {
		judge_unknown(j, "steal.percent");
		return;
	}
	if (measured && m->steal_percent >= much)
		judge(j, CHECK_UNFIT, "%.1f %% of all CPU time within the last %.0f s", m->steal_percent,
			m->seconds);
	else if (measured)
		judge(j, m->steal_percent >= some ? CHECK_CAVEAT : CHECK_OK,
			"%.1f %% of all CPU time within the last %.0f s", m->steal_percent, m->seconds);
	/* what was long ago does not spoil what is measured now */
	judge(j, boot >= some && !measured ? CHECK_CAVEAT : CHECK_OK, "%.1f %% since boot", boot);
	if (j->check->status != CHECK_OK)
		advise(j, NULL, "take an instance with CPUs of its own, or measure when the host is quiet");
}

static void judge_smt(struct judging *j)
{
	const char *control = fact_of(j, "topology.smt.control");

	if (fact_is(j, "topology.smt.active", "no")) {
		/* a guest sees what its host tells: threads may be sold as cores */
		if (fact_is(j, "virt.virtual", "yes"))
			judge(j, CHECK_UNKNOWN,
				"none is seen, but the host may run two CPUs of guests on one core");
		else
			judge(j, CHECK_OK, "off%s",
				text_same(control, "notsupported") ? ": the CPU has none" : "");
	} else if (fact_is(j, "topology.smt.active", "yes")) {
		judge(j, CHECK_CAVEAT, "on: a core's other thread takes part of it when it is busy");
		advise(j, "echo off | sudo tee /sys/devices/system/cpu/smt/control",
			"keep the machine idle besides, or switch it off for single-copy results");
	} else {
		judge_unknown(j, "topology.smt.active");
	}
}

static void judge_cpus(struct judging *j)
{
	const struct cpu_list *cpus = j->in->cpus;
	struct cpu_value kinds[CPU_VALUES];
	size_t n = fact_values(j, "cpu.hybrid", kinds);
	char *list = cpu_list_text(cpus, j->arena);

	if (cpus->n == 0) {
		judge(j, CHECK_UNKNOWN, "which CPUs may be used is not known");
		return;
	}
	if (cpus->n == 1)
		judge(j, CHECK_CAVEAT, "only CPU %s: what runs besides, flagstone itself, too, shares it",
			list);
	else
		judge(j, CHECK_OK, "CPUs %s", list);
	if (n > 1) {
		judge(j, CHECK_CAVEAT, "they are of different kinds: %s", fact_of(j, "cpu.hybrid"));
		advise(j, NULL, "choose CPUs of one kind with --cpus, for several copies above all");
	}
	if (cpus->n == 1)
		advise(j, NULL, "give the container or virtual machine a second CPU");
}

static void judge_isolated(struct judging *j)
{
	const char *text = fact_of(j, "cpu.isolated");
	struct cpu_list isolated = {0};
	size_t measured = 0;

	if (text == NULL) {
		judge_unknown(j, "cpu.isolated");
		return;
	}
	if (text[0] == '\0') {
		judge(j, CHECK_OK, "none: what else runs may be scheduled anywhere, as is usual");
		return;
	}
	if (cpu_list_parse(text, j->arena, &isolated, NULL) != 0) {
		judge_unknown(j, "cpu.isolated");
		return;
	}
	for (size_t i = 0; i < isolated.n; i++)
		measured += is_measured(j, isolated.v[i]);
	if (measured > 0) {
		judge(j, CHECK_OK, "CPUs %s, of which %zu are measured on", text, measured);
		return;
	}
	judge(j, CHECK_CAVEAT, "CPUs %s are kept free, but would not be used", text);
	advise(j, arena_printf(j->arena, "taskset -c %s flagstone run", text), "measure on them");
}

static void judge_interrupts(struct judging *j)
{
	/*
	 * A device's interrupt takes some microseconds, with what it puts into the cache; at a thousand a second that is
	 * about half a percent of a CPU.
	 */
	static const double many = 1000, flood = 20000;
	const struct host_measured *m = j->in->measured;
	const char *busiest = fact_of(j, "interrupts.busiest");
	double per_s, boot;

	if (!fact_number(j, "interrupts.device_per_s", &boot)) {
		judge_unknown(j, "interrupts.device_per_s");
		return;
	}
	per_s = m != NULL && m->interrupts_per_s >= 0 ? m->interrupts_per_s : boot;
	judge(j,
		per_s >= flood	? CHECK_UNFIT
		: per_s >= many ? CHECK_CAVEAT
				: CHECK_OK,
		"%.0f a second from devices on the CPUs to be measured on%s%s", per_s,
		per_s == boot ? ", since boot" : "",
		busiest != NULL && strcmp(busiest, "none") != 0 && per_s >= many
			? arena_printf(j->arena, "; since boot most from %s", busiest)
			: "");
	if (j->check->status != CHECK_OK)
		advise(j, "cat /proc/interrupts",
			"see whose they are, and measure on CPUs that have none: `flagstone tune --cpus "
			"LIST` moves "
			"interrupts away from those");
}

const struct check_kind checks_cpu[] = {
	{.id = "virtual",
		.title = "virtual machine",
		.decides = true,
		.why = "Neighbours come and go. Seen by flagstone on such a machine: single samples spread "
		       "over 35 "
		       "to 63 % (1st to 99th percentile); two equal programs measured one after the other "
		       "differed by 7 to 8 %, alternating by 0.3 to 1 %.",
		.judge = judge_virtual,
		.reads = {"virt.virtual", "virt.hypervisor"}},
	{.id = "steal",
		.title = "time stolen by the hypervisor",
		.decides = true,
		.why = "While another guest has the CPU, wall time goes on: what is stolen is added to the "
		       "time "
		       "of a sample. Little steal proves little: on the machine above it showed in 3 of "
		       "12,600 "
		       "samples.",
		.judge = judge_steal,
		.reads = {"steal.percent", "load.steal_ns"}},
	{.id = "smt",
		.title = "simultaneous multithreading",
		.decides = true,
		.why = "Two threads of a core share its units and caches: where both together do 1.3 times "
		       "the "
		       "work of one (IBM, Hyper-Threading speeds Linux, 2003), each runs at two thirds. It "
		       "is "
		       "the largest disturbance that flagstone sees: its wide canary goes with a sample's "
		       "time at "
		       "a rank correlation of 0.72 to 0.79.",
		.judge = judge_smt,
		.reads = {"topology.smt.active", "topology.smt.control", "topology.cores",
			"topology.threads"}},
	{.id = "cpus",
		.title = "CPUs to measure on",
		.decides = true,
		.why = "A sample wants a CPU of its own. CPUs of different kinds differ by a factor, so that "
		       "several copies say nothing of either kind.",
		.judge = judge_cpus,
		.reads = {"cpu.online", "cpu.hybrid", "cgroup.cpuset"}},
	{.id = "isolated",
		.title = "isolated CPUs",
		.decides = false,
		.why = "Where the kernel keeps CPUs free (isolcpus, nohz_full), no other program and no "
		       "scheduler's tick comes in between. Without, the share of disturbed samples tells how "
		       "much "
		       "that is here.",
		.judge = judge_isolated,
		.reads = {"cpu.isolated", "cpu.nohz_full"}},
	{.id = "interrupts",
		.title = "interrupts",
		.decides = true,
		.why = "Each takes some microseconds from the sample it meets: 1000 a second are about half "
		       "a "
		       "percent of a CPU, unevenly.",
		.judge = judge_interrupts,
		.reads = {"interrupts.device_per_s", "interrupts.busiest", "uptime_s"}},
	{0}};
