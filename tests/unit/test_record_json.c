#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>

#include "record_doc.h"
#include "record_fixture.h"

static char folder[] = "/tmp/test_record_json.XXXXXX";
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

static struct record *read_back(struct arena *arena)
{
	struct record *record = NULL;
	struct error e = {0};

	if (record_read_file(path, NULL, arena, &record, &e) != 0)
		fail_msg("%s", e.text);
	return record;
}

static void same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void same_facts(const struct facts *a, const struct facts *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->v[i].key, b->v[i].key);
		same_text(a->v[i].source, b->v[i].source);
		if (strcmp(a->v[i].key, "host.name") != 0)
			same_text(a->v[i].value, b->v[i].value);
		same_text(a->v[i].reason, b->v[i].reason);
	}
}

static void same_words(const struct words *a, const struct words *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i], FIXTURE_HOSTILE) != 0)
			assert_string_equal(a->v[i], b->v[i]);
}

/* Bit by bit, but NAN is any NAN. Padding does not exist in this struct's columns. */
static void same_samples(const struct samples *a, const struct samples *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		for (size_t c = 0; c < sample_column_count; c++) {
			const struct column *column = &sample_columns[c];
			const char *x = (const char *)&a->v[i] + column->offset;
			const char *y = (const char *)&b->v[i] + column->offset;
			size_t size = column->type == COLUMN_U32 ? 4 : 8;

			if (column->type == COLUMN_DOUBLE && isnan(a->v[i].value))
				assert_true(isnan(b->v[i].value));
			else if (memcmp(x, y, size) != 0)
				fail_msg("column %s, row %zu differs", column->name, i);
		}
	}
}

static void same_builds(const struct record *a, const struct record *b)
{
	assert_int_equal(a->build_count, b->build_count);
	for (size_t i = 0; i < a->build_count; i++) {
		const struct record_build *x = &a->builds[i], *y = &b->builds[i];

		assert_string_equal(x->cell, y->cell);
		assert_string_equal(x->variant, y->variant);
		assert_string_equal(x->args, y->args);
		assert_int_equal(x->copies, y->copies);
		assert_int_equal(x->status, y->status);
		assert_int_equal(x->baseline, y->baseline);
		same_text(x->content_hash, y->content_hash);
		same_text(x->code_hash, y->code_hash);
		same_text(x->build_id, y->build_id);
		same_text(x->check_value, y->check_value);
		same_words(&x->commands, &y->commands);
		same_facts(&x->facts, &y->facts);
		assert_int_equal(x->layout_count, y->layout_count);
		for (size_t k = 0; k < x->layout_count; k++) {
			assert_int_equal(x->layouts[k].arm, y->layouts[k].arm);
			assert_int_equal(x->layouts[k].layout, y->layouts[k].layout);
			same_text(x->layouts[k].seed, y->layouts[k].seed);
			same_text(x->layouts[k].sha256, y->layouts[k].sha256);
		}
		assert_int_equal(x->function_count, y->function_count);
		for (size_t k = 0; k < x->function_count; k++) {
			assert_string_equal(x->functions[k].name, y->functions[k].name);
			assert_int_equal(x->functions[k].size, y->functions[k].size);
			same_text(x->functions[k].hash, y->functions[k].hash);
		}
	}
}

static void same_plan(const struct record_plan *a, const struct record_plan *b)
{
	same_text(a->matrix_name, b->matrix_name);
	same_text(a->seed, b->seed);
	assert_memory_equal(&a->settings, &b->settings, sizeof(a->settings));
	assert_int_equal(a->aa, b->aa);
	assert_int_equal(a->look_count, b->look_count);
	assert_memory_equal(a->looks, b->looks, sizeof(a->looks));
	assert_int_equal(a->last_look, b->last_look);
	assert_int_equal(a->layout_step_count, b->layout_step_count);
	assert_memory_equal(
		a->layout_steps, b->layout_steps, a->layout_step_count * sizeof(*a->layout_steps));
	assert_int_equal(a->comparison_count, b->comparison_count);
	for (size_t i = 0; i < a->comparison_count; i++) {
		assert_int_equal(a->comparisons[i].a, b->comparisons[i].a);
		assert_int_equal(a->comparisons[i].b, b->comparisons[i].b);
		assert_int_equal(a->comparisons[i].closed_at, b->comparisons[i].closed_at);
	}
	assert_true(
		a->canary_dep_limit_ns == b->canary_dep_limit_ns && a->run_wait_limit == b->run_wait_limit);
}

static void same_workloads(const struct record *a, const struct record *b)
{
	assert_int_equal(a->workload_count, b->workload_count);
	for (size_t i = 0; i < a->workload_count; i++) {
		const struct record_workload *x = &a->workloads[i], *y = &b->workloads[i];

		same_text(x->name, y->name);
		same_text(x->title, y->title);
		same_words(&x->tags, &y->tags);
		same_text(x->content_hash, y->content_hash);
		same_text(x->unit, y->unit);
		assert_int_equal(x->lower_is_better, y->lower_is_better);
		assert_true(x->units == y->units);
		same_facts(&x->facts, &y->facts);
		same_text(x->suite, y->suite);
		assert_true(x->suite_baseline == y->suite_baseline ||
			    (isnan(x->suite_baseline) && isnan(y->suite_baseline)));
	}
}

static void record_json__every_member_set__comes_back(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena), *b;

	(void)state;
	doc_write(a, path);
	b = read_back(&arena);
	assert_string_equal(a->id, b->id);
	same_text(a->kind, b->kind);
	same_text(a->run, b->run);
	same_text(a->continues, b->continues);
	same_text(a->group, b->group);
	assert_int_equal(a->repeat_index, b->repeat_index);
	assert_int_equal(a->repeat_count, b->repeat_count);
	same_text(a->started, b->started);
	same_text(a->finished, b->finished);
	assert_int_equal(a->complete, b->complete);
	same_text(a->incomplete_reason, b->incomplete_reason);
	same_facts(&a->harness, &b->harness);
	same_facts(&a->project, &b->project);
	same_text(a->host_name, b->host_name);
	same_facts(&a->host, &b->host);
	same_text(a->sessions[0].boot_id, b->sessions[0].boot_id);
	same_facts(&a->sessions[0].changed, &b->sessions[0].changed);
	same_words(&a->toolchains[0].slots, &b->toolchains[0].slots);
	same_facts(&a->toolchains[0].facts, &b->toolchains[0].facts);
	same_workloads(a, b);
	same_builds(a, b);
	same_plan(&a->plan, &b->plan);
	same_samples(&a->samples, &b->samples);
	assert_int_equal(a->failure_count, b->failure_count);
	assert_int_equal(b->failures[0].sample, 3);
	assert_int_equal(b->failures[1].sample, -1);
	assert_true(b->failures[1].build == UINT32_MAX);
	same_words(&a->notes, &b->notes);
	assert_true(json_equal(a->unknown, b->unknown));
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

static void record_json__hostile_texts__come_back_as_utf8(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena), *b;

	(void)state;
	doc_write(a, path);
	b = read_back(&arena);
	assert_string_equal(b->builds[0].reason, FIXTURE_HOSTILE_READ);
	assert_string_equal(b->builds[0].log_excerpt, FIXTURE_HOSTILE_READ);
	assert_string_equal(b->failures[1].reason, FIXTURE_HOSTILE_READ);
	assert_string_equal(b->notes.v[1], FIXTURE_HOSTILE_READ);
	assert_string_equal(facts_value(&b->host, "host.name"), FIXTURE_HOSTILE_READ);
	assert_string_equal(facts_value(&b->host, "host.empty"), "");
	assert_string_equal(b->plan.matrix_text, "workloads: [dhrystone]\n" FIXTURE_HOSTILE_READ);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

/* Written, read and written again is the same file, unknown members included. */
static void record_json__written_twice__same_bytes(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena), *b;
	struct buf first = {0}, second = {0};

	(void)state;
	doc_write(a, path);
	assert_int_equal(file_read(path, 1 << 24, &first, NULL), 0);
	b = read_back(&arena);
	assert_non_null(json_object_get(b->unknown, "of_the_future"));
	doc_write(b, path);
	assert_int_equal(file_read(path, 1 << 24, &second, NULL), 0);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(first.data, second.data, first.n);
	/* RFC 1952, 2.3: magic, deflate, no flags, no time; OS 255 */
	assert_memory_equal(first.data, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
	assert_int_equal((unsigned char)first.data[9], 255);
	buf_release(&first);
	buf_release(&second);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

static void record_json__no_samples_no_builds__valid(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 0), *b;
	struct buf doc = {0};

	(void)state;
	doc_write(a, path);
	b = read_back(&arena);
	assert_int_equal(b->samples.n, 0);
	assert_int_equal(b->build_count, 0);
	assert_null(b->unknown);
	doc_load(&doc, path);
	assert_non_null(strstr(doc.data, "\"value\":[]"));
	assert_true(text_starts(doc.data, RECORD_START));
	buf_release(&doc);
	record_release(b);
	arena_release(&arena);
}

/* Members that came after the first version are missing in what older versions wrote. */
static void record_json__without_members_added_later__read_as_zero(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena), *b;
	struct buf doc = {0};

	(void)state;
	doc_write(a, path);
	doc_load(&doc, path);
	doc_replace(&doc, "\"aa\":true,", "");
	doc_replace(&doc,
		"\"layout_steps\":[{\"round\":0,\"workload\":null,\"layouts\":16},"
		"{\"round\":16,\"workload\":0,\"layouts\":40}],",
		"");
	doc_replace(&doc, ",\"counted_rounds\":8", "");
	doc_replace(&doc, "\"functions\":[{\"name\":\"multiply.constprop.0\"", "\"others\":[{\"name\":\"x\"");
	doc_save(&doc, path);
	b = read_back(&arena);
	assert_int_equal(a->builds[0].function_count, 2);
	assert_int_equal(b->builds[0].function_count, 0);
	assert_null(b->builds[0].functions);
	assert_true(a->plan.aa);
	assert_false(b->plan.aa);
	assert_int_equal(a->plan.layout_step_count, 2);
	assert_int_equal(b->plan.layout_step_count, 0);
	assert_int_equal(a->plan.settings.counted_rounds, 8);
	assert_int_equal(b->plan.settings.counted_rounds, 0);
	assert_int_equal(b->plan.last_look, a->plan.last_look);
	buf_release(&doc);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

/* A column that came later is not written where it says nothing; older records have none: null, not 0. */
static void record_json__columns_added_later__absent_where_all_null(void **state)
{
	static const char *const names[] = {"cycles", "instructions", "branch_misses", "energy_uj"};
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 2), *b;
	struct buf doc = {0};

	(void)state;
	fixture_samples(a, 40, "a machine without a PMU");
	a->samples.v[7].energy_uj = 0;
	doc_write(a, path);
	doc_load(&doc, path);
	for (size_t i = 0; i < 3; i++)
		assert_null(strstr(doc.data, arena_printf(&arena, "\"%s\"", names[i])));
	assert_non_null(strstr(doc.data, "\"energy_uj\":[null,null,null,null,null,null,null,0,null"));
	assert_non_null(strstr(doc.data, "\"repeat_of\":[null,")); /* of the first version: always there */
	b = read_back(&arena);
	same_samples(&a->samples, &b->samples);
	assert_int_equal(b->samples.v[3].cycles, -1);
	assert_int_equal(b->samples.v[7].energy_uj, 0);
	assert_int_equal(b->samples.v[39].migrations, SAMPLE_NONE); /* round 19 is not counted */
	buf_release(&doc);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

static void record_json__many_samples__bit_by_bit(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 7), *b;

	(void)state;
	fixture_samples(a, 20011, "many"); /* many windows of the reader */
	doc_write(a, path);
	b = read_back(&arena);
	same_samples(&a->samples, &b->samples);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

static void record_read_head__with_samples__head_and_count(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_full(&arena), *b;
	uint64_t count = 0;
	int fd;

	(void)state;
	doc_write(a, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(record_read_head(fd, path, &arena, &b, &count, NULL), 0);
	assert_int_equal(count, 40);
	assert_int_equal(b->samples.n, 0);
	assert_int_equal(b->build_count, 3);
	assert_string_equal(b->id, a->id);
	close(fd);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

static void record_json__columns_in_other_order_or_null_ones_missing__read(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 2), *b;
	struct buf doc = {0};
	char *start, *end;

	(void)state;
	fixture_samples(a, 3, "order");
	doc_write(a, path);
	doc_load(&doc, path);
	start = strstr(doc.data, "\"samples\":{");
	end = strstr(start, "}");
	memset(start + 11, ' ', (size_t)(end - start - 11));
	doc_replace(&doc, "\"samples\":{",
		"\"samples\":{\"value\":[1.5,null,2e3],\"of_the_future\":[[1],{\"a\":\"]\"}],"
		"\"session\":[0,0,0],\"build\":[0,1,1],\"arm\":[0,0,0],\"copy\":[0,0,0],"
		"\"layout\":[1,2,3],\"round\":[0,0,0],\"block\":[0,0,0],\"position\":[0,1,2],"
		"\"units\":[ 1 ,\n2,3],\"start_offset_ns\":[0,-1,2],\"marks\":[0,0,0]");
	doc_save(&doc, path);
	b = read_back(&arena);
	assert_int_equal(b->samples.n, 3);
	assert_true(b->samples.v[0].value == 1.5 && isnan(b->samples.v[1].value) &&
		    b->samples.v[2].value == 2000);
	assert_int_equal(b->samples.v[2].layout, 3);
	assert_int_equal(b->samples.v[1].start_offset_ns, -1);
	assert_int_equal(b->samples.v[1].elapsed_ns, -1);
	assert_true(b->samples.v[1].repeat_of == SAMPLE_NONE);
	buf_release(&doc);
	record_release(a);
	record_release(b);
	arena_release(&arena);
}

/* What could not be read again is not written. */
static void record_write__what_readers_refuse__refused(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	struct error e = {0};

	(void)state;
	fixture_samples(a, 3, "refuse");
	a->samples.v[1].value = INFINITY;
	assert_int_equal(record_write(a, 1, "x", &e), -1);
	assert_non_null(strstr(e.text, "column value, row 1 (cell dhrystone/gcc/O2/1): inf is not"));
	a->samples.v[1].value = 1;
	a->samples.v[2].elapsed_ns = -7;
	assert_int_equal(record_write(a, 1, "x", &e), -1);
	assert_non_null(strstr(e.text, "column elapsed_ns, row 2 (cell dhrystone/gcc/O2/1): -7 is negative"));
	a->samples.v[2].elapsed_ns = 7;
	a->plan.settings.budget_ns = INT64_C(1) << 53;
	assert_int_equal(record_write(a, 1, "x", &e), -1);
	assert_non_null(strstr(e.text, "2^53"));
	a->plan.settings.budget_ns = 0;
	a->started = NULL;
	assert_int_equal(record_write(a, 1, "x", &e), -1);
	assert_non_null(strstr(e.text, "has no \"started\""));
	record_release(a);
	arena_release(&arena);
}

static void record_write__full_device__error(void **state)
{
	struct arena arena = {0};
	struct record *a = fixture_plain(&arena, 1);
	struct error e = {0};
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(record_write(a, fd, "/dev/full", &e), -1);
	assert_non_null(strstr(e.text, "writing /dev/full: No space left on device"));
	assert_int_equal(e.code, EXIT_CANNOT);
	close(fd);
	record_release(a);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_json__every_member_set__comes_back),
		cmocka_unit_test(record_json__hostile_texts__come_back_as_utf8),
		cmocka_unit_test(record_json__written_twice__same_bytes),
		cmocka_unit_test(record_json__no_samples_no_builds__valid),
		cmocka_unit_test(record_json__without_members_added_later__read_as_zero),
		cmocka_unit_test(record_json__columns_added_later__absent_where_all_null),
		cmocka_unit_test(record_json__many_samples__bit_by_bit),
		cmocka_unit_test(record_read_head__with_samples__head_and_count),
		cmocka_unit_test(record_json__columns_in_other_order_or_null_ones_missing__read),
		cmocka_unit_test(record_write__what_readers_refuse__refused),
		cmocka_unit_test(record_write__full_device__error),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
