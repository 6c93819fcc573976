#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "host/throttle.h"

static struct arena arena;
static char root[] = "/tmp/flagstone-throttle.XXXXXX";

static void put(const char *path, const char *text)
{
	char *full = arena_printf(&arena, "%s%s", root, path);
	struct error e = {0};

	if (file_make_folders(file_folder(&arena, full), &e) != 0 ||
		file_write_atomic(full, text, strlen(text), &e) != 0)
		fail_msg("%s", e.text);
}

static void throttle__no_counters__zero(void **state)
{
	struct host_throttle t;

	(void)state;
	host_throttle_open(&t, root, 0);
	assert_int_equal(host_throttle_read(&t), 0);
	host_throttle_close(&t);
}

/* CASES.md 106. The files are rewritten in place, as the kernel's counters change below an open descriptor. */
static void throttle__core_package_and_quota__sum_rises(void **state)
{
	struct host_throttle t;
	FILE *file;

	(void)state;
	put("/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "5\n");
	put("/sys/devices/system/cpu/cpu3/thermal_throttle/package_throttle_count", "7\n");
	put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
	put("/sys/fs/cgroup/cpu.stat", "usage_usec 1\nnr_periods 10\nnr_throttled 4\nthrottled_usec 900\n");
	host_throttle_open(&t, root, 3);
	assert_int_equal(host_throttle_read(&t), 5 + 7 + 4);
	file = fopen(arena_printf(&arena, "%s/sys/fs/cgroup/cpu.stat", root), "w");
	assert_non_null(file);
	fputs("usage_usec 1\nnr_periods 11\nnr_throttled 6\nthrottled_usec 1900\n", file);
	fclose(file);
	assert_int_equal(host_throttle_read(&t), 5 + 7 + 6);
	host_throttle_close(&t);
	host_throttle_open(&t, root, 2); /* another CPU: the quota only */
	assert_int_equal(host_throttle_read(&t), 6);
	host_throttle_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throttle__no_counters__zero),
		cmocka_unit_test(throttle__core_package_and_quota__sum_rises),
	};
	int failed;

	if (mkdtemp(root) == NULL)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	file_remove_tree(root, NULL);
	arena_release(&arena);
	return failed;
}
