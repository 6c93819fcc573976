/* What programs need of a machine, held against what binutils' objdump and readelf say of the same files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/needs.h"
#include "test_code_tools.h"

static struct arena arena;

static int setup(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("main.c",
		"#include <math.h>\n#include <stdio.h>\nint main(int c, char **v)\n{\n\t(void)v;\n"
		"\tprintf(\"%g\\n\", exp(c) + pow(c, 2.5));\n\treturn 0;\n}\n");
	tools_run(NULL, "gcc -O1 -o dynamic main.c -lm && gcc -O1 -c -o object.o main.c");
	return 0;
}

static int teardown(void **state)
{
	arena_release(&arena);
	return tools_teardown(state);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All "LIBRARY VERSION", sorted, a line each. */
static const char *listed(const struct code_needs *needs)
{
	struct words lines = {0};

	for (size_t i = 0; i < needs->n; i++)
		for (size_t k = 0; k < needs->v[i].versions.n; k++)
			words_addf(&lines, &arena, "%s %s", needs->v[i].library, needs->v[i].versions.v[k]);
	if (lines.n > 0)
		qsort(lines.v, lines.n, sizeof(*lines.v), by_name);
	return words_between(&lines, "\n", &arena);
}

static void code_needs__a_dynamic_program__as_objdump_says(void **state)
{
	struct code_needs needs;
	struct error e = {0};

	(void)state;
	assert_int_equal(code_needs(tools_path("dynamic"), &arena, &needs, &e), 0);
	assert_int_equal(needs.n, 2);
	assert_string_equal(needs.interpreter,
		tools_run(NULL, "readelf -lW dynamic | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p'"));
	assert_string_equal(
		needs.v[0].library, tools_run(NULL, "objdump -p dynamic | awk '/NEEDED/ {print $2; exit}'"));
	assert_string_equal(listed(&needs),
		tools_run(NULL, "objdump -p dynamic | awk '/required from/ {sub(\":\", \"\", $3); lib = $3} "
				"/^    0x/ {print lib, $4}' | LC_ALL=C sort"));
	assert_string_equal(code_needs_highest(&needs, "GLIBC_", &arena),
		tools_run(NULL, "objdump -p dynamic | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | "
				"tail -n 1"));
}

static void code_needs__static_and_objects__none(void **state)
{
	struct code_needs needs;
	struct error e = {0};
	bool linked = false;

	(void)state;
	assert_int_equal(code_needs(tools_path("object.o"), &arena, &needs, &e), 0);
	assert_int_equal(needs.n, 0);
	assert_null(needs.interpreter);
	assert_null(code_needs_highest(&needs, "GLIBC_", &arena));
	tools_run(&linked, "gcc -static -o static main.c -lm 2>/dev/null");
	if (!linked) /* no static C library here */
		return;
	assert_int_equal(code_needs(tools_path("static"), &arena, &needs, &e), 0);
	assert_int_equal(needs.n, 0);
	assert_null(needs.interpreter);
}

static void code_needs_highest__numbers__not_texts_are_compared(void **state)
{
	struct code_need need = {.library = "libc.so.6"};
	struct code_needs needs = {.v = &need, .n = 1};

	(void)state;
	words_add(&need.versions, &arena, "GLIBC_2.4");
	words_add(&need.versions, &arena, "GLIBC_2.34");
	words_add(&need.versions, &arena, "GLIBC_2.2.5");
	words_add(&need.versions, &arena, "GLIBC_PRIVATE");
	words_add(&need.versions, &arena, "GCC_3.0");
	assert_string_equal(code_needs_highest(&needs, "GLIBC_", &arena), "2.34");
	assert_string_equal(code_needs_highest(&needs, "GCC_", &arena), "3.0");
	assert_null(code_needs_highest(&needs, "CXXABI_", &arena));
}

static void put(const char *path, const char *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* Never a crash; whatever is said, texts are whole. */
static void code_needs__damaged__an_error_or_texts(void **state)
{
	const char *bad = arena_strdup(&arena, tools_path("bad"));
	struct buf file = {0};
	struct code_needs needs;
	size_t dynamic, end;

	(void)state;
	assert_int_equal(file_read(tools_path("dynamic"), 1 << 24, &file, NULL), 0);
	for (size_t n = 0; n < file.n; n += 61) {
		struct error e = {0};

		put(bad, file.data, n);
		assert_int_equal(code_needs(bad, &arena, &needs, &e), -1);
		assert_true(e.text[0] != '\0');
	}
	dynamic = (size_t)strtoul(tools_run(NULL, "readelf -SW dynamic | sed -n 's/.*gnu[.]version_r "
						  "*VERNEED *[0-9a-f]* \\([0-9a-f]*\\).*/\\1/p'"),
		NULL, 16);
	assert_true(dynamic > 0);
	end = dynamic + 0x40;
	for (size_t i = dynamic; i < end; i++) {
		for (int value = 0; value < 256; value += 51) {
			char was = file.data[i];

			file.data[i] = (char)value;
			put(bad, file.data, file.n);
			if (code_needs(bad, &arena, &needs, NULL) == 0)
				(void)strlen(listed(&needs));
			file.data[i] = was;
		}
	}
	buf_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_needs__a_dynamic_program__as_objdump_says),
		cmocka_unit_test(code_needs__static_and_objects__none),
		cmocka_unit_test(code_needs_highest__numbers__not_texts_are_compared),
		cmocka_unit_test(code_needs__damaged__an_error_or_texts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
