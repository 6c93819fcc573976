#include "report/comparison_next.h"

#include <math.h>
#include <string.h>

#include "report/cell_text.h"
#include "report/csv_line.h"
#include "report/result_json.h"
#include "stats/effect.h"

#define NEXT_SCHEMA "flagstone.next/1"

enum { NAMED = 6 };

/* An estimate with no more digits than it has: "45 s", "12 min", "2.5 h". */
static const char *about(double seconds, struct arena *arena)
{
	if (seconds < 10)
		return arena_printf(arena, "%.0f s", fmax(1, seconds));
	if (seconds < 95)
		return arena_printf(arena, "%.0f s", 5 * round(seconds / 5));
	if (seconds < 95 * 60)
		return arena_printf(arena, "%.0f min", seconds / 60);
	return arena_printf(arena, seconds < 10 * 3600 ? "%.1f h" : "%.0f h", seconds / 3600);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void add_step_sentence(struct buf *out, const struct next *next, size_t s, struct arena *arena)
{
	const struct next_step *step = &next->steps[s];
	bool timed = step->seconds > 0;

	if (timed && s == 0)
		buf_addf(out, "About %s more would settle", about(step->total_seconds, arena));
	else if (timed)
		buf_addf(out, "; about %s in all", about(step->total_seconds, arena));
	else if (s == 0)
		buf_addf(out, "A run of %u rounds (%u layout%s) would settle", step->rounds, step->layouts,
			plural(step->layouts));
	else
		buf_addf(out, "; one of %u rounds (%u layout%s) after it", step->rounds, step->layouts,
			plural(step->layouts));
	if (s == 0)
		buf_addf(out, " %zu of %zu open comparison%s", step->settled, next->n, plural(next->n));
	else
		buf_addf(out, " %zu of them", step->settled);
}

const char *comparison_next_sentence(const struct next *next, struct arena *arena)
{
	size_t beyond = next->n - next->possible, shown = 0;
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < next->possible; i++)
		shown += next->items[i].goal == NEXT_SHOWN;
	for (size_t s = 0; s < next->step_count; s++)
		add_step_sentence(&out, next, s, arena);
	if (next->n == 0)
		buf_adds(&out, "Nothing is open: no comparison of this record can't tell.");
	else if (next->possible == 0)
		buf_addf(&out, "No run that there can be would settle %s: see below why.",
			next->n == 1 ? "the open comparison"
				     : arena_printf(arena, "any of the %zu open comparisons", next->n));
	else if (beyond > 0)
		buf_addf(&out, "; what would settle the other %sis not in reach or not known: see below.",
			beyond > 1 ? arena_printf(arena, "%zu ", beyond) : "");
	else
		buf_addc(&out, '.');
	if (shown > 0)
		buf_addf(&out, " %s if the difference is as large as it seems now.",
			shown == next->possible ? "All of that holds"
						: arena_printf(arena, "For %zu of these that holds", shown));
	if (next->unmeasured > 0)
		buf_addf(&out, " %zu comparison%s no samples yet: nothing can be estimated from none.",
			next->unmeasured, next->unmeasured == 1 ? " has" : "s have");
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

/* --- document --- */

enum { COLUMN_NOW, COLUMN_GOAL, COLUMN_LAYOUTS, COLUMN_ROUNDS, COLUMN_TIME, COLUMNS };

static struct doc_cell text_cell(const char *text)
{
	return (struct doc_cell){.kind = DOC_TEXT, .text = text};
}

static const char *goal_text(const struct next_item *item, const struct comparison *c, struct arena *arena)
{
	switch (item->goal) {
	case NEXT_NARROW:
		return arena_printf(arena, "within ±%s %%", cell_text_bound(item->bound, arena));
	case NEXT_SHOWN:
		return arena_printf(arena, "show %s", cell_text_percent(c->effect, arena));
	case NEXT_NONE:
		break;
	}
	return "not known";
}

static void fill_row(struct document *document, const struct record *record, const struct result *result,
	const struct next_item *item, struct doc_row *row, struct arena *arena)
{
	const struct comparison *c = &result->comparisons[item->comparison];
	const char *cell = record->builds[c->b].cell;

	row->label = cell;
	row->cells = arena_array(arena, COLUMNS, sizeof(*row->cells));
	row->cells[COLUMN_NOW] = text_cell(
		c->has_effect ? arena_printf(arena, "~ ±%s %%", cell_text_bound(c->x, arena)) : "~");
	row->cells[COLUMN_GOAL] = text_cell(goal_text(item, c, arena));
	row->cells[COLUMN_LAYOUTS] =
		text_cell(item->possible ? arena_printf(arena, "%u", item->layouts) : "");
	row->cells[COLUMN_ROUNDS] = text_cell(item->possible ? arena_printf(arena, "%u", item->rounds) : "");
	row->cells[COLUMN_TIME] = text_cell(!item->possible	? ""
					    : item->seconds > 0 ? about(item->seconds, arena)
								: "unknown");
	if (item->reason != NULL)
		row->cells[COLUMN_GOAL].note =
			document_note(document, arena, cell, "no run would do", item->reason);
}

static void make_table(struct document *document, const struct record *record, const struct result *result,
	const struct next *next, struct arena *arena)
{
	static const char *const columns[] = {[COLUMN_NOW] = "now",
		[COLUMN_GOAL] = "to reach",
		[COLUMN_LAYOUTS] = "layouts",
		[COLUMN_ROUNDS] = "rounds",
		[COLUMN_TIME] = "alone"};
	struct doc_table *table = document->tables = arena_new(arena, struct doc_table);

	if (next->n == 0)
		return;
	document->table_count = 1;
	*table = (struct doc_table){.heading = "What each would take as a run of its own, the cheapest first",
		.corner = "cell",
		.column_count = COLUMNS,
		.row_count = next->n};
	table->columns = arena_array(arena, COLUMNS, sizeof(*table->columns));
	memcpy(table->columns, columns, sizeof(columns));
	table->rows = arena_array(arena, next->n, sizeof(*table->rows));
	for (size_t i = 0; i < next->n; i++)
		fill_row(document, record, result, &next->items[i], &table->rows[i], arena);
}

/* Names of a step's cells, the first few. */
static const char *names_of(const struct record *record, const struct result *result, const struct next *next,
	const struct next_step *step, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < step->n && i < NAMED; i++) {
		const struct comparison *c = &result->comparisons[next->items[step->items[i]].comparison];

		buf_addf(&out, "%s%s", i > 0 ? ", " : "", record->builds[c->b].cell);
	}
	if (step->n > NAMED)
		buf_addf(&out, " and %zu more", step->n - NAMED);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static void add_steps(struct document *document, const struct record *record, const struct result *result,
	const struct next *next, struct arena *arena)
{
	for (size_t s = 0; s < next->step_count; s++) {
		const struct next_step *step = &next->steps[s];
		const char *time = step->seconds > 0
					   ? arena_printf(arena, "about %s", about(step->seconds, arena))
					   : "time unknown";

		document->hints[document->hint_count++] = (struct doc_hint){
			arena_printf(arena, "%zu. %u rounds over %u layout%s, %s, for %s:", s + 1,
				step->rounds, step->layouts, plural(step->layouts), time,
				names_of(record, result, next, step, arena)),
			step->command};
	}
}

/* Those that no number of rounds would settle on the layouts that there are. */
static void add_placement(struct document *document, const struct record *record, const struct result *result,
	const struct next *next, struct arena *arena)
{
	struct words lines = {0};
	size_t n = 0;

	for (size_t i = 0; i < next->possible; i++) {
		const struct next_item *item = &next->items[i];
		const struct comparison *c = &result->comparisons[item->comparison];

		if (!isfinite(item->rounds_alone) && n++ < NAMED)
			words_addf(&lines, arena,
				"%s: placement is %.0f %% of its variance; it needs about %u layouts (now "
				"%u), "
				"with %u rounds",
				record->builds[c->b].cell, 100 * c->placement_share, item->layouts,
				c->layouts, item->rounds);
	}
	if (n > NAMED)
		words_addf(&lines, arena, "and %zu more, as their layouts in the table say", n - NAMED);
	document_section(document, "Cannot be settled by rounds alone, however many:", &lines);
}

struct document *comparison_next(const struct record *record, const struct result *result,
	const struct next *next, const struct comparison_options *options, struct arena *arena)
{
	struct document *document = arena_new(arena, struct document);

	document->title = comparison_next_sentence(next, arena);
	document_alerts(document, record, result, arena);
	make_table(document, record, result, next, arena);
	add_placement(document, record, result, next, arena);
	document_section(document, "What this rests on:", &next->basis);
	add_steps(document, record, result, next, arena);
	if (options->path != NULL)
		document->hints[document->hint_count++] = (struct doc_hint){"Record:", options->path};
	return document;
}

/* --- JSON and CSV --- */

static void set_count(json_t *object, const char *key, bool known, size_t n)
{
	json_object_set_new(object, key, known ? json_integer((json_int_t)n) : json_null());
}

static json_t *item_json(
	const struct record *record, const struct result *result, const struct next_item *item)
{
	const struct comparison *c = &result->comparisons[item->comparison];
	json_t *object = json_object();

	json_object_set_new(object, "baseline", json_safe_string(record->builds[c->a].cell));
	json_object_set_new(object, "cell", json_safe_string(record->builds[c->b].cell));
	result_json_number(object, "bound_percent", c->has_effect, stats_percent(c->x));
	json_object_set_new(object, "goal", json_string(next_goal_text(item->goal)));
	result_json_number(object, "goal_percent", item->goal != NEXT_NONE, stats_percent(item->bound));
	json_object_set_new(object, "possible", json_boolean(item->possible));
	json_object_set_new(object, "reason", json_safe_string(item->reason));
	set_count(object, "layouts", item->possible, item->layouts);
	set_count(object, "rounds", item->possible, item->rounds);
	result_json_number(object, "rounds_alone", item->rounds_alone > 0 && isfinite(item->rounds_alone),
		item->rounds_alone);
	set_count(object, "rounds_if_none", item->rounds_if_none > 0, item->rounds_if_none);
	result_json_number(object, "seconds", item->seconds > 0, item->seconds);
	set_count(object, "step", item->step != SIZE_MAX, item->step + 1);
	return object;
}

static json_t *step_json(const struct record *record, const struct result *result, const struct next *next,
	const struct next_step *step)
{
	json_t *object = json_object(), *cells = json_array();

	for (size_t i = 0; i < step->n; i++) {
		const struct comparison *c = &result->comparisons[next->items[step->items[i]].comparison];

		json_array_append_new(cells, json_safe_string(record->builds[c->b].cell));
	}
	set_count(object, "layouts", true, step->layouts);
	set_count(object, "rounds", true, step->rounds);
	json_object_set_new(object, "cells", cells);
	result_json_number(object, "seconds", step->seconds > 0, step->seconds);
	result_json_number(object, "total_seconds", step->total_seconds > 0, step->total_seconds);
	set_count(object, "settled", true, step->settled);
	json_object_set_new(object, "command", json_safe_string(step->command));
	return object;
}

void comparison_next_json(const struct record *record, const struct result *result, const struct next *next,
	const struct comparison_options *options, struct buf *out)
{
	json_t *root = json_object(), *open = json_array(), *steps = json_array();
	struct arena arena = {0};

	for (size_t i = 0; i < next->n; i++)
		json_array_append_new(open, item_json(record, result, &next->items[i]));
	for (size_t s = 0; s < next->step_count; s++)
		json_array_append_new(steps, step_json(record, result, next, &next->steps[s]));
	json_object_set_new(root, "schema", json_string(NEXT_SCHEMA));
	json_object_set_new(root, "record", result_json_record(record, options->path));
	json_object_set_new(root, "sentence", json_safe_string(comparison_next_sentence(next, &arena)));
	result_json_number(root, "matters", true, next->matters);
	result_json_number(root, "precision", true, next->precision);
	set_count(root, "comparisons", true, result->comparison_count);
	set_count(root, "possible", true, next->possible);
	set_count(root, "unmeasured", true, next->unmeasured);
	json_object_set_new(root, "open", open);
	json_object_set_new(root, "steps", steps);
	json_object_set_new(root, "basis", json_safe_words(&next->basis));
	result_json_print(root, out);
	arena_release(&arena);
}

void comparison_next_csv(
	const struct record *record, const struct result *result, const struct next *next, struct buf *out)
{
	static const char *const names[] = {"baseline", "cell", "bound_percent", "goal", "goal_percent",
		"layouts", "rounds", "rounds_alone", "rounds_if_none", "seconds", "step", "reason"};
	struct csv csv = {.out = out};

	csv_header(&csv, names, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < next->n; i++) {
		const struct next_item *item = &next->items[i];
		const struct comparison *c = &result->comparisons[item->comparison];

		csv_text(&csv, record->builds[c->a].cell);
		csv_text(&csv, record->builds[c->b].cell);
		csv_number(&csv, c->has_effect, stats_percent(c->x));
		csv_text(&csv, next_goal_text(item->goal));
		csv_number(&csv, item->goal != NEXT_NONE, stats_percent(item->bound));
		csv_count(&csv, item->possible, item->layouts);
		csv_count(&csv, item->possible, item->rounds);
		csv_number(&csv, item->rounds_alone > 0 && isfinite(item->rounds_alone), item->rounds_alone);
		csv_count(&csv, item->rounds_if_none > 0, item->rounds_if_none);
		csv_number(&csv, item->seconds > 0, item->seconds);
		csv_count(&csv, item->step != SIZE_MAX, item->step + 1);
		csv_text(&csv, item->reason);
		csv_end(&csv);
	}
	arena_release(&csv.arena);
}
