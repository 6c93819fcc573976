#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>

#include "record_doc.h"
#include "record_fixture.h"

static char folder[] = "/tmp/test_record_read.XXXXXX";
static char path[sizeof(folder) + 32];

static int make_folder(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/record.json.gz", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return file_remove_tree(folder, NULL);
}

/* Reading must fail, and the error say this. */
static void expect_error(const struct record_limits *limits, const char *text)
{
	struct arena arena = {0};
	struct record *record = NULL;
	struct error e = {0};

	if (record_read_file(path, limits, &arena, &record, &e) == 0)
		fail_msg("was read, but should be refused: %s", text);
	if (strstr(e.text, text) == NULL || strstr(e.text, path) == NULL)
		fail_msg("the error is \"%s\", not \"%s\"", e.text, text);
	assert_null(record);
	arena_release(&arena);
}

struct fault {
	const char *from, *to, *error;
};

/* Each fault alone must be refused with a text that says where. */
static void refuse(const struct fault *faults, size_t count)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 2);

	fixture_samples(a, 4, "faults");
	for (size_t i = 0; i < 4; i++) {
		a->samples.v[i].copy = 0;
		a->samples.v[i].value = 1.5 + (double)i;
		a->samples.v[i].elapsed_ns = 100;
		a->samples.v[i].units = 8;
		a->samples.v[i].peak_kib = 7;
		a->samples.v[i].start_offset_ns = 0;
	}
	record_add_failure(a, 1, 1, "run", "failed");
	for (size_t i = 0; i < count; i++) {
		struct buf doc = {0};

		doc_write(a, path);
		doc_load(&doc, path);
		doc_replace(&doc, faults[i].from, faults[i].to);
		doc_save(&doc, path);
		expect_error(NULL, faults[i].error);
		buf_release(&doc);
	}
	record_release(a);
	arena_release(&arena);
}

static void record_read__bad_columns__column_row_and_cell_named(void **state)
{
	static const char values[] = "\"value\":[1.5,2.5,3.5,4.5]",
			  times[] = "\"elapsed_ns\":[100,100,100,100]";
	static const char builds[] = "\"build\":[0,1,0,1]", kib[] = "\"peak_kib\":[7,7,7,7]";
	static const struct fault faults[] = {
		{values, "\"value\":[1.5,NaN,3.5,4.5]", "column value, row 1: \"NaN\" is not a number"},
		{values, "\"value\":[1.5,NaN,3.5,4.5]", "cell is dhrystone/gcc/O3/4"},
		{values, "\"value\":[1.5,Infinity,3.5,4.5]", "column value, row 1"},
		{values, "\"value\":[1.5,1e999,3.5,4.5]", "column value, row 1"},
		{values, "\"value\":[1.5,2.5,0,4.5]",
			"column value, row 2 (cell dhrystone/gcc/O2/1): 0 is not"},
		{values, "\"value\":[1.5,2.5,3.5,-4.5]",
			"column value, row 3 (cell dhrystone/gcc/O3/4): -4.5"},
		{values, "\"value\":[1.5,\"2.5\",3.5,4.5]", "column value, row 1"},
		{values, "\"value\":[1.5,true,3.5,4.5]", "column value, row 1"},
		{values, "\"value\":[1.5,2.5,3.5]", "column value has 3 rows, the columns before it 4"},
		{values, "\"value\":[1.5,2.5,3.5,4.5,5.5]", "column value has more than the 4 rows"},
		{values, "\"value\":[]", "column value has 0 rows"},
		{values, "\"value\":[1.5,2.5,3.5,4.5],\"value\":[1.5,2.5,3.5,4.5]",
			"column value is given twice"},
		{values, "\"value\":{}", "'['"},
		{values, "\"value\":[1.5,,3.5,4.5]", "column value, row 1"},
		{values, "\"value\":[1.5 2.5,3.5,4.5]", "',' or ']'"},
		{times, "\"elapsed_ns\":[100,100,-1,100]", "column elapsed_ns, row 2: \"-1\" is negative"},
		{times, "\"elapsed_ns\":[100,1.0,100,100]",
			"column elapsed_ns, row 1: \"1.0\" is not an integer"},
		{times, "\"elapsed_ns\":[100,9007199254740992,100,100]", "column elapsed_ns, row 1"},
		{times, "\"elapsed_ns\":[100,99999999999999999999999,100,100]", "is out of range"},
		{times, "\"elapsed_ns\":[007,100,100,100]", "column elapsed_ns, row 0"},
		{builds, "\"build\":[0,1,2,1]",
			"column build, row 2 (cell unknown): 2 is no index of a build"},
		{builds, "\"build\":[0,null,0,1]", "column build, row 1: \"null\" is not allowed"},
		{builds, "\"build\":[0,4294967295,0,1]", "is out of range"},
		{builds, "\"future\":[0,1,0,1]", "column build is missing"},
		{kib, "\"peak_kib\":[-7,7,7,7]", "column peak_kib, row 0: \"-7\" is negative"},
		{"\"session\":[0,0,0,0]", "\"session\":[0,0,0,1]",
			"row 3 (cell dhrystone/gcc/O3/4): 1 is no index of a session"},
		{"\"copy\":[0,0,0,0]", "\"copy\":[0,0,1,0]", "row 2 (cell dhrystone/gcc/O2/1): 1 is no copy"},
		{"\"repeat_of\":[null,null,null,null]", "\"repeat_of\":[null,null,2,null]",
			"row 2 (cell dhrystone/gcc/O2/1): 2 is no earlier row"},
		{"\"marks\":[0", "\"marks\":[x", "column marks, row 0"},
	};

	(void)state;
	refuse(faults, sizeof(faults) / sizeof(faults[0]));
}

static void record_read__bad_members__member_named(void **state)
{
	static const struct fault faults[] = {
		{"\"kind\":\"run\"", "\"kind\":7", "kind: must be a string, but is an integer"},
		{"\"kind\":\"run\"", "\"kind\":\"walk\"", "\"walk\" is none of run"},
		{"\"kind\":\"run\",", "", "has no \"kind\""},
		{"\"kind\":\"run\"", "\"kind\":\"run\",\"kind\":\"run\"", "duplicate"},
		{"\"kind\":\"run\"", "\"kind\":\"\\u0000\"", "not valid JSON"},
		{"\"kind\":\"run\"", "\"kind\":\"\xff\"", "not valid JSON"},
		{"\"complete\":true", "\"complete\":1", "complete: must be true or false"},
		{"\"copies\":4", "\"copies\":-4", "builds[1].copies: -4 is not between"},
		{"\"copies\":4", "\"copies\":4.0", "builds[1].copies: must be an integer"},
		{"\"status\":\"measured\"", "\"status\":\"fast\"", "builds[0].status: \"fast\" is no status"},
		{"\"looks\":[]", "\"looks\":[1,2,3,4,5,6,7,8,9]", "plan.looks: has 9 elements"},
		{"\"comparisons\":[]", "\"comparisons\":[{\"a\":0,\"b\":2,\"closed_at\":0}]",
			"comparisons[0]: 2 is no index"},
		{"\"layout_steps\":[]", "\"layout_steps\":[{\"round\":0,\"workload\":3,\"layouts\":8}]",
			"plan.layout_steps[0].workload: 3 is no index"},
		{"\"layout_steps\":[]", "\"layout_steps\":[{\"round\":0,\"workload\":null,\"layouts\":0}]",
			"plan.layout_steps[0]: 0 layouts"},
		{"\"layout_steps\":[]",
			"\"layout_steps\":[{\"round\":0,\"workload\":null,\"layouts\":4000000000}]",
			"plan.layout_steps[0]: 4000000000 layouts"},
		{"\"layout_steps\":[]",
			"\"layout_steps\":[{\"round\":9,\"workload\":null,\"layouts\":8},"
			"{\"round\":8,\"workload\":null,\"layouts\":9}]",
			"rounds must not go back"},
		{"\"facts\":{}", "\"facts\":{\"a\":1}", "builds[0].facts"},
		{"\"commands\":[]", "\"commands\":[1]", "builds[0].commands[0]: must be a string"},
		{"\"sample\":1", "\"sample\":4", "failures[0].sample: 4 is no row"},
		{"\"build\":1,", "\"build\":2,", "failures[0].build: 2 is no index"},
		{"\"sample_count\":4", "\"sample_count\":5", "sample_count is 5, but there are 4"},
		{"\"sample_count\":4,", "", "has no \"sample_count\""},
		{"\"samples\":", "\"sample\":", "has no \"samples\""},
		{"\n}\n", "\n}\n{}", "behind the end of the document"},
		{"\n}\n", "\n", "the document ends where"},
		{"\"notes\":[]", "\"notes\":[}", "not valid JSON"},
	};

	(void)state;
	refuse(faults, sizeof(faults) / sizeof(faults[0]));
}

static void record_read__other_schemas__refused_with_what_to_do(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	static const struct fault faults[] = {
		{"flagstone.record/1", "flagstone.record/2", "written by a newer flagstone"},
		{"flagstone.record/1", "flagstone.record/10", "written by a newer flagstone"},
		{"flagstone.record/1", "flagstone.record/0", "never existed"},
		{"flagstone.record/1", "flagstone.recipe/1", "not a flagstone record"},
		{"flagstone.record/1", "flagstone.record/1.0", "not a flagstone record"},
		{"{\"schema\"", "{ \"schema\"", "not a flagstone record"},
		{"\"id\":\"", "\"id\":\"x", "not a flagstone record"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct buf doc = {0};

		doc_write(a, path);
		doc_load(&doc, path);
		doc_replace(&doc, faults[i].from, faults[i].to);
		if (strcmp(faults[i].to, "flagstone.record/0") == 0)
			doc_save(&doc, path);
		else
			doc_save_as_is(&doc, path);
		expect_error(NULL, faults[i].error);
		buf_release(&doc);
	}
	record_release(a);
	arena_release(&arena);
}

static void record_read__changed_content__id_does_not_fit(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena);
	struct buf doc = {0};

	(void)state;
	doc_write(a, path);
	doc_load(&doc, path);
	doc_replace(&doc, "Dhrystone 2", "Dhrystone 3");
	doc_save_as_is(&doc, path);
	expect_error(NULL, "it was changed after it was written");
	buf_release(&doc);
	record_release(a);
	arena_release(&arena);
}

static void write_bytes(const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, bytes, count, path, NULL), 0);
	close(fd);
}

/* Reads what lies at the path; the result does not matter to the caller but that it is one. */
static int try_read(void)
{
	struct arena arena = {0};
	struct record *record = NULL;
	struct error e = {0};
	int result = record_read_file(path, NULL, &arena, &record, &e);

	if (result == 0)
		record_release(record);
	else
		assert_true(e.code != EXIT_YES && e.text[0] != '\0');
	arena_release(&arena);
	return result;
}

static void record_read__cut_at_every_byte__refused(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena);
	struct buf file = {0};

	(void)state;
	doc_write(a, path);
	assert_int_equal(file_read(path, 1 << 24, &file, NULL), 0);
	for (size_t n = 0; n < file.n; n++) {
		write_bytes(file.data, n);
		assert_int_equal(try_read(), -1);
	}
	write_bytes(file.data, file.n);
	assert_int_equal(try_read(), 0);
	buf_release(&file);
	record_release(a);
	arena_release(&arena);
}

/*
 * A few bits of the gzip form mean nothing (time stamp, OS, padding behind the last block): where one of those is
 * flipped, what is unpacked must be the same to the last byte.
 */
static void record_read__a_flipped_bit__refused_or_without_effect(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena);
	struct buf file = {0}, before = {0};
	size_t unnoticed = 0;

	(void)state;
	doc_write(a, path);
	doc_load(&before, path);
	assert_int_equal(file_read(path, 1 << 24, &file, NULL), 0);
	for (size_t i = 0; i < file.n; i++) {
		char was = file.data[i];

		file.data[i] = (char)(was ^ 1 << i % 8);
		write_bytes(file.data, file.n);
		file.data[i] = was;
		if (try_read() == 0) {
			struct buf after = {0};

			doc_load(&after, path);
			if (after.n != before.n || memcmp(after.data, before.data, after.n) != 0)
				fail_msg("a flipped bit in byte %zu went unnoticed", i);
			buf_release(&after);
			unnoticed++;
		}
	}
	if (unnoticed > 16) /* of some 3,500 */
		fail_msg("%zu flips went unnoticed", unnoticed);
	buf_release(&file);
	buf_release(&before);
	record_release(a);
	arena_release(&arena);
}

static void record_read__text_cut_at_every_byte_with_fitting_id__refused(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	struct buf doc = {0};
	size_t whole;

	(void)state;
	fixture_samples(a, 2, "cut");
	doc_write(a, path);
	doc_load(&doc, path);
	whole = doc.n;
	for (size_t n = DOC_ID + 64; n + 1 < whole; n++) {
		struct buf part = {0};

		buf_add(&part, doc.data, n);
		doc_save(&part, path);
		assert_int_equal(try_read(), -1);
		buf_release(&part);
	}
	buf_release(&doc);
	record_release(a);
	arena_release(&arena);
}

static void record_read__two_members_or_trailing_bytes__refused(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	struct buf file = {0}, twice = {0};
	size_t n;

	(void)state;
	doc_write(a, path);
	assert_int_equal(file_read(path, 1 << 24, &file, NULL), 0);
	n = file.n;
	buf_add(&twice, file.data, n);
	buf_add(&twice, file.data, n);
	write_bytes(twice.data, twice.n);
	expect_error(NULL, "bytes behind the end");
	write_bytes(twice.data, n + 1);
	expect_error(NULL, "bytes behind the end");
	buf_release(&file);
	buf_release(&twice);
	record_release(a);
	arena_release(&arena);
}

/* `count` bytes of one letter as a gzip file behind a record's start. */
static void write_bomb(const char *start, char letter, size_t count)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct gzip_writer *w = gzip_writer_new(fd, path, 9);
	char block[65536];

	assert_int_equal(gzip_write(w, start, strlen(start), NULL), 0);
	memset(block, letter, sizeof(block));
	for (size_t done = 0; done < count; done += sizeof(block))
		assert_int_equal(gzip_write(w, block, sizeof(block), NULL), 0);
	assert_int_equal(gzip_finish(w, NULL), 0);
	gzip_writer_free(w);
	close(fd);
}

#define START RECORD_START "0000000000000000000000000000000000000000000000000000000000000000\","

static void record_read__bombs__refused_by_what_they_unpack_to(void **state)
{
	const struct record_limits small = {
		.bytes = 1 << 20, .samples = 1000, .text = 1 << 18, .values = 1000};
	struct stat st;

	(void)state;
	write_bomb(START "\"a\":\"", 'x', 200 << 20);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 300 << 10);
	expect_error(NULL, "bytes of text allowed");
	expect_error(&small, "bytes of text allowed");
	write_bomb(START, ' ', 8 << 20);
	expect_error(&small, "unpacks to more than the 1048576 bytes");
	write_bomb(START "\"a\":[0", ',', 1 << 17);
	expect_error(&small, "values allowed");
	write_bomb(START "\"a\":", '[', 1 << 17);
	expect_error(&small, "values allowed");
}

static void record_read__nested_deep__refused(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	struct buf doc = {0}, deep = {0};

	(void)state;
	buf_adds(&deep, "\"deep\":");
	for (int i = 0; i < 100; i++)
		buf_addc(&deep, '[');
	for (int i = 0; i < 100; i++)
		buf_addc(&deep, ']');
	buf_adds(&deep, ",\"notes\":");
	doc_write(a, path);
	doc_load(&doc, path);
	doc_replace(&doc, "\"notes\":", deep.data);
	doc_save(&doc, path);
	expect_error(NULL, "nested deeper than");
	buf_release(&doc);
	buf_release(&deep);
	record_release(a);
	arena_release(&arena);
}

static void record_read__more_samples_than_allowed__refused(void **state)
{
	struct record_limits limits = record_default_limits;
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);

	(void)state;
	fixture_samples(a, 11, "limit");
	doc_write(a, path);
	limits.samples = 10;
	expect_error(&limits, "more than the 10 samples allowed");
	record_release(a);
	arena_release(&arena);
}

static void record_read__no_regular_file__refused(void **state)
{
	struct arena arena = {0};
	struct record *record = NULL;
	struct error e = {0};

	(void)state;
	assert_int_equal(record_read_file(folder, NULL, &arena, &record, &e), -1);
	assert_non_null(strstr(e.text, "not a regular file"));
	assert_int_equal(record_read_file("/dev/zero", NULL, &arena, &record, &e), -1);
	assert_non_null(strstr(e.text, "not a regular file"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_read__bad_columns__column_row_and_cell_named),
		cmocka_unit_test(record_read__bad_members__member_named),
		cmocka_unit_test(record_read__other_schemas__refused_with_what_to_do),
		cmocka_unit_test(record_read__changed_content__id_does_not_fit),
		cmocka_unit_test(record_read__cut_at_every_byte__refused),
		cmocka_unit_test(record_read__a_flipped_bit__refused_or_without_effect),
		cmocka_unit_test(record_read__text_cut_at_every_byte_with_fitting_id__refused),
		cmocka_unit_test(record_read__two_members_or_trailing_bytes__refused),
		cmocka_unit_test(record_read__bombs__refused_by_what_they_unpack_to),
		cmocka_unit_test(record_read__nested_deep__refused),
		cmocka_unit_test(record_read__more_samples_than_allowed__refused),
		cmocka_unit_test(record_read__no_regular_file__refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
