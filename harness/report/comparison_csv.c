#include "report/comparison.h"

#include "report/csv_line.h"
#include "stats/effect.h"

#define COUNT(names) (sizeof(names) / sizeof((names)[0]))

void comparison_csv_answer(struct csv *csv, const struct comparison *c)
{
	csv_text(csv, answer_text(c->answer));
	csv_text(csv, c->reason);
	csv_number(csv, c->has_effect, stats_percent(c->effect));
	csv_number(csv, c->has_effect, stats_percent(c->lo));
	csv_number(csv, c->has_effect, stats_percent(c->hi));
	csv_number(csv, c->has_effect, stats_percent(c->x));
	csv_p(csv, c->has_effect, c->has_p, c->p);
	csv_p(csv, c->has_effect, c->has_p, c->p_adjusted);
}

void comparison_within_csv(const struct within *within, struct buf *out)
{
	static const char *const names[] = {"baseline", "cell", "baseline_median", "median", "answer",
		"answer_reason", "effect_percent", "effect_lo_percent", "effect_hi_percent", "bound_percent",
		"p", "p_adjusted", "layouts", "rounds"};
	const struct result *result = &within->result;
	struct csv csv = {.out = out};

	csv_header(&csv, names, COUNT(names));
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		csv_text(&csv, within->record.builds[c->a].cell);
		csv_text(&csv, within->record.builds[c->b].cell);
		csv_number(&csv, result->cells[c->a].has_value, result->cells[c->a].median);
		csv_number(&csv, result->cells[c->b].has_value, result->cells[c->b].median);
		comparison_csv_answer(&csv, c);
		csv_count(&csv, c->has_effect, c->layouts);
		csv_count(&csv, c->has_effect, c->rounds);
		csv_end(&csv);
	}
	arena_release(&csv.arena);
}

void comparison_between_csv(
	const struct between *between, const struct comparison_options *options, struct buf *out)
{
	static const char *const names[] = {"cell", "baseline", "side", "comparable", "unit", "baseline_runs",
		"baseline_median", "runs", "median", "medians_differ_percent", "answer", "answer_reason",
		"effect_percent", "effect_lo_percent", "effect_hi_percent", "bound_percent", "p",
		"p_adjusted", "p_rank", "axis", "row", "incomparable_because", "forced"};
	struct csv csv = {.out = out};

	csv_header(&csv, names, COUNT(names));
	for (size_t i = 0; i < between->cell_count; i++) {
		const struct between_cell *cell = &between->cells[i];
		const struct between_value *a = &cell->values[between->baseline];

		for (size_t s = 0; s < between->side_count; s++) {
			const struct between_value *b = &cell->values[s];
			const struct between_effect *effect = &cell->effects[s];

			const struct comparable *records = &between->comparable[s];

			if (s == between->baseline)
				continue;
			csv_text(&csv, cell->cell);
			csv_text(&csv, between->sides[between->baseline].name);
			csv_text(&csv, between->sides[s].name);
			csv_text(&csv, comparability_text(comparable_worse(
					       records->verdict, effect->comparable.verdict)));
			csv_text(&csv, b->unit);
			csv_count(&csv, true, a->runs);
			csv_number(&csv, a->has_value, a->median);
			csv_count(&csv, true, b->runs);
			csv_number(&csv, b->has_value, b->median);
			csv_number(&csv, effect->has_ratio, stats_percent(effect->ratio));
			comparison_csv_answer(&csv, &effect->c);
			csv_number(&csv, effect->has_rank, effect->p_rank);
			csv_text(&csv, axis_text(records->axis));
			csv_count(&csv, effect->comparable.row > 0, effect->comparable.row);
			csv_text(&csv, records->reason != NULL ? records->reason : effect->comparable.reason);
			csv_text(&csv, options->forced ? "yes" : "no");
			csv_end(&csv);
		}
	}
	arena_release(&csv.arena);
}

void comparison_recommend_csv(const struct recommendation *advice, struct buf *out)
{
	static const char *const names[] = {"slot", "variant", "state", "reason", "effect_percent",
		"effect_lo_percent", "effect_hi_percent", "worst_cell", "worst_percent", "cpu_features",
		"size_bytes", "loose_floats"};
	struct csv csv = {.out = out};

	csv_header(&csv, names, COUNT(names));
	for (size_t i = 0; i < advice->n; i++) {
		const struct recommend_candidate *c = &advice->v[i];
		bool known = c->state != RECOMMEND_OUT;

		csv_text(&csv, c->slot);
		csv_text(&csv, c->variant);
		csv_text(&csv, recommend_state_text(c->state));
		csv_text(&csv, c->reason);
		csv_number(&csv, known, stats_percent(c->effect));
		csv_number(&csv, known, stats_percent(c->lo));
		csv_number(&csv, known, stats_percent(c->hi));
		csv_text(&csv, c->worst_cell);
		csv_number(&csv, c->worst_cell != NULL, stats_percent(c->worst));
		csv_count(&csv, c->has_features, c->features);
		csv_count(&csv, c->size_bytes > 0, (size_t)c->size_bytes);
		csv_text(&csv, c->loose_floats ? "yes" : "no");
		csv_end(&csv);
	}
	arena_release(&csv.arena);
}
