/*
 * Each check of `doctor` on a recorded tree: good as it is (doctor-good.tree), and with one file changed or taken away,
 * bad or unknown. What each must be was worked out from the file's content by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "checks_fixture.h"

static void checks__good_machine__is_fit_and_says_what_was_read(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	checked_judge(&c);
	for (size_t i = 0; i < c.checks.n; i++) {
		const struct host_check *check = &c.checks.v[i];

		if (check->decides && check->status != CHECK_OK)
			fail_msg("%s is %s: %s", check->id, check_status_text(check->status), check->finding);
		assert_true(check->status == CHECK_OK || check->status == CHECK_UNKNOWN);
		assert_true(strlen(check->why) > 20);
		for (size_t k = 0; k < check->read_count; k++)
			assert_non_null(check->reads[k].key);
	}
	assert_int_equal(c.checks.verdict, VERDICT_FIT);
	assert_non_null(
		strstr(c.checks.line, "fit; 2 checks")); /* memory modules, firmware: no such files there */
	is_status(&c, "governor", CHECK_OK, "performance");
	assert_string_equal(check_named(&c, "governor")->reads[0].key, "freq.governor");
	assert_string_equal(check_named(&c, "governor")->reads[0].source,
		"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
	checked_close(&c);
}

static void checks__frequency__each_both_ways(void **state)
{
	static const struct spoiled rows[] = {
		{"governor", CHECK_CAVEAT, "powersave (the CPU chooses)", CPU "cpu0/cpufreq/scaling_governor",
			"powersave\n"},
		{"governor", CHECK_CAVEAT, "differ: performance (cpus 0,2-3), schedutil (cpus 1)",
			CPU "cpu1/cpufreq/scaling_governor", "schedutil\n"},
		{"governor", CHECK_CAVEAT, "energy preference balance_power",
			CPU "cpu0/cpufreq/energy_performance_preference", "balance_power\n"},
		{"governor", CHECK_OK, "performance", CPU "intel_pstate/status", NULL},
		{"limits", CHECK_OK, "up to 2.90 GHz", NULL, NULL},
		{"limits", CHECK_CAVEAT, "held to 1.60 GHz of 2.90 GHz", CPU "cpu0/cpufreq/scaling_max_freq",
			"1600000\n"},
		{"limits", CHECK_CAVEAT, "different limits", CPU "cpu3/cpufreq/scaling_max_freq",
			"1600000\n"},
		{"limits", CHECK_CAVEAT, "held to 70 %", CPU "intel_pstate/max_perf_pct", "70\n"},
		{"boost", CHECK_OK, "off", NULL, NULL},
		{"boost", CHECK_CAVEAT, "on", CPU "intel_pstate/no_turbo", "0\n"},
		{"boost", CHECK_UNKNOWN, "none of intel_pstate/no_turbo", CPU "intel_pstate/no_turbo", NULL},
		{"throttle", CHECK_OK, "never since boot", NULL, NULL},
		{"throttle", CHECK_CAVEAT, "12 times by core",
			CPU "cpu2/thermal_throttle/core_throttle_count", "12\n"},
		{"temperature", CHECK_OK, "41 °C, limit 92 °C", NULL, NULL},
		{"temperature", CHECK_CAVEAT, "85 °C, close to its limit of 92 °C",
			"sys/class/hwmon/hwmon1/temp1_input", "85000\n"},
		{"temperature", CHECK_UNFIT, "93 °C, at its limit", "sys/class/hwmon/hwmon1/temp1_input",
			"93000\n"},
		{"temperature", CHECK_OK, "41 °C, limit 102 °C", "sys/class/hwmon/hwmon1/temp1_max", "0\n"},
		{"temperature", CHECK_UNKNOWN, "no sensor", "sys/class/hwmon/hwmon1/name", "acpitz\n"},
		{"power", CHECK_OK, "without a battery", NULL, NULL},
		{"power", CHECK_UNKNOWN, "power_supply", "sys/class/dmi/id/chassis_type", NULL},
		{"power", CHECK_CAVEAT, "profile is low-power", "sys/firmware/acpi/platform_profile",
			"low-power\n"},
		{"idle", CHECK_OK, "C1, 1 µs", NULL, NULL}, /* C6 is switched off there */
		{"idle", CHECK_CAVEAT, "C6, 290 µs", CPU "cpu1/cpuidle/state2/disable", "0\n"},
	};

	(void)state;
	RUN_TABLE(rows);
}

static void checks__cpus__each_both_ways(void **state)
{
	static const struct spoiled rows[] = {
		{"virtual", CHECK_OK, "real hardware", NULL, NULL},
		{"virtual", CHECK_UNKNOWN, "nothing here tells", "proc/cpuinfo", ""},
		{"steal", CHECK_OK, "0.0 % since boot", NULL, NULL},
		/* 10 of 1000 + 500 + 99000 + 100 + 50 + 10000 ticks: 10000 / 110650 = 9.04 % */
		{"steal", CHECK_CAVEAT, "9.0 % since boot", "proc/stat",
			"cpu  1000 0 500 99000 100 0 50 10000 0 0\nprocs_running 1\n"},
		{"steal", CHECK_UNKNOWN, "no such time", "proc/stat",
			"cpu  1000 0 500 99000\nprocs_running 1\n"},
		{"smt", CHECK_OK, "off", NULL, NULL},
		{"smt", CHECK_CAVEAT, "on", CPU "smt/active", "1\n"},
		{"cpus", CHECK_OK, "CPUs 0-3", NULL, NULL},
		{"isolated", CHECK_OK, "none", NULL, NULL},
		{"isolated", CHECK_OK, "of which 2 are measured on", CPU "isolated", "2-3\n"},
		{"isolated", CHECK_CAVEAT, "would not be used", CPU "isolated", "4-5\n"},
		{"isolated", CHECK_UNKNOWN, "says nothing", CPU "isolated", "a lot\n"},
		{"isolated", CHECK_UNKNOWN, "No such file", CPU "isolated", NULL},
		/* 300,001 since boot, which was 100,000 s ago */
		{"interrupts", CHECK_OK, "3 a second", NULL, NULL},
		{"interrupts", CHECK_CAVEAT, "eth1 (interrupt 9) on CPU 1: 2000.0/s", "proc/interrupts",
			"   CPU0   CPU1\n 8: 1 2 A B rtc0\n 9: 100 200000000 PCI 1 eth1\nLOC: 9999999999 1 "
			"Local timer\n"},
		{"interrupts", CHECK_UNFIT, "50000 a second", "proc/interrupts",
			"   CPU0   CPU1\n 9: 5000000000 0 PCI 1 eth1\n"},
		/* Arm numbers its timer, POWER its calls between CPUs */
		{"interrupts", CHECK_OK, "0 a second", "proc/interrupts",
			"   CPU0\n 11: 5000000000 GICv3 27 Level arch_timer\n 16: 5000000000 XICS 2 Edge "
			"IPI\n"},
		{"interrupts", CHECK_UNKNOWN, "no column", "proc/interrupts", "   CPU8\n 9: 5 eth0\n"},
		{"interrupts", CHECK_UNKNOWN, "No such file", "proc/interrupts", NULL},
		{"interrupts", CHECK_UNKNOWN, "time since boot", "proc/uptime", NULL},
	};

	(void)state;
	RUN_TABLE(rows);
}

static void checks__one_cpu_or_two_kinds__are_a_caveat(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	c.cpus_text = "2";
	checked_judge(&c);
	is_status(&c, "cpus", CHECK_CAVEAT, "only CPU 2");
	is_status(&c, "interrupts", CHECK_OK, "0 a second"); /* those of CPUs 0 and 1 are no matter */
	checked_close(&c);

	checked_open(&c, "hybrid-two-nodes");
	c.cpus_text = "0,3-5";
	checked_judge(&c);
	is_status(&c, "cpus", CHECK_CAVEAT, "different kinds: core (cpus 0,3), atom (cpus 4-5)");
	checked_close(&c);

	checked_open(&c, "hybrid-two-nodes");
	c.cpus_text = "4-5";
	checked_judge(&c);
	is_status(&c, "cpus", CHECK_OK, "CPUs 4-5");
	checked_close(&c);
}

#define MEMORY(total, available, swap, left)                                                                 \
	"MemTotal: " total " kB\nMemAvailable: " available " kB\nSwapTotal: " swap " kB\nSwapFree: " left    \
	" kB\n"

static void checks__memory__each_both_ways(void **state)
{
	static const struct spoiled rows[] = {
		{"room", CHECK_OK, "59.1 GiB of 62.5 GiB", NULL, NULL},
		{"room", CHECK_CAVEAT, "to be had", "proc/meminfo", MEMORY("1000000", "90000", "0", "0")},
		{"room", CHECK_UNFIT, "to be had", "proc/meminfo", MEMORY("1000000", "20000", "0", "0")},
		{"room", CHECK_UNKNOWN, "MemAvailable", "proc/meminfo", "MemTotal: 1000 kB\n"},
		{"swap", CHECK_OK, "none", NULL, NULL},
		{"swap", CHECK_OK, "unused", "proc/meminfo",
			MEMORY("1000000", "900000", "1000000", "999000")},
		{"swap", CHECK_CAVEAT, "293 MiB of 977 MiB", "proc/meminfo",
			MEMORY("1000000", "900000", "1000000", "700000")},
		{"swap", CHECK_UNKNOWN, "SwapTotal", "proc/meminfo", "MemTotal: 1000 kB\n"},
		{"pages", CHECK_OK, "madvise", NULL, NULL},
		{"pages", CHECK_CAVEAT, "always", "sys/kernel/mm/transparent_hugepage/enabled",
			"[always] madvise never\n"},
		{"pages", CHECK_CAVEAT, "waits", "sys/kernel/mm/transparent_hugepage/defrag",
			"[always] defer never\n"},
		{"pages", CHECK_UNKNOWN, "No such file", "sys/kernel/mm/transparent_hugepage/enabled", NULL},
		{"numa", CHECK_OK, "one node", NULL, NULL},
		{"numa", CHECK_CAVEAT, "2 sockets and one node", CPU "cpu3/topology/physical_package_id",
			"1\n"},
		{"numa", CHECK_OK, "a kernel without nodes", "sys/devices/system/node/online", NULL},
		{"errors", CHECK_OK, "no errors", NULL, NULL},
		{"errors", CHECK_CAVEAT, "3 memory errors were corrected",
			"sys/devices/system/edac/mc/mc0/ce_count", "3\n"},
		{"errors", CHECK_UNFIT, "1 memory errors could not",
			"sys/devices/system/edac/mc/mc0/ue_count", "1\n"},
		{"errors", CHECK_CAVEAT, "2 machine checks", "proc/interrupts",
			"   CPU0\nMCE: 2 Machine check\n"},
		{"errors", CHECK_UNKNOWN, "No such file", "sys/devices/system/edac", NULL},
	};

	(void)state;
	RUN_TABLE(rows);
}

static void two_nodes(struct checked *c, const char *first, const char *second)
{
	tree_write_text(c->root, "sys/devices/system/node/online", "0-1\n");
	tree_write_text(c->root, "sys/devices/system/node/node0/cpulist", first);
	tree_write_text(c->root, "sys/devices/system/node/node1/cpulist", second);
}

static void checks__two_nodes__policy_placement_and_balancing(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	two_nodes(&c, "0-3\n", "4-7\n");
	checked_judge(&c);
	is_status(&c, "numa", CHECK_OK, "2 nodes, all CPUs to be measured on in one");
	checked_close(&c);

	checked_open(&c, "doctor-good");
	two_nodes(&c, "0-1\n", "2-3\n");
	checked_judge(&c);
	is_status(&c, "numa", CHECK_CAVEAT, "CPUs of 2 of them");
	checked_close(&c);

	checked_open(&c, "doctor-good");
	two_nodes(&c, "0-3\n", "4-7\n");
	tree_write_text(
		c.root, "proc/self/numa_maps", "55d0c0a00000 interleave:0-1 file=/usr/bin/flagstone\n");
	tree_write_text(c.root, "proc/sys/kernel/numa_balancing", "1\n");
	checked_judge(&c);
	is_status(&c, "numa", CHECK_CAVEAT, "interleaved over them (interleave:0-1); the kernel moves pages");
	checked_close(&c);
}

static void checks__kernel__each_both_ways(void **state)
{
	static const struct spoiled rows[] = {
		{"aslr", CHECK_OK, "full", NULL, NULL},
		{"aslr", CHECK_CAVEAT, "off", "proc/sys/kernel/randomize_va_space", "0\n"},
		{"aslr", CHECK_UNKNOWN, "No such file", "proc/sys/kernel/randomize_va_space", NULL},
		{"mitigations", CHECK_OK, "of 2 known weaknesses 1 are mitigated, 0 left open", NULL, NULL},
		{"mitigations", CHECK_CAVEAT, "mitigations=off", "proc/cmdline",
			"ro mitigations=off quiet\n"},
		{"mitigations", CHECK_OK, "known weaknesses", "proc/cmdline", "ro mitigations=offline\n"},
		{"mitigations", CHECK_UNKNOWN, "No such file", CPU "vulnerabilities", NULL},
		{"clock", CHECK_OK, "tsc", NULL, NULL},
		{"clock", CHECK_CAVEAT, "hpet",
			"sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"},
		{"clock", CHECK_UNFIT, "too coarse",
			"sys/devices/system/clocksource/clocksource0/current_clocksource", "jiffies\n"},
		{"clock", CHECK_UNKNOWN, "No such file",
			"sys/devices/system/clocksource/clocksource0/current_clocksource", NULL},
		{"seccomp", CHECK_OK, "none", NULL, NULL},
		{"seccomp", CHECK_CAVEAT, "filters: 2", "proc/self/status",
			"Seccomp:\t2\nSeccomp_filters:\t2\n"},
		{"seccomp", CHECK_UNKNOWN, "no line", "proc/self/status", "Name:\tx\n"},
		{"audit", CHECK_OK, "no auditd runs", NULL, NULL},
		{"audit", CHECK_UNKNOWN, "not known", "proc/812/comm", "auditd\n"},
		{"audit", CHECK_UNKNOWN, "not all processes", "proc/1/comm", NULL},
		{"quota", CHECK_OK, "none", NULL, NULL},
		{"quota", CHECK_UNFIT, "0.5 CPUs", "sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n"},
		{"quota", CHECK_CAVEAT, "1.5 CPUs for 4", "sys/fs/cgroup/user.slice/cpu.max",
			"150000 100000\n"},
		{"quota", CHECK_OK, "4 CPUs", "sys/fs/cgroup/user.slice/cpu.max", "400000 100000\n"},
		{"quota", CHECK_CAVEAT, "held back for 2 s",
			"sys/fs/cgroup/user.slice/session.scope/cpu.stat", "throttled_usec 2000000\n"},
		{"quota", CHECK_OK, "no control group", "proc/self/mountinfo",
			"22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"},
		{"memory-limit", CHECK_OK, "none", NULL, NULL},
		{"memory-limit", CHECK_CAVEAT, "512 MiB", "sys/fs/cgroup/user.slice/memory.max",
			"536870912\n"},
		{"memory-limit", CHECK_OK, "4.0 GiB", "sys/fs/cgroup/user.slice/memory.max", "4294967296\n"},
		{"container", CHECK_OK, "none", NULL, NULL},
		{"container", CHECK_CAVEAT, "docker", ".dockerenv", ""},
		{"container", CHECK_UNKNOWN, "", "proc/1", NULL},
	};

	(void)state;
	RUN_TABLE(rows);
}

static void checks__auditd_with_rules__counts_those_of_system_calls(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	tree_write_text(c.root, "proc/812/comm", "auditd\n");
	tree_write_text(c.root, "etc/audit/audit.rules",
		"-D\n-b 8192\n-w /etc/passwd -p wa\n-a always,exit -F arch=b64 -S openat -S open -k x\n"
		"-a never,exit -S close\n");
	checked_judge(&c);
	is_status(&c, "audit", CHECK_CAVEAT, "with 1 rules");
	checked_close(&c);

	checked_open(&c, "doctor-good");
	tree_write_text(c.root, "proc/812/comm", "auditd\n");
	tree_write_text(c.root, "etc/audit/audit.rules", "-a never,task\n-a always,exit -S open\n");
	checked_judge(&c);
	is_status(&c, "audit", CHECK_OK, "no rule watches");
	checked_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks__good_machine__is_fit_and_says_what_was_read),
		cmocka_unit_test(checks__frequency__each_both_ways),
		cmocka_unit_test(checks__cpus__each_both_ways),
		cmocka_unit_test(checks__one_cpu_or_two_kinds__are_a_caveat),
		cmocka_unit_test(checks__memory__each_both_ways),
		cmocka_unit_test(checks__two_nodes__policy_placement_and_balancing),
		cmocka_unit_test(checks__kernel__each_both_ways),
		cmocka_unit_test(checks__auditd_with_rules__counts_those_of_system_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
