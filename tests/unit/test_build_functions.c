/* The functions of real builds: of objects, of link-time optimisation's objects, of builds from the cache. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/functions.h"
#include "test_build_tools.h"

static struct site site;

static int open_world(void **state)
{
	return site_begin(&site, state);
}

static int close_world(void **state)
{
	return site_end(&site, state);
}

struct found {
	struct facts facts;
	struct record_function *v;
	size_t n;
};

static struct found functions_of(const struct build *build, size_t most)
{
	struct found found = {.facts.arena = &site.world.arena};

	build_functions(build, most, &site.world.arena, &found.facts, &found.v, &found.n);
	return found;
}

static const struct record_function *find(const struct found *found, const char *name)
{
	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->v[i].name, name) == 0)
			return &found->v[i];
	return NULL;
}

static void build_functions__real_build__those_of_the_workload_with_nms_sizes(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct found found = functions_of(&build, 100);
	char line[512];

	(void)state;
	assert_string_equal(facts_value(&found.facts, "build.functions"), "2");
	assert_string_equal(facts_value(&found.facts, "build.function_hash"), "1");
	assert_int_equal(found.n, 2);
	/* the driver's main and the C library's own are none of the workload's */
	assert_null(find(&found, "main"));
	assert_non_null(find(&found, "workload_main"));
	snprintf(line, sizeof(line), "nm -S %s | awk '$4 == \"part\" {print $2}'", build.binary);
	assert_int_equal(find(&found, "part")->size, strtoul(tools_run(NULL, line), NULL, 16));
	assert_int_equal(strlen(find(&found, "part")->hash), 16);
}

static void build_functions__another_folder_and_the_cache__equal(void **state)
{
	struct build first = site_made(&site, "gcc", "-O1"), second;
	struct found one = functions_of(&first, 100), two;

	(void)state;
	site_builder(&site);
	second = site_made(&site, "gcc", "-O1");
	assert_true(second.cached);
	two = functions_of(&second, 100);
	assert_int_equal(two.n, 2);
	assert_string_equal(find(&one, "part")->hash, find(&two, "part")->hash);

	tools_run(NULL, "mv w other && ln -s other w && rm w && mkdir w && cp other/* w/ && rm -r "
			"bcache/builds other");
	site_builder(&site);
	second = site_made(&site, "gcc", "-O1 -g");
	two = functions_of(&second, 100);
	assert_string_equal(find(&one, "part")->hash, find(&two, "part")->hash);
	assert_string_equal(find(&one, "workload_main")->hash, find(&two, "workload_main")->hash);
}

static void build_functions__one_changed__that_one_differs(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct found before = functions_of(&build, 100), after;

	(void)state;
	tools_write("w/part.c", "#include \"part.h\"\nint part(int x)\n{\n\treturn x == 7 ? 3 : 2 * x;\n}\n");
	build = site_made(&site, "gcc", "-O1");
	after = functions_of(&build, 100);
	assert_string_not_equal(find(&before, "part")->hash, find(&after, "part")->hash);
	assert_string_equal(find(&before, "workload_main")->hash, find(&after, "workload_main")->hash);
	site_sources();
	site_builder(&site);
}

static void build_functions__more_than_are_kept__the_largest_and_how_many(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct found all = functions_of(&build, 100), one = functions_of(&build, 1);

	(void)state;
	assert_int_equal(one.n, 1);
	assert_string_equal(one.v[0].name, all.v[0].name);
	assert_true(all.v[0].size >= all.v[1].size);
	assert_string_equal(facts_value(&one.facts, "build.functions"), "2");
}

static void build_functions__lto__from_the_objects_that_the_link_made(void **state)
{
	struct build build = site_build(&site, "gcc", "-O2 -flto");
	struct build_layout layout = {.build = &build};
	struct found found;
	struct error e = {0};

	(void)state;
	build.ldflags = world_words(&site.world, "-O2 -flto");
	site_make(&site, &build, 1);
	assert_true(build.ok);
	found = functions_of(&build, 100);
	assert_null(found.v);
	assert_non_null(strstr(facts_find(&found.facts, "build.functions")->reason, "no layout was linked"));
	assert_int_equal(builder_link(site.builder, &layout, 1, 0, &e), 0);
	assert_non_null(layout.path);
	found = functions_of(&build, 100);
	if (!text_starts(facts_value(&build.facts, "build.layout_link"), "linker")) {
		/* a driver that cannot be asked: then the reason is its own */
		assert_non_null(strstr(facts_find(&found.facts, "build.functions")->reason, "cannot be had"));
		return;
	}
	/* part() is inlined: nm of the program says so, too */
	assert_non_null(find(&found, "workload_main"));
	assert_null(find(&found, "part"));
	char line[512];
	snprintf(line, sizeof(line), "nm %s | grep -c ' part$'; true", build.binary);
	assert_string_equal(tools_run(NULL, line), "0");
}

static void build_functions__objects_that_are_gone_or_stripped__unknown_and_why(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	struct found found;
	char line[512];

	(void)state;
	snprintf(line, sizeof(line), "strip %s/01-part.o", build.folder);
	tools_run(NULL, line);
	found = functions_of(&build, 100);
	assert_null(found.v);
	assert_non_null(strstr(facts_find(&found.facts, "build.functions")->reason, "01-part.o"));
	assert_non_null(
		strstr(facts_find(&found.facts, "build.functions")->reason, "no symbol table (stripped)"));
	assert_null(facts_find(&found.facts, "build.function_hash"));
	snprintf(line, sizeof(line), "rm %s/00-main.o", build.folder);
	tools_run(NULL, line);
	found = functions_of(&build, 100);
	assert_non_null(strstr(facts_find(&found.facts, "build.functions")->reason, "00-main.o"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_functions__real_build__those_of_the_workload_with_nms_sizes),
		cmocka_unit_test(build_functions__another_folder_and_the_cache__equal),
		cmocka_unit_test(build_functions__one_changed__that_one_differs),
		cmocka_unit_test(build_functions__more_than_are_kept__the_largest_and_how_many),
		cmocka_unit_test(build_functions__lto__from_the_objects_that_the_link_made),
		cmocka_unit_test(build_functions__objects_that_are_gone_or_stripped__unknown_and_why),
	};

	return cmocka_run_group_tests_name("build_functions", tests, open_world, close_world);
}
