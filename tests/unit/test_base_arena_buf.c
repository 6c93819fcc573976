/* Arenas, buffers, growable arrays and error objects. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

static void arena_alloc__many_sizes__zeroed_aligned_apart(void **state)
{
	enum { N = 400 };
	struct arena arena = {0};
	unsigned char *p[N];
	size_t size[N];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		size[i] = i % 7 == 0 ? 20000 + 100 * i : i % 50; /* large ones stand in chunks of their own */
		p[i] = arena_alloc(&arena, size[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		for (size_t k = 0; k < size[i]; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], (int)(i % 251 + 1), size[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < size[i]; k++)
			assert_int_equal(p[i][k], i % 251 + 1);
	arena_release(&arena);
	assert_null(arena.chunks);
	assert_string_equal(arena_strdup(&arena, "again"), "again");
	arena_release(&arena);
}

static void arena_alloc__large_first__then_small(void **state)
{
	struct arena arena = {0};
	char *large = arena_alloc(&arena, 1 << 20);
	char *small = arena_alloc(&arena, 1);

	(void)state;
	assert_true(small < large || small >= large + (1 << 20));
	assert_non_null(arena_array(&arena, 0, 8));
	arena_release(&arena);
}

static void arena_printf__long__whole(void **state)
{
	struct arena arena = {0};
	char *text = arena_printf(&arena, "%0100000d|%s", 7, "end");

	(void)state;
	assert_int_equal(strlen(text), 100004);
	assert_string_equal(text + 99999, "7|end");
	assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
	assert_string_equal(arena_printf(&arena, "%s", ""), "");
	arena_release(&arena);
}

static void buf__grows_and_terminates(void **state)
{
	struct buf buf = {0};

	(void)state;
	assert_string_equal(buf_text(&buf), "");
	for (int i = 0; i < 10000; i++) {
		buf_addf(&buf, "%d", i % 10);
		assert_int_equal(buf.data[buf.n], '\0');
	}
	assert_int_equal(buf.n, 10000);
	assert_int_equal(buf.data[9999], '9');
	buf_addf(&buf, "%070000d", 1);
	assert_int_equal(buf.n, 80000);
	buf_clear(&buf);
	assert_string_equal(buf_text(&buf), "");
	buf_add(&buf, "a\0b", 3);
	buf_addc(&buf, 'c');
	buf_adds(&buf, "");
	assert_int_equal(buf.n, 4);
	assert_memory_equal(buf.data, "a\0bc", 5);
	buf_release(&buf);
	assert_string_equal(buf_text(&buf), "");
}

/* A text of exactly the room left needs one byte more for its NUL. */
static void buf_addf__every_length__no_overrun(void **state)
{
	(void)state;
	for (int length = 0; length < 300; length++) {
		struct buf buf = {0};

		buf_addf(&buf, "%*s", length, "");
		assert_int_equal(buf.n, length);
		assert_int_equal(strlen(buf_text(&buf)), length);
		buf_release(&buf);
	}
}

static void vec_push__many__kept(void **state)
{
	VEC(int) numbers = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		vec_push(&numbers, i);
	assert_int_equal(numbers.n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(numbers.v[i], i);
	vec_release(&numbers);
	assert_int_equal(numbers.cap, 0);
}

static void mem_grown__limits(void **state)
{
	(void)state;
	assert_int_equal(mem_grown(0, 1), 8);
	assert_int_equal(mem_grown(8, 9), 16);
	assert_int_equal(mem_grown(8, 100), 128);
	assert_true(mem_grown(SIZE_MAX / 2 + 1, SIZE_MAX) == SIZE_MAX);
}

static void error_set__context_and_advice(void **state)
{
	struct error e = {0};

	(void)state;
	assert_int_equal(error_errno(&e, ENOENT, "reading %s", "x"), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_int_equal(error_context(&e, "loading the matrix"), -1);
	assert_int_equal(error_advice(&e, "name another"), -1);
	assert_string_equal(e.text, "loading the matrix: reading x: No such file or directory; name another");
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_int_equal(error_set(NULL, EXIT_USAGE, "lost"), -1);
	assert_int_equal(error_context(NULL, "lost"), -1);
	assert_int_equal(error_advice(NULL, "lost"), -1);
	assert_int_equal(error_errno(NULL, ENOENT, "lost"), -1);
}

static void error_set__too_long__cut_with_dots(void **state)
{
	struct error e = {0};

	(void)state;
	error_set(&e, EXIT_USAGE, "%05000d", 1);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(e.text + strlen(e.text) - 4, "0...");
	error_context(&e, "%05000d", 2);
	assert_string_equal(e.text + strlen(e.text) - 3, "...");
	assert_int_equal(e.code, EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_alloc__many_sizes__zeroed_aligned_apart),
		cmocka_unit_test(arena_alloc__large_first__then_small),
		cmocka_unit_test(arena_printf__long__whole),
		cmocka_unit_test(buf__grows_and_terminates),
		cmocka_unit_test(buf_addf__every_length__no_overrun),
		cmocka_unit_test(vec_push__many__kept),
		cmocka_unit_test(mem_grown__limits),
		cmocka_unit_test(error_set__context_and_advice),
		cmocka_unit_test(error_set__too_long__cut_with_dots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
