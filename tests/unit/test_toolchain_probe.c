/*
 * Probes of LTO, static links, assembly and object order: with the real compilers that are installed (an absent one's
 * slot says so), and with stubs for what does not work here. What is expected of real ones is tried by hand first.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"

static const char *const program = "int main(void) { return 0; }\n";

/* The tri that a command's success means. */
static enum tri tried(const char *command)
{
	bool ok;

	tools_run(&ok, command);
	return ok ? TRI_YES : TRI_NO;
}

static const struct toolchain *open_stub(struct world *w, const char *body)
{
	world_open(w);
	w->options.probe = true;
	stub("bin/gcc", body);
	world_find(w);
	return world_get(w, "gcc");
}

static void toolchains_find__real_gcc__parts_are_what_tools_say(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	world_open(&w);
	w.options.probe = true;
	tools_write("p.c", program);
	tools_run(NULL, "ln -s \"$(command -v gcc)\" bin/gcc");
	world_find(&w);
	gcc = world_get(&w, "gcc");
	assert_string_equal(facts_value(&gcc->facts, "toolchain.driver.sha256"),
		tools_run(NULL, "sha256sum \"$(readlink -f \"$(command -v gcc)\")\" | cut -c1-64"));
	assert_string_equal(facts_value(&gcc->facts, "toolchain.cc1.sha256"),
		tools_run(NULL, "sha256sum \"$(gcc -print-prog-name=cc1)\" | cut -c1-64"));
	assert_string_equal(facts_value(&gcc->facts, "toolchain.linker.version"),
		tools_run(NULL, "LC_ALL=C ld --version | head -1"));
	/* getconf: "glibc 2.36" */
	assert_string_equal(facts_value(&gcc->facts, "toolchain.libc.version"),
		tools_run(NULL, "getconf GNU_LIBC_VERSION"));
	assert_int_equal(gcc->static_libc, tried("gcc -static -o p p.c 2>static.log && ./p"));
	assert_int_equal(gcc->gnu_asm, TRI_YES);
	assert_true(gcc->shuffle_with_objects);
	assert_true(gcc->native);
	assert_int_equal(gcc->lto, tried("gcc -O2 -flto -o p p.c 2>lto.log && ./p"));
	assert_non_null(strstr(facts_value(&gcc->facts, "toolchain.march_values"), " "));
	world_close(&w);
}

static void toolchains_find__lto_flag_that_does_nothing__is_no_lto(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	gcc = open_stub(&w, "n=$#; while [ $n -gt 0 ]; do a=$1; shift; n=$((n - 1)); "
			    "[ \"$a\" = -flto ] || set -- \"$@\" \"$a\"; done");
	assert_int_equal(gcc->lto, TRI_NO);
	assert_non_null(strstr(gcc->lto_reason, "writes ordinary objects"));
	assert_string_equal(facts_value(&gcc->facts, "toolchain.lto"), "no");
	world_close(&w);
}

static void toolchains_find__lto_link_that_fails__is_no_lto_with_the_linkers_words(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	gcc = open_stub(&w,
		"case \" $* \" in *\" -flto -o \"*) echo 'ld: plugin needed to handle lto object' >&2; "
		"exit 1;; esac");
	assert_int_equal(gcc->lto, TRI_NO);
	assert_non_null(strstr(gcc->lto_reason, "plugin needed"));
	world_close(&w);
}

static void toolchains_find__gcc_without_gcc_ar__lto_works_or_is_no(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	/* CASES 4: the stub's folder has no gcc-ar; what PATH has is found, and a broken one is not believed */
	world_open(&w);
	w.options.probe = true;
	stub("bin/gcc", "");
	tools_run(NULL, "printf '#!/bin/sh\\n: >lto.a\\n' >bin/gcc-ar && chmod 755 bin/gcc-ar");
	world_find(&w);
	gcc = world_get(&w, "gcc");
	assert_string_equal(gcc->ar, tools_path("bin/gcc-ar"));
	assert_int_equal(gcc->lto, TRI_NO);
	assert_non_null(strstr(gcc->lto_reason, "does not link with -flto"));
	assert_non_null(strstr(gcc->lto_reason, "gcc-ar"));
	world_close(&w);
}

static void toolchains_find__no_static_libc__is_said_and_nothing_else_fails(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	gcc = open_stub(&w,
		"case \" $* \" in *\" -static \"*) echo '/usr/bin/ld: cannot find -lc' >&2; exit 1;; esac");
	assert_int_equal(gcc->static_libc, TRI_NO);
	assert_non_null(strstr(gcc->static_reason, "cannot find -lc"));
	assert_non_null(strstr(gcc->static_reason, "static C library is missing"));
	assert_int_equal(gcc->gnu_asm, TRI_YES);
	world_close(&w);
}

static void toolchains_find__static_that_is_dynamic__is_no(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	gcc = open_stub(&w, "n=$#; while [ $n -gt 0 ]; do a=$1; shift; n=$((n - 1)); "
			    "[ \"$a\" = -static ] || set -- \"$@\" \"$a\"; done");
	assert_int_equal(gcc->static_libc, TRI_NO);
	assert_non_null(strstr(gcc->static_reason, "links a dynamic program"));
	world_close(&w);
}

static void toolchains_find__without_probe__nothing_is_claimed(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	stub("bin/gcc", "");
	world_find(&w);
	assert_int_equal(world_get(&w, "gcc")->lto, TRI_UNKNOWN);
	assert_int_equal(world_get(&w, "gcc")->static_libc, TRI_UNKNOWN);
	assert_null(facts_find(&world_get(&w, "gcc")->facts, "toolchain.lto"));
	world_close(&w);
}

static void toolchains_find__cxx_of_another_version__is_not_taken(void **state)
{
	struct world w;
	const struct toolchain *gcc;

	(void)state;
	world_open(&w);
	stub("bin/gcc", STUB_VERSION("13", "2"));
	stub("bin/g++", STUB_VERSION("12", "2"));
	world_find(&w);
	gcc = world_get(&w, "gcc");
	assert_int_equal(gcc->cxx.n, 0);
	/* where C++ is not installed at all, the stub's gcc says so instead */
	assert_true(strstr(gcc->cxx_reason, "is version 12.2.") != NULL ||
		    strstr(gcc->cxx_reason, "does not compile C++") != NULL);
	world_close(&w);
}

/* A real compiler that may not be installed: NULL, and then its slot says so. */
static const struct toolchain *real(struct world *w, const char *program_name, const char *slot)
{
	char line[256];

	world_open(w);
	w->options.probe = true;
	tools_write("p.c", program);
	if (tools_have(program_name)) {
		snprintf(line, sizeof(line), "ln -s \"$(command -v %s)\" bin/%s", program_name, program_name);
		tools_run(NULL, line);
		world_find(w);
		return w->found.n == 1 ? w->found.v[0] : NULL;
	}
	world_find(w);
	assert_int_equal(w->found.n, 0);
	assert_non_null(strstr(world_slot(w, slot).reason, "in PATH"));
	return NULL;
}

static void toolchains_find__real_clang__is_probed_with_its_own_ar(void **state)
{
	struct world w;
	const struct toolchain *clang = real(&w, "clang", "clang");

	(void)state;
	if (clang != NULL) {
		assert_string_equal(clang->family, "clang");
		assert_string_equal(clang->version, tools_run(NULL, "clang -dumpversion"));
		assert_int_equal(clang->static_libc, tried("clang -static -o p p.c 2>static.log && ./p"));
		assert_int_equal(clang->lto, tried("clang -O2 -flto -o p p.c 2>lto.log && ./p"));
		assert_non_null(facts_value(&clang->facts, "toolchain.backend.sha256"));
	}
	world_close(&w);
}

static void toolchains_find__real_tcc__has_no_lto(void **state)
{
	struct world w;
	const struct toolchain *tcc = real(&w, "tcc", "tcc");

	(void)state;
	if (tcc != NULL) {
		assert_string_equal(tcc->family, "tcc");
		/* "tcc version 0.9.27 (x86_64 Linux)" */
		assert_string_equal(tcc->version, tools_run(NULL, "tcc -v | cut -d' ' -f3"));
		assert_int_equal(tcc->lto, TRI_NO);
		assert_int_equal(tcc->gnu_asm, TRI_YES);
		assert_true(tcc->shuffle_with_objects);
	}
	world_close(&w);
}

static void toolchains_find__real_musl_gcc__is_a_family_of_its_own(void **state)
{
	struct world w;
	const struct toolchain *musl = real(&w, "musl-gcc", "musl-gcc");

	(void)state;
	if (musl != NULL) {
		assert_string_equal(musl->family, "musl-gcc");
		assert_ptr_equal(world_get(&w, "musl-gcc"), musl);
		assert_int_equal(strncmp(facts_value(&musl->facts, "toolchain.libc.version"), "musl", 4), 0);
		assert_int_equal(musl->static_libc, tried("musl-gcc -static -o p p.c 2>static.log && ./p"));
	}
	world_close(&w);
}

static void toolchains_find__real_cross_gcc__runs_nothing_here(void **state)
{
	const bool is_arm = strcmp(tools_run(NULL, "uname -m"), "aarch64") == 0;
	const char *name = is_arm ? "x86_64-linux-gnu-gcc" : "aarch64-linux-gnu-gcc";
	struct world w;
	const struct toolchain *cross = real(&w, name, name);

	(void)state;
	if (cross != NULL) {
		assert_string_equal(cross->family, "cross-gcc");
		assert_string_equal(cross->arch, is_arm ? "x86_64" : "aarch64");
		assert_false(cross->native);
		assert_null(world_slot(&w, name).toolchain);
		assert_non_null(strstr(world_slot(&w, name).reason, "runner: qemu-"));
	}
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchains_find__real_gcc__parts_are_what_tools_say),
		cmocka_unit_test(toolchains_find__lto_flag_that_does_nothing__is_no_lto),
		cmocka_unit_test(toolchains_find__lto_link_that_fails__is_no_lto_with_the_linkers_words),
		cmocka_unit_test(toolchains_find__gcc_without_gcc_ar__lto_works_or_is_no),
		cmocka_unit_test(toolchains_find__no_static_libc__is_said_and_nothing_else_fails),
		cmocka_unit_test(toolchains_find__static_that_is_dynamic__is_no),
		cmocka_unit_test(toolchains_find__without_probe__nothing_is_claimed),
		cmocka_unit_test(toolchains_find__cxx_of_another_version__is_not_taken),
		cmocka_unit_test(toolchains_find__real_clang__is_probed_with_its_own_ar),
		cmocka_unit_test(toolchains_find__real_tcc__has_no_lto),
		cmocka_unit_test(toolchains_find__real_musl_gcc__is_a_family_of_its_own),
		cmocka_unit_test(toolchains_find__real_cross_gcc__runs_nothing_here),
	};

	return cmocka_run_group_tests_name("toolchain_probe", tests, tools_setup, tools_teardown);
}
