#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/check_list.h"

/* What the kernel and a container do to programs. */

static void judge_aslr(struct judging *j)
{
	if (fact_is(j, "kernel.aslr", "2")) {
		judge(j, CHECK_OK,
			"full: each process draws its addresses, and many short samples average them");
	} else if (fact_is(j, "kernel.aslr", "0") || fact_is(j, "kernel.aslr", "1")) {
		judge(j, CHECK_CAVEAT, "%s: all samples have the same addresses, lucky or not",
			fact_is(j, "kernel.aslr", "0") ? "off" : "without the heap");
		advise(j, "sudo sysctl kernel.randomize_va_space=2", "switch it on");
	} else {
		judge_unknown(j, "kernel.aslr");
	}
}

/* A word of the kernel's command line. */
static bool has_parameter(const struct judging *j, const char *parameter)
{
	const char *line = fact_of(j, "kernel.cmdline");
	size_t length = strlen(parameter);

	for (const char *at = line; at != NULL && (at = strstr(at, parameter)) != NULL; at += length)
		if ((at == line || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
			return true;
	return false;
}

static void judge_mitigations(struct judging *j)
{
	const struct facts *facts = j->in->facts;
	static const char prefix[] = "kernel.mitigation.";
	size_t active = 0, open = 0;
	double count;

	if (has_parameter(j, "mitigations=off")) {
		judge(j, CHECK_CAVEAT,
			"switched off by mitigations=off: system calls are faster than on most");
		advise(j, NULL, "say so beside results of system calls, or boot without mitigations=off");
		return;
	}
	if (!fact_number(j, "kernel.mitigation.count", &count)) {
		judge_unknown(j, "kernel.mitigation.count");
		return;
	}
	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *fact = &facts->v[i];

		if (!text_starts(fact->key, prefix) || fact->value == NULL ||
			strcmp(fact->key, "kernel.mitigation.count") == 0)
			continue;
		active += text_starts(fact->value, "Mitigation");
		open += text_starts(fact->value, "Vulnerable");
	}
	judge(j, CHECK_OK, "of %.0f known weaknesses %zu are mitigated, %zu left open", count, active, open);
}

/* Clocks that a program reads without a system call, and those that need one. */
static void judge_clock(struct judging *j)
{
	static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
		"arch_sys_counter", "timebase", "tod", "stp", "riscv_clocksource"};
	static const char *const coarse[] = {"jiffies", "refined-jiffies", "pit"};
	const char *name = fact_of(j, "kernel.clocksource");
	const struct host_measured *m = j->in->measured;
	bool is_fast = false, is_coarse = false;

	if (name == NULL || name[0] == '\0') {
		judge_unknown(j, "kernel.clocksource");
		return;
	}
	for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++)
		is_fast |= strcmp(name, fast[i]) == 0;
	for (size_t i = 0; i < sizeof(coarse) / sizeof(coarse[0]); i++)
		is_coarse |= strcmp(name, coarse[i]) == 0;
	judge(j,
		is_coarse ? CHECK_UNFIT
		: is_fast ? CHECK_OK
			  : CHECK_CAVEAT,
		"%s%s", name,
		is_coarse ? ": too coarse for samples of milliseconds"
		: is_fast ? ""
			  : ": read by a system call, or slowly");
	if (m != NULL && m->clock_ns > 0)
		judge(j, m->clock_ns > 500 ? CHECK_CAVEAT : CHECK_OK, "%.0f ns a reading", m->clock_ns);
	if (j->check->status != CHECK_OK)
		advise(j, "cat /sys/devices/system/clocksource/clocksource0/available_clocksource",
			"boot with tsc=reliable if the hardware's tsc is sound, or choose another one in "
			"current_clocksource");
}

static void judge_seccomp(struct judging *j)
{
	const char *filter = fact_of(j, "filter.seccomp");

	if (filter == NULL) {
		judge_unknown(j, "filter.seccomp");
	} else if (strcmp(filter, "none") == 0) {
		judge(j, CHECK_OK, "none");
	} else {
		judge(j, CHECK_CAVEAT, "%s: each system call passes them", filter);
		advise(j, "docker run --security-opt seccomp=unconfined ...",
			"measure system calls outside, or in a container without a filter");
	}
}

static void judge_audit(struct judging *j)
{
	double rules;

	if (has_parameter(j, "audit=0")) {
		judge(j, CHECK_OK, "switched off at boot");
	} else if (fact_is(j, "audit.daemon", "not running")) {
		judge(j, CHECK_OK, "no auditd runs");
	} else if (!fact_is(j, "audit.daemon", "running")) {
		judge_unknown(j, "audit.daemon");
	} else if (!fact_number(j, "audit.rules", &rules)) {
		judge(j, CHECK_UNKNOWN, "auditd runs, and its rules are not known (%s)",
			fact_reason(j, "audit.rules") != NULL ? fact_reason(j, "audit.rules") : "not read");
		advise(j, "sudo auditctl -l", "see whether rules watch system calls");
	} else if (rules > 0) {
		judge(j, CHECK_CAVEAT, "auditd runs, with %.0f rules that watch system calls", rules);
		advise(j, "sudo auditctl -D", "take the rules away while measuring, where that is allowed");
	} else {
		judge(j, CHECK_OK, "auditd runs; no rule watches system calls");
	}
}

static void judge_quota(struct judging *j)
{
	double quota, throttled = 0;

	if (fact_is(j, "cgroup.cpu.quota_cpus", "none")) {
		judge(j, CHECK_OK, "none");
	} else if (!fact_number(j, "cgroup.cpu.quota_cpus", &quota)) {
		/* without control groups there is no quota */
		if (text_starts(fact_reason(j, "cgroup.cpu.quota_cpus") != NULL
					? fact_reason(j, "cgroup.cpu.quota_cpus")
					: "",
			    "no control groups with the controller") &&
			fact_is(j, "container.kind", "none"))
			judge(j, CHECK_OK, "none: no control group holds CPUs back");
		else
			judge_unknown(j, "cgroup.cpu.quota_cpus");
		return;
	} else if (quota <= 1) {
		/* one copy, and flagstone beside it */
		judge(j, CHECK_UNFIT, "%.3g CPUs: a sample is stopped for the rest of each period", quota);
	} else if (j->in->cpus->n > 0 && quota < (double)j->in->cpus->n) {
		judge(j, CHECK_CAVEAT, "%.3g CPUs for %zu: several copies are stopped in turn", quota,
			j->in->cpus->n);
	} else {
		judge(j, CHECK_OK, "%.3g CPUs, as many as there are to measure on", quota);
	}
	if (fact_number(j, "cgroup.cpu.throttled_us", &throttled) && throttled > 0)
		judge(j, CHECK_CAVEAT, "held back for %.3g s so far", throttled / 1e6);
	if (j->check->status != CHECK_OK)
		advise(j, "docker update --cpus 0 CONTAINER",
			"lift the quota; give whole CPUs (--cpuset-cpus) instead");
}

static void judge_limit(struct judging *j)
{
	static const double gib = 1024.0 * 1024 * 1024;
	double limit;

	if (fact_is(j, "cgroup.memory.limit_bytes", "none")) {
		judge(j, CHECK_OK, "none");
	} else if (!fact_number(j, "cgroup.memory.limit_bytes", &limit)) {
		judge_unknown(j, "cgroup.memory.limit_bytes");
	} else if (limit < 2 * gib) {
		judge(j, CHECK_CAVEAT, "%s: compilers with -flto, several copies and file copies may not fit",
			bytes_text(j->arena, limit));
		advise(j, "docker update --memory 4g --memory-swap 4g CONTAINER", "raise it");
	} else {
		judge(j, CHECK_OK, "%s", bytes_text(j->arena, limit));
	}
}

static void judge_container(struct judging *j)
{
	const char *kind = fact_of(j, "container.kind");

	if (kind == NULL) {
		judge_unknown(j, "container.kind");
	} else if (strcmp(kind, "none") == 0) {
		judge(j, CHECK_OK, "none");
	} else {
		judge(j, CHECK_CAVEAT,
			"%s: runs of flagstone in other containers on this machine are not seen", kind);
		advise(j, NULL, "see to it that only one run goes on at a time on the machine");
	}
}

const struct check_kind checks_kernel[] = {
	{.id = "clock",
		.title = "timer source",
		.decides = true,
		.why = "Samples of 5 ms and canaries of 25 µs want a clock that is read in some 20 to 50 ns. "
		       "One "
		       "that is not read in user space (hpet, acpi_pm, xen) takes 0.5 to 2 µs a reading; "
		       "jiffies "
		       "move every 1 to 10 ms.",
		.judge = judge_clock,
		.reads = {"kernel.clocksource", "kernel.clocksource.available"}},
	{.id = "quota",
		.title = "CPU quota",
		.decides = true,
		.why = "A control group that has used its share of a period, mostly 100 ms, stands still "
		       "until "
		       "the next: single samples then take many times as long.",
		.judge = judge_quota,
		.reads = {"cgroup.cpu.quota_cpus", "cgroup.cpu.throttled_us", "cgroup.version"}},
	{.id = "memory-limit",
		.title = "memory limit",
		.decides = false,
		.why = "At the limit the kernel takes pages back or kills; page cache and tmpfs count too, "
		       "so that "
		       "file copies reclaim near it.",
		.judge = judge_limit,
		.reads = {"cgroup.memory.limit_bytes"}},
	{.id = "container",
		.title = "container",
		.decides = false,
		.why = "What else runs on the machine is hidden, and so is its lock: two runs at once spoil "
		       "each "
		       "other.",
		.judge = judge_container,
		.reads = {"container.kind"}},
	{.id = "seccomp",
		.title = "system call filters",
		.decides = false,
		.why = "A filter runs at each system call: getppid() went from 138 to between 256 and 1942 "
		       "ticks "
		       "with a filter of 306 calls (T. Hromatka, Linux Plumbers 2018). What only computes "
		       "does not "
		       "feel it.",
		.judge = judge_seccomp,
		.reads = {"filter.seccomp", "container.kind"}},
	{.id = "audit",
		.title = "audit",
		.decides = false,
		.why = "Rules are looked at in each system call, and a call that one names is written down: "
		       "200,000 open and close calls a second became 3,000 (linux-audit list, January 2015). "
		       "What "
		       "only computes does not feel it.",
		.judge = judge_audit,
		.reads = {"audit.daemon", "audit.rules"}},
	{.id = "mitigations",
		.title = "mitigations",
		.decides = false,
		.why = "They cost where programs enter the kernel or jump indirectly: some benchmarks lost "
		       "15 % and "
		       "more, others nothing (SUSE, Meltdown and Spectre Performance, 2018). So they must be "
		       "the "
		       "same on both sides.",
		.judge = judge_mitigations,
		.reads = {"kernel.mitigation.count"}},
	{.id = "aslr",
		.title = "address randomisation",
		.decides = false,
		.why = "Where stack and heap begin can be worth some percent; drawn anew for each sample it "
		       "is "
		       "noise that averages out, fixed it is a bias that does not (Mytkowicz et al., "
		       "Producing wrong "
		       "data without doing anything obviously wrong, 2009).",
		.judge = judge_aslr,
		.reads = {"kernel.aslr"}},
	{0}};
