/* Folders of a process' own: where they are made, that they go, and that dead ones are swept up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/text.h"
#include "sys/private_folder.h"
#include "test_code_tools.h"

static struct arena arena;

static int setup(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	setenv("TMPDIR", tools_folder, 1);
	return 0;
}

static int teardown(void **state)
{
	arena_release(&arena);
	return tools_teardown(state);
}

static void private_folder_make__tmpdir__there_mine_alone_and_gone_again(void **state)
{
	struct private_folder folder = PRIVATE_FOLDER_NONE;
	struct error e = {0};
	struct stat st;
	const char *path;

	(void)state;
	assert_int_equal(private_folder_make(&folder, "test", &arena, &e), 0);
	path = folder.path;
	assert_true(text_starts(path, arena_printf(&arena, "%s/flagstone-test-", tools_folder)));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	tools_run(NULL,
		"mkdir $(ls -d flagstone-test-*)/a && echo x >$(ls -d flagstone-test-*)/a/b && ln -s / $(ls "
		"-d flagstone-test-*)/root");
	assert_int_equal(private_folder_remove(&folder, &e), 0);
	assert_false(file_exists(path));
	assert_null(folder.path);
	assert_int_equal(private_folder_remove(&folder, &e), 0);
}

/* Folders of the past: one whose owner was killed, one in use, one that is young. */
static void private_folder_make__abandoned_ones__removed_others_not(void **state)
{
	struct private_folder live = PRIVATE_FOLDER_NONE, next = PRIVATE_FOLDER_NONE;
	struct timespec old[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
	struct error e = {0};
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(private_folder_make(&live, "test", &arena, &e), 0);
	child = fork();
	if (child == 0) {
		struct private_folder mine = PRIVATE_FOLDER_NONE;

		if (private_folder_make(&mine, "test", &arena, NULL) != 0 ||
			rename(mine.path, tools_path("flagstone-test-killed")) != 0)
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	tools_run(NULL, "echo x >flagstone-test-killed/x; mkdir flagstone-test-young flagstone-other-x");
	assert_int_equal(utimensat(AT_FDCWD, tools_path("flagstone-test-killed"), old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, tools_path("flagstone-other-x"), old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, live.path, old, 0), 0);
	assert_int_equal(private_folder_make(&next, "test", &arena, &e), 0);
	assert_false(file_exists(tools_path("flagstone-test-killed")));
	assert_true(file_exists(tools_path("flagstone-test-young")));
	assert_true(file_exists(tools_path("flagstone-other-x")));
	assert_true(file_exists(live.path));
	assert_int_equal(private_folder_remove(&live, &e), 0);
	assert_int_equal(private_folder_remove(&next, &e), 0);
}

static void private_folder_make__no_such_tmpdir__another_one(void **state)
{
	struct private_folder folder = PRIVATE_FOLDER_NONE;
	struct error e = {0};

	(void)state;
	setenv("TMPDIR", tools_path("none"), 1);
	assert_int_equal(private_folder_make(&folder, "test", &arena, &e), 0);
	assert_true(file_is_folder(folder.path));
	assert_false(text_starts(folder.path, tools_path("none")));
	assert_int_equal(private_folder_remove(&folder, &e), 0);
	setenv("TMPDIR", tools_folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(private_folder_make__tmpdir__there_mine_alone_and_gone_again),
		cmocka_unit_test(private_folder_make__abandoned_ones__removed_others_not),
		cmocka_unit_test(private_folder_make__no_such_tmpdir__another_one),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
