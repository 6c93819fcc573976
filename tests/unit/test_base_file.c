/* Whole files and folders, in a scratch folder a test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static struct arena arena;
static char scratch[64];

static int setup(void **state)
{
	(void)state;
	strcpy(scratch, "/tmp/flagstone-file-XXXXXX");
	return mkdtemp(scratch) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
	int result = file_remove_tree(scratch, NULL);

	(void)state;
	arena_release(&arena);
	return result;
}

static const char *in(const char *name)
{
	return file_join(&arena, scratch, name);
}

static void put(const char *name, const char *text)
{
	assert_int_equal(file_write_atomic(in(name), text, strlen(text), NULL), 0);
}

static void file_read__written__comes_back(void **state)
{
	struct buf out = {0};

	(void)state;
	put("a", "one\0two");
	assert_int_equal(file_write_atomic(in("a"), "one\0two", 7, NULL), 0);
	buf_adds(&out, "before:");
	assert_int_equal(file_read(in("a"), 7, &out, NULL), 0);
	assert_int_equal(out.n, 14);
	assert_memory_equal(out.data, "before:one\0two", 15);
	buf_release(&out);
	put("empty", "");
	assert_int_equal(file_read(in("empty"), 0, &out, NULL), 0);
	assert_int_equal(out.n, 0);
	assert_string_equal(out.data, "");
	buf_release(&out);
}

static void file_read__too_long__refused_untouched(void **state)
{
	struct buf out = {0};
	struct error e = {0};

	(void)state;
	put("a", "12345678");
	buf_adds(&out, "x");
	assert_int_equal(file_read(in("a"), 7, &out, &e), -1);
	assert_int_equal(out.n, 1);
	assert_non_null(strstr(e.text, "longer than the 7 bytes"));
	assert_non_null(strstr(e.text, in("a")));
	buf_release(&out);
}

static void file_read__no_file_or_folder__said(void **state)
{
	struct buf out = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(file_read(in("none"), 10, &out, &e), -1);
	assert_non_null(strstr(e.text, "No such file or directory"));
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_int_equal(file_read(scratch, 10, &out, &e), -1);
	assert_non_null(strstr(e.text, "Is a directory"));
	buf_release(&out);
}

/* Files of /proc say that their size is 0. */
static void file_read__proc__whole(void **state)
{
	struct buf out = {0};

	(void)state;
	assert_int_equal(file_read("/proc/self/status", 1 << 20, &out, NULL), 0);
	assert_true(out.n > 100);
	assert_non_null(strstr(out.data, "VmRSS") != NULL ? out.data : strstr(out.data, "State"));
	buf_release(&out);
}

static void file_write_atomic__replaces_and_leaves_nothing(void **state)
{
	struct words names = {0};
	struct buf out = {0};

	(void)state;
	put("a", "old");
	put("a", "new");
	assert_int_equal(file_read(in("a"), 10, &out, NULL), 0);
	assert_string_equal(out.data, "new");
	buf_release(&out);
	assert_int_equal(file_list(scratch, &arena, &names, NULL), 0);
	assert_int_equal(names.n, 1);
}

/* CASES 90: where it cannot be written, the old file stays and nothing is left beside it. */
static void file_write_atomic__target_is_a_folder__old_kept(void **state)
{
	struct words names = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(file_make_folders(in("d/x"), NULL), 0);
	assert_int_equal(file_write_atomic(in("d"), "new", 3, &e), -1);
	assert_non_null(strstr(e.text, in("d")));
	assert_true(file_is_folder(in("d/x")));
	assert_int_equal(file_list(scratch, &arena, &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_int_equal(file_write_atomic(in("none/a"), "new", 3, &e), -1);
	assert_non_null(strstr(e.text, "No such file or directory"));
}

static void file_write_all__full_device__error(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct error e = {0};

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, "x", 1, "/dev/full", &e), -1);
	assert_non_null(strstr(e.text, "No space left"));
	close(fd);
}

static void file_make_folders__deep_again_and_over_a_file(void **state)
{
	struct error e = {0};

	(void)state;
	assert_int_equal(file_make_folders(in("a/b//c/"), &e), 0);
	assert_true(file_is_folder(in("a/b/c")));
	assert_int_equal(file_make_folders(in("a/b/c"), &e), 0);
	put("f", "");
	assert_int_equal(file_make_folders(in("f"), &e), -1);
	assert_non_null(strstr(e.text, "no folder stands there"));
	assert_int_equal(file_make_folders(in("f/x"), &e), -1);
	assert_int_equal(file_make_folders("", &e), -1);
}

static void file_remove_tree__links__never_followed(void **state)
{
	(void)state;
	assert_int_equal(file_make_folders(in("keep/x"), NULL), 0);
	assert_int_equal(file_make_folders(in("gone/deep/er"), NULL), 0);
	assert_int_equal(symlink(in("keep"), in("gone/deep/link")), 0);
	assert_int_equal(symlink("nowhere", in("gone/broken")), 0);
	put("gone/file", "x");
	assert_int_equal(symlink(in("keep"), in("link")), 0);
	assert_int_equal(file_remove_tree(in("gone"), NULL), 0);
	assert_int_equal(file_remove_tree(in("link"), NULL), 0);
	assert_int_equal(file_remove_tree(in("gone"), NULL), 0); /* there is none: fine */
	assert_false(file_exists(in("gone")));
	assert_false(file_exists(in("link")));
	assert_true(file_is_folder(in("keep/x")));
}

static void file_list__sorted_bytewise(void **state)
{
	struct words names = {0};
	struct error e = {0};

	(void)state;
	put("b", "");
	put("B", "");
	put(".hidden", "");
	put("a b", "");
	words_add(&names, &arena, "zzz");
	assert_int_equal(file_list(scratch, &arena, &names, NULL), 0);
	assert_int_equal(names.n, 5);
	assert_string_equal(names.v[0], "zzz");
	assert_string_equal(names.v[1], ".hidden");
	assert_string_equal(names.v[2], "B");
	assert_string_equal(names.v[3], "a b");
	assert_string_equal(names.v[4], "b");
	assert_int_equal(file_list(in("none"), &arena, &names, &e), -1);
	assert_int_equal(names.n, 5);
}

static void file_paths__parts(void **state)
{
	(void)state;
	assert_string_equal(file_join(&arena, "a", "b"), "a/b");
	assert_string_equal(file_join(&arena, "a/", "b"), "a/b");
	assert_string_equal(file_join(&arena, "a", "/b"), "/b");
	assert_string_equal(file_join(&arena, "", "b"), "b");
	assert_string_equal(file_name("a/b.c"), "b.c");
	assert_string_equal(file_name("b"), "b");
	assert_string_equal(file_folder(&arena, "a/b"), "a");
	assert_string_equal(file_folder(&arena, "b"), ".");
	assert_string_equal(file_folder(&arena, "/b"), "/");
}

static void file_real__links_and_none(void **state)
{
	struct error e = {0};

	(void)state;
	put("a", "");
	assert_int_equal(symlink("a", in("link")), 0);
	assert_string_equal(file_name(file_real(&arena, in("link"), &e)), "a");
	assert_null(file_real(&arena, in("none"), &e));
	assert_non_null(strstr(e.text, "No such file"));
}

static void file_find_program__path(void **state)
{
	const char *path = arena_printf(&arena, "%s:%s", in("one"), in("two"));

	(void)state;
	assert_int_equal(file_make_folders(in("one/tool"), NULL), 0); /* a folder is no program */
	assert_int_equal(file_make_folders(in("two"), NULL), 0);
	put("two/tool", "#!/bin/sh\n");
	put("one/plain", "");
	assert_null(file_find_program(&arena, "tool", path)); /* not executable */
	assert_int_equal(chmod(in("two/tool"), 0755), 0);
	assert_string_equal(file_find_program(&arena, "tool", path), in("two/tool"));
	assert_null(file_find_program(&arena, "plain", path));
	assert_null(file_find_program(&arena, "none", path));
	assert_string_equal(file_find_program(&arena, in("two/tool"), ""), in("two/tool"));
	assert_true(file_is_program(in("two/tool")));
	assert_false(file_is_program(in("one/tool")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(file_read__written__comes_back),
		TEST(file_read__too_long__refused_untouched),
		TEST(file_read__no_file_or_folder__said),
		TEST(file_read__proc__whole),
		TEST(file_write_atomic__replaces_and_leaves_nothing),
		TEST(file_write_atomic__target_is_a_folder__old_kept),
		TEST(file_write_all__full_device__error),
		TEST(file_make_folders__deep_again_and_over_a_file),
		TEST(file_remove_tree__links__never_followed),
		TEST(file_list__sorted_bytewise),
		TEST(file_paths__parts),
		TEST(file_real__links_and_none),
		TEST(file_find_program__path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
