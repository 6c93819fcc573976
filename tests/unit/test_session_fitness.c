/*
 * The measured part of `doctor` on this machine, whatever goes on there, and what a record gets.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/fitness.h"

static void fitness_canaries__each_cpu_is_measured__quartiles_in_order(void **state)
{
	struct arena arena = {0};
	struct cpu_list cpus, before, after;
	struct host_measured m = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &cpus, &e), 0);
	assert_int_equal(cpu_affinity(sched_getaffinity, &arena, &before, &e), 0);
	assert_int_equal(fitness_canaries(&cpus, 0.1, &m, &e), 0);
	assert_int_equal(m.cpus, cpus.n);
	assert_true(m.readings > 10 && m.seconds >= 0.1);
	assert_true(m.clock_ns > 0);
	for (int i = 0; i < 2; i++) {
		const struct host_noise *noise = i == 0 ? &m.dep : &m.wide;

		assert_true(noise->median_ns > 1000);
		assert_true(noise->p01 > 0 && noise->p01 <= noise->q25 && noise->q25 <= 1.0001);
		assert_true(noise->q75 >= 0.9999 && noise->q75 <= noise->p99);
		assert_true(noise->marked >= 0 && noise->marked <= 0.5);
	}
	/* whoever called it is where it was: fitness_read() sees to that, and not this part of it */
	assert_int_equal(cpu_pin_self_list(&before, &e), 0);
	assert_int_equal(cpu_affinity(sched_getaffinity, &arena, &after, &e), 0);
	assert_int_equal(after.n, before.n);
	arena_release(&arena);
}

static void fitness_bandwidth__facts_of_caches_and_memory__measured_or_said_why_not(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct cpu_list cpus;
	struct host_measured m = {0};

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &cpus, NULL), 0);
	fitness_bandwidth(&facts, &cpus, &m, &arena);
	assert_non_null(strstr(m.no_bandwidth, "caches"));
	facts_set(&facts, "cache.l3.size_bytes", "1048576", "test");
	facts_set(&facts, "cache.l3.instances", "1", "test");
	fitness_bandwidth(&facts, &cpus, &m, &arena);
	assert_non_null(strstr(m.no_bandwidth, "free is not known"));
	/* 64 MiB a CPU is more than a quarter of 64 MiB */
	facts_set(&facts, "memory.available_bytes", "67108864", "test");
	fitness_bandwidth(&facts, &cpus, &m, &arena);
	assert_non_null(strstr(m.no_bandwidth, "more than a quarter"));
	assert_true(m.bandwidth == 0);
	/* a container's limit counts as well */
	facts_set(&facts, "memory.available_bytes", "1099511627776", "test");
	facts_set(&facts, "cgroup.memory.limit_bytes", "67108864", "test");
	fitness_bandwidth(&facts, &cpus, &m, &arena);
	assert_true(m.bandwidth == 0);
	facts_set(&facts, "cgroup.memory.limit_bytes", "none", "test");
	m = (struct host_measured){0};
	cpus.n = 1;
	fitness_bandwidth(&facts, &cpus, &m, &arena);
	assert_null(m.no_bandwidth);
	/* between what a floppy and what no memory gives, in bytes a second */
	assert_true(m.bandwidth > 1e6 && m.bandwidth < 1e13);
	arena_release(&arena);
}

static void fitness_facts__verdict_and_lists__four_facts(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct host_check checks[] = {{.id = "load", .status = CHECK_UNFIT},
		{.id = "boost", .status = CHECK_CAVEAT}, {.id = "smt", .status = CHECK_CAVEAT},
		{.id = "governor", .status = CHECK_UNKNOWN, .decides = true},
		{.id = "audit", .status = CHECK_UNKNOWN}, {.id = "swap", .status = CHECK_OK}};
	struct fitness fitness = {.checks = {.v = checks, .n = 6, .verdict = VERDICT_UNFIT}};

	(void)state;
	fitness_facts(&fitness, &facts);
	assert_int_equal(facts.n, 4);
	assert_string_equal(facts_value(&facts, "doctor.verdict"), "unfit");
	assert_string_equal(facts_value(&facts, "doctor.unfit"), "load");
	assert_string_equal(facts_value(&facts, "doctor.caveats"), "boost, smt");
	assert_string_equal(facts_value(&facts, "doctor.unknown"), "governor");
	fitness.checks.n = 0;
	fitness.checks.verdict = VERDICT_FIT;
	fitness_facts(&fitness, &facts);
	assert_string_equal(facts_value(&facts, "doctor.unfit"), "none");
	arena_release(&arena);
}

static void fitness_read__quick__judges_this_machine(void **state)
{
	struct arena arena = {0};
	struct fitness_options options = {0};
	struct fitness fitness;
	struct error e = {0};

	(void)state;
	assert_int_equal(fitness_read(&fitness, &options, &arena, &e), 0);
	assert_true(fitness.checks.n > 25 && fitness.cpus.n > 0);
	assert_false(fitness.is_measured);
	options.cpu_text = "a";
	assert_int_equal(fitness_read(&fitness, &options, &arena, &e), -1);
	assert_non_null(strstr(e.text, "--cpus a"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fitness_canaries__each_cpu_is_measured__quartiles_in_order),
		cmocka_unit_test(fitness_bandwidth__facts_of_caches_and_memory__measured_or_said_why_not),
		cmocka_unit_test(fitness_facts__verdict_and_lists__four_facts),
		cmocka_unit_test(fitness_read__quick__judges_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
