/*
 * inspect_file, inspect_match, members, code_kind: held against readelf, nm, size and ar on programs and objects made
 * here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "code/inspect.h"
#include "code/inspect_match.h"
#include "code/kind.h"
#include "code/members.h"
#include "code/step.h"
#include "test_code_tools.h"

static const char *const unit_text =
	"#include <stdio.h>\n"
	"#define F __attribute__((noinline))\n"
	"static double scale = 2.5; static int counter; static const int powers[] = {1, 3, 9, 27, 81, 7};\n"
	"F static int near(int x) { return x * 3 + counter; }\n"
	"F int count(int x) { counter++; counter += 77; return near(x) ^ 1; }\n"
	"F double area(double r) { return r * r * 3.14159; }\n"
	"F double scaled(double r) { scale++; return r * scale; }\n"
	"F int power(unsigned x) { return powers[x % 6]; }\n"
	"F int say(int x) { return printf(\"value %d\\n\", x); }\n"
	"int main(int argc, char **argv) { (void)argv; return count(argc) + say(argc) + (int)area(argc) + "
	"(int)scaled(argc) "
	"+ power((unsigned)argc); }\n";

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("u.c", unit_text);
	tools_write("v.c", "int other(int x) { return x * 7 + 2; }\n");
	tools_run(NULL,
		"gcc -O2 -g -c -o u.o u.c && gcc -O2 -g -c -o v.o v.c && gcc -o p u.o v.o && strip -o s p && "
		"gcc -o q v.o u.o && ar rc l.a u.o v.o u.c && ranlib l.a");
	return 0;
}

static struct inspection read_one(const char *name, struct arena *arena)
{
	struct inspection out;
	struct error e = {0};

	if (inspect_file(tools_path(name), tools_path(name), arena, &out, &e) != 0)
		fail_msg("%s", e.text);
	return out;
}

static size_t count_claims(const struct inspection *x, const char *source)
{
	size_t n = 0;

	for (size_t i = 0; i < x->claim_count; i++)
		n += strcmp(x->claims[i].source, source) == 0;
	return n;
}

/* Every text of our claims stands in what a tool printed. */
static void claims_stand_in(const struct inspection *x, const char *source, const char *printed)
{
	for (size_t i = 0; i < x->claim_count; i++)
		if (strcmp(x->claims[i].source, source) == 0 && strstr(printed, x->claims[i].text) == NULL)
			fail_msg("%s is not in what readelf says: %s", x->claims[i].text, printed);
}

static void inspect_file__producers__are_those_that_readelf_lists(void **state)
{
	static const char *const makes[] = {
		"gcc -g -O2 -c -o x u.c",
		"gcc -g -O2 -o x u.c v.c",
		"gcc -gdwarf-4 -O1 -o x u.c v.c",
		"gcc -gdwarf-2 -gstrict-dwarf -O1 -c -o x u.c",
		"gcc -g -gz=zlib -O2 -o x u.c v.c",
		"gcc -g -gz=zlib-gnu -O2 -c -o x u.c",
		"gcc -gdwarf64 -gdwarf-5 -O2 -c -o x u.c",
		"clang -g -O2 -c -o x u.c",
		"clang -g -O2 -o x u.c v.c",
		"clang -gdwarf-4 -O2 -o x u.c",
		"clang -g -gz -O2 -c -o x u.c",
		"clang -g -grecord-command-line -O2 -o x u.c v.c",
		"clang -g -O2 --target=i386-linux-gnu -ffreestanding -c -o x v.c",
		"clang -g -O2 --target=aarch64-linux-gnu -c -o x v.c",
		"clang -g --target=powerpc64-linux-gnu -c -o x v.c",
		"gcc -g -fdebug-types-section -O2 -c -o x u.c",
	};
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		struct arena arena = {0};
		struct inspection x;
		unsigned long units, producers;
		const char *listed;
		bool ok;

		tools_run(&ok, arena_printf(&arena, "%s 2>/dev/null", makes[i]));
		if (!ok)
			continue;
		x = read_one("x", &arena);
		if (x.debug_problem != NULL)
			fail_msg("%s: %s", makes[i], x.debug_problem);
		listed = tools_run(NULL, "readelf --debug-dump=info --dwarf-depth=1 x 2>/dev/null >listed; "
					 "grep -c '(DW_TAG_compile_unit)' listed; "
					 "grep DW_AT_producer listed | sed 's/.*: //' | sort -u | wc -l; "
					 "grep DW_AT_producer listed");
		assert_int_equal(sscanf(listed, "%lu %lu", &units, &producers), 2);
		assert_int_equal(x.units, units);
		assert_int_equal(x.silent_units, 0);
		assert_int_equal(count_claims(&x, "DW_AT_producer"), producers);
		claims_stand_in(&x, "DW_AT_producer", listed);
		assert_true(x.debug);
		seen++;
		arena_release(&arena);
	}
	assert_true(seen >= 7);
}

static void inspect_file__comments_and_command_lines__are_readelfs(void **state)
{
	static const char *const makes[] = {"gcc -O2 -frecord-gcc-switches -o x u.c v.c",
		"clang -O2 -frecord-command-line -c -o x u.c", "gcc -O2 -c -o x u.c"};

	(void)state;
	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		struct arena arena = {0};
		struct inspection x;
		bool ok;

		tools_run(&ok, arena_printf(&arena, "%s 2>/dev/null", makes[i]));
		if (!ok)
			continue;
		x = read_one("x", &arena);
		assert_int_equal(count_claims(&x, ".comment"),
			strtoul(tools_run(NULL, "readelf -p .comment x | grep -c '\\['"), NULL, 10));
		claims_stand_in(&x, ".comment", tools_run(NULL, "readelf -p .comment x"));
		assert_int_equal(count_claims(&x, ".GCC.command.line"),
			strtoul(tools_run(NULL,
					"readelf -p .GCC.command.line x 2>/dev/null | grep -c '\\[ '; true"),
				NULL, 10));
		claims_stand_in(&x, ".GCC.command.line",
			tools_run(NULL, "readelf -p .GCC.command.line x 2>/dev/null"));
		arena_release(&arena);
	}
}

static void inspect_file__kinds__are_told(void **state)
{
	static const struct {
		const char *make, *what;
		bool pie, is_static, stripped, intermediate;
	} cases[] = {
		{"gcc -O2 -o x u.c", "program, position-independent (PIE), dynamically linked", true, false,
			false, false},
		{"gcc -O2 -no-pie -o x u.c", "program at a fixed address (no PIE), dynamically linked", false,
			false, false, false},
		{"gcc -O2 -static -o x u.c", "program at a fixed address (no PIE), statically linked", false,
			true, false, false},
		{"gcc -O2 -static-pie -s -o x u.c",
			"program, position-independent (PIE), statically linked, stripped", true, true, true,
			false},
		{"gcc -O2 -shared -fpic -o x v.c", "shared library", false, false, false, false},
		{"gcc -O2 -shared -fpic -Wl,-soname,libx.so.1 -Wl,-e,other -Wl,-z,nodelete -o x v.c",
			"shared library", false, false, false, false},
		{"gcc -O2 -c -o x u.c", "object", false, false, false, false},
		{"gcc -O2 -flto -c -o x u.c", "object with LTO's intermediate form only", false, false, false,
			true},
		{"gcc -O2 -flto -ffat-lto-objects -c -o x u.c",
			"object with code and LTO's intermediate form", false, false, false, true},
		{"gcc -O2 -g -o y u.c && objcopy --only-keep-debug y x", "debug information split off", true,
			false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = {0};
		struct inspection x;

		tools_run(NULL, cases[i].make);
		x = read_one("x", &arena);
		if (strncmp(x.what, cases[i].what, strlen(cases[i].what)) != 0)
			fail_msg("%s: %s", cases[i].make, x.what);
		if (x.type == INSPECT_PROGRAM)
			assert_int_equal(x.pie, cases[i].pie);
		assert_int_equal(x.stripped, cases[i].stripped);
		assert_int_equal(x.intermediate, cases[i].intermediate);
		if (x.type == INSPECT_PROGRAM)
			assert_int_equal(x.info.is_static, cases[i].is_static);
		arena_release(&arena);
	}
}

static const struct inspect_function *find(const struct inspection *x, const char *name)
{
	for (size_t i = 0; i < x->function_count; i++)
		if (x->functions[i].name != NULL && strcmp(x->functions[i].name, name) == 0)
			return &x->functions[i];
	return NULL;
}

static void inspect_file__linked_program__has_the_functions_of_nm(void **state)
{
	struct arena arena = {0};
	struct inspection x;
	char *lines, *rest = NULL;
	size_t seen = 0;

	(void)state;
	x = read_one("p", &arena);
	lines = arena_strdup(
		&arena, tools_run(NULL, "nm -S p | awk 'NF == 4 && $3 ~ /[tTwW]/ {print $1, $2, $4}'"));
	for (char *line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long address, size;
		char name[128];
		const struct inspect_function *function;

		assert_int_equal(sscanf(line, "%llx %llx %127s", &address, &size, name), 3);
		if (size == 0)
			continue;
		function = find(&x, name);
		assert_non_null(function);
		assert_int_equal(function->address, address);
		assert_int_equal(function->size, size);
		seen++;
	}
	assert_true(seen >= 8);
	assert_int_equal(x.function_count, seen);
	assert_string_equal(x.found_by, "symbols");
	arena_release(&arena);
}

static void inspect_file__stripped_program__finds_functions_by_unwinding_tables(void **state)
{
	struct arena arena = {0};
	struct inspection whole, stripped;
	size_t found = 0;

	(void)state;
	whole = read_one("p", &arena);
	stripped = read_one("s", &arena);
	assert_true(stripped.stripped);
	for (size_t i = 0; i < whole.function_count; i++)
		for (size_t k = 0; k < stripped.function_count; k++)
			found += stripped.functions[k].address == whole.functions[i].address &&
				 stripped.functions[k].size == whole.functions[i].size;
	/* those of the compiler; the start files' have none */
	assert_true(found >= 8);
	assert_non_null(strstr(stripped.found_by, "unwinding tables"));
	arena_release(&arena);
}

static struct match_result match(
	const char *first, const char *second, struct inspection sides[2], struct arena *arena)
{
	struct match_result result;

	sides[0] = read_one(first, arena);
	sides[1] = read_one(second, arena);
	inspect_match(&sides[0], &sides[1], arena, &result);
	return result;
}

static void expect_verdict(const char *make, enum match_verdict verdict)
{
	struct arena arena = {0};
	struct inspection sides[2];
	struct match_result result;

	tools_run(NULL, make);
	result = match("x", "y", sides, &arena);
	if (result.verdict != verdict)
		fail_msg("%s: %s (%s)", make, match_verdict_text(result.verdict), result.why);
	arena_release(&arena);
}

static void inspect_match__objects__are_the_same_or_not(void **state)
{
	const bool decoder = step_missing(EM_X86_64) == NULL;

	(void)state;
	expect_verdict("cp u.o x && cp u.o y", VERDICT_SAME_FILE);
	expect_verdict("gcc -O2 -c -o x u.c && gcc -O2 -g3 -c -o y u.c", VERDICT_SAME_CODE);
	expect_verdict("gcc -O2 -c -o x u.c && gcc -O2 -falign-functions=64 -c -o y u.c",
		decoder ? VERDICT_SAME_PADDING : VERDICT_OTHER);
	expect_verdict("gcc -O2 -c -o x u.c && gcc -O1 -c -o y u.c", VERDICT_OTHER);
	expect_verdict("gcc -O2 -c -o x u.c && gcc -O2 -o y u.c", VERDICT_UNSURE);
	expect_verdict("gcc -O2 -flto -c -o x u.c && gcc -O2 -flto -DX -c -o y u.c", VERDICT_UNSURE);
}

static void inspect_match__linked_programs__are_compared_by_function(void **state)
{
	(void)state;
	if (step_missing(EM_X86_64) != NULL)
		skip();
	expect_verdict("gcc -O2 -o x u.c v.c && gcc -O2 -g -o y u.c v.c", VERDICT_SAME_CODE);
	expect_verdict("gcc -o x u.o v.o && gcc -o y v.o u.o", VERDICT_SAME_PLACED);
	expect_verdict("gcc -o x u.o v.o && strip -o y x", VERDICT_SAME_CODE);
	expect_verdict("gcc -o x u.o v.o && gcc -s -o y v.o u.o", VERDICT_UNSURE);
	expect_verdict("gcc -o x u.o v.o && gcc -no-pie -o y u.o v.o", VERDICT_OTHER); /* other start files */
	expect_verdict(
		"gcc -O2 -o x u.c v.c && gcc -O3 -march=x86-64-v3 -fno-inline -o y u.c v.c", VERDICT_OTHER);
}

/*
 * The one function that was changed, and no other, whatever moved. One start of the compiler for all sources, since each
 * is compiled the same way in all programs.
 */
static void inspect_match__one_function_changed__is_the_one_that_differs(void **state)
{
	static const char *const flags[] = {"-O2", "-O2 -no-pie -fno-pie", "-O2 -static", "-O0"};
	static const char *const changed[] = {"near", "area", "say", "count"};

	(void)state;
	if (step_missing(EM_X86_64) != NULL)
		skip();
	tools_run(NULL, "sed 's/x . 3 + counter/x * 5 + counter/' u.c >w0.c && "
			"sed 's/3.14159/3.14158/' u.c >w1.c && "
			"sed 's/value %d/a longer value %d/' u.c >w2.c && "
			"sed 's/counter += 77/counter += 78/' u.c >w3.c && cp u.c w.c && cp v.c w4.c");
	for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		struct arena arena = {0};
		struct inspection sides[2];

		tools_run(NULL,
			arena_printf(&arena, "gcc %s -c w.c w0.c w1.c w2.c w3.c w4.c && gcc %s -o x w.o w4.o",
				flags[f], flags[f]));
		sides[0] = read_one("x", &arena);
		for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
			struct match_result result;

			tools_run(NULL, arena_printf(&arena, "gcc %s -o y w4.o w%zu.o", flags[f], i));
			sides[1] = read_one("y", &arena);
			inspect_match(&sides[0], &sides[1], &arena, &result);
			assert_int_equal(result.verdict, VERDICT_OTHER);
			assert_int_equal(result.counts[MATCH_OTHER] + result.counts[MATCH_FIRST] +
						 result.counts[MATCH_SECOND],
				1);
			assert_string_equal(result.v[0].a->name, changed[i]);
			assert_true(result.counts[MATCH_SAME] >= 6);
		}
		arena_release(&arena);
	}
}

/* Assembler that tells no size is in no function, and yet code. */
static void inspect_match__code_outside_of_functions__is_not_overlooked(void **state)
{
	(void)state;
	if (step_missing(EM_X86_64) != NULL)
		skip();
	tools_write(
		"a.s", "\t.text\nbare:\tmov $1, %eax\n\tret\n\t.section .note.GNU-stack,\"\",@progbits\n");
	tools_write(
		"b.s", "\t.text\nbare:\tmov $2, %eax\n\tret\n\t.section .note.GNU-stack,\"\",@progbits\n");
	expect_verdict("gcc -c a.s b.s && gcc -o x u.o v.o a.o && gcc -o y v.o a.o u.o", VERDICT_SAME_PLACED);
	expect_verdict("gcc -o x u.o v.o a.o && gcc -o y u.o v.o b.o", VERDICT_UNSURE);
}

/* Addresses come in two halves there, and need no decoder. */
static void inspect_match__aarch64_programs__are_compared_by_function(void **state)
{
	static const char *const text =
		"static int counter; static const int powers[] = {1, 3, 9, 27, 81, 7}; double scale = 2.5;\n"
		"const char *volatile text;\n#define F __attribute__((noinline))\n"
		"F static int near(int x) { return x * 3 + counter; }\n"
		"F int count(int x) { counter += 77; return near(x) ^ 1; }\n"
		"F double area(double r) { scale += 1; return r * r * 3.14159 * scale; }\n"
		"F int power(unsigned x) { return powers[x % 6]; }\n"
		"F void say(void) { text = \"a text of some length\"; }\n"
		"void _start(void) { say(); count(power(4)); area(2); for (;;); }\n";
	static const char *const changed[] = {"area", "say", "count", "near"};
	struct arena arena = {0};
	struct inspection sides[2];
	struct match_result result;
	bool ok;

	(void)state;
	tools_write("n.c", text);
	tools_write("o.c", "int other(int x) { return x * 7 + 2; } const char *o(void) { return \"unrelated "
			   "text\"; }\n");
	tools_run(&ok, "sed 's/3.14159/3.14158/' n.c >m0.c && "
		       "sed 's/a text of some/another text of some/' n.c >m1.c && "
		       "sed 's/counter += 77/counter += 78/' n.c >m2.c && "
		       "sed 's/x . 3 + counter/x * 3 + *(int *)\\&scale/' n.c >m3.c && "
		       "clang --target=aarch64-linux-gnu -O2 -ffreestanding -c n.c o.c m0.c m1.c m2.c m3.c "
		       "2>/dev/null && ld.lld -o x n.o o.o && ld.lld -o z o.o n.o && "
		       "for i in 0 1 2 3; do ld.lld -o y$i o.o m$i.o || exit 1; done");
	if (!ok)
		skip();
	result = match("x", "z", sides, &arena);
	assert_int_equal(result.counts[MATCH_SAME], 8);
	assert_int_equal(result.n, 8);
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		result = match("x", arena_printf(&arena, "y%zu", i), sides, &arena);
		assert_int_equal(result.verdict, VERDICT_OTHER);
		assert_int_equal(result.counts[MATCH_OTHER], 1);
		assert_string_equal(result.v[0].a->name, changed[i]);
	}
	arena_release(&arena);
}

static void inspect_match__stripped_programs__are_never_called_the_same_for_sure(void **state)
{
	struct arena arena = {0};
	struct inspection sides[2];
	struct match_result result;

	(void)state;
	if (step_missing(EM_X86_64) != NULL)
		skip();
	tools_run(NULL, "strip -o x p && strip -o y q");
	result = match("x", "y", sides, &arena);
	assert_int_equal(result.verdict, VERDICT_UNSURE);
	assert_int_equal(result.counts[MATCH_OTHER], 0);
	arena_release(&arena);
}

static void inspect_runs__machine_interpreter_and_sets__decide(void **state)
{
	struct arena arena = {0};
	struct inspection x;
	const char *reason;

	(void)state;
	x = read_one("p", &arena);
	assert_int_equal(
		inspect_runs(&x, &(struct inspect_cpu){.machine = "s390x", .flags = ""}, &arena, &reason),
		RUNS_NO);
	assert_non_null(strstr(reason, "s390x"));
	if (step_missing(EM_X86_64) != NULL || strcmp(x.info.machine, "x86_64") != 0)
		skip();
	assert_int_equal(inspect_runs(&x, &(struct inspect_cpu){.machine = "x86_64", .flags = "fpu sse sse2"},
				 &arena, &reason),
		RUNS_YES);
	assert_int_equal(
		inspect_runs(&x, &(struct inspect_cpu){.machine = "x86_64", .flags = NULL}, &arena, &reason),
		RUNS_UNKNOWN);
	tools_write("w.c", "void add(int *a, const int *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; }\n");
	tools_run(NULL, "gcc -O3 -mavx2 -c -o avx.o w.c");
	x = read_one("avx.o", &arena);
	assert_int_equal(
		inspect_runs(&x, &(struct inspect_cpu){.machine = "x86_64", .flags = "fpu sse sse2 avx"},
			&arena, &reason),
		RUNS_NO);
	assert_non_null(strstr(reason, "avx2"));
	assert_non_null(strstr(reason, "add"));
	assert_int_equal(
		inspect_runs(&x, &(struct inspect_cpu){.machine = "x86_64", .flags = "fpu sse sse2 avx avx2"},
			&arena, &reason),
		RUNS_YES);
	arena_release(&arena);
}

static void members_open__archive__has_the_members_of_ar(void **state)
{
	struct arena arena = {0};
	struct members members;
	struct error e = {0};
	char *names;

	(void)state;
	tools_run(NULL, "cp u.o a_member_with_a_very_long_name_indeed.o && ar rc m.a u.o "
			"a_member_with_a_very_long_name_indeed.o v.o");
	names = arena_strdup(&arena, tools_run(NULL, "ar t m.a | tr '\\n' ' '"));
	assert_int_equal(members_open(tools_path("m.a"), &arena, &members, &e), 0);
	assert_int_equal(members.n, 3);
	for (size_t i = 0; i < members.n; i++) {
		const char *copy;
		char one[HASH_HEX], other[HASH_HEX];
		int fd;

		assert_non_null(strstr(names, members.v[i].name));
		copy = member_path(&members.v[i], &arena, &fd, &e);
		assert_non_null(copy);
		assert_int_equal(hash_file_hex(copy, one, NULL), 0);
		assert_int_equal(hash_file_hex(tools_path(members.v[i].name), other, NULL), 0);
		assert_string_equal(one, other);
		close(fd);
	}
	members_release(&members);
	arena_release(&arena);
}

static void members_open__cut_anywhere__is_whole_members_or_an_error(void **state)
{
	struct buf whole = {0};

	(void)state;
	assert_int_equal(file_read(tools_path("l.a"), 1 << 22, &whole, NULL), 0);
	for (size_t cut = 0; cut < whole.n; cut += cut < 400 ? 1 : 97) {
		struct arena arena = {0};
		struct members members;
		struct error e = {0};

		tools_write_bytes("cut.a", whole.data, cut);
		if (members_open(tools_path("cut.a"), &arena, &members, &e) == 0) {
			assert_true(members.n <= 3);
			members_release(&members);
		} else {
			assert_non_null(strstr(e.text, "cut.a"));
		}
		arena_release(&arena);
	}
	buf_release(&whole);
}

static void code_kind__what_is_no_code__is_named(void **state)
{
	static const struct {
		const char *make, *what;
		enum code_kind kind;
	} cases[] = {
		{"printf '#!/bin/sh -e\\n' >x", "a script for /bin/sh -e", CODE_KIND_OTHER},
		{": >x", "empty", CODE_KIND_OTHER},
		{"echo hello >x", "text", CODE_KIND_OTHER},
		{"printf '/* GNU ld script */\\nGROUP ( a )\\n' >x", "a linker's script", CODE_KIND_OTHER},
		{"cp u.c x", "source code", CODE_KIND_OTHER},
		{"gzip -c u.c >x", "a gzip file", CODE_KIND_OTHER},
		{"printf 'MZ\\220\\000' >x", "a program for Windows", CODE_KIND_OTHER},
		{"rm -f t.a && ar rcT t.a u.o && cp t.a x", "a thin archive", CODE_KIND_OTHER},
		{"printf '\\177ELF\\002\\001\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\004\\000' >x",
			"a core file", CODE_KIND_CORE},
		{"printf '\\177ELF\\002\\002\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\004' >x",
			"a core file", CODE_KIND_CORE},
		{"cp p x", "an ELF file", CODE_KIND_ELF},
		{"cp l.a x", "an archive", CODE_KIND_ARCHIVE},
	};
	struct arena arena = {0};
	const char *what, *to_do;
	enum code_kind kind;
	struct error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tools_run(NULL, cases[i].make);
		assert_int_equal(code_kind(tools_path("x"), &arena, &kind, &what, &to_do, &e), 0);
		assert_int_equal(kind, cases[i].kind);
		if (strncmp(what, cases[i].what, strlen(cases[i].what)) != 0)
			fail_msg("%s: %s", cases[i].make, what);
	}
	tools_run(NULL, "mkdir -p folder && rm -f pipe && mkfifo pipe");
	assert_int_equal(code_kind(tools_path("folder"), &arena, &kind, &what, &to_do, &e), -1);
	assert_non_null(strstr(e.text, "folder"));
	assert_int_equal(code_kind(tools_path("pipe"), &arena, &kind, &what, &to_do, &e), -1);
	assert_non_null(strstr(e.text, "a pipe"));
	assert_int_equal(code_kind(tools_path("missing"), &arena, &kind, &what, &to_do, &e), -1);
	assert_non_null(strstr(e.text, "No such file"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inspect_file__producers__are_those_that_readelf_lists),
		cmocka_unit_test(inspect_file__comments_and_command_lines__are_readelfs),
		cmocka_unit_test(inspect_file__kinds__are_told),
		cmocka_unit_test(inspect_file__linked_program__has_the_functions_of_nm),
		cmocka_unit_test(inspect_file__stripped_program__finds_functions_by_unwinding_tables),
		cmocka_unit_test(inspect_match__objects__are_the_same_or_not),
		cmocka_unit_test(inspect_match__linked_programs__are_compared_by_function),
		cmocka_unit_test(inspect_match__one_function_changed__is_the_one_that_differs),
		cmocka_unit_test(inspect_match__code_outside_of_functions__is_not_overlooked),
		cmocka_unit_test(inspect_match__aarch64_programs__are_compared_by_function),
		cmocka_unit_test(inspect_match__stripped_programs__are_never_called_the_same_for_sure),
		cmocka_unit_test(inspect_runs__machine_interpreter_and_sets__decide),
		cmocka_unit_test(members_open__archive__has_the_members_of_ar),
		cmocka_unit_test(members_open__cut_anywhere__is_whole_members_or_an_error),
		cmocka_unit_test(code_kind__what_is_no_code__is_named),
	};

	return cmocka_run_group_tests_name("code_inspect", tests, build, tools_teardown);
}
