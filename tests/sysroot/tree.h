/*
 * tree.h - unpacks a recorded or made-up machine, one NAME.tree file, into a scratch folder. For tests.
 *
 * Lines of a .tree file:
 *	# text                 a comment (not inside a multi-line file)
 *	= PATH VALUE           a file with this one line
 *	=0-3,8 PATH VALUE      such a file for each number, which stands for {} in path and value
 *	@ PATH                 a file with the lines that follow, up to the next line that starts a file
 *	% MODE PATH            octal mode of a file written before
 *	> PATH TARGET          a symbolic link
 * PATH is relative to the root, without blanks. In values \0 is a NUL byte, \n a new line.
 */
#ifndef TESTS_SYSROOT_TREE_H
#define TESTS_SYSROOT_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "sys/cpu.h"

static inline void tree_write(const char *root, const char *path, const void *bytes, size_t count)
{
	struct arena arena = {0};
	struct error e = {0};
	char *full = file_join(&arena, root, path);
	FILE *file;

	assert_int_equal(file_make_folders(file_folder(&arena, full), &e), 0);
	file = fopen(full, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	arena_release(&arena);
}

static inline void tree_write_text(const char *root, const char *path, const char *text)
{
	tree_write(root, path, text, strlen(text));
}

/* Text with {} replaced by the number and the escapes resolved. */
static inline void tree_expand(struct buf *out, const char *text, int number)
{
	for (; *text != '\0'; text++) {
		if (text[0] == '{' && text[1] == '}') {
			buf_addf(out, "%d", number);
			text++;
		} else if (text[0] == '\\' && (text[1] == '0' || text[1] == 'n')) {
			buf_addc(out, *++text == '0' ? '\0' : '\n');
		} else {
			buf_addc(out, *text);
		}
	}
}

static inline void tree_one_line(const char *root, const char *path, const char *value, int number)
{
	struct buf name = {0};
	struct buf bytes = {0};

	tree_expand(&name, path, number);
	tree_expand(&bytes, value, number);
	buf_addc(&bytes, '\n');
	tree_write(root, buf_text(&name), bytes.data, bytes.n);
	buf_release(&name);
	buf_release(&bytes);
}

/* "=LIST PATH VALUE" */
static inline void tree_value_line(const char *root, char *line)
{
	struct arena arena = {0};
	struct cpu_list numbers = {0};
	char *path = strchr(line, ' ');
	char *value;

	assert_non_null(path);
	*path++ = '\0';
	value = path + strcspn(path, " ");
	if (*value != '\0')
		*value++ = '\0';
	if (line[1] == '\0') {
		tree_one_line(root, path, value, 0);
	} else {
		assert_int_equal(cpu_list_parse(line + 1, &arena, &numbers, NULL), 0);
		for (size_t i = 0; i < numbers.n; i++)
			tree_one_line(root, path, value, numbers.v[i]);
	}
	arena_release(&arena);
}

static inline void tree_mode_or_link(const char *root, char *line)
{
	char *first = strtok(line + 1, " ");
	char *second = strtok(NULL, " ");
	char full[4096];

	assert_non_null(second);
	snprintf(full, sizeof(full), "%s/%s", root, line[0] == '%' ? second : first);
	if (line[0] == '%')
		assert_int_equal(chmod(full, (mode_t)strtoul(first, NULL, 8)), 0);
	else
		assert_int_equal(symlink(second, full), 0);
}

/* Is it a line that starts a file, and so ends a multi-line one? "=" also with a list behind it. */
static inline int tree_starts(const char *line)
{
	if (line[0] == '=')
		return line[1] == ' ' || (line[1] >= '0' && line[1] <= '9');
	return line[0] != '\0' && strchr("@%>", line[0]) != NULL && line[1] == ' ';
}

static inline void tree_unpack(const char *name, const char *root)
{
	char path[4096];
	struct buf text = {0};
	struct buf content = {0};
	const char *file = NULL;
	char *save = NULL;

	snprintf(path, sizeof(path), "tests/sysroot/%s.tree", name);
	assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
	for (char *line = text.data; line != NULL; line = save) {
		save = strchr(line, '\n');
		if (save != NULL)
			*save++ = '\0';
		if (file != NULL && !tree_starts(line) && save != NULL) {
			buf_addf(&content, "%s\n", line);
			continue;
		}
		if (file != NULL)
			tree_write(root, file, buf_text(&content), content.n);
		file = NULL;
		if (line[0] == '@') {
			file = line + 2;
			buf_clear(&content);
		} else if (line[0] == '=') {
			tree_value_line(root, line);
		} else if (line[0] == '%' || line[0] == '>') {
			tree_mode_or_link(root, line);
		} else {
			assert_true(line[0] == '#' || line[0] == '\0');
		}
	}
	buf_release(&text);
	buf_release(&content);
}

/* A new scratch folder that others than its owner can enter too. */
static inline char *tree_scratch(void)
{
	char *path = strdup("/tmp/flagstone-tree-XXXXXX");

	assert_non_null(path);
	assert_non_null(mkdtemp(path));
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static inline void tree_remove(char *path)
{
	assert_int_equal(file_remove_tree(path, NULL), 0);
	free(path);
}

#endif
