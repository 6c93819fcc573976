#include "report/comparison_sources.h"

#include "report/result_json.h"

void comparison_add_sources(
	struct document *document, const struct sources *sources, size_t count, struct arena *arena)
{
	struct words lines = {0};

	for (size_t i = 0; i < count; i++) {
		struct words one = {0};

		sources_tell(&sources[i], arena, &one);
		for (size_t k = 0; k < one.n; k++)
			words_addf(&lines, arena, "%s%s%s", count > 1 ? sources[i].b : "",
				count > 1 ? ": " : "", one.v[k]);
	}
	document_section(document, "What differs between the two (evidence, no proof of a cause):", &lines);
}

static const char functions_heading[] = "Functions that differ:";

void comparison_add_functions_within(
	struct document *document, const struct within *within, struct arena *arena)
{
	struct words lines = {0};

	for (size_t i = 0; i < within->result.comparison_count; i++) {
		const struct comparison *c = &within->result.comparisons[i];
		const struct record_build *a = &within->record.builds[c->a],
					  *b = &within->record.builds[c->b];
		struct source_functions functions;

		if (c->answer == ANSWER_NONE)
			continue;
		sources_functions(a, b, arena, &functions);
		words_addf(&lines, arena, "%s: %s", b->cell, sources_brief(&functions, arena));
	}
	document_section(document, functions_heading, &lines);
}

void comparison_add_functions_between(
	struct document *document, const struct between *between, bool forced, struct arena *arena)
{
	struct words lines = {0};

	for (size_t i = 0; i < between->cell_count; i++)
		for (size_t s = 0; s < between->side_count; s++) {
			const struct record_build *a, *b;
			struct source_functions functions;

			if (s == between->baseline || !sources_between_builds(between, forced, i, s, &a, &b))
				continue;
			sources_functions(a, b, arena, &functions);
			words_addf(&lines, arena, "%s (%s): %s", b->cell, between->sides[s].name,
				sources_brief(&functions, arena));
		}
	document_section(document, functions_heading, &lines);
}

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

static json_t *list_json(const struct source_function *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *object = json_object();

		set_text(object, "baseline_name", v[i].a);
		set_text(object, "name", v[i].b);
		set(object, "baseline_bytes",
			v[i].a != NULL ? json_integer((json_int_t)v[i].size_a) : json_null());
		set(object, "bytes", v[i].b != NULL ? json_integer((json_int_t)v[i].size_b) : json_null());
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *functions_json(const struct source_functions *f)
{
	json_t *object = json_object();

	set_text(object, "unknown", f->reason);
	set_count(object, "baseline_count", f->count_a);
	set_count(object, "count", f->count_b);
	set_count(object, "same", f->same);
	set(object, "differ", list_json(f->differ, f->differ_count));
	set(object, "only_baseline", list_json(f->only_a, f->only_a_count));
	set(object, "only_cell", list_json(f->only_b, f->only_b_count));
	set_count(object, "not_told", f->untold + f->unread);
	return object;
}

static json_t *fact_json(const struct source_fact *fact)
{
	json_t *object = json_object();

	set_text(object, "key", fact->key);
	set_text(object, "what", fact->what);
	set(object, "words", json_boolean(fact->words));
	set_text(object, "baseline", fact->a);
	set_text(object, "cell", fact->b);
	return object;
}

static json_t *measure_json(const struct source_measure *m)
{
	json_t *object = json_object();

	set_text(object, "column", m->column);
	set_text(object, "what", m->what);
	set_text(object, "unit", m->unit);
	set(object, "per_unit_of_work", json_boolean(m->per_unit));
	result_json_number(object, "baseline", true, m->a);
	result_json_number(object, "cell", true, m->b);
	set_text(object, "over", m->over);
	set_count(object, "baseline_n", m->n_a);
	set_count(object, "n", m->n_b);
	result_json_number(object, "p_adjusted", m->has_p, m->p_adjusted);
	set(object, "outside_noise", json_boolean(m->outside));
	return object;
}

static json_t *unknown_json(const struct source_unknown *unknown)
{
	json_t *object = json_object();

	set_text(object, "what", unknown->what);
	set_text(object, "reason", unknown->reason);
	return object;
}

json_t *comparison_sources_json(const struct sources *sources, size_t count, bool within)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct sources *s = &sources[i];
		json_t *object = json_object(), *settings = json_array(), *sizes = json_array();
		json_t *measures = json_array(), *unknown = json_array();

		for (size_t k = 0; k < s->fact_count; k++)
			json_array_append_new(
				s->facts[k].kind == SOURCE_SIZE ? sizes : settings, fact_json(&s->facts[k]));
		for (size_t k = 0; k < s->measure_count; k++)
			json_array_append_new(measures, measure_json(&s->measures[k]));
		for (size_t k = 0; k < s->unknown_count; k++)
			json_array_append_new(unknown, unknown_json(&s->unknown[k]));
		set_text(object, "side", within ? NULL : s->b);
		set(object, "functions", functions_json(&s->functions));
		set(object, "settings", settings);
		set(object, "sizes", sizes);
		set(object, "measures", measures);
		set(object, "unknown", unknown);
		json_array_append_new(all, object);
	}
	return all;
}
