/*
 * The facts of other architectures, guests and containers, from made-up trees (tests/sysroot). What each fact
 * must be was read off the .tree files by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host_fixture.h"

static void host_read__arm64__cores_are_named_by_part(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "arm64-big-little");
	is_value(&machine, "host.arch", "aarch64");
	is_value(&machine, "cpu.vendor", "ARM");
	is_value(&machine, "cpu.family", "0x41");
	is_value(&machine, "cpu.model", "0xd03 (cpus 0-1), 0xd08 (cpus 4)");
	is_value(&machine, "cpu.model_name", "Cortex-A53 (cpus 0-1), Cortex-A72 (cpus 4)");
	is_value(&machine, "cpu.stepping", "r0p4 (cpus 0-1), r0p2 (cpus 4)");
	is_value(&machine, "cpu.flags", "aes asimd cpuid crc32 evtstrm fp pmull sha1 sha2");
	is_unknown(&machine, "cpu.microcode", "does not tell this on this architecture");
	is_unknown(&machine, "cpu.microcode.trust", "does not tell this on this architecture");
	is_value(&machine, "cpu.count", "3");
	is_value(&machine, "topology.cores", "3");
	is_value(&machine, "topology.smt.active", "no");
	is_unknown(&machine, "topology.sockets", "firmware says \"-1\"");
	is_unknown(&machine, "cache.levels", "No such file or directory");
	is_value(&machine, "freq.cpuinfo_max_khz", "1416000 (cpus 0-1), 1800000 (cpus 4)");
	is_value(&machine, "product.name", "FriendlyElec NanoPC-T4");
	is_value(&machine, "temperature.cpu_c", "47.2");
	is_unknown(&machine, "virt.virtual", "nothing here tells");
	machine_close(&machine);
}

static void host_read__power__counts_online_cpus_and_reads_the_version_register(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "ppc64le");
	is_value(&machine, "host.arch", "ppc64le");
	is_value(&machine, "cpu.count", "3");
	is_value(&machine, "cpu.model_name", "POWER9 (architected), altivec supported");
	is_value(&machine, "cpu.family", "004e");
	is_value(&machine, "cpu.model", "1202");
	is_value(&machine, "cpu.stepping", "2.2 (pvr 004e 1202)");
	is_value(&machine, "topology.cores", "2");
	is_value(&machine, "topology.smt.active", "yes");
	is_value(&machine, "virt.virtual", "yes");
	is_value(&machine, "virt.hypervisor", "kvm");
	is_value(&machine, "product.name", "IBM pSeries (emulated by qemu)");
	machine_close(&machine);
}

static void host_read__s390__reads_its_own_form_without_the_serial_number(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "s390x");
	is_value(&machine, "cpu.vendor", "IBM/S390");
	is_value(&machine, "cpu.family", "8561");
	is_value(&machine, "cpu.model", "FF");
	is_value(&machine, "cpu.model_name", "IBM z15 (8561)");
	is_value(&machine, "cpu.count", "2");
	is_value(&machine, "virt.hypervisor", "zvm");
	is_value(&machine, "product.vendor", "IBM");
	is_value(&machine, "product.name", "8561");
	for (size_t i = 0; i < machine.facts.n; i++)
		if (machine.facts.v[i].value != NULL)
			assert_null(strstr(machine.facts.v[i].value, "0133E8"));
	machine_close(&machine);
}

static void host_read__riscv__takes_the_identification_registers(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "riscv64");
	is_value(&machine, "host.arch", "riscv64");
	is_value(&machine, "cpu.vendor", "0x489");
	is_value(&machine, "cpu.model", "0x8000000000000007");
	is_value(&machine, "cpu.stepping", "0x4210427");
	is_value(&machine, "cpu.model_name", "sifive,u74-mc");
	is_value(&machine, "cpu.flags", "rv64imafdc_zba_zbb");
	/* this tree has no list of online CPUs: cpuinfo counts */
	is_value(&machine, "cpu.count", "2");
	assert_string_equal(facts_find(&machine.facts, "cpu.count")->source, "/proc/cpuinfo");
	machine_close(&machine);
}

static void host_read__guests__are_virtual_and_their_microcode_is_untrusted(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "vm-kvm");
	is_value(&machine, "virt.virtual", "yes");
	is_value(&machine, "virt.hypervisor", "qemu");
	is_value(&machine, "cpu.microcode", "0x1");
	is_value(&machine, "cpu.microcode.trust", "untrusted: a hypervisor makes it up");
	is_unknown(&machine, "chassis.type", "firmware says \"Other\"");
	machine_close(&machine);
	machine_open(&machine, "vm-hyperv");
	is_value(&machine, "virt.hypervisor", "hyperv");
	is_value(&machine, "cpu.microcode", "0xffffffff");
	is_value(&machine, "cpu.microcode.trust", "untrusted: a hypervisor makes it up");
	machine_close(&machine);
}

static void host_read__rented_metal__a_cloud_name_alone_is_no_hypervisor(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "cloud-metal");
	is_value(&machine, "virt.virtual", "no");
	is_value(&machine, "virt.hypervisor", "none");
	is_value(&machine, "cpu.microcode.trust", "trusted");
	is_value(&machine, "product.vendor", "Amazon EC2");
	machine_close(&machine);
}

static void host_read__container_v2__tightest_limit_up_to_the_mount_counts(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "container-v2");
	is_value(&machine, "container.kind", "kubernetes");
	is_value(&machine, "cgroup.version", "2");
	is_value(&machine, "cgroup.cpu.quota_cpus", "1.5");
	assert_string_equal(facts_find(&machine.facts, "cgroup.cpu.quota_cpus")->source, "/sys/fs/cgroup");
	is_value(&machine, "cgroup.memory.limit_bytes", "2147483648");
	is_value(&machine, "cgroup.cpuset", "0-3");
	is_value(&machine, "cgroup.cpu.throttled_us", "4567");
	is_unknown(&machine, "bios.version", "No such file or directory");
	is_unknown(&machine, "virt.virtual", "");
	machine_close(&machine);
}

static void host_read__container_v1__finds_its_group_below_the_mount(void **state)
{
	struct machine machine;

	(void)state;
	machine_open(&machine, "container-v1");
	is_value(&machine, "container.kind", "docker");
	is_value(&machine, "cgroup.version", "1");
	is_value(&machine, "cgroup.cpu.quota_cpus", "0.5");
	is_value(&machine, "cgroup.memory.limit_bytes", "none");
	is_value(&machine, "cgroup.cpu.throttled_us", "8000"); /* 8,000,000 ns */
	is_unknown(&machine, "cgroup.cpuset", "controller cpuset");
	machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__arm64__cores_are_named_by_part),
		cmocka_unit_test(host_read__power__counts_online_cpus_and_reads_the_version_register),
		cmocka_unit_test(host_read__s390__reads_its_own_form_without_the_serial_number),
		cmocka_unit_test(host_read__riscv__takes_the_identification_registers),
		cmocka_unit_test(host_read__guests__are_virtual_and_their_microcode_is_untrusted),
		cmocka_unit_test(host_read__rented_metal__a_cloud_name_alone_is_no_hypervisor),
		cmocka_unit_test(host_read__container_v2__tightest_limit_up_to_the_mount_counts),
		cmocka_unit_test(host_read__container_v1__finds_its_group_below_the_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
