#include "cli/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/common.h"
#include "cli/table.h"

enum { MEDIANS_MIN = 3 };
static const double noisy_over = 0.05, unfit_over = 0.08;

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

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median of the medians and (max - min) / median; n is at least 1 and all are above 0. */
static void describe(const struct repeat_cell *cell, double *median, double *range)
{
	double *v = mem_alloc_array(cell->n, sizeof(*v));
	size_t n = cell->n;

	memcpy(v, cell->medians, n * sizeof(*v));
	qsort(v, n, sizeof(*v), by_value);
	*median = (v[(n - 1) / 2] + v[n / 2]) / 2;
	*range = (v[n - 1] - v[0]) / *median;
	mem_free(v);
}

static const char *answer(const struct repeat_cell *cell, double range)
{
	if (cell->n < MEDIANS_MIN)
		return "too few repeats to judge";
	return range > unfit_over ? "unfit" : range > noisy_over ? "noisy" : "steady";
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
		char rate[NUM_SIZE];

		if (cell->n == 0)
			continue;
		describe(cell, &median, &range);
		num_rate(median, rate);
		unsteady += cell->n >= MEDIANS_MIN && range > noisy_over;
		table_add(&table, cell->cell);
		/* "27.31 M" takes its unit at once, "27.31" with a blank */
		table_addf(&table, "%s%s%s", rate, strchr(rate, ' ') != NULL ? "" : " ", cell->unit);
		table_addf(&table, "%.1f %%", range * 100);
		table_add(&table, answer(cell, range));
	}
	buf_addf(out, "\nMedians over %zu of %u repeats, and their range (max - min) / median:\n\n",
		repeats->done, repeats->wanted);
	table_write(&table, out);
	if (unsteady > 0)
		buf_addf(out,
			"\n%zu cell%s lie%s further apart than 5 %% (noisy) or 8 %% (unfit): look at "
			"frequency policy, "
			"background work and temperature first.\n",
			unsteady, plural(unsteady), unsteady == 1 ? "s" : "");
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
