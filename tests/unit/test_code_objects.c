/*
 * code_hash_objects: equal for equal code, whatever files, comments and debug information surround it; unlike
 * as soon as an instruction, a constant or the symbol behind a relocation differs. LTO objects have no code.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/code.h"
#include "test_code_tools.h"

static const char *const unit_text = "extern int one(int), two(int);\n"
				     "int call(int x) { return one(x) + 3; }\n"
				     "int (*const table[])(int) = {one, one};\n"
				     "unsigned scale = 1; unsigned scaled(unsigned x) { return x * scale; }\n"
				     "int (*calls[])(int) = {one, two}; char space[64];\n"
				     "const char *word(void) { return \"stone\"; }\n";

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("u.c", unit_text);
	tools_run(NULL, "gcc -O2 -c -o u.o u.c");
	return 0;
}

static void hash_of(const char *command, const char *name, char hex[HASH_HEX])
{
	const char *path = tools_path(name);
	struct error e = {0};

	if (command != NULL)
		tools_run(NULL, command);
	if (code_hash_objects(&path, 1, hex, &e) != 0)
		fail_msg("%s", e.text);
}

static void code_hash_objects__same_code__is_equal_whatever_stands_around_it(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};
	static const char *const same[] = {
		"(echo '/* moved */'; cat u.c) >v.c && $cc -O2 -c -o v.o v.c",
		/* debug information, another folder, another file's name */
		"$cc -O2 -g -c -o v.o u.c",
		"$cc -O2 -g3 -gdwarf-4 -c -o v.o u.c",
		"mkdir -p deep && cp u.c deep/u.c && (cd deep && $cc -O2 -g -c -o ../v.o u.c)",
		"cp u.c other_name.c && $cc -O2 -g -c -o v.o other_name.c",
		"$cc -O2 -fno-ident -c -o v.o u.c",
		"$cc -O2 -fno-asynchronous-unwind-tables -c -o v.o u.c",
	};
	size_t seen = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(compilers) / sizeof(compilers[0]); c++) {
		char one[HASH_HEX], other[HASH_HEX], line[512];

		if (!tools_have(compilers[c]))
			continue;
		snprintf(line, sizeof(line), "%s -O2 -c -o w.o u.c", compilers[c]);
		hash_of(line, "w.o", one);
		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
			snprintf(line, sizeof(line), "cc=%s; %s", compilers[c], same[i]);
			hash_of(line, "v.o", other);
			assert_string_equal(one, other);
			seen++;
		}
	}
	assert_true(seen >= sizeof(same) / sizeof(same[0]));
}

/* A text with the file's name is a constant that the program may show: it counts. */
static void code_hash_objects__file_macro__is_data_and_counts(void **state)
{
	static const char *const compilers[] = {"gcc", "clang"};

	(void)state;
	tools_write("f.c", "const char *name(void) { return __FILE__; }\n");
	tools_run(NULL, "cp f.c g.c");
	for (size_t c = 0; c < sizeof(compilers) / sizeof(compilers[0]); c++) {
		char one[HASH_HEX], other[HASH_HEX], line[256];

		if (!tools_have(compilers[c]))
			continue;
		snprintf(line, sizeof(line), "%s -O2 -c -o f.o f.c", compilers[c]);
		hash_of(line, "f.o", one);
		snprintf(line, sizeof(line), "%s -O2 -c -o f.o g.c", compilers[c]);
		hash_of(line, "f.o", other);
		assert_string_not_equal(one, other);
		/* a prefix map takes it away again */
		snprintf(line, sizeof(line), "%s -O2 -ffile-prefix-map=g.c=f.c -c -o f.o g.c", compilers[c]);
		hash_of(line, "f.o", other);
		assert_string_equal(one, other);
	}
}

/* Compilers put the file's name into names of sections and symbols of what runs before main(). */
static void code_hash_objects__constructors_of_a_renamed_file__are_equal(void **state)
{
	static const char *const compilers[] = {"g++", "clang++"};

	(void)state;
	tools_write(
		"one.cpp", "extern int start(int); static int a = start(1); int use(void) { return a; }\n");
	tools_run(NULL, "cp one.cpp two.cpp");
	for (size_t c = 0; c < sizeof(compilers) / sizeof(compilers[0]); c++) {
		char one[HASH_HEX], other[HASH_HEX], line[256];
		bool ok;

		snprintf(line, sizeof(line),
			"%s -O2 -ffunction-sections -c -o one.o one.cpp && %s -O2 -ffunction-sections -c -o "
			"two.o two.cpp",
			compilers[c], compilers[c]);
		tools_run(&ok, line);
		if (!ok)
			continue;
		hash_of(NULL, "one.o", one);
		hash_of(NULL, "two.o", other);
		assert_string_equal(one, other);
	}
}

static void code_hash_objects__other_code__differs(void **state)
{
	static const char *const other_code[] = {
		"sed 's/+ 3/+ 4/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		/* the same bytes, but calling another function: only the relocation's symbol differs */
		"sed 's/return one/return two/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		"sed 's/stone/stony/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		/* a constant table in .data.rel.ro of position independent code */
		"sed 's/{one, one}/{one, two}/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		/* writable: a number, a table of addresses, the size of zeroes */
		"sed 's/scale = 1/scale = 2/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		"sed 's/{one, two}/{two, one}/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		"sed 's/space.64/space[65/' u.c >v.c && gcc -O2 -c -o v.o v.c",
		"gcc -O0 -c -o v.o u.c",
	};
	char one[HASH_HEX], other[HASH_HEX];

	(void)state;
	hash_of(NULL, "u.o", one);
	for (size_t i = 0; i < sizeof(other_code) / sizeof(other_code[0]); i++) {
		hash_of(other_code[i], "v.o", other);
		assert_string_not_equal(one, other);
	}
}

static void code_hash_objects__several__count_in_their_order(void **state)
{
	const char *paths[2];
	char one[HASH_HEX], other[HASH_HEX];

	(void)state;
	tools_run(NULL, "echo 'int f(void) { return 5; }' >f.c && gcc -O2 -c -o f.o f.c");
	paths[0] = tools_path("u.o");
	paths[1] = tools_path("f.o");
	assert_int_equal(code_hash_objects(paths, 2, one, NULL), 0);
	paths[0] = tools_path("f.o");
	paths[1] = tools_path("u.o");
	assert_int_equal(code_hash_objects(paths, 2, other, NULL), 0);
	assert_string_not_equal(one, other);
}

static void expect_no_code(const char *command)
{
	const char *path = tools_path("l.o");
	char hex[HASH_HEX];
	struct error e = {0};
	bool intermediate = false;

	tools_run(NULL, command);
	assert_int_equal(code_hash_objects(&path, 1, hex, &e), -1);
	assert_non_null(strstr(e.text, "LTO"));
	assert_non_null(strstr(e.text, path));
	assert_int_equal(code_is_intermediate(path, &intermediate, NULL), 0);
	assert_true(intermediate);
}

static void code_hash_objects__intermediate_form__is_refused(void **state)
{
	(void)state;
	expect_no_code("gcc -O2 -flto -c -o l.o u.c");
	expect_no_code("gcc -O2 -flto -ffat-lto-objects -c -o l.o u.c");
	if (tools_have("clang"))
		expect_no_code("clang -O2 -flto -c -o l.o u.c");
}

static void code_is_intermediate__plain_object_and_text__no_and_error(void **state)
{
	bool intermediate = true;
	struct error e = {0};

	(void)state;
	assert_int_equal(code_is_intermediate(tools_path("u.o"), &intermediate, NULL), 0);
	assert_false(intermediate);
	assert_int_equal(code_is_intermediate(tools_path("u.c"), &intermediate, &e), -1);
	assert_non_null(strstr(e.text, "not an ELF file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_hash_objects__same_code__is_equal_whatever_stands_around_it),
		cmocka_unit_test(code_hash_objects__file_macro__is_data_and_counts),
		cmocka_unit_test(code_hash_objects__constructors_of_a_renamed_file__are_equal),
		cmocka_unit_test(code_hash_objects__other_code__differs),
		cmocka_unit_test(code_hash_objects__several__count_in_their_order),
		cmocka_unit_test(code_hash_objects__intermediate_form__is_refused),
		cmocka_unit_test(code_is_intermediate__plain_object_and_text__no_and_error),
	};

	return cmocka_run_group_tests_name("code_objects", tests, build, tools_teardown);
}
