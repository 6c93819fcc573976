/*
 * What tune would set on machines that we do not have. The values were read off the .tree files by hand; what may be
 * written beside what is in Linux, Documentation/admin-guide/pm.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tune_fixture.h"

static void plan(struct kernel *k, const char *tree, enum tune_profile profile, struct tune *tune)
{
	struct tune_options options;
	struct error e = {0};

	kernel_open(k, tree);
	options = kernel_options(k, profile, NULL);
	if (tune_plan(tune, &options, &k->arena, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(k->writes + k->steps, 0);
}

/* Where it stands among the changes. */
static size_t place_of(const struct tune *tune, const char *path)
{
	return (size_t)(change_of(tune, path) - tune->v);
}

static void tune_plan__as_used__governor_preference_and_kernel_switches(void **state)
{
	struct kernel k;
	struct tune tune;

	(void)state;
	plan(&k, "tune-intel", TUNE_AS_USED, &tune);
	for (int i = 0; i < 4; i++) {
		will_write(&tune, arena_printf(&k.arena, POLICY "%d/scaling_governor", i), "powersave",
			"performance");
		will_write(&tune, arena_printf(&k.arena, POLICY "%d/energy_performance_preference", i),
			"balance_performance", "performance");
	}
	will_write(&tune, "/proc/sys/kernel/numa_balancing", "1", "0");
	will_write(&tune, "/proc/sys/kernel/nmi_watchdog", "1", "0");
	assert_null(change_of(&tune, TREE_CPU "/intel_pstate/no_turbo"));
	assert_null(change_of(&tune, "/proc/sys/kernel/perf_event_paranoid"));
	assert_null(change_of(&tune, TREE_CPU "/cpu0/cpuidle/state2/disable"));
	/* offline */
	assert_null(change_of(&tune, POLICY "4/scaling_governor"));
	/* a preference is put back after the governor, so it is written before */
	assert_true(place_of(&tune, POLICY "3/energy_performance_preference") <
		    place_of(&tune, POLICY "0/scaling_governor"));
	assert_true(is_left(&tune, "address space randomisation"));
	assert_true(is_left(&tune, "perf_event_paranoid: only --counters"));
	kernel_close(&k);
}

static void tune_plan__steady__turbo_limit_and_deep_idle_states_too(void **state)
{
	struct kernel k;
	struct tune tune;
	const struct tune_change *change;

	(void)state;
	plan(&k, "tune-intel", TUNE_STEADY, &tune);
	will_write(&tune, POLICY "2/scaling_governor", "powersave", "performance");
	will_write(&tune, TREE_CPU "/intel_pstate/no_turbo", "0", "1");
	for (int i = 0; i < 4; i++) {
		will_write(
			&tune, arena_printf(&k.arena, POLICY "%d/scaling_max_freq", i), "3900000", "2100000");
		will_write(
			&tune, arena_printf(&k.arena, TREE_CPU "/cpu%d/cpuidle/state2/disable", i), "0", "1");
		/* 10 us is not more than 10 us */
		assert_null(change_of(
			&tune, arena_printf(&k.arena, TREE_CPU "/cpu%d/cpuidle/state1/disable", i)));
	}
	/* 3.9 GHz is 86 % more than 2.1 GHz */
	change = change_of(&tune, TREE_CPU "/intel_pstate/no_turbo");
	assert_non_null(strstr(change->why, "3.9 GHz at best, 2.1 GHz for ever, up to 86 %"));
	change = change_of(&tune, TREE_CPU "/cpu1/cpuidle/state2/disable");
	assert_non_null(strstr(change->why, "C6 takes 133 us"));
	/* what follows others is known before */
	change = change_of(&tune, POLICY "1/scaling_min_freq");
	assert_int_equal(change->kind, TUNE_WATCH);
	assert_string_equal(change->old, "800000");
	kernel_close(&k);
}

static void tune_plan__steady_without_a_boost_file__the_limit_holds_turbo_off(void **state)
{
	struct kernel k;
	struct tune tune;

	(void)state;
	plan(&k, "tune-amd", TUNE_STEADY, &tune);
	/* 4300 and 4501 MHz: what both hold; the lower limit of 4.6 GHz goes down first */
	will_write(&tune, POLICY "0/scaling_max_freq", "5881000", "4300000");
	will_write(&tune, POLICY "1/scaling_max_freq", "5881000", "4300000");
	will_write(&tune, POLICY "0/scaling_min_freq", "4600000", "4300000");
	assert_true(
		place_of(&tune, POLICY "1/scaling_min_freq") < place_of(&tune, POLICY "0/scaling_max_freq"));
	assert_true(is_left(&tune, "turbo: there is no switch for it; the limit holds it off"));
	assert_true(is_left(&tune, "numa_balancing: this kernel has no"));
	assert_int_equal(change_of(&tune, "/proc/sys/kernel/nmi_watchdog")->kind, TUNE_WATCH);
	kernel_close(&k);
}

static void tune_plan__a_cap_that_somebody_set__is_not_raised(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_options options;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-intel");
	kernel_put(&k, POLICY "1/scaling_max_freq", "1600000");
	options = kernel_options(&k, TUNE_STEADY, NULL);
	assert_int_equal(tune_plan(&tune, &options, &k.arena, &e), 0);
	will_write(&tune, POLICY "0/scaling_max_freq", "3900000", "1600000");
	assert_int_equal(change_of(&tune, POLICY "1/scaling_max_freq")->kind, TUNE_WATCH);
	kernel_close(&k);
}

static void tune_plan__governor_is_performance_already__preference_is_left_to_the_kernel(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_options options;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-intel");
	kernel_put(&k, POLICY "0/scaling_governor", "performance");
	kernel_put(&k, POLICY "1/scaling_available_governors", "schedutil");
	options = kernel_options(&k, TUNE_AS_USED, NULL);
	options.counters = true;
	assert_int_equal(tune_plan(&tune, &options, &k.arena, &e), 0);
	assert_int_equal(change_of(&tune, POLICY "0/scaling_governor")->kind, TUNE_WATCH);
	assert_int_equal(change_of(&tune, POLICY "0/energy_performance_preference")->kind, TUNE_WATCH);
	assert_null(change_of(&tune, POLICY "1/scaling_governor"));
	assert_true(is_left(&tune, "governor: " POLICY "1 offers no governor performance"));
	will_write(&tune, "/proc/sys/kernel/perf_event_paranoid", "3", "1");
	kernel_close(&k);
}

static void tune_plan__no_policies__folders_of_cpus_and_one_switch(void **state)
{
	struct kernel k;
	struct tune tune;

	(void)state;
	plan(&k, "tune-cpuset-v1", TUNE_STEADY, &tune);
	will_write(&tune, TREE_CPU "/cpu3/cpufreq/scaling_governor", "ondemand", "performance");
	will_write(&tune, TREE_CPU "/cpufreq/boost", "1", "0");
	assert_true(is_left(&tune, "limit: neither " TREE_CPU "/cpu0/cpufreq/base_frequency nor"));
	assert_true(is_left(&tune, "idle states: the kernel governs none here"));
	kernel_close(&k);
}

static void refused(const char *tree, const char *text)
{
	struct kernel k;
	struct tune tune;
	struct tune_options options;
	struct error e = {0};

	kernel_open(&k, tree);
	options = kernel_options(&k, TUNE_STEADY, NULL);
	assert_int_equal(tune_plan(&tune, &options, &k.arena, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, text));
	assert_non_null(strstr(e.text, "--profile as-used"));
	options.profile = TUNE_AS_USED;
	assert_int_equal(tune_plan(&tune, &options, &k.arena, &e), 0);
	kernel_close(&k);
}

static void tune_plan__steady_where_nothing_holds_turbo_off__is_refused(void **state)
{
	(void)state;
	/* a missing switch is unknown, never off */
	refused("amd-pstate-epp", "none of cpufreq/boost, cpufreq/policy*/boost");
	refused("vm-kvm", "the kernel governs no frequency here");
}

static void not_a_root(const char *root, const char *text)
{
	struct arena arena = {0};
	struct tune tune;
	struct tune_options options = {.root = root};
	struct error e = {0};

	assert_int_equal(tune_plan(&tune, &options, &arena, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	if (strstr(e.text, text) == NULL)
		fail_msg("expected \"%s\" in: %s", text, e.text);
	arena_release(&arena);
}

static void tune_plan__root_that_is_no_copy__is_refused(void **state)
{
	char *root = tree_scratch();
	char link[4096];

	(void)state;
	not_a_root("/nowhere/at/all", "it is no folder");
	not_a_root(root, "there is no sys/devices/system/cpu");
	/* the live files by another name, which nobody shall tune by accident */
	if (file_exists("/sys/devices/system/cpu")) {
		snprintf(link, sizeof(link), "%s/sys", root);
		assert_int_equal(symlink("/sys", link), 0);
		not_a_root(root, "the kernel's own file system");
		not_a_root("/", "the kernel's own file system");
	}
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tune_plan__as_used__governor_preference_and_kernel_switches),
		cmocka_unit_test(tune_plan__steady__turbo_limit_and_deep_idle_states_too),
		cmocka_unit_test(tune_plan__steady_without_a_boost_file__the_limit_holds_turbo_off),
		cmocka_unit_test(tune_plan__a_cap_that_somebody_set__is_not_raised),
		cmocka_unit_test(
			tune_plan__governor_is_performance_already__preference_is_left_to_the_kernel),
		cmocka_unit_test(tune_plan__no_policies__folders_of_cpus_and_one_switch),
		cmocka_unit_test(tune_plan__steady_where_nothing_holds_turbo_off__is_refused),
		cmocka_unit_test(tune_plan__root_that_is_no_copy__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
