#include "compare/recommend.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/directory.h"
#include "compare/reason.h"
#include "stats/describe.h"
#include "stats/welch.h"

struct work {
	const struct record *record;
	const struct within_options *options;
	struct arena *arena;
	struct recommendation *out;
	uint32_t *rows;	  /* a build of each row */
	uint32_t *builds; /* candidates x rows; UINT32_MAX: there is none */
};

const char *recommend_state_text(enum recommend_state state)
{
	static const char *const texts[] = {[RECOMMEND_BEST] = "best",
		[RECOMMEND_AS_GOOD] = "as good",
		[RECOMMEND_OPEN] = "open",
		[RECOMMEND_WORSE] = "worse",
		[RECOMMEND_OUT] = "out"};

	return texts[state];
}

/* --- rows and candidates --- */

static bool counts(const struct work *work, const struct record_build *build)
{
	return !text_same(build->slot, "none") && !text_same(build->variant, "none") &&
	       directory_wants(work->options->only, build->cell);
}

static size_t find_row(const struct work *work, const struct record_build *build)
{
	size_t i = 0;

	for (; i < work->out->rows; i++) {
		const struct record_build *row = &work->record->builds[work->rows[i]];

		if (row->copies == build->copies && text_same(row->workload, build->workload) &&
			text_same(row->args, build->args))
			break;
	}
	return i;
}

static size_t find_candidate(const struct work *work, const struct record_build *build)
{
	size_t i = 0;

	while (i < work->out->n && !(text_same(work->out->v[i].slot, build->slot) &&
					   text_same(work->out->v[i].variant, build->variant)))
		i++;
	return i;
}

static void list_rows(struct work *work)
{
	size_t n = work->record->build_count;

	work->rows = arena_array(work->arena, n, sizeof(*work->rows));
	work->out->v = arena_array(work->arena, n, sizeof(*work->out->v));
	for (uint32_t i = 0; i < n; i++) {
		const struct record_build *build = &work->record->builds[i];
		const char *flags;

		if (!counts(work, build))
			continue;
		if (find_row(work, build) == work->out->rows)
			work->rows[work->out->rows++] = i;
		if (find_candidate(work, build) < work->out->n)
			continue;
		flags = facts_value(&build->facts, "build.cflags");
		work->out->v[work->out->n++] = (struct recommend_candidate){
			.slot = build->slot, .variant = build->variant, .flags = flags != NULL ? flags : ""};
	}
}

static void place_builds(struct work *work)
{
	size_t cells = work->out->n * work->out->rows;

	work->builds = arena_array(work->arena, cells, sizeof(*work->builds));
	for (size_t i = 0; i < cells; i++)
		work->builds[i] = UINT32_MAX;
	for (uint32_t i = 0; i < work->record->build_count; i++) {
		const struct record_build *build = &work->record->builds[i];

		if (counts(work, build))
			work->builds[find_candidate(work, build) * work->out->rows + find_row(work, build)] =
				i;
	}
}

static uint32_t build_of(const struct work *work, size_t candidate, size_t row)
{
	return work->builds[candidate * work->out->rows + row];
}

static void leave_out(struct work *work, size_t candidate, size_t row, const char *reason)
{
	struct recommend_candidate *c = &work->out->v[candidate];
	const struct record_build *like = &work->record->builds[work->rows[row]];

	if (c->state == RECOMMEND_OUT)
		return;
	c->state = RECOMMEND_OUT;
	c->reason = arena_printf(work->arena, "%s: %s", like->workload, reason);
}

/* What does not exist in every row is out. */
static void check_complete(struct work *work)
{
	for (size_t i = 0; i < work->out->n; i++) {
		for (size_t r = 0; r < work->out->rows; r++) {
			uint32_t build = build_of(work, i, r);
			const struct record_build *cell;

			if (build == UINT32_MAX) {
				leave_out(work, i, r, "the matrix has no such cell");
				continue;
			}
			cell = &work->record->builds[build];
			if (cell->status != CELL_MEASURED && cell->status != CELL_BUILT)
				leave_out(work, i, r, reason_of_cell(work->record, cell, work->arena));
		}
	}
}

/* --- effects --- */

/* The comparisons of all candidates against one, row by row; builds that are their own baseline are left out. */
static void compare_with(struct work *work, size_t base, struct record *view, struct result *result)
{
	struct effect_options options = {
		.no_same_code = work->options->no_same_code, .where = work->options->where};
	struct record_comparison *list =
		arena_array(work->arena, work->out->n * work->out->rows, sizeof(*list));
	size_t n = 0;

	*view = *work->record;
	for (size_t i = 0; i < work->out->n; i++)
		for (size_t r = 0; r < work->out->rows && i != base; r++)
			if (work->out->v[i].state != RECOMMEND_OUT)
				list[n++] = (struct record_comparison){
					.a = build_of(work, base, r), .b = build_of(work, i, r)};
	view->plan.comparisons = list;
	view->plan.comparison_count = n;
	effect_of_record(view, &options, work->arena, result);
}

static void set_worst(struct work *work, struct recommend_candidate *c, const struct comparison *found)
{
	if (found->effect >= c->worst)
		return;
	c->worst = found->effect;
	c->worst_cell = work->record->builds[found->b].cell;
}

/* The mean over the rows of the candidate whose comparisons begin at `found`; out if a row has no effect. */
static void mean_of(struct work *work, size_t candidate, const struct comparison *found)
{
	struct recommend_candidate *c = &work->out->v[candidate];
	size_t rows = work->out->rows;
	double *effect = mem_alloc_array(3 * rows, sizeof(*effect)), *se = effect + rows, *df = se + rows;
	struct stats_pair mean;

	c->worst = 0;
	c->worst_cell = NULL;
	for (size_t r = 0; r < rows; r++) {
		if (found[r].answer == ANSWER_SAME_CODE)
			continue; /* all of it is 0 */
		if (!found[r].has_effect) {
			leave_out(work, candidate, r,
				found[r].reason != NULL ? found[r].reason : "not compared");
			continue;
		}
		effect[r] = found[r].effect;
		se[r] = found[r].se;
		df[r] = found[r].df;
		set_worst(work, c, &found[r]);
	}
	stats_mean_of_effects(effect, se, df, rows, &mean);
	c->effect = mean.effect;
	c->lo = mean.lo;
	c->hi = mean.hi;
	mem_free(effect);
}

static void means_against(struct work *work, size_t base)
{
	struct record view;
	struct result result;
	size_t at = 0;

	compare_with(work, base, &view, &result);
	work->out->v[base].effect = work->out->v[base].lo = work->out->v[base].hi = 0;
	work->out->v[base].worst = 0;
	work->out->v[base].worst_cell = NULL;
	for (size_t i = 0; i < work->out->n; i++) {
		if (i == base || work->out->v[i].state == RECOMMEND_OUT)
			continue;
		mean_of(work, i, result.comparisons + at);
		at += work->out->rows;
	}
}

/* The first candidate that counts; n if none does. */
static size_t first_in(const struct recommendation *out)
{
	size_t i = 0;

	while (i < out->n && out->v[i].state == RECOMMEND_OUT)
		i++;
	return i;
}

static size_t largest(const struct recommendation *out)
{
	size_t best = first_in(out);

	for (size_t i = best; i < out->n; i++)
		if (out->v[i].state != RECOMMEND_OUT && out->v[i].effect > out->v[best].effect)
			best = i;
	return best;
}

static void judge(struct work *work, size_t best)
{
	double matters = work->out->matters;

	for (size_t i = 0; i < work->out->n; i++) {
		struct recommend_candidate *c = &work->out->v[i];

		if (c->state == RECOMMEND_OUT)
			continue;
		c->state = i == best	       ? RECOMMEND_BEST
			   : c->lo >= -matters ? RECOMMEND_AS_GOOD
			   : c->hi < -matters  ? RECOMMEND_WORSE
					       : RECOMMEND_OPEN;
	}
}

/* --- what speaks for a candidate beside its speed --- */

static bool is_loose(const char *flags)
{
	return flags != NULL && (strstr(flags, "-ffast-math") != NULL || strstr(flags, "-Ofast") != NULL ||
					strstr(flags, "-funsafe-math-optimizations") != NULL);
}

static size_t count_words(const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p != '\0'; p++)
		n += *p != ' ' && (p == text || p[-1] == ' ');
	return n;
}

static uint64_t size_of(const struct record_build *build)
{
	static const char *const keys[] = {"size.text_bytes", "size.rodata_bytes", "size.data_bytes"};
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = facts_value(&build->facts, keys[i]);
		uint64_t bytes;

		if (value != NULL && num_parse_u64(value, &bytes))
			sum += bytes;
	}
	return sum;
}

static void describe(struct work *work, size_t candidate)
{
	struct recommend_candidate *c = &work->out->v[candidate];

	c->has_features = true;
	for (size_t r = 0; r < work->out->rows; r++) {
		const struct record_build *build;
		const char *features;

		if (build_of(work, candidate, r) == UINT32_MAX)
			continue;
		build = &work->record->builds[build_of(work, candidate, r)];
		features = facts_value(&build->facts, "resolved.features");
		c->has_features = c->has_features && features != NULL;
		if (features != NULL && count_words(features) > c->features)
			c->features = count_words(features);
		c->size_bytes += size_of(build);
		c->loose_floats = c->loose_floats || is_loose(facts_value(&build->facts, "build.cflags"));
	}
}

/* The best is one of those that are as good. */
static int rank_of(enum recommend_state state)
{
	return state == RECOMMEND_BEST ? (int)RECOMMEND_AS_GOOD : (int)state;
}

static int order(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_advice(const void *left, const void *right)
{
	const struct recommend_candidate *a = left, *b = right;
	int result = rank_of(a->state) - rank_of(b->state);

	if (result == 0 && rank_of(a->state) != (int)RECOMMEND_AS_GOOD)
		result = order(b->effect, a->effect);
	if (result == 0)
		result = a->loose_floats - b->loose_floats;
	if (result == 0)
		result = b->has_features - a->has_features;
	if (result == 0)
		result = order((double)a->features, (double)b->features);
	if (result == 0)
		result = order((double)a->size_bytes, (double)b->size_bytes);
	if (result == 0)
		result = order(b->effect, a->effect);
	if (result == 0)
		result = strcmp(a->slot, b->slot);
	return result != 0 ? result : strcmp(a->variant, b->variant);
}

static size_t count_in(const struct recommendation *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++)
		n += out->v[i].state != RECOMMEND_OUT;
	return n;
}

static int too_few(const struct recommendation *out, struct error *e)
{
	error_set(e, EXIT_NOTHING,
		"fewer than two combinations of slot and variant were measured in all %zu rows: there is "
		"nothing to choose from",
		out->rows);
	for (size_t i = 0; i < out->n && i < 5; i++)
		if (out->v[i].state == RECOMMEND_OUT)
			error_advice(e, "%s/%s: %s", out->v[i].slot, out->v[i].variant, out->v[i].reason);
	return -1;
}

int recommend(const struct record *record, const struct within_options *options, struct arena *arena,
	struct recommendation *out, struct error *e)
{
	struct work work = {record, options, arena, out, NULL, NULL};
	size_t best;

	*out = (struct recommendation){
		.matters = options->matters > 0 ? options->matters : record->plan.settings.matters};
	if (within_check_patterns(record, options->only, e) != 0)
		return -1;
	list_rows(&work);
	place_builds(&work);
	check_complete(&work);
	if (count_in(out) < 2)
		return too_few(out, e);
	means_against(&work, first_in(out));
	if (count_in(out) < 2)
		return too_few(out, e);
	best = largest(out);
	means_against(&work, best);
	judge(&work, best);
	for (size_t i = 0; i < out->n; i++)
		describe(&work, i);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof(*out->v), by_advice);
	for (size_t i = 0; i < out->n; i++) {
		out->as_good += rank_of(out->v[i].state) == (int)RECOMMEND_AS_GOOD;
		if (out->v[i].state == RECOMMEND_BEST)
			out->best = i;
	}
	return 0;
}
