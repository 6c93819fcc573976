/* Builds with the gcc of this machine, and with stubs around it. How often a compiler ran is read from the stub's log. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_build_tools.h"

static struct site site;

static int compiles(void)
{
	return atoi(tools_run(NULL, "grep -c -e ' -c /.*/w/' log; true"));
}

static bool is_plain; /* bin/gcc passes everything on, and was found */

/* Puts a stub in gcc's place and finds it. */
static void use_gcc(const char *body, const char *cpu)
{
	site_close(&site);
	world_close(&site.world);
	world_open(&site.world);
	site.world.options.probe = false;
	site.world.options.cpu = cpu;
	stub("bin/gcc", body);
	world_find(&site.world);
	site_open(&site);
	is_plain = body[0] == '\0';
}

static int open_site(void **state)
{
	(void)state;
	if (is_plain)
		site_open(&site);
	else
		use_gcc("", NULL);
	tools_run(NULL, ": >log");
	return 0;
}

static int close_site(void **state)
{
	(void)state;
	site_close(&site);
	return 0;
}

static const char *hash_of(const char *cflags)
{
	return arena_strdup(&site.world.arena, site_made(&site, "gcc", cflags).content_hash);
}

static void builder_build__real_gcc__program_runs_and_facts_are_known(void **state)
{
	struct build build = site_made(&site, "gcc", "-O2");
	const char *objects;

	(void)state;
	tools_run(NULL, build.binary); /* ends the test unless it gives 0 */
	assert_false(build.cached);
	assert_int_equal(build.commands.n, 3);
	assert_non_null(strstr(build.commands.v[0], "-O2"));
	assert_non_null(strstr(build.commands.v[2], "-o program ../../objects/"));
	assert_string_equal(facts_value(&build.facts, "build.cflags"), "-O2");
	assert_string_equal(
		facts_value(&build.facts, "build.ldflags"), ""); /* CASES.md 23: empty is a value */
	assert_string_equal(facts_value(&build.facts, "build.warnings"), "0");
	assert_non_null(facts_value(&build.facts, "resolved.march"));
	assert_non_null(build.code_hash);
	assert_true(atol(facts_value(&build.facts, "build.wall_ns")) > 0);
	assert_true(file_exists(build.log));
	assert_string_equal(build.log_excerpt, "");
	/* the driver is compiled at -O2 with no flags of a variant; nine shared objects */
	objects = tools_run(NULL, "ls bcache/objects/*/*.o | wc -l");
	assert_string_equal(objects, "9");
}

static void builder_build__equal_cells__built_once(void **state)
{
	struct build builds[4] = {site_build(&site, "gcc", "-O1"), site_build(&site, "gcc", "-O2"),
		site_build(&site, "gcc", "-O1"), site_build(&site, "gcc", "-O1")};

	(void)state;
	site_make(&site, builds, 4);
	for (int i = 0; i < 4; i++)
		assert_true(builds[i].ok);
	assert_int_equal(compiles(), 4); /* two builds of two sources */
	assert_string_equal(builds[0].binary, builds[3].binary);
	assert_string_not_equal(builds[0].binary, builds[1].binary);
	assert_string_equal(tools_run(NULL, "ls bcache/builds | wc -l"), "2");
}

static void builder_build__second_time__from_the_cache_and_knows_as_much(void **state)
{
	struct build first = site_made(&site, "gcc", "-O1"), second;
	int before = compiles();

	(void)state;
	site_builder(&site);
	second = site_made(&site, "gcc", "-O1");
	assert_true(second.cached);
	assert_int_equal(compiles(), before);
	assert_string_equal(second.content_hash, first.content_hash);
	assert_string_equal(second.code_hash, first.code_hash);
	assert_int_equal(second.commands.n, first.commands.n);
	assert_int_equal(second.facts.n, first.facts.n);
	assert_string_equal(
		facts_value(&second.facts, "build.wall_ns"), facts_value(&first.facts, "build.wall_ns"));
}

static void builder_build__anything_that_goes_in_changes__another_content_hash(void **state)
{
	const char *before = hash_of("-O1");

	(void)state;
	assert_string_not_equal(hash_of("-O2"), before);
	tools_write("w/part.h", "#define ANSWER 42 /* changed */\nint part(int x);\n");
	assert_string_not_equal(hash_of("-O1"), before);
	tools_write("w/part.h", "#define ANSWER 42\nint part(int x);\n");
	assert_string_equal(hash_of("-O1"), before); /* the time of a file is not its content */
	tools_run(NULL, "echo '/* x */' >>w/part.c");
	assert_string_not_equal(hash_of("-O1"), before);
	site_sources();
	tools_run(NULL, "mkdir w/sub && echo '#define Y 1' >w/sub/y.h");
	site_builder(&site);
	assert_string_not_equal(hash_of("-O1"), before); /* "sub/y.h" could be included */
	site_sources();
	tools_run(NULL, "echo '/* x */' >>driver/driver.c");
	site_builder(&site);
	assert_string_not_equal(hash_of("-O1"), before);
	site_sources();
	site_builder(&site);
	site.workload.ldlibs = world_words(&site.world, "-lm");
	assert_string_not_equal(hash_of("-O1"), before);
	site.workload.ldlibs = (struct words){0};
	site.workload.defines = world_words(&site.world, "X=1");
	assert_string_not_equal(hash_of("-O1"), before);
	site.workload.defines = (struct words){0};
	assert_string_equal(hash_of("-O1"), before);
}

static void builder_build__header_in_a_folder_below__no_stale_binary(void **state)
{
	struct build first, second;

	(void)state;
	tools_run(NULL, "mkdir w/sub && echo '#define TWICE 2' >w/sub/y.h && "
			"sed -i -e 's/2 \\* x/TWICE * x/' -e '1i #include \"sub/y.h\"' w/part.c");
	first = site_made(&site, "gcc", "-O1");
	tools_run(NULL, "echo '#define TWICE 3' >w/sub/y.h");
	second = site_made(&site, "gcc", "-O1");
	assert_string_not_equal(first.code_hash, second.code_hash);
}

static void build_workload_hash__editor_locks_hidden_folders_circles__no_matter_or_said(void **state)
{
	struct error e = {0};
	char before[HASH_HEX], after[HASH_HEX];

	(void)state;
	assert_int_equal(build_workload_hash(&site.workload, before, &e), 0);
	tools_run(NULL, "ln -s nobody@nowhere.1234 w/.#part.c && mkdir w/.git && echo x >w/.git/index");
	assert_int_equal(build_workload_hash(&site.workload, after, &e), 0);
	assert_string_equal(after, before);
	tools_run(NULL, "mkdir w/sub && ln -s .. w/sub/up");
	assert_int_equal(build_workload_hash(&site.workload, after, &e), -1);
	assert_non_null(strstr(e.text, "circle"));
}

/* gcc's answer to -march=native is what the stub's file says: another CPU as a compiler would see it. */
static const char native_stub[] =
	"for a; do shift; [ \"$a\" = -march=native ] && a=-march=$(cat \"${0%/*}/../model\")\n"
	"set -- \"$@\" \"$a\"; done";

/* CASES.md 1 and 10: a cached native build of another CPU is not this one's */
static void builder_build__native_resolves_to_another_cpu__not_taken_from_the_cache(void **state)
{
	const char *first, *flagged, *plain;
	struct build build;

	(void)state;
	if (strcmp(tools_run(NULL, "uname -m"), "x86_64") != 0)
		return; /* the models are x86's */
	tools_run(NULL, "echo x86-64-v2 >model");
	use_gcc(native_stub, "cpu one");
	first = hash_of("-O1 -march=native");
	plain = hash_of("-O1");
	/* also where the workload asks for it */
	site.workload.cflags = world_words(&site.world, "-march=native");
	flagged = hash_of("-O1");
	site.workload.cflags = (struct words){0};

	tools_run(NULL, "echo x86-64 >model");
	site.world.options.cpu = "cpu two";
	world_find(&site.world);
	site_builder(&site);
	build = site_made(&site, "gcc", "-O1 -march=native");
	assert_string_not_equal(build.content_hash, first);
	assert_false(build.cached);
	assert_string_equal(hash_of("-O1"), plain);
	site.workload.cflags = world_words(&site.world, "-march=native");
	assert_string_not_equal(hash_of("-O1"), flagged);
	site.workload.cflags = (struct words){0};

	tools_run(NULL, "echo x86-64-v2 >model");
	site.world.options.cpu = "cpu one";
	world_find(&site.world);
	site_builder(&site);
	build = site_made(&site, "gcc", "-O1 -march=native");
	assert_string_equal(build.content_hash, first);
	assert_true(build.cached);
}

static void builder_build__toolchain_changes_behind_its_name__another_content_hash(void **state)
{
	const char *before = hash_of("-O1");

	(void)state;
	stub("bin/gcc", ": another driver");
	is_plain = false;
	world_find(&site.world);
	site_builder(&site);
	assert_string_not_equal(hash_of("-O1"), before);
}

static void builder_build__one_does_not_compile__log_and_reason_and_never_a_program(void **state)
{
	struct build builds[2] = {
		site_build(&site, "gcc", "-O1 -DANSWER=none"), site_build(&site, "gcc", "-O1")};

	(void)state;
	tools_write("w/part.c", "#include \"part.h\"\n#ifdef BREAK\n#error planted\n#endif\nint part(int x) "
				"{ return 2 * x; }\n");
	builds[0] = site_build(&site, "gcc", "-O1 -DBREAK");
	site_make(&site, builds, 2);
	assert_true(builds[1].ok);
	assert_false(builds[0].ok);
	assert_non_null(strstr(builds[0].reason, "part.c:3:2: error: #error planted"));
	assert_null(builds[0].binary);
	assert_non_null(builds[0].log);
	assert_non_null(strstr(builds[0].log_excerpt, "#error planted"));
	assert_int_equal(atoi(tools_run(NULL,
				 arena_printf(&site.world.arena, "grep -c planted '%s'", builds[0].log))) > 0,
		1);
	assert_string_equal(tools_run(NULL, "ls bcache/builds | wc -l"), "1");
	/* it fails again, from the start */
	builds[0] = site_build(&site, "gcc", "-O1 -DBREAK");
	site_make(&site, builds, 1);
	assert_false(builds[0].ok);
	assert_false(builds[0].cached);
}

static void builder_build__does_not_link__reason_is_the_linkers(void **state)
{
	struct build build;

	(void)state;
	tools_write("w/part.c", "int other(void);\nint other(void) { return 1; }\n");
	build = site_build(&site, "gcc", "-O1");
	site_make(&site, &build, 1);
	assert_false(build.ok);
	assert_null(build.binary);
	assert_non_null(strstr(build.reason, "undefined reference"));
	assert_int_equal(build.commands.n, 3);
}

static void builder_build__driver_does_not_compile__said_so(void **state)
{
	struct build build = site_build(&site, "gcc", "-O1");

	(void)state;
	tools_write("driver/driver.c", "#error no driver\n");
	site_builder(&site);
	site_make(&site, &build, 1);
	assert_false(build.ok);
	assert_non_null(strstr(build.reason, "driver"));
	assert_non_null(strstr(build.reason, "#error no driver"));
}

static void builder_build__damaged_entry__made_again(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");

	(void)state;
	tools_run(NULL, "rm bcache/builds/*/program");
	site_builder(&site);
	build = site_made(&site, "gcc", "-O1");
	assert_false(build.cached);
	tools_run(NULL, build.binary);
	tools_run(NULL, "sed -i -e 's/.*/{/' bcache/builds/*/build.json");
	build = site_made(&site, "gcc", "-O1");
	assert_false(build.cached);
	tools_run(NULL, build.binary);
	assert_true(site_made(&site, "gcc", "-O1").cached);
}

static void builder_build__fresh__made_again_and_put_in_place(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");

	(void)state;
	tools_run(NULL, "sed -i -e '1i #!/bin/false' bcache/builds/*/program");
	site.options.fresh = true;
	site_builder(&site);
	build = site_made(&site, "gcc", "-O1");
	assert_false(build.cached);
	tools_run(NULL, build.binary);
	assert_string_equal(tools_run(NULL, "ls bcache/builds | wc -l"), "1");
}

static void builder_build__lto__never_reaches_the_driver_abi_flags_do(void **state)
{
	(void)state;
	site_made(&site, "gcc", "-O3 -flto -fPIE");
	assert_string_equal(tools_run(NULL, "grep -c 'driver/driver.c' log"), "1");
	assert_string_equal(tools_run(NULL, "grep 'driver/driver.c' log | grep -c -e -O2 | tr -d '\\n'; grep "
					    "'driver/driver.c' log | grep -c -e -fPIE"),
		"11");
	assert_string_equal(
		tools_run(NULL, "grep 'driver/driver.c' log | grep -c -e -flto -e -O3; true"), "0");
}

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

static struct words verify(struct build *build)
{
	struct words differences = {0};
	struct error e = {0};

	if (builder_verify(site.builder, build, &differences, &e) != 0)
		fail_msg("%s", e.text);
	return differences;
}

static void builder_verify__same_compiler__no_difference(void **state)
{
	static const char *const flags[] = {"-O2", "-O2 -g", "-O2 -flto", "-O2 -g -DT=__TIME__"};

	(void)state;
	tools_run(NULL,
		"sed -i '1i #ifdef T\\nextern const char *stamp; const char *stamp = T;\\n#endif' w/part.c");
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct build build = site_made(&site, "gcc", flags[i]);
		struct words differences = verify(&build);

		if (differences.n > 0)
			fail_msg("%s: %s", flags[i], differences.v[0]);
	}
	/* no path of this machine gets into a program, debug information included */
	assert_string_equal(
		tools_run(NULL, arena_printf(&site.world.arena,
					"cat bcache/builds/*/program | grep -c '%s'; true", tools_folder)),
		"0");
}

static void builder_verify__compiler_that_adds_something_each_time__found(void **state)
{
	struct build build;
	struct words differences;

	(void)state;
	/* the answer is in the code, another one each time */
	use_gcc("case \" $* \" in *part.c*) echo x >>\"${0%/*}/../count\"; set -- \"$@\" -DCALL=$(wc -l "
		"<\"${0%/*}/../count\");; esac",
		NULL);
	tools_write("w/part.c", "#include \"part.h\"\nint call(void);\nint call(void)\n{\n\treturn CALL;\n}\n"
				"int part(int x)\n{\n\treturn 2 * x;\n}\n");
	build = site_made(&site, "gcc", "-O1");
	differences = verify(&build);
	assert_int_equal(differences.n, 2); /* main.c's object is the same */
	assert_true(text_starts(differences.v[0], "01-part.o differs: in its code"));
	assert_true(text_starts(differences.v[1], "program differs: in its code"));
	assert_string_equal(tools_run(NULL, "ls bcache/builds | wc -l"), "1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_site, close_site)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(builder_build__real_gcc__program_runs_and_facts_are_known),
		TEST(builder_build__equal_cells__built_once),
		TEST(builder_build__second_time__from_the_cache_and_knows_as_much),
		TEST(builder_build__anything_that_goes_in_changes__another_content_hash),
		TEST(builder_build__header_in_a_folder_below__no_stale_binary),
		TEST(build_workload_hash__editor_locks_hidden_folders_circles__no_matter_or_said),
		TEST(builder_build__native_resolves_to_another_cpu__not_taken_from_the_cache),
		TEST(builder_build__toolchain_changes_behind_its_name__another_content_hash),
		TEST(builder_build__one_does_not_compile__log_and_reason_and_never_a_program),
		TEST(builder_build__does_not_link__reason_is_the_linkers),
		TEST(builder_build__driver_does_not_compile__said_so),
		TEST(builder_build__damaged_entry__made_again),
		TEST(builder_build__fresh__made_again_and_put_in_place),
		TEST(builder_build__lto__never_reaches_the_driver_abi_flags_do),
		TEST(builder_link__layouts__each_another_file_that_works),
		TEST(builder_build__archived_commands__are_those_that_ran),
		TEST(builder_link__no_time_left__said_and_left_out),
		TEST(builder_link__half_a_link_of_before__not_taken),
		TEST(builder_verify__same_compiler__no_difference),
		TEST(builder_verify__compiler_that_adds_something_each_time__found),
	};

	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	world_close(&site.world);
	return failed;
}
