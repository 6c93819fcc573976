/* The lock lies in a scratch folder of the test's own (FLAGSTONE_LOCK_FOLDER). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "sys/canary.h"
#include "sys/lock.h"

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/flagstone-lock-XXXXXX");
	setenv("FLAGSTONE_LOCK_FOLDER", mkdtemp(folder), 1);
	unsetenv("FLAGSTONE_LOCK_HELD");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return file_remove_tree(folder, NULL);
}

/* A process that holds the lock until it is killed; returns when it does. */
static pid_t start_holder(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct lock lock;

		if (lock_take(&lock, "run flags\nby test", 0, NULL) == 0)
			(void)!write(ready[1], "x", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void lock_take__held_by_another__says_who_and_since_when(void **state)
{
	pid_t holder = start_holder();
	struct lock lock = {.fd = -7};
	struct error e = {0};
	char expected[64];

	(void)state;
	assert_int_equal(lock_take(&lock, "test", 0, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_int_equal(lock.fd, -7);
	snprintf(expected, sizeof(expected), "process %ld since 2", (long)holder);
	assert_non_null(strstr(e.text, expected));
	assert_non_null(strstr(e.text, "run flags by test"));
	assert_non_null(strstr(e.text, folder));
	end_holder(holder);
}

static void lock_take__holder_killed__free_at_once(void **state)
{
	struct lock lock;

	(void)state;
	end_holder(start_holder());
	assert_int_equal(lock_take(&lock, "test", 0, NULL), 0);
	lock_release(&lock);
	assert_int_equal(lock.fd, -1);
}

static void lock_take__waiting__gets_it_when_released(void **state)
{
	pid_t holder = start_holder(), killer = fork();
	struct lock lock;
	int64_t start_ns = clock_ns();

	(void)state;
	if (killer == 0) {
		clock_sleep_ns(200000000);
		kill(holder, SIGKILL);
		_exit(0);
	}
	assert_int_equal(lock_take(&lock, "test", 30000000000, NULL), 0);
	assert_true(clock_ns() - start_ns >= 100000000);
	waitpid(killer, NULL, 0);
	waitpid(holder, NULL, 0);
	lock_release(&lock);
}

static void lock_take__waiting_too_short__given_up(void **state)
{
	pid_t holder = start_holder();
	struct lock lock;
	int64_t start_ns = clock_ns();

	(void)state;
	assert_int_equal(lock_take(&lock, "test", 100000000, NULL), -1);
	assert_true(clock_ns() - start_ns >= 100000000);
	end_holder(holder);
}

static void lock_take__child_of_the_holder__does_not_block_itself(void **state)
{
	struct lock lock;
	int status;
	pid_t child;

	(void)state;
	assert_int_equal(lock_take(&lock, "test", 0, NULL), 0);
	child = fork();
	if (child == 0) {
		struct lock nested;
		int rc = lock_take(&nested, "nested", 0, NULL);

		lock_release(&nested);
		_exit(rc == 0 && nested.fd == -1 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	/* the child's release left it held */
	setenv("FLAGSTONE_LOCK_HELD", "1", 1);
	assert_int_equal(lock_take(&(struct lock){0}, "test", 0, NULL), -1);
	lock_release(&lock);
	assert_null(getenv("FLAGSTONE_LOCK_HELD"));
}

static void lock_take__held_names_a_stranger__refused(void **state)
{
	pid_t holder = start_holder();
	char text[32];
	struct lock lock;

	(void)state;
	/* it does hold the lock, but is no ancestor */
	snprintf(text, sizeof(text), "%ld", (long)holder);
	setenv("FLAGSTONE_LOCK_HELD", text, 1);
	assert_int_equal(lock_take(&lock, "test", 0, NULL), -1);
	end_holder(holder);
}

static void lock_take__symbolic_link_or_no_folder__refused(void **state)
{
	char path[128];
	struct error e = {0};
	struct lock lock;

	(void)state;
	snprintf(path, sizeof(path), "%s/flagstone.lock", folder);
	assert_int_equal(symlink("/tmp/flagstone-elsewhere", path), 0);
	assert_int_equal(lock_take(&lock, "test", 0, &e), -1);
	assert_non_null(strstr(e.text, path));
	assert_false(file_exists("/tmp/flagstone-elsewhere"));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lock_take(&lock, "test", 0, &e), -1);
	setenv("FLAGSTONE_LOCK_FOLDER", "/no/folder", 1);
	assert_int_equal(lock_take(&lock, "test", 0, &e), -1);
	assert_non_null(strstr(e.text, "FLAGSTONE_LOCK_FOLDER"));
}

static uint32_t shortest(uint32_t (*measure)(const struct canary *), const struct canary *canary)
{
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < 300; i++) {
		uint32_t ns = measure(canary);

		if (ns < least)
			least = ns;
	}
	return least;
}

static void canary__calibrated__takes_time_that_grows_with_the_count(void **state)
{
	struct canary canary = {0}, twice;

	(void)state;
	canary_calibrate(&canary);
	assert_true(canary.dep_iterations > 0 && canary.wide_iterations > 0);
	/* four times the work in the undisturbed case takes more than twice as long: it is not optimised away */
	twice = (struct canary){canary.dep_iterations * 4, canary.wide_iterations * 4};
	assert_true(shortest(canary_dep_ns, &canary) > 0);
	assert_true(shortest(canary_dep_ns, &twice) > 2 * shortest(canary_dep_ns, &canary));
	assert_true(shortest(canary_wide_ns, &twice) > 2 * shortest(canary_wide_ns, &canary));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lock_take__held_by_another__says_who_and_since_when, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_take__holder_killed__free_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_take__waiting__gets_it_when_released, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_take__waiting_too_short__given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lock_take__child_of_the_holder__does_not_block_itself, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_take__held_names_a_stranger__refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lock_take__symbolic_link_or_no_folder__refused, set_up, tear_down),
		cmocka_unit_test(canary__calibrated__takes_time_that_grows_with_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
