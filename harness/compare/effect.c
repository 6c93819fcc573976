#include "compare/effect.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/identical.h"
#include "compare/reason.h"
#include "compare/shots.h"
#include "compare/tally.h"
#include "stats/marked.h"
#include "stats/verdict.h"

/* One planned comparison while it is worked on. */
struct trial {
	bool tests;	/* both cells could be measured, and it is not the same code: part of the family */
	uint32_t close; /* rounds from which its samples do not count any more; UINT32_MAX: open */
	uint32_t limit; /* rounds that pair and clean were made from */
	struct stats_pair pair, clean;
	bool differ;
	struct reason_marks marks;
	struct stats_verdict verdict, clean_verdict;
};

struct work {
	const struct record *record;
	const struct effect_options *options;
	struct arena *arena;
	struct result *result;
	struct shots shots;
	struct trial *trials; /* one a planned comparison */
};

const char *answer_text(enum answer answer)
{
	static const char *const texts[] = {
		[ANSWER_FASTER] = "faster",
		[ANSWER_SLOWER] = "slower",
		[ANSWER_TOO_SMALL] = "too small to matter",
		[ANSWER_NO_DIFFERENCE] = "no difference",
		[ANSWER_CANT_TELL] = "can't tell",
		[ANSWER_SAME_CODE] = "same code",
		[ANSWER_NONE] = "n/a",
	};

	return texts[answer];
}

/* The median of one of the CPU times of the shots that have a value; -1: unknown. */
static double cpu_median(struct shot_range range, size_t offset, double *room)
{
	size_t known = 0;

	for (size_t i = 0; i < range.n; i++) {
		double ns = *(const double *)(const void *)((const char *)&range.v[i] + offset);

		if (isfinite(range.v[i].value) && isfinite(ns))
			room[known++] = ns;
	}
	return known > 0 ? stats_median(room, known) : -1;
}

/* room: space for as many numbers as there are shots. */
static void describe_cell(const struct shots *shots, struct cell_summary *cell, double *room)
{
	struct shot_range range = shots_of(shots, cell->build, 0);
	struct stats_summary about;

	cell->user_ns = cpu_median(range, offsetof(struct shot, user_ns), room);
	cell->system_ns = cpu_median(range, offsetof(struct shot, system_ns), room);
	for (size_t i = 0; i < range.n; i++)
		cell->failed += isfinite(range.v[i].value) ? 0 : 1;
	for (size_t at = 0; at < range.n;) {
		const struct shot *shot = shots_next_round(range, &at);

		if (shot == NULL)
			continue;
		room[cell->samples++] = shot->value;
		cell->marked += shot->marks != 0;
	}
	if (stats_describe(room, cell->samples, &about) != STATS_OK)
		return;
	cell->has_value = true;
	cell->median = about.median;
	cell->has_interval = about.has_interval;
	cell->lo = about.lo;
	cell->hi = about.hi;
	cell->spread = about.spread;
	cell->noisy = about.noise >= STATS_NOISY;
	cell->very_noisy = about.noise >= STATS_VERY_NOISY;
	cell->outliers = about.outliers;
	cell->trending = about.trending;
	cell->has_trend = about.has_trend;
	cell->trend = about.trend;
	cell->autocorrelated = about.autocorrelated;
	cell->has_lag1 = about.has_lag1;
	cell->lag1 = about.lag1;
	if (about.two_modes)
		stats_sort(room, cell->samples); /* the order of rounds is not needed any more */
	cell->two_modes = about.two_modes && stats_two_modes(room, cell->samples, &cell->modes);
}

static uint32_t count_rounds(const struct shots *shots)
{
	uint32_t *rounds = mem_alloc_array(shots->n, sizeof(*rounds));
	uint32_t count = 0;

	for (size_t i = 0; i < shots->n; i++)
		rounds[i] = shots->v[i].round;
	if (shots->n > 0)
		qsort(rounds, shots->n, sizeof(*rounds), num_compare_u32);
	for (size_t i = 0; i < shots->n; i++)
		count += i == 0 || rounds[i] != rounds[i - 1];
	mem_free(rounds);
	return count;
}

static void describe_cells(struct work *work)
{
	struct result *result = work->result;
	double *room = mem_alloc_array(work->shots.n, sizeof(*room));

	result->cell_count = work->record->build_count;
	result->cells = arena_array(work->arena, result->cell_count, sizeof(*result->cells));
	for (size_t i = 0; i < result->cell_count; i++) {
		result->cells[i].build = (uint32_t)i;
		describe_cell(&work->shots, &result->cells[i], room);
	}
	result->rounds = count_rounds(&work->shots);
	mem_free(room);
}

/*
 * What every p is multiplied by: the looks planned within the rounds, and one more for each session that ended early,
 * since its result was shown before it was decided to go on.
 */
static uint32_t count_looks(const struct record *record)
{
	const struct record_plan *plan = &record->plan;
	uint32_t looks = 0;

	for (size_t i = 0; i < plan->look_count; i++)
		looks += plan->settings.rounds_max == 0 || plan->looks[i] <= plan->settings.rounds_max;
	looks = looks > 0 ? looks : 1;
	return looks + (record->session_count > 1 ? (uint32_t)record->session_count - 1 : 0);
}

static bool is_look(const struct record_plan *plan, uint32_t rounds)
{
	for (size_t i = 0; i < plan->look_count; i++)
		if (plan->looks[i] == rounds)
			return true;
	return rounds == plan->last_look;
}

/* The round at which a comparison closed, UINT32_MAX if it is open at the rounds looked at. */
static uint32_t close_of(const struct work *work, const struct record_comparison *planned)
{
	uint32_t rounds = work->options->rounds;

	if (planned->closed_at == 0 || !is_look(&work->record->plan, planned->closed_at))
		return UINT32_MAX;
	return rounds == 0 || planned->closed_at < rounds ? planned->closed_at : UINT32_MAX;
}

static bool cells_exist(const struct record *record, const struct record_comparison *planned)
{
	return planned->a < record->build_count && planned->b < record->build_count;
}

static void plan_trials(struct work *work)
{
	const struct record *record = work->record;

	for (size_t i = 0; i < record->plan.comparison_count; i++) {
		const struct record_comparison *planned = &record->plan.comparisons[i];
		struct trial *trial = &work->trials[i];

		trial->close = close_of(work, planned);
		if (!cells_exist(record, planned))
			continue;
		const struct record_build *a = &record->builds[planned->a], *b = &record->builds[planned->b];
		trial->tests = reason_could_measure(a) && reason_could_measure(b) &&
			       (work->result->same_code_judged || !identical_code(a, b));
		work->result->family += trial->tests;
	}
}

/* Analyses a trial from the rounds below `limit`, unless that was done already. */
static void analyse(struct work *work, size_t index, uint32_t limit)
{
	const struct record_comparison *planned = &work->record->plan.comparisons[index];
	struct trial *trial = &work->trials[index];
	const struct record_build *b = &work->record->builds[planned->b];

	limit = limit < trial->close ? limit : trial->close;
	if (trial->limit == limit)
		return;
	struct shot_range range_a = shots_below(shots_of(&work->shots, planned->a, 0), limit);
	struct shot_range range_b = shots_below(shots_of(&work->shots, planned->b, 0), limit);
	struct shot_pairs pairs = shots_pair(range_a, range_b, record_higher_is_better(work->record, b));

	trial->limit = limit;
	trial->marks =
		(struct reason_marks){pairs.first_a, pairs.first_b, pairs.marked_a, pairs.marked_b, NULL};
	stats_pair_analyse(pairs.v, pairs.n, STATS_USE_ALL, &trial->pair);
	trial->clean = trial->pair;
	trial->differ =
		stats_marked_differ(pairs.marked_a, pairs.first_a, pairs.marked_b, pairs.first_b, NULL);
	if (trial->differ)
		stats_pair_analyse(pairs.v, pairs.n, STATS_USE_CLEAN, &trial->clean);
	mem_free(pairs.v);
}

static struct stats_rules rules_of(const struct work *work)
{
	const struct measure_settings *settings = &work->record->plan.settings;

	return (struct stats_rules){.matters = settings->matters,
		.precision = settings->precision,
		.looks = work->result->looks,
		.lambda = work->result->lambda,
		.family = work->result->family};
}

/* Decides the whole family as it was at one look, and keeps what closed there (all that is open, at the last). */
static void decide_at(struct work *work, uint32_t look)
{
	size_t n = 0, family = work->result->family;
	struct stats_pair *all = mem_alloc_array(family, sizeof(*all));
	struct stats_pair *clean = mem_alloc_array(family, sizeof(*clean));
	struct stats_verdict *verdicts = mem_alloc_array(family, sizeof(*verdicts));
	struct stats_verdict *clean_verdicts = mem_alloc_array(family, sizeof(*verdicts));
	struct stats_rules rules = rules_of(work);
	size_t count = work->record->plan.comparison_count;

	for (size_t i = 0; i < count; i++) {
		if (!work->trials[i].tests)
			continue;
		analyse(work, i, look);
		all[n] = work->trials[i].pair;
		clean[n++] = work->trials[i].clean;
	}
	stats_family_decide(all, n, &rules, verdicts);
	stats_family_decide(clean, n, &rules, clean_verdicts);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		struct trial *trial = &work->trials[i];

		if (!trial->tests)
			continue;
		if (trial->close == look) {
			trial->verdict = verdicts[n];
			trial->clean_verdict = clean_verdicts[n];
		}
		n++;
	}
	mem_free(all);
	mem_free(clean);
	mem_free(verdicts);
	mem_free(clean_verdicts);
}

/* Each look at which something closed, in order, then what is open. */
static void decide_looks(struct work *work)
{
	const struct record_plan *plan = &work->record->plan;
	uint32_t last = 0;

	for (;;) {
		uint32_t next = UINT32_MAX;

		for (size_t i = 0; i < plan->comparison_count; i++)
			if (work->trials[i].tests && work->trials[i].close > last &&
				work->trials[i].close < next)
				next = work->trials[i].close;
		decide_at(work, next);
		if (next == UINT32_MAX)
			return;
		last = next;
	}
}

enum answer answer_of_verdict(enum stats_answer answer)
{
	switch (answer) {
	case STATS_FASTER:
		return ANSWER_FASTER;
	case STATS_SLOWER:
		return ANSWER_SLOWER;
	case STATS_TOO_SMALL:
		return ANSWER_TOO_SMALL;
	case STATS_NO_DIFFERENCE:
		return ANSWER_NO_DIFFERENCE;
	case STATS_CANT_TELL:
	case STATS_NO_ANSWER:
		break;
	}
	return ANSWER_CANT_TELL;
}

void comparison_take_verdict(struct comparison *c, const struct stats_verdict *verdict)
{
	c->answer = answer_of_verdict(verdict->answer);
	c->has_effect = true;
	c->effect = verdict->effect;
	c->lo = verdict->lo;
	c->hi = verdict->hi;
	c->has_p = verdict->has_p;
	c->p = verdict->p;
	c->p_adjusted = verdict->p_adjusted;
	c->x = verdict->x;
}

/* A comparison with an estimate. */
static void fill_effect(struct work *work, struct trial *trial, struct comparison *c)
{
	struct stats_pair wide = stats_pair_widen(&trial->pair, work->result->lambda);
	struct stats_verdict verdict = trial->verdict;

	if (trial->differ)
		verdict = stats_verdict_reconcile(&trial->verdict, &trial->clean_verdict);
	if (verdict.answer != trial->verdict.answer)
		trial->marks.clean_answer = stats_answer_name(trial->clean_verdict.answer);
	comparison_take_verdict(c, &verdict);
	c->se = wide.se;
	c->df = wide.df;
	c->effort = verdict.answer == STATS_CANT_TELL ? verdict.effort : 0;
	c->placement_averaged = trial->pair.layouts >= STATS_MIN_LAYOUTS;
	c->placement_share = trial->pair.has_split ? trial->pair.placement_share : -1;
	c->var_layout = trial->pair.has_split ? trial->pair.var_layout : NAN;
	c->var_round = trial->pair.has_split ? trial->pair.var_round : NAN;
	c->marked_differ = trial->differ;
	if (c->answer == ANSWER_CANT_TELL)
		c->reason = reason_cant_tell(work->record, c, work->result->lambda, &trial->marks,
			work->options->where, work->arena);
}

static void fill_tested(struct work *work, struct trial *trial, struct comparison *c)
{
	const struct record *record = work->record;
	const struct cell_summary *a = &work->result->cells[c->a], *b = &work->result->cells[c->b];

	c->layouts = (uint32_t)trial->pair.layouts;
	c->rounds = (uint32_t)trial->pair.rounds;
	if (!a->has_value || !b->has_value) {
		c->reason = reason_not_measured(record, !a->has_value, work->arena);
	} else if (trial->pair.status != STATS_PAIR_OK) {
		c->answer = ANSWER_CANT_TELL;
		c->reason = reason_too_few(&trial->pair, work->arena);
	} else {
		fill_effect(work, trial, c);
	}
}

static void fill_comparison(struct work *work, size_t index)
{
	const struct record *record = work->record;
	const struct record_comparison *planned = &record->plan.comparisons[index];
	struct trial *trial = &work->trials[index];
	struct comparison *c = &work->result->comparisons[index];

	*c = (struct comparison){.a = planned->a,
		.b = planned->b,
		.regrouped = planned->regrouped,
		.answer = ANSWER_NONE,
		.p = 1,
		.p_adjusted = 1,
		.placement_share = -1,
		.var_layout = NAN,
		.var_round = NAN,
		.closed_at = trial->close == UINT32_MAX ? 0 : trial->close};
	if (!cells_exist(record, planned)) {
		c->reason = "the record compares a cell that it does not have";
		return;
	}
	const struct record_build *a = &record->builds[c->a], *b = &record->builds[c->b];
	if (!reason_could_measure(a) || !reason_could_measure(b) || a->status == CELL_RUN_FAILED ||
		b->status == CELL_RUN_FAILED)
		c->reason = reason_none(record, a, b, work->arena);
	else if (trial->tests)
		fill_tested(work, trial, c);
	else
		c->answer = ANSWER_SAME_CODE;
}

void effect_of_record(const struct record *record, const struct effect_options *options, struct arena *arena,
	struct result *result)
{
	static const struct effect_options none;
	size_t count = record->plan.comparison_count;
	struct work work = {
		.record = record, .options = options ? options : &none, .arena = arena, .result = result};

	*result = (struct result){.comparison_count = count,
		.same_code_judged = work.options->no_same_code || record->plan.aa,
		.lambda = 1,
		.p_aa = 1};
	result->comparisons = arena_array(arena, count, sizeof(*result->comparisons));
	result->looks = count_looks(record);
	work.trials = mem_alloc_array(count, sizeof(*work.trials));
	shots_of_record(record, work.options->rounds, &work.shots);
	describe_cells(&work);
	identical_check(record, &work.shots, result);
	plan_trials(&work);
	decide_looks(&work);
	for (size_t i = 0; i < count; i++)
		fill_comparison(&work, i);
	shots_release(&work.shots);
	mem_free(work.trials);
}

enum exit_code effect_exit(const struct result *result)
{
	struct tally tally = {0};

	for (size_t i = 0; i < result->comparison_count; i++)
		tally_add(&tally, &result->comparisons[i], -1);
	return tally.all > 0 ? tally_code(&tally, false) : EXIT_YES;
}

static bool is_of(const struct record_build *build, const char *slot, const char *variant, uint32_t copies)
{
	return text_same(build->slot, slot) && text_same(build->variant, variant) && build->copies == copies;
}

struct effect_mean effect_geomean(const struct record *record, const struct result *result, const char *slot,
	const char *variant, uint32_t copies)
{
	struct effect_mean mean = {0};
	double *effects = mem_alloc_array(result->comparison_count, sizeof(*effects));

	for (size_t i = 0; i < record->build_count; i++)
		mean.m += !record->builds[i].baseline && is_of(&record->builds[i], slot, variant, copies);
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		if (c->b >= record->build_count || !is_of(&record->builds[c->b], slot, variant, copies))
			continue;
		if (c->has_effect || c->answer == ANSWER_SAME_CODE)
			effects[mean.n++] = c->has_effect ? c->effect : 0;
	}
	mean.m = mean.m > mean.n ? mean.m : mean.n;
	mean.has_mean = mean.n > 0;
	mean.effect = stats_mean(effects, mean.n);
	mem_free(effects);
	return mean;
}
