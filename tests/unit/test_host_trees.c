/*
 * The facts of machines that we do not have, from made-up trees (tests/sysroot). What each fact
 * must be was read off the .tree files by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host_fixture.h"

static void host_read__laptop__cpu_and_kernel_are_facts_with_sources(void **state)
{
	static const struct expected expected[] = {
		{"host.arch", "x86_64"},
		{"cpu.vendor", "GenuineIntel"},
		{"cpu.model_name", "Intel(R) Core(TM) i3-8145U CPU @ 2.10GHz"},
		{"cpu.family", "6"},
		{"cpu.model", "142"},
		{"cpu.stepping", "11"},
		{"cpu.microcode", "0xf6"},
		{"cpu.microcode.trust", "trusted"},
		{"cpu.flags", "abm avx2 fpu lm pni sse2 vme"},
		{"cpu.count", "4"},
		{"cpu.online", "0-3"},
		{"topology.sockets", "1"},
		{"topology.cores", "2"},
		{"topology.threads", "4"},
		{"topology.smt.active", "yes"},
		{"virt.virtual", "no"},
		{"virt.hypervisor", "none"},
		{"kernel.release", "6.1.0-18-amd64"},
		{"kernel.preempt", "PREEMPT_DYNAMIC"},
		{"kernel.aslr", "2"},
		{"kernel.perf_event_paranoid", "3"},
		{"kernel.mitigation.count", "2"},
		{"kernel.mitigation.mds", "Vulnerable; SMT vulnerable"},
		{"os.name", "Debian GNU/Linux"},
		{"os.version", "12"},
		{"os.id", "debian"},
		{"memory.total_bytes", "8202776576"}, /* 8010524 x 1024 */
		{"memory.thp.enabled", "madvise"},
		{"memory.swappiness", "60"},
		{"swap.total_bytes", "1024454656"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "laptop-intel-pstate");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "libc.version", "no C library");
	is_unknown(&machine, "kernel.numa_balancing", "No such file or directory");
	assert_string_equal(facts_find(&machine.facts, "cpu.model")->source, "/proc/cpuinfo");
	assert_string_equal(
		facts_find(&machine.facts, "kernel.aslr")->source, "/proc/sys/kernel/randomize_va_space");
	machine_close(&machine);
}

static void host_read__laptop__both_limits_are_kept_and_siblings_shown(void **state)
{
	static const struct expected expected[] = {
		{"freq.driver", "intel_pstate"},
		{"freq.governor", "powersave"},
		{"freq.cpuinfo_max_khz", "3900000"},
		{"freq.scaling_max_khz", "1600000 (cpus 0-1), 3900000 (cpus 2-3)"},
		{"freq.boost", "off"}, /* no_turbo says 1 */
		{"freq.no_turbo", "1"},
		{"freq.pstate", "active"},
		{"freq.epp", "balance_power"},
		{"power.source", "battery"},
		{"temperature.cpu_c",
			"53.5"}, /* not the 99 of the board's zone, not the -128 of a dead sensor */
		{"throttle.core_count", "6"}, /* 0 + 1 + 2 + 3 */
		{"cache.levels", "l1d l3"},
		{"cache.l1d.size_bytes", "32768"},
		{"cache.l1d.instances", "2"},
		{"cache.l1d.shared_cpus", "0,2"},
		{"cache.l3.size_bytes", "4194304"},
		{"cache.l3.instances", "1"},
		{"cache.l3.line_bytes", "64"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "laptop-intel-pstate");
	ARE_VALUES(&machine, expected);
	machine_close(&machine);
}

static void host_read__laptop__firmware_texts_without_meaning_are_unknown(void **state)
{
	struct machine machine;
	const char *uuid;

	(void)state;
	machine_open(&machine, "laptop-intel-pstate");
	is_value(&machine, "bios.vendor", "LENOVO");
	is_value(&machine, "bios.version", "N2IETA5W (1.83 )");
	is_value(&machine, "bios.release", "1.83");
	is_value(&machine, "chassis.type", "Notebook");
	is_unknown(&machine, "board.version", "firmware says \"-----\"");
	is_unknown(&machine, "product.version", "firmware says \"N/A\"");
	is_unknown(&machine, "chassis.vendor", "firmware leaves it empty");
	is_unknown(&machine, "bios.ec_release", "No such file or directory");
	is_unknown(&machine, "memory.modules", "No such file or directory");
	uuid = facts_value(&machine.facts, "product.uuid_hash");
	assert_non_null(uuid);
	assert_int_equal(strlen(uuid), 12);
	for (size_t i = 0; i < machine.facts.n; i++) {
		const char *value = machine.facts.v[i].value;

		/* serial number, uuid and machine-id never leave the machine */
		if (value != NULL && (strstr(value, "L1HF85N00X1") || strstr(value, "4c4c4544") ||
					     strstr(value, "0123456789abcdef0123456789abcdef")))
			fail_msg("%s tells a private number", machine.facts.v[i].key);
	}
	machine_close(&machine);
}

static void host_read__laptop__load_and_container_of_the_moment(void **state)
{
	struct machine machine;
	struct host_load load;

	(void)state;
	machine_open(&machine, "laptop-intel-pstate");
	is_value(&machine, "load.1min", "0.52");
	is_value(&machine, "load.15min", "0.59");
	is_value(&machine, "load.running", "3");
	is_value(&machine, "uptime_s", "4711");
	is_value(&machine, "container.kind", "none");
	is_value(&machine, "cgroup.version", "2");
	is_value(&machine, "cgroup.cpu.quota_cpus", "none");
	host_load_read(machine.root, &load);
	assert_int_equal(load.running, 3);
	assert_true(load.load5 > 0.579 && load.load5 < 0.581);
	/* 250 ticks of the 1/100 s that proc(5) counts in */
	assert_int_equal(load.steal_ns, INT64_C(2500000000));
	assert_int_equal(load.throttled_us, -1);
	machine_close(&machine);
}

static void host_read__no_boost_file__is_unknown_never_off(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "amd-pstate-epp");
	is_unknown(&machine, "freq.boost", "none of intel_pstate/no_turbo");
	is_unknown(&machine, "freq.no_turbo", "No such file or directory");
	is_unknown(&machine, "freq.scaling_max_khz", "No such file or directory");
	is_value(&machine, "freq.pstate", "active");
	is_value(&machine, "freq.driver", "amd-pstate-epp");
	is_value(&machine, "freq.epp", "performance (cpus 0), unreadable (cpus 1)");
	is_value(&machine, "cpu.microcode", "0xa601206 (cpus 0), 0xa601203 (cpus 1)");
	is_value(&machine, "kernel.release", "6.5.0-14-generic");
	is_value(&machine, "host.arch", "x86_64");
	is_unknown(&machine, "topology.sockets", "No such file or directory");
	machine_close(&machine);
}

static void host_read__vendors_left_placeholders__are_unknown_with_the_text(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "amd-pstate-epp");
	is_unknown(&machine, "board.vendor", "firmware says \"To Be Filled By O.E.M.\"");
	is_unknown(&machine, "board.name", "firmware says \"Default string\"");
	is_unknown(&machine, "product.name", "firmware says \"System Product Name\"");
	is_unknown(&machine, "board.serial_hash", "firmware says \"0000000000\"");
	is_unknown(&machine, "product.uuid_hash", "firmware says \"ffffffff-");
	is_value(&machine, "bios.vendor", "American Megatrends Inc.");
	machine_close(&machine);
}

static void host_read__smt_on_and_off_with_equal_cpus__topology_differs(void **state)
{
	struct machine on, off;

	(void)state;
	machine_open(&on, "smt-on");
	machine_open(&off, "smt-off");
	is_value(&on, "cpu.count", "4");
	is_value(&off, "cpu.count", "4");
	is_value(&on, "topology.cores", "2");
	is_value(&off, "topology.cores", "4");
	is_value(&on, "topology.smt.active", "yes");
	is_value(&off, "topology.smt.active", "no");
	is_value(&on, "topology.smt.control", "on");
	is_value(&off, "topology.smt.control", "off");
	is_value(&off, "cpu.offline", "4-7");
	machine_close(&on);
	machine_close(&off);
}

static void host_read__hybrid_with_offline_middle__sysfs_counts_and_kinds_show(void **state)
{
	static const struct expected expected[] = {
		{"cpu.count", "4"},
		{"cpu.online", "0,3-5"},
		{"cpu.offline", "1-2"},
		{"cpu.hybrid", "core (cpus 0,3), atom (cpus 4-5)"},
		{"cache.l1d.size_bytes", "49152 (cpus 0,3), 32768 (cpus 4-5)"},
		{"cache.l1d.instances", "4"},
		{"freq.boost", "on"},
		{"numa.nodes", "2"},
		{"numa.node.0.cpus", "0,3-5"},
		{"numa.node.0.total_bytes", "16777216"},
		{"numa.node.1.cpus", ""},
		{"numa.node.1.total_bytes", "33554432"},
		{"numa.node.1.distances", "21 10"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "hybrid-two-nodes");
	ARE_VALUES(&machine, expected);
	machine_close(&machine);
}

static void host_read__empty_root__everything_is_unknown_and_nothing_zero(void **state)
{
	struct machine machine = {0};
	struct error e = {0};

	(void)state;
	machine.facts.arena = &machine.arena;
	machine.root = tree_scratch();
	assert_int_equal(host_read(machine.root, &machine.facts, &e), 0);
	is_unknown(&machine, "cpu.count", "lists CPUs");
	is_unknown(&machine, "cpu.model", "No such file or directory");
	is_unknown(&machine, "container.kind", "no marker");
	is_unknown(&machine, "host.id", "No such file or directory");
	for (size_t i = 0; i < machine.facts.n; i++) {
		const struct fact *fact = &machine.facts.v[i];

		if (fact->value != NULL)
			fail_msg("%s is \"%s\" below an empty root", fact->key, fact->value);
		assert_non_null(fact->source);
		assert_true(fact->reason[0] != '\0');
	}
	assert_true(machine.facts.n > 80);
	machine_close(&machine);
}

static void host_read__no_folder__is_an_error_that_names_it(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct error e = {0};

	(void)state;
	assert_int_equal(host_read("/nonexistent/tree", &facts, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "/nonexistent/tree"));
	assert_int_equal(facts.n, 0);
	arena_release(&arena);
}

/* Root reads everything, so that this test steps down to nobody (65534) for the reading where it is root. */
static void host_read__dmi_for_root_only__is_unknown_with_permission_denied(void **state)
{
	struct machine machine = {0};
	struct error e = {0};
	bool root = geteuid() == 0;

	(void)state;
	machine.facts.arena = &machine.arena;
	machine.root = tree_scratch();
	tree_write_text(
		machine.root, "sys/class/dmi/id/product_uuid", "4c4c4544-0042-3510-8052-b4c04f4a5332\n");
	tree_write_text(machine.root, "sys/class/dmi/id/product_name", "20NX\n");
	tree_write_text(machine.root, "sys/firmware/dmi/tables/smbios_entry_point", "_SM3_");
	tree_write_text(machine.root, "proc/1/environ", "HOME=/");
	{
		const char *const names[] = {"sys/class/dmi/id/product_uuid",
			"sys/firmware/dmi/tables/smbios_entry_point", "proc/1/environ"};

		for (size_t i = 0; i < 3; i++)
			assert_int_equal(
				chmod(file_join(&machine.arena, machine.root, names[i]), root ? 0400 : 0), 0);
	}
	if (root)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(host_read(machine.root, &machine.facts, &e), 0);
	if (root)
		assert_int_equal(seteuid(0), 0);
	is_unknown(&machine, "product.uuid_hash", "Permission denied");
	is_unknown(&machine, "memory.modules", "Permission denied");
	is_unknown(&machine, "smbios.version", "Permission denied");
	is_unknown(&machine, "container.kind", "Permission denied");
	is_value(&machine, "product.name", "20NX");
	machine_close(&machine);
}

/* Held against getconf(1)'s and uname(1)'s system calls, which read neither file. */
static void host_read__live__agrees_with_the_system_calls(void **state)
{
	struct machine machine = {0};
	struct error e = {0};
	char count[32];

	(void)state;
	machine.facts.arena = &machine.arena;
	assert_int_equal(host_read("", &machine.facts, &e), 0);
	snprintf(count, sizeof(count), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	is_value(&machine, "cpu.count", count);
	assert_non_null(facts_value(&machine.facts, "host.arch"));
	assert_non_null(facts_value(&machine.facts, "kernel.release"));
	assert_non_null(facts_value(&machine.facts, "memory.total_bytes"));
	arena_release(&machine.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__laptop__cpu_and_kernel_are_facts_with_sources),
		cmocka_unit_test(host_read__laptop__both_limits_are_kept_and_siblings_shown),
		cmocka_unit_test(host_read__laptop__firmware_texts_without_meaning_are_unknown),
		cmocka_unit_test(host_read__laptop__load_and_container_of_the_moment),
		cmocka_unit_test(host_read__no_boost_file__is_unknown_never_off),
		cmocka_unit_test(host_read__vendors_left_placeholders__are_unknown_with_the_text),
		cmocka_unit_test(host_read__smt_on_and_off_with_equal_cpus__topology_differs),
		cmocka_unit_test(host_read__hybrid_with_offline_middle__sysfs_counts_and_kinds_show),
		cmocka_unit_test(host_read__empty_root__everything_is_unknown_and_nothing_zero),
		cmocka_unit_test(host_read__no_folder__is_an_error_that_names_it),
		cmocka_unit_test(host_read__dmi_for_root_only__is_unknown_with_permission_denied),
		cmocka_unit_test(host_read__live__agrees_with_the_system_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
