#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "driver/protocol.h"
#include "measure/count.h"
#include "measure/sample.h"
#include "stats/marked.h"
#include "sys/process.h"

enum { REST_READINGS = 40, REST_STEP_NS = 1000 * 1000 };
enum { REPEATS_MAX = 2, CALIBRATIONS = 3, CALIBRATIONS_MOST = 9, SETTLE_STEP_NS = 100 * 1000 * 1000 };
/* the two fastest calibrations are as near as that, or more are made */
static const double calibrations_agree = 1.05;
/* a wait for the CPU under this share of a process's life is not called a disturbance */
/* a tenth of a cycle at 5 GHz: no unit of work is done in that */
static const double least_unit_ns = 0.02;
static const double run_wait_floor = 0.01;

int measurer_init(struct measurer *m, const char *spawner_path, const struct cpu_list *pin_order,
	const char *seed, struct arena *arena, struct error *e)
{
	memset(m, 0, sizeof(*m));
	m->spawner_path = spawner_path;
	m->pin_order = pin_order;
	m->arena = arena;
	m->epoch_ns = clock_ns();
	rng_seed_text(&m->rng, arena_printf(arena, "flagstone measure %s", seed));
	m->spawner = spawner_new(spawner_path, e);
	if (m->spawner == NULL)
		return -1;
	if (cpu_pin_self(pin_order->v[0], e) != 0)
		return error_context(e, "pinning to the first of the CPUs to measure on");
	canary_calibrate(&m->canary);
	host_throttle_open(&m->throttle, "", pin_order->v[0]);
	host_energy_open(&m->energy, "", NULL, NULL);
	return 0;
}

void measurer_release(struct measurer *m)
{
	if (m->spawner != NULL)
		spawner_free(m->spawner);
	m->spawner = NULL;
	host_throttle_close(&m->throttle);
	host_energy_close(&m->energy);
	if (m->pin_order != NULL)
		cpu_pin_self_list(m->pin_order, NULL);
}

char *measure_field(const char *line, const char *name, struct arena *arena)
{
	size_t n = strlen(name);

	for (const char *p = strchr(line, ' '); p != NULL; p = strchr(p, ' ')) {
		p += strspn(p, " ");
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			return arena_strndup(arena, p + n + 1, strcspn(p + n + 1, " \n"));
	}
	return NULL;
}

bool measure_check_agrees(const char *got, const char *expected, double rel)
{
	if (rel <= 0)
		return strcmp(got, expected) == 0;
	for (;;) {
		char *got_end, *expected_end;
		double x = strtod(got, &got_end), y = strtod(expected, &expected_end);

		if (got_end == got || expected_end == expected || !isfinite(x) || !isfinite(y))
			return false;
		if (fabs(x - y) > rel * fabs(y))
			return false;
		if (*got_end == '\0' && *expected_end == '\0')
			return true;
		if (*got_end != ',' || *expected_end != ',')
			return false;
		got = got_end + 1;
		expected = expected_end + 1;
	}
}

int measure_once(struct measurer *m, const struct measure_start *start, const char *const *arguments,
	int64_t timeout_ns, const char **line, const char **reason, struct error *e)
{
	struct arena scratch = {0};
	struct words argv = {0};
	struct spawn_copy copy = {0};
	struct spawn_request request = {.cpus = m->pin_order->v,
		.copies = 1,
		.stdin_path = start->stdin_path,
		.timeout_ns = timeout_ns};
	uint32_t env_bytes;
	char *failure;
	int result;

	words_add_all(&argv, &scratch, &start->runner);
	words_add(&argv, &scratch, start->program);
	for (; *arguments != NULL; arguments++)
		words_add(&argv, &scratch, *arguments);
	request.argv = argv.v;
	request.env = sample_environment(m, &start->env, &scratch, &env_bytes);
	*line = *reason = NULL;
	result = spawner_run(m->spawner, &request, &copy, e);
	if (result == 0) {
		failure = sample_failure(&copy, timeout_ns, &scratch);
		if (failure != NULL)
			*reason = arena_strdup(m->arena, failure);
		else
			*line = arena_strdup(m->arena, copy.result_line);
	}
	arena_release(&scratch);
	return result;
}

/* Asks once; *per_unit 0 and *reason when the program does not answer. */
static int calibrate_once(struct measurer *m, const struct measure_start *start, const struct words *words,
	double *per_unit, const char **reason, struct error *e)
{
	const char *line, *text;
	double done, elapsed;

	*per_unit = 0;
	if (measure_once(m, start, (const char *const *)words->v, m->timeout_ns, &line, reason, e) != 0)
		return -1;
	if (line == NULL)
		return 0;
	text = measure_field(line, "units", m->arena);
	if (text == NULL || !num_parse_double(text, &done) || done < 1 ||
		(text = measure_field(line, "elapsed_ns", m->arena)) == NULL ||
		!num_parse_double(text, &elapsed) || elapsed <= 0)
		*reason = arena_printf(m->arena, "its answer to calibrate= makes no sense: %s", line);
	else
		*per_unit = elapsed / done;
	return 0;
}

/* Have the two fastest of n calibrations, in order, met the same speed? */
static bool calibrated(const double *per_unit, int n)
{
	return n >= CALIBRATIONS && per_unit[1] <= calibrations_agree * per_unit[0];
}

int measure_calibrate(struct measurer *m, const struct measure_start *start, const struct words *arguments,
	int64_t sample_ns, uint64_t *units, const char **reason, struct error *e)
{
	double per_unit[CALIBRATIONS_MOST] = {0};
	struct words words = {0};
	double wanted;

	words_addf(&words, m->arena, "calibrate=%lld", (long long)sample_ns);
	words_add_all(&words, m->arena, arguments);
	for (int n = 0; n < CALIBRATIONS_MOST && !calibrated(per_unit, n); n++) {
		if (calibrate_once(m, start, &words, &per_unit[n], reason, e) != 0)
			return -1;
		if (per_unit[n] <= 0)
			return 0;
		qsort(per_unit, (size_t)n + 1, sizeof(per_unit[0]), num_compare_doubles);
	}
	if (per_unit[0] < least_unit_ns) {
		*reason = arena_printf(m->arena,
			"below resolution: a unit of work takes %.2g ns, less than a CPU needs for any; was "
			"the work "
			"removed by the compiler?",
			per_unit[0]);
		return 0;
	}
	/* the power of two that takes 1 to 2 x sample_ns; one unit where even that takes longer */
	wanted = (double)sample_ns / per_unit[0];
	*units = 1;
	while ((double)*units < wanted && *units < (1ULL << 52))
		*units *= 2;
	return 0;
}

static double threshold_of(const struct samples *samples, double (*read)(const struct sample *))
{
	double *values = mem_alloc_array(samples->n, sizeof(*values));
	double limit = 0;
	size_t n = 0;

	for (size_t i = 0; i < samples->n; i++)
		if ((values[n] = read(&samples->v[i])) > 0)
			n++;
	if (!stats_marked_threshold(values, n, &limit))
		limit = 0;
	mem_free(values);
	return limit;
}

static double read_dep(const struct sample *row)
{
	return row->canary_dep_before_ns != SAMPLE_NONE ? row->canary_dep_before_ns : 0;
}

static double read_wide(const struct sample *row)
{
	return row->canary_wide_before_ns != SAMPLE_NONE ? row->canary_wide_before_ns : 0;
}

static double read_wait(const struct sample *row)
{
	/* most samples do not wait at all; a threshold wants values above 0 */
	double share = sample_wait_share(row);

	return share >= 0 ? 1e-9 + share : 0;
}

void measure_fix_thresholds(struct measurer *m, const struct samples *samples)
{
	m->canary_dep_limit_ns = threshold_of(samples, read_dep);
	m->canary_wide_limit_ns = threshold_of(samples, read_wide);
	m->run_wait_limit = threshold_of(samples, read_wait);
	if (m->run_wait_limit < run_wait_floor)
		m->run_wait_limit = run_wait_floor;
}

void measure_rest(struct measurer *m)
{
	double dep[REST_READINGS], wide[REST_READINGS];

	cpu_pin_self(m->pin_order->v[0], NULL);
	for (int i = 0; i < REST_READINGS; i++) {
		dep[i] = canary_dep_ns(&m->canary);
		wide[i] = canary_wide_ns(&m->canary);
		clock_sleep_ns(REST_STEP_NS);
	}
	if (!stats_marked_threshold(dep, REST_READINGS, &m->rest_dep_ns) ||
		!stats_marked_threshold(wide, REST_READINGS, &m->rest_wide_ns))
		m->rest_dep_ns = m->rest_wide_ns = 0;
}

int64_t measure_settle(struct measurer *m, int64_t max_ns)
{
	int64_t begin = clock_ns();

	if (m->rest_dep_ns <= 0)
		return 0;
	cpu_pin_self(m->pin_order->v[0], NULL);
	for (;;) {
		int calm = 0;

		for (int i = 0; i < 8; i++)
			calm += canary_dep_ns(&m->canary) <= m->rest_dep_ns &&
				canary_wide_ns(&m->canary) <= m->rest_wide_ns;
		if (calm >= 6)
			return clock_ns() - begin;
		if (clock_ns() - begin > max_ns || process_interrupted())
			return -1;
		clock_sleep_ns(SETTLE_STEP_NS);
	}
}

/* One item's state within a block. */
struct attempt {
	size_t row; /* its newest row of copy 0 */
	uint32_t marks;
};

static bool can_help(uint32_t marks)
{
	return marks != 0 && !(marks & MARKS_FAILED);
}

static int measure_list(struct measurer *m, struct record *record, const struct measure_item *items,
	const uint32_t *order, size_t count, struct sample_place *place, bool again, struct attempt *attempts,
	struct error *e)
{
	for (size_t i = 0; i < count; i++) {
		struct attempt *attempt = &attempts[order[i]];

		place->repeat_of = again ? (uint32_t)attempt->row : SAMPLE_NONE;
		if (process_interrupted())
			return error_set(e, process_interrupted() == 15 ? EXIT_TERMINATED : EXIT_INTERRUPTED,
				"interrupted while measuring");
		if (sample_take(m, record, &items[order[i]], place, &attempt->row, &attempt->marks, e) != 0)
			return -1;
		place->position++;
	}
	return 0;
}

/* Is item i to be measured again: marked itself, its group's baseline marked, or the baseline of a marked one? */
static bool wants_repeat(
	const struct measure_item *items, const struct attempt *attempts, size_t count, size_t i)
{
	if (attempts[i].marks & MARKS_FAILED)
		return false;
	if (attempts[i].marks != 0)
		return true;
	for (size_t k = 0; k < count; k++)
		if (items[k].group == items[i].group && (items[k].is_baseline || items[i].is_baseline) &&
			can_help(attempts[k].marks))
			return true;
	return false;
}

static int count_items(struct measurer *m, struct record *record, const struct measure_item *items,
	const struct attempt *attempts, size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++)
		if (!(attempts[i].marks & MARKS_FAILED) &&
			sample_count(m, &items[i], &record->samples.v[attempts[i].row], e) != 0)
			return -1;
	return 0;
}

static size_t collect_repeats(
	const struct measure_item *items, const struct attempt *attempts, size_t count, uint32_t *order)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (wants_repeat(items, attempts, count, i))
			order[n++] = (uint32_t)i;
	return n;
}

int measure_block(struct measurer *m, struct record *record, const struct measure_item *items, size_t count,
	uint32_t round, uint32_t block, bool *failed, struct error *e)
{
	struct attempt *attempts = mem_alloc_array(count, sizeof(*attempts));
	uint32_t *order = mem_alloc_array(count, sizeof(*order));
	struct sample_place place = {.round = round, .block = block};
	size_t n = count;
	int result;

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(&m->rng, order, count);
	result = measure_list(m, record, items, order, count, &place, false, attempts, e);
	for (int repeat = 0; repeat < REPEATS_MAX && result == 0; repeat++) {
		n = collect_repeats(items, attempts, count, order);
		if (n == 0)
			break;
		rng_shuffle(&m->rng, order, n);
		result = measure_list(m, record, items, order, n, &place, true, attempts, e);
	}
	if (result == 0 && sample_count_wanted(m, round))
		result = count_items(m, record, items, attempts, count, e);
	for (size_t i = 0; i < count && failed != NULL; i++)
		failed[i] = (attempts[i].marks & MARKS_FAILED) != 0;
	mem_free(attempts);
	mem_free(order);
	return result;
}
