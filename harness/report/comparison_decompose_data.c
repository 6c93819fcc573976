#include "report/comparison_decompose.h"
#include "report/csv_line.h"
#include "report/result_json.h"

#define DECOMPOSITION_SCHEMA "flagstone.decomposition/1"

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, json_safe_string(text));
}

/* The value of an axis that a term has; null where it has none. */
static const char *value_name(const struct decomposition *of, bool has, size_t axis, size_t value)
{
	return has ? of->design.axes[axis].values[value].name : NULL;
}

static const char *axis_name(const struct decomposition *of, bool has, size_t axis)
{
	return has ? of->design.axes[axis].name : NULL;
}

static json_t *effect_json(const struct decomposition *of, const struct decompose_term *term,
	const struct decompose_effect *effect)
{
	json_t *object = json_object();
	bool one = term->kind != DECOMPOSE_WHOLE, two = term->kind == DECOMPOSE_INTERACTION;

	set_text(object, "kind", decompose_kind_text(term->kind));
	set_text(object, "name", term->label);
	set_text(object, "axis", axis_name(of, one, term->axis));
	set_text(object, "value", value_name(of, one, term->axis, term->value));
	set_text(object, "axis_b", axis_name(of, two, term->axis_b));
	set_text(object, "value_b", value_name(of, two, term->axis_b, term->value_b));
	result_json_number(object, "used", true, effect->used);
	result_json_number(object, "possible", true, effect->possible);
	set(object, "partial", json_boolean(effect->partial));
	set_text(object, "missing", effect->missing);
	result_json_answer(object, &effect->c);
	return object;
}

/* A row, or with `like` NULL the mean of a group. */
static json_t *row_json(const struct decomposition *of, const struct record_build *like,
	const struct decompose_effect *effects, struct arena *arena)
{
	json_t *object = json_object(), *list = json_array();

	for (size_t t = 0; t < of->term_count; t++)
		json_array_append_new(list, effect_json(of, &of->terms[t], &effects[t]));
	set_text(object, "workload", like != NULL ? like->workload : NULL);
	set_text(object, "args", like != NULL ? like->args : NULL);
	set_text(object, "sentence", comparison_decompose_sentence(of, effects, arena));
	set(object, "effects", list);
	return object;
}

static json_t *group_json(
	const struct decomposition *of, const struct decompose_group *group, struct arena *arena)
{
	json_t *object = json_object(), *rows = json_array();

	for (size_t r = 0; r < group->row_count; r++)
		json_array_append_new(rows,
			row_json(of, &of->record.builds[group->rows[r].like], group->rows[r].effects, arena));
	set_text(object, "slot", group->slot);
	set(object, "copies", json_integer(group->copies));
	set(object, "rows", rows);
	set(object, "mean", group->means != NULL ? row_json(of, NULL, group->means, arena) : json_null());
	return object;
}

static json_t *axis_json(const struct design_axis *axis)
{
	json_t *object = json_object(), *values = json_array();

	for (size_t i = 0; i < axis->value_count; i++) {
		json_t *value = json_object();

		set_text(value, "name", axis->values[i].name);
		set_text(value, "flags", axis->values[i].flags);
		json_array_append_new(values, value);
	}
	set_text(object, "name", axis->name);
	set(object, "values", values);
	set_text(object, "baseline", axis->values[axis->reference].name);
	set_text(object, "target", axis->values[axis->target].name);
	return object;
}

void comparison_decompose_json(
	const struct decomposition *of, const struct comparison_options *options, struct buf *out)
{
	struct arena arena = {0};
	json_t *root = json_object(), *axes = json_array(), *groups = json_array();

	for (size_t i = 0; i < of->design.axis_count; i++)
		json_array_append_new(axes, axis_json(&of->design.axes[i]));
	for (size_t g = 0; g < of->group_count; g++)
		json_array_append_new(groups, group_json(of, &of->groups[g], &arena));
	set_text(root, "schema", DECOMPOSITION_SCHEMA);
	set(root, "record", result_json_record(&of->record, options->path));
	set_text(root, "baseline", of->design.reference_name);
	set_text(root, "target", of->design.target_name);
	set(root, "axes", axes);
	set(root, "method", result_json_method(&of->record, &of->result));
	set(root, "groups", groups);
	set(root, "not_on_axes", json_safe_words(&of->not_on_axes));
	set(root, "fixed", json_safe_words(&of->fixed));
	set(root, "included", json_boolean(of->design.included));
	result_json_print(root, out);
	arena_release(&arena);
}

static void add_line(struct csv *csv, const struct decomposition *of, const struct decompose_group *group,
	const struct record_build *like, size_t t, const struct decompose_effect *effect)
{
	const struct decompose_term *term = &of->terms[t];
	bool one = term->kind != DECOMPOSE_WHOLE, two = term->kind == DECOMPOSE_INTERACTION;

	csv_text(csv, group->slot);
	csv_count(csv, true, group->copies);
	csv_text(csv, like != NULL ? "workload" : "mean");
	csv_text(csv, like != NULL ? like->workload : NULL);
	csv_text(csv, like != NULL ? like->args : NULL);
	csv_text(csv, decompose_kind_text(term->kind));
	csv_text(csv, term->label);
	csv_text(csv, axis_name(of, one, term->axis));
	csv_text(csv, value_name(of, one, term->axis, term->value));
	csv_text(csv, axis_name(of, two, term->axis_b));
	csv_text(csv, value_name(of, two, term->axis_b, term->value_b));
	csv_number(csv, true, effect->used);
	csv_number(csv, true, effect->possible);
	comparison_csv_answer(csv, &effect->c);
	csv_number(csv, effect->c.has_effect, effect->c.effect);
	csv_count(csv, effect->c.has_effect, effect->c.layouts);
	csv_count(csv, effect->c.has_effect, effect->c.rounds);
	csv_end(csv);
}

void comparison_decompose_csv(const struct decomposition *of, struct buf *out)
{
	static const char *const names[] = {"slot", "copies", "of", "workload", "args", "kind", "name",
		"axis", "value", "axis_b", "value_b", "used", "possible", "answer", "answer_reason",
		"effect_percent", "effect_lo_percent", "effect_hi_percent", "bound_percent", "p",
		"p_adjusted", "log_effect", "layouts", "rounds"};
	struct csv csv = {.out = out};

	csv_header(&csv, names, sizeof(names) / sizeof(names[0]));
	for (size_t g = 0; g < of->group_count; g++) {
		const struct decompose_group *group = &of->groups[g];

		for (size_t r = 0; r < group->row_count; r++)
			for (size_t t = 0; t < of->term_count; t++)
				add_line(&csv, of, group, &of->record.builds[group->rows[r].like], t,
					&group->rows[r].effects[t]);
		for (size_t t = 0; t < of->term_count && group->means != NULL; t++)
			add_line(&csv, of, group, NULL, t, &group->means[t]);
	}
	arena_release(&csv.arena);
}
