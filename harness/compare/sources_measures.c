#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/shots.h"
#include "compare/sources_work.h"
#include "stats/adjust.h"
#include "stats/describe.h"
#include "stats/paired.h"
#include "stats/rank.h"
#include "stats/verdict.h"

/* With fewer values a side no arrangement of them is rare enough: 2 of 70 for four against four. */
enum { LEAST_VALUES = 4 };

/* Columns of samples, in the order in which they touch speed. A column that a record does not have is unknown. */
static const struct kind {
	const char *column, *what, *unit;
	double scale;	     /* to the unit */
	bool per_unit;	     /* of work */
	bool largest;	     /* of copies; else their sum */
	const char *counter; /* the host's fact that says why there is none; NULL: it is no counter */
} kinds[] = {
	{"instructions", "instructions", "", 1, true, false, "counters.instructions"},
	{"cycles", "CPU cycles", "", 1, true, false, "counters.cycles"},
	{"branch_misses", "branch misses", "", 1, true, false, "counters.branch_misses"},
	{"user_ns", "user CPU time", "s", 1e-9, true, false, NULL},
	{"system_ns", "system CPU time", "s", 1e-9, true, false, NULL},
	{"energy_uj", "energy of the processor packages", "J", 1e-6, true, false, "counters.energy"},
	{"minor_faults", "minor page faults", "", 1, false, false, NULL},
	{"major_faults", "major page faults", "", 1, false, false, NULL},
	{"voluntary_switches", "voluntary context switches", "", 1, false, false, NULL},
	{"involuntary_switches", "involuntary context switches", "", 1, false, false, NULL},
	{"migrations", "moves to another CPU", "", 1, false, false, "counters.migrations"},
	{"peak_kib", "peak memory", "B", 1024, false, true, NULL},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* A row of the cell, with what it is sorted by. */
struct place {
	const struct sample *row;
	uint32_t attempt;
};

/* The rows of one measurement: its copies. */
struct group {
	size_t first, n; /* places */
	uint32_t layout;
};

struct run_samples {
	struct place *places;
	struct group *groups; /* those that count, by round */
	size_t n;
};

struct side_samples {
	struct run_samples *runs;
	size_t n, most; /* most: of groups of all runs, at least the number of runs */
};

static int by_place(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->row->round != b->row->round)
		return a->row->round < b->row->round ? -1 : 1;
	if (a->attempt != b->attempt)
		return a->attempt < b->attempt ? -1 : 1;
	if (a->row->block != b->row->block)
		return a->row->block < b->row->block ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool same_measurement(const struct place *a, const struct place *b)
{
	return a->row->round == b->row->round && a->attempt == b->attempt && a->row->block == b->row->block;
}

static bool usable(const struct sample *row)
{
	return (row->marks & MARKS_FAILED) == 0 && isfinite(row->value) && row->value > 0;
}

/* Adds the measurement to those that count; a later attempt of its round takes the place of an earlier one. */
static void add_group(struct run_samples *run, size_t first, size_t end, uint32_t copies)
{
	const struct group *last = run->n > 0 ? &run->groups[run->n - 1] : NULL;

	for (size_t i = first; i < end; i++)
		if (!usable(run->places[i].row))
			return;
	if (end - first < copies)
		return;
	if (last != NULL && run->places[last->first].row->round == run->places[first].row->round)
		run->n--;
	run->groups[run->n++] = (struct group){first, end - first, run->places[first].row->layout};
}

static struct run_samples read_run(const struct source_run *of)
{
	const struct samples *samples = &of->record->samples;
	uint32_t *attempts = shots_attempts(samples);
	bool imported = of->record->kind != NULL && strcmp(of->record->kind, "import") == 0;
	struct run_samples run = {0};
	size_t count = 0;

	for (size_t i = 0; i < samples->n; i++)
		count += samples->v[i].build == of->build && samples->v[i].arm == 0;
	run.places = mem_alloc_array(count, sizeof(*run.places));
	run.groups = mem_alloc_array(count, sizeof(*run.groups));
	count = 0;
	for (size_t i = 0; i < samples->n; i++)
		if (samples->v[i].build == of->build && samples->v[i].arm == 0)
			run.places[count++] = (struct place){&samples->v[i], attempts[i]};
	if (count > 0)
		qsort(run.places, count, sizeof(*run.places), by_place);
	for (size_t at = 0, end; at < count; at = end) {
		end = at + 1;
		while (end < count && same_measurement(&run.places[at], &run.places[end]))
			end++;
		add_group(&run, at, end, imported ? 1 : of->record->builds[of->build].copies);
	}
	mem_free(attempts);
	return run;
}

static struct side_samples read_side(const struct source_side *side)
{
	struct side_samples out = {
		mem_alloc_array(side->run_count, sizeof(*out.runs)), side->run_count, side->run_count};

	for (size_t i = 0; i < side->run_count; i++) {
		out.runs[i] = read_run(&side->runs[i]);
		out.most += out.runs[i].n;
	}
	return out;
}

static void release_side(struct side_samples *side)
{
	for (size_t i = 0; i < side->n; i++) {
		mem_free(side->runs[i].places);
		mem_free(side->runs[i].groups);
	}
	mem_free(side->runs);
}

/* NAN: unknown. */
static double cell_of(const struct column *column, const struct sample *row)
{
	const void *at = (const char *)row + column->offset;

	switch (column->type) {
	case COLUMN_DOUBLE:
		return *(const double *)at;
	case COLUMN_U64:
		return (double)*(const uint64_t *)at;
	case COLUMN_I64:
		return column->nullable && *(const int64_t *)at < 0 ? NAN : (double)*(const int64_t *)at;
	case COLUMN_U32:
		return column->nullable && *(const uint32_t *)at == SAMPLE_NONE
			       ? NAN
			       : (double)*(const uint32_t *)at;
	}
	return NAN;
}

/* Of all copies; those whose own part is not known stand in another's. */
static double value_of(const struct kind *kind, const struct column *column, const struct run_samples *run,
	const struct group *group)
{
	double value = NAN, units = 0;

	for (size_t i = group->first; i < group->first + group->n; i++) {
		double x = cell_of(column, run->places[i].row);

		units += (double)run->places[i].row->units;
		if (!isfinite(x))
			continue;
		if (!isfinite(value))
			value = x;
		else if (kind->largest)
			value = x > value ? x : value;
		else
			value += x;
	}
	if (kind->per_unit && units <= 0)
		return NAN;
	return value * kind->scale / (kind->per_unit ? units : 1);
}

static size_t values_of_run(const struct kind *kind, const struct column *column,
	const struct run_samples *run, struct stats_observation *out)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n; i++) {
		double value = value_of(kind, column, run, &run->groups[i]);

		if (isfinite(value))
			out[n++] =
				(struct stats_observation){.layout = run->groups[i].layout, .effect = value};
	}
	return n;
}

static int by_layout(const void *left, const void *right)
{
	const struct stats_observation *a = left, *b = right;

	if (a->layout != b->layout)
		return a->layout < b->layout ? -1 : 1;
	return (a->effect > b->effect) - (a->effect < b->effect);
}

/* The values of one cell and kind, in the units that the test counts in. */
struct series {
	struct stats_observation *all;
	size_t n;	/* of all samples, or of runs */
	double *values; /* of these, or of layouts */
	size_t count, layouts;
	double median; /* of all */
};

static void take_all(struct series *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->values[i] = s->all[i].effect;
	s->count = s->n;
}

static void take_layouts(struct series *s)
{
	double *room = mem_alloc_array(s->n, sizeof(*room));

	s->count = 0;
	for (size_t at = 0, end; at < s->n; at = end) {
		for (end = at; end < s->n && s->all[end].layout == s->all[at].layout; end++)
			room[end - at] = s->all[end].effect;
		s->values[s->count++] = stats_median(room, end - at);
	}
	mem_free(room);
}

static struct series read_series(
	const struct kind *kind, const struct column *column, const struct side_samples *side, bool runs)
{
	struct series s = {.all = mem_alloc_array(side->most, sizeof(*s.all)),
		.values = mem_alloc_array(side->most, sizeof(*s.values))};

	for (size_t r = 0; r < side->n; r++) {
		size_t n = values_of_run(kind, column, &side->runs[r], s.all + s.n);

		for (size_t i = 0; i < n && runs; i++)
			s.values[i] = s.all[s.n + i].effect;
		if (runs && n > 0)
			s.all[s.n] = (struct stats_observation){.effect = stats_median(s.values, n)};
		s.n += runs ? n > 0 : n;
	}
	if (s.n > 0)
		qsort(s.all, s.n, sizeof(*s.all), by_layout);
	for (size_t i = 0; i < s.n; i++)
		s.layouts += i == 0 || s.all[i].layout != s.all[i - 1].layout;
	take_all(&s);
	s.median = s.n > 0 ? stats_median(s.values, s.n) : NAN;
	return s;
}

static void release_series(struct series *s)
{
	mem_free(s->all);
	mem_free(s->values);
}

static void test(struct source_measure *measure, struct series *a, struct series *b, bool runs)
{
	bool layouts = !runs && a->layouts >= STATS_MIN_LAYOUTS && b->layouts >= STATS_MIN_LAYOUTS;
	struct stats_rank_test result;

	if (layouts) {
		take_layouts(a);
		take_layouts(b);
	}
	measure->over = layouts ? "layouts" : runs ? "runs" : "samples";
	measure->n_a = a->count;
	measure->n_b = b->count;
	measure->p = measure->p_adjusted = 1;
	if (a->count < LEAST_VALUES || b->count < LEAST_VALUES)
		return;
	result = stats_mann_whitney(a->values, a->count, b->values, b->count);
	measure->has_p = result.has_p;
	measure->p = result.p;
}

/* Why a kind is not known: the host's word for counters. */
static const char *reason_of(const struct kind *kind, const struct source_side *side)
{
	const struct fact *fact =
		kind->counter != NULL ? facts_find(&side->runs[0].record->host, kind->counter) : NULL;

	if (kind->counter == NULL)
		return "the samples do not have it";
	if (fact == NULL)
		return "the record was made before counters were kept";
	return fact->value == NULL && fact->reason != NULL ? fact->reason : "no sample has a count of it";
}

/* Not known, under one reason with others of the same. */
static void add_unknown(struct sources *out, const char *what, const char *reason, struct arena *arena)
{
	for (size_t i = 0; i < out->unknown_count; i++)
		if (strcmp(out->unknown[i].reason, reason) == 0) {
			out->unknown[i].what = arena_printf(arena, "%s, %s", out->unknown[i].what, what);
			return;
		}
	sources_unknown(out, what, reason, arena);
}

static void adjust(struct sources *out)
{
	double p[KINDS], adjusted[KINDS];
	size_t n = 0;

	for (size_t i = 0; i < out->measure_count; i++)
		if (out->measures[i].has_p)
			p[n++] = out->measures[i].p;
	stats_holm(p, n, n, adjusted);
	n = 0;
	for (size_t i = 0; i < out->measure_count; i++) {
		struct source_measure *measure = &out->measures[i];

		if (!measure->has_p)
			continue;
		measure->p_adjusted = adjusted[n++];
		measure->outside = measure->p_adjusted <= STATS_ALPHA && measure->a != measure->b;
	}
}

/* The sides' runs, when they are of different records. */
static void note_few_runs(struct sources *out, struct arena *arena)
{
	for (size_t i = 0; i < out->measure_count; i++)
		if (out->measures[i].n_a >= LEAST_VALUES && out->measures[i].n_b >= LEAST_VALUES)
			return;
	if (out->measure_count > 0)
		sources_unknown(out, "whether counts, CPU time and memory differ by more than runs do",
			"it takes four runs a side or more to tell", arena);
}

void sources_measures(
	const struct source_side *a, const struct source_side *b, struct arena *arena, struct sources *out)
{
	bool runs = a->run_count > 1 || b->run_count > 1 || a->runs[0].record != b->runs[0].record;
	struct side_samples left = read_side(a), right = read_side(b);

	for (size_t k = 0; k < KINDS; k++) {
		const struct kind *kind = &kinds[k];
		const struct column *column = sample_column(kind->column);
		struct series of_a = {0}, of_b = {0};

		if (column != NULL) {
			of_a = read_series(kind, column, &left, runs);
			of_b = read_series(kind, column, &right, runs);
		}
		if (of_a.n == 0 || of_b.n == 0) {
			add_unknown(out, kind->what, reason_of(kind, of_a.n == 0 ? a : b), arena);
		} else {
			struct source_measure *measure = &out->measures[out->measure_count++];

			*measure = (struct source_measure){.column = kind->column,
				.what = kind->what,
				.unit = kind->unit,
				.per_unit = kind->per_unit,
				.a = of_a.median,
				.b = of_b.median};
			test(measure, &of_a, &of_b, runs);
		}
		release_series(&of_a);
		release_series(&of_b);
	}
	adjust(out);
	if (runs)
		note_few_runs(out, arena);
	release_side(&left);
	release_side(&right);
}
