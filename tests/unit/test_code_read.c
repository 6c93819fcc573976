/*
 * code_read and code_symbol against what binutils (readelf, size, nm) and coreutils (sha256sum, stat) say of
 * the same files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/code.h"
#include "test_code_tools.h"

static const char *const program_text =
	"#include <stdio.h>\n"
	"int counter = 7, zeroes[1000];\n"
	"static const char *const names[] = {\"a\", \"b\"};\n"
	"__attribute__((noinline)) int twice(int x) { return 2 * x + zeroes[x & 7]; }\n"
	"int main(int argc, char **argv) { (void)argv; puts(names[argc & 1]);\n"
	"return twice(counter) != 14; }\n";

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("p.c", program_text);
	tools_run(NULL, "gcc -O2 -Wl,--build-id=sha1 -o p p.c && gcc -O2 -c -o p.o p.c");
	return 0;
}

static void code_read__linked_program__sizes_are_what_size_says(void **state)
{
	struct arena arena = {0};
	struct code_info info;
	struct error e = {0};
	unsigned long text, data, bss, file;

	(void)state;
	assert_int_equal(code_read(tools_path("p"), &arena, &info, &e), 0);
	assert_int_equal(sscanf(tools_run(NULL, "size p | tail -1"), "%lu %lu %lu", &text, &data, &bss), 3);
	assert_int_equal(sscanf(tools_run(NULL, "stat -c %s p"), "%lu", &file), 1);
	/* Berkeley `size` counts read-only data as text. */
	assert_int_equal(info.text_bytes + info.rodata_bytes, text);
	assert_int_equal(info.data_bytes, data);
	assert_int_equal(info.bss_bytes, bss);
	assert_int_equal(info.file_bytes, file);
	assert_true(info.text_bytes > 0 && info.rodata_bytes > 0);
	arena_release(&arena);
}

static void code_read__linked_program__text_is_the_sum_of_readelfs_executable_sections(void **state)
{
	struct arena arena = {0};
	struct code_info info;
	unsigned long sum = 0;
	char *lines, *line, *rest = NULL;

	(void)state;
	assert_int_equal(code_read(tools_path("p"), &arena, &info, NULL), 0);
	/* Columns of `readelf -SW` behind the bracket: name type address offset size entry flags ... */
	lines = arena_strdup(
		&arena, tools_run(NULL, "LC_ALL=C readelf -SW p | sed -n 's/^ *\\[ *[0-9]*\\] //p' | "
					"awk '$7 ~ /X/ {print $5}'"));
	for (line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		sum += strtoul(line, NULL, 16);
	assert_int_equal(info.text_bytes, sum);
	arena_release(&arena);
}

static void code_read__linked_program__identity_is_what_readelf_and_sha256sum_say(void **state)
{
	struct arena arena = {0};
	struct code_info info;

	(void)state;
	assert_int_equal(code_read(tools_path("p"), &arena, &info, NULL), 0);
	assert_string_equal(
		info.build_id, tools_run(NULL, "LC_ALL=C readelf -n p | sed -n 's/.*Build ID: //p'"));
	assert_int_equal(strlen(info.build_id), 40);
	assert_string_equal(info.file_hash, tools_run(NULL, "sha256sum p | cut -c1-64"));
	assert_string_equal(info.interpreter,
		tools_run(NULL, "LC_ALL=C readelf -lW p | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p'"));
	assert_string_equal(words_join(&info.needed, &arena),
		tools_run(NULL, "LC_ALL=C readelf -dW p | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p' | "
				"tr '\\n' ' ' | sed 's/ $//'"));
	assert_string_equal(info.machine, tools_run(NULL, "uname -m"));
	assert_true(info.executable);
	assert_false(info.is_static);
	assert_non_null(info.compiler);
	assert_non_null(strstr(info.compiler, "GCC"));
	arena_release(&arena);
}

static void code_read__object__is_not_executable_and_has_no_build_id(void **state)
{
	struct arena arena = {0};
	struct code_info info;

	(void)state;
	assert_int_equal(code_read(tools_path("p.o"), &arena, &info, NULL), 0);
	assert_false(info.executable);
	assert_false(info.is_static);
	assert_null(info.build_id);
	assert_null(info.interpreter);
	arena_release(&arena);
}

static void code_read__static_links__are_known_as_static(void **state)
{
	static const char *const flags[] = {"-static", "-static-pie"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct arena arena = {0};
		struct code_info info;
		char line[256];
		bool ok;

		snprintf(line, sizeof(line), "gcc -O2 %s -o s p.c 2>s.log", flags[i]);
		tools_run(&ok, line);
		if (!ok) { /* no libc.a here: then the linker has said so */
			assert_string_not_equal(
				tools_run(NULL, "grep -c -e -lc -e libc -e rcrt1 s.log; true"), "0");
			continue;
		}
		assert_int_equal(code_read(tools_path("s"), &arena, &info, NULL), 0);
		assert_true(info.executable);
		assert_true(info.is_static);
		arena_release(&arena);
	}
}

static void code_read__shared_library__is_not_executable(void **state)
{
	struct arena arena = {0};
	struct code_info info;

	(void)state;
	tools_run(NULL, "gcc -O2 -shared -fPIC -Wl,-e,twice -o lib.so p.c");
	assert_int_equal(code_read(tools_path("lib.so"), &arena, &info, NULL), 0);
	assert_false(info.executable);
	arena_release(&arena);
}

static void code_hash_of(const char *name, char hex[HASH_HEX])
{
	struct arena arena = {0};
	struct code_info info;

	assert_int_equal(code_read(tools_path(name), &arena, &info, NULL), 0);
	memcpy(hex, info.code_hash, HASH_HEX);
	arena_release(&arena);
}

static void code_read__same_code__has_the_same_code_hash_whatever_names_it(void **state)
{
	char one[HASH_HEX], other[HASH_HEX];

	(void)state;
	/* Other build-id, other debug information, other symbol table; same code at the same place. */
	tools_run(NULL, "cp p.c q.c && gcc -O2 -g -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 "
			"-o q q.c");
	code_hash_of("p", one);
	code_hash_of("q", other);
	assert_string_equal(one, other);
	tools_run(NULL, "cp q r && strip r");
	code_hash_of("r", other);
	assert_string_equal(one, other);
}

static void code_read__other_code_or_constants__have_another_code_hash(void **state)
{
	char one[HASH_HEX], other[HASH_HEX];

	(void)state;
	code_hash_of("p", one);
	tools_run(NULL, "sed 's/2 \\* x/5 * x/' p.c >c.c && gcc -O2 -Wl,--build-id=sha1 -o c c.c");
	code_hash_of("c", other);
	assert_string_not_equal(one, other);
	tools_run(NULL, "sed 's/\"a\"/\"z\"/' p.c >d.c && gcc -O2 -Wl,--build-id=sha1 -o d d.c");
	code_hash_of("d", other);
	assert_string_not_equal(one, other);
}

/* What one program computes with is other than what the other one does: the hash must say so. */
static void expect_other_hash(const char *a, const char *b, const char *flags)
{
	char one[HASH_HEX], other[HASH_HEX], line[256];

	tools_write("a.c", a);
	tools_write("b.c", b);
	snprintf(line, sizeof(line), "gcc -O2 %s -o a a.c && gcc -O2 %s -o b b.c", flags, flags);
	tools_run(NULL, line);
	code_hash_of("a", one);
	code_hash_of("b", other);
	if (strcmp(one, other) == 0)
		fail_msg("%s: %s and %s have one hash", flags, a, b);
}

#define MAIN "int main(int n, char **v) { (void)v; return "

static void code_read__other_data__have_another_code_hash(void **state)
{
	static const struct {
		const char *a, *b;
	} cases[] = {
		{"unsigned scale = 1;" MAIN "(int)scale * n; }",
			"unsigned scale = 2;" MAIN "(int)scale * n; }"},
		{"__thread int t = 1;" MAIN "t * n; }", "__thread int t = 2;" MAIN "t * n; }"},
		/* only sizes of what begins as zeroes */
		{"int space[1000];" MAIN "space[n & 7]; }", "int space[9000];" MAIN "space[n & 7]; }"},
		/* tables of addresses: which constant, which function, another library's function */
		{"static const int p[] = {1, 2}; const int *q[] = {p, p};" MAIN "*q[n & 1]; }",
			"static const int p[] = {1, 2}; const int *q[] = {p, p + 1};" MAIN "*q[n & 1]; }"},
		{"static int f(void) { return 1; } static int g(void) { return 2; } int (*volatile "
		 "t[])(void) = "
		 "{f, g, f};" MAIN "t[n](); }",
			"static int f(void) { return 1; } static int g(void) { return 2; } int (*volatile "
			"t[])(void) = {f, g, g};" MAIN "t[n](); }"},
		/* the same code and as many calls: only the name behind the jump table differs */
		{"int isalpha(int), isdigit(int);" MAIN "(isalpha)(n) * 3; }",
			"int isalpha(int), isdigit(int);" MAIN "(isdigit)(n) * 3; }"},
	};
	static const char *const flags[] = {"-fno-builtin", "-fno-builtin -no-pie",
		"-fno-builtin -fPIC -pie -Wl,-z,now", "-fno-builtin -Wl,-z,norelro"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
			expect_other_hash(cases[i].a, cases[i].b, flags[k]);
}

static void code_read__writable_data_at_another_address__same_code_hash(void **state)
{
	char one[HASH_HEX], other[HASH_HEX];

	(void)state;
	/*
	 * All of it moves by the same distance: code finds its data relative to itself, and the addresses in the
	 * tables, which all differ (nm), come by relocations.
	 */
	tools_write("m.c",
		"static int x = 5; int *p = &x; static int f(void) { return *p; } int (*t[])(void) = "
		"{f, f};" MAIN "t[n & 1]() - 5; }");
	tools_run(NULL,
		"gcc -O2 -fPIE -pie -o m m.c && gcc -O2 -fPIE -pie -Wl,-Ttext-segment=0x100000 -o k m.c");
	assert_string_not_equal(
		tools_run(NULL, "test \"$(nm m | grep ' p$')\" != \"$(nm k | grep ' p$')\" && "
				"echo other"),
		"");
	code_hash_of("m", one);
	code_hash_of("k", other);
	assert_string_equal(one, other);
}

static void code_read__isa_note__is_read(void **state)
{
	struct arena arena = {0};
	struct code_info info;

	(void)state;
	assert_int_equal(code_read(tools_path("p"), &arena, &info, NULL), 0);
	if (strcmp(info.machine, "x86_64") == 0) {
		tools_run(NULL, "gcc -O2 -Wl,-z,x86-64-v2 -o v p.c");
		assert_int_equal(code_read(tools_path("v"), &arena, &info, NULL), 0);
		assert_non_null(info.isa);
		/* binutils: "x86 ISA needed: x86-64-baseline, x86-64-v2" or, newer, without the baseline */
		assert_non_null(strstr(info.isa, "x86-64-v2"));
		assert_null(strstr(info.isa, "x86-64-v3"));
		assert_non_null(strstr(tools_run(NULL, "LC_ALL=C readelf -nW v"), "x86-64-v2"));
	} else {
		assert_null(info.isa);
	}
	arena_release(&arena);
}

static void code_facts__every_key__has_value_or_reason(void **state)
{
	static const char *const known[] = {"size.text_bytes", "size.rodata_bytes", "size.data_bytes",
		"size.bss_bytes", "size.file_bytes", "code.sha256", "code.file_sha256", "code.machine",
		"code.needed"};
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_info info;

	(void)state;
	assert_int_equal(code_read(tools_path("p.o"), &arena, &info, NULL), 0);
	code_facts(&info, &facts);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_non_null(facts_value(&facts, known[i]));
	assert_string_equal(facts_value(&facts, "code.interpreter"), "none");
	assert_null(facts_value(&facts, "code.build_id"));
	assert_non_null(strstr(facts_find(&facts, "code.build_id")->reason, "no build-id"));
	arena_release(&arena);
}

static void code_symbol__function__has_the_address_and_size_that_nm_says(void **state)
{
	uint64_t address = 0, size = 0;
	unsigned long long nm_address, nm_size;

	(void)state;
	assert_int_equal(code_symbol(tools_path("p"), "twice", &address, &size, NULL), 0);
	assert_int_equal(
		sscanf(tools_run(NULL, "nm -S p | grep ' twice$'"), "%llx %llx", &nm_address, &nm_size), 2);
	assert_int_equal(address, nm_address);
	assert_int_equal(size, nm_size);
}

static void code_symbol__variable_or_absent__is_refused_by_name(void **state)
{
	static const char *const names[] = {"counter", "no_such_function", "puts"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t address = 99, size = 99;
		struct error e = {0};

		assert_int_equal(code_symbol(tools_path("p"), names[i], &address, &size, &e), -1);
		assert_non_null(strstr(e.text, names[i]));
		assert_int_equal(address, 99);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_read__linked_program__sizes_are_what_size_says),
		cmocka_unit_test(code_read__linked_program__text_is_the_sum_of_readelfs_executable_sections),
		cmocka_unit_test(code_read__linked_program__identity_is_what_readelf_and_sha256sum_say),
		cmocka_unit_test(code_read__object__is_not_executable_and_has_no_build_id),
		cmocka_unit_test(code_read__static_links__are_known_as_static),
		cmocka_unit_test(code_read__shared_library__is_not_executable),
		cmocka_unit_test(code_read__same_code__has_the_same_code_hash_whatever_names_it),
		cmocka_unit_test(code_read__other_code_or_constants__have_another_code_hash),
		cmocka_unit_test(code_read__other_data__have_another_code_hash),
		cmocka_unit_test(code_read__writable_data_at_another_address__same_code_hash),
		cmocka_unit_test(code_read__isa_note__is_read),
		cmocka_unit_test(code_facts__every_key__has_value_or_reason),
		cmocka_unit_test(code_symbol__function__has_the_address_and_size_that_nm_says),
		cmocka_unit_test(code_symbol__variable_or_absent__is_refused_by_name),
	};

	return cmocka_run_group_tests_name("code_read", tests, build, tools_teardown);
}
