/*
 * What -march=native becomes on one Sapphire Rapids class CPU under compilers that are not on this machine. Stubs give
 * the recorded answers: name after -march, tune, width of the vectors used. All of them know the same features.
 *
 *	gcc 12.2	cooperlake	tune generic		512 bits
 *	gcc 13, 14	sapphirerapids	tune sapphirerapids	mostly 256
 *	clang 13 to 15	icelake-client	tune icelake-client	256
 *	clang 16 to 19	sapphirerapids	tune sapphirerapids	256
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"

/* Macros of the same CPU's features under any of them; the version is what differs. */
#define FEATURE_MACROS                                                                                       \
	"#define __x86_64__ 1\\n#define __SSE__ 1\\n#define __SSE2__ 1\\n#define __SSE3__ 1\\n"              \
	"#define __SSSE3__ 1\\n#define __SSE4_1__ 1\\n#define __SSE4_2__ 1\\n#define __POPCNT__ 1\\n"        \
	"#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16 1\\n#define __AVX__ 1\\n#define __AVX2__ 1\\n"          \
	"#define __BMI__ 1\\n#define __BMI2__ 1\\n#define __F16C__ 1\\n#define __FMA__ 1\\n"                 \
	"#define __LZCNT__ 1\\n#define __MOVBE__ 1\\n#define __AVX512F__ 1\\n#define __AVX512BW__ 1\\n"      \
	"#define __AVX512CD__ 1\\n#define __AVX512DQ__ 1\\n#define __AVX512VL__ 1\\n"                        \
	"#define __AVX512FP16__ 1\\n#define __FINITE_MATH_ONLY__ 0\\n"

struct recorded {
	const char *slot;
	int major;
	const char *march, *tune, *width;
};

static const struct recorded answers[] = {
	{"gcc", 12, "cooperlake", "generic", "512"},
	{"gcc", 13, "sapphirerapids", "sapphirerapids", "256"},
	{"gcc", 14, "sapphirerapids", "sapphirerapids", "256"},
	{"clang", 13, "icelake-client", "icelake-client", "256"},
	{"clang", 14, "icelake-client", "icelake-client", "256"},
	{"clang", 15, "icelake-client", "icelake-client", "256"},
	{"clang", 16, "sapphirerapids", "sapphirerapids", "256"},
	{"clang", 17, "sapphirerapids", "sapphirerapids", "256"},
	{"clang", 18, "sapphirerapids", "sapphirerapids", "256"},
	{"clang", 19, "sapphirerapids", "sapphirerapids", "256"},
};

static const char *registers(const char *width)
{
	return strcmp(width, "512") == 0 ? "zmm" : "ymm";
}

/* Macros, command and assembly as that compiler would print them; all else asks the real gcc. */
static void write_stub(const struct recorded *a)
{
	const bool gcc = strcmp(a->slot, "gcc") == 0;
	const char *r = registers(a->width);
	char body[3500], macros[256], help[512] = "", command[512], path[64];

	if (gcc)
		snprintf(macros, sizeof(macros),
			"#define __GNUC__ %d\\n#define __GNUC_MINOR__ 2\\n#define __GNUC_PATCHLEVEL__ 0\\n",
			a->major);
	else
		snprintf(macros, sizeof(macros),
			"#define __GNUC__ 4\\n#define __clang__ 1\\n#define __clang_major__ %d\\n"
			"#define __clang_minor__ 0\\n#define __clang_patchlevel__ 0\\n",
			a->major);
	if (gcc) {
		snprintf(help, sizeof(help),
			"*' --help=target '*) printf 'The following options are target specific:\\n"
			"  -march=  \\t%s\\n  -mtune=  \\t%s\\n\\nThe following options control "
			"optimizations:\\n"
			"  -fmath-errno  \\t[enabled]\\n'; exit;;\n",
			a->march, a->tune);
		snprintf(command, sizeof(command),
			"COLLECT_GCC_OPTIONS='-O2' '-march=native'\\n /usr/lib/gcc/cc1 -quiet null.c "
			"-march=%s "
			"-mtune=%s -O2 -o x.s\\n",
			a->march, a->tune);
	} else {
		snprintf(command, sizeof(command),
			" \"/usr/bin/clang\" \"-cc1\" \"-target-cpu\" \"%s\" \"-tune-cpu\" \"%s\" \"-O2\" "
			"\"-o\" \"x.o\"\\n",
			a->march, a->tune);
	}
	snprintf(body, sizeof(body),
		"case \" $* \" in\n*' -dM '*) printf '%s%s'; exit;;\n%s"
		"*' -### -c '*) printf %c%s%c >&2; exit;;\n"
		"*' -S '*) printf 'flagstone_floats:\\n\\tvmulps %%%%%s0, %%%%%s1, %%%%%s2\\n"
		"flagstone_ints:\\n\\tvpaddd %%%%%s0, %%%%%s1, %%%%%s2\\n'; exit;;\nesac",
		macros, FEATURE_MACROS, help, gcc ? '"' : '\'', command, gcc ? '"' : '\'', r, r, r, r, r, r);
	snprintf(path, sizeof(path), "bin/%s", a->slot);
	stub(path, body);
}

static struct resolved native_of(struct world *w, const struct recorded *a)
{
	struct words flags;
	struct resolved r;
	struct error e = {0};

	world_open(w);
	flags = world_words(w, "-O2 -march=native");
	write_stub(a);
	world_find(w);
	if (toolchain_resolve(world_get(w, a->slot), &flags, &w->arena, &r, &e) != 0)
		fail_msg("%s %d: %s", a->slot, a->major, e.text);
	return r;
}

static void toolchain_resolve__recorded_compilers__say_what_native_became(void **state)
{
	const char *features = NULL;
	char first[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const struct recorded *a = &answers[i];
		struct world w = {0};
		const struct resolved r = native_of(&w, a);

		assert_int_equal(world_get(&w, a->slot)->major, a->major);
		assert_string_equal(facts_value(&r.facts, "resolved.march"), a->march);
		assert_string_equal(facts_value(&r.facts, "resolved.tune"), a->tune);
		assert_string_equal(facts_value(&r.facts, "resolved.vector_width"), a->width);
		assert_string_equal(facts_value(&r.facts, "resolved.native_requested"), "yes");
		assert_string_equal(facts_value(&r.facts, "resolved.native_is_generic"), "no");
		/* the set is the CPU's, under every compiler */
		features = facts_value(&r.facts, "resolved.features");
		if (i == 0)
			snprintf(first, sizeof(first), "%s", features);
		assert_string_equal(features, first);
		world_close(&w);
	}
	assert_non_null(strstr(first, "__AVX512FP16__"));
}

/* What a stub does not print is unknown with the reason, never a guess. */
static void toolchain_resolve__answers_that_lack_a_thing__are_unknown_with_the_reason(void **state)
{
	struct world w = {0};
	const struct resolved r = native_of(&w, &answers[0]);
	const struct fact *fact = facts_find(&r.facts, "resolved.move_max");

	(void)state;
	assert_non_null(fact);
	assert_null(fact->value);
	assert_non_null(strstr(fact->reason, "not in its assembly"));
	fact = facts_find(&r.facts, "resolved.cache_line");
	assert_non_null(fact);
	assert_null(fact->value);
	assert_non_null(strstr(fact->reason, "does not list"));
	world_close(&w);
}

static void toolchain_resolve__clang_configuration_file__counts_and_is_watched(void **state)
{
	static const char body[] =
		"case \" $* \" in\n*' -dM '*) printf '#define __clang__ 1\\n#define __clang_major__ 16\\n"
		"#define __x86_64__ 1\\n'; exit;;\n"
		"*' -### -c '*) printf 'Configuration file: %s/extra.cfg\\n \"clang\" \"-cc1\" "
		"\"-target-cpu\" "
		"\"haswell\" \"-O2\"\\n' >&2; exit;;\nesac";
	char text[1024];
	struct world w = {0};
	struct words flags;
	struct resolved r, again;
	struct error e = {0};
	int starts;

	(void)state;
	world_open(&w);
	snprintf(text, sizeof(text), body, tools_folder);
	tools_write("extra.cfg", "# speed\n-march=native\n");
	stub("bin/clang", text);
	world_find(&w);
	flags = world_words(&w, "-O2");
	assert_int_equal(toolchain_resolve(world_get(&w, "clang"), &flags, &w.arena, &r, &e), 0);
	/* nobody wrote native on the command line */
	assert_string_equal(facts_value(&r.facts, "resolved.native_requested"), "yes");
	assert_non_null(strstr(facts_value(&r.facts, "resolved.config_files"), "extra.cfg"));
	starts = stub_starts();
	assert_int_equal(toolchain_resolve(world_get(&w, "clang"), &flags, &w.arena, &again, &e), 0);
	assert_int_equal(stub_starts(), starts);
	tools_write("extra.cfg", "-march=x86-64-v2\n");
	assert_int_equal(toolchain_resolve(world_get(&w, "clang"), &flags, &w.arena, &again, &e), 0);
	assert_true(stub_starts() > starts);
	assert_string_not_equal(again.hash, r.hash);
	assert_string_equal(facts_value(&again.facts, "resolved.native_requested"), "no");
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchain_resolve__recorded_compilers__say_what_native_became),
		cmocka_unit_test(toolchain_resolve__answers_that_lack_a_thing__are_unknown_with_the_reason),
		cmocka_unit_test(toolchain_resolve__clang_configuration_file__counts_and_is_watched),
	};

	return cmocka_run_group_tests_name("toolchain_recorded", tests, tools_setup, tools_teardown);
}
