#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/repeats.h"

/*
 * Medians over repeats. The limits, 5 % noisy and 8 % unfit of at least three medians, are those of STATISTICS
 * ("the practice of acceptance tests"); medians and ranges below are worked out by hand.
 */

struct fixture {
	struct arena arena;
	struct record *record;
	struct repeats repeats;
};

static void add_repeat(struct fixture *f, double a, double b)
{
	struct cell_summary cells[2] = {
		{.build = 0, .has_value = a > 0, .median = a}, {.build = 1, .has_value = b > 0, .median = b}};
	struct result result = {.cells = cells, .cell_count = 2};

	repeats_add(&f->repeats, f->record, &result);
}

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	f.record = record_new(&f.arena);
	f.record->builds = arena_array(&f.arena, 2, sizeof(*f.record->builds));
	f.record->build_count = 2;
	f.record->builds[0] = (struct record_build){.cell = "w/gcc/O2/1", .workload = "w"};
	f.record->builds[1] = (struct record_build){.cell = "w/gcc/O3/1", .workload = "w"};
	f.record->workloads = arena_array(&f.arena, 1, sizeof(*f.record->workloads));
	f.record->workload_count = 1;
	f.record->workloads[0] = (struct record_workload){.name = "w", .unit = "lps"};
	f.repeats = (struct repeats){.arena = &f.arena, .wanted = 4};
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_release(f->record);
	arena_release(&f->arena);
	return 0;
}

static const char *answer_of(json_t *list, size_t i)
{
	return json_text(json_array_get(list, i), "answer", "");
}

static void repeats__three_medians__answered_by_their_range(void **state)
{
	struct fixture *f = *state;
	json_t *list;

	/* (104 - 100) / 100 = 4 %; (106 - 100) / 103 = 5.8 % */
	add_repeat(f, 100, 100);
	add_repeat(f, 104, 106);
	add_repeat(f, 100, 103);
	list = repeats_json(&f->repeats);
	assert_string_equal(answer_of(list, 0), "steady");
	assert_string_equal(answer_of(list, 1), "noisy");
	assert_true(json_num(json_array_get(list, 0), "median", -1) == 100);
	assert_true(json_num(json_array_get(list, 0), "range", -1) == 0.04);
	assert_true(json_num(json_array_get(list, 1), "median", -1) == 103);
	json_decref(list);
}

static void repeats__over_eight_percent__unfit_and_exactly_eight_noisy(void **state)
{
	struct fixture *f = *state;
	json_t *list;

	add_repeat(f, 96, 100);
	add_repeat(f, 100, 100);
	add_repeat(f, 104, 109);
	list = repeats_json(&f->repeats);
	assert_string_equal(answer_of(list, 0), "noisy"); /* (104 - 96) / 100 is 8 %, not over it */
	assert_string_equal(answer_of(list, 1), "unfit");
	json_decref(list);
}

static void repeats__even_number__mean_of_the_middle_two(void **state)
{
	struct fixture *f = *state;
	json_t *list;

	add_repeat(f, 4, 1);
	add_repeat(f, 1, 1);
	add_repeat(f, 3, 1);
	add_repeat(f, 2, 1);
	list = repeats_json(&f->repeats);
	assert_true(json_num(json_array_get(list, 0), "median", -1) == 2.5);
	assert_true(json_num(json_array_get(list, 1), "range", -1) == 0);
	json_decref(list);
}

static void repeats__cell_that_failed_in_some__judged_by_the_others_or_not(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};
	json_t *list;

	add_repeat(f, 100, 0);
	add_repeat(f, 100, 0);
	add_repeat(f, 0, 0);
	list = repeats_json(&f->repeats);
	assert_string_equal(answer_of(list, 0), "too few repeats to judge");
	assert_string_equal(answer_of(list, 1), "not measured");
	assert_true(json_is_null(json_object_get(json_array_get(list, 1), "median")));
	json_decref(list);
	repeats_print(&f->repeats, &text);
	assert_non_null(strstr(buf_text(&text), "w/gcc/O2/1"));
	assert_null(strstr(buf_text(&text), "w/gcc/O3/1"));
	assert_null(strstr(buf_text(&text), "nan"));
	buf_release(&text);
}

static void repeats_print__rates__as_in_the_table(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	add_repeat(f, 27310000, 27.31);
	repeats_print(&f->repeats, &text);
	assert_non_null(strstr(buf_text(&text), "27.31 M lps"));
	assert_non_null(strstr(buf_text(&text), "27.31 lps"));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			repeats__three_medians__answered_by_their_range, setup, teardown),
		cmocka_unit_test_setup_teardown(
			repeats__over_eight_percent__unfit_and_exactly_eight_noisy, setup, teardown),
		cmocka_unit_test_setup_teardown(
			repeats__even_number__mean_of_the_middle_two, setup, teardown),
		cmocka_unit_test_setup_teardown(
			repeats__cell_that_failed_in_some__judged_by_the_others_or_not, setup, teardown),
		cmocka_unit_test_setup_teardown(repeats_print__rates__as_in_the_table, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
