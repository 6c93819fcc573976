#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/tune_work.h"

/*
 * Frequency and idle states.
 *
 * Order matters, as the kernel refuses some values beside others: a preference (EPP) other than "performance" cannot be
 * written under the governor performance (Linux, Documentation/admin-guide/pm/intel_pstate.rst and amd-pstate.rst), so
 * that it is written before the governor and put back after it; a lower limit above the upper one is refused, so that
 * it goes down first and comes back last.
 */

#define CPU_FOLDER "/sys/devices/system/cpu"

/* Deeper idle states than this take long enough to leave, in microseconds, to be seen in a sample's first steps. */
enum { IDLE_LATENCY_US = 10 };

/* CPUs that change their frequency together. */
struct policy {
	const char *folder;
	int number;
	uint64_t low_khz, high_khz; /* of the hardware; 0: unknown */
	uint64_t base_khz;	    /* what it can hold for ever; 0: unknown */
	uint64_t min_khz, max_khz;  /* limits in force; 0: unknown */
	const char *governor;	    /* NULL: unreadable */
};

struct policies {
	struct policy *v;
	size_t n;
};

static char *below(const struct tune *tune, const struct policy *policy, const char *name)
{
	return arena_printf(tune->arena, "%s/%s", policy->folder, name);
}

static uint64_t number_in(const struct tune *tune, const char *path)
{
	char *text = tune_read(tune, path, NULL);
	uint64_t value;

	return text != NULL && num_parse_u64(text, &value) ? value : 0;
}

/* The frequency that the CPU keeps up without turbo: said by intel_pstate, and by ACPI's CPPC in MHz. */
static uint64_t base_of(const struct tune *tune, const struct policy *policy)
{
	uint64_t khz = number_in(tune, below(tune, policy, "base_frequency"));

	if (khz != 0)
		return khz;
	return 1000 * number_in(tune, arena_printf(tune->arena, CPU_FOLDER "/cpu%d/acpi_cppc/nominal_freq",
					      policy->number));
}

static void read_policy(const struct tune *tune, struct policy *policy)
{
	policy->low_khz = number_in(tune, below(tune, policy, "cpuinfo_min_freq"));
	policy->high_khz = number_in(tune, below(tune, policy, "cpuinfo_max_freq"));
	policy->min_khz = number_in(tune, below(tune, policy, "scaling_min_freq"));
	policy->max_khz = number_in(tune, below(tune, policy, "scaling_max_freq"));
	policy->governor = tune_read(tune, below(tune, policy, "scaling_governor"), NULL);
	policy->base_khz = base_of(tune, policy);
}

static int by_number(const void *a, const void *b)
{
	return ((const struct policy *)a)->number - ((const struct policy *)b)->number;
}

/* Those with a CPU online: the others take no values. */
static void policies_by_name(struct tune *tune, struct probe *probe, struct policies *found)
{
	struct words names = {0};

	probe_list(probe, CPU_FOLDER "/cpufreq", &names, NULL);
	found->v = arena_array(tune->arena, names.n, sizeof(*found->v));
	for (size_t i = 0; i < names.n; i++) {
		struct policy policy = {0};
		const char *cpus;

		if (!text_starts(names.v[i], "policy"))
			continue;
		policy.number = (int)strtol(names.v[i] + strlen("policy"), NULL, 10);
		policy.folder = arena_printf(tune->arena, CPU_FOLDER "/cpufreq/%s", names.v[i]);
		cpus = tune_read(tune, below(tune, &policy, "affected_cpus"), NULL);
		if (cpus != NULL && cpus[0] == '\0')
			continue;
		found->v[found->n++] = policy;
	}
	if (found->n > 1)
		qsort(found->v, found->n, sizeof(*found->v), by_number);
}

/* Kernels before 4.3 have but the folders of the CPUs. */
static void policies_by_cpu(struct tune *tune, struct probe *probe, struct policies *found)
{
	found->v = arena_array(tune->arena, probe->online.n, sizeof(*found->v));
	for (size_t i = 0; i < probe->online.n; i++) {
		struct policy policy = {.number = probe->online.v[i]};

		policy.folder = arena_printf(tune->arena, CPU_FOLDER "/cpu%d/cpufreq", policy.number);
		if (probe_exists(probe, policy.folder))
			found->v[found->n++] = policy;
	}
}

static bool offers(const struct tune *tune, const struct policy *policy, const char *list, const char *word)
{
	char *text = tune_read(tune, below(tune, policy, list), NULL);
	char *save = NULL;

	/* no list: the kernel says at the write */
	if (text == NULL || text[0] == '\0')
		return true;
	for (char *at = strtok_r(text, " ", &save); at != NULL; at = strtok_r(NULL, " ", &save))
		if (strcmp(at, word) == 0)
			return true;
	return false;
}

static void plan_preference(struct tune *tune, const struct policies *policies)
{
	const struct tune_change like = {.setting = "epp",
		.want = "performance",
		.means = "performance",
		.follows = true,
		.why = "the CPU's own choice of frequency then leans to speed, not to saving power"};

	for (size_t i = 0; i < policies->n; i++) {
		const struct policy *policy = &policies->v[i];

		/* under the governor performance the kernel keeps it there, and could not be given the old one back */
		if (text_same(policy->governor, "performance") ||
			!offers(tune, policy, "energy_performance_available_preferences", "performance"))
			continue;
		tune_want(tune, &like, below(tune, policy, "energy_performance_preference"), NULL);
	}
}

static char *ghz(const struct tune *tune, uint64_t khz)
{
	return arena_printf(tune->arena, "%.1f GHz", (double)khz / 1e6);
}

static void plan_governor(struct tune *tune, const struct policies *policies)
{
	struct tune_change like = {.setting = "governor", .want = "performance", .means = "performance"};
	const struct policy *first = &policies->v[0];

	like.why = "a sample is too short for a governor to see that it is there: it would run at whatever "
		   "frequency the "
		   "idle CPU had";
	if (first->low_khz > 0 && first->high_khz > first->low_khz)
		like.why = arena_printf(tune->arena, "%s (%s to %s here)", like.why,
			ghz(tune, first->low_khz), ghz(tune, first->high_khz));
	for (size_t i = 0; i < policies->n; i++) {
		const struct policy *policy = &policies->v[i];

		if (policy->governor == NULL)
			tune_leave_alone(
				tune, "governor: %s/scaling_governor cannot be read", policy->folder);
		else if (!offers(tune, policy, "scaling_available_governors", "performance"))
			tune_leave_alone(tune, "governor: %s offers no governor performance", policy->folder);
		else
			tune_want(tune, &like, below(tune, policy, "scaling_governor"), NULL);
	}
}

/* Switches turbo off; false: there is no switch. */
static bool plan_turbo(struct tune *tune, const struct policies *policies)
{
	struct tune_change like = {.setting = "turbo", .want = "0", .means = "off", .follows = true};
	const struct policy *first = &policies->v[0];
	static const char *const names[] = {"boost", "cpb"};
	bool any = false;

	like.why = "how far it goes depends on heat, on power and on how many cores are busy";
	if (first->base_khz > 0 && first->high_khz > first->base_khz)
		like.why = arena_printf(tune->arena,
			"%s: %s at best, %s for ever, up to %.0f %% between the two", like.why,
			ghz(tune, first->high_khz), ghz(tune, first->base_khz),
			100.0 * (double)first->high_khz / (double)first->base_khz - 100);
	if (tune_want(tune, &like, CPU_FOLDER "/cpufreq/boost", NULL))
		return true;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && !any; k++)
		for (size_t i = 0; i < policies->n; i++)
			any |= tune_want(tune, &like, below(tune, &policies->v[i], names[k]), NULL);
	if (any)
		return true;
	/* the other way round */
	like.want = "1";
	return tune_want(tune, &like, CPU_FOLDER "/intel_pstate/no_turbo", NULL);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return b != 0 && b < a ? b : a;
}

/*
 * The highest frequency that all CPUs can hold for ever and nobody has forbidden already, 0 where that is unknown, and
 * then *why.
 */
static uint64_t common_limit(const struct tune *tune, const struct policies *policies, const char **why)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < policies->n; i++) {
		const struct policy *policy = &policies->v[i];

		if (policy->base_khz == 0) {
			*why = arena_printf(tune->arena,
				"neither %s/base_frequency nor cpu%d/acpi_cppc/nominal_freq says what it can "
				"hold",
				policy->folder, policy->number);
			return 0;
		}
		if (policy->max_khz == 0) {
			*why = arena_printf(
				tune->arena, "%s/scaling_max_freq cannot be read", policy->folder);
			return 0;
		}
		limit = least(least(limit, policy->base_khz), policy->max_khz);
	}
	for (size_t i = 0; i < policies->n; i++)
		if (limit < policies->v[i].low_khz) {
			*why = arena_printf(tune->arena, "%s goes no lower than %s", policies->v[i].folder,
				ghz(tune, policies->v[i].low_khz));
			return 0;
		}
	return limit;
}

static bool plan_limit(struct tune *tune, const struct policies *policies, const char **why)
{
	uint64_t limit = common_limit(tune, policies, why);
	struct tune_change like = {.setting = "limit", .match = TUNE_LIMIT, .follows = true};

	if (limit == 0)
		return false;
	like.want = arena_printf(tune->arena, "%llu", (unsigned long long)limit);
	like.means = like.want;
	like.why = arena_printf(tune->arena,
		"the highest frequency that every CPU can hold for ever (%s), so that all run alike",
		ghz(tune, limit));
	for (size_t i = 0; i < policies->n; i++)
		if (policies->v[i].min_khz > limit)
			tune_want(tune, &like, below(tune, &policies->v[i], "scaling_min_freq"), NULL);
	for (size_t i = 0; i < policies->n; i++)
		tune_want(tune, &like, below(tune, &policies->v[i], "scaling_max_freq"), NULL);
	return true;
}

static void plan_idle_state(struct tune *tune, const char *folder)
{
	struct tune_change like = {.setting = "deep_idle", .want = "1", .means = "off"};
	uint64_t latency_us = number_in(tune, arena_printf(tune->arena, "%s/latency", folder));
	const char *name;

	if (latency_us <= IDLE_LATENCY_US)
		return;
	name = tune_read(tune, arena_printf(tune->arena, "%s/name", folder), NULL);
	like.why = arena_printf(tune->arena,
		"idle state %s takes %llu us to leave, and some lose the caches: a sample that waits pays "
		"for it, or not",
		name != NULL ? name : "", (unsigned long long)latency_us);
	tune_want(tune, &like, arena_printf(tune->arena, "%s/disable", folder), NULL);
}

static void plan_idle(struct tune *tune, struct probe *probe)
{
	bool any = false;

	for (size_t i = 0; i < probe->online.n; i++) {
		const char *folder =
			arena_printf(tune->arena, CPU_FOLDER "/cpu%d/cpuidle", probe->online.v[i]);
		struct words names = {0};

		probe_list(probe, folder, &names, NULL);
		for (size_t k = 0; k < names.n; k++)
			if (text_starts(names.v[k], "state")) {
				any = true;
				plan_idle_state(tune, arena_printf(tune->arena, "%s/%s", folder, names.v[k]));
			}
	}
	if (!any)
		tune_leave_alone(tune, "idle states: the kernel governs none here (no cpu*/cpuidle/state*)");
}

static void watch_all(struct tune *tune, const struct policies *policies)
{
	static const char *const names[][2] = {{"limit", "scaling_min_freq"}, {"limit", "scaling_max_freq"},
		{"turbo", "boost"}, {"epp", "energy_performance_preference"}};

	for (size_t i = 0; i < policies->n; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			tune_watch(tune, names[k][0], below(tune, &policies->v[i], names[k][1]));
}

static int not_steady(const char *turbo, const char *limit, struct error *e)
{
	return error_set(e, EXIT_CANNOT,
		"the profile steady needs a switch for turbo or a frequency to limit to, and this machine "
		"has neither: %s; "
		"%s; take --profile as-used, or switch turbo off in the firmware's setup",
		turbo, limit);
}

int tune_plan_frequency(struct tune *tune, struct probe *probe, struct error *e)
{
	struct policies policies = {0};
	const char *why = NULL;
	bool turbo, limit;

	policies_by_name(tune, probe, &policies);
	if (policies.n == 0)
		policies_by_cpu(tune, probe, &policies);
	if (policies.n == 0 && tune->profile == TUNE_STEADY)
		return not_steady("the kernel governs no frequency here (no " CPU_FOLDER "/cpufreq/policy*)",
			"in a virtual machine its host does", e);
	if (policies.n == 0) {
		tune_leave_alone(tune, "frequency: the kernel governs none here (no " CPU_FOLDER
				       "/cpufreq/policy*); in a virtual machine its host does");
		return 0;
	}
	for (size_t i = 0; i < policies.n; i++)
		read_policy(tune, &policies.v[i]);
	plan_preference(tune, &policies);
	plan_governor(tune, &policies);
	if (tune->profile == TUNE_STEADY) {
		turbo = plan_turbo(tune, &policies);
		limit = plan_limit(tune, &policies, &why);
		if (!turbo && !limit)
			return not_steady(
				"none of cpufreq/boost, cpufreq/policy*/boost, cpufreq/policy*/cpb and "
				"intel_pstate/no_turbo exists",
				why, e);
		if (!limit)
			tune_leave_alone(tune, "limit: %s", why);
		if (!turbo)
			tune_leave_alone(tune, "turbo: there is no switch for it; the limit holds it off");
		plan_idle(tune, probe);
	} else {
		tune_leave_alone(
			tune, "turbo, limits and idle states: as they are; the profile steady sets them");
	}
	watch_all(tune, &policies);
	return 0;
}
