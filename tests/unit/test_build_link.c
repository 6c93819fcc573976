/* Layouts linked by the gcc of this machine and its linker, and by stubs that refuse, or do not vary anything. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_build_gcc.h"

static void builder_link__layouts__each_another_file_that_works(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct build_layout layouts[6], again[6];
	struct error e = {0};
	int before;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		layouts[i] = again[i] = (struct build_layout){.build = &build, .arm = i / 5, .layout = i % 5};
	assert_int_equal(builder_link(site.builder, layouts, 6, 0, &e), 0);
	for (int i = 0; i < 6; i++) {
		assert_non_null(layouts[i].path);
		tools_run(NULL, layouts[i].path);
		for (int k = 0; k < i; k++) {
			assert_string_not_equal(layouts[i].sha256, layouts[k].sha256);
			assert_string_not_equal(layouts[i].seed, layouts[k].seed);
		}
	}
	assert_string_equal(tools_run(NULL, "ls bcache/builds/*/layouts | grep -c tmp; true"), "0");
	before = stub_starts();
	assert_int_equal(builder_link(site.builder, again, 6, 0, &e), 0);
	assert_int_equal(stub_starts(), before);
	for (int i = 0; i < 6; i++)
		assert_string_equal(again[i].sha256, layouts[i].sha256);
}

static const char *fact(const struct build *build, const char *key)
{
	const char *value = facts_value(&build->facts, key);

	assert_non_null(value);
	return value;
}

/* nm is asked whether the functions of both objects change places, which objects alone would not make them. */
static void builder_link__gnu_ld__functions_are_shuffled_and_it_is_said(void **state)
{
	struct build build;
	struct build_layout layouts[8];
	struct error e = {0};
	size_t first = 0;

	(void)state;
	if (strncmp(tools_run(NULL, "gcc -Wl,--version 2>/dev/null | grep -c '^GNU ld'; true"), "0", 1) ==
		0) {
		print_message("gcc's linker here is not GNU ld: nothing to shuffle with\n");
		return;
	}
	tools_run(NULL, "echo 'int third(int x); int third(int x) { return x + 3; }' >>w/part.c");
	build = site_made(&site, "gcc", "-O1");
	assert_string_equal(fact(&build, "build.added_flags"), "-ffunction-sections");
	assert_non_null(strstr(build.commands.v[0], " -ffunction-sections -O1 "));
	for (uint32_t k = 0; k < 8; k++)
		layouts[k] = (struct build_layout){.build = &build, .layout = k};
	assert_int_equal(builder_link(site.builder, layouts, 8, 0, &e), 0);
	assert_true(text_starts(fact(&build, "build.layout_functions"), "shuffled by GNU ld "));
	assert_non_null(strstr(fact(&build, "build.layout_command"), " --script=layouts/0-0.order "));
	for (uint32_t k = 0; k < 8; k++)
		first += atoi(tools_run(NULL, arena_printf(&site.world.arena,
						      "nm -n '%s' | grep -e ' part$' -e ' third$' | head -n "
						      "1 | grep -c part; true",
						      layouts[k].path))) > 0;
	assert_in_range(
		first, 1, 7); /* the draws are fixed; of all draws 1 in 128 would have one order alone */
}

/* The same by the user's own script without .text to put functions before: the linker refuses, and links without. */
static void builder_link__linker_refuses_an_order__linked_without_and_said(void **state)
{
	struct build build;
	struct build_layout layouts[2];
	struct error e = {0};

	(void)state;
	use_gcc("case \" $* \" in *--script=*) echo 'ld: .text not found for insert' >&2; exit 1;; "
		"*' direct/program '*' -###'*) exit 1;; esac",
		NULL);
	build = site_made(&site, "gcc", "-O1");
	for (uint32_t k = 0; k < 2; k++)
		layouts[k] = (struct build_layout){.build = &build, .layout = k};
	assert_int_equal(builder_link(site.builder, layouts, 2, 0, &e), 0);
	assert_non_null(layouts[0].path);
	assert_non_null(layouts[1].path);
	assert_string_not_equal(layouts[0].sha256, layouts[1].sha256);
	assert_non_null(strstr(fact(&build, "build.layout_functions"),
		"with their objects: `gcc` ended with exit code 1: ld: .text not found for insert"));
}

/* A driver that links the same whatever it is given: its layouts are one draw of placement, not eight. */
static void builder_link__nothing_moves__one_layout_and_said(void **state)
{
	struct build build, cached;
	struct build_layout layouts[10], later[2];
	struct error e = {0};

	(void)state;
	use_gcc("case \" $* \" in *' direct/program '*' -###'*) exit 1;; *' -o layouts/'*) "
		"for a; do case $a in layouts/*) cp program \"$a\"; exit;; esac; done;; esac",
		NULL);
	build = site_made(&site, "gcc", "-O1");
	for (uint32_t k = 0; k < 10; k++)
		layouts[k] = (struct build_layout){.build = &build, .arm = k / 5, .layout = k % 5};
	assert_int_equal(builder_link(site.builder, layouts, 10, 0, &e), 0);
	for (int k = 0; k < 10; k++) {
		if (k % 5 == 0) {
			assert_non_null(layouts[k].path);
			continue;
		}
		assert_null(layouts[k].path);
		assert_string_equal(layouts[k].reason, BUILD_NOTHING_MOVED);
	}
	/* those that are linked later, or were before, are held against the first one, too */
	site_builder(&site);
	cached = site_made(&site, "gcc", "-O1");
	for (uint32_t k = 0; k < 2; k++)
		later[k] = (struct build_layout){.build = &cached, .layout = 4 + k};
	assert_int_equal(builder_link(site.builder, later, 2, 0, &e), 0);
	for (int k = 0; k < 2; k++)
		assert_null(later[k].path);
}

/* What is hashed and checked is what was built, whatever is linked from it later. */
static void builder_link__canonical_program__is_left_as_it_was(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1"), cached;
	struct build_layout layouts[4];
	struct error e = {0};
	const char *before =
		arena_strdup(&site.world.arena, tools_run(NULL, "cat bcache/builds/*/program | sha256sum"));

	(void)state;
	for (uint32_t k = 0; k < 4; k++)
		layouts[k] = (struct build_layout){.build = &build, .layout = k};
	assert_int_equal(builder_link(site.builder, layouts, 4, 0, &e), 0);
	assert_string_equal(tools_run(NULL, "cat bcache/builds/*/program | sha256sum"), before);
	site_builder(&site);
	cached = site_made(&site, "gcc", "-O1");
	assert_string_equal(cached.code_hash, build.code_hash);
	assert_null(strstr(build.commands.v[2], "pad-"));
}

/* What the record says was run gives the same file when a shell runs it in the build's folder. */
static void builder_build__archived_commands__are_those_that_ran(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1 -DX='a b'"), cached;
	struct build_layout layout = {.build = &build}, again = {.build = &cached};
	struct error e = {0};
	const char *command;
	char line[4096];

	(void)state;
	snprintf(line, sizeof(line),
		"cd '%s' && sha256sum <program >../before && rm program *.o && %s && %s && %s && "
		"sha256sum <program | cmp - ../before",
		build.folder, build.commands.v[0], build.commands.v[1], build.commands.v[2]);
	tools_run(NULL, line);
	assert_int_equal(builder_link(site.builder, &layout, 1, 0, &e), 0);
	assert_non_null(facts_value(&build.facts, "build.layout_link"));
	command = facts_value(&build.facts, "build.layout_command");
	assert_non_null(command);
	snprintf(line, sizeof(line), "cd '%s' && rm layouts/0-0 && %s && sha256sum <layouts/0-0 | cut -c1-64",
		build.folder, command);
	assert_string_equal(tools_run(NULL, line), layout.sha256);
	/* known from the cache, too */
	site_builder(&site);
	cached = site_made(&site, "gcc", "-O1 -DX='a b'");
	assert_true(cached.cached);
	assert_int_equal(builder_link(site.builder, &again, 1, 0, &e), 0);
	assert_string_equal(facts_value(&cached.facts, "build.layout_command"), command);
	assert_string_equal(facts_value(&cached.facts, "build.layout_link"),
		facts_value(&build.facts, "build.layout_link"));
}

static void builder_link__no_time_left__said_and_left_out(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct build_layout layout = {.build = &build};
	struct error e = {0};

	(void)state;
	assert_int_equal(builder_link(site.builder, &layout, 1, 1, &e), 0);
	assert_null(layout.path);
	assert_string_equal(layout.reason, "build budget used up");
}

static void builder_link__half_a_link_of_before__not_taken(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct build_layout layout = {.build = &build}, again = {.build = &build};
	struct error e = {0};

	(void)state;
	assert_int_equal(builder_link(site.builder, &layout, 1, 0, &e), 0);
	tools_run(NULL, "cd bcache/builds/*/layouts && rm 0-0.sha256 && echo half >0-0 && echo half "
			">0-0.99999999.tmp");
	assert_int_equal(builder_link(site.builder, &again, 1, 0, &e), 0);
	assert_string_equal(again.sha256, layout.sha256);
	tools_run(NULL, again.path);
	assert_string_equal(tools_run(NULL, "ls bcache/builds/*/layouts | grep -c tmp; true"), "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_site, close_site)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(builder_link__layouts__each_another_file_that_works),
		TEST(builder_link__gnu_ld__functions_are_shuffled_and_it_is_said),
		TEST(builder_link__linker_refuses_an_order__linked_without_and_said),
		TEST(builder_link__nothing_moves__one_layout_and_said),
		TEST(builder_link__canonical_program__is_left_as_it_was),
		TEST(builder_build__archived_commands__are_those_that_ran),
		TEST(builder_link__no_time_left__said_and_left_out),
		TEST(builder_link__half_a_link_of_before__not_taken),
	};

	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	world_close(&site.world);
	return failed;
}
