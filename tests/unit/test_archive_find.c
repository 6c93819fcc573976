#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "archive/archive.h"
#include "record_doc.h"
#include "record_fixture.h"

static char top[] = "/tmp/test_archive_find.XXXXXX";
static struct arena arena;
static struct archive archive;

static int setup(void **state)
{
	static int number;

	(void)state;
	return archive_open(&archive, &arena, arena_printf(&arena, "%s/%d", top, number++), true, NULL);
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

/* Archives a record of this start; *path is its file. */
static struct record *add(const char *started, const char **path)
{
	struct record *record = fixture_plain(&arena, 2);
	struct error e = {0};

	record->started = started;
	record->plan.matrix_name = "quick";
	record->builds[1].status = CELL_BUILD_FAILED;
	fixture_samples(record, 6, started);
	for (size_t i = 0; i < 6; i++)
		record->samples.v[i].copy = 0;
	if (archive_write(&archive, record, path, &e) != 0)
		fail_msg("%s", e.text);
	record_release(record); /* its samples only */
	return record;
}

static const char *found(const char *text)
{
	const char *path = NULL;
	struct error e = {0};

	if (archive_find(&archive, text, &path, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	return path;
}

static void not_found(const char *text, enum exit_code code, const char *why)
{
	const char *path = "untouched";
	struct error e = {0};

	assert_int_equal(archive_find(&archive, text, &path, &e), -1);
	if (strstr(e.text, why) == NULL)
		fail_msg("the error is \"%s\", not \"%s\"", e.text, why);
	assert_int_equal(e.code, code);
	assert_string_equal(path, "untouched");
}

static void archive_list__records_out_of_order__by_start_with_heads(void **state)
{
	struct archive_entries entries = {0};
	const char *path;

	(void)state;
	add("2026-03-02T00:00:00Z", &path);
	add("2025-12-31T23:59:59Z", &path);
	add("2026-03-01T00:00:00Z", &path);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 3);
	assert_int_equal(entries.warnings.n, 0);
	assert_string_equal(entries.v[0].started, "2025-12-31T23:59:59Z");
	assert_string_equal(entries.v[2].started, "2026-03-02T00:00:00Z");
	assert_string_equal(entries.v[0].matrix, "quick");
	assert_string_equal(entries.v[0].host, FIXTURE_HOST);
	assert_string_equal(entries.v[0].kind, "run");
	assert_true(entries.v[0].complete);
	assert_int_equal(entries.v[0].cells, 2);
	assert_int_equal(entries.v[0].measured, 1);
	assert_int_equal(entries.v[0].samples, 6);
	assert_null(entries.v[0].continues);
}

static void archive_list__malformed_files__skipped_with_a_warning(void **state)
{
	struct archive_entries entries = {0};
	const char *good, *folder, *bad, *nonsense;
	struct buf doc = {0};

	(void)state;
	add("2026-03-01T00:00:00Z", &good);
	folder = file_folder(&arena, good);
	bad = arena_printf(&arena, "%s/20260301T000000Z-aaaaaaaaaaaa.json.gz", folder);
	nonsense = arena_printf(&arena, "%s/20260301T000000Z-bbbbbbbbbbbb.json.gz", folder);
	assert_int_equal(file_write_atomic(bad, "{ not gzip", 10, NULL), 0);
	buf_adds(&doc, "{\"valid\": \"JSON, but no record, long enough for the place of an id to be in it: "
		       "0000000000000000000000000000000000000000\"}");
	doc_save_as_is(&doc, nonsense);
	buf_release(&doc);
	/* what is not of an archive's form is not looked at */
	assert_int_equal(file_make_folders(arena_printf(&arena, "%s/notes/2026/03", archive.root), NULL), 0);
	assert_int_equal(file_make_folders(arena_printf(&arena, "%s/lost+found", archive.root), NULL), 0);
	assert_int_equal(file_make_folders(arena_printf(&arena, "%s/baselines", archive.root), NULL), 0);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 1);
	assert_int_equal(entries.warnings.n, 2);
	assert_non_null(strstr(entries.warnings.v[0], bad));
	assert_non_null(strstr(entries.warnings.v[1], nonsense));
	assert_string_equal(found("latest"), good);
	not_found("ffffffff", EXIT_USAGE, "2 of the archive's files cannot be read");
}

static void archive_list__symbolic_links__not_followed(void **state)
{
	struct archive_entries entries = {0};
	const char *path, *other = arena_printf(&arena, "%s/elsewhere", top);

	(void)state;
	add("2026-03-01T00:00:00Z", &path);
	assert_int_equal(file_make_folders(other, NULL), 0);
	assert_int_equal(symlink(path, arena_printf(&arena, "%s/20260301T000001Z-cccccccccccc.json.gz",
					       file_folder(&arena, path))),
		0);
	assert_int_equal(symlink(archive.root, arena_printf(&arena, "%s/x-0123456789ab", archive.root)), 0);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 1);
	assert_int_equal(entries.warnings.n, 1);
	assert_non_null(strstr(entries.warnings.v[0], "symbolic link"));
}

static void archive_find__latest__counts_back(void **state)
{
	const char *first, *second, *third;

	(void)state;
	not_found("latest", EXIT_NOTHING, "there is no record of a run");
	add("2026-03-01T00:00:00Z", &first);
	add("2026-03-03T00:00:00Z", &third);
	add("2026-03-02T00:00:00Z", &second);
	assert_string_equal(found("latest"), third);
	assert_string_equal(found("latest~0"), third);
	assert_string_equal(found("latest~1"), second);
	assert_string_equal(found("latest~2"), first);
	not_found("latest~3", EXIT_USAGE, "holds 3 runs");
	not_found("latest~x", EXIT_USAGE, "did you mean latest?");
	not_found("lates", EXIT_USAGE, "did you mean latest?");
	not_found("latest~-1", EXIT_USAGE, "there is no record");
}

/*
 * A run that is resumed again and again: all its records have one start, and ids are random, so that only the chain can
 * tell the order.
 */
static void archive_list__chain_of_resumed_runs__in_the_order_of_the_chain(void **state)
{
	enum { CHAIN = 12 };
	struct archive_entries entries = {0};
	const char *ids[CHAIN], *path;

	(void)state;
	for (size_t i = 0; i < CHAIN; i++) {
		struct record *record = fixture_plain(&arena, 1);

		record->started = "2026-03-01T00:00:00Z";
		record->continues = i > 0 ? ids[i - 1] : NULL;
		assert_int_equal(archive_write(&archive, record, &path, NULL), 0);
		ids[i] = record->id;
	}
	add("2026-02-28T00:00:00Z", &path);
	add("2026-03-02T00:00:00Z", &path);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, CHAIN + 2);
	for (size_t i = 0; i < CHAIN; i++)
		assert_string_equal(entries.v[1 + i].id, ids[i]);
	assert_int_equal(entries.v[CHAIN].chain, CHAIN - 1);
}

static void archive_list__clock_set_back__told(void **state)
{
	struct archive_entries entries = {0};
	struct record *record = fixture_plain(&arena, 1);
	const char *path;

	(void)state;
	add("2026-03-01T00:00:00Z", &path);
	record->started = "2026-03-02T00:00:00Z";
	record->finished = "2026-03-01T23:59:59Z";
	assert_int_equal(archive_write(&archive, record, &path, NULL), 0);
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 2);
	assert_string_equal(entries.v[1].finished, "2026-03-01T23:59:59Z");
	assert_true(archive_clock_went_back(&entries.v[1]));
	entries.v[1].finished = "1 o'clock";
	assert_false(archive_clock_went_back(&entries.v[1]));
	entries.v[1].finished = entries.v[1].started;
	assert_false(archive_clock_went_back(&entries.v[1]));
	entries.v[1].finished = NULL;
	assert_false(archive_clock_went_back(&entries.v[1]));
}

static void archive_find__continued_record__hidden_by_the_one_that_continues_it(void **state)
{
	struct archive_entries entries = {0};
	struct record *older, *newer = fixture_plain(&arena, 1);
	const char *first, *second, *third;

	(void)state;
	add("2026-02-01T00:00:00Z", &first);
	older = add("2026-03-01T00:00:00Z", &second);
	newer->started = "2026-03-01T00:00:00Z"; /* a resumed run began when it began */
	newer->continues = older->id;
	assert_int_equal(archive_write(&archive, newer, &third, NULL), 0);
	assert_string_equal(found("latest"), third);
	assert_string_equal(found("latest~1"), first);
	assert_string_equal(
		found(arena_strndup(&arena, older->id, 12)), second); /* by name it is still there */
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.v[1].superseded + entries.v[2].superseded, 1);
}

static void archive_find__prefixes__unique_ambiguous_or_near(void **state)
{
	struct record *record;
	const char *path;
	char prefix[65], wrong[13];

	(void)state;
	record = add("2026-03-01T00:00:00Z", &path);
	for (int n = 4; n <= 64; n += 15) {
		snprintf(prefix, sizeof(prefix), "%.*s", n, record->id);
		assert_string_equal(found(prefix), path);
	}
	snprintf(wrong, sizeof(wrong), "%.12s", record->id);
	wrong[7] = wrong[7] == '0' ? '1' : '0';
	not_found(wrong, EXIT_USAGE, arena_printf(&arena, "did you mean %.12s?", record->id));
	not_found("abc", EXIT_USAGE, "there is no record");
	not_found("", EXIT_USAGE, "there is no record");
}

/* Two records whose ids begin alike: found by trying: four digits meet after some 300 (birthdays). */
static void archive_find__ambiguous_prefix__both_listed(void **state)
{
	static struct record *seen[65536];
	const char *path;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct record *record = fixture_plain(&arena, 0), *other;
		char prefix[5];
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		assert_int_equal(record_write(record, null, "/dev/null", NULL), 0);
		close(null);
		snprintf(prefix, sizeof(prefix), "%.4s", record->id);
		other = seen[strtoul(prefix, NULL, 16)];
		seen[strtoul(prefix, NULL, 16)] = record;
		if (other == NULL)
			continue;
		assert_int_equal(archive_write(&archive, record, &path, NULL), 0);
		assert_int_equal(archive_write(&archive, other, &path, NULL), 0);
		not_found(prefix, EXIT_USAGE, "is the beginning of 2 records; give more digits");
		not_found(prefix, EXIT_USAGE, arena_strndup(&arena, record->id, 12));
		not_found(prefix, EXIT_USAGE, arena_strndup(&arena, other->id, 12));
		return;
	}
	fail_msg("20000 random ids and no two begin with the same four digits");
}

static void archive_find__paths__taken_as_they_are(void **state)
{
	const char *path;

	(void)state;
	add("2026-03-01T00:00:00Z", &path);
	assert_string_equal(found(path), path);
	not_found("/nowhere/x.json.gz", EXIT_USAGE, "there is no record at the path /nowhere/x.json.gz");
	not_found("x.json.gz", EXIT_USAGE, "there is no record at the path");
	not_found("./", EXIT_USAGE, "is not a record's file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(archive_list__records_out_of_order__by_start_with_heads, setup),
		cmocka_unit_test_setup(archive_list__malformed_files__skipped_with_a_warning, setup),
		cmocka_unit_test_setup(archive_list__symbolic_links__not_followed, setup),
		cmocka_unit_test_setup(archive_list__chain_of_resumed_runs__in_the_order_of_the_chain, setup),
		cmocka_unit_test_setup(archive_list__clock_set_back__told, setup),
		cmocka_unit_test_setup(archive_find__latest__counts_back, setup),
		cmocka_unit_test_setup(
			archive_find__continued_record__hidden_by_the_one_that_continues_it, setup),
		cmocka_unit_test_setup(archive_find__prefixes__unique_ambiguous_or_near, setup),
		cmocka_unit_test_setup(archive_find__ambiguous_prefix__both_listed, setup),
		cmocka_unit_test_setup(archive_find__paths__taken_as_they_are, setup),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
