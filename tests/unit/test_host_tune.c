/*
 * Tuning a recorded tree and putting it back, with a kernel that refuses, ignores and moves things (tune_fixture.h).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <cmocka.h>

#include "host/host.h"
#include "sys/process.h"
#include "tune_fixture.h"

/* Tunes; -1 with the error. */
static int apply(
	struct kernel *k, enum tune_profile profile, const char *cpus, struct tune *tune, struct error *e)
{
	struct tune_options options = kernel_options(k, profile, cpus);

	if (tune_plan(tune, &options, &k->arena, e) != 0)
		return -1;
	return tune_apply(tune, e);
}

static void applied(struct kernel *k, enum tune_profile profile, const char *cpus, struct tune *tune)
{
	struct error e = {0};

	if (apply(k, profile, cpus, tune, &e) != 0)
		fail_msg("%s", e.text);
}

static void loaded(struct kernel *k, struct tune *tune)
{
	struct tune_options options = kernel_options(k, TUNE_AS_USED, NULL);
	struct error e = {0};

	if (tune_load(tune, &options, &k->arena, &e) != 0)
		fail_msg("%s", e.text);
}

/* As another process would; false: with an error. */
static int restore(struct kernel *k, bool force, struct tune_counts *counts, struct error *e)
{
	struct tune tune;

	loaded(k, &tune);
	assert_true(tune.found);
	return tune_restore(&tune, force, counts, e);
}

static void restored(struct kernel *k, struct tune_counts *counts)
{
	struct error e = {0};

	if (restore(k, false, counts, &e) != 0)
		fail_msg("%s", e.text);
}

static void is_text(struct kernel *k, const char *path, const char *text)
{
	const char *now = kernel_read(k, path);

	if (!text_same(now, text))
		fail_msg("%s reads %s, expected %s", path, now != NULL ? now : "nothing", text);
}

static void there_and_back(const char *tree, enum tune_profile profile, const char *cpus)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	char *before;

	kernel_open(&k, tree);
	before = snapshot(&k);
	applied(&k, profile, cpus, &tune);
	assert_true(k.writes > 0);
	assert_true(kernel_has_state(&k));
	restored(&k, &counts);
	assert_int_equal(counts.left + counts.failed + counts.gone, 0);
	assert_true(counts.restored > 0);
	is_as_before(&k, before, tree);
	assert_false(kernel_has_state(&k));
	free(before);
	kernel_close(&k);
}

static void tune_restore__each_tree_and_profile__tree_is_bit_for_bit_as_before(void **state)
{
	(void)state;
	there_and_back("tune-intel", TUNE_AS_USED, NULL);
	there_and_back("tune-intel", TUNE_STEADY, NULL);
	there_and_back("tune-intel", TUNE_STEADY, "2-3");
	there_and_back("tune-amd", TUNE_STEADY, NULL);
	there_and_back("tune-cpuset-v1", TUNE_STEADY, NULL);
	there_and_back("tune-cpuset-v1", TUNE_AS_USED, "1-2");
}

static void tune_apply__steady__values_and_what_follows_are_in_force(void **state)
{
	struct kernel k;
	struct tune tune;
	const char *why = NULL;
	const struct tune_change *change;

	(void)state;
	kernel_open(&k, "tune-intel");
	applied(&k, TUNE_STEADY, NULL, &tune);
	is_text(&k, POLICY "3/scaling_governor", "performance");
	is_text(&k, POLICY "3/scaling_max_freq", "2100000");
	is_text(&k, TREE_CPU "/intel_pstate/no_turbo", "1");
	is_text(&k, TREE_CPU "/cpu2/cpuidle/state2/disable", "1");
	is_text(&k, TREE_CPU "/cpu2/cpuidle/state1/disable", "0");
	is_text(&k, POLICY "4/scaling_governor", "powersave");
	/* moved by the turbo switch before it was its turn, and known all the same */
	change = change_of(&tune, POLICY "0/scaling_max_freq");
	assert_string_equal(change->old, "3900000");
	assert_string_equal(change->after, "2100000");
	loaded(&k, &tune);
	assert_true(tune_holds(&tune, &why));
	assert_string_equal(tune_summary(&tune), "epp=performance governor=performance turbo=off "
						 "limit=2100000 deep_idle=off numa_balancing=off "
						 "nmi_watchdog=off");
	kernel_close(&k);
}

static void fails(const char *pattern, bool ignored, const char *text)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};
	char *before;

	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	*(ignored ? &k.ignores : &k.refuses) = pattern;
	assert_int_equal(apply(&k, TUNE_STEADY, NULL, &tune, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	if (strstr(e.text, text) == NULL || strstr(e.text, "is as it was before") == NULL)
		fail_msg("expected \"%s\" in: %s", text, e.text);
	is_as_before(&k, before, pattern);
	assert_false(kernel_has_state(&k));
	free(before);
	kernel_close(&k);
}

/* CASES 100: writes that fail or do nothing, and a sibling that keeps its limit. */
static void tune_apply__write_fails_or_is_ignored__said_and_all_undone(void **state)
{
	(void)state;
	fails(POLICY "2/scaling_governor", false,
		"setting " POLICY "2/scaling_governor from powersave to performance: Input/output error");
	fails("*/intel_pstate/no_turbo", true,
		"from 0 to 1: the kernel took the value and did not keep it: it reads 0");
	fails("/proc/sys/kernel/nmi_watchdog", true, "it reads 1");
	fails(TREE_CPU "/cpu3/cpuidle/state2/disable", true, "it reads 0");
}

/* What followed the turbo switch cannot be written, neither there nor back: said, and kept for another try. */
static void tune_apply__undoing_fails_too__said_and_what_was_before_is_kept(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	k.refuses = POLICY "3/scaling_max_freq";
	assert_int_equal(apply(&k, TUNE_STEADY, NULL, &tune, &e), -1);
	assert_non_null(strstr(e.text, "from 3900000 to 2100000: Input/output error"));
	assert_non_null(strstr(e.text, "not all that had been set could be put back"));
	is_text(&k, POLICY "2/scaling_max_freq", "3900000");
	assert_true(kernel_has_state(&k));
	k.refuses = NULL;
	restored(&k, &counts);
	assert_int_equal(counts.restored, 1);
	is_as_before(&k, before, "second try");
	free(before);
	kernel_close(&k);
}

/* A limit that a later write moves away again is seen when all is set. */
static int raise_limit(const char *path, const char *text, void *context)
{
	struct kernel *k = context;

	if (strcmp(file_name(path), "nmi_watchdog") == 0 && strcmp(text, "0") == 0)
		kernel_put(k, POLICY "1/scaling_max_freq", "3900000");
	return kernel_write(path, text, context);
}

static void tune_apply__sibling_has_its_old_limit_again__said_and_all_undone(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	k.io.write = raise_limit;
	assert_int_equal(apply(&k, TUNE_STEADY, NULL, &tune, &e), -1);
	assert_non_null(strstr(e.text, POLICY "1/scaling_max_freq"));
	assert_non_null(strstr(e.text, "reads 3900000 now that the rest is set"));
	is_as_before(&k, before, "sibling");
	free(before);
	kernel_close(&k);
}

static void tune_apply__driver_rounds_the_limit__is_accepted(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	const char *why = NULL;

	(void)state;
	kernel_open(&k, "tune-intel");
	k.rounds = POLICY "*/scaling_max_freq";
	applied(&k, TUNE_STEADY, NULL, &tune);
	is_text(&k, POLICY "2/scaling_max_freq", "2050000");
	loaded(&k, &tune);
	assert_true(tune_holds(&tune, &why));
	/* but what was before is to be there to the digit */
	assert_int_equal(restore(&k, false, &counts, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, "it reads 3850000 after 3900000 was written"));
	assert_true(kernel_has_state(&k));
	k.rounds = NULL;
	restored(&k, &counts);
	is_text(&k, POLICY "2/scaling_max_freq", "3900000");
	kernel_close(&k);
}

static void tune_apply__files_that_cannot_be_written__nothing_is_tried(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	(void)state;
	if (geteuid() == 0)
		skip(); /* root writes to all of them */
	kernel_open(&k, "tune-intel");
	assert_int_equal(chmod(arena_printf(&k.arena, "%s/proc/sys/kernel/nmi_watchdog", k.root), 0444), 0);
	assert_int_equal(apply(&k, TUNE_AS_USED, NULL, &tune, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(
		e.text, "1 file cannot be written (/proc/sys/kernel/nmi_watchdog: Permission denied)"));
	assert_int_equal(k.writes, 0);
	assert_false(kernel_has_state(&k));
	kernel_close(&k);
}

static void tune_restore__somebody_changed_a_value__is_left_and_said_or_forced(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	applied(&k, TUNE_STEADY, NULL, &tune);
	kernel_put(&k, POLICY "1/scaling_governor", "schedutil");
	kernel_put(&k, POLICY "0/scaling_max_freq", "1200000");
	restored(&k, &counts);
	assert_int_equal(counts.left, 2);
	is_text(&k, POLICY "1/scaling_governor", "schedutil");
	is_text(&k, POLICY "0/scaling_max_freq", "1200000");
	is_text(&k, POLICY "0/scaling_governor", "powersave");
	/* again: the same two; and they are not forgotten */
	restored(&k, &counts);
	assert_int_equal(counts.left, 2);
	assert_int_equal(counts.restored, 0);
	loaded(&k, &tune);
	assert_int_equal(tune.phase, TUNE_LEFT_OVER);
	assert_int_equal(tune.n, 2);
	assert_int_equal(restore(&k, true, &counts, &e), 0);
	assert_int_equal(counts.restored, 2);
	is_as_before(&k, before, "forced");
	assert_false(kernel_has_state(&k));
	free(before);
	kernel_close(&k);
}

static void tune_restore__somebody_put_it_back_already__needs_nothing(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;

	(void)state;
	kernel_open(&k, "tune-intel");
	applied(&k, TUNE_AS_USED, NULL, &tune);
	kernel_put(&k, POLICY "1/scaling_governor", "powersave");
	restored(&k, &counts);
	/* 3 governors, 4 preferences, 2 switches */
	assert_int_equal(counts.restored, 9);
	assert_int_equal(counts.left, 0);
	assert_int_equal(counts.as_before, 1);
	kernel_close(&k);
}

/* What tune only looked at is not its to put back. */
static void tune_restore__value_that_was_right_from_the_start_changed__is_not_touched(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	const char *why = NULL;

	(void)state;
	kernel_open(&k, "tune-intel");
	kernel_put(&k, POLICY "2/scaling_governor", "performance");
	applied(&k, TUNE_AS_USED, NULL, &tune);
	kernel_put(&k, POLICY "2/scaling_governor", "schedutil");
	loaded(&k, &tune);
	assert_false(tune_holds(&tune, &why));
	assert_string_equal(why, POLICY "2/scaling_governor was set to performance and reads schedutil now");
	assert_int_equal(restore(&k, true, &counts, &e), 0);
	is_text(&k, POLICY "2/scaling_governor", "schedutil");
	assert_int_equal(counts.left, 0);
	kernel_close(&k);
}

static void tune_restore__cannot_put_one_back__others_are_and_it_can_be_tried_again(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};
	char *before;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	applied(&k, TUNE_STEADY, NULL, &tune);
	k.refuses = "*/intel_pstate/no_turbo";
	assert_int_equal(restore(&k, false, &counts, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, TREE_CPU "/intel_pstate/no_turbo to 0: Input/output error"));
	assert_non_null(strstr(e.text, "`flagstone restore` again"));
	is_text(&k, POLICY "0/scaling_governor", "powersave");
	k.refuses = NULL;
	restored(&k, &counts);
	is_as_before(&k, before, "second try");
	free(before);
	kernel_close(&k);
}

static void tune_restore__after_a_reboot__only_what_still_reads_as_set_is_written(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;

	(void)state;
	kernel_open(&k, "tune-intel");
	applied(&k, TUNE_AS_USED, "2-3", &tune);
	/* the machine comes up: most as before, one governor still performance, a watchdog at 2, numbers of interrupts new */
	kernel_put(&k, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555");
	for (int i = 0; i < 4; i++) {
		kernel_put(&k, arena_printf(&k.arena, POLICY "%d/scaling_governor", i),
			i == 1 ? "performance" : "powersave");
		kernel_put(&k, arena_printf(&k.arena, POLICY "%d/energy_performance_preference", i),
			"balance_performance");
	}
	kernel_put(&k, "/proc/sys/kernel/numa_balancing", "1");
	kernel_put(&k, "/proc/sys/kernel/nmi_watchdog", "2");
	kernel_put(&k, "/proc/irq/8/smp_affinity_list", "0-1");
	loaded(&k, &tune);
	assert_true(tune.rebooted);
	k.writes = 0;
	restored(&k, &counts);
	is_text(&k, POLICY "1/scaling_governor", "powersave");
	is_text(&k, "/proc/sys/kernel/nmi_watchdog", "2");
	is_text(&k, "/proc/irq/8/smp_affinity_list", "0-1");
	assert_int_equal(counts.left, 1);
	/* the governor and, no matter which boot, the mask of work queues */
	assert_int_equal(k.writes, 2);
	kernel_close(&k);
}

static void tune_apply__interrupted__all_is_as_before(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};
	char *before;
	int status;
	pid_t pid;

	(void)state;
	kernel_open(&k, "tune-intel");
	before = snapshot(&k);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		process_catch_signals();
		raise(SIGINT);
		_exit(apply(&k, TUNE_STEADY, NULL, &tune, &e) == -1 && e.code == EXIT_INTERRUPTED ? 7 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	is_as_before(&k, before, "interrupted");
	assert_false(kernel_has_state(&k));
	free(before);
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tune_restore__each_tree_and_profile__tree_is_bit_for_bit_as_before),
		cmocka_unit_test(tune_apply__steady__values_and_what_follows_are_in_force),
		cmocka_unit_test(tune_apply__write_fails_or_is_ignored__said_and_all_undone),
		cmocka_unit_test(tune_apply__undoing_fails_too__said_and_what_was_before_is_kept),
		cmocka_unit_test(tune_apply__sibling_has_its_old_limit_again__said_and_all_undone),
		cmocka_unit_test(tune_apply__driver_rounds_the_limit__is_accepted),
		cmocka_unit_test(tune_apply__files_that_cannot_be_written__nothing_is_tried),
		cmocka_unit_test(tune_restore__somebody_changed_a_value__is_left_and_said_or_forced),
		cmocka_unit_test(tune_restore__somebody_put_it_back_already__needs_nothing),
		cmocka_unit_test(tune_restore__value_that_was_right_from_the_start_changed__is_not_touched),
		cmocka_unit_test(tune_restore__cannot_put_one_back__others_are_and_it_can_be_tried_again),
		cmocka_unit_test(tune_restore__after_a_reboot__only_what_still_reads_as_set_is_written),
		cmocka_unit_test(tune_apply__interrupted__all_is_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
