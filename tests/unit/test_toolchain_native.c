/*
 * What native means, and the words that say the same: held against the compilers of this machine, by hand, and against
 * simulated CPUs, which qemu-user gives a driver that asks CPUID.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"
#include "toolchain/native.h"

static bool open_real(struct world *w, const char *name)
{
	world_open(w);
	if (!tools_have(name)) {
		world_close(w);
		return false;
	}
	tools_run(NULL, arena_printf(&w->arena, "ln -s \"$(command -v %s)\" bin/%s", name, name));
	world_find(w);
	return world_slot(w, name).toolchain != NULL;
}

/* A loop of the test's own, not one of the probes, disassembled by binutils: with native and with the words. */
static void assert_same_by_hand(struct world *w, const char *cc, const struct native *native)
{
	tools_write("hand.c",
		"void mix(int *a, const short *b, const unsigned char *c, int n)\n"
		"{\n\tfor (int i = 0; i < n; i++)\n\t\ta[i] = (a[i] * b[i] + c[i]) >> (c[i] & 7);\n}\n"
		"double norm(const double *x, int n)\n{\n\tdouble s = 0;\n"
		"\tfor (int i = 0; i < n; i++)\n\t\ts += x[i] * x[i];\n\treturn s;\n}\n");
	tools_run(NULL, arena_printf(&w->arena,
				"%s -O3 %s -c hand.c -o native.o && %s -O3 %s -c hand.c -o words.o && "
				"for x in native words; do objdump -d $x.o | sed 1,3d >$x; done && "
				"test -s native && cmp native words",
				cc, native->flag, cc, words_join(&native->command, &w->arena)));
}

static void native_ask__compilers_here__the_words_give_the_same_code(void **state)
{
	static const char *const slots[] = {"gcc", "clang"};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct native native, again;
		struct world w;

		if (!open_real(&w, slots[s]))
			continue;
		native_ask(world_get(&w, slots[s]), &w.arena, &native);
		if (native.reason != NULL) { /* a target whose compiler has no native */
			print_message("%s: %s\n", slots[s], native.reason);
			world_close(&w);
			continue;
		}
		if (native.tried != NATIVE_SAME)
			fail_msg("%s: %s; %s", slots[s], words_join(&native.command, &w.arena),
				native.tried_reason != NULL ? native.tried_reason
							    : words_join(&native.differing, &w.arena));
		assert_false(toolchain_flags_native(&native.command));
		assert_same_by_hand(&w, slots[s], &native);
		/* the next time it is not tried again */
		world_find(&w);
		native_ask(world_get(&w, slots[s]), &w.arena, &again);
		assert_int_equal(again.tried, NATIVE_SAME);
		assert_string_equal(
			words_join(&again.command, &w.arena), words_join(&native.command, &w.arena));
		world_close(&w);
	}
}

static void native_ask__code_that_no_words_give__is_named(void **state)
{
	struct world w;
	struct native native;

	(void)state;
	world_open(&w);
	/* a compiler whose native does what none of its options says */
	stub("bin/gcc", "case \" $* \" in *' -### '*) ;; *' -march=native '*' -c '*) exec gcc \"$@\" -O0;; "
			"*' -c '*probe.c*) exec gcc \"$@\" -O1;; esac");
	world_find(&w);
	native_ask(world_get(&w, "gcc"), &w.arena, &native);
	if (native.reason != NULL) {
		print_message("skipped: %s\n", native.reason);
		world_close(&w);
		skip();
	}
	assert_int_equal(native.tried, NATIVE_DIFFERS);
	assert_true(native.functions > 20);
	assert_true(native.differing.n > native.functions);
	assert_non_null(strstr(words_join(&native.differing, &w.arena), "saxpy at -O2"));
	world_close(&w);
}

static void native_ask__native_is_refused__is_the_compilers_reason(void **state)
{
	struct world w;
	struct native native;

	(void)state;
	world_open(&w);
	stub("bin/gcc", "case \" $* \" in *=native*) echo \"error: bad value 'native'\" >&2; exit 1;; esac");
	world_find(&w);
	native_ask(world_get(&w, "gcc"), &w.arena, &native);
	assert_non_null(native.reason);
	assert_non_null(strstr(native.reason, "bad value"));
	assert_int_equal(native.tried, NATIVE_UNTRIED);
	world_close(&w);
}

static void native_common__levels__are_the_lowest_that_all_take(void **state)
{
	struct world w;
	struct native natives[3];
	const char *why, *common;

	(void)state;
	if (!open_real(&w, "gcc"))
		return;
	if (strcmp(world_get(&w, "gcc")->arch, "x86_64") != 0 || world_get(&w, "gcc")->major < 11) {
		print_message("skipped: no gcc here that knows x86-64 levels\n");
		world_close(&w);
		skip();
	}
	for (size_t i = 0; i < 3; i++)
		natives[i] = (struct native){.toolchain = world_get(&w, "gcc"), .level = "x86-64-v4"};
	natives[1].level = "x86-64-v2";
	natives[2].level = NULL;
	natives[2].reason = "it ignores native";
	common = native_common(natives, 3, &w.arena, &why);
	assert_string_equal(common, "-march=x86-64-v2 -mtune=generic");
	assert_null(why);
	assert_null(native_common(natives + 2, 1, &w.arena, &why));
	assert_non_null(strstr(why, "no toolchain"));
	natives[2].reason = NULL;
	assert_null(native_common(natives, 3, &w.arena, &why));
	assert_non_null(strstr(why, "x86-64 only"));
	world_close(&w);
}

/* A driver that asks a simulated CPU; the compiler proper runs on the real one. */
static bool open_simulated(struct world *w, const char *cpu)
{
	const char *gcc;

	world_open(w);
	if (!tools_have("qemu-x86_64") || !tools_have("gcc") ||
		strcmp(tools_run(NULL, "uname -m"), "x86_64") != 0) {
		world_close(w);
		print_message("skipped: qemu-x86_64 (qemu-user), gcc and an x86-64 machine are needed\n");
		return false;
	}
	gcc = arena_strdup(&w->arena, tools_run(NULL, "readlink -f \"$(command -v gcc)\""));
	/* only where native is asked for does the driver ask the CPU; -O2 is tried against the CPU of this machine */
	stub("bin/gcc", arena_printf(&w->arena,
				"case \" $* \" in *=native*) set -- qemu-x86_64 -cpu %s %s \"$@\";; "
				"*) set -- %s \"$@\";; esac\n"
				"case \" $* \" in *' -###'*) ;; *' -O2 '*' -c '*) set -- \"$@\" -O0;; esac\n"
				"exec \"$@\"",
				cpu, gcc, gcc));
	world_find(w);
	return true;
}

/* Masked, as a hypervisor does: a Haswell without AVX2. More of them are in `make trust`. */
static void native_ask__simulated_cpu__is_what_that_cpu_has(void **state)
{
	static const char cpu[] = "Haswell,-avx2";
	struct native native;
	struct world w;

	(void)state;
	if (!open_simulated(&w, cpu))
		skip();
	native_ask(world_get(&w, "gcc"), &w.arena, &native);
	if (native.reason != NULL)
		fail_msg("%s: %s", cpu, native.reason);
	/* and so says the driver itself, asked by hand */
	assert_string_equal(native.resolved.march,
		tools_run(NULL, arena_printf(&w.arena,
					"qemu-x86_64 -cpu %s \"$(readlink -f \"$(command -v gcc)\")\" "
					"-march=native -### -c -x c /dev/null 2>&1 | tr -d '\"' | "
					"sed -n 's/.*cc1 .* -march=\\([a-z0-9-]*\\).*/\\1/p' | head -n 1",
					cpu)));
	assert_true(words_have(&native.features.own, "__AVX__"));
	assert_false(words_have(&native.features.own, "__AVX2__"));
	if (native.tried != NATIVE_SAME)
		fail_msg("%s: %s: %s", cpu, words_join(&native.command, &w.arena),
			native.tried_reason != NULL ? native.tried_reason
						    : words_join(&native.differing, &w.arena));
	assert_true(
		words_have(&native.command, "-mno-avx2") || strcmp(native.resolved.march, "haswell") != 0);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native_ask__compilers_here__the_words_give_the_same_code),
		cmocka_unit_test(native_ask__code_that_no_words_give__is_named),
		cmocka_unit_test(native_ask__native_is_refused__is_the_compilers_reason),
		cmocka_unit_test(native_common__levels__are_the_lowest_that_all_take),
		cmocka_unit_test(native_ask__simulated_cpu__is_what_that_cpu_has),
	};

	return cmocka_run_group_tests_name("toolchain_native", tests, tools_setup, tools_teardown);
}
