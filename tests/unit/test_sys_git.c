/*
 * Commit and dirt of repositories in the states that people leave them in. Expected commits are what
 * `git rev-parse HEAD` says.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "git_fixture.h"

static void git_read__clean__full_hash_branch_and_time(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	git = read_of("r/sub");
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	assert_int_equal(strlen(git.commit), 40);
	assert_null(git.commit_reason);
	assert_string_equal(git.branch, "main");
	assert_null(git.describe); /* no tags: no failure either */
	assert_true(git.dirty_known);
	assert_false(git.dirty);
	assert_null(git.diff_hash);
	assert_false(git.shallow);
	assert_int_equal(git.commit_unix_s, 1700000000);
}

static void git_read__each_kind_of_dirt__is_dirty(void **state)
{
	(void)state;
	make("r", "");
	tree_write_text(scratch, "r/x.o", "ignored\n");
	is_dirty("r", false);
	tree_write_text(scratch, "r/new", "untracked\n");
	is_dirty("r", true);
	assert_int_equal(unlink(at("r/new")), 0);
	is_dirty("r", false);
	tree_write_text(scratch, "r/a", "changed\n");
	is_dirty("r", true);
	run("r", "git add a");
	is_dirty("r", true); /* staged */
	run("r", "git reset -q --hard");
	is_dirty("r", false);
	assert_int_equal(unlink(at("r/a")), 0);
	is_dirty("r", true); /* deleted */
	run("r", "git checkout -q a");
	assert_int_equal(chmod(at("r/a"), 0755), 0);
	is_dirty("r", true); /* now a program */
}

static void git_read__staged_then_put_back__is_dirty_still(void **state)
{
	(void)state;
	make("r", "");
	tree_write_text(scratch, "r/a", "changed\n");
	run("r", "git add a");
	tree_write_text(scratch, "r/a", "one\n");
	is_dirty("r", true);
}

static void git_read__diff_hash__depends_on_contents_alone(void **state)
{
	const char *first, *staged, *other;

	(void)state;
	make("r", "");
	make("copy", "");
	tree_write_text(scratch, "r/a", "changed\n");
	tree_write_text(scratch, "r/new", "n\n");
	/* in the other order, and partly staged */
	tree_write_text(scratch, "copy/new", "n\n");
	tree_write_text(scratch, "copy/a", "changed\n");
	run("copy", "git add a");
	first = read_of("r").diff_hash;
	staged = read_of("copy").diff_hash;
	assert_string_equal(first, read_of("r/sub").diff_hash);
	assert_string_equal(first, staged);
	tree_write_text(scratch, "r/new", "m\n");
	other = read_of("r").diff_hash;
	assert_string_not_equal(first, other);
	tree_write_text(scratch, "r/new", "n\n");
	assert_string_equal(first, read_of("r").diff_hash);
	assert_int_equal(rename(at("r/new"), at("r/renamed")), 0);
	assert_string_not_equal(first, read_of("r").diff_hash);
}

static void git_read__strange_files_untracked__are_hashed_and_not_opened(void **state)
{
	const char *first;

	(void)state;
	make("r", "");
	assert_int_equal(mkfifo(at("r/fifo"), 0644), 0); /* opening it would wait for ever */
	assert_int_equal(symlink("/nonexistent", at("r/link")), 0);
	tree_write_text(scratch, "r/strange \n\x1b name", "x");
	is_dirty("r", true);
	first = read_of("r").diff_hash;
	assert_int_equal(unlink(at("r/link")), 0);
	assert_int_equal(symlink("/elsewhere", at("r/link")), 0);
	assert_string_not_equal(first, read_of("r").diff_hash);
}

static void git_read__below_only_and_except__limit_what_counts(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	tree_write_text(scratch, "r/new", "outside\n");
	git_read(at("r/sub"), true, NULL, &arena, &git);
	assert_true(git.dirty_known);
	assert_false(git.dirty);
	git_read(at("r/sub"), false, NULL, &arena, &git);
	assert_true(git.dirty);
	assert_int_equal(unlink(at("r/new")), 0);
	tree_write_text(scratch, "r/archive/host/record", "x\n");
	tree_write_text(scratch, "r/sub/archive/host/record", "x\n");
	git_read(at("r"), false, "sub", &arena, &git);
	assert_true(git.dirty);
	git_read(at("r/sub"), false, "archive", &arena, &git);
	assert_false(git.dirty); /* both: relative to the top, and to the folder */
	tree_write_text(scratch, "r/archive2", "a name that only begins so\n");
	git_read(at("r/sub"), false, "archive", &arena, &git);
	assert_true(git.dirty);
	git_read(at("r/sub"), true, "archive", &arena, &git);
	assert_false(git.dirty);
	tree_write_text(scratch, "r/sub2/c", "a folder that only begins so\n");
	git_read(at("r/sub"), true, "archive", &arena, &git);
	assert_false(git.dirty);
}

static void git_read__no_commits_yet__is_said_and_dirt_is_known(void **state)
{
	struct git_state git;

	(void)state;
	tree_write_text(scratch, "r/a", "x\n");
	run("r", "git init -q -b trunk .");
	git = read_of("r");
	assert_null(git.commit);
	assert_string_equal(git.commit_reason, "no commits yet");
	assert_string_equal(git.branch, "trunk");
	assert_true(git.dirty_known);
	assert_true(git.dirty);
	assert_non_null(git.diff_hash);
}

static void git_read__detached__has_a_commit_and_no_branch(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	run("r", "git checkout -q --detach");
	git = read_of("r");
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	assert_null(git.branch);
}

static void git_read__tags__describe_as_git_does(void **state)
{
	(void)state;
	make("r", "");
	run("r", "git tag v1.0");
	assert_string_equal(read_of("r").describe, "v1.0");
	run("r", "git commit -q --allow-empty -m second");
	assert_string_equal(read_of("r").describe, run("r", "git describe --tags"));
	/* dirt does not make it name another commit */
	tree_write_text(scratch, "r/a", "changed\n");
	assert_string_equal(read_of("r").commit, run("r", "git rev-parse HEAD"));
}

static void git_read__shallow_clone__says_so(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	run("r", "git commit -q --allow-empty -m second");
	run(".", arena_printf(&arena, "git clone -q --depth 1 file://%s clone", at("r")));
	git = read_of("clone");
	assert_true(git.shallow);
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	assert_null(git.describe);
	assert_false(git.dirty);
	/* a second work tree of it shares the cut history */
	run("clone", "git worktree add -q ../wt");
	assert_true(read_of("wt").shallow);
}

static void git_read__second_work_tree__has_its_own_branch_and_dirt(void **state)
{
	struct git_state git;

	(void)state;
	make("r", "");
	run("r", "git worktree add -q -b side ../wt");
	run("wt", "git commit -q --allow-empty -m other");
	tree_write_text(scratch, "wt/new", "x\n");
	git = read_of("wt/sub");
	assert_string_equal(git.branch, "side");
	assert_string_equal(git.commit, run("wt", "git rev-parse HEAD"));
	assert_string_not_equal(git.commit, read_of("r").commit);
	assert_true(git.dirty);
	is_dirty("r", false);
}

static void git_read__submodule__is_a_repository_and_its_dirt_shows_outside(void **state)
{
	const char *first;

	(void)state;
	make("inner", "");
	make("outer", "");
	run("outer", "git -c protocol.file.allow=always submodule --quiet add ../inner module");
	run("outer", "git commit -q -m module");
	is_dirty("outer", false);
	assert_string_equal(read_of("outer/module/sub").commit, run("inner", "git rev-parse HEAD"));
	assert_string_not_equal(read_of("outer").commit, read_of("outer/module").commit);
	tree_write_text(scratch, "outer/module/a", "changed\n");
	is_dirty("outer/module", true);
	is_dirty("outer", true);
	first = read_of("outer").diff_hash;
	tree_write_text(scratch, "outer/module/a", "changed more\n");
	assert_string_not_equal(first, read_of("outer").diff_hash);
}

static void git_read__repository_inside_untracked__counts_by_its_commit(void **state)
{
	const char *first;

	(void)state;
	make("r", "");
	make("r/nested", "");
	is_dirty("r", true);
	first = read_of("r").diff_hash;
	assert_string_equal(first, read_of("r").diff_hash);
	run("r/nested", "git commit -q --allow-empty -m second");
	assert_string_not_equal(first, read_of("r").diff_hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(git_read__clean__full_hash_branch_and_time),
		TEST(git_read__each_kind_of_dirt__is_dirty),
		TEST(git_read__staged_then_put_back__is_dirty_still),
		TEST(git_read__diff_hash__depends_on_contents_alone),
		TEST(git_read__strange_files_untracked__are_hashed_and_not_opened),
		TEST(git_read__below_only_and_except__limit_what_counts),
		TEST(git_read__no_commits_yet__is_said_and_dirt_is_known),
		TEST(git_read__detached__has_a_commit_and_no_branch),
		TEST(git_read__tags__describe_as_git_does),
		TEST(git_read__shallow_clone__says_so),
		TEST(git_read__second_work_tree__has_its_own_branch_and_dirt),
		TEST(git_read__submodule__is_a_repository_and_its_dirt_shows_outside),
		TEST(git_read__repository_inside_untracked__counts_by_its_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
