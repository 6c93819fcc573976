/*
 * The helper is found as FLAGSTONE_LIBEXEC says. Expected values are what the worker (test_sys_worker.h) is told to do;
 * hashes are sha256sum's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "sys/process.h"
#include "sys/spawner.h"
#include "sys/spawner_wire.h"
#include "test_sys_worker.h"

#define S(text) ((char *)(uintptr_t)(text))
#define WORKER(...)                                                                                          \
	(char *[])                                                                                           \
	{                                                                                                    \
		worker_self(), S("--worker"), __VA_ARGS__, NULL                                              \
	}

static struct arena arena;
static struct spawner *spawner;
static char *const no_env[] = {NULL};
static const int not_pinned[4] = {-1, -1, -1, -1};

static struct spawner *new_spawner(void)
{
	struct error e = {0};
	char *path = spawner_find_helper(&arena, "spawner", &e);
	struct spawner *made = path != NULL ? spawner_new(path, &e) : NULL;

	if (made == NULL)
		fail_msg("%s", e.text);
	return made;
}

static void run(struct spawn_request request, struct spawn_copy *copies)
{
	struct error e = {0};

	if (request.env == NULL)
		request.env = no_env;
	if (request.cpus == NULL)
		request.cpus = not_pinned;
	if (request.copies == 0)
		request.copies = 1;
	if (spawner_run(spawner, &request, copies, &e) != 0)
		fail_msg("%s", e.text);
}

static void spawner_run__exit_and_signal__told(void **state)
{
	struct spawn_request request = {.argv = WORKER(S("exit"), S("22"))};
	struct spawn_copy c;

	(void)state;
	run(request, &c);
	assert_int_equal(c.exit_code, 22);
	assert_int_equal(c.exec_errno, 0);
	assert_true(c.exec_to_exit_ns > 0 && c.exec_to_exit_ns < clock_ns() - c.start_ns);
	assert_true(c.run_wait_ns >= -1);
	assert_true(c.minor_faults > 0);
	assert_false(c.left_children);
	assert_string_equal(spawner_describe(&request, &c, &arena), "exit code 22");
	assert_string_equal(c.result_line, "");
	/* sha256sum of nothing */
	assert_string_equal(
		c.output_sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	request.argv = WORKER(S("signal"), S("11"));
	run(request, &c);
	assert_int_equal(c.exit_code, -1);
	assert_int_equal(c.signal, 11);
	assert_non_null(strstr(spawner_describe(&request, &c, &arena), "killed by signal 11 (SIGSEGV)"));
}

static void spawner_run__result_line__arrives_without_newline(void **state)
{
	struct spawn_copy c;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("result"))}, &c);
	assert_int_equal(c.exit_code, 0);
	assert_string_equal(c.result_line, "flagstone-result 1 units=8 elapsed_ns=5");
	assert_int_equal(c.output_bytes, 0);
}

static void spawner_run__large_caller__peak_is_the_childs_own(void **state)
{
	size_t size = 100 << 20;
	char *memory = malloc(size);
	struct spawn_copy c;

	(void)state;
	memset(memory, 1, size);
	run((struct spawn_request){.argv = (char *[]){S("/bin/true"), NULL}}, &c);
	assert_int_equal(c.exit_code, 0);
	assert_true(c.peak_kib < 20 << 10);
	free(memory);
}

static void spawner_run__200_megabytes_on_both_outputs__bounded_and_hashed(void **state)
{
	struct spawn_copy c;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("flood"), S("200000000"))}, &c);
	assert_int_equal(c.exit_code, 0);
	assert_int_equal(c.output_bytes, 400000000);
	/* head -c 200000000 /dev/zero | tr '\0' o | sha256sum */
	assert_string_equal(
		c.output_sha256, "564a457a3248fa1d69190336b2173cc285814dd710a2bee9880ddc62af9b6cc6");
	assert_int_equal(strlen(c.output), SPAWN_TEXT_MAX);
	run((struct spawn_request){.argv = WORKER(S("bytes"))}, &c);
	assert_string_equal(c.output, "a?\xff\xfe"
				      "b");
	/* printf 'a\0\377\376b' | sha256sum */
	assert_string_equal(
		c.output_sha256, "9b9f5727b3008372d20b1d18e4ba8284c6433826e64f470f1ca93c80336fd958");
}

static void spawner_run__tree_that_ignores_term__all_killed_at_the_timeout(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	struct spawn_request request = {
		.argv = WORKER(S("tree"), pids), .timeout_ns = 1500000000, .grace_ns = 100000000};
	struct spawn_copy c;

	(void)state;
	run(request, &c);
	assert_true(c.timed_out);
	assert_true(c.left_children);
	assert_int_equal(c.signal, 9);
	assert_string_equal(spawner_describe(&request, &c, &arena), "timed out after 1.50 s");
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

static void spawner_run__daemon_outlives_the_program__killed_and_said(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	struct spawn_copy c;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("daemon"), pids)}, &c);
	assert_int_equal(c.exit_code, 0);
	assert_true(c.left_children);
	assert_true(worker_all_dead(pids, 1));
	run((struct spawn_request){.argv = WORKER(S("exit"), S("0"))}, &c);
	assert_false(c.left_children);
	file_remove_tree(folder, NULL);
}

static void spawner_run__copies_with_barrier__released_together(void **state)
{
	struct spawn_copy c[4];

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("barrier")), .copies = 4, .barrier = true}, c);
	for (int i = 0; i < 4; i++) {
		long long start_ns;
		unsigned arrived;

		assert_int_equal(c[i].exit_code, 0);
		assert_int_equal(
			sscanf(c[i].result_line, "flagstone-result 1 units=1 start_ns=%lld arrived=%u",
				&start_ns, &arrived),
			2);
		assert_int_equal(arrived, 4);
		/* none went on before the last was started */
		for (int k = 0; k < 4; k++)
			assert_true(start_ns > c[k].start_ns);
	}
}

static void spawner_run__one_copy_never_comes__others_give_up(void **state)
{
	/* a shell is the shortest program that lets one of two equal copies do something else */
	char *folder = worker_scratch();
	char *mark = file_join(&arena, folder, "first");
	char *script = arena_printf(&arena,
		"if mkdir %s 2>/dev/null; then exit 3; fi; exec %s --worker barrier", mark, worker_self());
	struct spawn_copy c[2];

	(void)state;
	run((struct spawn_request){.argv = (char *[]){S("/bin/sh"), S("-c"), script, NULL},
		    .copies = 2,
		    .barrier = true,
		    .env = (char *[]){S("PATH=/usr/bin:/bin"), NULL}},
		c);
	assert_int_equal(c[0].exit_code + c[1].exit_code, 3 + FLAGSTONE_EXIT_BARRIER);
	file_remove_tree(folder, NULL);
}

static void spawner_run__copy_that_cannot_start__said_and_others_give_up(void **state)
{
	struct spawn_request request = {
		.argv = WORKER(S("barrier")), .copies = 2, .barrier = true, .cpus = (int[]){-1, 60000}};
	struct spawn_copy c[2];

	(void)state;
	run(request, c);
	assert_int_equal(c[0].exit_code, FLAGSTONE_EXIT_BARRIER);
	assert_int_equal(c[1].exec_errno, 22 /* EINVAL */);
	assert_string_equal(
		spawner_describe(&request, &c[1], &arena), "pinning to CPU 60000: Invalid argument");
}

static void spawner_run__cannot_be_started__says_what(void **state)
{
	struct spawn_request request = {.argv = (char *[]){S("/no/such"), NULL}};
	struct spawn_copy c;

	(void)state;
	run(request, &c);
	assert_string_equal(
		spawner_describe(&request, &c, &arena), "starting /no/such: No such file or directory");
	request = (struct spawn_request){.argv = WORKER(S("cwd")), .folder = "/no/folder"};
	run(request, &c);
	assert_string_equal(spawner_describe(&request, &c, &arena),
		"going to the folder /no/folder: No such file or directory");
	request = (struct spawn_request){.argv = WORKER(S("stdin")), .stdin_path = "/no/input"};
	run(request, &c);
	assert_string_equal(spawner_describe(&request, &c, &arena),
		"opening /no/input as standard input: No such file or directory");
}

static void spawner_run__child__is_started_clean(void **state)
{
	char *const env[] = {S("A=x y"), S("B="), NULL};
	struct spawn_copy c;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("argv"), S("a b"), S("$(id)"), S(""))}, &c);
	assert_string_equal(c.output, "<a b><$(id)><>");
	run((struct spawn_request){.argv = (char *[]){S("/usr/bin/env"), NULL}, .env = env}, &c);
	assert_string_equal(c.output, "A=x y\nB=\n");
	run((struct spawn_request){.argv = WORKER(S("stdin"))}, &c);
	assert_string_equal(c.output, "0:");
	run((struct spawn_request){.argv = WORKER(S("descriptors"))}, &c);
	assert_string_equal(c.output, "0 1 2 3 ");
	run((struct spawn_request){.argv = WORKER(S("signals"))}, &c);
	assert_int_equal(c.exit_code, 0);
	run((struct spawn_request){.argv = WORKER(S("group"))}, &c);
	assert_int_equal(c.exit_code, 0);
	run((struct spawn_request){.argv = WORKER(S("cwd"))}, &c);
	assert_string_equal(c.output, "/\n");
}

static void spawner_run__outputs__as_if_no_sample_had_been_before(void **state)
{
	struct spawn_copy c;
	const char *first;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("show-outputs"))}, &c);
	first = arena_strdup(&arena, c.output);
	assert_int_equal(strncmp(first, "0:", 2), 0);
	run((struct spawn_request){.argv = WORKER(S("change-outputs"))}, &c);
	assert_int_equal(c.exit_code, 0);
	run((struct spawn_request){.argv = WORKER(S("show-outputs"))}, &c);
	assert_string_equal(c.output, first);
	run((struct spawn_request){.argv = WORKER(S("result"))}, &c);
	assert_string_not_equal(c.result_line, "");
	run((struct spawn_request){.argv = WORKER(S("exit"), S("0"))}, &c);
	assert_string_equal(c.result_line, "");
	assert_string_equal(c.output, "");
}

static void spawner_run__memory_limit__allocation_fails(void **state)
{
	struct spawn_copy c;

	(void)state;
	run((struct spawn_request){.argv = WORKER(S("allocate"), S("200"))}, &c);
	assert_int_equal(c.exit_code, 0);
	assert_true(c.peak_kib > 200 << 10);
	run((struct spawn_request){.argv = WORKER(S("allocate"), S("200")), .memory_limit = 128 << 20}, &c);
	assert_int_not_equal(c.exit_code, 0);
}

static void spawner_run__more_copies_than_1024_descriptors__work(void **state)
{
	enum { MANY = 300 };
	static struct spawn_copy copies[MANY];
	static int cpus[MANY];

	(void)state;
	memset(cpus, -1, sizeof(cpus));
	run((struct spawn_request){.argv = (char *[]){S("/bin/true"), NULL}, .copies = MANY, .cpus = cpus},
		copies);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(copies[i].exec_errno, 0);
		assert_int_equal(copies[i].exit_code, 0);
	}
}

static void spawner_run__long_environment__arrives(void **state)
{
	enum { LONG = 100000 };
	char *value = arena_alloc(&arena, LONG + 1);
	struct spawn_copy c;

	(void)state;
	memset(value, 'v', LONG);
	run((struct spawn_request){.argv = WORKER(S("argv"), value)}, &c);
	assert_int_equal(c.output_bytes, LONG + 2);
}

/* What a client of its own, which can be killed or interrupted, does. */
static pid_t start_client(char *pids)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct spawner *own = new_spawner();
		struct spawn_request request = {
			.argv = WORKER(S("tree"), pids), .env = no_env, .cpus = not_pinned, .copies = 1};
		struct spawn_copy copy;
		struct error e = {0};

		process_catch_signals();
		spawner_run(own, &request, &copy, &e);
		_exit((int)e.code);
	}
	return pid;
}

static void spawner_run__client_killed__nothing_is_left_running(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	pid_t client = start_client(pids);

	(void)state;
	assert_true(worker_wait_for_lines(pids, 3));
	kill(client, SIGKILL);
	waitpid(client, NULL, 0);
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

static void spawner_run__interrupted__children_are_dead_when_it_returns(void **state)
{
	char *folder = worker_scratch();
	char *pids = file_join(&arena, folder, "pids");
	pid_t client = start_client(pids);
	int status;

	(void)state;
	assert_true(worker_wait_for_lines(pids, 3));
	kill(client, SIGTERM);
	waitpid(client, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_INTERRUPTED);
	assert_true(worker_all_dead(pids, 3));
	file_remove_tree(folder, NULL);
}

static void spawner_new__no_helper__says_which(void **state)
{
	struct error e = {0};

	(void)state;
	assert_null(spawner_new("/no/helper", &e));
	assert_non_null(strstr(e.text, "/no/helper: No such file or directory; set FLAGSTONE_LIBEXEC"));
}

static void spawner_run__helper_that_ends_at_once__error_not_hang(void **state)
{
	struct error e = {0};
	struct spawner *wrong = spawner_new("/bin/true", &e);
	struct spawn_request request = {
		.argv = WORKER(S("exit"), S("0")), .env = no_env, .cpus = not_pinned, .copies = 1};
	struct spawn_copy copy;

	(void)state;
	assert_non_null(wrong);
	assert_int_equal(spawner_run(wrong, &request, &copy, &e), -1);
	assert_non_null(strstr(e.text, "the helper /bin/true ended with exit code 0"));
	assert_int_equal(spawner_run(wrong, &request, &copy, &e), -1);
	assert_non_null(strstr(e.text, "is gone"));
	spawner_free(wrong);
}

static void wire_parse__cut_or_wrong_counts__refused(void **state)
{
	struct wire_request r = {.magic = WIRE_MAGIC, .copies = 1, .argc = 1, .envc = 1};
	char bytes[sizeof(r) + 4 + 9], *words[8];
	struct wire_parts parts;

	(void)state;
	r.bytes = sizeof(bytes);
	memcpy(bytes, &r, sizeof(r));
	memset(bytes + sizeof(r), 0, 4);
	memcpy(bytes + sizeof(r) + 4, "/\0\0/a\0X=Y", 9); /* folder, no input, argv[0]; env[0] has no end */
	assert_int_equal(wire_words(bytes, sizeof(bytes)), 4);
	assert_false(wire_parse(bytes, sizeof(bytes), words, &parts));
	memcpy(bytes + sizeof(r) + 4, "/\0\0/a\0X\0\0", 9); /* a byte too many */
	assert_false(wire_parse(bytes, sizeof(bytes), words, &parts));
	memcpy(bytes + sizeof(r) + 4, "/\0\0/a\0XY", 8);
	bytes[sizeof(bytes) - 1] = '\0';
	assert_true(wire_parse(bytes, sizeof(bytes), words, &parts));
	assert_string_equal(parts.argv[0], "/a");
	assert_string_equal(parts.env[0], "XY");
	assert_null(parts.argv[1]);
	for (size_t n = 0; n < sizeof(bytes); n++)
		assert_int_equal(wire_words(bytes, n), 0);
	r.copies = 4000;
	memcpy(bytes, &r, sizeof(r));
	assert_false(wire_parse(bytes, sizeof(bytes), words, &parts));
	r.copies = 1;
	r.envc = 4000000000;
	memcpy(bytes, &r, sizeof(r));
	assert_int_equal(wire_words(bytes, sizeof(bytes)), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spawner_run__exit_and_signal__told),
		cmocka_unit_test(spawner_run__result_line__arrives_without_newline),
		cmocka_unit_test(spawner_run__large_caller__peak_is_the_childs_own),
		cmocka_unit_test(spawner_run__200_megabytes_on_both_outputs__bounded_and_hashed),
		cmocka_unit_test(spawner_run__tree_that_ignores_term__all_killed_at_the_timeout),
		cmocka_unit_test(spawner_run__daemon_outlives_the_program__killed_and_said),
		cmocka_unit_test(spawner_run__copies_with_barrier__released_together),
		cmocka_unit_test(spawner_run__one_copy_never_comes__others_give_up),
		cmocka_unit_test(spawner_run__copy_that_cannot_start__said_and_others_give_up),
		cmocka_unit_test(spawner_run__cannot_be_started__says_what),
		cmocka_unit_test(spawner_run__child__is_started_clean),
		cmocka_unit_test(spawner_run__outputs__as_if_no_sample_had_been_before),
		cmocka_unit_test(spawner_run__memory_limit__allocation_fails),
		cmocka_unit_test(spawner_run__more_copies_than_1024_descriptors__work),
		cmocka_unit_test(spawner_run__long_environment__arrives),
		cmocka_unit_test(spawner_run__client_killed__nothing_is_left_running),
		cmocka_unit_test(spawner_run__interrupted__children_are_dead_when_it_returns),
		cmocka_unit_test(spawner_new__no_helper__says_which),
		cmocka_unit_test(spawner_run__helper_that_ends_at_once__error_not_hang),
		cmocka_unit_test(wire_parse__cut_or_wrong_counts__refused),
	};
	int failed;

	worker_main(argc, argv);
	spawner = new_spawner();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	spawner_free(spawner);
	arena_release(&arena);
	return failed;
}
