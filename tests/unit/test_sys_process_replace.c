/* Becoming another program: done in a child of the test, which the parent looks at from outside. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "sys/cpu.h"
#include "sys/process.h"

#define S(text) ((char *)(uintptr_t)(text))

static struct arena arena;
static char folder[] = "/tmp/flagstone-replace-XXXXXX";

/* What the shell commands print, and how they end. */
struct end {
	struct buf out;
	int status;
};

/* Runs in the child before it becomes the program. */
typedef void prepare(void);

static struct end become(struct process_replacement r, const char *script, prepare *before)
{
	char *argv[] = {S("/bin/sh"), S("-c"), S(script), NULL};
	char *env[] = {S("PATH=/usr/bin:/bin"), S("GIVEN=word"), NULL};
	struct end end = {.status = -1};
	char bytes[4096];
	struct error e = {0};
	int pair[2];
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(pair), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pair[1], 1);
		close(pair[0]);
		close(pair[1]);
		if (before != NULL)
			before();
		r.argv = r.argv != NULL ? r.argv : argv;
		r.env = env;
		process_replace(&r, &e);
		(void)!write(1, e.text, strlen(e.text));
		_exit((int)e.code);
	}
	close(pair[1]);
	while ((got = read(pair[0], bytes, sizeof(bytes))) > 0)
		buf_add(&end.out, bytes, (size_t)got);
	close(pair[0]);
	assert_int_equal(waitpid(pid, &end.status, 0), pid);
	return end;
}

static void says(struct process_replacement r, const char *script, prepare *before, const char *text)
{
	struct end end = become(r, script, before);

	assert_string_equal(buf_text(&end.out), text);
	assert_true(WIFEXITED(end.status));
	assert_int_equal(WEXITSTATUS(end.status), 0);
	buf_release(&end.out);
}

static void process_replace__exit_code_and_signal__are_the_new_programs(void **state)
{
	struct end end = become((struct process_replacement){.cpu = -1}, "exit 22", NULL);

	(void)state;
	assert_true(WIFEXITED(end.status));
	assert_int_equal(WEXITSTATUS(end.status), 22);
	end = become((struct process_replacement){.cpu = -1}, "kill -USR1 $$", NULL);
	assert_true(WIFSIGNALED(end.status));
	assert_int_equal(WTERMSIG(end.status), SIGUSR1);
}

static void process_replace__folder_environment_input__as_asked_for(void **state)
{
	(void)state;
	says((struct process_replacement){.cpu = -1, .folder = folder}, "pwd; echo $GIVEN ${HOME-none}", NULL,
		arena_printf(&arena, "%s\nword none\n", folder));
	file_write_atomic(file_join(&arena, folder, "input"), "first\nsecond\n", 13, NULL);
	says((struct process_replacement){.cpu = -1, .stdin_path = file_join(&arena, folder, "input")},
		"read line; echo $line", NULL, "first\n");
}

static void open_some(void)
{
	for (int fd = 3; fd < 6; fd++)
		dup2(1, fd);
}

static void process_replace__descriptors__closed_ones_are_others_stay(void **state)
{
	const int closed[] = {3, 4, -1};

	(void)state;
	/* writing to a closed one fails */
	says((struct process_replacement){.cpu = -1, .closed = closed},
		"for i in 3 4 5; do (eval \"echo >&$i\") 2>/dev/null || printf $i; done", open_some, "34\n");
	says((struct process_replacement){.cpu = -1},
		"for i in 3 4 5; do (eval \"echo >&$i\") 2>/dev/null || printf $i; done", open_some,
		"\n\n\n");
}

static void process_replace__cpu__pinned(void **state)
{
	struct cpu_list allowed = {0};
	char *line;

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &allowed, NULL), 0);
	line = arena_printf(&arena, "Cpus_allowed_list:\t%d\n", allowed.v[allowed.n - 1]);
	says((struct process_replacement){.cpu = allowed.v[allowed.n - 1]},
		"grep Cpus_allowed_list /proc/self/status", NULL, line);
}

static void catch_and_ignore(void)
{
	process_catch_signals();
	signal(SIGHUP, SIG_IGN);
}

/*
 * SigCgt and SigIgn of proc(5): caught by nobody; SIGHUP, number 1, is ignored. Signals 1 to 28 alone, as some
 * parents hand down ignored 32 and 33, which belong to the C library.
 */
static void process_replace__signals__caught_ones_back_to_default_ignored_ones_stay(void **state)
{
	(void)state;
	says((struct process_replacement){.cpu = -1},
		"exec sed -n 's/^\\(Sig[IC]g[nt]\\):.*\\(.......\\)$/\\1 \\2/p' /proc/self/status",
		catch_and_ignore, "SigIgn 0000001\nSigCgt 0000000\n");
}

static void be_terminated(void)
{
	process_catch_signals();
	raise(SIGTERM);
}

static void process_replace__interrupted_before__starts_nothing(void **state)
{
	struct end end = become((struct process_replacement){.cpu = -1}, "echo started", be_terminated);

	(void)state;
	assert_int_equal(WEXITSTATUS(end.status), EXIT_TERMINATED);
	assert_string_equal(buf_text(&end.out), "interrupted before /bin/sh was started");
	buf_release(&end.out);
}

static void fails(struct process_replacement r, const char *part)
{
	struct end end = become(r, "echo started", NULL);

	assert_int_equal(WEXITSTATUS(end.status), EXIT_CANNOT);
	if (strstr(buf_text(&end.out), part) == NULL)
		fail_msg("no \"%s\" in: %s", part, buf_text(&end.out));
	buf_release(&end.out);
}

static void process_replace__cannot__says_why(void **state)
{
	char *nothing[] = {S("/nowhere/program"), NULL}, *text[] = {file_join(&arena, folder, "text"), NULL};

	(void)state;
	fails((struct process_replacement){.cpu = -1, .argv = nothing},
		"starting /nowhere/program: No such file");
	file_write_atomic(text[0], "#!/nowhere/interpreter\n", 23, NULL);
	chmod(text[0], 0755);
	fails((struct process_replacement){.cpu = -1, .argv = text}, "interpreter that it names");
	fails((struct process_replacement){.cpu = -1, .folder = "/nowhere"}, "in the folder /nowhere");
	fails((struct process_replacement){.cpu = -1, .stdin_path = "/nowhere/input"},
		"opening /nowhere/input");
	fails((struct process_replacement){.cpu = 60000}, "starting /bin/sh");
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(file_join(&arena, folder, "input"));
	unlink(file_join(&arena, folder, "text"));
	rmdir(folder);
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_replace__exit_code_and_signal__are_the_new_programs),
		cmocka_unit_test(process_replace__folder_environment_input__as_asked_for),
		cmocka_unit_test(process_replace__descriptors__closed_ones_are_others_stay),
		cmocka_unit_test(process_replace__cpu__pinned),
		cmocka_unit_test(process_replace__signals__caught_ones_back_to_default_ignored_ones_stay),
		cmocka_unit_test(process_replace__interrupted_before__starts_nothing),
		cmocka_unit_test(process_replace__cannot__says_why),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
