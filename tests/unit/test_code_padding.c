/*
 * code_hash_unpadded: equal where two builds of one source differ in alignment only, unlike as soon as an instruction,
 * what it refers to, or where a jump leads differs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "code/code.h"
#include "code/step.h"
#include "test_code_tools.h"

/* Loops, jump tables, pointers to local functions, calls that the assembler resolves, constants, far jumps. */
static const char *const unit_text =
	"#define F __attribute__((noinline))\n"
	"extern int out(int); static int counter; double scale = 1.5;\n"
	"F static int near(int x) { counter++; return x * 3 + counter; }\n"
	"F static int far(int x) { return near(x) + near(x + 9); }\n"
	"static int (*const table[])(int) = {near, far}; int (*volatile chosen)(int) = far;\n"
	"F int loop(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) { if (a[i] > 7) s += "
	"out(a[i]); else s ^= "
	"a[i] * s; } return s; }\n"
	"F int nest(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) { s "
	"+= a[k] / (s "
	"| 1); while (s > 1000) s -= out(s); } return s; }\n"
	"F double area(double r) { return r * r * 3.14159 * scale; }\n"
	"F int choose(int x) { switch (x) { case 0: return near(x) ^ 2; case 1: return far(3) ^ 3; case 2: "
	"return out(x);\n"
	"	case 3: return out(7) + 1; case 4: return loop(&counter, x); case 5: return nest(&counter, "
	"x); default: "
	"return table[x & 1](x); } }\n"
	"int run(int x) { return choose(x) + chosen(x) + (int)area(x); }\n";

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("u.c", unit_text);
	return 0;
}

static void need(unsigned machine)
{
	if (step_missing(machine) != NULL)
		skip();
}

static void hash_of(const char *name, char hex[HASH_HEX])
{
	const char *path = tools_path(name);
	struct error e = {0};

	if (code_hash_unpadded(&path, 1, hex, &e) != 0)
		fail_msg("%s", e.text);
}

/* Do two compiles have one padded hash, one unpadded hash? false: a compiler that is not here. */
static bool compile_two(const char *first, const char *second, bool *padded, bool *unpadded)
{
	const char *a = tools_path("a.o"), *b = tools_path("b.o");
	char one[HASH_HEX], other[HASH_HEX], line[1024];
	bool ok;

	snprintf(line, sizeof(line), "%s -c -o a.o u.c 2>/dev/null && %s -c -o b.o u.c 2>/dev/null", first,
		second);
	tools_run(&ok, line);
	if (!ok)
		return false;
	assert_int_equal(code_hash_objects(&a, 1, one, NULL), 0);
	assert_int_equal(code_hash_objects(&b, 1, other, NULL), 0);
	*padded = strcmp(one, other) == 0;
	hash_of("a.o", one);
	hash_of("b.o", other);
	*unpadded = strcmp(one, other) == 0;
	return true;
}

static void code_hash_unpadded__other_alignment__is_the_same(void **state)
{
	static const char *const pairs[][2] = {
		{"gcc -O2", "gcc -O2 -falign-functions=64"},
		{"gcc -O2", "gcc -O2 -falign-loops=32 -falign-jumps=32"},
		{"gcc -O2 -falign-loops=64",
			"gcc -O2 -fno-align-loops -fno-align-jumps -fno-align-functions"},
		/* so much of it that short jumps become long ones */
		{"gcc -O2", "gcc -O2 -falign-loops=128 -falign-labels=128"},
		{"gcc -O2 -fpic", "gcc -O2 -fpic -falign-functions=128 -falign-jumps=64"},
		{"gcc -O2 -fno-pic -fno-pie",
			"gcc -O2 -fno-pic -fno-pie -falign-functions=128 -falign-loops=64"},
		{"clang -O2", "clang -O2 -falign-functions=64"},
		{"clang -O2", "clang -O2 -mllvm -align-all-nofallthru-blocks=5"},
		{"clang -O2", "clang -O2 -mllvm -align-loops=64"},
	};
	size_t differed = 0;

	(void)state;
	need(EM_X86_64);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		bool padded, unpadded;

		if (!compile_two(pairs[i][0], pairs[i][1], &padded, &unpadded))
			continue;
		differed += !padded;
		if (!unpadded)
			fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
	}
	assert_true(differed >= 5);
}

static void code_hash_unpadded__aarch64_alignment_of_functions__is_the_same(void **state)
{
	bool padded, unpadded;

	(void)state;
	if (!compile_two("clang --target=aarch64-linux-gnu -O2 -fno-jump-tables",
		    "clang --target=aarch64-linux-gnu -O2 -fno-jump-tables -falign-functions=64 -mllvm "
		    "-align-loops=32",
		    &padded, &unpadded))
		skip();
	assert_false(padded);
	assert_true(unpadded);
}

static void code_hash_unpadded__folder_name_and_debug_information__are_no_part(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};

	(void)state;
	need(EM_X86_64);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		char one[HASH_HEX], other[HASH_HEX], line[512];
		bool ok;

		snprintf(line, sizeof(line),
			"%s -O2 -c -o a.o u.c && mkdir -p deep/er && cp u.c deep/er/other.c && cd deep/er && "
			"%s -O2 -g -c -o ../../b.o other.c",
			compilers[i], compilers[i]);
		tools_run(&ok, line);
		if (!ok)
			continue;
		hash_of("a.o", one);
		hash_of("b.o", other);
		assert_string_equal(one, other);
	}
}

static void code_hash_unpadded__other_code_or_data__differs(void **state)
{
	static const char *const changes[] = {
		"s/x . 3 + counter/x * 5 + counter/",
		"s/3.14159/3.14158/",
		"s/scale = 1.5/scale = 1.25/",
		"s/return near(x) + near(x + 9)/return out(x) + near(x + 9)/", /* another callee */
		"s/{near, far}/{far, near}/",
		"s/chosen)(int) = far/chosen)(int) = near/", /* another local function, by a pointer in data */
		"s/case 2: return out(x)/case 2: return out(x + 1)/",
		"s/a.i. > 7/a[i] < 7/",
	};
	static const char *const compilers[] = {"gcc -O2", "gcc -O1 -fno-pic -fno-pie", "clang -O2"};
	const size_t count = sizeof(changes) / sizeof(changes[0]);
	char one[HASH_HEX], other[HASH_HEX], line[512], sources[128];
	size_t used = 0;

	(void)state;
	need(EM_X86_64);
	for (size_t i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "sed '%s' u.c >v%zu.c && ! cmp -s u.c v%zu.c", changes[i], i, i);
		tools_run(NULL, line);
		used += (size_t)snprintf(sources + used, sizeof(sources) - used, " v%zu.c", i);
	}
	for (size_t c = 0; c < sizeof(compilers) / sizeof(compilers[0]); c++) {
		if (compilers[c][0] == 'c' && !tools_have("clang"))
			continue;
		snprintf(line, sizeof(line), "%s -c u.c%s", compilers[c], sources);
		tools_run(NULL, line);
		hash_of("u.o", one);
		for (size_t i = 0; i < count; i++) {
			char name[16];

			snprintf(name, sizeof(name), "v%zu.o", i);
			hash_of(name, other);
			if (strcmp(one, other) == 0)
				fail_msg("%s: %s", compilers[c], changes[i]);
		}
	}
}

/* Two sources of assembler: is their code the same but for padding? */
static bool same_assembler(const char *first, const char *second)
{
	char one[HASH_HEX], other[HASH_HEX];

	tools_write("a.s", first);
	tools_write("b.s", second);
	tools_run(NULL, "gcc -c -o a.o a.s && gcc -c -o b.o b.s");
	hash_of("a.o", one);
	hash_of("b.o", other);
	return strcmp(one, other) == 0;
}

#define FUNCTION(name, body)                                                                                 \
	"\t.text\n\t.p2align 4\n\t.globl " name "\n\t.type " name ", @function\n" name ":\n" body            \
	"\t.size " name ", .-" name "\n"
#define REST "\t.section .note.GNU-stack,\"\",@progbits\n"

static void code_hash_unpadded__where_a_jump_leads__counts(void **state)
{
	(void)state;
	need(EM_X86_64);
	/* the same instructions, to another label */
	assert_false(same_assembler(FUNCTION("f", "\tjmp 2f\n1:\tinc %eax\n2:\tinc %ebx\n\tret\n") REST,
		FUNCTION("f", "\tjmp 1f\n1:\tinc %eax\n2:\tinc %ebx\n\tret\n") REST));
	/* the same label, with padding ahead of it */
	assert_true(same_assembler(FUNCTION("f", "\tjmp 2f\n1:\tinc %eax\n2:\tinc %ebx\n\tjne 2b\n\tret\n")
					   REST,
		FUNCTION("f", "\tjmp 2f\n1:\tinc %eax\n\t.p2align 4\n2:\tinc %ebx\n\tjne 2b\n\tret\n") REST));
	/* short and long form of one jump */
	assert_true(same_assembler(FUNCTION("f", "\tje 2f\n\tinc %eax\n2:\tret\n") REST,
		FUNCTION("f", "\t.byte 0x0f, 0x84\n\t.long 2f - . - 4\n\tinc %eax\n2:\tret\n") REST));
	/* a call of another function of the section, which no relocation names */
	assert_false(same_assembler("\t.text\ng:\tret\nh:\tret\n" FUNCTION("f", "\tcall g\n\tret\n") REST,
		"\t.text\ng:\tret\nh:\tret\n" FUNCTION("f", "\tcall h\n\tret\n") REST));
}

static void code_hash_unpadded__a_filler_that_was_asked_for__stays(void **state)
{
	(void)state;
	need(EM_X86_64);
	/* in the middle of a block, at a function's start, ahead of a place that nothing jumps to */
	assert_false(same_assembler(FUNCTION("f", "\tinc %eax\n\tinc %ebx\n\tret\n") REST,
		FUNCTION("f", "\tinc %eax\n\tnop\n\tinc %ebx\n\tret\n") REST));
	assert_false(same_assembler(FUNCTION("f", "\tinc %eax\n\tret\n") REST,
		FUNCTION("f", "\tnop\n\tnop\n\tinc %eax\n\tret\n") REST));
	assert_false(same_assembler(FUNCTION("f", "\tinc %eax\n\tinc %ebx\n\tret\n") REST,
		FUNCTION("f", "\tinc %eax\n\t.p2align 4\n\tinc %ebx\n\tret\n") REST));
	/* between functions anything goes */
	assert_true(same_assembler(FUNCTION("f", "\tret\n") FUNCTION("g", "\tret\n") REST,
		FUNCTION("f", "\tret\n") "\t.skip 37, 0xcc\n" FUNCTION("g", "\tret\n") REST));
}

static void code_hash_unpadded__what_cannot_be_read__says_why(void **state)
{
	static const struct {
		const char *make, *why;
	} cases[] = {
		{"gcc -O2 -c -o x.o u.c && strip x.o", "no symbol table (stripped)"},
		{"gcc -O2 -flto -c -o x.o u.c", "LTO"},
		{"cp u.c x.o", "not an ELF file"},
		{"clang --target=riscv64-linux-gnu -O2 -c -o x.o u.c", "x86 and AArch64 only"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = tools_path("x.o");
		char hex[HASH_HEX] = "untouched";
		struct error e = {0};
		bool ok;

		tools_run(&ok, cases[i].make);
		if (!ok)
			continue;
		assert_int_equal(code_hash_unpadded(&path, 1, hex, &e), -1);
		assert_string_equal(hex, "untouched");
		if (strstr(e.text, cases[i].why) == NULL || strstr(e.text, "x.o") == NULL)
			fail_msg("%s", e.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_hash_unpadded__other_alignment__is_the_same),
		cmocka_unit_test(code_hash_unpadded__aarch64_alignment_of_functions__is_the_same),
		cmocka_unit_test(code_hash_unpadded__folder_name_and_debug_information__are_no_part),
		cmocka_unit_test(code_hash_unpadded__other_code_or_data__differs),
		cmocka_unit_test(code_hash_unpadded__where_a_jump_leads__counts),
		cmocka_unit_test(code_hash_unpadded__a_filler_that_was_asked_for__stays),
		cmocka_unit_test(code_hash_unpadded__what_cannot_be_read__says_why),
	};

	return cmocka_run_group_tests_name("code_padding", tests, build, tools_teardown);
}
