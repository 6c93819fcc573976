/*
 * Layouts drawn from seeds. What must come out is written down from placement.h by hand; where a number of different
 * draws is demanded, its probability under fair coins stands beside it. What assemblers and linkers make of it is asked
 * of size, nm and readelf; whole builds are laid out in tests/soak/layouts.sh.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/build.h"
#include "build/placement.h"
#include "test_code_tools.h"

static struct arena arena;
static struct words objects;
static struct words sections[3];
static struct placement_parts parts;

static struct words words(const char *text)
{
	struct words w = {0};

	assert_int_equal(words_split(&w, &arena, text, NULL, NULL), 0);
	return w;
}

static int reset(void **state)
{
	(void)state;
	objects = words("/c/objects/h/driver.o 00-main.o '01-my part.o'");
	sections[0] = words(".text.say .text.startup.main");
	sections[1] = words(".text.work .text.hot.inner .text.unlikely.fail .text.sorted.7");
	sections[2] = words(".text.part .text.work.cold_unlikely .init");
	parts = (struct placement_parts){.objects = &objects,
		.sections = sections,
		.pads = "/c/objects/h",
		.linker = LINKER_GNU,
		.order_file = "layouts/0-1.order"};
	return 0;
}

static struct placement draw(unsigned k)
{
	struct placement placement;
	char seed[HASH_HEX];

	build_layout_seed("0123", 0, k, seed);
	placement_draw(&parts, seed, &arena, &placement);
	return placement;
}

static size_t times(const struct words *list, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += strcmp(list->v[i], word) == 0;
	return n;
}

/* Bytes of padding of a kind among the first `until` objects. */
static unsigned padding(const struct words *list, const char *kind, size_t until)
{
	unsigned bytes = 0;

	for (size_t i = 0; i < until; i++) {
		const char *name = strstr(list->v[i], kind);

		if (name != NULL)
			bytes += 16U << atoi(name + strlen(kind));
	}
	return bytes;
}

static size_t place_of(const struct words *list, const char *word)
{
	size_t i = 0;

	while (strcmp(list->v[i], word) != 0)
		i++;
	return i;
}

static void placement_draw__any_seed__each_object_once_and_padding_at_most(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 64; k++) {
		struct placement p = draw(k);

		for (size_t i = 0; i < objects.n; i++)
			assert_int_equal(times(&p.objects, objects.v[i]), 1);
		for (int kind = 0; kind < PAD_KINDS; kind++)
			for (size_t n = 0; n < PAD_COUNT; n++)
				assert_true(times(&p.objects, arena_printf(&arena, "/c/objects/h/%s.o",
								      placement_pad_name((enum pad_kind)kind,
									      n, &arena))) <= 1);
	}
}

static void placement_draw__padding_ahead__stands_before_all_objects(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 64; k++) {
		struct placement p = draw(k);
		size_t first = p.objects.n;

		for (size_t i = 0; i < objects.n; i++)
			if (place_of(&p.objects, objects.v[i]) < first)
				first = place_of(&p.objects, objects.v[i]);
		assert_int_equal(
			padding(&p.objects, "/code-", first), padding(&p.objects, "/code-", p.objects.n));
		assert_int_equal(
			padding(&p.objects, "/data-", first), padding(&p.objects, "/data-", p.objects.n));
	}
}

/*
 * 256 seeds, each a uniform draw of 256 sizes: 162 different ones on average with deviation 5; under 130 has p < 1e-9.
 * Code and data move apart from each other.
 */
static void placement_draw__many_seeds__sizes_ahead_are_all_over_a_page(void **state)
{
	bool code[256] = {false}, data[256] = {false};
	unsigned codes = 0, datas = 0, equal = 0;

	(void)state;
	for (unsigned k = 0; k < 256; k++) {
		struct placement p = draw(k);
		unsigned c = padding(&p.objects, "/code-", p.objects.n) / 16;
		unsigned d = padding(&p.objects, "/data-", p.objects.n) / 16;

		assert_true(c < 256 && d < 256);
		codes += !code[c];
		datas += !data[d];
		code[c] = data[d] = true;
		equal += c == d;
	}
	assert_in_range(codes, 130, 256);
	assert_in_range(datas, 130, 256);
	assert_in_range(equal, 0, 12);
}

static void placement_draw__seeds__each_its_own_order_and_the_same_again(void **state)
{
	const char *texts[32];
	size_t driver_first = 0;

	(void)state;
	for (unsigned k = 0; k < 32; k++) {
		struct placement p = draw(k), again = draw(k);

		texts[k] = arena_printf(&arena, "%s | %s", words_join(&p.objects, &arena), p.order);
		assert_string_equal(texts[k],
			arena_printf(&arena, "%s | %s", words_join(&again.objects, &arena), again.order));
		for (unsigned i = 0; i < k; i++)
			assert_string_not_equal(texts[i], texts[k]);
		driver_first += place_of(&p.objects, objects.v[0]) < place_of(&p.objects, objects.v[1]);
	}
	/* half of them on average; 4 to 28 of 32 is p > 0.99998 */
	assert_in_range(driver_first, 4, 28);
}

static size_t line_of(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	size_t n = 0;

	assert_non_null(at);
	for (const char *p = text; p < at; p++)
		n += *p == '\n';
	return n;
}

/* Names of files and groups of sections as ld(1)'s own script has them: unlikely, exit, startup, hot, the rest. */
static void placement_draw__gnu_ld__script_shuffles_within_groups(void **state)
{
	size_t say_first = 0;

	(void)state;
	for (unsigned k = 0; k < 32; k++) {
		struct placement p = draw(k);
		size_t unlikely, startup, hot, say, work, part;

		assert_int_equal(p.options.n, 1);
		assert_string_equal(p.options.v[0], "--script=layouts/0-1.order");
		assert_true(text_starts(
			p.order, "SECTIONS\n{\n\t.text.flagstone :\n\t{\n\t\t*/code-?.o(.text.unlikely)\n"));
		assert_true(text_ends(p.order, "\n\t}\n}\nINSERT BEFORE .text;\n"));
		unlikely = line_of(p.order, "\"[0]0-main.o\"(.text.unlikely.fail)\n");
		startup = line_of(p.order, "\t*/driver.o(.text.startup.main)\n");
		hot = line_of(p.order, "\"[0]0-main.o\"(.text.hot.inner)\n");
		say = line_of(p.order, "\t*/driver.o(.text.say)\n");
		work = line_of(p.order, "\"[0]0-main.o\"(.text.work)\n");
		part = line_of(p.order, "\"[0]1-my part.o\"(.text.part)\n");
		assert_true(unlikely < startup && line_of(p.order, "(.text.work.cold_unlikely)") < startup);
		assert_true(startup < hot && hot < say && hot < work && hot < part);
		assert_null(strstr(p.order, ".text.sorted"));
		assert_null(strstr(p.order, ".init"));
		say_first += say < work;
	}
	assert_in_range(say_first, 4, 28);
}

static void placement_draw__names_a_script_cannot_hold__left_out(void **state)
{
	struct placement p;

	(void)state;
	objects.v[1] = arena_strdup(&arena, "00-a\"b*.o");
	sections[2] = words("'.text.a b' .text.fine '.text.x*'");
	p = draw(1);
	assert_null(strstr(p.order, "a\"b"));
	assert_null(strstr(p.order, "a b"));
	assert_null(strstr(p.order, "x*"));
	assert_non_null(strstr(p.order, "\"[0]1-my part.o\"(.text.fine)\n"));
	assert_int_equal(times(&p.objects, "00-a\"b*.o"), 1); /* linked all the same */
}

static void placement_draw__lld__a_seed_of_its_own_each_time(void **state)
{
	const char *options[16];

	(void)state;
	parts.linker = LINKER_LLD;
	parts.sections = NULL; /* not needed */
	for (unsigned k = 0; k < 16; k++) {
		struct placement p = draw(k);

		assert_null(p.order);
		assert_int_equal(p.options.n, 1);
		options[k] = p.options.v[0];
		assert_true(text_starts(options[k], "--shuffle-sections=.text*="));
		/* 0 is another order each time, -1 the reverse of the first */
		assert_true(atol(strrchr(options[k], '=') + 1) > 0);
		for (unsigned i = 0; i < k; i++)
			assert_string_not_equal(options[i], options[k]);
	}
}

static void placement_draw__gold__names_alone(void **state)
{
	struct placement p;

	(void)state;
	parts.linker = LINKER_GOLD;
	p = draw(3);
	assert_string_equal(words_join(&p.options, &arena), "--section-ordering-file=layouts/0-1.order");
	assert_non_null(strstr(p.order, ".text.work\n"));
	assert_null(strstr(p.order, "driver.o"));
	assert_null(strstr(p.order, "pad-"));
}

static void placement_draw__linker_without_an_order__objects_and_padding(void **state)
{
	struct placement p, gnu = draw(5);

	(void)state;
	parts.linker = LINKER_OTHER;
	p = draw(5);
	assert_int_equal(p.options.n, 0);
	assert_null(p.order);
	assert_string_equal(words_join(&p.objects, &arena), words_join(&gnu.objects, &arena));
}

/* First lines as these programs print them. */
static void placement_linker__answers__told_apart(void **state)
{
	static const struct {
		const char *answer;
		enum linker_kind kind;
		const char *name;
	} cases[] = {
		{"collect2 version 12.2.0\n/usr/bin/ld -o x --version\nGNU ld (GNU Binutils for Debian) "
		 "2.40\nCopyright\n",
			LINKER_GNU, "GNU ld (GNU Binutils for Debian) 2.40"},
		{"GNU ld version 2.30-123.el8\n", LINKER_GNU, "GNU ld version 2.30-123.el8"},
		{"GNU gold (GNU Binutils for Debian 2.40) 1.16\n", LINKER_GOLD,
			"GNU gold (GNU Binutils for Debian 2.40) 1.16"},
		{"Debian LLD 14.0.6 (compatible with GNU linkers)\n", LINKER_LLD,
			"Debian LLD 14.0.6 (compatible with GNU linkers)"},
		{"LLD 13.0.0 (compatible with GNU linkers)\n", LINKER_LLD,
			"LLD 13.0.0 (compatible with GNU linkers)"},
		/* its --shuffle-sections knows no patterns: it would shuffle constructors, too */
		{"LLD 12.0.1 (compatible with GNU linkers)\n", LINKER_OTHER,
			"LLD 12.0.1 (compatible with GNU linkers)"},
		{"mold 1.10.1 (compatible with GNU ld)\n", LINKER_OTHER, ""},
		{"", LINKER_OTHER, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct linker linker;

		placement_linker(cases[i].answer, &arena, &linker);
		assert_int_equal(linker.kind, cases[i].kind);
		assert_string_equal(linker.name, cases[i].name);
	}
}

static const char *section_size(const char *section)
{
	return tools_run(
		NULL, arena_printf(&arena, "size -A pad.o | awk '$1 == \"%s\" { print $2 }'", section));
}

/* The assembler is asked: size -A of what it makes. */
static void placement_pad_source__elf__pads_the_sections_of_its_kind(void **state)
{
	static const struct {
		enum pad_kind kind;
		const char *padded[8], *left[8];
	} cases[] = {
		{PAD_CODE, {".text.unlikely"}, {".text.startup", ".text.hot", ".rodata"}},
		{PAD_DATA, {".rodata", ".data"}, {".text.unlikely", ".text.hot"}},
		{PAD_BETWEEN,
			{".text.startup", ".text.hot", ".text", ".rodata", ".data.rel.ro", ".data", ".bss"},
			{".text.unlikely"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tools_write("pad.s", placement_pad_source(cases[i].kind, 2, true, &arena));
		tools_run(NULL, "gcc -c pad.s -o pad.o");
		for (const char *const *s = cases[i].padded; *s != NULL; s++)
			assert_string_equal(section_size(*s), "64"); /* 16 << 2 */
		for (const char *const *s = cases[i].left; *s != NULL; s++)
			assert_string_equal(section_size(*s), "");
		assert_string_equal(tools_run(NULL, "readelf -S pad.o | grep -c note.GNU-stack"), "1");
	}
}

/* An answer of the tool itself to a script that has every group: nm shows the order that was asked for. */
static void placement_draw__real_gnu_ld__functions_stand_as_drawn(void **state)
{
	static const char source[] =
		"void work(void) {} void other(void) {} __attribute__((hot)) void inner(void) {}\n"
		"__attribute__((cold)) void fail(void) {} int main(void) { return 0; }\n";
	struct words real = words("00-main.o");
	struct words names =
		words(".text.work .text.other .text.hot.inner .text.unlikely.fail .text.startup.main");
	const char *orders[8];
	size_t different = 0;

	(void)state;
	tools_write("m.c", source);
	tools_run(NULL, "gcc -O2 -ffunction-sections -c m.c -o 00-main.o");
	parts = (struct placement_parts){.objects = &real,
		.sections = &names,
		.pads = "pads",
		.linker = LINKER_GNU,
		.order_file = "m.order"};
	for (unsigned k = 0; k < 8; k++) {
		struct placement p = draw(k);
		const char *order;

		tools_write("m.order", p.order);
		tools_run(NULL,
			"gcc 00-main.o -Wl,--script=m.order -o m 2>m.log || { cat m.log >&2; exit 1; }");
		tools_run(NULL, "./m");
		order = arena_strdup(
			&arena, tools_run(NULL, "nm -n m | awk '$3 ~ /^(work|other|inner|fail|main)$/ { "
						"printf \"%s \", $3 }'"));
		assert_true(text_starts(order, "fail main inner "));
		assert_int_equal(strstr(order, "work") < strstr(order, "other"),
			strstr(p.order, "work") < strstr(p.order, "other"));
		orders[k] = order;
		different += k > 0 && strcmp(orders[k], orders[0]) != 0;
	}
	assert_true(different > 0); /* all eight equal: p < 0.01, and the draws are fixed */
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(placement_draw__any_seed__each_object_once_and_padding_at_most),
		TEST(placement_draw__padding_ahead__stands_before_all_objects),
		TEST(placement_draw__many_seeds__sizes_ahead_are_all_over_a_page),
		TEST(placement_draw__seeds__each_its_own_order_and_the_same_again),
		TEST(placement_draw__gnu_ld__script_shuffles_within_groups),
		TEST(placement_draw__names_a_script_cannot_hold__left_out),
		TEST(placement_draw__lld__a_seed_of_its_own_each_time),
		TEST(placement_draw__gold__names_alone),
		TEST(placement_draw__linker_without_an_order__objects_and_padding),
		TEST(placement_linker__answers__told_apart),
		TEST(placement_pad_source__elf__pads_the_sections_of_its_kind),
		TEST(placement_draw__real_gnu_ld__functions_stand_as_drawn),
	};
	int failed = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	arena_release(&arena);
	return failed;
}
