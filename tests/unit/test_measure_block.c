/* Blocks, samples and calibration, with a worker of known speed (test_measure_worker.h). FLAGSTONE_LIBEXEC: the spawner. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/file.h"
#include "measure/measure.h"
#include "test_measure_worker.h"

enum { UNITS = 1000 };

static struct arena arena;
static struct cpu_list order;
static struct measurer m;
static struct record *record;

static void start(const char *seed)
{
	struct error e = {0};
	char *spawner = spawner_find_helper(&arena, "spawner", &e);

	if (spawner == NULL || measurer_init(&m, spawner, &order, seed, &arena, &e) != 0)
		fail_msg("%s", e.text);
	m.timeout_ns = 20000000000;
	record = record_new(&arena);
}

static void stop(void)
{
	measurer_release(&m);
	record_release(record);
}

static int setup(void **state)
{
	(void)state;
	start("a seed");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stop();
	return 0;
}

static struct measure_item item(uint32_t build, const char *words)
{
	struct measure_item made = {
		.build = build, .program = worker_self(), .copies = 1, .units = UNITS, .layout = 5};

	assert_int_equal(words_split(&made.arguments, &arena, words, NULL, NULL), 0);
	return made;
}

static void block(
	const struct measure_item *items, size_t count, uint32_t round, uint32_t number, bool *failed)
{
	struct error e = {0};

	if (measure_block(&m, record, items, count, round, number, failed, &e) != 0)
		fail_msg("%s", e.text);
}

static size_t rows_of(uint32_t build)
{
	size_t n = 0;

	for (size_t i = 0; i < record->samples.n; i++)
		n += record->samples.v[i].build == build;
	return n;
}

static const struct sample *row_of(uint32_t build)
{
	for (size_t i = 0; i < record->samples.n; i++)
		if (record->samples.v[i].build == build)
			return &record->samples.v[i];
	fail_msg("no row of build %u", build);
	return NULL;
}

static void measure_block__one_item__row_is_complete(void **state)
{
	struct measure_item i = item(0, "");
	const struct sample *row;

	(void)state;
	i.arm = 1;
	m.session = 2;
	block(&i, 1, 7, 3, NULL);
	assert_int_equal(record->samples.n, 1);
	row = row_of(0);
	assert_true(row->value == 1e6); /* 1000 ns a unit */
	assert_int_equal(row->elapsed_ns, 1000000);
	assert_int_equal(row->units, UNITS);
	assert_int_equal(row->round, 7);
	assert_int_equal(row->block, 3);
	assert_int_equal(row->position, 0);
	assert_int_equal(row->layout, 5);
	assert_int_equal(row->arm, 1);
	assert_int_equal(row->session, 2);
	assert_int_equal(row->copy, 0);
	assert_int_equal(row->marks, 0);
	assert_int_equal(row->repeat_of, SAMPLE_NONE);
	assert_true(row->start_offset_ns > 0 && row->start_offset_ns < 20000000000);
	assert_true(row->user_ns >= 0 && row->system_ns >= 0 && row->peak_kib > 0 && row->env_bytes > 0);
	assert_true(row->canary_dep_before_ns > 0 && row->canary_dep_before_ns != SAMPLE_NONE);
	assert_true(row->canary_dep_after_ns != SAMPLE_NONE && row->canary_wide_after_ns != SAMPLE_NONE);
}

static void measure_block__lower_is_better_and_rate__value_in_the_workloads_unit(void **state)
{
	struct measure_item items[2] = {item(0, ""), item(1, "mode=rate")};

	(void)state;
	items[0].lower_is_better = true;
	block(items, 2, 0, 0, NULL);
	assert_true(fabs(row_of(0)->value - 1e-6) < 1e-18); /* seconds a unit */
	assert_true(row_of(1)->value == 12.5);
}

static void measure_block__order__random_and_the_seeds(void **state)
{
	enum { ITEMS = 5, ROUNDS = 8 };
	struct measure_item items[ITEMS];
	uint32_t builds[3][ITEMS * ROUNDS], bytes[3][ITEMS * ROUNDS];
	const char *seeds[3] = {"a seed", "a seed", "another"};
	size_t changed = 0;

	(void)state;
	for (uint32_t i = 0; i < ITEMS; i++)
		items[i] = item(i, "");
	for (int run = 0; run < 3; run++) {
		stop();
		start(seeds[run]);
		for (uint32_t round = 0; round < ROUNDS; round++)
			block(items, ITEMS, round, 0, NULL);
		assert_int_equal(record->samples.n, ITEMS * ROUNDS);
		for (size_t i = 0; i < ITEMS * ROUNDS; i++) {
			builds[run][i] = record->samples.v[i].build;
			/* what is random of a process's memory: all of it is drawn from the seed */
			bytes[run][i] = record->samples.v[i].env_bytes +
					record->samples.v[i].stack_bytes * 8192 +
					record->samples.v[i].heap_bytes / 16 * (1U << 24);
			assert_int_equal(record->samples.v[i].position, i % ITEMS);
			assert_int_equal(record->samples.v[i].round, i / ITEMS);
		}
	}
	assert_memory_equal(builds[0], builds[1], sizeof(builds[0]));
	assert_memory_equal(bytes[0], bytes[1], sizeof(bytes[0]));
	assert_memory_not_equal(builds[0], builds[2], sizeof(builds[0]));
	for (size_t round = 0; round < ROUNDS; round++) { /* each round has each item once */
		uint32_t seen = 0;

		for (size_t i = 0; i < ITEMS; i++)
			seen |= 1U << builds[0][round * ITEMS + i];
		assert_int_equal(seen, (1U << ITEMS) - 1);
		changed += round > 0 && memcmp(&builds[0][round * ITEMS], &builds[0][(round - 1) * ITEMS],
						ITEMS * sizeof(uint32_t)) != 0;
	}
	assert_true(changed >= ROUNDS / 2); /* two rounds alike: 1 in 120 */
}

/* The cell marked for little overlap is measured again twice, with its baseline alone. */
static void measure_block__marked_item__again_with_its_baseline_at_most_twice(void **state)
{
	struct measure_item items[4] = {item(0, ""), item(1, ""), item(2, "mode=apart"), item(3, "")};
	uint32_t position = 0;

	(void)state;
	items[0].group = items[1].group = items[2].group = 1;
	items[0].is_baseline = items[3].is_baseline = true;
	items[2].copies = 2;
	items[3].group = 2;
	block(items, 4, 0, 0, NULL);
	assert_int_equal(rows_of(0), 3);
	assert_int_equal(rows_of(1), 1);
	assert_int_equal(rows_of(2), 3 * 2);
	assert_int_equal(rows_of(3), 1);
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];
		bool again = row->position >= 4;

		assert_int_equal(
			row->copy, i > 0 && row[-1].build == 2 && row->build == 2 && row[-1].copy == 0);
		assert_int_equal(row->marks, row->build == 2 ? MARK_OVERLAP : 0);
		assert_int_equal(row->position, row->copy == 0 && i > 0 ? ++position : position);
		assert_int_equal(row->repeat_of != SAMPLE_NONE, again);
		if (again) {
			assert_true(row->repeat_of < i);
			assert_int_equal(record->samples.v[row->repeat_of].build, row->build);
			assert_int_equal(record->samples.v[row->repeat_of].copy, 0);
		}
	}
	assert_int_equal(position, 3 + 2 * 2);
}

static void measure_block__marked_baseline__its_whole_group_again(void **state)
{
	struct measure_item items[4] = {item(0, "mode=apart"), item(1, ""), item(2, ""), item(3, "")};

	(void)state;
	items[0].group = items[1].group = items[2].group = 1;
	items[0].is_baseline = items[3].is_baseline = true;
	items[0].copies = 2;
	items[3].group = 2;
	block(items, 4, 0, 0, NULL);
	assert_int_equal(rows_of(0), 3 * 2);
	assert_int_equal(rows_of(1), 3);
	assert_int_equal(rows_of(2), 3);
	assert_int_equal(rows_of(3), 1);
}

static void measure_block__canary_over_its_limit__marked_and_measured_again(void **state)
{
	struct measure_item i = item(0, "");

	(void)state;
	m.canary_dep_limit_ns = 1e-3; /* no machine is that fast */
	m.canary_wide_limit_ns = 1e12;
	block(&i, 1, 0, 0, NULL);
	assert_int_equal(record->samples.n, 3);
	assert_int_equal(record->samples.v[0].marks & (MARK_FREQ | MARK_SHARED), MARK_FREQ);
	assert_int_equal(record->samples.v[1].repeat_of, 0);
	assert_int_equal(record->samples.v[2].repeat_of, 1);
	assert_true(record->samples.v[0].value == 1e6); /* kept: marks do not take the value away */
}

static void measure_block__failing_items__marked_told_and_not_tried_again(void **state)
{
	static const struct {
		const char *words;
		uint32_t mark;
		const char *what, *reason;
	} cases[] = {
		{"mode=exit22", MARK_SIGNAL, "run", "ended with exit code 22: cannot go on"},
		{"mode=silent", MARK_SIGNAL, "run", "ended with exit code 0 but gave no result line"},
		{"mode=wrong", MARK_CHECK, "check", "wrong result: check value 3001 instead of 3000"},
		{"mode=back", MARK_SIGNAL, "run", "its clock makes no sense"}, /* CASES.md 42 */
		{"mode=fewer", MARK_SIGNAL, "run", "another number of units"},
		{"pace=-5", MARK_SIGNAL, "run", "its clock makes no sense"},
		{"mode=hang", MARK_TIMEOUT, "timeout", "did not end within 300 ms"},
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	struct measure_item items[COUNT + 1];
	bool failed[COUNT + 1];

	(void)state;
	m.timeout_ns = 300000000;
	for (uint32_t i = 0; i < COUNT; i++)
		items[i] = item(i, cases[i].words);
	items[COUNT] = item(COUNT, "");
	for (uint32_t i = 0; i <= COUNT; i++) {
		items[i].group = 1;
		items[i].check_value = "3000";
	}
	items[COUNT].is_baseline = true;
	block(items, COUNT + 1, 4, 0, failed);
	assert_int_equal(record->samples.n, COUNT + 1);
	assert_int_equal(record->failure_count, COUNT);
	assert_false(failed[COUNT]);
	for (size_t i = 0; i < COUNT; i++) {
		const struct record_failure *f = &record->failures[i];
		const struct sample *row = &record->samples.v[f->sample];

		assert_int_equal(row->build, f->build);
		assert_true(failed[f->build]);
		assert_true(isnan(row->value));
		assert_int_equal(row->marks & MARKS_FAILED, cases[f->build].mark);
		assert_string_equal(f->what, cases[f->build].what);
		/* CASES.md 35: which run it was */
		assert_true(text_starts(f->reason, "round 4, layout 5, copy 0: "));
		if (strstr(f->reason, cases[f->build].reason) == NULL)
			fail_msg("%s: %s", cases[f->build].words, f->reason);
	}
}

static void measure_block__program_is_missing__failed_with_its_path(void **state)
{
	struct measure_item i = item(0, "");
	bool failed;

	(void)state;
	i.program = "/nowhere/program";
	block(&i, 1, 0, 0, &failed);
	assert_true(failed);
	assert_non_null(strstr(record->failures[0].reason, "/nowhere/program"));
}

static void measure_block__copies_at_once__a_row_each_canaries_in_the_first(void **state)
{
	struct measure_item i = item(0, "mode=together");

	(void)state;
	i.copies = 3;
	block(&i, 1, 0, 0, NULL);
	assert_int_equal(record->samples.n, 3);
	for (uint32_t k = 0; k < 3; k++) {
		const struct sample *row = &record->samples.v[k];

		assert_int_equal(row->copy, k);
		assert_int_equal(row->position, 0);
		assert_int_equal(row->marks & MARK_OVERLAP, 0);
		assert_int_equal(row->canary_dep_before_ns == SAMPLE_NONE, k > 0);
		assert_int_equal(row->canary_wide_after_ns == SAMPLE_NONE, k > 0);
		assert_int_equal(row->env_bytes, record->samples.v[0].env_bytes);
		assert_int_equal(row->stack_bytes, record->samples.v[0].stack_bytes);
		assert_int_equal(row->heap_bytes, record->samples.v[0].heap_bytes);
	}
}

/* protocol.h: multiples of 16 below 4096; 64 draws of 256 are 57 different ones on average, 40 and fewer p < 1e-8 */
static void measure_block__start_of_stack_and_heap__drawn_for_each_process(void **state)
{
	struct measure_item i = item(0, "");
	bool stacks[256] = {false}, heaps[256] = {false};
	size_t stack_count = 0, heap_count = 0, equal = 0;

	(void)state;
	for (uint32_t round = 0; round < 64; round++)
		block(&i, 1, round, 0, NULL);
	for (size_t k = 0; k < 64; k++) {
		const struct sample *row = &record->samples.v[k];
		size_t stack = row->stack_bytes / 16, heap = row->heap_bytes / 16;

		assert_true(stack < 256 && heap < 256);
		assert_int_equal(row->stack_bytes % 16 + row->heap_bytes % 16, 0);
		stack_count += !stacks[stack];
		heap_count += !heaps[heap];
		stacks[stack] = heaps[heap] = true;
		equal += stack == heap;
	}
	assert_in_range(stack_count, 41, 64);
	assert_in_range(heap_count, 41, 64);
	assert_in_range(equal, 0, 8);
}

/* CASES.md 32 */
static void measure_block__children_outlive_the_worker__failed(void **state)
{
	struct measure_item i = item(0, "mode=children");

	(void)state;
	block(&i, 1, 0, 0, NULL);
	assert_int_equal(record->failure_count, 1);
	assert_non_null(strstr(record->failures[0].reason, "left processes behind"));
	assert_true(isnan(record->samples.v[0].value)); /* work done elsewhere must not look fast */
}

static uint64_t calibrate(const char *words, int64_t sample_ns, const char **reason)
{
	struct measure_start start = {.program = worker_self()};
	struct words arguments = {0};
	struct error e = {0};
	uint64_t units = 0;

	*reason = NULL;
	assert_int_equal(words_split(&arguments, &arena, words, NULL, NULL), 0);
	if (measure_calibrate(&m, &start, &arguments, sample_ns, &units, reason, &e) != 0)
		fail_msg("%s", e.text);
	return units;
}

static void measure_calibrate__known_speed__power_of_two_of_1_to_2_samples(void **state)
{
	const char *reason;

	(void)state;
	assert_int_equal(calibrate("pace=1000", 5000000, &reason), 8192); /* 5000 units wanted */
	assert_null(reason);
	assert_int_equal(calibrate("pace=1000", 4096000, &reason), 4096); /* just so */
	assert_int_equal(calibrate("pace=1", 5000000, &reason), 8388608);
	assert_int_equal(calibrate("pace=3000000000", 5000000, &reason), 1); /* what cannot be cut shorter */
	assert_null(reason);
}

/* A machine that is 16 times slower at first: the fastest counts, and one that stands alone is not believed. */
static void measure_calibrate__slow_start__tries_until_two_agree(void **state)
{
	const struct {
		int slow, tries;
		uint64_t units;
	} cases[] = {{0, 3, 8192}, {1, 3, 8192}, {2, 4, 8192},
		{3, 3, 512 /* too slow for too long: rounds find out */}};
	const char *reason;
	struct buf starts = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char folder[] = "/tmp/flagstone-test-XXXXXX";
		char *path;

		assert_non_null(mkdtemp(folder));
		path = file_join(&arena, folder, "starts");
		assert_int_equal(
			calibrate(arena_printf(&arena, "pace=1000 starts=%s slow=%d", path, cases[i].slow),
				5000000, &reason),
			cases[i].units);
		assert_null(reason);
		buf_clear(&starts);
		assert_int_equal(file_read(path, 64, &starts, NULL), 0);
		assert_int_equal(starts.n, cases[i].tries);
		assert_int_equal(file_remove_tree(folder, NULL), 0);
	}
	buf_release(&starts);
}

/* CASES.md 34: more units take no longer; whatever it measures, it is not the work. */
static void measure_calibrate__work_removed__below_resolution(void **state)
{
	const char *reason;

	(void)state;
	calibrate("mode=removed", 5000000, &reason);
	assert_non_null(strstr(reason, "below resolution"));
}

static void measure_calibrate__no_answer__reason(void **state)
{
	const char *reason;

	(void)state;
	calibrate("mode=exit22", 5000000, &reason);
	assert_string_equal(reason, "ended with exit code 22: cannot go on");
	calibrate("units=0 pace=0 calibrate=0", 0, &reason);
	assert_non_null(strstr(reason, "makes no sense"));
}

static void measure_once__line__without_newline(void **state)
{
	const char *const words[] = {"units=4", "pace=7", NULL};
	const struct measure_start start = {.program = worker_self()};
	const char *line, *reason;
	struct error e = {0};

	(void)state;
	assert_int_equal(measure_once(&m, &start, words, 20000000000, &line, &reason, &e), 0);
	assert_null(reason);
	assert_string_equal(measure_field(line, "elapsed_ns", &arena), "28");
	assert_string_equal(measure_field(line, "check", &arena), "12");
	assert_null(strchr(line, '\n'));
}

static void measure_settle__thresholds__waited_for_or_never_met(void **state)
{
	(void)state;
	assert_int_equal(measure_settle(&m, 1000000000), 0); /* nothing is known of rest */
	m.rest_dep_ns = m.rest_wide_ns = 1e12;
	assert_true(measure_settle(&m, 1000000000) >= 0);
	m.rest_dep_ns = 1e-3;
	assert_int_equal(measure_settle(&m, 50000000), -1);
	m.rest_dep_ns = 0;
	measure_rest(&m);
	assert_true(m.rest_dep_ns > 0 && m.rest_wide_ns > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(measure_block__one_item__row_is_complete),
		TEST(measure_block__lower_is_better_and_rate__value_in_the_workloads_unit),
		TEST(measure_block__order__random_and_the_seeds),
		TEST(measure_block__marked_item__again_with_its_baseline_at_most_twice),
		TEST(measure_block__marked_baseline__its_whole_group_again),
		TEST(measure_block__canary_over_its_limit__marked_and_measured_again),
		TEST(measure_block__failing_items__marked_told_and_not_tried_again),
		TEST(measure_block__program_is_missing__failed_with_its_path),
		TEST(measure_block__copies_at_once__a_row_each_canaries_in_the_first),
		TEST(measure_block__start_of_stack_and_heap__drawn_for_each_process),
		TEST(measure_block__children_outlive_the_worker__failed),
		TEST(measure_calibrate__known_speed__power_of_two_of_1_to_2_samples),
		TEST(measure_calibrate__slow_start__tries_until_two_agree),
		TEST(measure_calibrate__no_answer__reason),
		TEST(measure_calibrate__work_removed__below_resolution),
		TEST(measure_once__line__without_newline),
		TEST(measure_settle__thresholds__waited_for_or_never_met),
	};
	struct cpu_list allowed = {0};
	struct error e = {0};
	int failed;

	pace_main(argc, argv);
	if (cpu_allowed("", &arena, &allowed, &e) != 0 ||
		cpu_pin_order("", &allowed, &arena, &order, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
