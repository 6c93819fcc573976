/*
 * Hostile ELF files: every cut of a real program is an error, and no flipped bytes make the readers crash, read
 * out of bounds or run for ever (to be seen with SAN=1).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "base/rng.h"
#include "code/code.h"
#include "code/functions.h"
#include "code/inspect.h"
#include "code/inspect_match.h"
#include "test_code_tools.h"

static struct buf program, object, debug, packed;

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("p.c", "#include <stdio.h>\nstatic const int t[] = {1, 2, 3};\n"
			   "__attribute__((noinline)) static int f(int x) { return t[x % 3]; }\n"
			   "int g(int x) { switch (x) { case 0: return f(1); case 1: return puts(\"1\"); "
			   "case 2: return f(5);\n"
			   "case 3: return 7; case 4: return f(9); } return f(x) + 1; }\n"
			   "int main(void) { puts(\"stone\"); return 0; }\n");
	tools_run(NULL, "gcc -O2 -o p p.c && gcc -O2 -c -o p.o p.c && gcc -O2 -g -frecord-gcc-switches -c -o "
			"g.o p.c && "
			"gcc -O2 -g -gz=zlib -o z p.c");
	return file_read(tools_path("p"), 1 << 20, &program, NULL) |
	       file_read(tools_path("p.o"), 1 << 20, &object, NULL) |
	       file_read(tools_path("g.o"), 1 << 20, &debug, NULL) |
	       file_read(tools_path("z"), 1 << 20, &packed, NULL);
}

static int tear_down(void **state)
{
	buf_release(&program);
	buf_release(&object);
	buf_release(&debug);
	buf_release(&packed);
	return tools_teardown(state);
}

/* All readers on one file; returns what code_read did. */
static int read_all(const char *name, struct error *e)
{
	const char *path = tools_path(name);
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_info info;
	struct code_functions functions;
	struct inspection inspection;
	struct match_result match;
	char hex[HASH_HEX];
	uint64_t address, size;
	bool intermediate;
	int result = code_read(path, &arena, &info, e);

	if (result == 0)
		code_facts(&info, &facts);
	(void)code_hash_objects(&path, 1, hex, NULL);
	(void)code_hash_unpadded(&path, 1, hex, NULL);
	if (inspect_file(path, path, &arena, &inspection, NULL) == 0)
		inspect_match(&inspection, &inspection, &arena, &match);
	(void)code_is_intermediate(path, &intermediate, NULL);
	(void)code_symbol(path, "main", &address, &size, NULL);
	(void)code_functions(&path, 1, path, &arena, &functions, NULL);
	arena_release(&arena);
	return result;
}

static void code_read__cut_anywhere__is_an_error_that_says_so(void **state)
{
	(void)state;
	/* GNU as and ld put the section table last, so that any cut loses a part of it. */
	for (size_t cut = 0; cut < program.n; cut += cut < 256 ? 1 : 61) {
		struct error e = {0};

		tools_write_bytes("cut", program.data, cut);
		assert_int_equal(read_all("cut", &e), -1);
		assert_non_null(strstr(e.text, "/cut: "));
	}
}

static void flip_and_read(const struct buf *bytes, const char *name, size_t head, int rounds)
{
	char *copy = malloc(bytes->n);
	struct rng rng;

	assert_non_null(copy);
	rng_seed_text(&rng, name);
	for (int round = 0; round < rounds; round++) {
		tools_damage(&rng, bytes->data, bytes->n, head, copy);
		tools_write_bytes(name, copy, bytes->n);
		(void)read_all(name, NULL);
	}
	free(copy);
}

static void code_read__flipped_bytes__never_crash(void **state)
{
	(void)state;
	flip_and_read(&program, "flipped-program", 1024, 600);
	flip_and_read(&object, "flipped-object", 900, 1000);
	/* the intact files still read: the loops above ran on the real thing */
	assert_int_equal(read_all("p", NULL), 0);
	assert_int_equal(read_all("p.o", NULL), 0);
}

/* Where one of the named sections' bytes lies in a file that was read. */
static void find_bytes(const char *file, const char *section, size_t *from, size_t *size)
{
	char line[256];

	snprintf(line, sizeof(line),
		"readelf -SW %s | sed -n 's/^ *\\[ *[0-9]*\\] \\%s  *[A-Z]* *[0-9a-f]* \\([0-9a-f]*\\) "
		"\\([0-9a-f]*\\).*/\\1 \\2/p'",
		file, section);
	assert_int_equal(sscanf(tools_run(NULL, line), "%zx %zx", from, size), 2);
}

/* Garbage within one section at a time, which the headers do not tell. */
static void garbage(const struct buf *bytes, const char *file, const char *section, int rounds)
{
	char *copy = malloc(bytes->n);
	struct rng rng;
	size_t from, size;

	assert_non_null(copy);
	find_bytes(file, section, &from, &size);
	assert_true(size > 0 && from + size <= bytes->n);
	rng_seed_text(&rng, section);
	for (int round = 0; round < rounds; round++) {
		const uint64_t flips = 1 + rng_below(&rng, 6);

		memcpy(copy, bytes->data, bytes->n);
		for (uint64_t i = 0; i < flips; i++)
			copy[from + rng_below(&rng, size)] =
				(char)(rng_below(&rng, 4) == 0 ? 0xFF : rng_below(&rng, 256));
		tools_write_bytes("garbage", copy, bytes->n);
		(void)read_all("garbage", NULL);
	}
	free(copy);
}

static void inspect_file__garbage_in_debug_information__never_crashes(void **state)
{
	static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_str",
		".rela.debug_info", ".symtab", ".strtab", ".text", ".rela.text"};
	struct arena arena = {0};
	struct inspection x;

	(void)state;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		garbage(&debug, "g.o", sections[i], 100);
	garbage(&packed, "z", ".debug_info", 40);
	garbage(&packed, "z", ".debug_abbrev", 40);
	garbage(&program, "p", ".eh_frame", 80);
	garbage(&program, "p", ".dynamic", 40);
	assert_int_equal(inspect_file(tools_path("g.o"), "g.o", &arena, &x, NULL), 0);
	assert_int_equal(x.units, 1);
	arena_release(&arena);
}

static void code_read__object_cut_at_every_byte__is_an_error(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < object.n; cut++) {
		struct error e = {0};
		struct arena arena = {0};
		struct inspection x;
		const char *path = tools_path("cut");

		tools_write_bytes("cut", object.data, cut);
		assert_int_equal(inspect_file(path, path, &arena, &x, &e), -1);
		assert_non_null(strstr(e.text, "/cut"));
		arena_release(&arena);
	}
}

/* A 64-bit object of so many sections of a kind, all with the same bytes. */
static void write_sections(const char *name, uint32_t count, Elf64_Shdr like, uint64_t body)
{
	Elf64_Ehdr head = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = 1,
		.e_shoff = sizeof(Elf64_Ehdr) + body};
	Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_offset = sizeof(head), .sh_size = 1};
	Elf64_Shdr null = {.sh_size = count};
	char *zeros = calloc(1, body);
	FILE *file = fopen(tools_path(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(&head, sizeof(head), 1, file), 1);
	assert_int_equal(fwrite(zeros, 1, body, file), body);
	assert_int_equal(fwrite(&null, sizeof(null), 1, file), 1);
	assert_int_equal(fwrite(&names, sizeof(names), 1, file), 1);
	for (uint32_t i = 2; i < count; i++)
		assert_int_equal(fwrite(&like, sizeof(like), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	free(zeros);
}

/* A million of them take some seconds: tests/soak/sections.sh asks for that. */
static uint32_t many(void)
{
	const char *text = getenv("FLAGSTONE_TEST_SECTIONS");

	return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 60000;
}

static void code_read__many_sections__ends_soon(void **state)
{
	/* empty ones of code, of relocations, of notes, of debug information's kind; and ones that overlap */
	const Elf64_Shdr kinds[] = {
		{.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_offset = 64},
		{.sh_type = SHT_RELA, .sh_offset = 64, .sh_entsize = 24, .sh_info = 2},
		{.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_offset = 64, .sh_size = 8},
	};
	const Elf64_Shdr overlapping = {.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_offset = 64,
		.sh_size = 4096};
	struct error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		write_sections("many", many(), kinds[i], 4096);
		(void)read_all("many", NULL);
	}
	write_sections("many", many(), overlapping, 4096);
	assert_int_equal(read_all("many", &e), -1);
	assert_non_null(strstr(e.text, "overlap"));
	tools_run(NULL, "rm -f many");
}

static void code_read__not_elf__is_refused_in_words(void **state)
{
	static const char *const names[] = {"empty", "script", "nowhere"};
	static const char *const why[] = {"not an ELF file", "not an ELF file", "No such file"};

	(void)state;
	tools_write("empty", "");
	tools_write("script", "#!/bin/sh\nexit 0\n");
	for (size_t i = 0; i < 3; i++) {
		struct error e = {0};

		assert_int_equal(read_all(names[i], &e), -1);
		assert_non_null(strstr(e.text, names[i]));
		assert_non_null(strstr(e.text, why[i]));
	}
}

static void code_read__folder__is_an_error(void **state)
{
	struct error e = {0};

	(void)state;
	tools_run(NULL, "mkdir -p folder");
	assert_int_equal(read_all("folder", &e), -1);
	assert_non_null(strstr(e.text, "folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_read__cut_anywhere__is_an_error_that_says_so),
		cmocka_unit_test(code_read__flipped_bytes__never_crash),
		cmocka_unit_test(inspect_file__garbage_in_debug_information__never_crashes),
		cmocka_unit_test(code_read__object_cut_at_every_byte__is_an_error),
		cmocka_unit_test(code_read__many_sections__ends_soon),
		cmocka_unit_test(code_read__not_elf__is_refused_in_words),
		cmocka_unit_test(code_read__folder__is_an_error),
	};

	return cmocka_run_group_tests_name("code_hostile", tests, build, tear_down);
}
