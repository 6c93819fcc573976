#include "compare/explain.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "compare/explain_text.h"
#include "compare/identical.h"
#include "compare/shots.h"
#include "stats/adjust.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/rank.h"

enum { LAYOUTS_LISTED = 16 };

struct story {
	const struct within *within;
	const struct comparison *c;
	const struct record_build *a, *b;
	const char *unit;
	struct arena *arena;
	struct words *steps;
	struct shots shots;
	struct shot_pairs pairs;
};

int explain_find_within(
	const struct within *within, const char *pattern, struct arena *arena, size_t *index, struct error *e)
{
	size_t n = within->result.comparison_count;
	const char **names = arena_array(arena, n, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = within->record.builds[within->result.comparisons[i].b].cell;
	return explain_match(names, n, pattern, arena, index, e);
}

static void tell_cells(struct story *s)
{
	bool same = text_same(s->a->code_hash, s->b->code_hash), alike = identical_code(s->a, s->b);

	words_addf(s->steps, s->arena,
		"What is compared: %s, against its baseline %s, both of one run, measured side by side.",
		s->b->cell, s->a->cell);
	if (s->a->code_hash == NULL || s->b->code_hash == NULL)
		words_add(s->steps, s->arena, "Code: whether both have the same machine code is not known.");
	else
		words_addf(s->steps, s->arena, "Code: %s (code hashes %.12s and %.12s).",
			alike  ? "both have the same machine code"
			: same ? "both have the same machine code, but are not run in the same way"
			       : "their machine code differs",
			s->a->code_hash, s->b->code_hash);
}

static void tell_cell(struct story *s, const char *who, uint32_t build)
{
	const struct cell_summary *cell = &s->within->result.cells[build];
	const char *interval = "";

	if (cell->has_interval)
		interval = arena_printf(s->arena, ", 95 %% interval of the median %s to %s",
			explain_value(cell->lo, s->unit, s->arena),
			explain_value(cell->hi, s->unit, s->arena));
	words_addf(s->steps, s->arena,
		"Samples of the %s: %zu rounds with a value, %zu samples without; median %s%s; spread "
		"%.2f %%; %zu stayed disturbed although measured again; %zu outlier%s, kept.%s%s",
		who, cell->samples, cell->failed, explain_value(cell->median, s->unit, s->arena), interval,
		100 * cell->spread, cell->marked, cell->outliers, cell->outliers == 1 ? "" : "s",
		cell->two_modes
			? arena_printf(s->arena,
				  " It has two modes, around %s and %s: one median speaks for neither.",
				  explain_value(cell->modes.low, s->unit, s->arena),
				  explain_value(cell->modes.high, s->unit, s->arena))
			: "",
		cell->trending ? arena_printf(s->arena,
					 " It has a trend within the run: %+.2g %% from the first third of "
					 "its rounds to the last.",
					 100 * cell->trend)
			       : "");
}

static void tell_pairs(struct story *s)
{
	size_t n = s->pairs.n, disturbed = 0;
	double *effects = mem_alloc_array(n, sizeof(*effects));

	for (size_t i = 0; i < n; i++) {
		effects[i] = s->pairs.v[i].effect;
		disturbed += s->pairs.v[i].disturbed;
	}
	if (n > 0)
		qsort(effects, n, sizeof(*effects), num_compare_doubles);
	if (n > 0)
		words_addf(s->steps, s->arena,
			"Pairs: in each round the two stood in one block with the same number of layout, so "
			"what disturbed both cancels. "
			"%zu rounds have both (%zu of them disturbed). The effect of a round is the "
			"logarithm of the ratio of its two values, here from %s to %s, median %s; the first "
			"round (%u, layout %u) gave %s.",
			n, disturbed, explain_percent(effects[0], s->arena),
			explain_percent(effects[n - 1], s->arena),
			explain_percent(stats_median(effects, n), s->arena), s->pairs.v[0].round,
			s->pairs.v[0].layout, explain_percent(s->pairs.v[0].effect, s->arena));
	mem_free(effects);
	if (s->c->closed_at > 0)
		words_addf(s->steps, s->arena,
			"Look: the run closed this comparison at the look after %u rounds; later rounds do "
			"not count.",
			s->c->closed_at);
}

static int by_layout(const void *left, const void *right)
{
	const struct stats_observation *a = left, *b = right;

	if (a->layout != b->layout)
		return a->layout < b->layout ? -1 : 1;
	return (a->effect > b->effect) - (a->effect < b->effect);
}

/* Estimates of the layouts in the order of their numbers; returns how many. pairs are sorted. */
static size_t estimate_layouts(struct story *s, double *estimates)
{
	double *effects = mem_alloc_array(s->pairs.n, sizeof(*effects));
	size_t layouts = 0;

	if (s->pairs.n > 0)
		qsort(s->pairs.v, s->pairs.n, sizeof(*s->pairs.v), by_layout);
	for (size_t at = 0, end; at < s->pairs.n; at = end) {
		for (end = at; end < s->pairs.n && s->pairs.v[end].layout == s->pairs.v[at].layout; end++)
			effects[end - at] = s->pairs.v[end].effect;
		estimates[layouts++] = stats_pseudomedian(effects, end - at);
	}
	mem_free(effects);
	return layouts;
}

static void tell_mean(struct story *s, const double *estimates, size_t layouts)
{
	double sd = stats_sd(estimates, layouts), lambda = s->within->result.lambda;
	const char *widened = "";

	if (lambda > 1)
		widened = arena_printf(s->arena,
			", widened %.3f times, since pairs of identical code scattered so much more than "
			"they should",
			lambda);
	words_addf(s->steps, s->arena,
		"Mean: %s over the %zu layouts. They scatter by %s (standard deviation), so their mean by "
		"that over the root of %zu: standard error %s%s.",
		explain_percent(s->c->effect, s->arena), layouts, explain_percent(sd, s->arena) + 1, layouts,
		explain_percent(s->c->se, s->arena) + 1, widened);
	words_addf(s->steps, s->arena,
		"Interval: Student's t with %g degrees of freedom lies within ±%.4g in 95 %% of cases; times "
		"the standard error: %s to %s.",
		s->c->df, stats_t_quantile(0.975, s->c->df), explain_percent(s->c->lo, s->arena),
		explain_percent(s->c->hi, s->arena));
}

static void tell_layouts(struct story *s)
{
	double *estimates = mem_alloc_array(s->pairs.n, sizeof(*estimates));
	size_t layouts = estimate_layouts(s, estimates);
	struct buf list = {0};

	for (size_t i = 0; i < layouts && i < LAYOUTS_LISTED; i++)
		buf_addf(&list, "%s%s", i > 0 ? ", " : "", explain_percent(estimates[i], s->arena));
	if (layouts > LAYOUTS_LISTED)
		buf_addf(&list, " and %zu more", layouts - LAYOUTS_LISTED);
	words_addf(s->steps, s->arena,
		"Layouts: where the linker puts the code is luck that all rounds of a layout share, so a "
		"layout counts once, with the Hodges-Lehmann estimate over its rounds: %s.",
		buf_text(&list));
	tell_mean(s, estimates, layouts);
	if (s->c->placement_share >= 0)
		words_addf(s->steps, s->arena,
			"Noise: %.0f %% of the variance of this mean comes from placement (more layouts "
			"would lower it), the rest from rounds.",
			100 * s->c->placement_share);
	buf_release(&list);
	mem_free(estimates);
}

static void tell_rounds(struct story *s)
{
	words_addf(s->steps, s->arena,
		"Estimate: there is one layout, so placement is not averaged, and what is found holds for "
		"this link of the code. "
		"The Hodges-Lehmann estimate over the rounds (median of the means of all pairs of rounds) is "
		"%s; its 95 %% interval by signed ranks is %s to %s.",
		explain_percent(s->c->effect, s->arena), explain_percent(s->c->lo, s->arena),
		explain_percent(s->c->hi, s->arena));
}

static void tell_marks(struct story *s)
{
	const struct shot_pairs *p = &s->pairs;

	words_addf(s->steps, s->arena,
		"Disturbances: at the first attempt %zu of %zu samples of the baseline and %zu of %zu of "
		"this cell were marked (Fisher's p = %.2g)%s.",
		p->marked_a, p->first_a, p->marked_b, p->first_b,
		stats_fisher(p->marked_a, p->first_a - p->marked_a, p->marked_b, p->first_b - p->marked_b),
		s->c->marked_differ
			? "; that differs, so the answer must be the same without the marked samples"
			: "");
}

static void tell_effect(struct story *s)
{
	const struct measure_settings *settings = &s->within->record.plan.settings;

	tell_marks(s);
	if (s->c->df > 0)
		tell_layouts(s);
	else
		tell_rounds(s);
	explain_p(s->c, s->within->result.looks, s->within->result.family, s->arena, s->steps);
	explain_answer(s->c, settings->matters, settings->precision, s->arena, s->steps);
}

void explain_within(const struct within *within, size_t index, struct arena *arena, struct words *steps)
{
	const struct record *record = &within->record;
	const struct comparison *c = &within->result.comparisons[index];
	const struct record_workload *workload = record_workload(record, record->builds[c->b].workload);
	struct story s = {.within = within,
		.c = c,
		.a = &record->builds[c->a],
		.b = &record->builds[c->b],
		.unit = workload != NULL && workload->unit != NULL ? workload->unit : "",
		.arena = arena,
		.steps = steps};

	tell_cells(&s);
	if (c->answer == ANSWER_SAME_CODE) {
		words_add(steps, arena,
			"Answer: same code. What is measured between them is noise, and is used to check the "
			"run's noise (A/A); --aa judges it like any other pair.");
		return;
	}
	if (within->result.cells[c->a].has_value)
		tell_cell(&s, "baseline", c->a);
	if (within->result.cells[c->b].has_value)
		tell_cell(&s, "cell", c->b);
	if (!c->has_effect) {
		words_addf(steps, arena, "Answer: %s: %s.", answer_text(c->answer),
			c->reason != NULL ? c->reason : "no reason is known");
		return;
	}
	shots_of_record(record, c->closed_at, &s.shots);
	s.pairs = shots_pair(shots_of(&s.shots, c->a, 0), shots_of(&s.shots, c->b, 0),
		record_higher_is_better(record, s.b));
	tell_pairs(&s);
	tell_effect(&s);
	mem_free(s.pairs.v);
	shots_release(&s.shots);
}
