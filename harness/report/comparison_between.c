#include "report/comparison.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "report/cell_text.h"
#include "report/comparison_sources.h"
#include "report/comparison_verdict.h"
#include "stats/describe.h"

enum { MISSING_NAMED = 10, SIDES_IN_TABLE = 6, OVERVIEW_COLUMNS = 5 };

/* "27.31 M lps ±0.4 %": half of the interval, or of the range of the runs' medians. */
static const char *value_text(const struct between_value *value, struct arena *arena)
{
	struct cell_summary summary = {.median = value->median};
	struct doc_cell cell = {.kind = DOC_RATE, .summary = &summary, .unit = value->unit};
	const char *rate = cell_text(&cell, false, arena);

	if (!value->has_interval)
		return rate;
	return arena_printf(arena, "%s ±%s %%", rate,
		cell_text_bound(log1p((value->hi - value->lo) / 2 / value->median), arena));
}

static struct doc_cell text_cell(const char *text)
{
	return (struct doc_cell){.kind = DOC_TEXT, .text = text};
}

static struct doc_cell value_cell(
	struct document *document, const struct between_cell *cell, size_t side, struct arena *arena)
{
	const struct between_value *value = &cell->values[side];
	struct doc_cell out = text_cell(value->has_value ? value_text(value, arena) : "n/a");

	if (!value->has_value)
		out.note = document_note(document, arena, cell->cell, "no value", value->reason);
	return out;
}

static enum doc_kind kind_of(enum answer answer)
{
	static const enum doc_kind kinds[] = {[ANSWER_FASTER] = DOC_FASTER,
		[ANSWER_SLOWER] = DOC_SLOWER,
		[ANSWER_TOO_SMALL] = DOC_TOO_SMALL,
		[ANSWER_NO_DIFFERENCE] = DOC_NO_DIFFERENCE,
		[ANSWER_CANT_TELL] = DOC_CANT_TELL,
		[ANSWER_SAME_CODE] = DOC_SAME_CODE,
		[ANSWER_NONE] = DOC_TEXT};

	return kinds[answer];
}

static struct doc_cell effect_cell(
	struct document *document, const struct between_cell *cell, size_t side, struct arena *arena)
{
	const struct between_effect *effect = &cell->effects[side];
	struct doc_cell out = {.kind = kind_of(effect->c.answer), .comparison = &effect->c, .unit = ""};
	bool barred = effect->comparable.verdict == INCOMPARABLE;

	if (effect->c.answer == ANSWER_NONE) {
		out.text = barred || effect->c.reason == NULL ? "incomparable" : "n/a";
		out.note =
			document_note(document, arena, cell->cell, barred ? "incomparable" : "not compared",
				effect->c.reason != NULL ? effect->c.reason : "no reason is known");
	} else if (!effect->c.has_effect) {
		out.kind = DOC_TEXT;
		out.text = effect->has_ratio ? arena_printf(arena, "~ can't tell (%s)",
						       cell_text_percent(effect->ratio, arena))
					     : "~ can't tell";
		out.note = document_note(document, arena, cell->cell, "can't tell", effect->c.reason);
	}
	document->kinds |= 1u << out.kind;
	return out;
}

static void make_columns(const struct between *between, struct doc_table *table, struct arena *arena)
{
	size_t column = 0;

	table->column_count = 2 * between->side_count - 1;
	table->columns = arena_array(arena, table->column_count, sizeof(*table->columns));
	for (size_t s = 0; s < between->side_count; s++)
		table->columns[column++] = between_letter(s, arena);
	for (size_t s = 0; s < between->side_count; s++)
		if (s != between->baseline)
			table->columns[column++] = arena_printf(arena, "%s against %s",
				between_letter(s, arena), between_letter(between->baseline, arena));
}

static void make_table(struct document *document, const struct between *between, struct arena *arena)
{
	struct doc_table *table = document->tables = arena_new(arena, struct doc_table);

	document->table_count = 1;
	table->heading = arena_printf(
		arena, "Medians, and effects against %s", between_letter(between->baseline, arena));
	table->corner = "cell";
	table->row_count = between->cell_count;
	table->rows = arena_array(arena, table->row_count, sizeof(*table->rows));
	make_columns(between, table, arena);
	for (size_t r = 0; r < table->row_count; r++) {
		const struct between_cell *cell = &between->cells[r];
		size_t column = 0;

		table->rows[r].label = cell->cell;
		table->rows[r].cells = arena_array(arena, table->column_count, sizeof(struct doc_cell));
		for (size_t s = 0; s < between->side_count; s++)
			table->rows[r].cells[column++] = value_cell(document, cell, s, arena);
		for (size_t s = 0; s < between->side_count; s++)
			if (s != between->baseline)
				table->rows[r].cells[column++] = effect_cell(document, cell, s, arena);
	}
}

/* Where every cell of every side would be too much to read: a row a side. */
static void add_side_row(struct document *document, const struct between *between, size_t side,
	struct doc_row *row, struct arena *arena)
{
	const struct record *record = between->sides[side].runs[0].record;
	double *ratios = mem_alloc_array(between->cell_count, sizeof(*ratios));
	bool baseline = side == between->baseline;
	struct doc_cell *mean;
	size_t n = 0;

	for (size_t i = 0; i < between->cell_count && !baseline; i++)
		if (between->cells[i].effects[side].has_ratio)
			ratios[n++] = between->cells[i].effects[side].ratio;
	/* paths are too long for a table's margin */
	row->label = arena_printf(arena, "%s %.*s", between_letter(side, arena),
		strchr(between->sides[side].name, '/') != NULL ? 12 : 40,
		strchr(between->sides[side].name, '/') != NULL ? record->id : between->sides[side].name);
	row->cells = arena_array(arena, OVERVIEW_COLUMNS, sizeof(*row->cells));
	row->cells[0] = text_cell(record->host_name != NULL ? record->host_name : "unknown");
	row->cells[1] = text_cell(arena_printf(arena, "%zu", between->groups.of[side] + 1));
	row->cells[2] = text_cell(baseline ? "baseline"
					   : comparability_loud(comparable_verdict(
						     &between->comparable[side], &between->counts[side])));
	row->cells[3] =
		text_cell(baseline ? "" : arena_printf(arena, "%zu of %zu", n, between->counts[side].cells));
	mean = &row->cells[4];
	*mean = text_cell(baseline ? "" : n > 0 ? cell_text_percent(stats_mean(ratios, n), arena) : "n/a");
	if (!baseline && n == 0)
		mean->note = document_note(
			document, arena, between_letter(side, arena), "why", between->sentences[side]);
	mem_free(ratios);
}

static void make_overview(struct document *document, const struct between *between, struct arena *arena)
{
	static const char *const columns[] = {
		"host", "group", "verdict", "cells compared", "medians differ by"};
	struct doc_table *table = document->tables = arena_new(arena, struct doc_table);

	document->table_count = 1;
	table->heading = arena_printf(arena,
		"Each record against %s: geometric means of how far the medians differ, which are no "
		"verdicts",
		between_letter(between->baseline, arena));
	table->corner = "record";
	table->column_count = OVERVIEW_COLUMNS;
	table->columns = arena_array(arena, OVERVIEW_COLUMNS, sizeof(*table->columns));
	memcpy(table->columns, columns, sizeof(columns));
	table->row_count = between->side_count;
	table->rows = arena_array(arena, table->row_count, sizeof(*table->rows));
	for (size_t s = 0; s < between->side_count; s++)
		add_side_row(document, between, s, &table->rows[s], arena);
	document->legend = arena_printf(arena,
		"+ faster, - slower. %zu records are too many for a table of their cells: --csv and --json "
		"have all of "
		"them; or ask for up to %d.",
		between->side_count, SIDES_IN_TABLE);
}

static void make_legend(struct document *document, const struct between *between, struct arena *arena)
{
	struct buf out = {0};

	buf_adds(&out, "Behind a median: ± half of its run's 95 % interval, or of the range of the runs.");
	if ((document->kinds & (1u << DOC_FASTER | 1u << DOC_SLOWER)) != 0)
		buf_adds(&out, " + faster, - slower, ± half of the 95 % interval.");
	if ((document->kinds & (1u << DOC_NO_DIFFERENCE | 1u << DOC_TOO_SMALL)) != 0)
		buf_adds(&out, " = no difference larger than what stands beside it.");
	if (between->family > 0)
		buf_addf(&out, " Answers by Welch's t over the runs, Holm over %zu comparison%s.",
			between->family, between->family == 1 ? "" : "s");
	if ((document->kinds & 1u << DOC_TEXT) != 0)
		buf_adds(&out, " In brackets: by how much the medians differ, which is no verdict.");
	document->legend = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
}

static void add_sides(struct document *document, const struct between *between, struct arena *arena)
{
	struct words lines = {0};

	for (size_t s = 0; s < between->side_count; s++) {
		const struct between_side *side = &between->sides[s];
		const struct record *record = side->runs[0].record;

		words_addf(&lines, arena, "%s: %s, %zu run%s from %s, host %s%s%s", between_letter(s, arena),
			side->name, side->run_count, side->run_count == 1 ? "" : "s",
			record->started != NULL ? record->started : "an unknown time",
			record->host_name != NULL ? record->host_name : "unknown",
			record->plan.matrix_name != NULL ? ", matrix " : "",
			record->plan.matrix_name != NULL ? record->plan.matrix_name : "");
	}
	document_section(document, "Sides:", &lines);
}

/* The geometric mean of each side's effects, over the cells that have one. */
static void add_means(struct document *document, const struct between *between, struct arena *arena)
{
	double *effects = mem_alloc_array(between->cell_count, sizeof(*effects));

	for (size_t s = 0; s < between->side_count; s++) {
		size_t n = 0;

		for (size_t i = 0; i < between->cell_count; i++)
			if (between->cells[i].effects[s].c.has_effect)
				effects[n++] = between->cells[i].effects[s].c.effect;
		if (s != between->baseline && n > 0)
			words_addf(&document->means, arena, "%s: %s (%zu of %zu)", between_letter(s, arena),
				cell_text_percent(stats_mean(effects, n), arena), n, between->cell_count);
	}
	mem_free(effects);
}

static void add_tally(struct document *document, const struct between *between,
	const struct comparison_options *options, struct arena *arena, struct tally *tally)
{
	struct words beyond = {0};
	const char *gate;

	*tally = (struct tally){.all = between->missing.n};
	for (size_t s = 0; s < between->side_count; s++)
		for (size_t i = 0; i < between->cell_count && s != between->baseline; i++) {
			const struct comparison *c = &between->cells[i].effects[s].c;

			tally_add(tally, c, options->gate);
			if (tally_is_beyond(c, options->gate))
				words_addf(&beyond, arena, "%s (%s)", between->cells[i].cell,
					between_letter(s, arena));
		}
	gate = comparison_gate_sentence(&beyond, options->gate, arena);
	if (gate != NULL)
		words_add(&document->alerts, arena, gate);
}

/* With two sides the sentence alone; with more, one for each in front of which its letter stands. */
static void add_sentences(struct document *document, const struct between *between, struct arena *arena)
{
	for (size_t s = 0; s < between->side_count; s++) {
		const char *sentence = between->sentences[s];

		if (sentence == NULL)
			continue;
		if (between->side_count > SIDES_IN_TABLE) {
			document->title = comparable_groups_sentence(&between->groups, arena);
			return;
		}
		if (between->side_count > 2)
			sentence = arena_printf(arena, "%s against %s: %s", between_letter(s, arena),
				between_letter(between->baseline, arena), sentence);
		if (document->title == NULL)
			document->title = sentence;
		else
			words_add(&document->alerts, arena, sentence);
	}
}

static void add_missing(
	struct document *document, const struct between *between, bool verbose, struct arena *arena)
{
	size_t n = between->missing.n;
	size_t shown = verbose || n <= MISSING_NAMED + 1 ? n : MISSING_NAMED;
	struct words lines = {0};

	for (size_t i = 0; i < shown; i++)
		words_add(&lines, arena, between->missing.v[i]);
	if (shown < n)
		words_addf(&lines, arena, "and %zu more (--verbose lists them)", n - shown);
	document_section(document, "On one side only:", &lines);
}

struct document *comparison_between(const struct between *between, const struct comparison_options *options,
	struct arena *arena, struct tally *tally)
{
	struct document *document = arena_new(arena, struct document);
	bool overview = between->side_count > SIDES_IN_TABLE;

	add_sentences(document, between, arena);
	if (options->forced)
		words_add(&document->alerts, arena,
			"FORCED: differences of what is incomparable are shown because --force asked for "
			"them; they mean nothing by themselves.");
	add_tally(document, between, options, arena, tally);
	comparison_add_verdict(document, between, options->verbose, arena);
	if (overview) {
		make_overview(document, between, arena);
	} else {
		if (between->cell_count > 0)
			make_table(document, between, arena);
		make_legend(document, between, arena);
		add_means(document, between, arena);
		add_sides(document, between, arena);
	}
	add_missing(document, between, options->verbose, arena);
	document_section(document, "Notes:", &between->notes);
	if (options->verbose)
		comparison_add_functions_between(document, between, options->forced, arena);
	return document;
}

struct document *comparison_explained(const char *title, const struct words *steps, struct arena *arena)
{
	struct document *document = arena_new(arena, struct document);
	struct words numbered = {0};

	for (size_t i = 0; i < steps->n; i++)
		words_addf(&numbered, arena, "%zu. %s", i + 1, steps->v[i]);
	document->title = title;
	document_section(document, "From the samples to the answer:", &numbered);
	return document;
}
