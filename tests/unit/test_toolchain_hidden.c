/*
 * Hidden inputs: what of the environment would act on compilers is said, and none of it acts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/code.h"
#include "test_toolchain_tools.h"
#include "toolchain/hidden.h"
#include "toolchain/memory.h"

static const char *said(struct arena *arena, char *const *environment)
{
	struct facts facts = {.arena = arena};

	hidden_environment(environment, &facts);
	assert_int_equal(facts.n, 1);
	return facts_value(&facts, "build.hidden.environment");
}

static void hidden_environment__variables__are_named_sorted_and_quoted(void **state)
{
	char entries[][64] = {"PATH=/bin", "LIBRARY_PATH=/opt/my lib",
		"CPATH=", "CCACHE_REMOTE_STORAGE=redis://u:secret@h", "HOME=/root",
		"CCC_OVERRIDE_OPTIONS=+-O0", "CPATHS=no", "GCC_COMPARE_DEBUG", "LC_ALL=C"};
	char *environment[sizeof(entries) / sizeof(entries[0]) + 1] = {0};
	char *none[] = {entries[0], NULL};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(environment) / sizeof(environment[0]); i++)
		environment[i] = entries[i];
	/* of a cache's variables the value may hold a password; an entry without = is no variable's value */
	assert_string_equal(said(&arena, environment), "CCACHE_REMOTE_STORAGE CCC_OVERRIDE_OPTIONS=+-O0 "
						       "CPATH= GCC_COMPARE_DEBUG 'LIBRARY_PATH=/opt/my lib'");
	assert_string_equal(said(&arena, none), "");
	assert_string_equal(said(&arena, NULL), "");
	arena_release(&arena);
}

/* Variables that break or change a build made by hand, each with a value that shows. */
static const char *const hostile[][2] = {{"CCC_OVERRIDE_OPTIONS", "+-O0 +-march=x86-64-v2"},
	{"CPATH", "HERE/evil"}, {"C_INCLUDE_PATH", "HERE/evil"}, {"LIBRARY_PATH", "HERE/evil"},
	{"COMPILER_PATH", "HERE/evil"}, {"GCC_EXEC_PREFIX", "HERE/evil/"}, {"GCC_COMPARE_DEBUG", "-gtoggle"},
	{"CCACHE_PREFIX", "/nonexistent"}, {"LD_RUN_PATH", "/evil"}, {"SOURCE_DATE_EPOCH", "1"},
	{"DEPENDENCIES_OUTPUT", "HERE/evil/deps"}, {"CFLAGS", "-O0"}};
enum { HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

static void set_hostile(struct arena *arena, bool on)
{
	for (size_t i = 0; i < HOSTILE; i++) {
		const char *value = hostile[i][1];

		if (text_starts(value, "HERE"))
			value = arena_printf(arena, "%s%s", tools_folder, value + strlen("HERE"));
		if (on)
			setenv(hostile[i][0], value, 1);
		else
			unsetenv(hostile[i][0]);
	}
}

/* What a compiler makes of it all: identity, resolved hash, code of a file that includes what CPATH would replace. */
static void outcome(struct world *w, const char *slot, char *text, size_t size)
{
	const struct words flags = world_words(w, "-O2");
	const struct toolchain *t = world_get(w, slot);
	const char *object = arena_strdup(&w->arena, tools_path("uses.o"));
	char hash[HASH_HEX];
	struct answer answer;
	struct asker asker;
	struct resolved r;
	struct error e = {0};

	if (toolchain_resolve(t, &flags, &w->arena, &r, &e) != 0)
		fail_msg("%s", e.text);
	asker = memory_asker(t, &w->arena, tools_folder);
	answer = ask(&asker, "-O2", "-c", "uses.c", "-o", "uses.o", NULL);
	if (!answer.ok)
		fail_msg("%s", answer.problem);
	if (code_hash_objects(&object, 1, hash, &e) != 0)
		fail_msg("%s", e.text);
	snprintf(text, size, "%s %s %s", t->identity, r.hash, hash);
}

/* The cache keeps the hashes of files, under their stamps, and no answer. */
static void forget_answers(void)
{
	tools_run(NULL, "find cache -type f ! -name hashes.json -exec rm {} +");
}

static void hidden_environment__hostile_variables__change_nothing(void **state)
{
	static const char *const slots[] = {"gcc", "clang", "tcc"};

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		char before[256], after[256];
		struct world w;

		world_open(&w);
		if (!tools_have(slots[s])) {
			world_close(&w);
			continue;
		}
		tools_run(NULL, arena_printf(&w.arena,
					"ln -s \"$(command -v %s)\" bin/%s && mkdir -p evil && "
					"echo '#error evil' >evil/stdio.h",
					slots[s], slots[s]));
		tools_write("uses.c",
			"#include <stdio.h>\nint sum(const int *p, int n)\n"
			"{\n\tint i, s = 0;\n\tfor (i = 0; i < n; i++)\n\t\ts += p[i];\n\treturn s;\n}\n");
		world_find(&w);
		outcome(&w, slots[s], before, sizeof(before));
		set_hostile(&w.arena, true);
		forget_answers();
		world_find(&w);
		outcome(&w, slots[s], after, sizeof(after));
		set_hostile(&w.arena, false);
		assert_string_equal(after, before);
		tools_run(NULL, "test ! -e evil/deps");
		world_close(&w);
	}
}

/* The same by hand does act, or the test above would show nothing. */
static void hidden_environment__by_hand__the_variables_act(void **state)
{
	bool ok;

	(void)state;
	tools_write("uses.c", "#include <stdio.h>\nint main(void) { return 0; }\n");
	tools_run(NULL, "mkdir -p evil && echo '#error evil' >evil/stdio.h && gcc -c uses.c -o uses.o");
	tools_run(&ok, "CPATH=evil gcc -c uses.c -o uses.o 2>/dev/null");
	assert_false(ok);
	if (!tools_have("clang"))
		return;
	tools_run(&ok, "CCC_OVERRIDE_OPTIONS='+-O0' clang -O2 -### -c uses.c 2>&1 | grep -q '\"-O0\"'");
	assert_true(ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_environment__variables__are_named_sorted_and_quoted),
		cmocka_unit_test(hidden_environment__hostile_variables__change_nothing),
		cmocka_unit_test(hidden_environment__by_hand__the_variables_act),
	};

	return cmocka_run_group_tests_name("toolchain_hidden", tests, tools_setup, tools_teardown);
}
