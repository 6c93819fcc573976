/*
 * Expected exit codes, signals and texts are what the worker (test_sys_worker.h) is told to do; signal numbers and
 * names are signal(7)'s; hashes are sha256sum's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "sys/process.h"
#include "test_sys_worker.h"

#define WORKER(...)                                                                                          \
	(char *[])                                                                                           \
	{                                                                                                    \
		worker_self(), (char *)"--worker", __VA_ARGS__, NULL                                         \
	}
#define S(text) ((char *)(uintptr_t)(text))

static struct arena arena;

static struct process_result run(struct process_options o)
{
	struct process_result r;
	struct error e = {0};

	if (process_run(&o, &r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void fails(struct process_options o, const char *part, const char *part2)
{
	struct process_result r;
	struct error e = {0};

	assert_int_equal(process_run(&o, &r, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	if (strstr(e.text, part) == NULL || strstr(e.text, part2) == NULL)
		fail_msg("\"%s\" has not \"%s\" and \"%s\"", e.text, part, part2);
}

static void process_run__exit_codes__told(void **state)
{
	struct process_result r =
		run((struct process_options){.argv = WORKER(S("exit"), S("22")), .cpu = -1});

	(void)state;
	assert_int_equal(r.exit_code, 22);
	assert_int_equal(r.signal, 0);
	assert_false(process_ok(&r));
	assert_string_equal(process_describe(&r, &arena), "exit code 22");
	assert_true(r.wall_ns > 0);
	process_result_release(&r);
	r = run((struct process_options){.argv = WORKER(S("exit"), S("0")), .cpu = -1});
	assert_true(process_ok(&r));
	assert_false(r.left_children);
	process_result_release(&r);
}

static void process_run__killed_by_signal__signal_is_named(void **state)
{
	struct process_result r =
		run((struct process_options){.argv = WORKER(S("signal"), S("4")), .cpu = -1});

	(void)state;
	assert_int_equal(r.exit_code, -1);
	assert_int_equal(r.signal, 4);
	assert_non_null(strstr(process_describe(&r, &arena), "killed by signal 4 (SIGILL)"));
	process_result_release(&r);
	r = run((struct process_options){.argv = WORKER(S("signal"), S("9")), .cpu = -1});
	assert_non_null(strstr(
		process_describe(&r, &arena), "killed by signal 9 (SIGKILL); perhaps for want of memory"));
	r.oom_kill = true;
	assert_non_null(
		strstr(process_describe(&r, &arena), "the kernel ended a process for want of memory"));
	process_result_release(&r);
}

static void process_signal_name__known_and_unknown__as_in_the_manual(void **state)
{
	(void)state;
	assert_string_equal(process_signal_name(11), "SIGSEGV");
	assert_string_equal(process_signal_name(15), "SIGTERM");
	assert_string_equal(process_signal_name(31), "SIGSYS");
	assert_string_equal(process_signal_name(77), "signal 77");
}

static void process_run__tree_that_ignores_term__all_killed_at_the_timeout(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	struct process_result r = run((struct process_options){
		.argv = WORKER(S("tree"), pids), .cpu = -1, .timeout_ns = 1500000000, .grace_ns = 100000000});

	(void)state;
	assert_true(r.timed_out);
	assert_true(r.left_children);
	assert_int_equal(r.signal, 9);
	assert_true(r.wall_ns >= 1500000000);
	assert_string_equal(process_describe(&r, &arena), "timed out after 1.50 s");
	assert_true(worker_all_dead(pids, 3));
	process_result_release(&r);
	file_remove_tree(folder, NULL);
}

static void process_run__daemon_outlives_the_program__killed_and_said(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	struct process_result r = run((struct process_options){.argv = WORKER(S("daemon"), pids), .cpu = -1});

	(void)state;
	assert_true(process_ok(&r));
	assert_true(r.left_children);
	assert_true(worker_all_dead(pids, 1));
	process_result_release(&r);
	file_remove_tree(folder, NULL);
}

static void process_run__200_megabytes_on_both_outputs__drained_bounded_and_hashed(void **state)
{
	struct process_result r = run((struct process_options){
		.argv = WORKER(S("flood"), S("200000000")), .cpu = -1, .output_limit = 1000});

	(void)state;
	assert_true(process_ok(&r));
	assert_int_equal(r.out_bytes, 200000000);
	assert_int_equal(r.err_bytes, 200000000);
	/* head -c 200000000 /dev/zero | tr '\0' o | sha256sum */
	assert_string_equal(r.out_sha256, "564a457a3248fa1d69190336b2173cc285814dd710a2bee9880ddc62af9b6cc6");
	assert_true(r.out.n > 1000 && r.out.n < 1100);
	assert_non_null(strstr(r.out.data, "ooo\n[flagstone: 199999000 bytes left out]\nooo"));
	assert_int_equal(r.err.data[r.err.n - 1], 'e');
	process_result_release(&r);
}

static void process_run__merged__error_stands_in_the_output(void **state)
{
	struct process_result r =
		run((struct process_options){.argv = WORKER(S("flood"), S("3")), .cpu = -1, .merge = true});

	(void)state;
	assert_string_equal(r.out.data, "oooeee");
	assert_int_equal(r.err.n, 0);
	process_result_release(&r);
}

static void process_run__bytes_that_are_no_text__kept(void **state)
{
	struct process_result r = run((struct process_options){.argv = WORKER(S("bytes")), .cpu = -1});

	(void)state;
	assert_int_equal(r.out.n, 5);
	assert_memory_equal(r.out.data,
		"a\0\xff\xfe"
		"b",
		5);
	/* printf 'a\0\377\376b' | sha256sum */
	assert_string_equal(r.out_sha256, "9b9f5727b3008372d20b1d18e4ba8284c6433826e64f470f1ca93c80336fd958");
	process_result_release(&r);
}

static void process_run__output_path__file_has_it(void **state)
{
	char *folder = worker_scratch();
	char *path = file_join(&arena, folder, "log");
	struct process_result r = run(
		(struct process_options){.argv = WORKER(S("flood"), S("3")), .cpu = -1, .output_path = path});
	struct buf text = {0};

	(void)state;
	assert_int_equal(file_read(path, 100, &text, NULL), 0);
	assert_string_equal(text.data, "oooeee");
	assert_int_equal(r.out_bytes, 6);
	assert_int_equal(r.out.n, 0);
	buf_release(&text);
	process_result_release(&r);
	file_remove_tree(folder, NULL);
}

static void process_run__standard_input__null_or_the_file(void **state)
{
	char *folder = worker_scratch();
	char *path = file_join(&arena, folder, "input");
	struct process_result r = run((struct process_options){.argv = WORKER(S("stdin")), .cpu = -1});

	(void)state;
	assert_string_equal(r.out.data, "0:");
	process_result_release(&r);
	file_write_atomic(path, "hello", 5, NULL);
	r = run((struct process_options){.argv = WORKER(S("stdin")), .cpu = -1, .stdin_path = path});
	assert_string_equal(r.out.data, "5:hello");
	process_result_release(&r);
	file_remove_tree(folder, NULL);
	fails((struct process_options){.argv = WORKER(S("stdin")), .cpu = -1, .stdin_path = path}, path,
		"No such file");
}

static void process_run__arguments__arrive_verbatim(void **state)
{
	struct process_result r = run((struct process_options){.cpu = -1,
		.argv = WORKER(S("argv"), S("a b"), S("$(id)"), S("*"), S(""), S("'\""), S("\n;"))});

	(void)state;
	assert_string_equal(r.out.data, "<a b><$(id)><*><><'\"><\n;>");
	process_result_release(&r);
}

static void process_run__environment__is_the_clean_one(void **state)
{
	struct process_result r;

	(void)state;
	setenv("CFLAGS", "-O0", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	r = run((struct process_options){.argv = WORKER(S("env")), .cpu = -1});
	assert_null(strstr(r.out.data, "CFLAGS="));
	assert_null(strstr(r.out.data, "de_DE"));
	assert_non_null(strstr(r.out.data, "LC_ALL=C\n"));
	assert_non_null(strstr(r.out.data, "CCACHE_DISABLE=1\n"));
	assert_non_null(strstr(r.out.data, "PATH="));
	process_result_release(&r);
	unsetenv("CFLAGS");
	unsetenv("LC_ALL");
}

static void process_clean_env__more__is_appended_and_wins(void **state)
{
	char *more[] = {S("TZ=CET"), S("X=1"), NULL};
	char **env = process_clean_env(&arena, more);
	int tz = 0, x = 0;

	(void)state;
	for (; *env != NULL; env++) {
		tz += strncmp(*env, "TZ=", 3) == 0;
		x += strcmp(*env, "X=1") == 0 || strcmp(*env, "TZ=CET") == 0;
	}
	assert_int_equal(tz, 1);
	assert_int_equal(x, 2);
}

static void process_run__cannot_be_started__says_what_and_why(void **state)
{
	char *folder = worker_scratch();
	char *script = file_join(&arena, folder, "script"), *plain = file_join(&arena, folder, "plain");

	(void)state;
	file_write_atomic(script, "#!/no/such/interpreter\n", 23, NULL);
	chmod(script, 0755);
	file_write_atomic(plain, "text", 4, NULL);
	fails((struct process_options){.argv = (char *[]){S("no-such-program"), NULL}, .cpu = -1},
		"no-such-program", "PATH");
	fails((struct process_options){.argv = (char *[]){S("/no/such"), NULL}, .cpu = -1}, "/no/such",
		"No such file or directory");
	fails((struct process_options){.argv = (char *[]){script, NULL}, .cpu = -1}, script, "interpreter");
	fails((struct process_options){.argv = (char *[]){plain, NULL}, .cpu = -1}, plain, "chmod +x");
	chmod(plain, 0755);
	fails((struct process_options){.argv = (char *[]){plain, NULL}, .cpu = -1}, plain, "#!");
	fails((struct process_options){.argv = (char *[]){folder, NULL}, .cpu = -1}, folder, "is a folder");
	fails((struct process_options){.argv = (char *[]){S(""), NULL}, .cpu = -1}, "name is empty", "");
	fails((struct process_options){.argv = WORKER(S("cwd")), .folder = "/no/folder", .cpu = -1},
		"/no/folder", "No such file or directory");
	fails((struct process_options){.argv = WORKER(S("cwd")), .cpu = 60000}, "CPU 60000", "online");
	fails((struct process_options){.argv = WORKER(S("cwd")), .cpu = 9999999}, "CPU 9999999", "online");
	file_remove_tree(folder, NULL);
}

static void process_run__folder__is_the_working_folder(void **state)
{
	char *folder = worker_scratch();
	struct process_result r =
		run((struct process_options){.argv = WORKER(S("cwd")), .cpu = -1, .folder = folder});

	(void)state;
	assert_memory_equal(r.out.data, folder, strlen(folder));
	process_result_release(&r);
	file_remove_tree(folder, NULL);
}

static void process_run__memory_limit__allocation_fails(void **state)
{
	struct process_result r =
		run((struct process_options){.argv = WORKER(S("allocate"), S("200")), .cpu = -1});

	(void)state;
	assert_true(process_ok(&r));
	process_result_release(&r);
	r = run((struct process_options){
		.argv = WORKER(S("allocate"), S("200")), .cpu = -1, .memory_limit = 128 << 20});
	assert_false(process_ok(&r));
	process_result_release(&r);
}

static void process_run__file_size_limit__ends_by_sigxfsz(void **state)
{
	char *folder = worker_scratch();
	struct process_result r = run((struct process_options){.cpu = -1,
		.file_size_limit = 1 << 20,
		.argv = WORKER(S("grow"), file_join(&arena, folder, "big"))});

	(void)state;
	assert_string_equal(process_signal_name(r.signal), "SIGXFSZ");
	process_result_release(&r);
	file_remove_tree(folder, NULL);
}

static void process_run__child__has_clean_descriptors_signals_and_group(void **state)
{
	int stray = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct process_result r;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	r = run((struct process_options){.argv = WORKER(S("signals")), .cpu = -1});
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(r.exit_code, 0);
	process_result_release(&r);
	r = run((struct process_options){.argv = WORKER(S("group")), .cpu = -1});
	assert_int_equal(r.exit_code, 0);
	process_result_release(&r);
	r = run((struct process_options){.argv = WORKER(S("descriptors")), .cpu = -1});
	assert_string_equal(r.out.data, "0 1 2 ");
	process_result_release(&r);
	close(stray);
}

static void process_run__large_parent__peak_is_not_the_parents(void **state)
{
	size_t size = 100 << 20;
	char *memory = malloc(size);
	struct process_result r;

	(void)state;
	memset(memory, 1, size);
	r = run((struct process_options){.argv = (char *[]){S("true"), NULL}, .cpu = -1});
	assert_int_equal(r.peak_kib, -1);
	process_result_release(&r);
	r = run((struct process_options){.argv = WORKER(S("allocate"), S("300")), .cpu = -1});
	assert_true(r.peak_kib > 300 << 10);
	process_result_release(&r);
	free(memory);
}

static void process_wait_any__several__each_is_told(void **state)
{
	struct process *p[4] = {0};
	unsigned seen = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char *code = arena_printf(&arena, "%d", 40 + i);

		p[i] = process_start(
			&(struct process_options){.argv = WORKER(S("exit"), code), .cpu = -1}, NULL);
		assert_non_null(p[i]);
	}
	for (int n = 0; n < 3; n++) {
		struct process_result r;
		int i = process_wait_any(p, 4, -1, &r);

		assert_in_range(i, 0, 2);
		assert_int_equal(r.exit_code, 40 + i);
		assert_null(p[i]);
		seen |= 1u << i;
		process_result_release(&r);
	}
	assert_int_equal(seen, 7);
	assert_int_equal(process_wait_any(p, 4, -1, &(struct process_result){0}), -2);
}

static void process_wait_any__timeout__returns_and_kill_ends_it(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	struct process *p =
		process_start(&(struct process_options){.argv = WORKER(S("tree"), pids), .cpu = -1}, NULL);

	(void)state;
	assert_int_equal(process_wait_any(&p, 1, 0, &(struct process_result){0}), -1);
	assert_int_equal(process_wait_any(&p, 1, 20000000, &(struct process_result){0}), -1);
	assert_true(worker_wait_for_lines(pids, 3));
	process_kill(p);
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

/* What a client of its own, which can be killed, does: runs the tree for ever. */
static pid_t start_client(char *pids, bool catch)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct process_result r;
		struct error e = {0};

		if (catch)
			process_catch_signals();
		process_run(&(struct process_options){.argv = WORKER(S("tree"), pids), .cpu = -1}, &r, &e);
		_exit(process_interrupted() == SIGINT ? (int)e.code : 1);
	}
	return pid;
}

static void process_run__caller_killed__nothing_is_left_running(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	pid_t client = start_client(pids, false);

	(void)state;
	assert_true(worker_wait_for_lines(pids, 3));
	kill(client, SIGKILL);
	waitpid(client, NULL, 0);
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

static void process_run__interrupted__ends_all_and_says_so(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	pid_t client = start_client(pids, true);
	int status;

	(void)state;
	assert_true(worker_wait_for_lines(pids, 3));
	kill(client, SIGINT);
	waitpid(client, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_INTERRUPTED);
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

/* What process_interrupted() is in a process that a lost terminal is told to, and which began with this handler. */
static int interrupted_by_hangup(void (*before)(int))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGHUP, before);
		process_catch_signals();
		raise(SIGHUP);
		_exit(process_interrupted());
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void process_catch_signals__terminal_gone__like_sigterm_but_not_under_nohup(void **state)
{
	(void)state;
	assert_int_equal(interrupted_by_hangup(SIG_DFL), SIGTERM);
	assert_int_equal(interrupted_by_hangup(SIG_IGN), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_run__exit_codes__told),
		cmocka_unit_test(process_run__killed_by_signal__signal_is_named),
		cmocka_unit_test(process_signal_name__known_and_unknown__as_in_the_manual),
		cmocka_unit_test(process_run__tree_that_ignores_term__all_killed_at_the_timeout),
		cmocka_unit_test(process_run__daemon_outlives_the_program__killed_and_said),
		cmocka_unit_test(process_run__200_megabytes_on_both_outputs__drained_bounded_and_hashed),
		cmocka_unit_test(process_run__merged__error_stands_in_the_output),
		cmocka_unit_test(process_run__bytes_that_are_no_text__kept),
		cmocka_unit_test(process_run__output_path__file_has_it),
		cmocka_unit_test(process_run__standard_input__null_or_the_file),
		cmocka_unit_test(process_run__arguments__arrive_verbatim),
		cmocka_unit_test(process_run__environment__is_the_clean_one),
		cmocka_unit_test(process_clean_env__more__is_appended_and_wins),
		cmocka_unit_test(process_run__cannot_be_started__says_what_and_why),
		cmocka_unit_test(process_run__folder__is_the_working_folder),
		cmocka_unit_test(process_run__memory_limit__allocation_fails),
		cmocka_unit_test(process_run__file_size_limit__ends_by_sigxfsz),
		cmocka_unit_test(process_run__child__has_clean_descriptors_signals_and_group),
		cmocka_unit_test(process_run__large_parent__peak_is_not_the_parents),
		cmocka_unit_test(process_wait_any__several__each_is_told),
		cmocka_unit_test(process_wait_any__timeout__returns_and_kill_ends_it),
		cmocka_unit_test(process_run__caller_killed__nothing_is_left_running),
		cmocka_unit_test(process_run__interrupted__ends_all_and_says_so),
		cmocka_unit_test(process_catch_signals__terminal_gone__like_sigterm_but_not_under_nohup),
	};
	int failed;

	worker_main(argc, argv);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
