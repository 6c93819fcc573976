/*
 * Finding and telling apart: each real compiler once, by what it is; wrappers seen through; slots. With stubs and
 * links to the gcc of this machine, in a PATH that holds nothing else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"

/* An absolute link to the real gcc. */
#define LINK_GCC "ln -s \"$(readlink -f \"$(command -v gcc)\")\" "

static void toolchains_find__many_names_of_one_compiler__is_kept_once_with_all(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	world_open(&w);
	tools_run(NULL, LINK_GCC "bin/gcc && " LINK_GCC "bin/cc && " LINK_GCC "bin/gcc-99 && " LINK_GCC
				 "bin/$(gcc -dumpmachine)-gcc");
	world_find(&w);
	assert_int_equal(w.found.n, 1);
	gcc = world_get(&w, "gcc");
	assert_string_equal(gcc->family, "gcc");
	assert_string_equal(gcc->version, tools_run(NULL, "gcc -dumpfullversion"));
	assert_string_equal(gcc->target, tools_run(NULL, "gcc -dumpmachine"));
	assert_string_equal(gcc->cc.v[0], tools_path("bin/gcc"));
	assert_true(words_have(&gcc->names, "gcc"));
	assert_true(words_have(&gcc->names, "cc"));
	assert_true(words_have(&gcc->names, "gcc-99"));
	assert_int_equal(gcc->names.n, 4);
	/* gcc-99 is only what a link calls it */
	assert_null(world_slot(&w, "gcc-99").toolchain);
	world_close(&w);
}

static void toolchains_find__gcc_that_is_clang__is_a_clang(void **state)
{
	struct world w;
	struct words all = {0};

	(void)state;
	world_open(&w);
	stub("bin/gcc",
		"case \" $* \" in *\" -dM \"*) printf '#define __clang__ 1\\n#define __clang_major__ 17\\n"
		"#define __clang_minor__ 0\\n#define __clang_patchlevel__ 6\\n#define __GNUC__ 4\\n'; "
		"gcc \"$@\" | grep -E '__(x86_64|aarch64|riscv|powerpc64|s390x)'; exit;; esac");
	world_find(&w);
	assert_int_equal(w.found.n, 1);
	assert_string_equal(w.found.v[0]->family, "clang");
	assert_string_equal(w.found.v[0]->version, "17.0.6");
	assert_null(world_slot(&w, "gcc").toolchain);
	assert_non_null(strstr(world_slot(&w, "gcc").reason, "the gcc of PATH is clang 17.0.6"));
	assert_string_equal(world_slot(&w, "gcc").brief, "no usable gcc here");
	assert_true(world_noted(&w, "is called gcc, but is clang 17.0.6"));
	toolchains_all_slots(&w.found, &w.arena, &all);
	assert_string_equal(words_join(&all, &w.arena), "clang-17");
	world_close(&w);
}

static void toolchains_find__localized_banner__version_comes_from_macros_in_the_C_locale(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	/* A compiler that speaks German to whoever does not set the C locale, and shows no number at all. */
	stub("bin/gcc", "echo \"LC_ALL=$LC_ALL LANG=$LANG\" >>locale\n"
			"case \"$*\" in *-version*) echo 'gcc-Version dreizehn (\xc3\x9c"
			"bersetzer)'; exit;; esac\n"
			"[ \"$LC_ALL\" = C ] || { echo 'gcc: Fehler: \xc3\xbc' >&2; exit 1; }\n" STUB_VERSION(
				"13", "2"));
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	world_find(&w);
	unsetenv("LC_ALL");
	unsetenv("LANG");
	assert_int_equal(world_get(&w, "gcc")->major, 13);
	assert_ptr_equal(world_get(&w, "gcc"), world_get(&w, "gcc-13"));
	world_close(&w);
}

static void toolchains_find__users_environment__does_not_reach_the_compiler(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	stub("bin/gcc", "env >>\"${0%/*}/../seen\"");
	setenv("CFLAGS", "-O0", 1);
	setenv("CPATH", "/nowhere", 1);
	setenv("GCC_EXEC_PREFIX", "/nowhere/", 1);
	setenv("LIBRARY_PATH", "/nowhere", 1);
	world_find(&w);
	unsetenv("CFLAGS");
	unsetenv("CPATH");
	unsetenv("GCC_EXEC_PREFIX");
	unsetenv("LIBRARY_PATH");
	assert_non_null(world_get(&w, "gcc"));
	assert_string_not_equal(tools_run(NULL, "grep -c LC_ALL=C seen"), "0");
	assert_string_equal(
		tools_run(NULL, "grep -cE '^(CFLAGS|CPATH|GCC_EXEC_PREFIX|LIBRARY_PATH)=' seen; true"), "0");
	world_close(&w);
}

static void toolchains_find__masquerade__is_seen_through_and_noted(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	world_open(&w);
	tools_run(NULL, "mkdir -p early && " LINK_GCC "bin/gcc");
	stub("early/ccache", "exit 1");
	tools_run(NULL, "ln -sf ccache early/gcc && ln -sf ccache early/gcc-77");
	w.options.path = arena_printf(&w.arena, "%s:%s", tools_path("early"), tools_path("bin"));
	world_find(&w);
	gcc = world_get(&w, "gcc");
	assert_int_equal(w.found.n, 1);
	assert_string_equal(gcc->cc.v[0], tools_path("bin/gcc"));
	assert_non_null(strstr(facts_value(&gcc->facts, "toolchain.wrapper"), "ccache"));
	assert_true(world_noted(&w, "early holds links to a compiler cache or distributor (gcc)"));
	assert_true(world_noted(&w, "no gcc-77 stands behind it"));
	assert_int_equal(stub_starts(), 0);
	world_close(&w);
}

static void toolchains_find__wrapper_in_a_users_command__is_dropped(void **state)
{
	static const char *const commands[] = {"ccache gcc", "ccache distcc gcc", "sccache gcc", "icecc gcc",
		"ccache compiler_check=content gcc"};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct world w;
		const struct toolchain *mine;

		world_open(&w);
		tools_run(NULL, LINK_GCC "bin/gcc");
		world_user(&w, "mine", "gcc", commands[i]);
		world_find(&w);
		mine = world_get(&w, "mine");
		assert_int_equal(mine->cc.n, 1);
		assert_string_equal(mine->cc.v[0], tools_path("bin/gcc"));
		assert_non_null(facts_value(&mine->facts, "toolchain.wrapper"));
		assert_true(world_noted(&w, "without it"));
		/* it is the gcc of PATH: once */
		assert_int_equal(w.found.n, 1);
		assert_ptr_equal(mine, world_get(&w, "gcc"));
		world_close(&w);
	}
}

static void toolchains_find__user_command_with_spaces_and_words__is_argv(void **state)
{
	struct world w;
	const struct toolchain *mine;
	struct spec_toolchain *user;
	char cc[600];

	(void)state;
	world_open(&w);
	tools_run(NULL, "mkdir -p 'my gcc/bin' && " LINK_GCC "bin/gcc");
	stub("my gcc/bin/gcc", "env >>\"${0%/*}/../../seen-env\"");
	snprintf(cc, sizeof(cc), "'%s/my gcc/bin/gcc' -DX='a b;$(id)'", tools_folder);
	user = world_user(&w, "mine", "gcc", cc);
	user->env = world_words(&w, "'LD_LIBRARY_PATH=/opt/some lib'");
	world_find(&w);
	mine = world_get(&w, "mine");
	assert_int_equal(w.found.n, 2);
	assert_string_equal(mine->cc.v[0], tools_path("my gcc/bin/gcc"));
	assert_string_equal(mine->cc.v[1], "-DX=a b;$(id)");
	assert_string_equal(mine->own_slot, "mine");
	assert_non_null(strstr(tools_run(NULL, "head -1 log"), "-DX=a b;$(id) -E"));
	assert_string_equal(tools_run(NULL, "grep -c '^LD_LIBRARY_PATH=/opt/some lib$' seen-env | head -c 1"),
		tools_run(NULL, "grep -c LC_ALL=C seen-env | head -c 1"));
	assert_string_not_equal(mine->identity, world_get(&w, "gcc")->identity);
	world_close(&w);
}

static void toolchains_find__relative_user_command__is_from_the_projects_folder(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	tools_run(NULL, "mkdir -p local");
	stub("local/mycc", "");
	world_user(&w, "mine", "gcc", "local/mycc");
	world_find(&w);
	assert_string_equal(world_get(&w, "mine")->cc.v[0], tools_path("local/mycc"));
	world_close(&w);
}

static void toolchains_find__two_builds_of_one_major__have_slots_of_their_own(void **state)
{
	struct world w;
	struct words all = {0};

	(void)state;
	world_open(&w);
	tools_run(NULL, "mkdir -p late");
	stub("bin/gcc", STUB_VERSION("13", "1"));
	stub("late/gcc", STUB_VERSION("13", "3"));
	stub("late/gcc-13", "# another build\n" STUB_VERSION("13", "3"));
	w.options.path = arena_printf(&w.arena, "%s:%s", tools_path("bin"), tools_path("late"));
	world_find(&w);
	assert_int_equal(w.found.n, 3);
	toolchains_all_slots(&w.found, &w.arena, &all);
	assert_int_equal(all.n, 3);
	for (size_t i = 0; i < all.n; i++) {
		assert_string_equal(world_get(&w, all.v[i])->own_slot, all.v[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(all.v[i], all.v[j]);
	}
	/* gcc is the first of PATH, gcc-13 the program of that name */
	assert_string_equal(world_get(&w, "gcc")->cc.v[0], tools_path("bin/gcc"));
	assert_string_equal(world_get(&w, "gcc-13")->cc.v[0], tools_path("late/gcc-13"));
	world_close(&w);
}

static void toolchains_slot__missing__names_the_nearest_and_where_it_looked(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	stub("bin/gcc-12", STUB_VERSION("12", "2"));
	world_find(&w);
	assert_string_equal(world_slot(&w, "gcc-9").reason,
		arena_printf(&w.arena, "no gcc-9 in PATH (looked through %s); there is gcc-12",
			tools_path("bin")));
	assert_string_equal(world_slot(&w, "gcc-9").brief, "no gcc-9 in PATH");
	assert_null(world_slot(&w, "gcc-12").brief);
	/* no program is called gcc */
	assert_null(world_slot(&w, "gcc").toolchain);
	assert_non_null(strstr(world_slot(&w, "gcc").reason, "there is gcc-12"));
	assert_non_null(strstr(world_slot(&w, "gcc-21").reason, "gcc-12"));
	assert_non_null(strstr(world_slot(&w, "\033[31m").reason, "no \\"));
	assert_non_null(strstr(world_slot(&w, "\033[31m").brief, "no \\"));
	world_close(&w);
}

static void toolchains_slot__cross_compiler_without_runner__says_what_to_write(void **state)
{
	static const char *const stub_cross =
		"case \" $* \" in *\" -dM \"*) printf '#define __GNUC__ 12\\n#define __GNUC_MINOR__ 2\\n"
		"#define __GNUC_PATCHLEVEL__ 0\\n#define __s390x__ 1\\n'; exit;; "
		"*\" -dumpmachine \"*) echo s390x-linux-gnu; exit;; esac";
	struct spec_toolchain *user;
	struct toolchain_slot slot;
	struct words all = {0};
	struct world w;

	(void)state;
	world_open(&w);
	stub("bin/s390x-linux-gnu-gcc", stub_cross);
	stub("bin/qemu-s390x", "exec \"$@\"");
	world_find(&w);
	slot = world_slot(&w, "cross-gcc-12-s390x-linux-gnu");
	assert_null(slot.toolchain);
	assert_non_null(slot.idle);
	assert_string_equal(slot.idle->family, "cross-gcc");
	assert_false(slot.idle->native);
	assert_non_null(strstr(slot.reason, "runner: qemu-s390x"));
	assert_string_equal(slot.brief, "programs for s390x cannot run here without a runner");
	assert_ptr_equal(world_slot(&w, "s390x-linux-gnu-gcc").idle, slot.idle);
	toolchains_all_slots(&w.found, &w.arena, &all);
	assert_int_equal(all.n, 0);

	user = world_user(&w, "mine", "cross-gcc", "s390x-linux-gnu-gcc");
	user->runner = world_words(&w, "qemu-s390x -L /usr/s390x");
	world_find(&w);
	slot = world_slot(&w, "mine");
	assert_non_null(slot.toolchain);
	assert_string_equal(slot.toolchain->runner.v[0], tools_path("bin/qemu-s390x"));
	assert_string_equal(slot.toolchain->runner.v[2], "/usr/s390x");
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchains_find__many_names_of_one_compiler__is_kept_once_with_all),
		cmocka_unit_test(toolchains_find__gcc_that_is_clang__is_a_clang),
		cmocka_unit_test(
			toolchains_find__localized_banner__version_comes_from_macros_in_the_C_locale),
		cmocka_unit_test(toolchains_find__users_environment__does_not_reach_the_compiler),
		cmocka_unit_test(toolchains_find__masquerade__is_seen_through_and_noted),
		cmocka_unit_test(toolchains_find__wrapper_in_a_users_command__is_dropped),
		cmocka_unit_test(toolchains_find__user_command_with_spaces_and_words__is_argv),
		cmocka_unit_test(toolchains_find__relative_user_command__is_from_the_projects_folder),
		cmocka_unit_test(toolchains_find__two_builds_of_one_major__have_slots_of_their_own),
		cmocka_unit_test(toolchains_slot__missing__names_the_nearest_and_where_it_looked),
		cmocka_unit_test(toolchains_slot__cross_compiler_without_runner__says_what_to_write),
	};

	return cmocka_run_group_tests_name("toolchain_find", tests, tools_setup, tools_teardown);
}
