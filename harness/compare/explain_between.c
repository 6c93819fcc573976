#include <math.h>

#include "base/buf.h"
#include "compare/explain.h"
#include "compare/explain_text.h"
#include "stats/dist.h"
#include "stats/welch.h"

enum { RUNS_LISTED = 20 };

int explain_find_between(const struct between *between, const char *pattern, struct arena *arena,
	size_t *index, struct error *e)
{
	const char **names = arena_array(arena, between->cell_count, sizeof(*names));

	for (size_t i = 0; i < between->cell_count; i++)
		names[i] = between->cells[i].cell;
	return explain_match(names, between->cell_count, pattern, arena, index, e);
}

static void tell_side(const struct between_side *side, const struct between_value *value, struct arena *arena,
	struct words *steps)
{
	struct buf list = {0};

	for (size_t i = 0; i < value->runs && i < RUNS_LISTED; i++)
		buf_addf(&list, "%s%s", i > 0 ? ", " : "",
			explain_value(value->medians[i], value->unit, arena));
	if (value->runs > RUNS_LISTED)
		buf_addf(&list, " and %zu more", value->runs - RUNS_LISTED);
	if (!value->has_value)
		words_addf(steps, arena, "%s: no value: %s.", side->name, value->reason);
	else if (value->runs == 1 && value->has_interval)
		words_addf(steps, arena,
			"%s: one run, median %s, its own 95 %% interval %s to %s; how far another run "
			"would lie from it is not known.",
			side->name, buf_text(&list), explain_value(value->lo, value->unit, arena),
			explain_value(value->hi, value->unit, arena));
	else
		words_addf(steps, arena,
			"%s: %zu run%s with the median%s %s. All samples of a run share its luck, so a "
			"run counts once.",
			side->name, value->runs, value->runs == 1 ? "" : "s", value->runs == 1 ? "" : "s",
			buf_text(&list));
	buf_release(&list);
}

static void tell_comparability(const struct between *between, const struct between_effect *effect,
	size_t side, struct arena *arena, struct words *steps)
{
	const struct words *records = &between->comparable[side].caveats;
	const struct words *cells = &effect->comparable.caveats;

	words_addf(steps, arena, "May they be compared? %s", between->sentences[side]);
	if (effect->comparable.row > 0)
		words_addf(steps, arena, "Row %u of the table of verdicts, %s: %s.", effect->comparable.row,
			comparable_row_text(effect->comparable.row),
			comparability_loud(effect->comparable.by_row));
	for (size_t i = 0; i < records->n; i++)
		words_addf(steps, arena, "Caveat: %s.", records->v[i]);
	for (size_t i = 0; i < cells->n; i++)
		words_addf(steps, arena, "Caveat of this cell: %s.", cells->v[i]);
	words_addf(steps, arena, "Code: %s.",
		effect->comparable.code == CODE_SAME ? "both sides have the same machine code"
		: effect->comparable.code == CODE_UNPADDED
			? "both sides have the same machine code but for padding"
		: effect->comparable.code == CODE_OTHER
			? "the machine code differs"
			: "whether the machine code is the same is not known");
}

static void tell_test(const struct between *between, const struct between_effect *effect, struct arena *arena,
	struct words *steps)
{
	const struct comparison *c = &effect->c;

	words_addf(steps, arena,
		"Effect: the difference of the means of the logarithms of the medians is %s; Welch's "
		"standard error, from the scatter of both sides, is %s with %.4g degrees of freedom.",
		explain_percent(c->effect, arena), explain_percent(c->se, arena) + 1, c->df);
	words_addf(steps, arena, "Interval: ±%.4g standard errors hold 95 %%: %s to %s.",
		stats_t_quantile(0.975, c->df), explain_percent(c->lo, arena), explain_percent(c->hi, arena));
	if (effect->has_rank)
		words_addf(steps, arena,
			"Ranks: Mann and Whitney's test, which does not look at sizes, gives p = %.3g; it "
			"must lead to the same answer.",
			effect->p_rank);
	explain_p(c, 1, between->family, arena, steps);
	explain_answer(c, between->matters, between->precision, arena, steps);
}

void explain_between(
	const struct between *between, size_t cell, size_t side, struct arena *arena, struct words *steps)
{
	const struct between_cell *of = &between->cells[cell];
	const struct between_effect *effect = &of->effects[side];

	words_addf(steps, arena, "What is compared: %s of %s, against that of the baseline %s.", of->cell,
		between->sides[side].name, between->sides[between->baseline].name);
	tell_comparability(between, effect, side, arena, steps);
	tell_side(&between->sides[between->baseline], &of->values[between->baseline], arena, steps);
	tell_side(&between->sides[side], &of->values[side], arena, steps);
	if (effect->has_ratio)
		words_addf(steps, arena, "Difference of the medians: %s.",
			explain_percent(effect->ratio, arena));
	if (effect->c.has_effect)
		tell_test(between, effect, arena, steps);
	else
		words_addf(steps, arena, "Answer: %s: %s.", answer_text(effect->c.answer),
			effect->c.reason != NULL ? effect->c.reason : "no reason is known");
}
