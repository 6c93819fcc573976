#include "compare/within.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/directory.h"
#include "plan/plan.h"

static const enum within_axis axes[] = {WITHIN_VARIANT, WITHIN_SLOT, WITHIN_COPIES};
enum { AXES = sizeof(axes) / sizeof(axes[0]) };

const char *within_axis_text(enum within_axis axis)
{
	static const char *const texts[] = {[WITHIN_ANY] = "any",
		[WITHIN_VARIANT] = "variant",
		[WITHIN_SLOT] = "slot",
		[WITHIN_COPIES] = "copies"};

	return texts[axis];
}

const char *within_value(const struct record_build *build, enum within_axis axis, struct arena *arena)
{
	if (axis == WITHIN_COPIES)
		return arena_printf(arena, "%u", build->copies);
	return axis == WITHIN_SLOT ? build->slot : build->variant;
}

static int order_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int order_copies(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* 0 if both have the same name but for the axis. */
static int order_group(const struct record_build *a, const struct record_build *b, enum within_axis axis)
{
	int order = order_text(a->workload, b->workload);

	if (order == 0)
		order = order_text(a->args, b->args);
	if (order == 0 && axis != WITHIN_SLOT)
		order = order_text(a->slot, b->slot);
	if (order == 0 && axis != WITHIN_VARIANT)
		order = order_text(a->variant, b->variant);
	if (order == 0 && axis != WITHIN_COPIES)
		order = order_copies(a->copies, b->copies);
	return order;
}

static bool has_value(
	const struct record_build *build, enum within_axis axis, const char *value, struct arena *arena)
{
	return text_same(within_value(build, axis, arena), value);
}

struct sorting {
	const struct record *record;
	enum within_axis axis;
};

static int by_group(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const uint32_t *a = left, *b = right;
	int order = order_group(&sorting->record->builds[*a], &sorting->record->builds[*b], sorting->axis);

	return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* All values along an axis, in the order of the record; `none` is where flags do not act. */
static struct words values_of(const struct record *record, enum within_axis axis, struct arena *arena)
{
	struct words values = {0};

	for (size_t i = 0; i < record->build_count; i++) {
		const char *value = within_value(&record->builds[i], axis, arena);

		if (value != NULL && strcmp(value, "none") != 0 && !words_have(&values, value))
			words_add(&values, arena, value);
	}
	return values;
}

static int unknown_baseline(const struct words *values, const char *what, const char *baseline,
	struct arena *arena, struct error *e)
{
	const char *nearest = text_nearest(baseline, (const char *const *)values->v, values->n);

	error_set(e, EXIT_USAGE, "--baseline: the record has no %s \"%s\"", what, baseline);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	return error_advice(e, "there are: %s", words_join(values, arena));
}

/* The axis: as asked for, else the one that has the baseline's name, else the first with more than one value. */
static int choose_axis(const struct record *record, const struct within_options *options, struct arena *arena,
	enum within_axis *axis, struct error *e)
{
	struct words all = {0};

	if (options->by != WITHIN_ANY) {
		*axis = options->by;
		return 0;
	}
	for (size_t i = 0; i < AXES; i++) {
		struct words values = values_of(record, axes[i], arena);
		bool fits = options->baseline != NULL ? words_have(&values, options->baseline) : values.n > 1;

		words_add_all(&all, arena, &values);
		if (!fits)
			continue;
		*axis = axes[i];
		return 0;
	}
	if (options->baseline != NULL)
		return unknown_baseline(
			&all, "variant, slot or number of copies", options->baseline, arena, e);
	return error_set(e, EXIT_NOTHING,
		"the record has one variant, one slot and one number of copies: there is nothing to compare "
		"within it; give a second record");
}

/* The first baseline cell's variant; the first slot; the least copies. */
static const char *default_baseline(
	const struct record *record, enum within_axis axis, const struct words *values, struct arena *arena)
{
	uint32_t least = UINT32_MAX;

	if (axis == WITHIN_COPIES) {
		for (size_t i = 0; i < record->build_count; i++)
			least = record->builds[i].copies < least ? record->builds[i].copies : least;
		return arena_printf(arena, "%u", least);
	}
	for (size_t i = 0; i < record->build_count && axis == WITHIN_VARIANT; i++)
		if (record->builds[i].baseline && words_have(values, record->builds[i].variant))
			return record->builds[i].variant;
	return values->v[0];
}

static int choose_baseline(const struct record *record, const struct within_options *options,
	struct arena *arena, struct within *within, struct error *e)
{
	struct words values = values_of(record, within->by, arena);
	const char *what = within_axis_text(within->by);

	if (values.n < 2)
		return error_set(e, EXIT_NOTHING, "the record has %s %s: there is nothing to compare by %s",
			values.n == 1 ? "only the" : "no", values.n == 1 ? values.v[0] : what, what);
	if (options->baseline != NULL && !words_have(&values, options->baseline))
		return unknown_baseline(&values, what, options->baseline, arena, e);
	within->baseline = options->baseline != NULL ? options->baseline
						     : default_baseline(record, within->by, &values, arena);
	return 0;
}

int within_check_patterns(const struct record *record, const struct words *only, struct error *e)
{
	for (size_t p = 0; only != NULL && p < only->n; p++) {
		size_t i = 0;

		while (i < record->build_count && !plan_cell_matches(only->v[p], record->builds[i].cell))
			i++;
		if (i == record->build_count)
			return error_set(e, EXIT_USAGE,
				"--only: no cell of the record matches \"%s\"; `flagstone show` lists them",
				only->v[p]);
	}
	return 0;
}

/* For each build the cell that it is held against; UINT32_MAX: none. */
static uint32_t *find_partners(const struct record *record, const struct within *within, struct arena *arena)
{
	size_t n = record->build_count;
	struct sorting sorting = {record, within->by};
	uint32_t *order = mem_alloc_array(n, sizeof(*order));
	uint32_t *partner = mem_alloc_array(n, sizeof(*partner));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n > 0)
		qsort_r(order, n, sizeof(*order), by_group, &sorting);
	for (size_t at = 0, end; at < n; at = end) {
		uint32_t baseline = UINT32_MAX;

		for (end = at; end < n && order_group(&record->builds[order[at]], &record->builds[order[end]],
						  within->by) == 0;
			end++)
			if (has_value(&record->builds[order[end]], within->by, within->baseline, arena))
				baseline = order[end];
		for (size_t i = at; i < end; i++)
			partner[order[i]] = baseline;
	}
	mem_free(order);
	return partner;
}

/* The planned comparison of these two, whichever is the baseline; NULL: none. */
static const struct record_comparison *planned_of(
	const struct record_comparison *const *of_build, uint32_t a, uint32_t b)
{
	const struct record_comparison *forth = of_build[b], *back = of_build[a];

	if (forth != NULL && forth->a == a)
		return forth;
	return back != NULL && back->a == b ? back : NULL;
}

/* What closed at a look had no more samples after it, so that look stands. */
static void plan_comparisons(struct within *within, const struct record *record,
	const struct within_options *options, struct arena *arena)
{
	struct record_plan *plan = &within->record.plan;
	const struct record_comparison **of_build = mem_alloc_array(record->build_count, sizeof(*of_build));
	uint32_t *partner = find_partners(record, within, arena);
	size_t as_planned = 0;

	for (size_t i = 0; i < record->plan.comparison_count; i++)
		if (record->plan.comparisons[i].b < record->build_count)
			of_build[record->plan.comparisons[i].b] = &record->plan.comparisons[i];
	plan->comparisons = arena_array(arena, record->build_count, sizeof(*plan->comparisons));
	plan->comparison_count = 0;
	for (uint32_t b = 0; b < record->build_count; b++) {
		const struct record_build *build = &record->builds[b];
		const struct record_comparison *planned;
		uint32_t a = partner[b];

		within->record.builds[b].baseline = a == b;
		if (a == b || !directory_wants(options->only, build->cell) ||
			text_same(within_value(build, within->by, arena), "none"))
			continue;
		if (a == UINT32_MAX) {
			words_add(&within->no_baseline, arena, build->cell);
			continue;
		}
		planned = planned_of(of_build, a, b);
		as_planned += planned != NULL && planned->a == a;
		plan->comparisons[plan->comparison_count++] = (struct record_comparison){.a = a,
			.b = b,
			.closed_at = planned != NULL ? planned->closed_at : 0,
			.regrouped = planned == NULL || planned->a != a};
	}
	within->own_family =
		as_planned != plan->comparison_count || as_planned != record->plan.comparison_count;
	mem_free(of_build);
	mem_free(partner);
}

static void make_view(struct within *within, const struct record *record,
	const struct within_options *options, struct arena *arena)
{
	struct measure_settings *settings = &within->record.plan.settings;

	within->record = *record;
	within->record.builds = arena_array(arena, record->build_count, sizeof(*record->builds));
	if (record->build_count > 0)
		memcpy(within->record.builds, record->builds, record->build_count * sizeof(*record->builds));
	if (options->matters > 0)
		settings->matters = options->matters;
	if (options->precision > 0)
		settings->precision = options->precision;
}

int within_compare(const struct record *record, const struct within_options *options, struct arena *arena,
	struct within *within, struct error *e)
{
	struct effect_options effect = {.no_same_code = options->no_same_code, .where = options->where};

	*within = (struct within){0};
	if (within_check_patterns(record, options->only, e) != 0 ||
		choose_axis(record, options, arena, &within->by, e) != 0 ||
		choose_baseline(record, options, arena, within, e) != 0)
		return -1;
	make_view(within, record, options, arena);
	plan_comparisons(within, record, options, arena);
	if (within->record.plan.comparison_count == 0)
		return error_set(e, EXIT_NOTHING,
			"no cell has a baseline cell with the %s %s: there is nothing to compare",
			within_axis_text(within->by), within->baseline);
	effect_of_record(&within->record, &effect, arena, &within->result);
	return 0;
}
