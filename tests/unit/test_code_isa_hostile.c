/*
 * Hostile ELF files before the decoder: cut at every byte, sections and tables that overlap or lie elsewhere, a million
 * sections, sizes and exception tables that are wrong. Each is an error or an answer, soon, and never a crash (to be
 * seen with SAN=1).
 */
#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "base/rng.h"
#include "code/isa.h"
#include "test_code_tools.h"

static struct buf program, object, tiny;

/* Bounds a hang, not a speed: what takes a second of CPU time here would be minutes where work multiplies. */
enum { LONGEST_S = 60 };

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool have_zydis(void)
{
	return strstr(code_isa_source(), "no Zydis") == NULL;
}

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("p.c", "#include <stdio.h>\n__attribute__((noinline, target(\"avx2\"))) void wide(double "
			   "*a) { for (int i = 0; i < "
			   "64; i++) a[i] = a[i] * 3; }\n"
			   "int main(int n, char **v) { double a[64] = {n}; if (n > 3) wide(a); puts(v[0]); "
			   "return (int)a[n % 3]; }\n");
	tools_write("t.s", ".globl _start\n.type _start, %function\n_start: .cfi_startproc\nvaddps "
			   "%ymm0,%ymm1,%ymm2\nret\n"
			   ".cfi_endproc\n.size _start, .-_start\n");
	tools_run(NULL, "gcc -O3 -o p p.c && gcc -O3 -c -o p.o p.c && as --64 -o t.o t.s && ld -o t t.o");
	return file_read(tools_path("p"), 1 << 20, &program, NULL) |
	       file_read(tools_path("p.o"), 1 << 20, &object, NULL) |
	       file_read(tools_path("t"), 1 << 20, &tiny, NULL);
}

static int tear_down(void **state)
{
	buf_release(&program);
	buf_release(&object);
	buf_release(&tiny);
	return tools_teardown(state);
}

/* All ways of decoding one file; returns what code_isa did, whose answer is *isa. */
static int decode_all(const char *name, struct arena *arena, struct code_isa *isa, struct error *e)
{
	const struct code_isa_options sweep = {.sweep = true};
	const char *path = tools_path(name);
	struct facts facts = {.arena = arena};
	struct code_isa other;
	int result = code_isa(path, NULL, arena, isa, e);

	if (result == 0) {
		code_isa_facts(isa, &facts);
		assert_true(isa->decoded_bytes + isa->bad_bytes <= isa->code_bytes);
	} else {
		assert_int_not_equal(e->code, EXIT_YES);
	}
	(void)code_isa(path, &sweep, arena, &other, NULL);
	(void)code_isa_objects(&path, 1, path, arena, &other, NULL);
	return result;
}

static void code_isa__cut_at_every_byte__is_an_error_that_says_so(void **state)
{
	(void)state;
	/* GNU as and ld put the section table last, so that any cut loses a part of it. */
	for (size_t cut = 0; cut < tiny.n; cut++) {
		struct arena arena = {0};
		struct code_isa isa;
		struct error e = {0};

		tools_write_bytes("cut", tiny.data, cut);
		assert_int_equal(decode_all("cut", &arena, &isa, &e), -1);
		assert_non_null(strstr(e.text, "/cut"));
		arena_release(&arena);
	}
}

static void flip_and_decode(const struct buf *bytes, const char *name, size_t head, int rounds)
{
	char *copy = malloc(bytes->n);
	struct rng rng;

	assert_non_null(copy);
	rng_seed_text(&rng, name);
	for (int round = 0; round < rounds; round++) {
		struct arena arena = {0};
		struct code_isa isa;
		struct error e = {0};

		tools_damage(&rng, bytes->data, bytes->n, head, copy);
		tools_write_bytes(name, copy, bytes->n);
		(void)decode_all(name, &arena, &isa, &e);
		arena_release(&arena);
	}
	free(copy);
}

static void code_isa__flipped_bytes__never_crash(void **state)
{
	struct arena arena = {0};
	struct code_isa isa;
	struct error e = {0};

	(void)state;
	flip_and_decode(&program, "flipped-program", 1024, 300);
	flip_and_decode(&object, "flipped-object", 900, 300);
	flip_and_decode(&tiny, "flipped-tiny", 700, 300);
	/* the intact files still are decoded: the loops above ran on the real thing */
	assert_int_equal(decode_all("p", &arena, &isa, &e), 0);
	if (have_zydis())
		assert_non_null(strstr(isa.used, "avx"));
	else
		assert_string_equal(isa.unknown, "built without Zydis");
	arena_release(&arena);
}

/* A file of `count` sections, each made by `make`; their bytes follow the header. */
struct made {
	Elf64_Ehdr header;
	struct buf file;
};

static void made_begin(struct made *m, uint16_t machine)
{
	*m = (struct made){.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
				   .e_type = ET_DYN,
				   .e_machine = machine,
				   .e_version = EV_CURRENT,
				   .e_ehsize = sizeof(Elf64_Ehdr),
				   .e_phentsize = sizeof(Elf64_Phdr),
				   .e_shentsize = sizeof(Elf64_Shdr)}};
	buf_add(&m->file, &m->header, sizeof(m->header));
}

static void made_end(struct made *m, const Elf64_Shdr *sections, size_t count, const char *name)
{
	Elf64_Shdr first = sections[0];

	m->header.e_shoff = m->file.n;
	/* more than 65,279 are told by the first, empty one */
	m->header.e_shnum = count < SHN_LORESERVE ? (uint16_t)count : 0;
	first.sh_size = count < SHN_LORESERVE ? 0 : count;
	m->header.e_shstrndx = 1;
	buf_add(&m->file, &first, sizeof(first));
	buf_add(&m->file, sections + 1, (count - 1) * sizeof(*sections));
	memcpy(m->file.data, &m->header, sizeof(m->header));
	tools_write_bytes(name, m->file.data, m->file.n);
	buf_release(&m->file);
}

static void assert_soon(const char *name, const char *says)
{
	struct arena arena = {0};
	struct code_isa isa;
	struct error e = {0};
	const double begin = cpu_s();
	int result = decode_all(name, &arena, &isa, &e);

	if (says != NULL) {
		assert_int_equal(result, -1);
		if (strstr(e.text, says) == NULL)
			fail_msg("%s: \"%s\" does not say \"%s\"", name, e.text, says);
	} else {
		assert_int_equal(result, 0);
	}
	assert_true(cpu_s() - begin < LONGEST_S);
	arena_release(&arena);
}

static const char strings[] = "\0.shstrtab\0.text\0.symtab\0.eh_frame\0f\0$d";
enum { NAME_STRINGS = 1, NAME_TEXT = 11, NAME_SYMBOLS = 17, NAME_FRAMES = 25, NAME_F = 35, NAME_D = 37 };

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t flags, uint64_t at, uint64_t size)
{
	return (Elf64_Shdr){.sh_name = name,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = 0x10000 + at,
		.sh_offset = at,
		.sh_size = size,
		.sh_link = 1,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
}

static void code_isa__million_sections_of_one_code__is_soon_an_error(void **state)
{
	enum { COUNT = 1000000, CODE = 65536 };
	Elf64_Shdr *sections = calloc(COUNT, sizeof(*sections));
	struct made m;
	char *nops = malloc(CODE);

	(void)state;
	assert_non_null(sections);
	assert_non_null(nops);
	memset(nops, 0x90, CODE);
	made_begin(&m, EM_X86_64);
	buf_add(&m.file, strings, sizeof(strings));
	buf_add(&m.file, nops, CODE);
	sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
	for (size_t i = 2; i < COUNT; i++)
		sections[i] = section(NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			sizeof(Elf64_Ehdr) + sizeof(strings), CODE);
	made_end(&m, sections, COUNT, "million");
	assert_soon("million", "overlap");
	free(sections);
	free(nops);
}

static void code_isa__million_small_sections__are_decoded_soon(void **state)
{
	enum { COUNT = 1000000 };
	Elf64_Shdr *sections = calloc(COUNT, sizeof(*sections));
	struct made m;

	(void)state;
	assert_non_null(sections);
	made_begin(&m, EM_X86_64);
	buf_add(&m.file, strings, sizeof(strings));
	buf_add(&m.file, "\xc5\xf4\x58\xd0", 4); /* vaddps %ymm0, %ymm1, %ymm2 */
	sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
	for (size_t i = 2; i < COUNT; i++)
		sections[i] = section(NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			sizeof(Elf64_Ehdr) + sizeof(strings), 4);
	made_end(&m, sections, COUNT, "million");
	assert_soon("million", NULL);
	free(sections);
}

/* One section of code, and symbols by the thousand that all cover it, with sizes that go beyond. */
static void code_isa__symbols_that_overlap__are_decoded_once(void **state)
{
	enum { CODE = 1 << 20, SYMBOLS = 100000 };
	const uint16_t machines[] = {EM_X86_64, EM_AARCH64};
	char *nops = malloc(CODE);

	(void)state;
	assert_non_null(nops);
	memset(nops, 0x90, CODE);
	for (size_t k = 0; k < 2; k++) {
		Elf64_Shdr sections[4] = {{0}};
		struct arena arena = {0};
		struct code_isa isa;
		struct error e = {0};
		struct made m;

		made_begin(&m, machines[k]);
		buf_add(&m.file, strings, sizeof(strings));
		sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
		sections[2] = section(NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, m.file.n, CODE);
		buf_add(&m.file, nops, CODE);
		sections[3] = section(NAME_SYMBOLS, SHT_SYMTAB, 0, m.file.n, SYMBOLS * sizeof(Elf64_Sym));
		for (size_t i = 0; i < SYMBOLS; i++) {
			const Elf64_Sym symbol = {.st_name = i % 3 == 0 && k == 1 ? NAME_D : NAME_F,
				.st_info = ELF64_ST_INFO(
					STB_GLOBAL, i % 3 == 0 && k == 1 ? STT_NOTYPE : STT_FUNC),
				.st_shndx = 2,
				.st_value = sections[2].sh_addr + i * 7 % CODE,
				.st_size = i % 5 == 0 ? UINT64_MAX : CODE - i};

			buf_add(&m.file, &symbol, sizeof(symbol));
		}
		made_end(&m, sections, 4, "symbols");
		assert_soon("symbols", NULL);
		assert_int_equal(decode_all("symbols", &arena, &isa, &e), 0);
		assert_true(isa.code_bytes <= CODE);
		if (machines[k] == EM_X86_64 && have_zydis())
			assert_int_equal(isa.decoded_bytes, CODE);
		arena_release(&arena);
	}
	free(nops);
}

/* Tables of symbols that lie over one another: each would be read again. */
static void code_isa__tables_that_overlap__are_an_error(void **state)
{
	enum { COUNT = 20000, SYMBOLS = 4000 };
	Elf64_Shdr *sections = calloc(COUNT, sizeof(*sections));
	struct made m;

	(void)state;
	assert_non_null(sections);
	made_begin(&m, EM_X86_64);
	buf_add(&m.file, strings, sizeof(strings));
	sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
	sections[2] = section(NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, m.file.n, 1);
	buf_add(&m.file, "\x90", 1);
	for (size_t i = 3; i < COUNT; i++)
		sections[i] = section(NAME_SYMBOLS, SHT_SYMTAB, 0, m.file.n, SYMBOLS * sizeof(Elf64_Sym));
	for (size_t i = 0; i < SYMBOLS; i++) {
		const Elf64_Sym symbol = {.st_name = NAME_F};

		buf_add(&m.file, &symbol, sizeof(symbol));
	}
	made_end(&m, sections, COUNT, "tables");
	assert_soon("tables", "overlap");
	free(sections);
}

/* Exception tables of random bytes, of entries without an end, and of ranges that cover one another. */
static void code_isa__exception_tables_of_garbage__do_no_harm(void **state)
{
	enum { CODE = 4096, TABLE = 1 << 16, ROUNDS = 200 };
	char *nops = malloc(CODE), *table = malloc(TABLE);
	struct rng rng;

	(void)state;
	assert_non_null(nops);
	assert_non_null(table);
	memset(nops, 0x90, CODE);
	rng_seed_text(&rng, "exception tables");
	for (int round = 0; round < ROUNDS; round++) {
		static const unsigned char common[] = {
			0x10, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0, 0, 0};
		Elf64_Shdr sections[4] = {{0}};
		struct made m;

		for (size_t i = 0; i < TABLE; i++)
			table[i] = (char)rng_below(&rng, 256);
		if (round % 2 == 0) {
			/* a real common entry, then descriptions with random ranges */
			memcpy(table, common, sizeof(common));
			for (size_t at = sizeof(common); at + 24 <= TABLE; at += 24) {
				const uint32_t length = round % 4 == 0 ? 20 : (uint32_t)rng_below(&rng, 64);
				const uint32_t back = (uint32_t)at + 4;

				memcpy(table + at, &length, 4);
				memcpy(table + at + 4, &back, 4);
				memset(table + at + 10, 0, 2);
				memset(table + at + 14, 0, 2);
			}
		}
		made_begin(&m, EM_X86_64);
		buf_add(&m.file, strings, sizeof(strings));
		sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
		sections[2] = section(NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, m.file.n, CODE);
		buf_add(&m.file, nops, CODE);
		sections[3] = section(NAME_FRAMES, SHT_PROGBITS, SHF_ALLOC, m.file.n, TABLE);
		buf_add(&m.file, table, TABLE);
		made_end(&m, sections, 4, "frames");
		assert_soon("frames", NULL);
	}
	free(nops);
	free(table);
}

static void code_isa__code_behind_the_file__is_an_error(void **state)
{
	static const struct {
		uint64_t offset, size;
	} wrong[] = {{1ULL << 40, 4}, {64, 1ULL << 40}, {UINT64_MAX - 3, 8}, {64, UINT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		Elf64_Shdr sections[3] = {{0}};
		struct made m;

		made_begin(&m, EM_X86_64);
		buf_add(&m.file, strings, sizeof(strings));
		sections[1] = section(NAME_STRINGS, SHT_STRTAB, 0, sizeof(Elf64_Ehdr), sizeof(strings));
		sections[2] = section(
			NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, wrong[i].offset, wrong[i].size);
		made_end(&m, sections, 3, "behind");
		assert_soon("behind", "behind");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_isa__cut_at_every_byte__is_an_error_that_says_so),
		cmocka_unit_test(code_isa__flipped_bytes__never_crash),
		cmocka_unit_test(code_isa__million_sections_of_one_code__is_soon_an_error),
		cmocka_unit_test(code_isa__million_small_sections__are_decoded_soon),
		cmocka_unit_test(code_isa__symbols_that_overlap__are_decoded_once),
		cmocka_unit_test(code_isa__tables_that_overlap__are_an_error),
		cmocka_unit_test(code_isa__exception_tables_of_garbage__do_no_harm),
		cmocka_unit_test(code_isa__code_behind_the_file__is_an_error),
	};

	return cmocka_run_group_tests_name("code_isa_hostile", tests, build, tear_down);
}
