/* What the tests of spec share: texts read as if they were files, and their errors compared line by line. */
#ifndef FLAGSTONE_TEST_SPEC_TOOLS_H
#define FLAGSTONE_TEST_SPEC_TOOLS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "spec/spec.h"

static struct arena arena;
static char scratch[64];

static inline int spec_setup(void **state)
{
	(void)state;
	strcpy(scratch, "/tmp/flagstone-spec-XXXXXX");
	return mkdtemp(scratch) != NULL ? 0 : -1;
}

static inline int spec_teardown(void **state)
{
	int result = file_remove_tree(scratch, NULL);

	(void)state;
	arena_release(&arena);
	return result;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, spec_setup, spec_teardown)

static inline const char *in(const char *name)
{
	return file_join(&arena, scratch, name);
}

/* Writes a file and the folders that it stands in; returns its path. */
static inline const char *put(const char *name, const char *text)
{
	const char *path = in(name);

	assert_int_equal(file_make_folders(file_folder(&arena, path), NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
	return path;
}

/* The scratch folder's name is another in each run: it is taken away from the front of lines. */
static inline const char *without_scratch(const char *text)
{
	struct buf out = {0};
	char *result;

	while (*text != '\0') {
		if (text_starts(text, scratch) && text[strlen(scratch)] == '/')
			text += strlen(scratch) + 1;
		else
			buf_addc(&out, *text++);
	}
	result = arena_strdup(&arena, buf_text(&out));
	buf_release(&out);
	return result;
}

static inline void check_errors(const struct spec_errors *errors, int result, const char *want)
{
	assert_string_equal(without_scratch(spec_errors_text(errors)), want);
	assert_int_equal(result, want[0] == '\0' ? 0 : -1);
}

/* A matrix that must be right. */
static inline struct spec_matrix good_matrix(const char *yaml)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;

	check_errors(
		&errors, spec_read_matrix_bytes(yaml, strlen(yaml), "m.yaml", &arena, &matrix, &errors), "");
	return matrix;
}

/* A matrix with exactly these errors. */
static inline void bad_matrix(const char *yaml, const char *want)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;

	check_errors(&errors, spec_read_matrix_bytes(yaml, strlen(yaml), "m.yaml", &arena, &matrix, &errors),
		want);
}

static inline void check_words(const struct words *words, size_t n, const char *const *want)
{
	assert_int_equal(words->n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(words->v[i], want[i]);
	if (words->v != NULL)
		assert_null(words->v[n]);
}
#define CHECK_WORDS(words, ...)                                                                              \
	check_words((words), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                    \
		(const char *const[]){__VA_ARGS__})

/* The three lines that make a matrix whole. */
#define MINIMAL "workloads: [a]\nslots: [gcc]\nvariants: {O2: {cflags: -O2}}\n"

#endif
