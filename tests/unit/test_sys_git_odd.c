/*
 * Commit and dirt of repositories in the states that broke other tools: other owners, SHA-256, damage, none. Expected commits are what
 * `git rev-parse HEAD` says.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "git_fixture.h"

static void git_read__bare__has_a_commit_and_no_dirt_to_know(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	run(".", "git clone -q --bare r bare.git");
	git = read_of("bare.git");
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	assert_false(git.dirty_known);
	assert_non_null(strstr(git.dirty_reason, "no work tree"));
}

static void git_read__no_repository_or_folder__is_unknown_with_the_reason(void **state)
{
	struct git_state git;

	(void)state;
	tree_write_text(scratch, "plain/a", "x\n");
	git = read_of("plain");
	assert_null(git.commit);
	assert_string_equal(git.commit_reason, "no repository");
	assert_false(git.dirty_known);
	assert_string_equal(git.dirty_reason, "no repository");
	git = read_of("missing");
	assert_null(git.commit);
	assert_non_null(strstr(git.commit_reason, "No such file or directory"));
}

static void git_read__broken_repository__is_unknown_and_the_run_goes_on(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	tree_write_text(scratch, "r/.git/HEAD", "garbage\n");
	git = read_of("r");
	assert_null(git.commit);
	assert_non_null(git.commit_reason);
	assert_false(git.dirty_known);
	assert_non_null(git.dirty_reason);
}

/* Root gives the repository to nobody (65534). Another user cannot give it away: there its own must be readable. */
static void git_read__other_owner__is_unknown_with_advice_unless_trusted(void **state)
{
	struct git_state git;
	const char *commit;

	(void)state;
	make("r", "");
	commit = run("r", "git rev-parse HEAD");
	if (geteuid() != 0) {
		assert_string_equal(read_of("r").commit, commit);
		return;
	}
	run(".", "chown -R 65534 r");
	git = read_of("r");
	assert_null(git.commit);
	assert_non_null(strstr(git.commit_reason, "owned by another user"));
	assert_non_null(strstr(git.commit_reason, "git config --global --add safe.directory "));
	assert_non_null(strstr(git.commit_reason, at("r")));
	assert_false(git.dirty_known);
	assert_string_equal(git.dirty_reason, git.commit_reason);
	/* every repository trusted: libgit2 1.5 does not know this form, git does */
	run(".", "git config --global --add safe.directory '*'");
	git = read_of("r");
	assert_string_equal(git.commit, commit);
	assert_true(git.dirty_known);
	assert_false(git.dirty);
}

static void git_read__sha256_repository__goes_through_git(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "--object-format=sha256");
	run("r", "git tag v2.0");
	git = read_of("r/sub");
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	assert_int_equal(strlen(git.commit), 64);
	assert_string_equal(git.branch, "main");
	assert_string_equal(git.describe, "v2.0");
	assert_int_equal(git.commit_unix_s, 1700000000);
	assert_true(git.dirty_known);
	assert_false(git.dirty);
	tree_write_text(scratch, "r/new\nname", "x\n");
	tree_write_text(scratch, "r/sub/d", "x\n");
	is_dirty("r", true);
	git_read(at("r/sub"), true, "d", &arena, &git);
	assert_false(git.dirty);
	git_read(at("r"), false, NULL, &arena, &git);
	assert_true(git.dirty);
}

/* The same dirt must hash alike however it was found. */
static void git_read__sha256_and_sha1__same_dirt_has_the_same_hash(void **state)
{
	(void)state;
	make("one", "");
	make("two", "--object-format=sha256");
	for (int i = 0; i < 2; i++) {
		const char *name = i == 0 ? "one" : "two";

		tree_write_text(scratch, arena_printf(&arena, "%s/a", name), "changed\n");
		tree_write_text(scratch, arena_printf(&arena, "%s/sub/new", name), "n\n");
		assert_int_equal(unlink(at(arena_printf(&arena, "%s/sub/b", name))), 0);
	}
	assert_string_equal(read_of("one").diff_hash, read_of("two").diff_hash);
}

static void git_read__sha256_without_commits__is_said(void **state)
{
	struct git_state git;

	(void)state;
	tree_write_text(scratch, "r/a", "x\n");
	run("r", "git init -q -b main --object-format=sha256 .");
	git = read_of("r");
	assert_null(git.commit);
	assert_string_equal(git.commit_reason, "no commits yet");
	assert_string_equal(git.branch, "main");
	assert_true(git.dirty);
}

static void git_read__sha256_and_no_git_program__is_unknown_with_that_reason(void **state)
{
	char *path = arena_strdup(&arena, getenv("PATH"));
	struct git_state git;

	(void)state;
	make("r", "--object-format=sha256");
	make("plain", "");
	assert_int_equal(setenv("PATH", scratch, 1), 0);
	git = read_of("r");
	assert_string_equal(read_of("plain").branch, "main"); /* which needs no program */
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_null(git.commit);
	assert_non_null(strstr(git.commit_reason, "libgit2 cannot read the repository"));
	assert_non_null(strstr(git.commit_reason, "objectformat"));
	assert_non_null(strstr(git.commit_reason, "git could not be asked"));
	assert_false(git.dirty_known);
}

static void git_read__looking__changes_nothing_in_the_repository(void **state)
{
	struct stat before, after;
	char index[] = "r/.git/index";

	(void)state;
	make("r", "");
	tree_write_text(
		scratch, "r/a", "one\n"); /* same content, new times: git status would refresh the index */
	assert_int_equal(stat(at(index), &before), 0);
	is_dirty("r", false);
	assert_int_equal(stat(at(index), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(git_read__bare__has_a_commit_and_no_dirt_to_know),
		TEST(git_read__no_repository_or_folder__is_unknown_with_the_reason),
		TEST(git_read__broken_repository__is_unknown_and_the_run_goes_on),
		TEST(git_read__other_owner__is_unknown_with_advice_unless_trusted),
		TEST(git_read__sha256_repository__goes_through_git),
		TEST(git_read__sha256_and_sha1__same_dirt_has_the_same_hash),
		TEST(git_read__sha256_without_commits__is_said),
		TEST(git_read__sha256_and_no_git_program__is_unknown_with_that_reason),
		TEST(git_read__looking__changes_nothing_in_the_repository),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
