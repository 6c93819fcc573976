#include "report/comparison.h"

#include "report/comparison_verdict.h"
#include "report/result_json.h"
#include "stats/effect.h"

#define COMPARISON_SCHEMA     "flagstone.comparison/1"
#define RECOMMENDATION_SCHEMA "flagstone.recommendation/1"
#define EXPLANATION_SCHEMA    "flagstone.explanation/1"

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, json_safe_string(text));
}

static void set_count(json_t *object, const char *key, uint64_t n)
{
	set(object, key, json_integer((json_int_t)n));
}

/* null without a gate */
static json_t *gate_json(double gate, json_t *beyond)
{
	json_t *object;

	if (gate < 0) {
		json_decref(beyond);
		return json_null();
	}
	object = json_object();
	result_json_number(object, "limit_percent", true, 100 * gate);
	set(object, "beyond", beyond);
	return object;
}

void comparison_within_json(
	const struct within *within, const struct comparison_options *options, struct buf *out)
{
	const struct record *record = &within->record;
	const struct result *result = &within->result;
	struct arena arena = {0};
	json_t *root = json_object(), *comparable = json_object(), *cells = json_array();
	json_t *comparisons = json_array(), *beyond = json_array();

	for (size_t i = 0; i < result->cell_count; i++)
		json_array_append_new(cells, result_json_cell(record, &result->cells[i]));
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		json_array_append_new(comparisons, result_json_comparison(record, c));
		if (tally_is_beyond(c, options->gate))
			json_array_append_new(beyond, json_safe_string(record->builds[c->b].cell));
	}
	set_text(comparable, "verdict", comparability_text(COMPARABLE));
	set_text(comparable, "sentence", comparison_within_sentence(within, &arena));
	set_text(root, "schema", COMPARISON_SCHEMA);
	set_text(root, "kind", "within");
	set(root, "comparable", comparable);
	set(root, "record", result_json_record(record, options->path));
	set_text(root, "by", within_axis_text(within->by));
	set_text(root, "baseline", within->baseline);
	set(root, "own_family", json_boolean(within->own_family));
	set(root, "method", result_json_method(record, result));
	set(root, "cells", cells);
	set(root, "comparisons", comparisons);
	set(root, "no_baseline", json_safe_words(&within->no_baseline));
	set(root, "gate", gate_json(options->gate, beyond));
	result_json_print(root, out);
	arena_release(&arena);
}

static json_t *side_json(const struct between *between, size_t index, struct arena *arena)
{
	const struct between_side *side = &between->sides[index];
	const struct comparable *comparable = &between->comparable[index];
	json_t *object = json_object(), *records = json_array();

	for (size_t r = 0; r < side->run_count; r++)
		json_array_append_new(records, result_json_record(side->runs[r].record, NULL));
	set_text(object, "name", side->name);
	set(object, "baseline", json_boolean(index == between->baseline));
	set(object, "records", records);
	if (index == between->baseline)
		return object;
	set_text(object, "verdict",
		comparability_text(comparable_verdict(comparable, &between->counts[index])));
	set_text(object, "sentence", between->sentences[index]);
	set(object, "axis", comparison_axis_json(comparable));
	set_text(object, "reason", comparable->reason);
	set(object, "caveats", json_safe_words(&comparable->caveats));
	comparison_verdict_json(object, between, index, arena);
	return object;
}

static json_t *value_json(const struct between_value *value, const char *side)
{
	json_t *object = json_object(), *medians = json_array();

	for (size_t i = 0; i < value->runs; i++)
		json_array_append_new(medians, json_safe_real(value->medians[i]));
	set_text(object, "side", side);
	set_text(object, "unit", value->unit);
	set(object, "medians", medians);
	result_json_number(object, "median", value->has_value, value->median);
	set_text(object, "reason", value->reason);
	result_json_number(object, "lo", value->has_interval, value->lo);
	result_json_number(object, "hi", value->has_interval, value->hi);
	set_text(object, "interval",
		!value->has_interval ? NULL
		: value->runs == 1   ? "95 % of the run's median"
				     : "range of the runs");
	return object;
}

static const char *code_text(enum comparable_code code)
{
	static const char *const texts[] = {[CODE_SAME] = "same",
		[CODE_UNPADDED] = "same but for padding",
		[CODE_OTHER] = "other",
		[CODE_UNKNOWN] = "unknown"};

	return texts[code];
}

static json_t *effect_json(
	const struct comparable *records, const struct between_effect *effect, const char *side)
{
	json_t *object = json_object();

	set_text(object, "side", side);
	set_text(object, "comparable", comparability_text(effect->comparable.verdict));
	set_text(object, "verdict",
		comparability_text(comparable_worse(records->verdict, effect->comparable.verdict)));
	set(object, "row", effect->comparable.row > 0 ? json_integer(effect->comparable.row) : json_null());
	set_text(object, "code", code_text(effect->comparable.code));
	set(object, "deciding", comparison_deciding_json(&effect->comparable.facts));
	set(object, "caveats", json_safe_words(&effect->comparable.caveats));
	result_json_number(object, "medians_differ_percent", effect->has_ratio, stats_percent(effect->ratio));
	result_json_number(object, "p_rank", effect->has_rank, effect->p_rank);
	result_json_answer(object, &effect->c);
	return object;
}

static json_t *between_cell_json(const struct between *between, const struct between_cell *cell)
{
	json_t *object = json_object(), *values = json_array(), *comparisons = json_array();

	for (size_t s = 0; s < between->side_count; s++) {
		json_array_append_new(values, value_json(&cell->values[s], between->sides[s].name));
		if (s != between->baseline)
			json_array_append_new(
				comparisons, effect_json(&between->comparable[s], &cell->effects[s],
						     between->sides[s].name));
	}
	set_text(object, "cell", cell->cell);
	set(object, "values", values);
	set(object, "comparisons", comparisons);
	return object;
}

static json_t *beyond_json(const struct between *between, double gate)
{
	json_t *list = json_array();

	for (size_t i = 0; i < between->cell_count; i++)
		for (size_t s = 0; s < between->side_count; s++) {
			json_t *entry;

			if (s == between->baseline || !tally_is_beyond(&between->cells[i].effects[s].c, gate))
				continue;
			entry = json_object();
			set_text(entry, "cell", between->cells[i].cell);
			set_text(entry, "side", between->sides[s].name);
			json_array_append_new(list, entry);
		}
	return list;
}

/* What facts that may matter did elsewhere in the archive; null where it was not searched. */
static json_t *elsewhere_json(const struct between *between, const struct words *elsewhere)
{
	json_t *list;

	if (elsewhere == NULL)
		return json_null();
	list = json_array();
	for (size_t s = 0; s < between->side_count; s++) {
		json_t *entry;

		if (s == between->baseline)
			continue;
		entry = json_object();
		set_text(entry, "side", between->sides[s].name);
		set(entry, "found", json_safe_words(&elsewhere[s]));
		json_array_append_new(list, entry);
	}
	return list;
}

void comparison_between_json(
	const struct between *between, const struct comparison_options *options, struct buf *out)
{
	json_t *root = json_object(), *sides = json_array(), *cells = json_array(), *method = json_object();
	struct arena arena = {0};

	for (size_t s = 0; s < between->side_count; s++)
		json_array_append_new(sides, side_json(between, s, &arena));
	for (size_t i = 0; i < between->cell_count; i++)
		json_array_append_new(cells, between_cell_json(between, &between->cells[i]));
	set_count(method, "family", between->family);
	result_json_number(method, "matters", true, between->matters);
	result_json_number(method, "precision", true, between->precision);
	set_text(root, "schema", COMPARISON_SCHEMA);
	set_text(root, "kind", "between");
	set(root, "sides", sides);
	set(root, "groups", comparison_groups_json(between, &arena));
	set(root, "method", method);
	set(root, "forced", json_boolean(options->forced));
	set(root, "cells", cells);
	set(root, "missing", json_safe_words(&between->missing));
	set(root, "notes", json_safe_words(&between->notes));
	set(root, "elsewhere", elsewhere_json(between, options->elsewhere));
	set(root, "gate", gate_json(options->gate, beyond_json(between, options->gate)));
	result_json_print(root, out);
	arena_release(&arena);
}

static json_t *candidate_json(const struct recommend_candidate *c)
{
	json_t *object = json_object();
	bool known = c->state != RECOMMEND_OUT;

	set_text(object, "slot", c->slot);
	set_text(object, "variant", c->variant);
	set_text(object, "cflags", c->flags);
	set_text(object, "state", recommend_state_text(c->state));
	set_text(object, "reason", c->reason);
	result_json_number(object, "effect_percent", known, stats_percent(c->effect));
	result_json_number(object, "effect_lo_percent", known, stats_percent(c->lo));
	result_json_number(object, "effect_hi_percent", known, stats_percent(c->hi));
	set_text(object, "worst_cell", c->worst_cell);
	result_json_number(object, "worst_percent", c->worst_cell != NULL, stats_percent(c->worst));
	set(object, "cpu_features", c->has_features ? json_integer((json_int_t)c->features) : json_null());
	set(object, "size_bytes", c->size_bytes > 0 ? json_integer((json_int_t)c->size_bytes) : json_null());
	set(object, "loose_floats", json_boolean(c->loose_floats));
	return object;
}

void comparison_recommend_json(
	const struct record *record, const struct recommendation *advice, struct buf *out)
{
	json_t *root = json_object(), *list = json_array();

	for (size_t i = 0; i < advice->n; i++)
		json_array_append_new(list, candidate_json(&advice->v[i]));
	set_text(root, "schema", RECOMMENDATION_SCHEMA);
	set(root, "record", result_json_record(record, NULL));
	set_count(root, "workloads", advice->rows);
	set_count(root, "as_good", advice->as_good);
	result_json_number(root, "matters", true, advice->matters);
	set(root, "candidates", list);
	result_json_print(root, out);
}

void comparison_explained_json(const char *title, const struct words *steps, json_t *differs, struct buf *out)
{
	json_t *root = json_object();

	set_text(root, "schema", EXPLANATION_SCHEMA);
	set_text(root, "title", title);
	set(root, "steps", json_safe_words(steps));
	set(root, "differs", differs);
	result_json_print(root, out);
}
