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

static const char *link_of(const char *seed)
{
	struct words argv = {0};

	recipe_link(&build, &shared, seed, "program", &arena, &argv);
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
		"-fno-diagnostics-color -frandom-seed=flagstone -O3 -flto -fno-common -DN=3 '-DTEXT=\"a "
		"b;$(id)\"' "
		"-I/p/w/inc -I/abs -I/p/driver -c /p/w/sub/part.two.c -o 01-part.two.o");
}

static void recipe_compile__clang__no_random_seed(void **state)
{
	(void)state;
	family.style = STYLE_CLANG;
	assert_string_equal(compile(0),
		"'/opt/my gcc/gcc' -m64 -ffile-prefix-map=/p/w=. -ffile-prefix-map=/p/driver=driver "
		"-fno-diagnostics-color -O3 -flto -I/p/driver -c /p/w/main.c -o 00-main.o");
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
		"-frandom-seed=flagstone -O1 -std=c++17 -I/p/driver -c /p/w/a.cpp -o 00-a.o");
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
	assert_string_equal(driver(),
		"'/opt/my gcc/gcc' -m64 -ffile-prefix-map=/p/driver=. "
		"-fno-diagnostics-color -frandom-seed=flagstone -O2 -m32 -static -I/p/driver -c "
		"/p/driver/driver.c "
		"-o driver.o");
}

static void recipe_pad__gcc__assembled_with_the_abi_flags(void **state)
{
	struct words argv = {0};

	(void)state;
	shared.abi = words("-m32");
	recipe_pad(&shared, 3, &arena, &argv);
	assert_string_equal(words_join(&argv, &arena), "'/opt/my gcc/gcc' -m64 -m32 -c pad-3.s -o pad-3.o");
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

static const char *seed_of(unsigned k)
{
	char *seed = arena_alloc(&arena, HASH_HEX);

	build_layout_seed("0123", 0, k, seed);
	return seed;
}

static size_t times(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

static void recipe_link__seed__same_objects_all_padding_at_most_once(void **state)
{
	(void)state;
	workload.ldlibs = words("-lm");
	for (unsigned k = 0; k < 64; k++) {
		const char *command = link_of(seed_of(k));

		assert_int_equal(times(command, "driver.o"), 1);
		assert_int_equal(times(command, "00-main.o"), 1);
		assert_int_equal(times(command, "01-part.two.o"), 1);
		assert_int_equal(times(command, "02-more.o"), 1);
		for (unsigned pad = 0; pad < PAD_COUNT; pad++)
			assert_true(times(command, arena_printf(&arena, "/pad-%u.o", pad)) <= 1);
		assert_true(text_ends(command, " -lm")); /* libraries behind all that needs them */
	}
}

static void recipe_link__seeds__each_its_own_order_and_the_same_again(void **state)
{
	const char *commands[32];
	size_t driver_first = 0;

	(void)state;
	for (unsigned k = 0; k < 32; k++) {
		commands[k] = link_of(seed_of(k));
		assert_string_equal(commands[k], link_of(seed_of(k)));
		for (unsigned i = 0; i < k; i++)
			assert_string_not_equal(commands[i], commands[k]);
		driver_first += strstr(commands[k], "driver.o") < strstr(commands[k], "00-main.o");
	}
	/* half of them on average; 4 to 28 of 32 is p > 0.99998 */
	assert_in_range(driver_first, 4, 28);
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

/* The assembler is asked: size -A of what it makes. */
static void recipe_pad_source__elf__moves_every_section(void **state)
{
	static const char *const sections[] = {
		".text.unlikely", ".text.startup", ".text.hot", ".text", ".rodata", ".data", ".bss"};

	(void)state;
	tools_write("pad.s", recipe_pad_source(2, true, &arena));
	tools_run(NULL, "gcc -c pad.s -o pad.o");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		assert_string_equal(tools_run(NULL, arena_printf(&arena,
							    "size -A pad.o | awk '$1 == \"%s\" { print $2 }'",
							    sections[i])),
			"64"); /* 16 << 2 */
	assert_string_equal(tools_run(NULL, "readelf -S pad.o | grep -c note.GNU-stack"), "1");
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
		TEST(recipe_link__seed__same_objects_all_padding_at_most_once),
		TEST(recipe_link__seeds__each_its_own_order_and_the_same_again),
		TEST(build_layout_seed__arms_and_layouts__sha256_of_their_text),
		TEST(recipe_object__sources_of_one_name__kept_apart),
		TEST(recipe_pad_source__elf__moves_every_section),
	};
	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	arena_release(&arena);
	return failed;
}
