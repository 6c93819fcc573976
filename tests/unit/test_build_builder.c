/* Builds with the gcc of this machine, and with stubs around it. How often a compiler ran is read from the stub's log. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_build_gcc.h"

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
	assert_string_equal(facts_value(&build.facts, "resolved.static"), "no");
	assert_non_null(facts_value(&build.facts, "resolved.pie"));
	assert_non_null(facts_find(&build.facts, "build.hidden.environment"));
	assert_non_null(build.code_hash);
	assert_true(atol(facts_value(&build.facts, "build.wall_ns")) > 0);
	assert_true(file_exists(build.log));
	assert_string_equal(build.log_excerpt, "");
	/* the driver is compiled at -O2 with no flags of a variant; 25 shared objects */
	objects = tools_run(NULL, "ls bcache/objects/*/*.o | wc -l");
	assert_string_equal(objects, "25");
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

static void builder_identify__nothing_built__content_hash_is_the_builds(void **state)
{
	struct build asked = site_build(&site, "gcc", "-O1"), built;
	struct error e = {0};

	(void)state;
	assert_int_equal(builder_identify(site.builder, &asked, 1, &e), 0);
	assert_int_equal(compiles(), 0);
	assert_false(asked.ok);
	built = site_made(&site, "gcc", "-O1");
	assert_string_equal(asked.content_hash, built.content_hash);
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
		TEST(builder_identify__nothing_built__content_hash_is_the_builds),
		TEST(builder_verify__same_compiler__no_difference),
		TEST(builder_verify__compiler_that_adds_something_each_time__found),
	};

	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	world_close(&site.world);
	return failed;
}
