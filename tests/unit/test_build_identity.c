/*
 * The code of builds' own objects as facts: equal for another folder, another file's name and -g, unlike for other code;
 * of link-time optimisation's objects; of builds from the cache.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "build/identity.h"
#include "code/code.h"
#include "code/step.h"
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

static const char *hash(const struct build *build, const char *key)
{
	const struct fact *fact = facts_find(&build->facts, key);

	if (fact == NULL || fact->value == NULL)
		fail_msg("%s: %s", key, fact != NULL ? fact->reason : "no such fact");
	return fact->value;
}

static void build_identity__real_build__is_the_hash_of_its_objects(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	char part[HASH_HEX], all[HASH_HEX];
	const char *paths[2];

	(void)state;
	paths[0] = arena_printf(&site.world.arena, "%s/00-main.o", build.folder);
	paths[1] = arena_printf(&site.world.arena, "%s/01-part.o", build.folder);
	assert_int_equal(code_hash_objects(paths, 2, all, NULL), 0);
	assert_int_equal(code_hash_objects(&paths[1], 1, part, NULL), 0);
	assert_string_equal(hash(&build, "code.objects_sha256"), all);
	assert_int_equal(strncmp(hash(&build, "code.object.01-part.o"), part, 16), 0);
	assert_int_equal(strlen(hash(&build, "code.object.00-main.o")), 16);
	assert_true(build_identity_is_current(&build.facts));
}

static void build_identity__folder_name_and_debug_information__do_not_count(void **state)
{
	struct build first = site_made(&site, "gcc", "-O2"), second;

	(void)state;
	second = site_made(&site, "gcc", "-O2 -g");
	assert_string_equal(hash(&first, "code.objects_sha256"), hash(&second, "code.objects_sha256"));
	/* another folder, where the second source has another name */
	tools_run(NULL, "mkdir moved && cp w/* moved/ && mv moved/part.c moved/renamed.c");
	site.workload.folder = arena_strdup(&site.world.arena, tools_path("moved"));
	site.sources[1] = (struct spec_word){.text = "renamed.c"};
	second = site_made(&site, "gcc", "-O2 -g");
	assert_string_equal(hash(&first, "code.objects_sha256"), hash(&second, "code.objects_sha256"));
	if (step_missing(EM_X86_64) == NULL)
		assert_string_equal(hash(&first, "code.objects_unpadded_sha256"),
			hash(&second, "code.objects_unpadded_sha256"));
	site.workload.folder = arena_strdup(&site.world.arena, tools_path("w"));
	site.sources[1] = (struct spec_word){.text = "part.c"};
	tools_run(NULL, "rm -r moved");
}

/* A string with the file's name is code's data: it does change. */
static void build_identity__file_macro__counts(void **state)
{
	struct build first, second;

	(void)state;
	tools_write("w/part.c",
		"#include \"part.h\"\nconst char *name(void);\nconst char *name(void) { return __FILE__; }\n"
		"int part(int x)\n{\n\treturn 2 * x;\n}\n");
	first = site_made(&site, "gcc", "-O1");
	tools_run(NULL, "mkdir moved && cp w/* moved/ && mv moved/part.c moved/renamed.c");
	site.workload.folder = arena_strdup(&site.world.arena, tools_path("moved"));
	site.sources[1] = (struct spec_word){.text = "renamed.c"};
	second = site_made(&site, "gcc", "-O1");
	assert_string_not_equal(hash(&first, "code.objects_sha256"), hash(&second, "code.objects_sha256"));
	site.workload.folder = arena_strdup(&site.world.arena, tools_path("w"));
	site.sources[1] = (struct spec_word){.text = "part.c"};
	tools_run(NULL, "rm -r moved");
	site_sources();
	site_builder(&site);
}

static void build_identity__alignment__is_in_the_padded_hash_alone(void **state)
{
	struct build first = site_made(&site, "gcc", "-O2 -falign-functions=32"),
		     second = site_made(&site, "gcc", "-O2 -falign-functions=1"),
		     other = site_made(&site, "gcc", "-O0");

	(void)state;
	assert_string_not_equal(hash(&first, "code.objects_sha256"), hash(&other, "code.objects_sha256"));
	if (step_missing(EM_X86_64) != NULL)
		skip();
	assert_string_equal(
		hash(&first, "code.objects_unpadded_sha256"), hash(&second, "code.objects_unpadded_sha256"));
	assert_string_not_equal(
		hash(&first, "code.objects_unpadded_sha256"), hash(&other, "code.objects_unpadded_sha256"));
}

static void build_identity__one_source_changed__its_object_is_named(void **state)
{
	struct build before = site_made(&site, "gcc", "-O1"), after;

	(void)state;
	tools_write("w/part.c", "#include \"part.h\"\nint part(int x)\n{\n\treturn x == 7 ? 3 : 2 * x;\n}\n");
	after = site_made(&site, "gcc", "-O1");
	assert_string_not_equal(hash(&before, "code.objects_sha256"), hash(&after, "code.objects_sha256"));
	assert_string_not_equal(
		hash(&before, "code.object.01-part.o"), hash(&after, "code.object.01-part.o"));
	assert_string_equal(hash(&before, "code.object.00-main.o"), hash(&after, "code.object.00-main.o"));
	site_sources();
	site_builder(&site);
}

static struct build lto_build(const char *cflags)
{
	struct build build = site_build(&site, "gcc", cflags);

	build.ldflags = world_words(&site.world, "-O2 -flto");
	site_make(&site, &build, 1);
	assert_true(build.ok);
	return build;
}

static void build_identity__lto__from_the_objects_that_the_link_made(void **state)
{
	static const char *const keys[] = {"code.objects_sha256", "code.objects_unpadded_sha256"};
	struct build builds[2];
	struct error e = {0};

	(void)state;
	builds[0] = lto_build("-O2 -flto");
	builds[1] = lto_build("-O2 -flto -fno-ident");
	for (size_t i = 0; i < 2; i++) {
		struct build_layout layout = {.build = &builds[i]};

		for (size_t k = 0; k < 2; k++)
			assert_non_null(strstr(facts_find(&builds[i].facts, keys[k])->reason, "at the link"));
		assert_int_equal(builder_link(site.builder, &layout, 1, 0, &e), 0);
		build_identity_linked(&builds[i], &builds[i].facts);
	}
	if (!text_starts(facts_value(&builds[0].facts, "build.layout_link"), "linker")) {
		/* a driver that cannot be asked: then the reason is its own */
		assert_non_null(strstr(facts_find(&builds[0].facts, keys[0])->reason, "cannot be had"));
		return;
	}
	assert_string_equal(hash(&builds[0], keys[0]), hash(&builds[1], keys[0]));
}

static void build_identity__facts_of_another_way__are_not_current(void **state)
{
	struct facts facts = {.arena = &site.world.arena};

	(void)state;
	assert_false(build_identity_is_current(&facts));
	facts_set(&facts, "code.objects_sha256", "00", "the workload's objects (hash 0)");
	facts_set(&facts, "code.objects_unpadded_sha256", "00", "the workload's objects (hash 0)");
	assert_false(build_identity_is_current(&facts));
}

/* A flagstone without Zydis made them; one with it looks again, and only then. */
static void build_identity__unknown_for_want_of_the_decoder__is_current_without_it(void **state)
{
	struct build build = site_made(&site, "gcc", "-O1");
	const char *source = facts_find(&build.facts, "code.objects_sha256")->source;

	(void)state;
	facts_unknown(&build.facts, "code.objects_unpadded_sha256", source,
		"x.o: flagstone was built without Zydis, which says how long x86's instructions are");
	assert_int_equal(build_identity_is_current(&build.facts), step_missing(EM_X86_64) != NULL);
	facts_unknown(&build.facts, "code.objects_unpadded_sha256", source,
		"x.o: it has no symbol table (stripped)");
	assert_true(build_identity_is_current(&build.facts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_identity__real_build__is_the_hash_of_its_objects),
		cmocka_unit_test(build_identity__folder_name_and_debug_information__do_not_count),
		cmocka_unit_test(build_identity__file_macro__counts),
		cmocka_unit_test(build_identity__alignment__is_in_the_padded_hash_alone),
		cmocka_unit_test(build_identity__one_source_changed__its_object_is_named),
		cmocka_unit_test(build_identity__lto__from_the_objects_that_the_link_made),
		cmocka_unit_test(build_identity__facts_of_another_way__are_not_current),
		cmocka_unit_test(build_identity__unknown_for_want_of_the_decoder__is_current_without_it),
	};

	return cmocka_run_group_tests_name("build_identity", tests, open_world, close_world);
}
