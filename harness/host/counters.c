#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/energy.h"
#include "host/probe.h"
#include "sys/perf.h"

/* Which counters a sample can have, and why not the others. */

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define STATUS	 "/proc/self/status"
#define DEVICES	 "/sys/bus/event_source/devices"

/* capability.h: CAP_SYS_ADMIN, CAP_PERFMON */
static const uint64_t allowed_all = UINT64_C(1) << 21 | UINT64_C(1) << 38;

/* What decides who may count what. */
struct rules {
	int paranoid; /* INT_MAX: unreadable */
	bool capable; /* root's, or CAP_PERFMON */
	bool filtered;
	bool has_pmu;
	bool virtual;
};

static int number_of(const char *text)
{
	char *end = NULL;
	long value = text != NULL ? strtol(text, &end, 10) : 0;

	return text != NULL && end != text && value >= INT_MIN && value < INT_MAX ? (int)value : INT_MAX;
}

/* PMUs of a CPU: "cpu", "cpu_core", "cpu_atom" (x86, POWER, s390's "cpum_cf"), "armv8_pmuv3_0", RISC-V's "cpu". */
static bool has_pmu(struct probe *probe)
{
	struct words names = {0};

	probe_list(probe, DEVICES, &names, NULL);
	for (size_t i = 0; i < names.n; i++)
		if (text_starts(names.v[i], "cpu") || text_starts(names.v[i], "armv"))
			return true;
	return false;
}

static struct rules read_rules(struct probe *probe)
{
	const char *status = probe_text(probe, STATUS, NULL);
	const char *capabilities = probe_line(probe, status, "CapEff:");
	const char *filter = probe_line(probe, status, "Seccomp:");
	const char *is_virtual = facts_value(probe->facts, "virt.virtual");

	return (struct rules){.paranoid = number_of(probe_text(probe, PARANOID, NULL)),
		.capable = capabilities != NULL && (strtoull(capabilities, NULL, 16) & allowed_all) != 0,
		.filtered = filter != NULL && strcmp(filter, "2") == 0,
		.has_pmu = has_pmu(probe),
		.virtual = is_virtual != NULL && strcmp(is_virtual, "yes") == 0};
}

/* What the system call would say on a machine of which there are only files. */
static struct perf_attempt expect(const struct rules *rules, enum counter counter)
{
	struct perf_attempt attempt = {0};

	if (rules->paranoid == INT_MAX)
		attempt.errnum = ENOSYS;
	else if (perf_is_hardware(counter) && !rules->has_pmu)
		attempt.errnum = ENOENT;
	else if (rules->paranoid > 2 && !rules->capable) /* a patch of Debian, Ubuntu, Android */
		attempt.errnum = EACCES;
	else if (rules->filtered && !rules->capable) /* docker's, podman's: CAP_PERFMON opens it */
		attempt.errnum = EPERM;
	else if (rules->paranoid == 2 && !rules->capable)
		attempt = perf_user_only(counter);
	return attempt;
}

static const char *refusal(struct probe *probe, const struct rules *rules, const struct perf_attempt *attempt)
{
	const char *what = strerror(attempt->errnum);

	if (attempt->user_only && rules->paranoid >= 2 && rules->paranoid != INT_MAX)
		return arena_printf(probe->arena,
			"%s: kernel.perf_event_paranoid is %d, so that only root (CAP_PERFMON) may count "
			"what happens in the kernel; at 1 everybody may",
			what, rules->paranoid);
	if (rules->paranoid > 2 && rules->paranoid != INT_MAX && !rules->capable)
		return arena_printf(probe->arena,
			"%s: kernel.perf_event_paranoid is %d, so that only root (CAP_PERFMON) may count; "
			"at 2 or lower everybody may count own programs",
			what, rules->paranoid);
	if (rules->filtered)
		return arena_printf(probe->arena,
			"%s: a seccomp filter, as containers have one, refuses perf_event_open; docker and "
			"podman allow it with --cap-add PERFMON",
			what);
	return arena_printf(probe->arena,
		"%s: perf_event_open is refused by a security module or a container (whose root is none of "
		"the kernel's)",
		what);
}

static const char *reason_of(struct probe *probe, const struct rules *rules, enum counter counter,
	const struct perf_attempt *attempt)
{
	switch (attempt->errnum) {
	case ENOSYS:
		return rules->filtered ? "a seccomp filter hides perf_event_open"
				       : "this kernel was built without perf_event_open (CONFIG_PERF_EVENTS)";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (!perf_is_hardware(counter) || rules->has_pmu)
			return "the event is not supported here";
		return rules->virtual ? "no PMU: this virtual machine is given no hardware counters"
				      : "no PMU: the kernel knows no hardware counters of this CPU";
	case EACCES:
	case EPERM:
		return refusal(probe, rules, attempt);
	default:
		return strerror(attempt->errnum);
	}
}

static void set_counter(struct probe *probe, const struct rules *rules, enum counter counter)
{
	struct perf_attempt attempt = probe->live ? perf_try(counter) : expect(rules, counter);
	const char *key = arena_printf(probe->arena, "counters.%s", perf_name(counter));
	const char *source = probe->live		? "perf_event_open(2)"
			     : attempt.errnum == ENOENT ? DEVICES
			     : attempt.errnum == EPERM	? STATUS
							: PARANOID;

	if (attempt.errnum != 0)
		facts_unknown(probe->facts, key, source, reason_of(probe, rules, counter, &attempt));
	else
		facts_set(probe->facts, key,
			attempt.user_only && perf_is_hardware(counter) ? "available, of user mode alone"
								       : "available",
			source);
}

static void set_energy(struct probe *probe)
{
	struct host_energy energy;
	struct host_energy_found found;

	host_energy_open(&energy, probe->root, &found, probe->arena);
	host_energy_close(&energy);
	if (found.reason != NULL)
		facts_unknown(probe->facts, "counters.energy", found.source, found.reason);
	else
		facts_set(probe->facts, "counters.energy", "available", found.source);
	if (found.summed.n > 0)
		facts_set(probe->facts, "counters.energy.summed", words_join(&found.summed, probe->arena),
			found.source);
	if (found.left_out.n > 0)
		facts_set(probe->facts, "counters.energy.left_out", words_join(&found.left_out, probe->arena),
			found.source);
}

void probe_counters(struct probe *probe)
{
	struct rules rules = read_rules(probe);

	for (int i = 0; i < COUNTERS; i++)
		set_counter(probe, &rules, (enum counter)i);
	set_energy(probe);
}
