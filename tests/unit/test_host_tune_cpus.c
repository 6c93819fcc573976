/*
 * Reserving CPUs on recorded trees. What the kernel does with a partition, with a group's list that is not among its
 * parent's, and with tasks that are bound, is Linux' cgroup-v2.rst and cgroup-v1/cpusets.rst.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tune_fixture.h"

#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpuset"

static int apply(struct kernel *k, const char *cpus, struct tune *tune, struct error *e)
{
	struct tune_options options = kernel_options(k, TUNE_AS_USED, cpus);

	if (tune_plan(tune, &options, &k->arena, e) != 0)
		return -1;
	return tune_apply(tune, e);
}

static void applied(struct kernel *k, const char *cpus, struct tune *tune)
{
	struct error e = {0};

	if (apply(k, cpus, tune, &e) != 0)
		fail_msg("%s", e.text);
}

static void is_text(struct kernel *k, const char *path, const char *text)
{
	const char *now = kernel_read(k, path);

	if (!text_same(now, text))
		fail_msg("%s reads %s, expected %s", path, now != NULL ? now : "nothing", text);
}

static bool noted(const struct tune *tune, const char *text)
{
	for (size_t i = 0; i < tune->notes.n; i++)
		if (strstr(tune->notes.v[i], text) != NULL)
			return true;
	return false;
}

static void tune_apply__version_2__a_partition_and_interrupts_elsewhere(void **state)
{
	struct kernel k;
	struct tune tune;
	const struct tune_change *change;
	const char *why = NULL;

	(void)state;
	kernel_open(&k, "tune-intel");
	applied(&k, "2-3", &tune);
	is_text(&k, V2 "/cgroup.subtree_control", "cpuset cpu io memory pids");
	is_text(&k, V2 "/flagstone/cpuset.cpus", "2-3");
	is_text(&k, V2 "/flagstone/cpuset.cpus.partition", "root");
	/* the kernel takes the CPUs away: nobody needs to be confined */
	is_text(&k, V2 "/user.slice/cpuset.cpus", "");
	is_text(&k, "/proc/irq/8/smp_affinity_list", "0-1");
	is_text(&k, "/proc/irq/16/smp_affinity_list", "0-1");
	/* served by a reserved CPU alone: by all others */
	is_text(&k, "/proc/irq/120/smp_affinity_list", "0-1");
	is_text(&k, "/proc/irq/default_smp_affinity", "3");
	is_text(&k, "/sys/devices/virtual/workqueue/cpumask", "3");
	assert_string_equal(tune.group, V2 "/flagstone");
	assert_true(noted(
		&tune, "1 thread of the kernel is bound to CPUs 2-3 and cannot be moved (migration/3)"));
	assert_true(noted(&tune, "1 process pinned to CPUs 2-3 only (cron) is moved off them"));
	assert_true(noted(&tune, "a daemon-reload may switch the controller cpuset off again"));
	/* cpu 2 is a thread of the core of cpu 0 */
	assert_true(noted(&tune, "CPU 2 shares its core with CPU 0, which is not reserved"));
	change = change_of(&tune, "/proc/irq/16/smp_affinity_list");
	assert_null(change);
	assert_true(tune_holds(&tune, &why));
	/* interrupts are no promise; the CPUs are, and the kernel can take them back */
	kernel_put(&k, "/proc/irq/8/smp_affinity_list", "2");
	assert_true(tune_holds(&tune, &why));
	kernel_put(&k, V2 "/flagstone/cpuset.cpus.partition", "root invalid (Parent has no cpu)");
	assert_false(tune_holds(&tune, &why));
	assert_non_null(strstr(why, "cpuset.cpus.partition was set to root and reads root invalid"));
	kernel_close(&k);
}

static void tune_apply__partition_is_refused__the_others_are_confined(void **state)
{
	struct kernel k;
	struct tune tune;
	const struct tune_change *change;

	(void)state;
	kernel_open(&k, "tune-intel");
	k.no_partition = true;
	applied(&k, "1,3", &tune);
	change = change_of(&tune, V2 "/flagstone/cpuset.cpus.partition");
	assert_int_equal(change->outcome, TUNE_NOT_SET);
	assert_non_null(strstr(change->remark, "root invalid (Cpu list in cpuset.cpus not exclusive)"));
	is_text(&k, V2 "/flagstone/cpuset.cpus.partition", "member");
	is_text(&k, V2 "/user.slice/cpuset.cpus", "0,2");
	is_text(&k, V2 "/system.slice/cpuset.cpus", "0,2");
	is_text(&k, V2 "/init.scope/cpuset.cpus", "0,2");
	kernel_close(&k);
}

static void tune_apply__a_group_has_reserved_cpus_of_its_own__it_loses_them_first(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	kernel_put(&k, V2 "/cgroup.subtree_control", "cpuset cpu");
	kernel_put(&k, V2 "/user.slice/cpuset.cpus", "1-3");
	kernel_put(&k, V2 "/system.slice/cpuset.cpus", "");
	before = snapshot(&k);
	applied(&k, "2-3", &tune);
	is_text(&k, V2 "/user.slice/cpuset.cpus", "1");
	assert_int_equal(tune_restore(&tune, false, &counts, &e), 0);
	is_as_before(&k, before, "a group with a list");
	/* nowhere to go */
	kernel_put(&k, V2 "/user.slice/cpuset.cpus", "3");
	assert_int_equal(apply(&k, "2-3", &tune, &e), -1);
	assert_non_null(strstr(e.text, "the control group " V2 "/user.slice may run on 3 and nowhere else"));
	free(before);
	kernel_close(&k);
}

static void tune_apply__an_interrupt_cannot_be_moved__is_said_and_the_rest_holds(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	const struct tune_change *change;
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	k.refuses = "/proc/irq/120/*";
	applied(&k, "2-3", &tune);
	change = change_of(&tune, "/proc/irq/120/smp_affinity_list");
	assert_int_equal(change->outcome, TUNE_NOT_SET);
	assert_string_equal(change->remark, "Input/output error");
	is_text(&k, "/proc/irq/9/smp_affinity_list", "0-1");
	k.refuses = NULL;
	assert_int_equal(tune_restore(&tune, false, &counts, &e), 0);
	is_as_before(&k, before, "an interrupt");
	free(before);
	kernel_close(&k);
}

static void tune_apply__version_1__tasks_move_and_bound_ones_stay(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	const struct tune_change *change;
	char *before;

	(void)state;
	kernel_open(&k, "tune-cpuset-v1");
	before = snapshot(&k);
	applied(&k, "2-3", &tune);
	is_text(&k, V1 "/flagstone/cpuset.cpus", "2-3");
	is_text(&k, V1 "/flagstone/cpuset.mems", "0-1");
	is_text(&k, V1 "/flagstone-rest/cpuset.cpus", "0-1");
	is_text(&k, V1 "/flagstone-rest/cgroup.procs", "1\n17\n400");
	is_text(&k, V1 "/cgroup.procs", "2");
	is_text(&k, V1 "/docker/cpuset.cpus", "0-1");
	is_text(&k, V1 "/docker/aaaa/cpuset.cpus", "1");
	is_text(&k, V1 "/pinned/cpuset.cpus", "3");
	assert_true(is_left(&tune, V1 "/pinned: it may run on CPUs 3 and nowhere else"));
	change = &tune.v[0];
	while (change->kind != TUNE_TASKS)
		change++;
	assert_string_equal(change->remark, "3 moved, 1 could not be: the kernel's own, bound to their CPU");
	/* one that is started meanwhile is in the group, too */
	kernel_move(&k, V1 "/flagstone-rest/cgroup.procs", "500");
	/* and one that measures, which restore moves out */
	kernel_put(&k, V1 "/flagstone/cgroup.procs", "600");
	assert_int_equal(tune_restore(&tune, false, &counts, &e), 0);
	is_text(&k, V1 "/cgroup.procs", "1\n2\n17\n400\n500\n600");
	kernel_put(&k, V1 "/cgroup.procs", "1\n2\n17\n400");
	is_as_before(&k, before, "version 1");
	free(before);
	kernel_close(&k);
}

static void not_reserved(const char *tree, const char *cpus, enum exit_code code, const char *text)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	kernel_open(&k, tree);
	assert_int_equal(apply(&k, cpus, &tune, &e), -1);
	if (e.code != code || strstr(e.text, text) == NULL)
		fail_msg("expected %d and \"%s\", found %d: %s", code, text, e.code, e.text);
	assert_int_equal(k.writes, 0);
	assert_false(kernel_has_state(&k));
	kernel_close(&k);
}

static void tune_plan__cpus_that_cannot_be_reserved__say_which_and_why(void **state)
{
	(void)state;
	not_reserved("tune-intel", "2-4", EXIT_USAGE, "--cpus 2-4: CPU 4 is not online; online are 0-3");
	not_reserved("tune-intel", "0-3", EXIT_USAGE, "no CPU is left for everything else");
	not_reserved("tune-intel", "", EXIT_USAGE, "no CPU is named");
	not_reserved("tune-intel", "2,,3", EXIT_USAGE, "column 3");
	not_reserved(
		"tune-amd", "1", EXIT_CANNOT, "no control groups with the controller cpuset are mounted");
}

static void tune_plan__inside_a_container__is_refused(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-intel");
	/* the machine's own root group has no such file */
	kernel_put(&k, V2 "/cgroup.type", "domain");
	assert_int_equal(apply(&k, "3", &tune, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, "is a container's part of the control groups"));
	kernel_close(&k);
}

static void tune_plan__a_group_of_that_name_is_there__is_not_taken(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-intel");
	kernel_put(&k, V2 "/flagstone/cgroup.procs", "");
	assert_int_equal(apply(&k, "3", &tune, &e), -1);
	assert_non_null(strstr(e.text, "there is a control group " V2 "/flagstone already"));
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tune_apply__version_2__a_partition_and_interrupts_elsewhere),
		cmocka_unit_test(tune_apply__partition_is_refused__the_others_are_confined),
		cmocka_unit_test(tune_apply__a_group_has_reserved_cpus_of_its_own__it_loses_them_first),
		cmocka_unit_test(tune_apply__an_interrupt_cannot_be_moved__is_said_and_the_rest_holds),
		cmocka_unit_test(tune_apply__version_1__tasks_move_and_bound_ones_stay),
		cmocka_unit_test(tune_plan__cpus_that_cannot_be_reserved__say_which_and_why),
		cmocka_unit_test(tune_plan__inside_a_container__is_refused),
		cmocka_unit_test(tune_plan__a_group_of_that_name_is_there__is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
