#include "report/comparison_verdict.h"

#include <string.h>

#include "report/result_json.h"

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, json_safe_string(text));
}

json_t *comparison_axis_json(const struct comparable *records)
{
	json_t *axis = json_object();

	set_text(axis, "name", axis_text(records->axis));
	set(axis, "declared", json_boolean(records->declared));
	set_text(axis, "difference", records->what);
	return axis;
}

static json_t *fact_json(const struct comparable_fact *fact)
{
	json_t *object = json_object();

	set_text(object, "key", fact->key);
	set_text(object, "a", fact->a);
	set_text(object, "b", fact->b);
	set(object, "known_a", json_boolean(fact->known_a));
	set(object, "known_b", json_boolean(fact->known_b));
	set_text(
		object, "worsens_to", fact->worsens == COMPARABLE ? NULL : comparability_text(fact->worsens));
	set_text(object, "why", fact->why);
	return object;
}

json_t *comparison_deciding_json(const struct comparable_facts *facts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < facts->n; i++)
		if (facts->v[i].part == FACT_DECIDES)
			json_array_append_new(list, fact_json(&facts->v[i]));
	return list;
}

static json_t *part_json(const struct comparable_sum *sum, enum fact_part part)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sum->fact_count; i++) {
		const struct sum_fact *fact = &sum->facts[i];
		json_t *object;

		if (fact->fact.part != part)
			continue;
		object = fact_json(&fact->fact);
		set(object, "cells", json_integer((json_int_t)fact->count));
		set(object, "cell", fact->cells.n > 0 ? json_safe_string(fact->cells.v[0]) : json_null());
		set(object, "values_vary", json_boolean(fact->others));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *rows_json(const struct comparable_sum *sum)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sum->row_count; i++) {
		const struct sum_row *row = &sum->rows[i];
		json_t *object = json_object();

		set(object, "row", row->row > 0 ? json_integer(row->row) : json_null());
		set_text(object, "name", row->row > 0 ? comparable_row_text(row->row) : NULL);
		set_text(object, "verdict_of_row", comparability_text(row->by_row));
		set_text(object, "verdict", comparability_text(row->verdict));
		set(object, "cells", json_integer((json_int_t)row->count));
		set_text(object, "cell", row->cells.n > 0 ? row->cells.v[0] : NULL);
		set_text(object, "native_a", row->first->native_a);
		set_text(object, "native_b", row->first->native_b);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *advice_json(const struct advices *advice)
{
	json_t *list = json_array();

	for (size_t i = 0; i < advice->n; i++) {
		json_t *object = json_object();

		set_text(object, "text", advice->v[i].text);
		set_text(object, "command", advice->v[i].command);
		json_array_append_new(list, object);
	}
	return list;
}

void comparison_verdict_json(json_t *side, const struct between *between, size_t index, struct arena *arena)
{
	const struct comparable_count *count = &between->counts[index];
	struct comparable_sum sum;

	comparable_sum(between, index, arena, &sum);
	set(side, "cells_in_both", json_integer((json_int_t)count->cells));
	set(side, "cells_incomparable", json_integer((json_int_t)count->incomparable));
	set_text(side, "machines", between->comparable[index].note);
	set(side, "rows", rows_json(&sum));
	set(side, "deciding", part_json(&sum, FACT_DECIDES));
	set(side, "may_matter", part_json(&sum, FACT_MAY_MATTER));
	set(side, "explained_away", part_json(&sum, FACT_EXPLAINED));
	set(side, "advice", advice_json(&between->advice[index]));
}

static json_t *group_json(const struct between *between, const struct comparable_group *group, bool first)
{
	json_t *object = json_object(), *members = json_array();

	for (size_t i = 0; i < group->n; i++)
		json_array_append_new(members, json_safe_string(between->sides[group->members[i]].name));
	set(object, "sides", members);
	set_text(object, "within", comparability_text(group->within));
	set_text(object, "caveat", group->caveat);
	set_text(object, "against", first ? NULL : between->sides[group->against].name);
	set_text(object, "reason", first ? NULL : group->reason);
	return object;
}

json_t *comparison_groups_json(const struct between *between, struct arena *arena)
{
	json_t *object, *list = json_array();

	if (between->groups.n == 0) {
		json_decref(list);
		return json_null();
	}
	for (size_t i = 0; i < between->groups.n; i++)
		json_array_append_new(list, group_json(between, &between->groups.v[i], i == 0));
	object = json_object();
	set_text(object, "sentence", comparable_groups_sentence(&between->groups, arena));
	set(object, "hosts", json_integer((json_int_t)between->groups.hosts));
	set(object, "groups", list);
	return object;
}
