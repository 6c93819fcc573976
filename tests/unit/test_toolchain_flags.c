/*
 * Is a flag taken, warned about, refused or ignored, and what do lists of flags mean. What real compilers do with
 * these flags is what their own command lines showed (gcc 12, clang 14, tcc 0.9.27).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"

static struct flag_probe asked(struct world *w, const char *slot, const char *cflags)
{
	const struct words words = world_words(w, cflags);

	return toolchain_probe_flags(world_get(w, slot), &words, NULL, &w->arena);
}

/* A world whose PATH holds this stub as gcc. */
static void open_stub(struct world *w, const char *body)
{
	world_open(w);
	stub("bin/gcc", body);
	world_find(w);
}

static void toolchain_probe_flags__gcc__takes_refuses_and_ignores(void **state)
{
	struct world w;

	(void)state;
	open_stub(&w, "");
	assert_int_equal(asked(&w, "gcc", "-O2").answer, FLAG_TAKEN);
	assert_string_equal(asked(&w, "gcc", "-O2").text, "");
	assert_int_equal(asked(&w, "gcc", "-Wno-unused").answer, FLAG_TAKEN);
	assert_int_equal(asked(&w, "gcc", "-fzzz").answer, FLAG_REFUSED);
	assert_non_null(strstr(asked(&w, "gcc", "-fzzz").text, "-fzzz"));
	assert_int_equal(asked(&w, "gcc", "-Wzzz").answer, FLAG_REFUSED);
	/* the manual, "Warning Options": an unknown -Wno- is not diagnosed unless something else is */
	assert_int_equal(asked(&w, "gcc", "-O2 -Wno-zzz").answer, FLAG_IGNORED);
	assert_non_null(strstr(asked(&w, "gcc", "-O2 -Wno-zzz").text, "-Wno-zzz"));
	world_close(&w);
}

static void toolchain_probe_flags__exit_0_with_words__is_a_warning_with_the_text(void **state)
{
	struct world w;

	(void)state;
	open_stub(&w, "case \" $* \" in *\" -Wzzz \"*) echo \"warning: unknown warning option '-Wzzz'\" >&2; "
		      "shift;; *\" -funused \"*) echo \"cc: warning: argument unused during compilation: "
		      "'-funused'\" >&2; shift;; esac");
	assert_int_equal(asked(&w, "gcc", "-Wzzz").answer, FLAG_WARNED);
	assert_string_equal(asked(&w, "gcc", "-Wzzz").text, "warning: unknown warning option '-Wzzz'");
	assert_int_equal(asked(&w, "gcc", "-funused").answer, FLAG_IGNORED);
	world_close(&w);
}

static void toolchain_probe_flags__link_flags__are_tried_by_linking(void **state)
{
	struct words none = {0}, bad;
	struct world w;
	struct flag_probe probe;

	(void)state;
	open_stub(&w, "");
	bad = world_words(&w, "-lflagstone-no-such-library");
	probe = toolchain_probe_flags(world_get(&w, "gcc"), &none, &bad, &w.arena);
	assert_int_equal(probe.answer, FLAG_REFUSED);
	assert_non_null(strstr(probe.text, "flagstone-no-such-library"));
	probe = toolchain_probe_flags(world_get(&w, "gcc"), &none, &none, &w.arena);
	assert_int_equal(probe.answer, FLAG_TAKEN);
	world_close(&w);
}

static void toolchain_probe_flags__old_compiler_and_v3__says_which_version_is_needed(void **state)
{
	struct world w;
	struct flag_probe probe;

	(void)state;
	open_stub(&w,
		STUB_VERSION("9", "4") "\ncase \"$*\" in *x86-64-v3*) echo \"error: bad value ('x86-64-v3') "
				       "for '-march=' switch\" >&2; exit 1;; esac");
	probe = asked(&w, "gcc", "-O2 -march=x86-64-v3");
	assert_int_equal(probe.answer, FLAG_REFUSED);
	assert_non_null(strstr(probe.text, "bad value"));
	/* GCC 11 release notes, "x86-64": the levels came with it */
	assert_non_null(strstr(probe.text, "needs gcc 11 or newer, this is 9.4."));
	world_close(&w);
}

static void toolchain_probe_flags__native_refused_on_arm__suggests_mcpu(void **state)
{
	struct world w;
	struct flag_probe probe;
	const struct toolchain *arm;
	struct words flags;

	(void)state;
	world_open(&w);
	stub("bin/aarch64-linux-gnu-gcc",
		"case \" $* \" in *\" -dM \"*) printf '#define __GNUC__ 5\\n#define __GNUC_MINOR__ 4\\n"
		"#define __GNUC_PATCHLEVEL__ 0\\n#define __aarch64__ 1\\n'; exit;; "
		"*\" -dumpmachine \"*) echo aarch64-linux-gnu; exit;; "
		"*\" -march=native \"*) echo \"error: unknown value 'native' for -march\" >&2; exit 1;; "
		"esac");
	world_find(&w);
	assert_int_equal(w.found.n, 1);
	arm = w.found.v[0];
	flags = world_words(&w, "-O2 -march=native");
	probe = toolchain_probe_flags(arm, &flags, NULL, &w.arena);
	assert_int_equal(probe.answer, FLAG_REFUSED);
	assert_non_null(strstr(probe.text, "-mcpu=native"));
	world_close(&w);
}

static void toolchain_probe_flags__same_question__is_asked_once(void **state)
{
	struct world w;
	int starts;

	(void)state;
	open_stub(&w, "");
	assert_int_equal(asked(&w, "gcc", "-O2 -g").answer, FLAG_TAKEN);
	starts = stub_starts();
	assert_int_equal(asked(&w, "gcc", "-O2 -g").answer, FLAG_TAKEN);
	assert_int_equal(stub_starts(), starts);
	/* another start of flagstone, same cache */
	world_find(&w);
	assert_int_equal(asked(&w, "gcc", "-O2 -g").answer, FLAG_TAKEN);
	assert_int_equal(stub_starts(), starts);
	/* the same letters in other words are another question */
	assert_int_equal(asked(&w, "gcc", "'-O2 -g'").answer, FLAG_REFUSED);
	assert_true(stub_starts() > starts);
	world_close(&w);
}

static void toolchain_probe_flags__tcc__ignores_what_it_has_no_use_for(void **state)
{
	static const char *const ignored[] = {"-O3", "-march=native", "-fzzz", "-mzzz", "-flto"};
	struct world w;

	(void)state;
	world_open(&w);
	if (!tools_have("tcc")) {
		world_find(&w);
		assert_non_null(strstr(world_slot(&w, "tcc").reason, "no tcc in PATH"));
		world_close(&w);
		return;
	}
	tools_run(NULL, "ln -s \"$(command -v tcc)\" bin/tcc");
	world_find(&w);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		const struct flag_probe probe = asked(&w, "tcc", ignored[i]);

		assert_int_equal(probe.answer, FLAG_IGNORED);
		assert_non_null(strstr(probe.text, ignored[i]));
	}
	assert_int_equal(asked(&w, "tcc", "-funsigned-char -DX=1").answer, FLAG_TAKEN);
	assert_int_equal(asked(&w, "tcc", "--zzz").answer, FLAG_REFUSED);
	world_close(&w);
}

static void toolchain_probe_flags__clang__warns_about_unknown_warnings(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	if (!tools_have("clang")) {
		world_find(&w);
		assert_non_null(strstr(world_slot(&w, "clang").reason, "no clang in PATH"));
		world_close(&w);
		return;
	}
	tools_run(NULL, "ln -s \"$(command -v clang)\" bin/clang");
	world_find(&w);
	assert_int_equal(asked(&w, "clang", "-O2").answer, FLAG_TAKEN);
	assert_int_equal(asked(&w, "clang", "-Wzzz").answer, FLAG_WARNED);
	assert_non_null(strstr(asked(&w, "clang", "-Wzzz").text, "-Wzzz"));
	assert_int_equal(asked(&w, "clang", "-fzzz").answer, FLAG_REFUSED);
	assert_int_equal(asked(&w, "clang", "-fbranch-count-reg").answer, FLAG_IGNORED);
	world_close(&w);
}

static void toolchain_flags__lists__are_read_as_compilers_do(void **state)
{
	struct world w;
	struct words flags, abi = {0};
	const struct toolchain *gcc;

	(void)state;
	open_stub(&w, "");
	gcc = world_get(&w, "gcc");
	flags = world_words(&w, "-O2 -m64 --sysroot /opt/x -march=native -flto=auto -static -DX=-m32");
	toolchain_abi_flags(gcc, &flags, &w.arena, &abi);
	assert_string_equal(words_join(&abi, &w.arena), "-m64 --sysroot /opt/x -static");
	assert_true(toolchain_flags_lto(gcc, &flags));
	assert_true(toolchain_flags_static(&flags));
	assert_true(toolchain_flags_native(&flags));
	flags = world_words(&w, "-flto -O2 -fno-lto -flto-partition=none -march=x86-64-v3 -static-libgcc");
	assert_false(toolchain_flags_lto(gcc, &flags));
	assert_false(toolchain_flags_static(&flags));
	assert_false(toolchain_flags_native(&flags));
	flags = world_words(&w, "-static-pie -mtune=native");
	assert_true(toolchain_flags_static(&flags));
	assert_true(toolchain_flags_native(&flags));
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchain_probe_flags__gcc__takes_refuses_and_ignores),
		cmocka_unit_test(toolchain_probe_flags__exit_0_with_words__is_a_warning_with_the_text),
		cmocka_unit_test(toolchain_probe_flags__link_flags__are_tried_by_linking),
		cmocka_unit_test(toolchain_probe_flags__old_compiler_and_v3__says_which_version_is_needed),
		cmocka_unit_test(toolchain_probe_flags__native_refused_on_arm__suggests_mcpu),
		cmocka_unit_test(toolchain_probe_flags__same_question__is_asked_once),
		cmocka_unit_test(toolchain_probe_flags__tcc__ignores_what_it_has_no_use_for),
		cmocka_unit_test(toolchain_probe_flags__clang__warns_about_unknown_warnings),
		cmocka_unit_test(toolchain_flags__lists__are_read_as_compilers_do),
	};

	return cmocka_run_group_tests_name("toolchain_flags", tests, tools_setup, tools_teardown);
}
