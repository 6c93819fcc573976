/* Times of use are set by hand (utimensat), sizes are counted by du. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "build/cache.h"
#include "test_code_tools.h"

static struct arena arena;
static struct build_cache cache;

static int fresh_cache(void **state)
{
	struct error e = {0};
	static char folder[512];

	(void)state;
	tools_run(NULL, "rm -rf c");
	snprintf(folder, sizeof(folder), "%s", tools_path("c"));
	return build_cache_open(&cache, folder, 1 << 20, &e);
}

/* An entry with a file of so many KiB. */
static void add(const char *kind, const char *hash, int kib)
{
	struct error e = {0};
	char *folder = build_cache_begin(&cache, &arena, kind, hash, &e);
	char command[512];

	assert_non_null(folder);
	snprintf(command, sizeof(command), "head -c %d /dev/urandom >'%s/program'", kib * 1024, folder);
	tools_run(NULL, command);
	if (build_cache_commit(&cache, folder, kind, hash, &e) != 0)
		fail_msg("%s", e.text);
}

static void set_used(const char *kind, const char *hash, int64_t seconds)
{
	char *path = arena_printf(&arena, "%s/used", build_cache_path(&cache, &arena, kind, hash));
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool there(const char *kind, const char *hash)
{
	return file_exists(build_cache_path(&cache, &arena, kind, hash));
}

static void build_cache_commit__begun_entry__is_seen_only_then(void **state)
{
	struct error e = {0};
	char *folder = build_cache_begin(&cache, &arena, "builds", "aa", &e);

	(void)state;
	assert_non_null(folder);
	assert_true(file_is_folder(folder));
	assert_false(build_cache_has(&cache, "builds", "aa"));
	assert_int_equal(build_cache_commit(&cache, folder, "builds", "aa", &e), 0);
	assert_false(file_exists(folder));
	assert_true(build_cache_has(&cache, "builds", "aa"));
	assert_false(build_cache_has(&cache, "objects", "aa"));
	assert_false(build_cache_has(&cache, "builds", "a"));
}

static void build_cache_has__entry__is_touched(void **state)
{
	struct stat st;

	(void)state;
	add("builds", "aa", 1);
	set_used("builds", "aa", 1000000);
	assert_true(build_cache_has(&cache, "builds", "aa"));
	assert_int_equal(stat(tools_path("c/builds/aa/used"), &st), 0);
	assert_true(st.st_mtime > time(NULL) - 100);
}

static void build_cache_commit__another_was_first__harmless(void **state)
{
	struct error e = {0};
	char *folder;

	(void)state;
	add("builds", "aa", 1);
	tools_write("c/builds/aa/program", "the first");
	folder = build_cache_begin(&cache, &arena, "builds", "aa", &e);
	assert_int_equal(build_cache_commit(&cache, folder, "builds", "aa", &e), 0);
	assert_string_equal(tools_run(NULL, "cat c/builds/aa/program"), "the first");
	assert_string_equal(tools_run(NULL, "ls c/builds"), "aa");
}

static void build_cache_begin__left_over_of_ones_own__emptied(void **state)
{
	struct error e = {0};
	char *folder = build_cache_begin(&cache, &arena, "builds", "aa", &e);

	(void)state;
	assert_int_equal(file_write_atomic(arena_printf(&arena, "%s/old.o", folder), "x", 1, &e), 0);
	folder = build_cache_begin(&cache, &arena, "builds", "aa", &e);
	assert_false(file_exists(arena_printf(&arena, "%s/old.o", folder)));
}

static long dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (long)pid;
}

static void build_cache_open__left_over_of_the_dead__removed_of_the_living_kept(void **state)
{
	struct error e = {0};
	char command[256];
	char *names;

	(void)state;
	add("builds", "aa", 1);
	snprintf(command, sizeof(command),
		"mkdir c/builds/bb.%ld.tmp c/builds/cc.%ld.old.tmp c/builds/dd.%ld.tmp", dead_pid(),
		dead_pid(), (long)getpid());
	tools_run(NULL, command);
	assert_int_equal(build_cache_open(&cache, cache.folder, cache.limit, &e), 0);
	names = arena_printf(&arena, "aa\ndd.%ld.tmp", (long)getpid());
	assert_string_equal(tools_run(NULL, "ls c/builds"), names);
}

static void build_cache_drop__entry__gone_at_once_and_twice_is_fine(void **state)
{
	struct error e = {0};

	(void)state;
	add("objects", "aa", 1);
	assert_int_equal(build_cache_drop(&cache, "objects", "aa", &e), 0);
	assert_false(build_cache_has(&cache, "objects", "aa"));
	assert_int_equal(build_cache_drop(&cache, "objects", "aa", &e), 0);
	assert_string_equal(tools_run(NULL, "ls c/objects"), "");
}

static void build_cache_trim__over_the_limit__longest_unused_go_first(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) { /* 1.8 MiB against a limit of 1 MiB: three of 300 KiB stay */
		const char *hash = arena_printf(&arena, "h%d", i);

		add(i % 2 == 0 ? "builds" : "objects", hash, 300);
		set_used(i % 2 == 0 ? "builds" : "objects", hash, 1000000 + (i * 7 + 3) % 6);
	}
	/* uses: h0 3, h1 4, h2 5, h3 0, h4 1, h5 2 */
	build_cache_trim(&cache);
	assert_false(there("objects", "h3"));
	assert_false(there("builds", "h4"));
	assert_false(there("objects", "h5"));
	assert_true(there("builds", "h0"));
	assert_true(there("objects", "h1"));
	assert_true(there("builds", "h2"));
	assert_true(atol(tools_run(NULL, "du -sk c | cut -f1")) <= 1024);
}

static void build_cache_trim__under_the_limit__nothing_goes(void **state)
{
	(void)state;
	add("builds", "aa", 100);
	set_used("builds", "aa", 1);
	build_cache_trim(&cache);
	assert_true(there("builds", "aa"));
}

static void build_cache_trim__used_in_this_run__stays_whatever_the_limit(void **state)
{
	(void)state;
	cache.limit = 1;
	add("builds", "old", 10);
	add("builds", "new", 10);
	add("builds", "again", 10);
	set_used("builds", "old", 1000000);
	set_used("builds", "again", 1000000);
	assert_true(build_cache_has(&cache, "builds", "again"));
	build_cache_trim(&cache);
	assert_false(there("builds", "old"));
	assert_true(there("builds", "new"));
	assert_true(there("builds", "again"));
}

static void build_cache_open__not_a_folder__error_with_advice(void **state)
{
	struct error e = {0};
	struct build_cache other;

	(void)state;
	tools_write("file", "x");
	assert_int_equal(build_cache_open(&other, tools_path("file"), 1, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, tools_path("file")));
	assert_non_null(strstr(e.text, "XDG_CACHE_HOME"));
	/* /proc takes no folders, whoever asks */
	e = (struct error){0};
	assert_int_equal(build_cache_open(&other, "/proc/flagstone", 1, &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
}

/* For root every folder can be written; then another user asks, in a child. */
static void build_cache_open__unwritable_folder__error(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	tools_run(NULL, "rm -rf locked && mkdir -p locked/builds locked/objects && chmod 555 locked locked/* "
			"&& chmod 755 .");
	pid = fork();
	if (pid == 0) {
		struct error e = {0};
		struct build_cache other;

		if (getuid() == 0 && setuid(65534) != 0)
			_exit(10);
		if (build_cache_open(&other, tools_path("locked"), 1, &e) != -1)
			_exit(11);
		_exit(e.code == EXIT_CANNOT && strstr(e.text, "locked/builds") != NULL &&
					strstr(e.text, "Permission denied") != NULL
				? 0
				: 12);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	tools_run(NULL, "chmod -R u+rwx locked");
}

#define TEST(name) cmocka_unit_test_setup(name, fresh_cache)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(build_cache_commit__begun_entry__is_seen_only_then),
		TEST(build_cache_has__entry__is_touched),
		TEST(build_cache_commit__another_was_first__harmless),
		TEST(build_cache_begin__left_over_of_ones_own__emptied),
		TEST(build_cache_open__left_over_of_the_dead__removed_of_the_living_kept),
		TEST(build_cache_drop__entry__gone_at_once_and_twice_is_fine),
		TEST(build_cache_trim__over_the_limit__longest_unused_go_first),
		TEST(build_cache_trim__under_the_limit__nothing_goes),
		TEST(build_cache_trim__used_in_this_run__stays_whatever_the_limit),
		TEST(build_cache_open__not_a_folder__error_with_advice),
		TEST(build_cache_open__unwritable_folder__error),
	};
	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	arena_release(&arena);
	return failed;
}
