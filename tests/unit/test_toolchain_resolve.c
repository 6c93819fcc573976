/*
 * What options mean here: held against the compilers' own answers, and against recorded command lines for what this
 * machine's CPU does not have.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"
#include "toolchain/command_line.h"

static struct resolved resolved(struct world *w, const char *slot, const char *cflags)
{
	const struct words words = world_words(w, cflags);
	struct resolved r;
	struct error e = {0};

	if (toolchain_resolve(world_get(w, slot), &words, &w->arena, &r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void open_stub(struct world *w, const char *body)
{
	world_open(w);
	stub("bin/gcc", body);
	world_find(w);
}

static bool same(struct world *w, const char *one, const char *other)
{
	return strcmp(resolved(w, "gcc", one).hash, resolved(w, "gcc", other).hash) == 0;
}

static void toolchain_resolve__gcc_native__is_what_gcc_says(void **state)
{
	static const char *const questions[] = {"-O2", "-O2 -march=native"};
	struct world w;

	(void)state;
	open_stub(&w, "");
	for (size_t i = 0; i < 2; i++) {
		struct resolved r;
		char line[256];
		bool ok;

		snprintf(line, sizeof(line),
			"gcc %s -Q --help=target 2>&1 | awk '$1 == \"-march=\" {print $2; n = 1} "
			"END {exit !n}'",
			questions[i]);
		tools_run(&ok, line);
		if (!ok) /* a machine whose gcc has no -march=native, or no -march at all */
			continue;
		r = resolved(&w, "gcc", questions[i]);
		assert_string_equal(r.march, tools_run(NULL, line));
		assert_string_equal(facts_value(&r.facts, "resolved.march"), r.march);
	}
	world_close(&w);
}

static void toolchain_resolve__hash__is_equal_for_equal_meaning_only(void **state)
{
	struct world w;

	(void)state;
	open_stub(&w, "");
	w.options.cache_folder = NULL;
	world_find(&w);
	/* asked twice in other folders: no temporary name is part of it */
	assert_true(same(&w, "-O2", "-O2 -O2"));
	assert_true(same(&w, "-O3 -O2", "-O2"));
	assert_false(same(&w, "-O2", "-O3"));
	assert_false(same(&w, "-O2", "-O2 -ffast-math"));
	assert_false(same(&w, "-O2", "-O2 -flto"));
	assert_false(same(&w, "-O2", "-O2 -DX=1"));
	world_close(&w);
}

static void toolchain_resolve__cache_sizes__are_a_fact_and_not_in_the_hash(void **state)
{
	struct world w;
	struct resolved r;

	(void)state;
	/* CASES 26: two machines whose native differs in a cache size that no code depends on */
	open_stub(&w, "");
	r = resolved(&w, "gcc", "-O2 --param l2-cache-size=8192");
	assert_string_equal(facts_value(&r.facts, "resolved.params"), "l2-cache-size=8192");
	assert_true(same(&w, "-O2 --param l2-cache-size=8192", "-O2 --param l2-cache-size=256"));
	world_close(&w);
}

static void toolchain_resolve__native_that_is_generic__is_said(void **state)
{
	struct world w;
	struct resolved r;

	(void)state;
	/* a gcc older than the CPU: takes native, and means the oldest model */
	open_stub(&w, "case \" $* \" in *\" -march=native \"*) set -- $(echo \"$*\" | "
		      "sed 's/-march=native/-DNATIVE_UNKNOWN/');; esac");
	if (strcmp(world_get(&w, "gcc")->arch, "x86_64") != 0) {
		r = resolved(&w, "gcc", "-O2");
		assert_false(r.native_is_generic);
		world_close(&w);
		return;
	}
	r = resolved(&w, "gcc", "-O2 -march=native");
	assert_true(r.native_is_generic);
	assert_string_equal(r.march, "x86-64");
	assert_string_equal(facts_value(&r.facts, "resolved.native_is_generic"), "yes");
	r = resolved(&w, "gcc", "-O2 -march=x86-64");
	assert_false(r.native_is_generic);
	assert_null(facts_find(&r.facts, "resolved.native_is_generic"));
	world_close(&w);
}

static void toolchain_resolve__answer_of_another_cpu__is_not_taken(void **state)
{
	struct world w;
	int starts;

	(void)state;
	world_open(&w);
	stub("bin/gcc", "");
	w.options.cpu = "model\t: one\n";
	world_find(&w);
	(void)resolved(&w, "gcc", "-O2");
	starts = stub_starts();
	world_find(&w);
	(void)resolved(&w, "gcc", "-O2");
	assert_int_equal(stub_starts(), starts);
	/* the same cache on a machine with another CPU */
	w.options.cpu = "model\t: other\n";
	world_find(&w);
	(void)resolved(&w, "gcc", "-O2");
	assert_true(stub_starts() > starts);
	world_close(&w);
}

static void toolchain_resolve__cached_answer__is_the_whole_answer(void **state)
{
	struct world w;
	struct resolved one, other;

	(void)state;
	open_stub(&w, "");
	one = resolved(&w, "gcc", "-O3");
	world_find(&w);
	other = resolved(&w, "gcc", "-O3");
	assert_string_equal(one.hash, other.hash);
	assert_int_equal(one.facts.n, other.facts.n);
	for (size_t i = 0; i < one.facts.n; i++)
		assert_string_equal(one.facts.v[i].value, facts_value(&other.facts, one.facts.v[i].key));
	if (one.march != NULL)
		assert_string_equal(one.march, other.march);
	world_close(&w);
}

static void toolchain_resolve__refused_flags__give_the_compilers_words(void **state)
{
	struct world w;
	struct words flags;
	struct resolved r = {.march = "untouched"};
	struct error e = {0};

	(void)state;
	open_stub(&w, "");
	flags = world_words(&w, "-O2 -fno-such-thing-here");
	assert_int_equal(toolchain_resolve(world_get(&w, "gcc"), &flags, &w.arena, &r, &e), -1);
	assert_non_null(strstr(e.text, "no-such-thing-here"));
	assert_non_null(strstr(e.text, "unrecognized"));
	assert_string_equal(r.march, "untouched");
	world_close(&w);
}

static void toolchain_resolve__clang__is_what_its_cc1_line_says(void **state)
{
	struct world w;
	struct resolved r;

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
	r = resolved(&w, "clang", "-O2 -march=native");
	assert_string_equal(
		r.march, tools_run(NULL, "clang -O2 -march=native -### -c -x c /dev/null -o x.o 2>&1 | "
					 "sed -n 's/.*\"-target-cpu\" \"\\([^\"]*\\)\".*/\\1/p'"));
	assert_string_not_equal(r.hash, resolved(&w, "clang", "-O2").hash);
	assert_null(strstr(facts_value(&r.facts, "resolved.cc1"), "flagstone-ask"));
	world_close(&w);
}

static void toolchain_resolve__tcc__has_macros_only(void **state)
{
	struct world w;
	struct resolved r;

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
	r = resolved(&w, "tcc", "-O2 -march=native");
	assert_null(r.march);
	assert_false(r.native_is_generic);
	/* it ignores all of them: the same question */
	assert_string_equal(r.hash, resolved(&w, "tcc", "-O3 -mavx2").hash);
	world_close(&w);
}

static void command_line_parse__gcc__keeps_options_and_drops_names(void **state)
{
	/* What gcc 12.2 printed on a Debian, shortened. */
	static const char text[] = "Using built-in specs.\nCOLLECT_GCC=gcc\nTarget: x86_64-linux-gnu\n"
				   "COLLECT_GCC_OPTIONS='-O2' '-march=native' '-c' '-o' 'x.o'\n"
				   " /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -imultiarch "
				   "x86_64-linux-gnu /dev/null \"-march=rocketlake\" "
				   "-mmmx -mno-sse4a --param \"l1-cache-size=48\" --param "
				   "\"l2-cache-size=107520\" \"-mtune=rocketlake\" "
				   "-quiet -dumpbase x -O2 -fasynchronous-unwind-tables -o /tmp/cc8UPOSx.s\n"
				   " as --64 -o x.o /tmp/cc8UPOSx.s\n";
	struct arena arena = {0};
	struct command_line line;

	(void)state;
	assert_true(command_line_parse(&arena, text, &line));
	assert_string_equal(words_join(&line.options, &arena),
		"-imultiarch x86_64-linux-gnu -march=rocketlake -mmmx -mno-sse4a -mtune=rocketlake -O2 "
		"-fasynchronous-unwind-tables");
	assert_string_equal(words_join(&line.params, &arena), "l1-cache-size=48 l2-cache-size=107520");
	assert_null(line.cpu);
	arena_release(&arena);
}

static void command_line_parse__clang__sorts_features_and_keeps_the_last(void **state)
{
	/* What clang 14.0.6 printed on a Debian, shortened; +avx2 is taken back at the end. */
	static const char text[] =
		"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n (in-process)\n"
		" \"/usr/lib/llvm-14/bin/clang\" \"-cc1\" \"-triple\" \"x86_64-pc-linux-gnu\" \"-emit-obj\" "
		"\"-main-file-name\" \"null\" \"-mrelocation-model\" \"pic\" \"-target-cpu\" \"rocketlake\" "
		"\"-target-feature\" \"+sse2\" \"-target-feature\" \"+avx2\" \"-target-feature\" \"-tbm\" "
		"\"-tune-cpu\" \"generic\" \"-resource-dir\" \"/usr/lib/llvm-14/lib/clang/14.0.6\" "
		"\"-target-feature\" \"-avx2\" \"-O2\" \"-fdebug-compilation-dir=/tmp/x\" \"-o\" \"x.o\" "
		"\"-x\" \"c\" "
		"\"/dev/null\"\n";
	struct arena arena = {0};
	struct command_line line;

	(void)state;
	assert_true(command_line_parse(&arena, text, &line));
	assert_string_equal(
		words_join(&line.options, &arena), "-triple x86_64-pc-linux-gnu -mrelocation-model pic -O2");
	assert_string_equal(words_join(&line.features, &arena), "-avx2 +sse2 -tbm");
	assert_string_equal(line.cpu, "rocketlake");
	assert_string_equal(line.tune, "generic");
	arena_release(&arena);
}

static void command_line_parse__no_command__is_said(void **state)
{
	static const char *const texts[] = {"", "gcc version 12\n", " as --64 -o x.o x.s\n",
		" \"unfinished cc1 -O2\n", " /usr/lib/cc1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena arena = {0};
		struct command_line line;

		assert_false(command_line_parse(&arena, texts[i], &line));
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchain_resolve__gcc_native__is_what_gcc_says),
		cmocka_unit_test(toolchain_resolve__hash__is_equal_for_equal_meaning_only),
		cmocka_unit_test(toolchain_resolve__cache_sizes__are_a_fact_and_not_in_the_hash),
		cmocka_unit_test(toolchain_resolve__native_that_is_generic__is_said),
		cmocka_unit_test(toolchain_resolve__answer_of_another_cpu__is_not_taken),
		cmocka_unit_test(toolchain_resolve__cached_answer__is_the_whole_answer),
		cmocka_unit_test(toolchain_resolve__refused_flags__give_the_compilers_words),
		cmocka_unit_test(toolchain_resolve__clang__is_what_its_cc1_line_says),
		cmocka_unit_test(toolchain_resolve__tcc__has_macros_only),
		cmocka_unit_test(command_line_parse__gcc__keeps_options_and_drops_names),
		cmocka_unit_test(command_line_parse__clang__sorts_features_and_keeps_the_last),
		cmocka_unit_test(command_line_parse__no_command__is_said),
	};

	return cmocka_run_group_tests_name("toolchain_resolve", tests, tools_setup, tools_teardown);
}
