/*
 * git_fixture.h - repositories made by the git command in a scratch folder, with HOME there, so that nobody's
 * settings matter.
 */
#ifndef TESTS_UNIT_GIT_FIXTURE_H
#define TESTS_UNIT_GIT_FIXTURE_H

#include "../sysroot/tree.h"
#include "base/text.h"
#include "sys/git.h"
#include "sys/process.h"

static char *scratch; /* real path, HOME of the git command */
static struct arena arena;

static inline int setup(void **state)
{
	char *path = tree_scratch();

	(void)state;
	arena = (struct arena){0};
	scratch = realpath(path, NULL);
	free(path);
	assert_int_equal(setenv("HOME", scratch, 1), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", scratch, 1), 0);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	tree_remove(scratch);
	arena_release(&arena);
	return 0;
}

static inline char *at(const char *path)
{
	return file_join(&arena, scratch, path);
}

/* Runs the words of a command line in a folder of the scratch folder; its output without the line's end. */
static inline char *run(const char *folder, const char *line)
{
	char *more[] = {"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.net", "GIT_COMMITTER_NAME=c",
		"GIT_COMMITTER_EMAIL=c@example.net", "GIT_AUTHOR_DATE=1700000000 +0100",
		"GIT_COMMITTER_DATE=1700000000 +0100", "GIT_CONFIG_NOSYSTEM=1", NULL};
	struct process_options options = {
		.cpu = -1, .folder = at(folder), .env = process_clean_env(&arena, more)};
	struct process_result result = {0};
	struct words argv = {0};
	struct error e = {0};
	char *output;

	assert_int_equal(words_split(&argv, &arena, line, NULL, &e), 0);
	options.argv = argv.v;
	if (process_run(&options, &result, &e) != 0)
		fail_msg("%s", e.text);
	if (!process_ok(&result))
		fail_msg("%s: %s", line, buf_text(&result.err));
	output = arena_strdup(&arena, buf_text(&result.out));
	output[strcspn(output, "\n")] = '\0';
	process_result_release(&result);
	return output;
}

/* A repository with one commit: file "a", ".gitignore" (*.o), a folder "sub" with "b". */
static inline void make(const char *name, const char *options)
{
	tree_write_text(scratch, arena_printf(&arena, "%s/a", name), "one\n");
	tree_write_text(scratch, arena_printf(&arena, "%s/sub/b", name), "two\n");
	tree_write_text(scratch, arena_printf(&arena, "%s/.gitignore", name), "*.o\n");
	run(name, arena_printf(&arena, "git init -q -b main %s .", options));
	run(name, "git add .");
	run(name, "git commit -q -m first");
}

static inline struct git_state read_of(const char *folder)
{
	struct git_state state;

	git_read(at(folder), false, NULL, &arena, &state);
	return state;
}

static inline void is_dirty(const char *folder, bool dirty)
{
	struct git_state state = read_of(folder);

	assert_true(state.dirty_known);
	assert_int_equal(state.dirty, dirty);
	assert_int_equal(state.diff_hash != NULL, dirty);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
