#include "measure/count.h"

#include "measure/sample.h"
#include "sys/perf.h"

bool sample_count_wanted(const struct measurer *m, uint32_t round)
{
	return m->counted_rounds > 0 && round % m->counted_rounds == 0;
}

static uint32_t small(int64_t count)
{
	return count >= 0 && count < SAMPLE_NONE ? (uint32_t)count : SAMPLE_NONE;
}

static void set_counts(struct sample *row, const int64_t *counts)
{
	row->task_clock_ns = counts[COUNTER_TASK_CLOCK];
	row->page_faults = small(counts[COUNTER_PAGE_FAULTS]);
	row->migrations = small(counts[COUNTER_MIGRATIONS]);
	row->cycles = counts[COUNTER_CYCLES];
	row->instructions = counts[COUNTER_INSTRUCTIONS];
	row->branch_misses = counts[COUNTER_BRANCH_MISSES];
}

/* The environment of the size that the row's process had. */
static char **same_environment(const struct measure_item *item, const struct sample *row, struct arena *arena)
{
	uint32_t least, bytes;

	sample_environment_of(&item->env, 0, arena, &least);
	return sample_environment_of(
		&item->env, row->env_bytes > least ? row->env_bytes - least : 0, arena, &bytes);
}

static bool all_ended_well(
	const struct measurer *m, const struct spawn_copy *copies, uint32_t count, struct arena *arena)
{
	for (uint32_t k = 0; k < count; k++)
		if (sample_failure(&copies[k], m->timeout_ns, arena) != NULL)
			return false;
	return true;
}

static void take_counts(struct measurer *m, const struct perf *perf, bool well, struct sample *row)
{
	int64_t counts[COUNTERS];

	perf_read(perf, counts);
	for (int i = 0; i < COUNTERS; i++) {
		if (!well)
			counts[i] = -1;
		m->counts += perf->fds[i] >= 0;
		m->counts_lost += perf->fds[i] >= 0 && counts[i] < 0;
	}
	set_counts(row, counts);
}

int sample_count(struct measurer *m, const struct measure_item *item, struct sample *row, struct error *e)
{
	struct arena arena = {0};
	struct words argv = {0};
	struct spawn_copy *copies = arena_array(&arena, item->copies, sizeof(*copies));
	struct spawn_request request = {.copies = item->copies,
		.barrier = item->copies > 1,
		.stdin_path = item->stdin_path,
		.timeout_ns = m->timeout_ns};
	struct perf perf;
	int result = 0;

	sample_words(item, &arena, &argv);
	sample_add_start(row->stack_bytes, row->heap_bytes, &arena, &argv);
	request.argv = argv.v;
	request.env = same_environment(item, row, &arena);
	request.cpus = sample_cpus(m, item->copies, &arena);
	if (perf_open(&perf, spawner_pid(m->spawner)) > 0)
		result = spawner_run(m->spawner, &request, copies, e);
	if (result == 0)
		take_counts(m, &perf, all_ended_well(m, copies, item->copies, &arena), row);
	perf_close(&perf);
	arena_release(&arena);
	return result;
}
