/*
 * Counters and energy in the rows of a block, with a worker of known speed (test_measure_worker.h) and energy from a
 * made-up tree. FLAGSTONE_LIBEXEC: the spawner.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../sysroot/tree.h"
#include "measure/measure.h"
#include "sys/perf.h"
#include "test_measure_worker.h"

static struct arena arena;
static struct cpu_list order;
static struct measurer m;
static struct record *record;

static int setup(void **state)
{
	struct error e = {0};
	char *spawner = spawner_find_helper(&arena, "spawner", &e);

	(void)state;
	if (spawner == NULL || measurer_init(&m, spawner, &order, "a seed", &arena, &e) != 0)
		fail_msg("%s", e.text);
	m.timeout_ns = 20000000000;
	record = record_new(&arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	measurer_release(&m);
	record_release(record);
	return 0;
}

static struct measure_item worker(uint32_t copies)
{
	struct measure_item item = {.program = worker_self(), .copies = copies, .units = 1000};

	words_add(&item.arguments, &arena, "mode=together");
	return item;
}

/* A worker that is started by a script with the worker's command line as "$0" and "$@". */
static struct measure_item scripted(const char *script)
{
	struct measure_item item = worker(1);

	words_add(&item.runner, &arena, "/bin/sh");
	words_add(&item.runner, &arena, "-c");
	words_add(&item.runner, &arena, script);
	return item;
}

static const struct sample *measure(struct measure_item item, uint32_t round)
{
	size_t before = record->samples.n;
	struct error e = {0};

	if (measure_block(&m, record, &item, 1, round, 0, NULL, &e) != 0)
		fail_msg("%s", e.text);
	return &record->samples.v[before];
}

static bool can(enum counter counter)
{
	return perf_try(counter).errnum == 0;
}

static bool nothing_counted(const struct sample *row)
{
	return row->task_clock_ns == -1 && row->page_faults == SAMPLE_NONE &&
	       row->migrations == SAMPLE_NONE && row->cycles == -1 && row->instructions == -1 &&
	       row->branch_misses == -1;
}

static void measure_block__counters_are_off__nothing_is_counted(void **state)
{
	(void)state;
	assert_true(nothing_counted(measure(worker(1), 0)));
	assert_int_equal(m.counts, 0);
}

/* What can be had is there in rounds 0 and 8, nothing in round 1; a count that is not to be had stays unknown. */
static void measure_block__every_8th_round__counts_there_alone(void **state)
{
	static const uint32_t rounds[] = {0, 8, 1};

	(void)state;
	m.counted_rounds = 8;
	for (size_t i = 0; i < 3; i++) {
		const struct sample *row = measure(worker(1), rounds[i]);
		bool on = rounds[i] != 1;

		assert_int_equal(row->task_clock_ns > 0, on && can(COUNTER_TASK_CLOCK));
		assert_int_equal(row->page_faults != SAMPLE_NONE && row->page_faults > 0,
			on && can(COUNTER_PAGE_FAULTS));
		assert_int_equal(row->migrations != SAMPLE_NONE, on && can(COUNTER_MIGRATIONS));
		if (!can(COUNTER_INSTRUCTIONS))
			assert_int_equal(row->instructions, -1);
	}
	assert_int_equal(record->samples.n, 3); /* what is counted makes no row */
}

static void measure_block__copies__their_sum_in_the_first_row(void **state)
{
	const struct sample *row;

	(void)state;
	m.counted_rounds = 1;
	row = measure(worker(3), 5);
	assert_int_equal(record->samples.n, 3);
	if (can(COUNTER_PAGE_FAULTS)) {
		/* three equal programs; rusage has a few more each */
		uint32_t usage = row[0].minor_faults + row[1].minor_faults + row[2].minor_faults;

		assert_true(row[0].page_faults > usage / 2 && row[0].page_faults <= usage + 10);
	}
	assert_true(nothing_counted(&row[1]) && nothing_counted(&row[2]));
	assert_int_equal(row[1].energy_uj, -1);
}

/* The script notes each run's words and the size of its environment: the second is as the first. */
static void measure_block__counted_run__has_the_samples_words_and_start(void **state)
{
	char *folder = worker_scratch();
	char *notes = file_join(&arena, folder, "notes");
	struct buf text = {0};
	struct error e = {0};
	char *second;

	(void)state;
	m.counted_rounds = 1;
	measure(scripted(arena_printf(
			&arena, "echo \"$* ${#FLAGSTONE_SIZE}\" >>%s; exec \"$0\" \"$@\"", notes)),
		0);
	assert_int_equal(file_read(notes, 65536, &text, &e), 0);
	second = strchr(text.data, '\n');
	assert_non_null(second);
	*second++ = '\0';
	if (!can(COUNTER_TASK_CLOCK)) { /* then nothing runs a second time */
		assert_string_equal(second, "");
		second = arena_printf(&arena, "%s\n", text.data);
	}
	assert_int_equal(strncmp(text.data, "units=1000 mode=together stack=", 31), 0);
	*strchr(second, '\n') = '\0';
	assert_string_equal(text.data, second);
	buf_release(&text);
	file_remove_tree(folder, NULL);
}

static void measure_block__counted_run_fails__counts_unknown_and_told_sample_stays(void **state)
{
	char *folder = worker_scratch();
	const struct sample *row;

	(void)state;
	m.counted_rounds = 1;
	row = measure(
		scripted(arena_printf(&arena, "mkdir %s/once && exec \"$0\" \"$@\"; exit 3", folder)), 0);
	assert_true(row->value == 1e6); /* 1000 ns a unit */
	assert_int_equal(record->failure_count, 0);
	assert_true(nothing_counted(row));
	assert_int_equal(m.counts_lost, m.counts);
	assert_int_equal(m.counts > 0, can(COUNTER_TASK_CLOCK));
	file_remove_tree(folder, NULL);
}

static void measure_block__failed_sample__is_not_counted(void **state)
{
	struct measure_item item = worker(1);

	(void)state;
	m.counted_rounds = 1;
	item.program = "/nowhere/program";
	assert_true(nothing_counted(measure(item, 0)));
	assert_int_equal(m.counts, 0);
}

/* Nothing moves the made-up counter: 0 is known, and unlike unknown. */
static void measure_block__energy__in_every_round_where_there_is_any(void **state)
{
	char *root = tree_scratch();

	(void)state;
	tree_unpack("rapl-amd", root);
	host_energy_close(&m.energy);
	assert_int_equal(measure(worker(1), 1)->energy_uj, -1);
	host_energy_open(&m.energy, root, NULL, NULL);
	assert_int_equal(measure(worker(1), 1)->energy_uj, 0);
	tree_remove(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(measure_block__counters_are_off__nothing_is_counted),
		TEST(measure_block__every_8th_round__counts_there_alone),
		TEST(measure_block__copies__their_sum_in_the_first_row),
		TEST(measure_block__counted_run__has_the_samples_words_and_start),
		TEST(measure_block__counted_run_fails__counts_unknown_and_told_sample_stays),
		TEST(measure_block__failed_sample__is_not_counted),
		TEST(measure_block__energy__in_every_round_where_there_is_any),
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
