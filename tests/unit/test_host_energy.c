/*
 * Energy of processor packages: differences by hand, and readings from made-up trees (tests/sysroot) whose files are
 * rewritten in place, as the kernel's counters move below an open descriptor.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../sysroot/tree.h"
#include "host/energy.h"

static struct arena arena;

static char *open_tree(const char *tree)
{
	char *root = tree_scratch();

	tree_unpack(tree, root);
	return root;
}

static void set_uj(const char *root, const char *zone, const char *value)
{
	tree_write_text(
		root, file_join(&arena, file_join(&arena, "sys/class/powercap", zone), "energy_uj"), value);
}

/* The range is Intel's usual one: 2^32 - 1 counts of 2^-14 J, 262143.328850 J. */
static void host_energy_between__wrap_around__added_once(void **state)
{
	static const uint64_t range = 262143328850;
	static const int64_t second = 1000000000;

	(void)state;
	assert_int_equal(host_energy_between(1000, 251000, range, second), 250000);
	assert_int_equal(host_energy_between(5, 5, range, second), 0);
	/* 328850 to the end and 171150 from 0 on */
	assert_int_equal(host_energy_between(262143000000, 171150, range, second), 500000);
	assert_int_equal(host_energy_between((int64_t)range, 0, range, second), 0);
	/* in 262 s a package of 1 kW goes all the way round: once or twice cannot be told */
	assert_int_equal(host_energy_between(1000, 251000, range, 262 * second), 250000);
	assert_int_equal(host_energy_between(1000, 251000, range, 263 * second), -1);
	assert_int_equal(host_energy_between(262143000000, 171150, range, 263 * second), -1);
}

static void host_energy_between__unreadable_or_absurd__unknown(void **state)
{
	(void)state;
	assert_int_equal(host_energy_between(-1, 5, 1000000000000, 1), -1);
	assert_int_equal(host_energy_between(5, -1, 1000000000000, 1), -1);
	assert_int_equal(host_energy_between(5, 6, 0, 1), -1);
	assert_int_equal(host_energy_between(2000, 5, 1000, 1), -1); /* beyond its range */
	assert_int_equal(host_energy_between(5, 6, 1000000000000, -1), -1);
}

static void host_energy_open__two_packages__summed_and_nothing_twice(void **state)
{
	char *root = open_tree("rapl-two-packages");
	struct host_energy_found found;
	struct host_energy energy;

	(void)state;
	host_energy_open(&energy, root, &found, &arena);
	assert_null(found.reason);
	assert_int_equal(energy.count, 2);
	assert_string_equal(words_join(&found.summed, &arena), "package-0 package-1");
	assert_string_equal(words_join(&found.left_out, &arena),
		"intel-rapl-mmio:0 package-0/dram package-0/core package-1/dram psys");
	host_energy_begin(&energy);
	set_uj(root, "intel-rapl:0", "171150\n");  /* wrapped: 500000 */
	set_uj(root, "intel-rapl:1", "5250000\n"); /* 250000 */
	set_uj(root, "intel-rapl:0:0", "999999999\n");
	set_uj(root, "intel-rapl:2", "500000000\n");
	assert_int_equal(host_energy_end(&energy), 750000);
	host_energy_begin(&energy);
	assert_int_equal(host_energy_end(&energy), 0);
	set_uj(root, "intel-rapl:1", "gone\n");
	assert_int_equal(host_energy_end(&energy), -1); /* one package alone is not the machine's energy */
	host_energy_close(&energy);
	assert_int_equal(energy.count, 0);
	tree_remove(root);
}

static void host_energy_open__amd__package_without_its_cores(void **state)
{
	char *root = open_tree("rapl-amd");
	struct host_energy energy;

	(void)state;
	host_energy_open(&energy, root, NULL, NULL);
	assert_int_equal(energy.count, 1);
	host_energy_begin(&energy);
	set_uj(root, "intel-rapl:0", "43000\n");
	set_uj(root, "intel-rapl:0:0", "99000\n");
	assert_int_equal(host_energy_end(&energy), 42000);
	host_energy_close(&energy);
	tree_remove(root);
}

static void host_energy_open__guest__unknown_with_reason(void **state)
{
	char *root = open_tree("counters-guest");
	struct host_energy_found found;
	struct host_energy energy;

	(void)state;
	host_energy_open(&energy, root, &found, &arena);
	assert_int_equal(energy.count, 0);
	assert_string_equal(found.source, "/sys/class/powercap");
	assert_non_null(strstr(found.reason, "virtual machines have none"));
	host_energy_begin(&energy);
	assert_int_equal(host_energy_end(&energy), -1);
	host_energy_close(&energy);
	tree_remove(root);
}

/* Root reads everything, so that this test steps down to nobody (65534) for the opening where it is root. */
static void host_energy_open__for_root_only__permission_denied(void **state)
{
	char *root = open_tree("rapl-two-packages");
	char *file = file_join(&arena, root, "sys/class/powercap/intel-rapl:1/energy_uj");
	struct host_energy_found found;
	struct host_energy energy;
	bool is_root = geteuid() == 0;

	(void)state;
	assert_int_equal(chmod(file, is_root ? 0400 : 0), 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	host_energy_open(&energy, root, &found, &arena);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(energy.count, 0); /* package-0 alone could be read */
	assert_string_equal(found.source, "/sys/class/powercap/intel-rapl:1/energy_uj");
	assert_string_equal(found.reason, "Permission denied: since Linux 5.10 the counter is for root only");
	assert_string_equal(words_join(&found.summed, &arena), "package-0 package-1");
	tree_remove(root);
}

static void host_energy_open__no_range_or_no_number__unknown_with_reason(void **state)
{
	static const char *const range = "sys/class/powercap/intel-rapl:0/max_energy_range_uj";
	char *root = open_tree("rapl-amd");
	struct host_energy_found found;
	struct host_energy energy;

	(void)state;
	tree_write_text(root, range, "0\n");
	host_energy_open(&energy, root, &found, &arena);
	assert_int_equal(energy.count, 0);
	assert_non_null(strstr(found.reason, "its range is unknown"));
	tree_write_text(root, range, "65532610987\n");
	set_uj(root, "intel-rapl:0", "\n");
	host_energy_open(&energy, root, &found, &arena);
	assert_int_equal(energy.count, 0);
	assert_non_null(strstr(found.reason, "it holds no number of microjoules"));
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_energy_between__wrap_around__added_once),
		cmocka_unit_test(host_energy_between__unreadable_or_absurd__unknown),
		cmocka_unit_test(host_energy_open__two_packages__summed_and_nothing_twice),
		cmocka_unit_test(host_energy_open__amd__package_without_its_cores),
		cmocka_unit_test(host_energy_open__guest__unknown_with_reason),
		cmocka_unit_test(host_energy_open__for_root_only__permission_denied),
		cmocka_unit_test(host_energy_open__no_range_or_no_number__unknown_with_reason),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
