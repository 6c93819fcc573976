/* The commands expected are written down by hand from build.h and DESIGN.md ("driver at -O2 with the ABI flags, never LTO"). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/recipe.h"
#include "test_code_tools.h"

enum { SOURCES = 3, OBJECTS = SOURCES + 1 };

static struct arena arena;
static struct spec_word sources[SOURCES] = {
	{.text = "main.c"}, {.text = "sub/part.two.c"}, {.text = "more.c"}};
static struct spec_workload workload;
static struct spec_family family;
static struct toolchain toolchain;
static struct build build;
static struct shared_objects shared;

static struct words words(const char *text)
{
	struct words w = {0};

	assert_int_equal(words_split(&w, &arena, text, NULL, NULL), 0);
	return w;
}

static int reset(void **state)
{
	(void)state;
	workload = (struct spec_workload){
		.name = "w", .folder = "/p/w", .sources = {.v = sources, .n = SOURCES}};
	family = (struct spec_family){.name = "gcc", .style = STYLE_GCC};
	toolchain = (struct toolchain){
		.spec = &family, .cc = words("'/opt/my gcc/gcc' -m64"), .cxx = words("/opt/g++")};
	build = (struct build){.workload = &workload, .toolchain = &toolchain, .cflags = words("-O3 -flto")};
	shared = (struct shared_objects){.toolchain = &toolchain, .folder = "/c/objects/h"};
	return 0;
}

static const char *compile(size_t index)
{
	struct words argv = {0};

	recipe_compile(&build, index, "/p/driver", &arena, &argv);
	return words_join(&argv, &arena);
}

static const char *link_of(const struct placement *placement)
{
	struct words argv = {0};

	recipe_link(&build, &shared, placement, "program", &arena, &argv);
	return words_join(&argv, &arena);
}

static const char *driver(void)
{
	struct words argv = {0};

	recipe_driver(&shared, "/p/driver", &arena, &argv);
	return words_join(&argv, &arena);
}

static void recipe_compile__gcc__command_is_exact(void **state)
{
	(void)state;
	workload.cflags = words("-fno-common");
	workload.defines = words("N=3 'TEXT=\"a b;$(id)\"'");
	workload.includes = words("inc /abs");
	assert_string_equal(compile(1),
		"'/opt/my gcc/gcc' -m64 -ffile-prefix-map=/p/w=. -ffile-prefix-map=/p/driver=driver "
		"-fno-diagnostics-color -frandom-seed=flagstone -ffunction-sections -O3 -flto -fno-common "
		"-DN=3 '-DTEXT=\"a "
		"b;$(id)\"' "
		"-I/p/w/inc -I/abs -I/p/driver -c /p/w/sub/part.two.c -o 01-part.two.o");
}

static void recipe_compile__clang__no_random_seed(void **state)
{
	(void)state;
	family.style = STYLE_CLANG;
	assert_string_equal(compile(0),
		"'/opt/my gcc/gcc' -m64 -ffile-prefix-map=/p/w=. -ffile-prefix-map=/p/driver=driver "
		"-fno-diagnostics-color -ffunction-sections -O3 -flto -I/p/driver -c /p/w/main.c -o "
		"00-main.o");
}

static void recipe_compile__tcc__none_of_the_options_it_lacks(void **state)
{
	(void)state;
	family.style = STYLE_TCC;
	build.cflags = words("-O2");
	assert_string_equal(compile(2), "'/opt/my gcc/gcc' -m64 -O2 -I/p/driver -c /p/w/more.c -o 02-more.o");
}

static void recipe_compile__cxx__its_compiler_and_flags(void **state)
{
	struct spec_word cxx = {.text = "a.cpp"};

	(void)state;
	workload.sources.v = &cxx;
	workload.sources.n = 1;
	build.cxxflags = words("-O1");
	workload.cxxflags = words("-std=c++17");
	assert_string_equal(compile(0),
		"/opt/g++ -ffile-prefix-map=/p/w=. -ffile-prefix-map=/p/driver=driver -fno-diagnostics-color "
		"-frandom-seed=flagstone -ffunction-sections -O1 -std=c++17 -I/p/driver -c /p/w/a.cpp -o "
		"00-a.o");
	assert_string_equal(link_of(NULL), "/opt/g++ -o program /c/objects/h/driver.o 00-a.o");
}

static void recipe_compile__language__said_before_the_source(void **state)
{
	(void)state;
	workload.language = "c++";
	assert_non_null(strstr(compile(0), "-x c++ -c /p/w/main.c"));
	assert_true(text_starts(compile(0), "/opt/g++ "));
}

static void recipe_driver__any_variant__o2_and_abi_flags_alone(void **state)
{
	(void)state;
	shared.abi = words("-m32 -static");
	assert_string_equal(driver(), "'/opt/my gcc/gcc' -m64 -ffile-prefix-map=/p/driver=. "
				      "-fno-diagnostics-color -frandom-seed=flagstone -ffunction-sections "
				      "-O2 -m32 -static -I/p/driver -c "
				      "/p/driver/driver.c "
				      "-o driver.o");
}

static void recipe_pad__gcc__assembled_with_the_abi_flags(void **state)
{
	struct words argv = {0};

	(void)state;
	shared.abi = words("-m32");
	recipe_pad(&shared, PAD_BETWEEN, 3, &arena, &argv);
	recipe_pad(&shared, PAD_DATA, 0, &arena, &argv);
	assert_string_equal(words_join(&argv, &arena), "'/opt/my gcc/gcc' -m64 -m32 -c pad-3.s -o pad-3.o "
						       "'/opt/my gcc/gcc' -m64 -m32 -c data-0.s -o data-0.o");
}

static void recipe_link__canonical__driver_then_sources_in_order(void **state)
{
	(void)state;
	build.ldflags = words("-O2 -flto -static");
	workload.ldflags = words("-Wl,-z,now");
	workload.ldlibs = words("-lm");
	shared.abi = words("-m32 -static");
	/* -static stands in ldflags already */
	assert_string_equal(link_of(NULL), "'/opt/my gcc/gcc' -m64 -m32 -O2 -flto -static -Wl,-z,now -o "
					   "program /c/objects/h/driver.o 00-main.o "
					   "01-part.two.o 02-more.o -lm");
}

static void recipe_link__placement__its_options_for_the_linker_and_objects(void **state)
{
	struct placement placement = {
		.objects = words("b.o 'p q.o' a.o"), .options = words("--script=layouts/0-1.order")};

	(void)state;
	workload.ldlibs = words("-lm");
	assert_string_equal(link_of(&placement),
		"'/opt/my gcc/gcc' -m64 -o program -Wl,--script=layouts/0-1.order b.o 'p q.o' a.o -lm");
}

/* Code is made at the link, so the link has to be told, before the user's own words. */
static void recipe_link__lto__functions_in_sections(void **state)
{
	(void)state;
	family.lto_flags = words("-flto");
	build.ldflags = words("-O2 -flto");
	assert_string_equal(link_of(NULL),
		"'/opt/my gcc/gcc' -m64 -ffunction-sections -O2 -flto -o program /c/objects/h/driver.o "
		"00-main.o 01-part.two.o 02-more.o");
}

static void build_layout_seed__arms_and_layouts__sha256_of_their_text(void **state)
{
	char seed[HASH_HEX];

	(void)state;
	/* printf '%s' '0123 1 7' | sha256sum */
	build_layout_seed("0123", 1, 7, seed);
	assert_string_equal(seed, tools_run(NULL, "printf %s '0123 1 7' | sha256sum | cut -c1-64"));
}

static void recipe_object__sources_of_one_name__kept_apart(void **state)
{
	(void)state;
	assert_string_equal(recipe_object(&arena, 0, "a/x.c"), "00-x.o");
	assert_string_equal(recipe_object(&arena, 1, "b/x.c"), "01-x.o");
	assert_string_equal(recipe_object(&arena, 12, "noext"), "12-noext.o");
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(recipe_compile__gcc__command_is_exact),
		TEST(recipe_compile__clang__no_random_seed),
		TEST(recipe_compile__tcc__none_of_the_options_it_lacks),
		TEST(recipe_compile__cxx__its_compiler_and_flags),
		TEST(recipe_compile__language__said_before_the_source),
		TEST(recipe_driver__any_variant__o2_and_abi_flags_alone),
		TEST(recipe_pad__gcc__assembled_with_the_abi_flags),
		TEST(recipe_link__canonical__driver_then_sources_in_order),
		TEST(recipe_link__placement__its_options_for_the_linker_and_objects),
		TEST(recipe_link__lto__functions_in_sections),
		TEST(build_layout_seed__arms_and_layouts__sha256_of_their_text),
		TEST(recipe_object__sources_of_one_name__kept_apart),
	};
	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	arena_release(&arena);
	return failed;
}
