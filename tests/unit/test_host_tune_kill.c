/*
 * The program is killed between any two steps of tune, and of restore: what another one then restores is the tree bit
 * for bit as it was.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tune_fixture.h"

enum { STEPS_MAX = 2000 };

static int tune_now(struct kernel *k, enum tune_profile profile, const char *cpus)
{
	struct tune_options options = kernel_options(k, profile, cpus);
	struct arena arena = {0};
	struct tune tune;
	struct error e = {0};
	int result = tune_plan(&tune, &options, &arena, &e);

	if (result == 0)
		result = tune_apply(&tune, &e);
	arena_release(&arena);
	return result;
}

/* As a new process does; nothing to restore is fine. */
static int restore_now(struct kernel *k)
{
	struct tune_options options = kernel_options(k, TUNE_AS_USED, NULL);
	struct arena arena = {0};
	struct tune_counts counts = {0};
	struct tune tune;
	struct error e = {0};
	int result = tune_load(&tune, &options, &arena, &e);

	if (result == 0 && tune.found)
		result = tune_restore(&tune, false, &counts, &e);
	if (result != 0)
		print_message("%s\n", e.text);
	arena_release(&arena);
	return result != 0 || counts.left > 0 ? -1 : 0;
}

/* Runs it in a child that is killed at a step: true; false: it came to its end before. */
static bool killed(struct kernel *k, bool tuning, enum tune_profile profile, const char *cpus, size_t at)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		k->steps = 0;
		k->kill_at = at;
		_exit((tuning ? tune_now(k, profile, cpus) : restore_now(k)) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 9);
	return WEXITSTATUS(status) == 9;
}

/* Gives how many steps there were. */
static size_t kill_everywhere(const char *tree, enum tune_profile profile, const char *cpus, bool tuning)
{
	struct kernel k;
	char *before, when[96];
	size_t at;
	bool was_killed = true;

	kernel_open(&k, tree);
	before = snapshot(&k);
	for (at = 1; was_killed; at++) {
		assert_true(at < STEPS_MAX);
		if (!tuning)
			assert_int_equal(tune_now(&k, profile, cpus), 0);
		was_killed = killed(&k, tuning, profile, cpus, at);
		snprintf(when, sizeof(when), "%s, %s killed at step %zu", tree, tuning ? "tune" : "restore",
			at);
		if (restore_now(&k) != 0)
			fail_msg("%s: could not be restored", when);
		is_as_before(&k, before, when);
		assert_false(kernel_has_state(&k));
	}
	free(before);
	kernel_close(&k);
	return at - 2;
}

static void tune_restore__tune_killed_at_each_step__tree_is_as_before(void **state)
{
	(void)state;
	/*
	 * Two states; 4 preferences, 4 governors, turbo, 4 limits, 4 idle states, 2 switches; controller, group, its CPUs,
	 * partition, 3 interrupts, 2 masks: read off the tree.
	 */
	assert_int_equal(kill_everywhere("tune-intel", TUNE_STEADY, "2-3", true), 30);
	assert_true(kill_everywhere("tune-amd", TUNE_STEADY, NULL, true) > 5);
	assert_true(kill_everywhere("tune-cpuset-v1", TUNE_STEADY, "0-1", true) > 5);
}

static void tune_restore__restore_killed_at_each_step__next_one_goes_on(void **state)
{
	(void)state;
	assert_true(kill_everywhere("tune-intel", TUNE_STEADY, "2-3", false) >= 30);
	assert_true(kill_everywhere("tune-cpuset-v1", TUNE_STEADY, "0-1", false) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tune_restore__tune_killed_at_each_step__tree_is_as_before),
		cmocka_unit_test(tune_restore__restore_killed_at_each_step__next_one_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
