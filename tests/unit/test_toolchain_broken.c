/*
 * Compilers that misbehave, and what the cache may and may not keep: nothing here is fatal, each is asked once,
 * and what it says reaches nobody raw.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "test_toolchain_tools.h"

/*
 * The end of a stub's body: what gcc answers to the rest is asked of it once in this program, then said again, with the
 * file it wrote: the folder said/WORDS has both. What is asked about never changes, nothing here is about gcc's answers,
 * and compiles and links are what takes long. Failures go to gcc each time.
 */
#define AS_GCC                                                                                               \
	"\nd=\"${0%/*}/../said/$* /\" o= w=\n"                                                               \
	"for a; do [ \"$w\" = -o ] && o=$a; w=$a; done\n"                                                    \
	"if [ ! -e \"$d/all\" ]; then\n"                                                                     \
	"\tmkdir -p \"$d\" && gcc \"$@\" >\"$d/out\" 2>\"$d/err\" || exec gcc \"$@\"\n"                      \
	"\t[ ! -f \"$o\" ] || cp -p \"$o\" \"$d/file\"\n\t: >\"$d/all\"\nfi\n"                               \
	"[ ! -s \"$d/out\" ] || cat \"$d/out\"\n[ ! -s \"$d/err\" ] || cat \"$d/err\" >&2\n[ ! -f "          \
	"\"$d/file\" ] || cp \"$d/file\" \"$o\"\nexit 0"

static void stub_gcc(const char *path, const char *body)
{
	char text[2048];

	assert_true(snprintf(text, sizeof(text), "%s%s", body, AS_GCC) < (int)sizeof(text));
	stub(path, text);
}

/* The one failure's reason when `body` is the compiler gcc-9; it must have been started `starts` times. */
static const char *failing(struct world *w, const char *body, int starts)
{
	struct toolchain_slot slot;

	world_open(w);
	stub_gcc("bin/gcc-9", body);
	world_find(w);
	slot = world_slot(w, "gcc-9");
	assert_int_equal(w->found.n, 0);
	assert_null(slot.toolchain);
	assert_true(world_noted(w, "gcc-9"));
	/* twelve workloads ask for it: nobody is started for that */
	for (int i = 0; i < 12; i++)
		assert_string_equal(world_slot(w, "gcc-9").reason, slot.reason);
	assert_int_equal(stub_starts(), starts);
	return slot.reason;
}

static void toolchains_find__compiler_exits_1__is_left_out_with_its_words(void **state)
{
	struct world w;
	const char *reason = failing(&w, "echo 'gcc-9: internal error' >&2; exit 1", 1);

	(void)state;
	assert_non_null(strstr(reason, "exit code 1"));
	assert_non_null(strstr(reason, "gcc-9: internal error"));
	world_close(&w);
}

static void toolchains_find__compiler_that_never_ends__is_ended_in_time(void **state)
{
	const int64_t start = clock_ns();
	struct world w;

	(void)state;
	world_open(&w);
	w.options.timeout_ns = 300000000;
	stub_gcc("bin/gcc-9", "trap '' TERM\nsleep 1000 &\nwait\nsleep 1000");
	world_find(&w);
	assert_int_equal(w.found.n, 0);
	assert_non_null(strstr(world_slot(&w, "gcc-9").reason, "timed out"));
	assert_true(clock_ns() - start < 20000000000);
	assert_int_equal(stub_starts(), 1);
	world_close(&w);
}

static void toolchains_find__invalid_utf8_and_escapes__are_made_safe(void **state)
{
	struct world w;
	const char *reason =
		failing(&w, "printf 'gcc: \\377\\376 \\033[31m Fehler \\303\\274\\n' >&2; exit 1", 1);

	(void)state;
	assert_null(strchr(reason, '\033'));
	assert_null(strchr(reason, '\377'));
	assert_non_null(strstr(reason, "\\xff\\xfe"));
	assert_non_null(strstr(reason, "Fehler \303\274"));
	world_close(&w);
}

static void toolchains_find__five_megabytes_of_errors__stay_bounded(void **state)
{
	struct world w;
	const char *reason = failing(&w,
		"yes 'error: everything is wrong here, and the next line too' | "
		"head -c 5000000 >&2; exit 1",
		1);

	(void)state;
	assert_non_null(strstr(reason, "everything is wrong"));
	assert_true(strlen(reason) < 2000);
	world_close(&w);
}

static void toolchains_find__endless_line_without_newline__stays_bounded(void **state)
{
	struct world w;
	const char *reason = failing(&w, "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1", 1);

	(void)state;
	assert_true(strlen(reason) < 2000);
	world_close(&w);
}

static void toolchains_find__program_that_is_no_compiler__is_left_out(void **state)
{
	struct world w;
	const char *reason = failing(&w, "exit 0", 1);

	(void)state;
	assert_non_null(strstr(reason, "not those of gcc, clang or tcc"));
	world_close(&w);
}

static void toolchains_find__compiler_that_cannot_link__is_left_out(void **state)
{
	struct world w;
	const char *reason = failing(&w,
		"case \" $* \" in *\" -o empty \"*) echo \"ld: cannot find crt1.o\" >&2; "
		"exit 1;; esac",
		3);

	(void)state;
	assert_non_null(strstr(reason, "cannot link an empty program"));
	assert_non_null(strstr(reason, "cannot find crt1.o"));
	world_close(&w);
}

static void toolchains_find__compiler_that_writes_nothing__is_not_believed(void **state)
{
	struct world w;
	const char *reason = failing(&w, "case \" $* \" in *\" -o empty \"*) exit 0;; esac", 3);

	(void)state;
	assert_non_null(strstr(reason, "wrote none"));
	world_close(&w);
}

static void toolchains_find__broken_links_folders_and_plain_files__are_no_compilers(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	tools_run(NULL, "ln -s /nowhere/gcc bin/gcc && mkdir bin/gcc-8 && echo >bin/gcc-7");
	world_find(&w);
	assert_int_equal(w.found.n, 0);
	assert_true(world_noted(&w, "bin/gcc leads to nothing"));
	assert_null(world_slot(&w, "gcc-8").toolchain);
	assert_null(world_slot(&w, "gcc-7").toolchain);
	world_close(&w);
}

static void toolchains_find__users_missing_command__fails_once_with_the_nearest(void **state)
{
	struct toolchain_slot slot;
	struct world w;

	(void)state;
	world_open(&w);
	stub_gcc("bin/gcc-12", STUB_VERSION("12", "2"));
	world_user(&w, "mine", "gcc", "gcc-13 -m64");
	world_user(&w, "other", "gcc", "/nowhere/bin/gcc");
	world_find(&w);
	slot = world_slot(&w, "mine");
	assert_null(slot.toolchain);
	assert_non_null(
		strstr(slot.reason, "toolchains/mine.yaml: no program gcc-13 in PATH; there is gcc-12"));
	assert_non_null(strstr(world_slot(&w, "other").reason, "no program /nowhere/bin/gcc"));
	assert_true(world_noted(&w, "no program gcc-13"));
	world_close(&w);
}

static void toolchains_find__users_broken_command__is_not_replaced_by_PATHs(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	stub_gcc("bin/gcc-12", STUB_VERSION("12", "2"));
	tools_run(NULL, "mkdir -p odd");
	stub_gcc("odd/gcc", "exit 3");
	world_user(&w, "gcc-12", "gcc", arena_printf(&w.arena, "'%s'", tools_path("odd/gcc")));
	world_find(&w);
	assert_null(world_slot(&w, "gcc-12").toolchain);
	assert_non_null(strstr(world_slot(&w, "gcc-12").reason, "exit code 3"));
	world_close(&w);
}

static void toolchains_find__second_start__asks_nobody(void **state)
{
	struct world w;
	char identity[HASH_HEX];
	int starts;

	(void)state;
	world_open(&w);
	w.options.probe = true;
	stub_gcc("bin/gcc", "");
	world_find(&w);
	assert_int_equal(world_get(&w, "gcc")->gnu_asm, TRI_YES);
	memcpy(identity, world_get(&w, "gcc")->identity, HASH_HEX);
	starts = stub_starts();
	assert_true(starts > 5);
	world_find(&w);
	assert_int_equal(stub_starts(), starts);
	assert_string_equal(world_get(&w, "gcc")->identity, identity);
	assert_int_equal(world_get(&w, "gcc")->gnu_asm, TRI_YES);
	assert_non_null(facts_value(&world_get(&w, "gcc")->facts, "toolchain.driver.sha256"));
	world_close(&w);
}

static void toolchains_find__compiler_changed__is_asked_anew_and_is_another(void **state)
{
	struct world w;
	char identity[HASH_HEX];
	int starts;

	(void)state;
	world_open(&w);
	stub_gcc("bin/gcc", "");
	world_find(&w);
	memcpy(identity, world_get(&w, "gcc")->identity, HASH_HEX);
	starts = stub_starts();
	stub_gcc("bin/gcc", "# rebuilt");
	world_find(&w);
	assert_true(stub_starts() > starts);
	assert_string_not_equal(world_get(&w, "gcc")->identity, identity);
	world_close(&w);
}

static void toolchains_find__damaged_cache__is_like_none(void **state)
{
	static const char *const damages[] = {"echo '{' >", "echo '{\"watch\":[],\"stamp\":\"\"}' >", ": >",
		"head -c 2000 /dev/urandom >", "echo '[1,2,3]' >"};
	struct world w;

	(void)state;
	world_open(&w);
	w.options.probe = true;
	stub_gcc("bin/gcc", "");
	world_find(&w);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char line[256];

		snprintf(line, sizeof(line),
			"for f in cache/*.json; do [ $f = cache/hashes.json ] || %s$f; done", damages[i]);
		tools_run(NULL, line);
		world_find(&w);
		assert_int_equal(world_get(&w, "gcc")->gnu_asm, TRI_YES);
	}
	world_close(&w);
}

static void toolchains_find__failure__is_not_kept(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	stub_gcc("bin/gcc", "[ -e \"${0%/*}/../mended\" ] || exit 1");
	tools_run(NULL, "rm -f mended");
	world_find(&w);
	assert_int_equal(w.found.n, 0);
	tools_run(NULL, "touch mended");
	world_find(&w);
	assert_non_null(world_get(&w, "gcc"));
	world_close(&w);
}

static void toolchains_find__no_scratch_folder__is_an_error_with_advice(void **state)
{
	struct world w;
	struct error e = {0};

	(void)state;
	world_open(&w);
	w.options.scratch = "/nowhere/at/all";
	assert_int_equal(toolchains_find(&w.project, &w.options, &w.arena, &w.found, &e), -1);
	assert_non_null(strstr(e.text, "/nowhere/at/all"));
	assert_non_null(strstr(e.text, "TMPDIR"));
	world_close(&w);
}

static void toolchains_find__scratch_folder__is_left_as_it_was(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	w.options.probe = true;
	stub_gcc("bin/gcc", "");
	world_find(&w);
	assert_string_equal(tools_run(NULL, "ls -d flagstone-ask-* 2>/dev/null; true"), "");
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchains_find__compiler_exits_1__is_left_out_with_its_words),
		cmocka_unit_test(toolchains_find__compiler_that_never_ends__is_ended_in_time),
		cmocka_unit_test(toolchains_find__invalid_utf8_and_escapes__are_made_safe),
		cmocka_unit_test(toolchains_find__five_megabytes_of_errors__stay_bounded),
		cmocka_unit_test(toolchains_find__endless_line_without_newline__stays_bounded),
		cmocka_unit_test(toolchains_find__program_that_is_no_compiler__is_left_out),
		cmocka_unit_test(toolchains_find__compiler_that_cannot_link__is_left_out),
		cmocka_unit_test(toolchains_find__compiler_that_writes_nothing__is_not_believed),
		cmocka_unit_test(toolchains_find__broken_links_folders_and_plain_files__are_no_compilers),
		cmocka_unit_test(toolchains_find__users_missing_command__fails_once_with_the_nearest),
		cmocka_unit_test(toolchains_find__users_broken_command__is_not_replaced_by_PATHs),
		cmocka_unit_test(toolchains_find__second_start__asks_nobody),
		cmocka_unit_test(toolchains_find__compiler_changed__is_asked_anew_and_is_another),
		cmocka_unit_test(toolchains_find__damaged_cache__is_like_none),
		cmocka_unit_test(toolchains_find__failure__is_not_kept),
		cmocka_unit_test(toolchains_find__no_scratch_folder__is_an_error_with_advice),
		cmocka_unit_test(toolchains_find__scratch_folder__is_left_as_it_was),
	};

	return cmocka_run_group_tests_name("toolchain_broken", tests, tools_setup, tools_teardown);
}
