/*
 * Which counters a machine has, and why not, from made-up trees (tests/sysroot) and from this machine. What each fact
 * must be follows from Documentation/admin-guide/sysctl/kernel.rst (perf_event_paranoid) and was read off the trees by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host_fixture.h"
#include "sys/perf.h"

static void all_counters_are_unknown(const struct machine *machine, const char *reason)
{
	for (int i = 0; i < COUNTERS; i++) {
		char key[64];

		snprintf(key, sizeof(key), "counters.%s", perf_name((enum counter)i));
		is_unknown(machine, key, reason);
	}
}

static void host_read__ordinary_user_at_2__user_mode_alone(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "rapl-two-packages");
	is_value(&machine, "counters.task_clock", "available");
	is_value(&machine, "counters.cycles", "available, of user mode alone");
	is_value(&machine, "counters.instructions", "available, of user mode alone");
	is_unknown(&machine, "counters.page_faults",
		"kernel.perf_event_paranoid is 2, so that only root (CAP_PERFMON) may count what happens in "
		"the kernel");
	is_unknown(&machine, "counters.migrations", "at 1 everybody may");
	machine_close(&machine);
}

static void host_read__root__all_of_it(void **state)
{
	static const struct expected expected[] = {
		{"counters.task_clock", "available"},
		{"counters.page_faults", "available"},
		{"counters.migrations", "available"},
		{"counters.cycles", "available"},
		{"counters.instructions", "available"},
		{"counters.branch_misses", "available"},
		{"counters.energy", "available"},
		{"counters.energy.summed", "package-0"},
		{"counters.energy.left_out", "package-0/core"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "rapl-amd");
	ARE_VALUES(&machine, expected);
	machine_close(&machine);
}

static void host_read__guest__no_pmu_and_no_powercap(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "counters-guest");
	is_value(&machine, "counters.task_clock", "available");
	is_value(&machine, "counters.migrations", "available");
	is_unknown(&machine, "counters.cycles", "no PMU: this virtual machine is given no hardware counters");
	is_unknown(&machine, "counters.branch_misses", "no PMU");
	is_unknown(&machine, "counters.energy", "no powercap (No such file or directory)");
	assert_string_equal(
		facts_find(&machine.facts, "counters.cycles")->source, "/sys/bus/event_source/devices");
	assert_string_equal(facts_find(&machine.facts, "counters.energy")->source, "/sys/class/powercap");
	assert_null(facts_find(&machine.facts, "counters.energy.summed"));
	machine_close(&machine);
}

static void host_read__distributions_3__refused_with_the_way_out(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "counters-debian-user");
	all_counters_are_unknown(&machine, "Permission denied: kernel.perf_event_paranoid is 3, so that only "
					   "root (CAP_PERFMON) may count; at 2 or "
					   "lower everybody");
	is_unknown(&machine, "counters.energy", "no zone that counts the energy of a processor package");
	machine_close(&machine);
}

static void host_read__container__its_filter_is_named(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "counters-container");
	all_counters_are_unknown(
		&machine, "Operation not permitted: a seccomp filter, as containers have one, refuses");
	machine_close(&machine);
}

/* A tree without /proc: nothing can be said but that. */
static void host_read__no_perf_events__said(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "smt-on");
	all_counters_are_unknown(&machine, "this kernel was built without perf_event_open");
	machine_close(&machine);
}

/* The live facts are what the system call answers; without a PMU among the devices there is no hardware counter. */
static void host_read__live__as_the_system_call_answers(void **state)
{
	struct machine machine = {0};
	struct error e = {0};

	(void)state;
	machine.facts.arena = &machine.arena;
	assert_int_equal(host_read("", &machine.facts, &e), 0);
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_attempt attempt = perf_try((enum counter)i);
		const struct fact *fact = facts_find(&machine.facts,
			arena_printf(&machine.arena, "counters.%s", perf_name((enum counter)i)));

		assert_non_null(fact);
		assert_true((fact->value != NULL) == (attempt.errnum == 0));
		assert_string_equal(fact->source, "perf_event_open(2)");
	}
#ifdef __x86_64__
	if (!file_exists("/sys/bus/event_source/devices/cpu") &&
		!file_exists("/sys/bus/event_source/devices/cpu_core") &&
		facts_value(&machine.facts, "counters.task_clock") != NULL)
		is_unknown(&machine, "counters.cycles", "no PMU");
#endif
	arena_release(&machine.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__ordinary_user_at_2__user_mode_alone),
		cmocka_unit_test(host_read__root__all_of_it),
		cmocka_unit_test(host_read__guest__no_pmu_and_no_powercap),
		cmocka_unit_test(host_read__distributions_3__refused_with_the_way_out),
		cmocka_unit_test(host_read__container__its_filter_is_named),
		cmocka_unit_test(host_read__no_perf_events__said),
		cmocka_unit_test(host_read__live__as_the_system_call_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
