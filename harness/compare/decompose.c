#include "compare/decompose.h"

#include "base/mem.h"
#include "compare/decompose_decide.h"
#include "compare/decompose_terms.h"
#include "compare/directory.h"
#include "compare/reason.h"
#include "compare/shots.h"
#include "compare/within.h"
#include "stats/welch.h"

struct work {
	const struct decompose_options *options;
	struct arena *arena;
	struct decomposition *out;
	struct shots shots;
	uint32_t *closes; /* of each build */
	struct trials trials;
};

const char *decompose_kind_text(enum decompose_kind kind)
{
	static const char *const texts[] = {[DECOMPOSE_PART] = "part",
		[DECOMPOSE_WHOLE] = "whole",
		[DECOMPOSE_MAIN] = "main effect",
		[DECOMPOSE_INTERACTION] = "interaction"};

	return texts[kind];
}

/* --- groups and rows --- */

static struct decompose_group *find_group(struct decomposition *out, const struct record_build *build)
{
	for (size_t i = 0; i < out->group_count; i++)
		if (out->groups[i].copies == build->copies && text_same(out->groups[i].slot, build->slot))
			return &out->groups[i];
	out->groups[out->group_count] =
		(struct decompose_group){.slot = build->slot, .copies = build->copies};
	return &out->groups[out->group_count++];
}

static bool is_row(
	const struct record *record, const struct decompose_row *row, const struct record_build *build)
{
	const struct record_build *like = &record->builds[row->like];

	return text_same(like->workload, build->workload) && text_same(like->args, build->args);
}

static void note_once(struct words *words, const char *text, struct arena *arena)
{
	if (!words_have(words, text))
		words_add(words, arena, text);
}

/* Rows are where a cell that is wanted is a combination of the axes. */
static void list_rows(struct work *work)
{
	const struct record *record = &work->out->record;
	struct decomposition *out = work->out;

	out->groups = arena_array(work->arena, record->build_count, sizeof(*out->groups));
	for (uint32_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];
		struct decompose_group *group;
		size_t r = 0;

		if (!directory_wants(work->options->only, build->cell))
			continue;
		if (text_same(build->slot, "none") || text_same(build->variant, "none")) {
			note_once(&out->fixed, build->workload, work->arena);
			continue;
		}
		if (design_find(&out->design, build->variant) < 0) {
			note_once(&out->not_on_axes, build->variant, work->arena);
			continue;
		}
		group = find_group(out, build);
		if (group->rows == NULL)
			group->rows = arena_array(work->arena, record->build_count, sizeof(*group->rows));
		while (r < group->row_count && !is_row(record, &group->rows[r], build))
			r++;
		if (r == group->row_count)
			group->rows[group->row_count++] = (struct decompose_row){.like = i};
	}
}

/* The build of each combination of a row; on the heap. */
static uint32_t *builds_of(
	const struct work *work, const struct decompose_group *group, const struct decompose_row *row)
{
	const struct record *record = &work->out->record;
	const struct design *design = &work->out->design;
	uint32_t *builds = mem_alloc_array(design->combinations, sizeof(*builds));

	for (size_t i = 0; i < design->combinations; i++)
		builds[i] = CELLS_NO_BUILD;
	for (uint32_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];
		int64_t at;

		if (build->copies != group->copies || !text_same(build->slot, group->slot) ||
			!is_row(record, row, build))
			continue;
		at = design_find(design, build->variant);
		if (at >= 0)
			builds[at] = i;
	}
	return builds;
}

/* --- the effects of a row --- */

static void fill_estimate(struct work *work, struct trial *trial, const struct sum_estimate *estimate)
{
	struct comparison *c = &trial->effect->c;

	c->closed_at = estimate->limit == CELLS_OPEN ? 0 : estimate->limit;
	c->layouts = (uint32_t)estimate->all.layouts;
	c->rounds = (uint32_t)estimate->all.rounds;
	if (estimate->same_code) {
		c->answer = ANSWER_SAME_CODE;
		return;
	}
	if (estimate->all.status != STATS_PAIR_OK) {
		c->answer = ANSWER_CANT_TELL;
		c->reason = reason_too_few(&estimate->all, work->arena);
		return;
	}
	trial->tests = true;
	trial->differ = estimate->differ;
	trial->placement_share = estimate->placement_share;
	trial->all = stats_pair_widen(&estimate->all, work->out->result.lambda);
	trial->clean = stats_pair_widen(&estimate->clean, work->out->result.lambda);
	c->placement_averaged = trial->all.method == STATS_BY_LAYOUTS;
}

static void estimate_term(struct work *work, struct trial trial, const struct decompose_term *term,
	const struct cells *cells, const struct term_parts *parts, struct sums *sums)
{
	struct decompose_effect *effect = trial.effect;
	const struct design *design = &work->out->design;
	struct term_sum sum;
	struct sum_estimate estimate;

	effect->c = (struct comparison){.a = UINT32_MAX,
		.b = UINT32_MAX,
		.answer = ANSWER_NONE,
		.p = 1,
		.p_adjusted = 1,
		.placement_share = -1};
	if (term->kind == DECOMPOSE_WHOLE) {
		effect->c.a = cells->source.builds[design->reference];
		effect->c.b = cells->source.builds[design->target];
	}
	term_sum(cells, parts, term, &sum);
	effect->used = sum.used;
	effect->possible = sum.possible;
	effect->partial = sum.used < sum.possible;
	effect->missing = sum.missing;
	if (sum.used > 0) {
		sums_estimate(sums, &(struct sum){sum.combinations.v, sum.weights.v, sum.combinations.n},
			&estimate);
		fill_estimate(work, &trial, &estimate);
	} else {
		effect->c.reason = sum.missing;
	}
	term_sum_release(&sum);
	vec_push(&work->trials, trial);
}

static void estimate_row(struct work *work, struct decompose_group *group, struct decompose_row *row)
{
	struct decomposition *out = work->out;
	uint32_t *builds = builds_of(work, group, row);
	struct cells_source source = {.record = &out->record,
		.shots = &work->shots,
		.design = &out->design,
		.builds = builds,
		.closes = work->closes,
		.only = work->options->only,
		.same_code_judged = out->result.same_code_judged,
		.arena = work->arena};
	struct cells cells;
	struct term_parts parts;
	struct sums *sums;

	cells_init(&cells, &source);
	term_parts_init(&parts, &cells);
	sums = sums_new(&cells);
	row->effects = arena_array(work->arena, out->term_count, sizeof(*row->effects));
	for (size_t t = 0; t < out->term_count; t++)
		estimate_term(work, (struct trial){.effect = &row->effects[t], .group = group, .row = row},
			&out->terms[t], &cells, &parts, sums);
	sums_free(sums);
	term_parts_release(&parts);
	cells_release(&cells);
	mem_free(builds);
}

/* --- means over rows --- */

/* Its trials stand in order, row by row, a term each. */
static const struct trial *trial_of(const struct work *work, size_t first, size_t row, size_t term)
{
	return &work->trials.v[first + row * work->out->term_count + term];
}

static bool has_number(const struct trial *trial)
{
	return trial->tests || trial->effect->c.answer == ANSWER_SAME_CODE;
}

/* Does this row take part in the mean of this term? For parts and the whole all of them must have a number. */
static bool takes_part(const struct work *work, size_t first, size_t row, size_t term)
{
	if (work->out->terms[term].kind != DECOMPOSE_PART && work->out->terms[term].kind != DECOMPOSE_WHOLE)
		return has_number(trial_of(work, first, row, term));
	for (size_t t = 0; t <= work->out->part_count; t++) /* the whole stands behind the parts */
		if (!has_number(trial_of(work, first, row, t)))
			return false;
	return true;
}

/* The mean of either estimate over the rows that take part; the same code is 0 without noise. */
static void mean_of(
	const struct work *work, size_t first, size_t rows, size_t term, bool clean, struct stats_pair *out)
{
	double *effect = mem_alloc_array(3 * rows, sizeof(*effect)), *se = effect + rows, *df = se + rows;
	size_t n = 0;

	for (size_t r = 0; r < rows; r++) {
		const struct trial *trial = trial_of(work, first, r, term);
		const struct stats_pair *pair = clean ? &trial->clean : &trial->all;

		if (!takes_part(work, first, r, term) || (trial->tests && pair->status != STATS_PAIR_OK))
			continue;
		effect[n] = trial->tests ? pair->effect : 0;
		se[n] = trial->tests ? pair->se : 0;
		df[n++] = trial->tests ? pair->df : 0;
	}
	stats_mean_of_effects(effect, se, df, n, out);
	mem_free(effect);
}

static void fill_mean(struct work *work, size_t first, const struct decompose_group *group, size_t term,
	struct trial *trial)
{
	struct decompose_effect *effect = trial->effect;
	size_t tests = 0;

	effect->c = (struct comparison){.a = UINT32_MAX,
		.b = UINT32_MAX,
		.answer = ANSWER_NONE,
		.p = 1,
		.p_adjusted = 1,
		.placement_share = -1,
		.placement_averaged = true,
		.layouts = UINT32_MAX,
		.rounds = UINT32_MAX};
	effect->possible = (double)group->row_count;
	for (size_t r = 0; r < group->row_count; r++) {
		const struct trial *of = trial_of(work, first, r, term);

		if (!takes_part(work, first, r, term))
			continue;
		effect->used++;
		tests += of->tests;
		effect->partial = effect->partial || of->effect->partial;
		trial->differ = trial->differ || of->differ;
		if (!of->tests)
			continue;
		effect->c.placement_averaged =
			effect->c.placement_averaged && of->effect->c.placement_averaged;
		if (of->effect->c.layouts < effect->c.layouts)
			effect->c.layouts = of->effect->c.layouts;
		if (of->effect->c.rounds < effect->c.rounds)
			effect->c.rounds = of->effect->c.rounds;
	}
	effect->partial = effect->partial || effect->used < effect->possible;
	trial->tests = tests > 0;
	if (tests > 0)
		return;
	effect->c.layouts = effect->c.rounds = 0;
	effect->c.placement_averaged = false;
	if (effect->used > 0)
		effect->c.answer = ANSWER_SAME_CODE;
	else
		effect->c.reason = "no workload has this effect";
}

static void make_means(struct work *work, struct decompose_group *group, size_t first)
{
	struct decomposition *out = work->out;

	group->means = arena_array(work->arena, out->term_count, sizeof(*group->means));
	for (size_t t = 0; t < out->term_count; t++) {
		struct trial trial = {.effect = &group->means[t], .group = group, .placement_share = -1};

		fill_mean(work, first, group, t, &trial);
		mean_of(work, first, group->row_count, t, false, &trial.all);
		mean_of(work, first, group->row_count, t, true, &trial.clean);
		vec_push(&work->trials, trial);
	}
}

/* --- the whole --- */

static void make_view(
	struct decomposition *out, const struct record *record, const struct decompose_options *options)
{
	out->record = *record;
	if (options->matters > 0)
		out->record.plan.settings.matters = options->matters;
	if (options->precision > 0)
		out->record.plan.settings.precision = options->precision;
}

/* The run's own comparisons say which cells closed at which look, and what the A/A check found. */
static void read_run(struct work *work)
{
	struct decomposition *out = work->out;
	struct effect_options options = {
		.no_same_code = work->options->no_same_code, .where = work->options->where};
	size_t n = out->record.build_count;

	effect_of_record(&out->record, &options, work->arena, &out->result);
	work->closes = mem_alloc_array(n, sizeof(*work->closes));
	for (size_t i = 0; i < n; i++)
		work->closes[i] = CELLS_OPEN;
	for (size_t i = 0; i < out->result.comparison_count; i++) {
		const struct comparison *c = &out->result.comparisons[i];

		if (c->b < n && c->closed_at > 0)
			work->closes[c->b] = c->closed_at;
	}
	shots_of_record(&out->record, 0, &work->shots);
}

int decompose(const struct record *record, const struct decompose_options *options, struct arena *arena,
	struct decomposition *out, struct error *e)
{
	struct work work = {.options = options, .arena = arena, .out = out};

	*out = (struct decomposition){0};
	if (within_check_patterns(record, options->only, e) != 0 ||
		design_of_record(record, options->reference, options->target, arena, &out->design, e) != 0)
		return -1;
	make_view(out, record, options);
	list_rows(&work);
	if (out->group_count == 0)
		return error_set(e, EXIT_NOTHING,
			"--decompose: no cell of the record is a combination of the matrix' axes, such as %s",
			out->design.target_name);
	terms_of_design(out, arena);
	read_run(&work);
	for (size_t g = 0; g < out->group_count; g++) {
		struct decompose_group *group = &out->groups[g];
		size_t first = work.trials.n;

		for (size_t r = 0; r < group->row_count; r++)
			estimate_row(&work, group, &group->rows[r]);
		if (group->row_count > 1)
			make_means(&work, group, first);
	}
	decide_trials(&work.trials, out, options, arena);
	shots_release(&work.shots);
	vec_release(&work.trials);
	mem_free(work.closes);
	return 0;
}
