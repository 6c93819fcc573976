#include "measure/sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "driver/protocol.h"
#include "sys/process.h"

enum { ENV_RANDOM_MAX = 4096 };
static const double overlap_needed = 0.9;

const int sample_descriptors[] = {FLAGSTONE_RESULT_FD, FLAGSTONE_BARRIER_FD, -1};

char **sample_environment_of(const struct words *env, size_t size, struct arena *arena, uint32_t *bytes)
{
	static char letters[ENV_RANDOM_MAX + 1];
	struct words all = {0};

	if (letters[0] == '\0')
		memset(letters, 'x', ENV_RANDOM_MAX);
	words_add(&all, arena, "LC_ALL=C");
	words_add(&all, arena, "PATH=/usr/local/bin:/usr/bin:/bin");
	words_add_all(&all, arena, env);
	words_addf(&all, arena, "FLAGSTONE_SIZE=%s", letters + ENV_RANDOM_MAX - size);
	*bytes = 0;
	for (size_t i = 0; i < all.n; i++)
		*bytes += (uint32_t)strlen(all.v[i]) + 1;
	return all.v;
}

char **sample_environment(struct measurer *m, const struct words *env, struct arena *arena, uint32_t *bytes)
{
	return sample_environment_of(env, (size_t)rng_below(&m->rng, ENV_RANDOM_MAX + 1), arena, bytes);
}

static char *last_words(const char *output, struct arena *arena)
{
	size_t n = strlen(output);

	while (n > 0 && (output[n - 1] == '\n' || output[n - 1] == ' '))
		n--;
	return arena_strndup(arena, output + (n > 400 ? n - 400 : 0), n > 400 ? 400 : n);
}

char *sample_failure(const struct spawn_copy *copy, int64_t timeout_ns, struct arena *arena)
{
	char *words = last_words(copy->output, arena);
	const char *colon = words[0] != '\0' ? ": " : "";
	char limit[NUM_SIZE];

	if (copy->exec_errno != 0)
		return arena_printf(arena, "could not be started: %s%s%s", copy->exec_what,
			copy->exec_what[0] != '\0' ? ": " : "", strerror(copy->exec_errno));
	if (copy->timed_out) {
		num_duration(timeout_ns, limit);
		return arena_printf(
			arena, "did not end within %s (timeout:) and was killed%s%s", limit, colon, words);
	}
	if (copy->oom_kill)
		return arena_printf(arena,
			"killed by signal 9 (SIGKILL) while the kernel counted an out-of-memory kill: "
			"it wanted more memory than there is%s%s",
			colon, words);
	if (copy->signal == 9)
		return arena_printf(arena,
			"killed by signal 9 (SIGKILL): by someone, or because memory ran out (see the kernel "
			"log)%s%s",
			colon, words);
	if (copy->signal == 4)
		return arena_printf(arena,
			"killed by signal 4 (SIGILL): it has instructions that this CPU lacks%s%s", colon,
			words);
	if (copy->signal != 0)
		return arena_printf(arena, "killed by signal %d (%s)%s%s", copy->signal,
			process_signal_name(copy->signal), colon, words);
	if (copy->exit_code == 127 && strstr(copy->output, "CPU") != NULL)
		return arena_printf(arena, "refused by the C library's loader (exit code 127): %s", words);
	if (copy->exit_code != 0)
		return arena_printf(arena, "ended with exit code %d%s%s", copy->exit_code, colon, words);
	if (copy->left_children)
		return arena_printf(arena,
			"left processes behind when it ended (they were killed): its time would not be all "
			"of its "
			"work's%s%s",
			colon, words);
	if (!text_starts(copy->result_line, FLAGSTONE_RESULT_WORD " "))
		return arena_printf(
			arena, "ended with exit code 0 but gave no result line%s%s", colon, words);
	return NULL;
}

static int64_t line_i64(const char *line, const char *name, struct arena *arena)
{
	const char *text = measure_field(line, name, arena);
	uint64_t value;

	return text != NULL && num_parse_u64(text, &value) && value < (1ULL << 62) ? (int64_t)value : -1;
}

/* Value and times of a copy that ended well; a reason when the line makes no sense or the check is wrong. */
static char *read_line(const struct measure_item *item, const char *line, struct sample *row,
	int64_t *start_ns, int64_t *end_ns, struct arena *arena)
{
	const char *rate = measure_field(line, "rate", arena);
	const char *check = measure_field(line, "check", arena);
	int64_t elapsed = line_i64(line, "elapsed_ns", arena);

	*start_ns = line_i64(line, "start_ns", arena);
	*end_ns = line_i64(line, "end_ns", arena);
	if (elapsed <= 0 || *start_ns < 0 || *end_ns < *start_ns)
		return arena_printf(arena, "its clock makes no sense: %s", line);
	if (line_i64(line, "units", arena) != (int64_t)row->units)
		return arena_printf(arena, "it did another number of units than the %llu asked for: %s",
			(unsigned long long)row->units, line);
	if (item->check_value != NULL &&
		(check == NULL || !measure_check_agrees(check, item->check_value, item->check_rel))) {
		row->marks |= MARK_CHECK;
		return arena_printf(arena, "wrong result: check value %s instead of %s",
			check != NULL ? check : "missing", item->check_value);
	}
	row->elapsed_ns = elapsed;
	row->value = item->lower_is_better ? (double)elapsed / 1e9 / (double)row->units
					   : (double)row->units * 1e9 / (double)elapsed;
	if (rate != NULL && (!num_parse_double(rate, &row->value) || row->value <= 0)) {
		row->value = NAN;
		return arena_printf(arena, "its rate is no positive number: %s", rate);
	}
	return NULL;
}

static struct sample row_of_copy(const struct measurer *m, const struct measure_item *item,
	const struct sample_place *place, const struct spawn_copy *copy, uint32_t k)
{
	return (struct sample){.value = NAN,
		.units = item->units,
		.elapsed_ns = -1,
		.user_ns = copy->user_ns,
		.system_ns = copy->system_ns,
		.run_wait_ns = copy->run_wait_ns,
		.start_offset_ns = copy->start_ns - m->epoch_ns,
		.build = item->build,
		.arm = item->arm,
		.copy = k,
		.layout = item->layout,
		.session = m->session,
		.round = place->round,
		.block = place->block,
		.position = place->position,
		.repeat_of = place->repeat_of,
		.peak_kib = copy->peak_kib,
		.voluntary_switches = copy->voluntary_switches,
		.involuntary_switches = copy->involuntary_switches,
		.minor_faults = copy->minor_faults,
		.major_faults = copy->major_faults,
		.canary_dep_before_ns = SAMPLE_NONE,
		.canary_dep_after_ns = SAMPLE_NONE,
		.canary_wide_before_ns = SAMPLE_NONE,
		.canary_wide_after_ns = SAMPLE_NONE,
		.page_faults = SAMPLE_NONE,
		.migrations = SAMPLE_NONE,
		.task_clock_ns = -1,
		.cycles = -1,
		.instructions = -1,
		.branch_misses = -1,
		.energy_uj = -1};
}

double sample_wait_share(const struct sample *row)
{
	double wanted = (double)row->user_ns + (double)row->system_ns + (double)row->run_wait_ns;

	return row->user_ns >= 0 && row->system_ns >= 0 && row->run_wait_ns >= 0 && wanted > 0
		       ? (double)row->run_wait_ns / wanted
		       : -1;
}

uint32_t sample_marks(const struct measurer *m, const struct sample *row)
{
	uint32_t marks = 0;

	if (m->canary_dep_limit_ns > 0 && row->canary_dep_before_ns != SAMPLE_NONE &&
		row->canary_dep_before_ns > m->canary_dep_limit_ns)
		marks |= MARK_FREQ;
	if (m->canary_wide_limit_ns > 0 && row->canary_wide_before_ns != SAMPLE_NONE &&
		row->canary_wide_before_ns > m->canary_wide_limit_ns)
		marks |= MARK_SHARED;
	if (m->run_wait_limit > 0 && sample_wait_share(row) > m->run_wait_limit)
		marks |= MARK_WAIT;
	return marks;
}

bool sample_overlap_is_small(const int64_t *starts, const int64_t *ends, uint32_t copies)
{
	int64_t first_start = starts[0], last_start = starts[0], first_end = ends[0], last_end = ends[0];

	for (uint32_t k = 1; k < copies; k++) {
		first_start = starts[k] < first_start ? starts[k] : first_start;
		last_start = starts[k] > last_start ? starts[k] : last_start;
		first_end = ends[k] < first_end ? ends[k] : first_end;
		last_end = ends[k] > last_end ? ends[k] : last_end;
	}
	return (double)(first_end - last_start) < overlap_needed * (double)(last_end - first_start);
}

/* Turns the copies' answers into rows; returns the marks of all together. */
static uint32_t add_rows(struct measurer *m, struct record *record, const struct measure_item *item,
	const struct sample_place *place, const struct spawn_copy *copies, const uint32_t before[2],
	const uint32_t after[2], struct arena *arena)
{
	int64_t *starts = arena_array(arena, item->copies, sizeof(*starts));
	int64_t *ends = arena_array(arena, item->copies, sizeof(*ends));
	size_t first = record->samples.n;
	uint32_t all = 0;
	bool complete = true;

	for (uint32_t k = 0; k < item->copies; k++) {
		struct sample row = row_of_copy(m, item, place, &copies[k], k);
		char *reason = sample_failure(&copies[k], m->timeout_ns, arena);

		if (k == 0) {
			row.canary_dep_before_ns = before[0];
			row.canary_wide_before_ns = before[1];
			row.canary_dep_after_ns = after[0];
			row.canary_wide_after_ns = after[1];
		}
		if (reason != NULL)
			row.marks = copies[k].timed_out ? MARK_TIMEOUT : MARK_SIGNAL;
		else
			reason = read_line(item, copies[k].result_line, &row, &starts[k], &ends[k], arena);
		row.marks |= sample_marks(m, &row);
		if (reason != NULL) {
			if (!(row.marks & MARKS_FAILED))
				row.marks |= MARK_SIGNAL;
			complete = false;
			record_add_failure(record, (int64_t)record->samples.n, item->build,
				row.marks & MARK_TIMEOUT ? "timeout"
				: row.marks & MARK_CHECK ? "check"
							 : "run",
				"round %u, layout %u, copy %u: %s", place->round, item->layout, k, reason);
		} else {
			row.start_offset_ns = starts[k] - m->epoch_ns;
			m->sampling_ns += row.elapsed_ns;
			m->spawning_ns += copies[k].exec_to_exit_ns - row.elapsed_ns;
		}
		all |= row.marks;
		samples_add(&record->samples, &row);
	}
	if (item->copies > 1 && complete && sample_overlap_is_small(starts, ends, item->copies)) {
		for (size_t i = first; i < record->samples.n; i++)
			record->samples.v[i].marks |= MARK_OVERLAP;
		all |= MARK_OVERLAP;
	}
	return all;
}

void sample_words(const struct measure_item *item, struct arena *arena, struct words *argv)
{
	words_add_all(argv, arena, &item->runner);
	words_add(argv, arena, item->program);
	words_addf(argv, arena, "units=%llu", (unsigned long long)item->units);
	if (item->warmup > 0)
		words_addf(argv, arena, "warmup=%llu", (unsigned long long)item->warmup);
	words_add_all(argv, arena, &item->arguments);
}

static void read_canaries(struct measurer *m, uint32_t canaries[2])
{
	int64_t begin = clock_ns();

	canaries[0] = canary_dep_ns(&m->canary);
	canaries[1] = canary_wide_ns(&m->canary);
	m->canaries_ns += clock_ns() - begin;
}

/* Goes to another CPU than the sample's first one, where there is one. */
static void step_aside(const struct measurer *m)
{
	struct cpu_list others = {.v = m->pin_order->v + 1, .n = m->pin_order->n - 1};

	if (others.n > 0)
		cpu_pin_self_list(&others, NULL);
}

/* Where a process has its stack and heap, beyond what its environment does to them. */
struct start {
	uint32_t stack, heap;
};

void sample_add_start(uint32_t stack, uint32_t heap, struct arena *arena, struct words *argv)
{
	words_addf(argv, arena, "stack=%u", stack);
	words_addf(argv, arena, "heap=%u", heap);
}

static void draw_start(struct measurer *m, struct start *start, struct arena *arena, struct words *argv)
{
	const uint64_t places = FLAGSTONE_START_BELOW / FLAGSTONE_START_STEP;

	start->stack = FLAGSTONE_START_STEP * (uint32_t)rng_below(&m->rng, places);
	start->heap = FLAGSTONE_START_STEP * (uint32_t)rng_below(&m->rng, places);
	sample_add_start(start->stack, start->heap, arena, argv);
}

const int *sample_cpus(const struct measurer *m, uint32_t copies, struct arena *arena)
{
	int *cpus = arena_array(arena, copies, sizeof(*cpus));

	for (uint32_t k = 0; k < copies; k++)
		cpus[k] = m->pin_order->v[k % m->pin_order->n];
	return cpus;
}

int sample_take(struct measurer *m, struct record *record, const struct measure_item *item,
	const struct sample_place *place, size_t *first, uint32_t *marks, struct error *e)
{
	struct arena arena = {0};
	struct words argv = {0};
	struct spawn_copy *copies = arena_array(&arena, item->copies, sizeof(*copies));
	const int *cpus = sample_cpus(m, item->copies, &arena);
	struct spawn_request request = {.cpus = cpus,
		.copies = item->copies,
		.barrier = item->copies > 1,
		.stdin_path = item->stdin_path,
		.timeout_ns = m->timeout_ns};
	struct start start;
	uint32_t before[2], after[2], env_bytes;
	int64_t energy_uj;
	uint64_t throttled;
	int result;

	sample_words(item, &arena, &argv);
	draw_start(m, &start, &arena, &argv);
	request.argv = argv.v;
	request.env = sample_environment(m, &item->env, &arena, &env_bytes);
	cpu_pin_self(cpus[0], NULL);
	read_canaries(m, before);
	throttled = host_throttle_read(&m->throttle);
	step_aside(m);
	host_energy_begin(&m->energy);
	result = spawner_run(m->spawner, &request, copies, e);
	energy_uj = host_energy_end(&m->energy);
	cpu_pin_self(cpus[0], NULL);
	throttled = host_throttle_read(&m->throttle) - throttled;
	read_canaries(m, after);
	if (result == 0) {
		*first = record->samples.n;
		*marks = add_rows(m, record, item, place, copies, before, after, &arena);
		*marks |= throttled != 0 ? MARK_THROTTLE : 0;
		record->samples.v[*first].energy_uj = energy_uj;
		for (size_t i = *first; i < record->samples.n; i++) {
			record->samples.v[i].env_bytes = env_bytes;
			record->samples.v[i].stack_bytes = start.stack;
			record->samples.v[i].heap_bytes = start.heap;
			record->samples.v[i].marks |= throttled != 0 ? MARK_THROTTLE : 0;
		}
	}
	arena_release(&arena);
	return result;
}
