/*
 * Hostile ELF files: every cut of a real program is an error, and no flipped bytes make the readers crash, read
 * out of bounds or run for ever (to be seen with SAN=1).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "code/code.h"
#include "code/functions.h"
#include "test_code_tools.h"

static struct buf program, object;

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
	tools_run(NULL, "gcc -O2 -o p p.c && gcc -O2 -c -o p.o p.c");
	return file_read(tools_path("p"), 1 << 20, &program, NULL) |
	       file_read(tools_path("p.o"), 1 << 20, &object, NULL);
}

static int tear_down(void **state)
{
	buf_release(&program);
	buf_release(&object);
	return tools_teardown(state);
}

static void write_bytes(const char *name, const char *bytes, size_t count)
{
	FILE *file = fopen(tools_path(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

/* All readers on one file; returns what code_read did. */
static int read_all(const char *name, struct error *e)
{
	const char *path = tools_path(name);
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_info info;
	struct code_functions functions;
	char hex[HASH_HEX];
	uint64_t address, size;
	bool intermediate;
	int result = code_read(path, &arena, &info, e);

	if (result == 0)
		code_facts(&info, &facts);
	(void)code_hash_objects(&path, 1, hex, NULL);
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

		write_bytes("cut", program.data, cut);
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
		const uint64_t flips = 1 + rng_below(&rng, 8);

		memcpy(copy, bytes->data, bytes->n);
		for (uint64_t i = 0; i < flips; i++) {
			/* half of them in the ELF and program headers, or in the section table at the end */
			const size_t reach = rng_below(&rng, 2) == 0 ? head : bytes->n;
			const size_t at = rng_below(&rng, reach);

			copy[rng_below(&rng, 2) == 0 ? at : bytes->n - 1 - at] ^=
				(char)(1 + rng_below(&rng, 255));
		}
		write_bytes(name, copy, bytes->n);
		(void)read_all(name, NULL);
	}
	free(copy);
}

static void code_read__flipped_bytes__never_crash(void **state)
{
	(void)state;
	flip_and_read(&program, "flipped-program", 1024, 1500);
	flip_and_read(&object, "flipped-object", 900, 1500);
	/* the intact files still read: the loops above ran on the real thing */
	assert_int_equal(read_all("p", NULL), 0);
	assert_int_equal(read_all("p.o", NULL), 0);
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
		cmocka_unit_test(code_read__not_elf__is_refused_in_words),
		cmocka_unit_test(code_read__folder__is_an_error),
	};

	return cmocka_run_group_tests_name("code_hostile", tests, build, tear_down);
}
