/*
 * Jobs are shell commands, whose effect is known from what they are; compiler messages are gcc's and GNU ld's own, typed
 * off.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "build/jobs.h"
#include "test_code_tools.h"

static struct arena arena;

static struct job shell(const char *command, const char *output)
{
	struct job job = {.folder = tools_folder, .output = output};

	words_add(&job.argv, &arena, "/bin/sh");
	words_add(&job.argv, &arena, "-c");
	words_add(&job.argv, &arena, command);
	return job;
}

static struct jobs_options options(uint32_t parallel)
{
	return (struct jobs_options){.parallel = parallel, .timeout_ns = 20000000000};
}

static void run(struct job *jobs, size_t count, const struct jobs_options *o)
{
	struct error e = {0};

	if (jobs_run(jobs, count, o, &arena, &e) != 0)
		fail_msg("%s", e.text);
}

static struct job run_one(const char *command, const char *output)
{
	struct job job = shell(command, output);
	struct jobs_options o = options(1);

	run(&job, 1, &o);
	return job;
}

static void assert_has(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" does not have \"%s\"", text != NULL ? text : "(null)", part);
}

static void jobs_run__output_is_left__ok_with_words_and_times(void **state)
{
	struct job job = run_one("echo said; echo complained >&2; echo x >out.o", "out.o");

	(void)state;
	assert_true(job.ok);
	assert_null(job.reason);
	assert_string_equal(job.text, "said\ncomplained\n");
	assert_true(job.wall_ns > 0);
	assert_true(job.cpu_ns >= 0);
	assert_true(file_exists(tools_path("out.o")));
}

static void jobs_run__compiler_fails__first_error_line_is_the_reason(void **state)
{
	struct job job = run_one("echo \"a.c: In function 'main':\"; echo 'a.c:1:5: warning: unused'; "
				 "echo \"a.c:3:9: error: 'x' undeclared (first use in this function)\"; "
				 "echo 'a.c:4:1: error: another'; echo half >out.o; exit 1",
		"out.o");

	(void)state;
	assert_false(job.ok);
	assert_string_equal(job.reason,
		"`sh` ended with exit code 1: a.c:3:9: error: 'x' undeclared (first use in this function)");
	assert_false(file_exists(tools_path("out.o")));
	assert_has(job.text, "a.c:4:1: error: another");
}

static void jobs_run__linker_fails__what_it_misses_is_the_reason(void **state)
{
	const char *ends[] = {"collect2: error: ld returned 1 exit status",
		"clang: error: linker command failed with exit code 1 (use -v to see invocation)",
		"lto-wrapper: fatal error: gcc returned 1 exit status"};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct job job =
			run_one(arena_printf(&arena,
					"cat <<'END'\n/usr/bin/ld: main.o: in function `main':\n"
					"main.c:(.text+0x5): undefined reference to `f'\n%s\nEND\nexit 1",
					ends[i]),
				"out.o");

		assert_string_equal(job.reason,
			"`sh` ended with exit code 1: main.c:(.text+0x5): undefined reference to `f'");
	}
}

static void jobs_run__fails_with_a_line_without_end__cut(void **state)
{
	struct job job = run_one("printf 'error: '; head -c 5000 /dev/zero | tr '\\0' e; exit 1", "out.o");

	(void)state;
	assert_in_range(strlen(job.reason), 600, 700);
	assert_true(text_ends(job.reason, "eee..."));
	job = run_one("exit 1", "out.o");
	assert_string_equal(job.reason, "`sh` ended with exit code 1");
	job = run_one("echo 'only this:'; exit 1", "out.o");
	assert_string_equal(job.reason, "`sh` ended with exit code 1: only this:");
}

/* CASES.md 19: a step that exits 0 and produced nothing */
static void jobs_run__exit_0_without_output__failed(void **state)
{
	struct job none = run_one("exit 0", "out.o");
	struct job empty = run_one(": >empty.o", "empty.o");
	struct job folder = run_one("mkdir -p folder.o", "folder.o");

	(void)state;
	assert_false(none.ok);
	assert_string_equal(none.reason, "`sh` ended with exit code 0 but left no output file out.o");
	assert_false(empty.ok);
	assert_has(empty.reason, "left no output file");
	assert_false(folder.ok);
	assert_has(folder.reason, "left no output file");
}

static void jobs_run__output_of_before__is_removed_first(void **state)
{
	struct job job;

	(void)state;
	tools_write("stale.o", "old");
	job = run_one("exit 0", "stale.o");
	assert_false(job.ok);
	assert_false(file_exists(tools_path("stale.o")));
	tools_write("stale.o", "old");
	job = run_one("test ! -e stale.o && echo new >stale.o", "stale.o");
	assert_true(job.ok);
}

static void jobs_run__old_output_cannot_be_removed__reason(void **state)
{
	struct job job;

	(void)state;
	/* a folder cannot be unlinked, whoever asks */
	tools_run(NULL, "mkdir -p wall.o");
	job = run_one("exit 0", "wall.o");
	assert_false(job.ok);
	assert_has(job.reason, "wall.o cannot be removed");
}

static void jobs_run__not_executable__failed_where_it_has_to_be(void **state)
{
	struct job job = shell("echo x >prog; chmod 644 prog", "prog");
	struct jobs_options o = options(1);

	(void)state;
	job.executable = true;
	run(&job, 1, &o);
	assert_false(job.ok);
	assert_string_equal(job.reason, "`sh` left prog, which is not executable");
	job = shell("echo x >prog; chmod 755 prog", "prog");
	job.executable = true;
	run(&job, 1, &o);
	assert_true(job.ok);
}

/* CASES.md 20: the whole process group ends */
static void jobs_run__sleeps_for_ever__killed_with_its_children(void **state)
{
	struct job job = shell("sleep 1000 & echo $! >child; wait", "out.o");
	struct jobs_options o = options(1);
	int64_t begin = clock_ns();
	long pid;

	(void)state;
	o.timeout_ns = 200000000;
	run(&job, 1, &o);
	assert_false(job.ok);
	assert_has(job.reason, "timed out after");
	assert_true(clock_ns() - begin < 15000000000);
	pid = atol(tools_run(NULL, "cat child"));
	assert_true(pid > 1);
	for (int i = 0; i < 500 && kill((pid_t)pid, 0) == 0; i++)
		clock_sleep_ns(10000000);
	assert_int_not_equal(kill((pid_t)pid, 0), 0);
}

static void jobs_run__deadline_is_over__none_is_begun(void **state)
{
	struct job jobs[3] = {
		shell("echo x >d0", "d0"), shell("echo x >d1", "d1"), shell("echo x >d2", "d2")};
	struct jobs_options o = options(2);

	(void)state;
	o.deadline_ns = clock_ns() - 1;
	run(jobs, 3, &o);
	for (int i = 0; i < 3; i++) {
		assert_false(jobs[i].ok);
		assert_string_equal(jobs[i].reason, JOB_OUT_OF_TIME);
	}
	assert_false(file_exists(tools_path("d0")));
}

static void jobs_run__deadline_passes_midway__begun_ones_end_the_rest_is_left_out(void **state)
{
	struct job jobs[3] = {
		shell("sleep 0.3; echo x >m0", "m0"), shell("echo x >m1", "m1"), shell("echo x >m2", "m2")};
	struct jobs_options o = options(1);

	(void)state;
	o.deadline_ns = clock_ns() + 150000000;
	run(jobs, 3, &o);
	assert_true(jobs[0].ok);
	assert_string_equal(jobs[1].reason, JOB_OUT_OF_TIME);
	assert_string_equal(jobs[2].reason, JOB_OUT_OF_TIME);
}

static void jobs_run__program_is_missing__reason_names_it(void **state)
{
	struct job job = {.folder = tools_folder, .output = "out.o"};
	struct jobs_options o = options(1);

	(void)state;
	words_add(&job.argv, &arena, "/nowhere/my gcc");
	run(&job, 1, &o);
	assert_false(job.ok);
	assert_has(job.reason, "/nowhere/my gcc");
	assert_has(job.reason, "No such file");
}

struct seen {
	size_t calls, last_done, total;
	bool in_order;
};

static void see(void *context, const char *what, size_t done, size_t total)
{
	struct seen *seen = context;

	seen->in_order = seen->calls == 0 || done >= seen->last_done;
	seen->calls++;
	seen->last_done = done;
	seen->total = total;
	assert_string_equal(what, "compile");
}

static void jobs_run__many_at_once__each_has_its_own_result(void **state)
{
	enum { COUNT = 60 };
	struct job jobs[COUNT];
	struct jobs_options o = options(4);
	struct seen seen = {0};

	(void)state;
	o.progress = see;
	o.context = &seen;
	o.what = "compile";
	for (int i = 0; i < COUNT; i++)
		jobs[i] = shell(arena_printf(&arena, "echo job %d; %s echo x >p%d", i,
					i % 7 == 3 ? "exit 3;" : "", i),
			arena_printf(&arena, "p%d", i));
	run(jobs, COUNT, &o);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(jobs[i].ok, i % 7 != 3);
		assert_string_equal(jobs[i].text, arena_printf(&arena, "job %d\n", i));
		if (!jobs[i].ok)
			assert_has(jobs[i].reason, "exit code 3");
	}
	assert_int_equal(seen.calls, COUNT);
	assert_int_equal(seen.last_done, COUNT);
	assert_int_equal(seen.total, COUNT);
	assert_true(seen.in_order);
}

static void jobs_run__parallel_2__two_run_at_the_same_time_never_three(void **state)
{
	/* each notes how many are at work, itself included */
	const char *command = "mkdir w.$$ && ls -d w.* | wc -l >>seen; sleep 0.1; rmdir w.$$; echo x >q";
	struct job jobs[6];
	struct jobs_options o = options(2);

	(void)state;
	for (int i = 0; i < 6; i++)
		jobs[i] = shell(arena_printf(&arena, "%s%d", command, i), arena_printf(&arena, "q%d", i));
	run(jobs, 6, &o);
	for (int i = 0; i < 6; i++)
		assert_true(jobs[i].ok);
	assert_string_equal(tools_run(NULL, "sort -n seen | tail -n 1"), "2");
}

/* CASES.md 21: 5 MB on standard error */
static void jobs_run__flood_of_words__cut_with_a_note(void **state)
{
	struct job job =
		run_one("echo 'first words'; head -c 5000000 /dev/zero | tr '\\0' e >&2; exit 1", "out.o");

	(void)state;
	assert_false(job.ok);
	assert_has(job.reason, "first words");
	assert_true(strlen(job.text) < 128 * 1024);
	assert_has(job.text, "5000012 bytes in all; the rest was cut");
}

/* CASES.md 17: nothing of the user's reaches a compiler; the job's own variables do */
static void jobs_run__users_environment__does_not_arrive(void **state)
{
	struct job job =
		shell("echo \"<$CFLAGS$CPATH$GCC_EXEC_PREFIX>$MINE$LC_ALL$SOURCE_DATE_EPOCH\" | tee out.o",
			"out.o");
	struct jobs_options o = options(1);

	(void)state;
	setenv("CFLAGS", "-DUSER", 1);
	setenv("CPATH", "/user", 1);
	setenv("GCC_EXEC_PREFIX", "/user", 1);
	words_add(&job.env, &arena, "MINE=yes ");
	run(&job, 1, &o);
	unsetenv("CFLAGS");
	unsetenv("CPATH");
	unsetenv("GCC_EXEC_PREFIX");
	assert_string_equal(job.text, "<>yes C0\n");
}

/* CASES.md 13 */
static void jobs_run__bytes_that_are_no_utf8__kept(void **state)
{
	struct job job = run_one("printf 'a.c:1: error: \\377\\376 \\302\\253x\\n'; exit 1", "out.o");

	(void)state;
	assert_has(job.reason, "error: \377\376 \302\253x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_run__output_is_left__ok_with_words_and_times),
		cmocka_unit_test(jobs_run__compiler_fails__first_error_line_is_the_reason),
		cmocka_unit_test(jobs_run__linker_fails__what_it_misses_is_the_reason),
		cmocka_unit_test(jobs_run__fails_with_a_line_without_end__cut),
		cmocka_unit_test(jobs_run__exit_0_without_output__failed),
		cmocka_unit_test(jobs_run__output_of_before__is_removed_first),
		cmocka_unit_test(jobs_run__old_output_cannot_be_removed__reason),
		cmocka_unit_test(jobs_run__not_executable__failed_where_it_has_to_be),
		cmocka_unit_test(jobs_run__sleeps_for_ever__killed_with_its_children),
		cmocka_unit_test(jobs_run__deadline_is_over__none_is_begun),
		cmocka_unit_test(jobs_run__deadline_passes_midway__begun_ones_end_the_rest_is_left_out),
		cmocka_unit_test(jobs_run__program_is_missing__reason_names_it),
		cmocka_unit_test(jobs_run__many_at_once__each_has_its_own_result),
		cmocka_unit_test(jobs_run__parallel_2__two_run_at_the_same_time_never_three),
		cmocka_unit_test(jobs_run__flood_of_words__cut_with_a_note),
		cmocka_unit_test(jobs_run__users_environment__does_not_arrive),
		cmocka_unit_test(jobs_run__bytes_that_are_no_utf8__kept),
	};
	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	arena_release(&arena);
	return failed;
}
