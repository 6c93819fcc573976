#include "report/comparison.h"

#include <string.h>

#include "report/cell_text.h"

static struct doc_cell text_cell(const char *text)
{
	return (struct doc_cell){.kind = DOC_TEXT, .text = text};
}

static const char *state_text(const struct recommend_candidate *c)
{
	static const char *const texts[] = {[RECOMMEND_BEST] = "the best",
		[RECOMMEND_AS_GOOD] = "as good",
		[RECOMMEND_OPEN] = "can't tell",
		[RECOMMEND_WORSE] = "worse",
		[RECOMMEND_OUT] = "left out"};

	return texts[c->state];
}

static const char *worst_text(const struct recommend_candidate *c, struct arena *arena)
{
	const char *slash = c->worst_cell != NULL ? strchr(c->worst_cell, '/') : NULL;

	if (c->worst_cell == NULL)
		return "";
	return arena_printf(arena, "%s (%.*s)", cell_text_percent(c->worst, arena),
		(int)(slash != NULL ? (size_t)(slash - c->worst_cell) : strlen(c->worst_cell)),
		c->worst_cell);
}

static const char *size_text(const struct recommend_candidate *c, struct arena *arena)
{
	if (c->size_bytes == 0)
		return "unknown";
	return arena_printf(arena, "%.1f KiB", (double)c->size_bytes / 1024);
}

enum { COLUMN_ANSWER, COLUMN_MEAN, COLUMN_WORST, COLUMN_FEATURES, COLUMN_SIZE, COLUMNS };

static void fill_row(struct document *document, const struct recommend_candidate *c, struct doc_row *row,
	struct arena *arena)
{
	const char *name = arena_printf(arena, "%s/%s", c->slot, c->variant);
	bool out = c->state == RECOMMEND_OUT;

	row->label = name;
	row->cells = arena_array(arena, COLUMNS, sizeof(*row->cells));
	row->cells[COLUMN_ANSWER] = text_cell(state_text(c));
	row->cells[COLUMN_MEAN] = text_cell(
		out || c->state == RECOMMEND_BEST ? "" : cell_text_effect(c->effect, c->lo, c->hi, arena));
	row->cells[COLUMN_WORST] = text_cell(out ? "" : worst_text(c, arena));
	row->cells[COLUMN_FEATURES] =
		text_cell(c->has_features ? arena_printf(arena, "%zu", c->features) : "unknown");
	row->cells[COLUMN_SIZE] = text_cell(size_text(c, arena));
	if (out)
		row->cells[COLUMN_ANSWER].note =
			document_note(document, arena, name, "not measured everywhere", c->reason);
	else if (c->loose_floats)
		row->cells[COLUMN_ANSWER].note = document_note(document, arena, name, "floating point",
			"its flags let the compiler change results of floating point");
}

static const char *title_of(const struct recommendation *advice, struct arena *arena)
{
	const struct recommend_candidate *first = &advice->v[0];
	const char *limit = arena_printf(arena, "%.3g", 100 * advice->matters);

	if (first->state == RECOMMEND_BEST)
		return arena_printf(arena,
			"Use %s/%s%s%s: it is the fastest over %zu workload%s, and nothing more portable or "
			"smaller was shown to lose less than %s %%.",
			first->slot, first->variant, first->flags[0] != '\0' ? ", " : "", first->flags,
			advice->rows, advice->rows == 1 ? "" : "s", limit);
	return arena_printf(arena,
		"Use %s/%s%s%s: over %zu workload%s it loses less than %s %% against the fastest (%s/%s), "
		"and of those that do it is the most portable and smallest.",
		first->slot, first->variant, first->flags[0] != '\0' ? ", " : "", first->flags, advice->rows,
		advice->rows == 1 ? "" : "s", limit, advice->v[advice->best].slot,
		advice->v[advice->best].variant);
}

struct document *comparison_recommend(const struct record *record, const struct recommendation *advice,
	const struct comparison_options *options, struct arena *arena)
{
	static const char *const columns[] = {[COLUMN_ANSWER] = "against the best",
		[COLUMN_MEAN] = "mean",
		[COLUMN_WORST] = "loses most",
		[COLUMN_FEATURES] = "CPU features",
		[COLUMN_SIZE] = "size"};
	struct document *document = arena_new(arena, struct document);
	struct doc_table *table = document->tables = arena_new(arena, struct doc_table);
	struct words notes = {0};

	document->title = title_of(advice, arena);
	document->table_count = 1;
	*table = (struct doc_table){.heading = "What each would lose, the advised one first",
		.corner = "flags",
		.column_count = COLUMNS,
		.row_count = advice->n};
	table->columns = arena_array(arena, COLUMNS, sizeof(*table->columns));
	memcpy(table->columns, columns, sizeof(columns));
	table->rows = arena_array(arena, advice->n, sizeof(*table->rows));
	for (size_t i = 0; i < advice->n; i++)
		fill_row(document, &advice->v[i], &table->rows[i], arena);
	words_add(&notes, arena,
		"mean: geometric mean of the effects against the best over all workloads, ± half of its 95 % "
		"interval; loses most: the workload that loses most");
	words_add(&notes, arena,
		"as good: the interval ends above the smallest difference that matters; the intervals are of "
		"one comparison each, and the best was chosen from the same samples, which flatters it a "
		"little");
	words_add(&notes, arena,
		"CPU features: how many the compiler may use, as it resolved the flags; fewer run on more "
		"machines. size: code and data of all workloads together");
	document_section(document, "What the columns mean:", &notes);
	if (!record->complete)
		words_add(&document->alerts, arena, "This run is not complete.");
	if (options->path != NULL)
		document->hints[document->hint_count++] = (struct doc_hint){"Record:", options->path};
	return document;
}
