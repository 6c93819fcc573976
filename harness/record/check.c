#include "record/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/shape.h"

/* The row's cell, for errors. */
static const char *cell_of(const struct record *record, uint32_t build)
{
	return build < record->build_count ? record->builds[build].cell : "unknown";
}

static int bad_index(const struct record *record, size_t row, const char *column, uint64_t index,
	const char *what, const char *name, struct error *e)
{
	return error_set(e, EXIT_CANNOT, "%s: samples: column %s, row %zu (cell %s): %" PRIu64 " is no %s",
		name, column, row, cell_of(record, record->samples.v[row].build), index, what);
}

static int check_indexes(const struct record *record, size_t row, const char *name, struct error *e)
{
	const struct sample *s = &record->samples.v[row];

	if (s->build >= record->build_count)
		return bad_index(record, row, "build", s->build, "index of a build", name, e);
	if (s->session >= record->session_count)
		return bad_index(record, row, "session", s->session, "index of a session", name, e);
	if (s->copy > 0 && s->copy >= record->builds[s->build].copies)
		return bad_index(record, row, "copy", s->copy, "copy of this cell", name, e);
	if (s->repeat_of != SAMPLE_NONE && s->repeat_of >= row)
		return bad_index(record, row, "repeat_of", s->repeat_of, "earlier row", name, e);
	return 0;
}

static const char *column_fault(const struct column *column, const void *cell)
{
	switch (column->type) {
	case COLUMN_DOUBLE: {
		double x = *(const double *)cell;

		return isnan(x) || (isfinite(x) && x > 0) ? NULL : "is not a finite number > 0";
	}
	case COLUMN_U64:
		return *(const uint64_t *)cell < (uint64_t)SHAPE_INTEGER_END ? NULL : "is not below 2^53";
	case COLUMN_I64: {
		int64_t x = *(const int64_t *)cell;

		if (x >= SHAPE_INTEGER_END || x <= -SHAPE_INTEGER_END)
			return "is not below 2^53";
		return column->nullable && x < -1 ? "is negative" : NULL;
	}
	case COLUMN_U32:
		return column->nullable || *(const uint32_t *)cell != SAMPLE_NONE ? NULL : "is missing";
	}
	return NULL;
}

static int bad_number(const struct record *record, size_t row, const struct column *column, const char *fault,
	const char *name, struct error *e)
{
	const struct sample *s = &record->samples.v[row];
	char text[40] = "it";

	if (column->type == COLUMN_DOUBLE)
		snprintf(text, sizeof(text), "%.17g", s->value);
	else if (column->type == COLUMN_I64)
		snprintf(text, sizeof(text), "%" PRId64,
			*(const int64_t *)(const void *)((const char *)s + column->offset));
	return error_set(e, EXIT_CANNOT, "%s: samples: column %s, row %zu (cell %s): %s %s", name,
		column->name, row, cell_of(record, s->build), text, fault);
}

static int check_row(const struct record *record, size_t row, const char *name, struct error *e)
{
	const struct sample *s = &record->samples.v[row];

	for (size_t c = 0; c < sample_column_count; c++) {
		const struct column *column = &sample_columns[c];
		const char *fault = column_fault(column, (const char *)s + column->offset);

		if (fault != NULL)
			return bad_number(record, row, column, fault, name, e);
	}
	return check_indexes(record, row, name, e);
}

enum { MOST_LAYOUTS = 1000000 };

static int check_steps(const struct record *record, const char *name, struct error *e)
{
	const struct record_plan *plan = &record->plan;

	for (size_t i = 0; i < plan->layout_step_count; i++) {
		const struct record_layout_step *step = &plan->layout_steps[i];

		if (step->workload != UINT32_MAX && step->workload >= record->workload_count)
			return error_set(e, EXIT_CANNOT,
				"%s: plan.layout_steps[%zu].workload: %u is no index of a workload", name, i,
				step->workload);
		if (step->layouts == 0 || step->layouts > MOST_LAYOUTS ||
			(i > 0 && step->round < step[-1].round))
			return error_set(e, EXIT_CANNOT,
				"%s: plan.layout_steps[%zu]: %u layouts from round %u on cannot be: 1 to %d, "
				"and "
				"rounds must not go back",
				name, i, step->layouts, step->round, MOST_LAYOUTS);
	}
	return 0;
}

static int check_plan(const struct record_plan *plan, size_t builds, const char *name, struct error *e)
{
	for (size_t i = 0; i < plan->comparison_count; i++) {
		const struct record_comparison *c = &plan->comparisons[i];

		if (c->a >= builds || c->b >= builds)
			return error_set(e, EXIT_CANNOT,
				"%s: plan.comparisons[%zu]: %u is no index of a build", name, i,
				c->a >= builds ? c->a : c->b);
	}
	return 0;
}

static int check_failures(const struct record *record, const char *name, struct error *e)
{
	for (size_t i = 0; i < record->failure_count; i++) {
		const struct record_failure *f = &record->failures[i];

		if (f->build != UINT32_MAX && f->build >= record->build_count)
			return error_set(e, EXIT_CANNOT, "%s: failures[%zu].build: %u is no index of a build",
				name, i, f->build);
		if (f->sample >= 0 && (uint64_t)f->sample >= record->samples.n)
			return error_set(e, EXIT_CANNOT,
				"%s: failures[%zu].sample: %" PRId64 " is no row of samples", name, i,
				f->sample);
	}
	return 0;
}

static int check_kind(const struct record *record, const char *name, struct error *e)
{
	static const char *const kinds[] = {"run", "accept", "trust", "import"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(record->kind, kinds[i]) == 0)
			return 0;
	return error_set(
		e, EXIT_CANNOT, "%s: kind: \"%s\" is none of run, accept, trust, import", name, record->kind);
}

int record_check(const struct record *record, const char *name, struct error *e)
{
	if (check_kind(record, name, e) != 0 ||
		check_plan(&record->plan, record->build_count, name, e) != 0 ||
		check_steps(record, name, e) != 0 || check_failures(record, name, e) != 0)
		return -1;
	for (size_t row = 0; row < record->samples.n; row++)
		if (check_row(record, row, name, e) != 0)
			return -1;
	return 0;
}
