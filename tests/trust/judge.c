#include <math.h>
#include <string.h>

#include "compare/identical.h"
#include "compare/shots.h"
#include "stats/effect.h"
#include "judge.h"

/* Figures of what was measured, from the trust record alone. */

/* The workloads that a run has, in its order. */
static struct words workloads_of(
	const struct trust *t, const char *part, uint32_t number, struct arena *arena)
{
	struct record *view = trust_view(t->record, part, number, NULL, arena);
	struct words names = {0};

	for (size_t i = 0; i < view->build_count; i++)
		if (!words_have(&names, view->builds[i].workload))
			words_add(&names, arena, view->builds[i].workload);
	record_release(view);
	return names;
}

/* The effect that a variant's name promises: plus0.5, plus1, plus1-twin, plus2, plus5; else none. */
static double truth_of(const char *variant)
{
	static const struct {
		const char *name;
		unsigned permille;
	} planted[] = {{"plus0.5", 5}, {"plus1", 10}, {"plus1-twin", 10}, {"plus2", 20}, {"plus5", 50}};

	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++)
		if (strcmp(variant, planted[i].name) == 0)
			return trust_more_work(planted[i].permille);
	return 0;
}

static void read_row(const struct trust *t, const char *part, uint32_t number, const char *workload,
	struct arena *arena, struct row *row)
{
	*row = (struct row){
		.view = trust_view(t->record, part, number, workload, arena), .workload = workload};
	for (uint32_t b = 1; b < row->view->build_count && row->n < TRUST_CELLS_MAX; b++)
		row->pairs[row->n++] = (struct trust_pair){0, b, truth_of(row->view->builds[b].variant)};
}

void judge_row(struct row *row)
{
	trust_judge(row->view, row->pairs, row->n, TRUST_MATTERS, TRUST_PRECISION, row->outcomes);
}

void judge_each_row(const struct trust *t, const char *part, judge_row_do *each, void *context)
{
	for (uint32_t run = 0; run < trust_runs(t->record, part); run++) {
		struct arena arena = {0};
		struct words names = workloads_of(t, part, run, &arena);

		for (size_t w = 0; w < names.n; w++) {
			struct row row;

			read_row(t, part, run, names.v[w], &arena, &row);
			each(&row, context);
			record_release(row.view);
		}
		arena_release(&arena);
	}
}

/* A/A ------------------------------------------------------------------------------------------------------ */

struct aa {
	struct trust_tally tally;
	size_t rows, other_code;
};

static void add_aa(struct row *row, void *context)
{
	struct aa *aa = context;

	judge_row(row);
	aa->rows++;
	for (size_t i = 0; i < row->n; i++) {
		const struct record_build *builds = row->view->builds;

		if (identical_code(&builds[row->pairs[i].a], &builds[row->pairs[i].b]))
			trust_add(&aa->tally, &row->outcomes[i]);
		else
			aa->other_code++;
	}
}

/* The same as a user's own table says it: the family is the whole run, and the A/A check's factor acts. */
static void judge_tables(struct trust *t)
{
	struct trust_tally tally = {0};
	double lambda = 1;
	uint32_t runs = trust_runs(t->record, "aa");

	for (uint32_t run = 0; run < runs; run++) {
		struct arena arena = {0};
		struct record *view = trust_view(t->record, "aa", run, NULL, &arena);
		struct trust_pair *pairs = arena_array(&arena, view->build_count, sizeof(*pairs));
		struct trust_outcome *outcomes = arena_array(&arena, view->build_count, sizeof(*outcomes));
		struct effect_options options = {.no_same_code = true};
		struct result result;
		uint32_t baseline = 0;
		size_t n = 0;

		for (uint32_t b = 0; b < view->build_count; b++) {
			if (view->builds[b].baseline)
				baseline = b;
			else
				pairs[n++] = (struct trust_pair){baseline, b, 0};
		}
		trust_judge(view, pairs, n, TRUST_MATTERS, TRUST_PRECISION, outcomes);
		for (size_t i = 0; i < n; i++)
			trust_add(&tally, &outcomes[i]);
		effect_of_record(view, &options, &arena, &result);
		lambda = fmax(lambda, result.lambda);
		record_release(view);
		arena_release(&arena);
	}
	trust_share(t, "aa-tables", tally.different, tally.pairs, NAN, 1,
		arena_printf(&t->arena,
			"pairs called different when each of the %u runs is one family with its own A/A "
			"check "
			"(largest factor %.2f)",
			runs, lambda));
}

void trust_judge_aa(struct trust *t)
{
	struct aa aa = {0};
	const struct trust_tally *tally = &aa.tally;

	judge_each_row(t, "aa", add_aa, &aa);
	trust_share(t, "aa", tally->different, tally->pairs, NAN, 1,
		arena_printf(&t->arena,
			"pairs of one build under two names called different (adjusted p <= 0.05), %zu "
			"families of 5, %u runs; %zu called faster or slower",
			aa.rows, trust_runs(t->record, "aa"), tally->wrong));
	trust_share(t, "aa-intervals", tally->excluding, tally->pairs, 2, 9,
		arena_printf(&t->arena,
			"of their 95 %% intervals exclude 0; A/A spread %.2f %%, half-width %.2f %%",
			100 * trust_spread(tally), 100 * trust_half_width(tally)));
	if (aa.other_code > 0)
		trust_figure(t, "aa-code", (double)aa.other_code, "pairs", "<=0", TRUST_BROKEN,
			"pairs had different machine code and are left out");
	judge_tables(t);
}

/* Planted -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned permille;
} sizes[] = {{"0", 0}, {"0.5", 5}, {"1", 10}, {"2", 20}, {"5", 50}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

struct planted {
	struct trust_tally of_size[SIZES];
	size_t rows, rounds; /* rounds: sum over rows */
};

static size_t size_of(double truth)
{
	for (size_t i = 0; i < SIZES; i++)
		if (fabs(truth - trust_more_work(sizes[i].permille)) < 1e-9)
			return i;
	return 0;
}

static void add_planted(struct row *row, void *context)
{
	struct planted *planted = context;

	judge_row(row);
	planted->rows++;
	planted->rounds +=
		row->view->samples.n > 0 ? row->view->samples.v[row->view->samples.n - 1].round + 1 : 0;
	for (size_t i = 0; i < row->n; i++)
		trust_add(&planted->of_size[size_of(row->outcomes[i].truth)], &row->outcomes[i]);
}

static void planted_row(struct trust *t, size_t size, const struct trust_tally *tally)
{
	size_t said = size > 0 ? tally->found : tally->different;
	struct stats_proportion found = stats_proportion(said, tally->pairs);
	struct stats_proportion held = stats_proportion(tally->holding, tally->pairs);

	trust_row(t, TABLE_PLANTED,
		"%s %%|%zu|%zu (%.0f to %.0f %%)|%zu|%zu|%zu (%.0f to %.0f %%)|%+.2f %%|%.2f %%",
		sizes[size].name, tally->pairs, said, 100 * found.lo, 100 * found.hi, tally->wrong,
		tally->denied, tally->holding, 100 * held.lo, 100 * held.hi, stats_percent(trust_bias(tally)),
		100 * trust_half_width(tally));
}

void trust_judge_planted(struct trust *t)
{
	struct planted planted = {0};
	struct trust_tally all = {0};
	double sample = trust_sample_seconds(t);

	judge_each_row(t, "planted", add_planted, &planted);
	trust_figure(t, "planted-budget", t->size.pair_s, "s", "-", TRUST_NO_LIMIT,
		"of measuring for the two cells of a pair; %zu blocks of 8 cells, %zu rounds on average, "
		"%.1f ms a "
		"sample",
		planted.rows, planted.rows > 0 ? planted.rounds / planted.rows : 0, 1000 * sample);
	for (size_t i = 0; i < SIZES; i++) {
		const struct trust_tally *tally = &planted.of_size[i];

		planted_row(t, i, tally);
		if (i == 0) {
			trust_share(t, "planted-0", tally->different, tally->pairs, NAN, 2.5,
				"arms of the same build in the planted blocks called different (where the "
				"five effects "
				"are found, "
				"two arms share the 5 % that Holm allows a family)");
			continue;
		}
		trust_add_tally(&all, tally);
		trust_share(t, arena_printf(&t->arena, "planted-%s", sizes[i].name), tally->found,
			tally->pairs, NAN, NAN,
			arena_printf(&t->arena,
				"pairs with %s %% more work found; %zu called faster; mean error %+.2f %%",
				sizes[i].name, tally->wrong, stats_percent(trust_bias(tally))));
	}
	trust_share(t, "planted-wrong", all.wrong, all.pairs, NAN, 1, "planted slowdowns called faster");
	trust_share(t, "coverage", all.holding, all.pairs, 90, 99,
		"of the 95 % intervals of planted effects hold the truth");
}

/* Pace: wall time from the first to the last sample of each run, over its rounds and cells. */
double trust_sample_seconds(const struct trust *t)
{
	double seconds = 0, samples = 0;

	for (uint32_t run = 0; run < trust_runs(t->record, "planted"); run++) {
		struct arena arena = {0};
		struct record *view = trust_view(t->record, "planted", run, NULL, &arena);
		int64_t first = INT64_MAX, last = 0;
		uint32_t rounds = 0;

		for (size_t i = 0; i < view->samples.n; i++) {
			const struct sample *s = &view->samples.v[i];

			first = s->start_offset_ns < first ? s->start_offset_ns : first;
			last = s->start_offset_ns > last ? s->start_offset_ns : last;
			rounds = s->round >= rounds ? s->round + 1 : rounds;
		}
		if (view->samples.n > 0) {
			seconds += (double)(last - first) / 1e9;
			samples += (double)rounds * (double)view->build_count;
		}
		record_release(view);
		arena_release(&arena);
	}
	return samples > 0 ? seconds / samples : 0;
}

/* Adds the rounds of one row in which all cells of the one program have a value. */
struct recorder {
	VEC(double) v;
	size_t columns;
};

static void record_row(struct row *row, void *context)
{
	struct recorder *recorder = context;
	uint32_t cells[TRUST_CELLS_MAX] = {0};
	double truth[TRUST_CELLS_MAX] = {0};
	size_t n = 1, at[TRUST_CELLS_MAX] = {0};
	struct shots shots;

	for (size_t i = 0; i < row->n; i++) {
		if (row->pairs[i].truth == 0)
			continue; /* arms have layouts of their own */
		truth[n] = row->pairs[i].truth;
		cells[n++] = row->pairs[i].b;
	}
	recorder->columns = n;
	shots_of_record(row->view, 0, &shots);
	for (;;) {
		double line[TRUST_CELLS_MAX];
		uint32_t round = 0;
		size_t c = 0;

		for (; c < n; c++) {
			struct shot_range range = shots_of(&shots, cells[c], 0);
			const struct shot *shot = at[c] < range.n ? shots_next_round(range, &at[c]) : NULL;

			if (shot == NULL || (c > 0 && shot->round != round))
				break; /* a failed sample ends this row's part of the recording */
			round = shot->round;
			line[c] = -log(shot->value) + truth[c];
		}
		if (c < n)
			break;
		for (c = 0; c < n; c++)
			vec_push(&recorder->v, line[c]);
	}
	shots_release(&shots);
}

bool trust_recording_here(const struct trust *t, struct trust_recording *out, struct arena *arena)
{
	struct recorder recorder = {0};
	double *copy;

	judge_each_row(t, "planted", record_row, &recorder);
	*out = (struct trust_recording){.columns = recorder.columns};
	if (recorder.columns > 0)
		out->rounds = recorder.v.n / recorder.columns;
	copy = arena_array(arena, recorder.v.n, sizeof(*copy));
	if (recorder.v.n > 0)
		memcpy(copy, recorder.v.v, recorder.v.n * sizeof(*copy));
	out->log_time = copy;
	vec_release(&recorder.v);
	return out->rounds > 0;
}
