#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/host_name.h"
#include "record_fixture.h"

static void record_add_failure__many__all_kept(void **state)
{
	struct arena arena = {0};
	struct record *record = record_new(&arena);

	(void)state;
	for (int i = 0; i < 100; i++)
		record_add_failure(record, i, 0, "run", "number %d", i);
	assert_int_equal(record->failure_count, 100);
	assert_string_equal(record->failures[0].reason, "number 0");
	assert_string_equal(record->failures[99].reason, "number 99");
	assert_string_equal(record->failures[99].what, "run");
	record_release(record);
	arena_release(&arena);
}

static void record_note__twice__kept_once(void **state)
{
	struct arena arena = {0};
	struct record *record = record_new(&arena);

	(void)state;
	record_note(record, "cell %d was disturbed", 1);
	record_note(record, "cell %d was disturbed", 2);
	record_note(record, "cell %d was disturbed", 1);
	assert_int_equal(record->notes.n, 2);
	assert_string_equal(record->notes.v[1], "cell 2 was disturbed");
	record_release(record);
	arena_release(&arena);
}

static void record_lookups__full_record__found_or_not(void **state)
{
	struct arena arena = {0};
	struct record *record = fixture_full(&arena);

	(void)state;
	assert_ptr_equal(record_workload(record, "foreign"), &record->workloads[1]);
	assert_null(record_workload(record, "none"));
	assert_ptr_equal(record_toolchain(record, "gcc-12"), &record->toolchains[0]);
	assert_null(record_toolchain(record, "clang"));
	assert_int_equal(record_find_cell(record, "dhrystone/gcc/O3/4"), 1);
	assert_int_equal(record_find_cell(record, "dhrystone/gcc/O3"), -1);
	record_release(record);
	arena_release(&arena);
}

static void cell_status__text_and_back__same(void **state)
{
	(void)state;
	for (int i = CELL_PLANNED; i <= CELL_MEASURED; i++)
		assert_int_equal(cell_status_of(cell_status_text((enum cell_status)i)), i);
	assert_string_equal(cell_status_text(CELL_RUN_FAILED), "run failed");
	assert_int_equal(cell_status_of("Measured"), -1);
	assert_int_equal(cell_status_of(""), -1);
}

static void sample_init__all_columns__null_where_they_may_be(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_true(isnan(s.value));
	assert_int_equal(s.elapsed_ns, -1);
	assert_int_equal(s.run_wait_ns, -1);
	assert_true(s.canary_wide_after_ns == SAMPLE_NONE && s.repeat_of == SAMPLE_NONE);
	assert_int_equal(s.build, 0);
	assert_int_equal(s.start_offset_ns, 0);
	assert_int_equal(s.units, 1);
}

static void host_name__forms__only_names_with_twelve_hex_digits(void **state)
{
	static const char *const good[] = {
		FIXTURE_HOST, "x86_64-6-142-042d56455bb3", "a-0123456789ab", "ci.pool_7+x-aaaaaaaaaaaa"};
	static const char *const bad[] = {"", "baselines", "lost+found", "example", "..", "../x-0123456789ab",
		"a/b-0123456789ab", "x-0123456789aB", "x-0123456789a", "x0123456789ab", "-0123456789ab",
		".x-0123456789ab", "x\n-0123456789ab", ".git", "x86_64-6-142-042d56455bb3a"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(host_name_is_valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (host_name_is_valid(bad[i]))
			fail_msg("\"%s\" was taken as a host", bad[i]);
}

static void host_name_of__given_name__form_with_its_hash(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(host_name_of(&arena, FIXTURE_HOST), FIXTURE_HOST);
	/* printf 'flagstone host name\nci-pool' | sha256sum */
	assert_string_equal(host_name_of(&arena, "ci-pool"), "ci-pool-4a453dc8bb08");
	assert_true(host_name_is_valid(host_name_of(&arena, "ci-pool")));
	assert_null(host_name_of(&arena, "../x"));
	assert_null(host_name_of(&arena, ""));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_add_failure__many__all_kept),
		cmocka_unit_test(record_note__twice__kept_once),
		cmocka_unit_test(record_lookups__full_record__found_or_not),
		cmocka_unit_test(cell_status__text_and_back__same),
		cmocka_unit_test(sample_init__all_columns__null_where_they_may_be),
		cmocka_unit_test(host_name__forms__only_names_with_twelve_hex_digits),
		cmocka_unit_test(host_name_of__given_name__form_with_its_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
