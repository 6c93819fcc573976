#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/place.h"
#include "record_doc.h"
#include "record_fixture.h"

static char top[] = "/tmp/test_archive_write.XXXXXX";
static struct arena arena;
static struct archive archive;

/* Each test has an empty archive of its own. */
static int setup(void **state)
{
	static int number;

	(void)state;
	return archive_open(
		&archive, &arena, arena_printf(&arena, "%s/%d/archive", top, number++), true, NULL);
}

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) != NULL ? 0 : -1;
}

static int remove_top(void **state)
{
	(void)state;
	arena_release(&arena);
	return file_remove_tree(top, NULL);
}

static const char *month(void)
{
	return arena_printf(&arena, "%s/" FIXTURE_HOST "/2026/03", archive.root);
}

static size_t files_in(const char *folder)
{
	struct words names = {0};

	return file_list(folder, &arena, &names, NULL) == 0 ? names.n : 0;
}

static const char *write_one(struct record *record)
{
	struct error e = {0};
	const char *path = NULL;

	if (archive_write(&archive, record, &path, &e) != 0)
		fail_msg("%s", e.text);
	return path;
}

static void archive_write__a_record__under_its_name(void **state)
{
	struct record *record = fixture_full(&arena), *back;
	const char *path = write_one(record), *want;
	struct stat st;

	(void)state;
	want = arena_printf(&arena, "%s/20260301T123456Z-%.12s.json.gz", month(), record->id);
	assert_string_equal(path, want);
	assert_int_equal(files_in(month()), 1); /* no temporary file stays */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(record_read_file(path, NULL, &arena, &back, NULL), 0);
	assert_string_equal(back->id, record->id);
	record_release(back);
	record_release(record);
}

static void archive_write__two_runs_in_one_second__both_kept(void **state)
{
	struct record *a = fixture_plain(&arena, 1), *b = fixture_plain(&arena, 1);

	(void)state;
	assert_string_not_equal(write_one(a), write_one(b));
	assert_int_equal(files_in(month()), 2);
}

static void archive_write__the_same_record_again__refused_and_untouched(void **state)
{
	struct record *record = fixture_plain(&arena, 1);
	const char *path = write_one(record), *other = "untouched";
	struct buf before = {0}, after = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &before, NULL), 0);
	assert_int_equal(archive_write(&archive, record, &other, &e), -1);
	assert_non_null(strstr(e.text, "it exists already"));
	assert_string_equal(other, "untouched");
	assert_int_equal(file_read(path, 1 << 20, &after, NULL), 0);
	assert_memory_equal(before.data, after.data, before.n);
	assert_int_equal(files_in(month()), 1);
	buf_release(&before);
	buf_release(&after);
}

static void archive_write__bad_hosts_and_starts__refused(void **state)
{
	static const char *const hosts[] = {
		"../../x-0123456789ab", "a/b-0123456789ab", "", "baselines", "..", NULL};
	static const char *const starts[] = {"2026-03-01", "2026-03-01T12:34:56+01", "2026-13-01T12:34:56Z",
		"../../../../etc/pass", "2026-00-01T12:34:56Z"};
	struct record *record = fixture_plain(&arena, 1);
	const char *path;
	struct error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		record->host_name = hosts[i];
		assert_int_equal(archive_write(&archive, record, &path, &e), -1);
		assert_non_null(strstr(e.text, "is no name of a host's folder"));
	}
	record->host_name = FIXTURE_HOST;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		record->started = starts[i];
		assert_int_equal(archive_write(&archive, record, &path, &e), -1);
		assert_non_null(strstr(e.text, "is no start of a run"));
	}
	assert_int_equal(files_in(archive.root), 0);
}

static void archive_write__host_folder_is_a_link__refused(void **state)
{
	const char *outside = arena_printf(&arena, "%s/outside", top);
	struct record *record = fixture_plain(&arena, 1);
	const char *path;
	struct error e = {0};

	(void)state;
	assert_int_equal(file_make_folders(outside, NULL), 0);
	assert_int_equal(symlink(outside, arena_printf(&arena, "%s/" FIXTURE_HOST, archive.root)), 0);
	assert_int_equal(archive_write(&archive, record, &path, &e), -1);
	assert_non_null(strstr(e.text, "is a symbolic link; nothing is written through it"));
	assert_int_equal(files_in(outside), 0);
}

/* A process with 4096 bytes left for any file sees the same failing write() as on a full disk (EFBIG for ENOSPC). */
static void archive_write__disk_full__error_and_nothing_left(void **state)
{
	struct record *small = fixture_plain(&arena, 1), *large = fixture_plain(&arena, 1);
	const char *path = write_one(small);
	struct error e = {0};
	struct rlimit was, limit;
	struct record *back;

	(void)state;
	fixture_samples(large, 2000, "disk full");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(archive_write(&archive, large, &path, &e), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, "File too large"));
	assert_int_equal(files_in(month()), 1);
	assert_int_equal(record_read_file(path, NULL, &arena, &back, NULL), 0);
	record_release(large);
}

static void place_file__by_link_and_by_rename__never_over_another(void **state)
{
	static const enum place_how ways[] = {PLACE_BEST, PLACE_RENAME};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *from = arena_printf(&arena, "%s/from%zu", archive.root, i);
		const char *to = arena_printf(&arena, "%s/to%zu", archive.root, i);
		struct error e = {0};
		struct buf text = {0};

		assert_int_equal(file_write_atomic(from, "one", 3, NULL), 0);
		assert_int_equal(place_file(from, to, ways[i], &e), 0);
		assert_false(file_exists(from));
		assert_int_equal(file_write_atomic(from, "two", 3, NULL), 0);
		assert_int_equal(place_file(from, to, ways[i], &e), -1);
		assert_non_null(strstr(e.text, "never overwritten"));
		assert_true(file_exists(from));
		assert_int_equal(file_read(to, 10, &text, NULL), 0);
		assert_string_equal(buf_text(&text), "one");
		buf_release(&text);
		assert_int_equal(unlink(to), 0);
		assert_int_equal(symlink("/nowhere/at/all", to), 0);
		assert_int_equal(place_file(from, to, ways[i], &e), -1);
	}
}

static void archive_open__missing_or_no_folder__error(void **state)
{
	struct archive other;
	struct error e = {0};
	const char *file = arena_printf(&arena, "%s/file", archive.root);

	(void)state;
	assert_int_equal(archive_open(&other, &arena, arena_printf(&arena, "%s/none", top), false, &e), -1);
	assert_non_null(strstr(e.text, "there is no archive at"));
	assert_int_equal(file_write_atomic(file, "", 0, NULL), 0);
	assert_int_equal(archive_open(&other, &arena, file, true, &e), -1);
	assert_non_null(strstr(e.text, strerror(ENOTDIR)));
	assert_int_equal(archive_open(&other, &arena, arena_printf(&arena, "%s/x", file), true, &e), -1);
	assert_non_null(strstr(e.text, strerror(ENOTDIR)));
}

/* In a child without root's rights, as root may read everything. Exit 0: both are errors with EACCES's text. */
static _Noreturn void child_without_rights(const char *root, const char *host)
{
	struct archive other, held = archive;
	struct archive_entries entries = {0};
	struct error e1 = {0}, e2 = {0};
	bool ok;

	if (geteuid() == 0 && seteuid(65534) != 0)
		_exit(3);
	chmod(host, 0);
	ok = archive_open(&other, &arena, root, false, &e1) != 0 && strstr(e1.text, strerror(EACCES)) != NULL;
	held.arena = &arena;
	ok = ok && archive_list(&held, &entries, &e2) != 0 && strstr(e2.text, strerror(EACCES)) != NULL;
	_exit(ok ? 0 : 1);
}

static void archive_list__unreadable_folder__error_and_not_no_data(void **state)
{
	const char *shut = arena_printf(&arena, "%s/shut", top);
	const char *host = arena_printf(&arena, "%s/" FIXTURE_HOST, archive.root);
	pid_t pid;
	int status = -1;

	(void)state;
	assert_int_equal(mkdir(shut, 0), 0);
	write_one(fixture_plain(&arena, 1));
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(chmod(host, 0), 0);
	pid = fork();
	if (pid == 0)
		child_without_rights(shut, host);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	chmod(host, 0755);
	chmod(shut, 0755);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(archive_write__a_record__under_its_name, setup),
		cmocka_unit_test_setup(archive_write__two_runs_in_one_second__both_kept, setup),
		cmocka_unit_test_setup(archive_write__the_same_record_again__refused_and_untouched, setup),
		cmocka_unit_test_setup(archive_write__bad_hosts_and_starts__refused, setup),
		cmocka_unit_test_setup(archive_write__host_folder_is_a_link__refused, setup),
		cmocka_unit_test_setup(archive_write__disk_full__error_and_nothing_left, setup),
		cmocka_unit_test_setup(place_file__by_link_and_by_rename__never_over_another, setup),
		cmocka_unit_test_setup(archive_open__missing_or_no_folder__error, setup),
		cmocka_unit_test_setup(archive_list__unreadable_folder__error_and_not_no_data, setup),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
