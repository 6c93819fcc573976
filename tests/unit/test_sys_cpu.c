/* Expected orders and counts are read off the made-up trees by the rules in sys/cpu.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sys/cpu.h"

static struct arena arena;

static void write_file(const char *root, int cpu, const char *name, const char *text)
{
	char *path = arena_printf(&arena, "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name);

	assert_int_equal(file_make_folders(file_folder(&arena, path), NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static char *new_root(void)
{
	return mkdtemp(arena_strdup(&arena, "/tmp/flagstone-cpu-XXXXXX"));
}

static struct cpu_list list_of(const char *text)
{
	struct cpu_list list = {0};

	assert_int_equal(cpu_list_parse(text, &arena, &list, NULL), 0);
	return list;
}

static void order_is(const char *root, const char *allowed, const int *expected, size_t n)
{
	struct cpu_list list = list_of(allowed), order = {0};

	assert_int_equal(cpu_pin_order(root, &list, &arena, &order, NULL), 0);
	assert_int_equal(order.n, n);
	assert_memory_equal(order.v, expected, n * sizeof(int));
}

static void cpu_list_parse__kernel_forms__read(void **state)
{
	struct cpu_list list = list_of("0-3,8,10-11\n");
	const int expected[] = {0, 1, 2, 3, 8, 10, 11};

	(void)state;
	assert_int_equal(list.n, 7);
	assert_memory_equal(list.v, expected, sizeof(expected));
	assert_string_equal(cpu_list_text(&list, &arena), "0-3,8,10-11");
	assert_int_equal(list_of("").n, 0);
	list = list_of("5,1,5,0-1");
	assert_string_equal(cpu_list_text(&list, &arena), "0-1,5");
	list = list_of("0-4095");
	assert_int_equal(list.n, 4096);
	assert_string_equal(cpu_list_text(&list, &arena), "0-4095");
}

static void cpu_list_parse__nonsense__column_is_said(void **state)
{
	const struct {
		const char *text, *column;
	} cases[] = {{"a", "column 1:"}, {"1,,2", "column 3:"}, {"3-1", "column 4:"}, {"1,", "column 2:"},
		{"1 2", "column 2:"}, {"-1", "column 1:"}, {"0-", "column 3:"}, {"99999999999", "column "},
		{"0-65536", "column "}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_list list = {.n = 77};
		struct error e = {0};

		assert_int_equal(cpu_list_parse(cases[i].text, &arena, &list, &e), -1);
		assert_int_equal(e.code, EXIT_USAGE);
		if (strstr(e.text, cases[i].column) == NULL)
			fail_msg("%s", e.text);
		assert_int_equal(list.n, 77);
	}
}

static void cpu_pin_order__threads_of_cores__one_each_first_and_cpu_0_last(void **state)
{
	char *root = new_root();
	const int some[] = {2, 3, 4, 6};
	struct cpu_list all = list_of("0-7"), pair = list_of("1,5");

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++)
		write_file(root, cpu, "topology/thread_siblings_list",
			arena_printf(&arena, "%d,%d\n", cpu % 4, cpu % 4 + 4));
	/* without CPU 0, its sibling 4 is the first of their core */
	order_is(root, "0-7", (const int[]){1, 2, 3, 0, 4, 5, 6, 7}, 8);
	order_is(root, "2-4,6", some, 4);
	assert_int_equal(cpu_core_count(root, &all, &arena), 4);
	assert_int_equal(cpu_core_count(root, &pair, &arena), 1);
	file_remove_tree(root, NULL);
}

static void cpu_pin_order__big_and_little__fastest_first(void **state)
{
	char *root = new_root();
	struct cpu_list all = list_of("0-5");

	(void)state;
	for (int cpu = 0; cpu < 6; cpu++) {
		write_file(root, cpu, "topology/core_id", arena_printf(&arena, "%d\n", cpu % 3));
		write_file(root, cpu, "topology/physical_package_id", cpu < 3 ? "0\n" : "1\n");
		write_file(root, cpu, "cpufreq/cpuinfo_max_freq", cpu < 4 ? "1800000\n" : "2400000\n");
	}
	order_is(root, "0-5", (const int[]){4, 5, 1, 2, 3, 0}, 6);
	/* equal core numbers in two packages are two cores */
	assert_int_equal(cpu_core_count(root, &all, &arena), 6);
	file_remove_tree(root, NULL);
}

static void cpu_pin_order__no_topology__each_cpu_is_a_core(void **state)
{
	char *root = new_root();
	struct cpu_list all = list_of("0-2000"), none = {0}, order;
	struct error e = {0};

	(void)state;
	order_is(root, "0-2", (const int[]){1, 2, 0}, 3);
	assert_int_equal(cpu_core_count(root, &all, &arena), 2001);
	assert_int_equal(cpu_pin_order(root, &none, &arena, &order, &e), -1);
	file_remove_tree(root, NULL);
}

static void cpu_allowed__online_list__is_intersected_with_the_affinity(void **state)
{
	char *root = new_root();
	struct cpu_list live = {0}, list = {0};
	struct error e = {0};
	char *online = file_join(&arena, root, "sys/devices/system/cpu/online");

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &live, &e), 0);
	assert_true(live.n >= 1);
	/* no sysfs at all: the affinity alone */
	assert_int_equal(cpu_allowed(root, &arena, &list, &e), 0);
	assert_true(list.n >= live.n);
	file_make_folders(file_folder(&arena, online), NULL);
	file_write_atomic(online, "0-60000\n", 8, NULL);
	assert_int_equal(cpu_allowed(root, &arena, &list, &e), 0);
	assert_true(list.n >= live.n);
	/* the CPU in use is offline there: nothing is left, and said */
	file_write_atomic(online, "60001\n", 6, NULL);
	assert_int_equal(cpu_allowed(root, &arena, &list, &e), -1);
	assert_non_null(strstr(e.text, "60001"));
	file_write_atomic(online, "rubbish\n", 8, NULL);
	assert_int_equal(cpu_allowed(root, &arena, &list, &e), -1);
	assert_non_null(strstr(e.text, root));
	file_remove_tree(root, NULL);
}

static size_t asked; /* times that a stand-in for the kernel was asked */

/* A kernel of 4096 CPUs (512 bytes), of which 0, 1023, 1024 and 4095 may be used. */
static int wide_kernel(pid_t thread, size_t size, cpu_set_t *set)
{
	const int cpus[] = {0, 1023, 1024, 4095};

	assert_int_equal(thread, 0);
	asked++;
	if (size < 512) {
		errno = EINVAL;
		return -1;
	}
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		CPU_SET_S((size_t)cpus[i], size, set);
	return 0;
}

static int endless_kernel(pid_t thread, size_t size, cpu_set_t *set)
{
	(void)thread;
	(void)size;
	(void)set;
	asked++;
	errno = EINVAL;
	return -1;
}

static int forbidding_kernel(pid_t thread, size_t size, cpu_set_t *set)
{
	(void)endless_kernel(thread, size, set);
	errno = EPERM;
	return -1;
}

/* a mask of 1024 CPUs is refused by kernels that were built for more */
static void cpu_affinity__kernel_of_more_cpus__mask_grows(void **state)
{
	struct cpu_list list = {.n = 77};
	struct error e = {0};

	(void)state;
	asked = 0;
	assert_int_equal(cpu_affinity(wide_kernel, &arena, &list, &e), 0);
	assert_string_equal(cpu_list_text(&list, &arena), "0,1023-1024,4095");
	assert_int_equal(asked, 3); /* 1024, 2048, 4096 */
	list.n = 77;
	assert_int_equal(cpu_affinity(endless_kernel, &arena, &list, &e), -1);
	assert_int_equal(list.n, 77);
	assert_non_null(strstr(e.text, "which CPUs this process may use"));
	asked = 0;
	assert_int_equal(cpu_affinity(forbidding_kernel, &arena, &list, &e), -1);
	assert_int_equal(asked, 1); /* what is no matter of size is not asked again */
}

static void cpu_check__absent_cpu__allowed_ones_are_listed(void **state)
{
	struct cpu_list allowed = list_of("0-3,6"), good = list_of("1,6"), bad = list_of("1,5"), none = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(cpu_check(&good, &allowed, &e), 0);
	assert_int_equal(cpu_check(&bad, &allowed, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "CPU 5"));
	assert_non_null(strstr(e.text, "0-3,6"));
	assert_int_equal(cpu_check(&none, &allowed, &e), -1);
}

static void cpu_pin_self__allowed_and_absent__pinned_or_refused(void **state)
{
	struct cpu_list live = {0}, now = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &live, &e), 0);
	assert_int_equal(cpu_pin_self(live.v[live.n - 1], &e), 0);
	assert_int_equal(cpu_allowed("", &arena, &now, &e), 0);
	assert_int_equal(now.n, 1);
	assert_int_equal(now.v[0], live.v[live.n - 1]);
	assert_int_equal(sched_getcpu(), live.v[live.n - 1]);
	assert_int_equal(cpu_pin_self_list(&live, &e), 0);
	assert_int_equal(cpu_allowed("", &arena, &now, &e), 0);
	assert_int_equal(now.n, live.n);
	assert_int_equal(cpu_pin_self(60000, &e), -1);
	assert_non_null(strstr(e.text, "CPU 60000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_list_parse__kernel_forms__read),
		cmocka_unit_test(cpu_list_parse__nonsense__column_is_said),
		cmocka_unit_test(cpu_pin_order__threads_of_cores__one_each_first_and_cpu_0_last),
		cmocka_unit_test(cpu_pin_order__big_and_little__fastest_first),
		cmocka_unit_test(cpu_pin_order__no_topology__each_cpu_is_a_core),
		cmocka_unit_test(cpu_allowed__online_list__is_intersected_with_the_affinity),
		cmocka_unit_test(cpu_affinity__kernel_of_more_cpus__mask_grows),
		cmocka_unit_test(cpu_check__absent_cpu__allowed_ones_are_listed),
		cmocka_unit_test(cpu_pin_self__allowed_and_absent__pinned_or_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
