#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/journal.h"
#include "record_doc.h"
#include "record_fixture.h"

static char top[] = "/tmp/test_archive_verify.XXXXXX";
static struct arena arena;
static struct archive archive;
static struct record *record;
static const char *path; /* of the archive's one record */

static int setup(void **state)
{
	static int number;

	(void)state;
	record = fixture_full(&arena);
	if (archive_open(&archive, &arena, arena_printf(&arena, "%s/%d", top, number++), true, NULL) != 0)
		return -1;
	return archive_write(&archive, record, &path, NULL);
}

static int teardown(void **state)
{
	(void)state;
	record_release(record);
	return 0;
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

static struct archive_verdicts verify(void)
{
	struct archive_verdicts verdicts = {0};
	struct error e = {0};

	if (archive_verify(&archive, &verdicts, &e) != 0)
		fail_msg("%s", e.text);
	return verdicts;
}

/* The verdict on this path must be this one, with this in its reason. */
static void expect(const char *file, enum archive_state state, const char *reason)
{
	struct archive_verdicts verdicts = verify();

	for (size_t i = 0; i < verdicts.n; i++) {
		const struct archive_verdict *v = &verdicts.v[i];

		if (strcmp(v->path, file) != 0)
			continue;
		if (v->state != state || (reason == NULL) != (v->reason == NULL) ||
			(reason != NULL && strstr(v->reason, reason) == NULL))
			fail_msg("%s is %s: %s", file, archive_state_text(v->state),
				v->reason != NULL ? v->reason : "-");
		return;
	}
	fail_msg("no verdict on %s", file);
}

static const char *beside(const char *name)
{
	return file_join(&arena, file_folder(&arena, path), name);
}

static void archive_verify__as_written__intact(void **state)
{
	struct archive_verdicts verdicts = verify();

	(void)state;
	assert_int_equal(verdicts.n, 1);
	assert_int_equal(verdicts.intact, 1);
	assert_int_equal(verdicts.bad, 0);
	expect(path, ARCHIVE_INTACT, NULL);
}

static void archive_verify__flipped_bits_and_cuts__damaged(void **state)
{
	struct buf file = {0};

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &file, NULL), 0);
	file.data[file.n / 2] = (char)(file.data[file.n / 2] ^ 4);
	assert_int_equal(file_write_atomic(path, file.data, file.n, NULL), 0);
	expect(path, ARCHIVE_DAMAGED, path);
	file.data[file.n / 2] = (char)(file.data[file.n / 2] ^ 4);
	assert_int_equal(file_write_atomic(path, file.data, file.n - 8, NULL), 0);
	expect(path, ARCHIVE_DAMAGED, "the file is cut");
	assert_int_equal(file_write_atomic(path, "", 0, NULL), 0);
	expect(path, ARCHIVE_DAMAGED, path);
	buf_add(&file, "x", 1);
	assert_int_equal(file_write_atomic(path, file.data, file.n, NULL), 0);
	expect(path, ARCHIVE_DAMAGED, "bytes behind the end");
	assert_int_equal(verify().bad, 1);
	buf_release(&file);
}

static void archive_verify__edited_with_a_new_checksum__id_tells(void **state)
{
	struct buf doc = {0};

	(void)state;
	doc_load(&doc, path);
	doc_replace(&doc, "116700.1", "116700.2");
	doc_save_as_is(&doc, path);
	expect(path, ARCHIVE_DAMAGED, "it was changed after it was written");
	buf_release(&doc);
}

/* Edited and given the id that fits: then the name is that of another record. */
static void archive_verify__edited_with_a_new_id__misplaced(void **state)
{
	struct buf doc = {0};

	(void)state;
	doc_load(&doc, path);
	doc_replace(&doc, "116700.1", "116700.2");
	doc_save(&doc, path);
	expect(path, ARCHIVE_MISPLACED, "its content belongs under the name 20260301T123456Z-");
	buf_release(&doc);
}

static void archive_verify__moved_to_another_folder_or_name__misplaced(void **state)
{
	const char *month = arena_printf(&arena, "%s/" FIXTURE_HOST "/2026/04", archive.root);
	const char *host = arena_printf(&arena, "%s/other-000000000000/2026/03", archive.root);
	const char *moved = file_join(&arena, month, file_name(path));
	const char *foreign = file_join(&arena, host, file_name(path));
	const char *renamed = beside("20260301T123457Z-000000000000.json.gz");

	(void)state;
	assert_int_equal(file_make_folders(month, NULL), 0);
	assert_int_equal(file_make_folders(host, NULL), 0);
	assert_int_equal(link(path, moved), 0);
	assert_int_equal(link(path, foreign), 0);
	assert_int_equal(link(path, renamed), 0);
	expect(moved, ARCHIVE_MISPLACED, "belongs into the folder " FIXTURE_HOST "/2026/03");
	expect(foreign, ARCHIVE_MISPLACED, "belongs into the folder " FIXTURE_HOST "/2026/03");
	expect(renamed, ARCHIVE_MISPLACED, "belongs under the name");
	expect(path, ARCHIVE_INTACT, NULL);
}

static void archive_verify__newer_schema__not_called_damaged(void **state)
{
	struct buf doc = {0};

	(void)state;
	doc_load(&doc, path);
	doc_replace(&doc, "flagstone.record/1", "flagstone.record/2");
	doc_save_as_is(&doc, path);
	expect(path, ARCHIVE_NEWER, "use a newer flagstone");
	assert_int_equal(verify().bad, 0);
	buf_release(&doc);
}

static void archive_verify__links_foreign_and_temporary_files__named(void **state)
{
	const char *link = beside("20260301T123456Z-aaaaaaaaaaaa.json.gz");
	const char *folder = arena_printf(&arena, "%s/evil-0123456789ab", archive.root);

	(void)state;
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(symlink("/etc", folder), 0);
	assert_int_equal(file_write_atomic(beside("notes.txt"), "x", 1, NULL), 0);
	assert_int_equal(file_write_atomic(beside(".new-AbCdEf"), "x", 1, NULL), 0);
	assert_int_equal(
		file_write_atomic(arena_printf(&arena, "%s/results.csv", archive.root), "x", 1, NULL), 0);
	assert_int_equal(
		file_write_atomic(arena_printf(&arena, "%s/README.md", archive.root), "x", 1, NULL), 0);
	assert_int_equal(file_make_folders(arena_printf(&arena, "%s/baselines/x", archive.root), NULL), 0);
	assert_int_equal(mkfifo(beside("20260301T123456Z-bbbbbbbbbbbb.json.gz"), 0600), 0);
	expect(link, ARCHIVE_LINK, "symbolic link");
	expect(folder, ARCHIVE_LINK, "symbolic link");
	expect(beside("notes.txt"), ARCHIVE_FOREIGN, "not an archive's");
	expect(beside(".new-AbCdEf"), ARCHIVE_TEMPORARY, "can be deleted");
	expect(beside("20260301T123456Z-bbbbbbbbbbbb.json.gz"), ARCHIVE_FOREIGN, "not an archive's");
	expect(arena_printf(&arena, "%s/results.csv", archive.root), ARCHIVE_FOREIGN, "not an archive's");
	assert_int_equal(verify().n, 7); /* README.md and baselines are at home here */
	assert_int_equal(verify().bad, 2);
	assert_int_equal(verify().intact, 1);
}

static void archive_verify__journals__live_then_dead(void **state)
{
	struct journal *journal = journal_create(&archive, record, NULL);
	const char *file;

	(void)state;
	assert_non_null(journal);
	file = arena_strdup(&arena, journal_path(journal));
	expect(file, ARCHIVE_JOURNAL_LIVE, "a run goes on");
	journal_close(journal);
	expect(file, ARCHIVE_JOURNAL_DEAD, "40 samples of 14 rounds can be kept");
	assert_int_equal(verify().bad, 0);
}

static void archive_verify_file__a_copy_elsewhere__judged_by_itself(void **state)
{
	const char *copy = arena_printf(&arena, "%s/copy.json.gz", top);

	(void)state;
	assert_int_equal(link(path, copy), 0);
	assert_int_equal(archive_verify_file(&archive, copy).state, ARCHIVE_INTACT);
	assert_int_equal(archive_verify_file(&archive, path).state, ARCHIVE_INTACT);
	assert_int_equal(archive_verify_file(&archive, top).state, ARCHIVE_UNREADABLE);
	assert_int_equal(unlink(copy), 0);
}

static void archive_merge__by_copying__both_archives_records_listed(void **state)
{
	struct record *other = fixture_plain(&arena, 1);
	struct archive second;
	struct archive_entries entries = {0};
	const char *from, *to;

	(void)state;
	other->host_name = "other-000000000000";
	assert_int_equal(
		archive_open(&second, &arena, arena_printf(&arena, "%s/second", top), true, NULL), 0);
	assert_int_equal(archive_write(&second, other, &from, NULL), 0);
	to = arena_printf(&arena, "%s%s", archive.root, from + strlen(second.root));
	assert_int_equal(file_make_folders(file_folder(&arena, to), NULL), 0);
	assert_int_equal(link(from, to), 0);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 2);
	assert_int_equal(verify().intact, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(archive_verify__as_written__intact, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__flipped_bits_and_cuts__damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__edited_with_a_new_checksum__id_tells, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__edited_with_a_new_id__misplaced, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__moved_to_another_folder_or_name__misplaced, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__newer_schema__not_called_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify__links_foreign_and_temporary_files__named, setup, teardown),
		cmocka_unit_test_setup_teardown(archive_verify__journals__live_then_dead, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_verify_file__a_copy_elsewhere__judged_by_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(
			archive_merge__by_copying__both_archives_records_listed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
