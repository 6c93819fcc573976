/*
 * The facts of the machines that COMPARABILITY.md wants tried: AMD with boost, hybrid cores, 2 and 4 NUMA nodes, arm64,
 * a container with a quota, guests under KVM and Hyper-V. The trees (tests/sysroot) are made up after the kernel's
 * description of each file (Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-devices-node;
 * admin-guide/pm/cpufreq.rst, amd-pstate.rst, intel_pstate.rst; admin-guide/cgroup-v2.rst; filesystems/proc.rst). What
 * each fact must be was read off the .tree files by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host_fixture.h"
#include "record/host_name.h"

static void host_read__epyc_with_four_nodes__nodes_boost_and_topology(void **state)
{
	static const struct expected expected[] = {
		{"host.arch", "x86_64"},
		{"cpu.vendor", "AuthenticAMD"},
		{"cpu.model_name", "AMD EPYC 7543 32-Core Processor"},
		{"cpu.family", "25"},
		{"cpu.model", "1"},
		{"cpu.stepping", "1"},
		{"cpu.microcode", "0xa0011d1"},
		{"cpu.microcode.trust", "trusted"},
		{"cpu.flags", "abm avx2 bmi1 bmi2 cpb fpu ht hw_pstate lm sse2 sse4a"},
		{"cpu.count", "16"},
		{"cpu.online", "0-15"},
		{"cpu.offline", ""},
		{"cpu.hybrid", "no"},
		{"topology.sockets", "2"},
		{"topology.cores", "8"},
		{"topology.threads", "16"},
		{"topology.smt.active", "yes"},
		{"topology.smt.control", "on"},
		{"cache.levels", "l3"},
		{"cache.l3.size_bytes", "33554432"},
		{"cache.l3.ways", "16"},
		{"cache.l3.line_bytes", "64"},
		{"cache.l3.instances", "4"},
		{"cache.l3.shared_cpus", "0-1,8-9"},
		{"freq.driver", "acpi-cpufreq"},
		{"freq.governor", "schedutil"},
		{"freq.boost", "on"},
		{"freq.cpuinfo_max_khz", "3737890"},
		{"freq.scaling_max_khz", "2800000"},
		{"freq.scaling_min_khz", "1500000"},
		{"numa.nodes", "4"},
		{"numa.node.0.cpus", "0-1,8-9"},
		{"numa.node.3.cpus", "6-7,14-15"},
		{"numa.node.0.distances", "10 12 32 32"},
		{"numa.node.2.distances", "32 32 10 12"},
		{"numa.node.0.total_bytes", "135055581184"}, /* 131890216 x 1024 */
		{"numa.node.3.total_bytes", "67643637760"},  /* 66058240 x 1024: half the memory is missing */
		{"memory.total_bytes", "473273769984"},	     /* 462181416 x 1024 */
		{"swap.total_bytes", "0"},
		{"memory.hugepages.total", "512"},
		{"memory.thp.enabled", "always"},
		{"memory.thp.defrag", "madvise"},
		{"kernel.numa_balancing", "1"},
		{"kernel.nmi_watchdog", "1"},
		{"kernel.clocksource", "tsc"},
		{"temperature.cpu_c", "61.2"}, /* 61.25, of the hotter socket */
		{"virt.virtual", "no"},
		{"container.kind", "none"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "epyc-four-nodes");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "freq.no_turbo", "No such file or directory");
	is_unknown(&machine, "freq.epp", "No such file or directory");
	is_unknown(&machine, "throttle.core_count", "No such file or directory");
	assert_string_equal(
		facts_find(&machine.facts, "freq.boost")->source, "/sys/devices/system/cpu/cpufreq/boost");
	assert_null(facts_find(&machine.facts, "numa.node.4.cpus"));
	machine_close(&machine);
}

static void host_read__amd_boost__off_for_all_or_for_some(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "amd-boost-off");
	is_value(&machine, "freq.boost", "off");
	is_value(&machine, "freq.driver", "acpi-cpufreq");
	is_value(&machine, "freq.cpuinfo_max_khz", "4208203");
	is_value(&machine, "freq.scaling_max_khz", "3600000");
	is_unknown(&machine, "freq.pstate", "No such file or directory");
	machine_close(&machine);
	/* one policy that was forgotten shows with its CPU */
	machine_open(&machine, "amd-boost-per-cpu");
	is_value(&machine, "freq.boost", "off (cpus 0-2), on (cpus 3)");
	is_value(&machine, "freq.scaling_max_khz", "3800000 (cpus 0-2), 5582000 (cpus 3)");
	is_value(&machine, "freq.pstate", "guided");
	is_value(&machine, "freq.driver", "amd-pstate");
	machine_close(&machine);
}

static void host_read__two_sockets__isolated_cpus_and_a_microcode_each(void **state)
{
	static const struct expected expected[] = {
		{"cpu.microcode", "0xd0003d1 (cpus 0), 0xd000390 (cpus 2)"},
		{"cpu.count", "8"},
		{"cpu.isolated", "6-7"},
		{"cpu.nohz_full", "6-7"},
		{"topology.sockets", "2"},
		{"topology.cores", "4"},
		{"topology.smt.active", "yes"}, /* no smt/active: the sibling lists tell */
		{"freq.driver", "intel_pstate"},
		{"freq.governor", "performance"},
		{"freq.epp", "performance"},
		{"freq.base_khz", "2000000"},
		{"freq.cpuinfo_max_khz", "3200000"},
		{"freq.no_turbo", "0"},
		{"freq.boost", "on"},
		{"freq.pstate", "active"},
		{"freq.min_perf_pct", "25"},
		{"freq.max_perf_pct", "100"},
		{"throttle.core_count", "16"},	  /* 8 x 2 */
		{"throttle.package_count", "80"}, /* 8 x 10 */
		{"numa.nodes", "2"},
		{"numa.node.1.cpus", "2-3,6-7"},
		{"numa.node.1.distances", "20 10"},
		{"numa.node.1.total_bytes", "67108864000"}, /* 65536000 x 1024 */
		{"kernel.numa_balancing", "0"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "xeon-two-nodes");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "topology.smt.control", "No such file or directory");
	machine_close(&machine);
}

static void host_read__hybrid_with_smt__each_kind_of_core_shows(void **state)
{
	static const struct expected expected[] = {
		{"cpu.count", "8"},
		{"cpu.hybrid", "core (cpus 0-3), atom (cpus 4-7)"},
		{"topology.cores", "6"},
		{"topology.threads", "8"},
		{"topology.smt.active", "yes"},
		{"cache.levels", "l1i l2"},
		{"cache.l1i.size_bytes", "32768 (cpus 0-3), 65536 (cpus 4-7)"},
		{"cache.l1i.instances", "6"},
		{"cache.l2.size_bytes", "1310720 (cpus 0-3), 2097152 (cpus 4-7)"},
		{"cache.l2.instances", "3"},
		{"freq.cpuinfo_max_khz", "4400000 (cpus 0-3), 3300000 (cpus 4-7)"},
		{"power.source", "mains"},
		{"power.profile", "balanced"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "hybrid-smt");
	ARE_VALUES(&machine, expected);
	machine_close(&machine);
}

static void host_read__arm64_server__firmware_and_cores_of_one_kind(void **state)
{
	static const struct expected expected[] = {
		{"host.arch", "aarch64"},
		{"cpu.vendor", "ARM"},
		{"cpu.model_name", "Neoverse-N1"},
		{"cpu.family", "0x41"},
		{"cpu.model", "0xd0c"},
		{"cpu.stepping", "r3p1"},
		{"cpu.count", "4"},
		{"topology.sockets", "1"}, /* its id is 36 */
		{"topology.cores", "4"},
		{"topology.smt.active", "no"},
		{"topology.smt.control", "notimplemented"},
		{"cache.l2.size_bytes", "1048576"},
		{"cache.l2.instances", "4"},
		{"freq.driver", "cppc_cpufreq"},
		{"numa.nodes", "1"},
		{"product.name", "R152-P30-00"},
		{"chassis.type", "Rack Mount Chassis"},
		{"kernel.clocksource", "arch_sys_counter"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "arm64-server");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "cpu.microcode", "does not tell this on this architecture");
	is_unknown(&machine, "freq.boost", "none of intel_pstate/no_turbo");
	is_unknown(&machine, "virt.virtual", "nothing here tells");
	is_unknown(&machine, "temperature.cpu_c", "no sensor");
	machine_close(&machine);
}

static void host_read__kvm_guest__clock_steal_and_what_it_cannot_see(void **state)
{
	static const struct expected expected[] = {
		{"virt.virtual", "yes"},
		{"virt.hypervisor", "kvm"},
		{"cpu.microcode", "0x1000065"},
		{"cpu.microcode.trust", "untrusted: a hypervisor makes it up"},
		{"topology.cores", "1"},
		{"topology.threads", "2"},
		{"kernel.clocksource", "kvm-clock"},
		{"kernel.clocksource.available", "kvm-clock tsc acpi_pm"},
		{"kernel.mitigation.spectre_v2",
			"Mitigation: Retpolines; IBPB: conditional; STIBP: disabled"},
		{"load.steal_ns", "12340000000"}, /* 1234 ticks of 1/100 s */
		{"numa.nodes", "1"},
		{"container.kind", "none"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "guest-kvm");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "freq.driver", "No such file or directory");
	is_unknown(&machine, "freq.governor", "No such file or directory");
	is_unknown(&machine, "freq.boost", "none of intel_pstate/no_turbo");
	is_unknown(&machine, "throttle.core_count", "No such file or directory");
	is_unknown(&machine, "temperature.cpu_c", "no sensor");
	machine_close(&machine);
}

static void host_read__hyperv_guest__two_nodes_and_its_clock(void **state)
{
	static const struct expected expected[] = {
		{"virt.virtual", "yes"},
		{"virt.hypervisor", "hyperv"},
		{"cpu.microcode.trust", "untrusted: a hypervisor makes it up"},
		{"cpu.count", "4"},
		{"topology.cores", "2"},
		{"numa.nodes", "2"},
		{"numa.node.1.cpus", "2-3"},
		{"kernel.clocksource", "hyperv_clocksource_tsc_page"},
		{"chassis.type", "Desktop"},
		{"bios.version", "Hyper-V UEFI Release v4.1"},
		{"load.steal_ns", "0"},
	};
	struct machine machine;

	(void)state;
	machine_open(&machine, "guest-hyperv");
	ARE_VALUES(&machine, expected);
	/* no meminfo of a node: its memory is not said to be none */
	assert_null(facts_value(&machine.facts, "numa.node.0.total_bytes"));
	machine_close(&machine);
}

static void host_read__container_with_a_quota__limits_beside_the_hosts_cpus(void **state)
{
	static const struct expected expected[] = {
		{"container.kind", "docker"},
		{"cgroup.version", "2"},
		{"cgroup.cpu.quota_cpus", "2.5"},
		{"cgroup.cpuset", "1-3"},
		{"cgroup.memory.limit_bytes", "3221225472"},
		{"cgroup.cpu.throttled_us", "812345"},
		{"cpu.count", "8"},		     /* the host's: the quota and the set stand beside it */
		{"cache.l3.size_bytes", "37486592"}, /* 36608 KiB, the host's */
		{"virt.virtual", "yes"},
	};
	struct machine machine;
	struct host_load load;

	(void)state;
	machine_open(&machine, "container-quota");
	ARE_VALUES(&machine, expected);
	is_unknown(&machine, "virt.hypervisor", "does not name itself");
	is_unknown(&machine, "product.name", "No such file or directory");
	host_load_read(machine.root, &load);
	assert_int_equal(load.throttled_us, 812345);
	machine_close(&machine);
}

/* Each machine has a name of its own under which its records lie, and the same one each time. */
static void host_name__each_machine__its_own_and_the_same_twice(void **state)
{
	static const char *const trees[] = {"epyc-four-nodes", "xeon-two-nodes", "arm64-server", "guest-kvm",
		"guest-hyperv", "laptop-intel-pstate", "arm64-big-little"};
	static const char *const begins[] = {"x86_64-25-1-", "x86_64-6-106-", "aarch64-41-d0c-",
		"x86_64-25-17-", "x86_64-6-143-", "x86_64-6-142-", "aarch64-41-d03-"};
	enum { TREES = sizeof(trees) / sizeof(trees[0]) };
	struct arena arena = {0};
	const char *names[TREES];

	(void)state;
	for (size_t i = 0; i < TREES; i++) {
		for (int again = 0; again < 2; again++) {
			struct machine machine;
			const char *name;

			machine_open(&machine, trees[i]);
			name = host_name(&machine.facts, NULL, &arena, NULL);
			assert_non_null(name);
			assert_true(host_name_is_valid(name));
			assert_true(text_starts(name, begins[i]));
			if (again)
				assert_string_equal(name, names[i]);
			names[i] = name;
			machine_close(&machine);
		}
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__epyc_with_four_nodes__nodes_boost_and_topology),
		cmocka_unit_test(host_read__amd_boost__off_for_all_or_for_some),
		cmocka_unit_test(host_read__two_sockets__isolated_cpus_and_a_microcode_each),
		cmocka_unit_test(host_read__hybrid_with_smt__each_kind_of_core_shows),
		cmocka_unit_test(host_read__arm64_server__firmware_and_cores_of_one_kind),
		cmocka_unit_test(host_read__kvm_guest__clock_steal_and_what_it_cannot_see),
		cmocka_unit_test(host_read__hyperv_guest__two_nodes_and_its_clock),
		cmocka_unit_test(host_read__container_with_a_quota__limits_beside_the_hosts_cpus),
		cmocka_unit_test(host_name__each_machine__its_own_and_the_same_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
