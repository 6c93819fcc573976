#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../sysroot/tree.h"
#include "host/host.h"
#include "record/host_name.h"

/* HOST of a tree. In the arena. */
static char *name_of(struct arena *arena, const char *tree, const char *random, struct error *e)
{
	struct facts facts = {.arena = arena};
	char *root = tree_scratch();
	char *name;

	tree_unpack(tree, root);
	assert_int_equal(host_read(root, &facts, e), 0);
	name = host_name(&facts, random, arena, e);
	tree_remove(root);
	return name;
}

/*
 * FAMILY and MODEL are read off the trees. The digits were computed with Python's hashlib: SHA-256 over the fields
 * "flagstone host 1", machine-id, vendor, family, model, stepping, each as an 8-byte big-endian length (all ones for
 * unknown) and its bytes.
 */
static void host_name__each_architecture__has_its_form_and_digits(void **state)
{
	static const struct {
		const char *tree, *name;
	} hosts[] = {{"laptop-intel-pstate", "x86_64-6-142-2e71cf465004"},
		{"arm64-big-little",
			"aarch64-41-d03-411ad88435a0"}, /* CPU 0 gives the name, not the big cores */
		{"ppc64le", "ppc64le-004e-1202-9fb301eeaaa8"}};
	static const char *const starts[][2] = {{"riscv64", "riscv64-489-8000000000000007-"},
		{"s390x", "s390x-8561-ff-"}, {"smt-on", "x-x-x-"}};
	struct arena arena = {0};
	struct error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_string_equal(name_of(&arena, hosts[i].tree, "r", &e), hosts[i].name);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *name = name_of(&arena, starts[i][0], "r", &e);

		assert_int_equal(strncmp(name, starts[i][1], strlen(starts[i][1])), 0);
		assert_int_equal(strlen(name), strlen(starts[i][1]) + 12);
		assert_true(host_name_is_valid(name));
	}
	arena_release(&arena);
}

static void host_name__same_machine_read_again__is_the_same(void **state)
{
	struct arena arena = {0};
	struct error e = {0};

	(void)state;
	assert_string_equal(name_of(&arena, "riscv64", NULL, &e), name_of(&arena, "riscv64", "ignored", &e));
	arena_release(&arena);
}

/* CASES: a new host name, kernel, firmware or microcode is the same machine; another CPU or id is not. */
static void host_name__after_updates__stays_and_with_other_hardware_changes(void **state)
{
	static const struct {
		const char *path, *text;
		int same;
	} changes[] = {
		{"proc/sys/kernel/hostname", "vpn-4711.example.net\n", 1},
		{"proc/sys/kernel/osrelease", "6.9.9\n", 1},
		{"sys/class/dmi/id/bios_version", "N2IETA9W\n", 1},
		{"etc/os-release", "ID=other\n", 1},
		{"etc/machine-id", "fedcba9876543210fedcba9876543210\n", 0},
		{"proc/cpuinfo",
			"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: "
			"142\nstepping\t: 12\nflags\t: lm sse2\n",
			0},
		{"proc/cpuinfo",
			"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: "
			"142\nstepping\t: 11\nmicrocode\t: 0xfa\nflags\t: lm sse2\n",
			1},
	};
	struct arena arena = {0};
	struct error e = {0};
	char *first = name_of(&arena, "laptop-intel-pstate", NULL, &e);

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct facts facts = {.arena = &arena};
		char *root = tree_scratch();

		tree_unpack("laptop-intel-pstate", root);
		tree_write_text(root, changes[i].path, changes[i].text);
		assert_int_equal(host_read(root, &facts, &e), 0);
		assert_int_equal(strcmp(host_name(&facts, NULL, &arena, &e), first) == 0, changes[i].same);
		tree_remove(root);
	}
	arena_release(&arena);
}

static void host_name__no_machine_id__takes_the_random_text_or_says_why(void **state)
{
	struct arena arena = {0};
	struct error e = {0};
	const char *a, *b;

	(void)state;
	assert_null(name_of(&arena, "amd-pstate-epp", NULL, &e)); /* its machine-id is "uninitialized" */
	assert_non_null(strstr(e.text, "/etc/machine-id"));
	assert_non_null(strstr(e.text, "32 hexadecimal digits"));
	assert_non_null(strstr(e.text, "--host"));
	a = name_of(&arena, "amd-pstate-epp", "a", &e);
	b = name_of(&arena, "amd-pstate-epp", "b", &e);
	assert_true(strncmp(a, "x86_64-25-97-", 13) == 0);
	assert_string_not_equal(a, b);
	assert_string_equal(a, name_of(&arena, "amd-pstate-epp", "a", &e));
	arena_release(&arena);
}

static void host_volatile__facts_of_the_moment__make_no_difference(void **state)
{
	(void)state;
	assert_true(host_volatile("load.1min"));
	assert_true(host_volatile("temperature.cpu_c"));
	assert_true(host_volatile("uptime_s"));
	assert_true(host_volatile("memory.available_bytes"));
	assert_true(host_volatile("boot.id"));
	assert_true(host_volatile("host.hostname"));
	assert_true(host_volatile("throttle.core_count"));
	assert_false(host_volatile("memory.total_bytes"));
	assert_false(host_volatile("freq.governor"));
	assert_false(host_volatile("host.machine_id"));
	assert_false(host_volatile("cgroup.cpu.quota_cpus"));
}

static void host_boot_invariant__hardware_firmware_kernel__but_no_policy(void **state)
{
	(void)state;
	assert_true(host_boot_invariant("cpu.model"));
	assert_true(host_boot_invariant("cpu.microcode"));
	assert_true(host_boot_invariant("kernel.release"));
	assert_true(host_boot_invariant("kernel.cmdline"));
	assert_true(host_boot_invariant("bios.version"));
	assert_true(host_boot_invariant("memory.module.0.configured_mts"));
	assert_false(host_boot_invariant("freq.governor"));
	assert_false(host_boot_invariant("topology.smt.active"));
	assert_false(host_boot_invariant("cpu.online"));
	assert_false(host_boot_invariant("memory.thp.enabled"));
	assert_false(host_boot_invariant("memory.available_bytes"));
	assert_false(host_boot_invariant("kernel.aslr"));
	assert_false(host_boot_invariant("load.1min"));
}

/* No key is both: a fact of the moment cannot stay the same until shutdown. */
static void host_keys__of_all_trees__are_never_volatile_and_invariant(void **state)
{
	static const char *const trees[] = {"laptop-intel-pstate", "amd-pstate-epp", "container-v2", "s390x"};

	(void)state;
	for (size_t t = 0; t < sizeof(trees) / sizeof(trees[0]); t++) {
		struct arena arena = {0};
		struct facts facts = {.arena = &arena};
		char *root = tree_scratch();

		tree_unpack(trees[t], root);
		assert_int_equal(host_read(root, &facts, NULL), 0);
		for (size_t i = 0; i < facts.n; i++)
			assert_false(host_volatile(facts.v[i].key) && host_boot_invariant(facts.v[i].key));
		tree_remove(root);
		arena_release(&arena);
	}
}

static void host_load_read__unreadable__is_minus_one_everywhere(void **state)
{
	char *root = tree_scratch();
	struct host_load load;

	(void)state;
	host_load_read(root, &load);
	assert_true(load.load1 == -1 && load.load5 == -1 && load.load15 == -1);
	assert_int_equal(load.running, -1);
	assert_int_equal(load.steal_ns, -1);
	assert_int_equal(load.throttled_us, -1);
	tree_remove(root);
}

static void host_load_read__live__counts_this_program(void **state)
{
	struct host_load load;

	(void)state;
	host_load_read("", &load);
	assert_true(load.running >= 1);
	assert_true(load.load1 >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_name__each_architecture__has_its_form_and_digits),
		cmocka_unit_test(host_name__same_machine_read_again__is_the_same),
		cmocka_unit_test(host_name__after_updates__stays_and_with_other_hardware_changes),
		cmocka_unit_test(host_name__no_machine_id__takes_the_random_text_or_says_why),
		cmocka_unit_test(host_volatile__facts_of_the_moment__make_no_difference),
		cmocka_unit_test(host_boot_invariant__hardware_firmware_kernel__but_no_policy),
		cmocka_unit_test(host_keys__of_all_trees__are_never_volatile_and_invariant),
		cmocka_unit_test(host_load_read__unreadable__is_minus_one_everywhere),
		cmocka_unit_test(host_load_read__live__counts_this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
