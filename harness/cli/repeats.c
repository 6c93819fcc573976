#include "cli/repeats.h"

#include "base/num.h"
#include "cli/common.h"
#include "cli/table.h"
#include "stats/describe.h"

enum { MEDIANS_MIN = 3 };

static void make_cells(struct repeats *repeats, const struct record *record)
{
	struct arena *arena = repeats->arena;

	repeats->cell_count = record->build_count;
	repeats->cells = arena_array(arena, record->build_count, sizeof(*repeats->cells));
	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_workload *workload = record_workload(record, record->builds[i].workload);

		repeats->cells[i].cell = arena_strdup(arena, record->builds[i].cell);
		repeats->cells[i].unit = arena_strdup(arena, workload != NULL ? workload->unit : "");
		repeats->cells[i].medians = arena_array(arena, repeats->wanted, sizeof(double));
	}
}

void repeats_add(struct repeats *repeats, const struct record *record, const struct result *result)
{
	if (repeats->cells == NULL)
		make_cells(repeats, record);
	repeats->done++;
	for (size_t i = 0; i < result->cell_count && i < repeats->cell_count; i++) {
		struct repeat_cell *cell = &repeats->cells[i];

		if (result->cells[i].has_value && cell->n < repeats->wanted)
			cell->medians[cell->n++] = result->cells[i].median;
	}
}

/* Median of the medians and their range against it; n is at least 1 and all are above 0. */
static void describe(const struct repeat_cell *cell, double *median, double *range)
{
	*median = stats_median(cell->medians, cell->n);
	*range = stats_relative_range(cell->medians, cell->n);
}

static const char *answer(const struct repeat_cell *cell, double range)
{
	if (cell->n < MEDIANS_MIN)
		return "too few repeats to judge";
	return range > STATS_RUNS_UNFIT_RANGE ? "unfit" : range > STATS_RUNS_NOISY_RANGE ? "noisy" : "steady";
}

void repeats_print(const struct repeats *repeats, struct buf *out)
{
	struct table table;
	size_t unsteady = 0;

	table_init(&table, repeats->arena, 4);
	table.right[1] = table.right[2] = true;
	for (size_t i = 0; i < repeats->cell_count; i++) {
		const struct repeat_cell *cell = &repeats->cells[i];
		double median, range;
		struct buf rate = {0};

		if (cell->n == 0)
			continue;
		describe(cell, &median, &range);
		num_quantity(&rate, median, median, cell->unit);
		unsteady += cell->n >= MEDIANS_MIN && range > STATS_RUNS_NOISY_RANGE;
		table_add(&table, cell->cell);
		table_add(&table, buf_text(&rate));
		table_addf(&table, "%.1f %%", range * 100);
		table_add(&table, answer(cell, range));
		buf_release(&rate);
	}
	buf_addf(out, "\nMedians over %zu of %u repeats, and their range (max - min) / median:\n\n",
		repeats->done, repeats->wanted);
	table_write(&table, out);
	if (unsteady > 0)
		buf_addf(out,
			"\n%zu cell%s lie%s further apart than %.0f %% (noisy) or %.0f %% (unfit): look at "
			"frequency policy, "
			"background work and temperature first.\n",
			unsteady, text_plural(unsteady), unsteady == 1 ? "s" : "",
			100 * STATS_RUNS_NOISY_RANGE, 100 * STATS_RUNS_UNFIT_RANGE);
}

json_t *repeats_json(const struct repeats *repeats)
{
	json_t *list = json_array();

	for (size_t i = 0; i < repeats->cell_count; i++) {
		const struct repeat_cell *cell = &repeats->cells[i];
		json_t *object = json_object(), *medians = json_array();
		double median = 0, range = 0;

		for (size_t k = 0; k < cell->n; k++)
			json_array_append_new(medians, json_safe_real(cell->medians[k]));
		if (cell->n > 0)
			describe(cell, &median, &range);
		json_object_set_new(object, "cell", json_safe_string(cell->cell));
		json_object_set_new(object, "unit", json_safe_string(cell->unit));
		json_object_set_new(object, "medians", medians);
		json_object_set_new(object, "median", cell->n > 0 ? json_safe_real(median) : json_null());
		json_object_set_new(object, "range", cell->n > 0 ? json_safe_real(range) : json_null());
		json_object_set_new(
			object, "answer", json_string(cell->n > 0 ? answer(cell, range) : "not measured"));
		json_array_append_new(list, object);
	}
	return list;
}
