#include "report/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/cell_text.h"
#include "report/comparison_sources.h"
#include "stats/describe.h"

#define BEYOND_NAMED 20

/* A table while it grows: comparisons of one group, which differ in workload, parameters and the axis only. */
struct draft {
	const struct record_build *like;
	VEC(const char *) columns;
	VEC(uint32_t) rows; /* a baseline's build of each */
	VEC(size_t) comparisons;
};

struct maker {
	struct document *document;
	const struct within *within;
	struct arena *arena;
	struct draft *drafts;
	size_t draft_count, draft_cap;
};

static const struct record_build *build_of(const struct maker *maker, uint32_t index)
{
	return &maker->within->record.builds[index];
}

static bool same_table(const struct record_build *a, const struct record_build *b, enum within_axis by)
{
	return (by == WITHIN_SLOT || text_same(a->slot, b->slot)) &&
	       (by == WITHIN_VARIANT || text_same(a->variant, b->variant)) &&
	       (by == WITHIN_COPIES || a->copies == b->copies);
}

static struct draft *draft_of(struct maker *maker, const struct record_build *build)
{
	for (size_t i = 0; i < maker->draft_count; i++)
		if (same_table(maker->drafts[i].like, build, maker->within->by))
			return &maker->drafts[i];
	if (maker->draft_count == maker->draft_cap) {
		maker->draft_cap = mem_grown(maker->draft_cap, maker->draft_count + 1);
		maker->drafts = mem_resize(maker->drafts, maker->draft_cap, sizeof(*maker->drafts));
	}
	maker->drafts[maker->draft_count] = (struct draft){.like = build};
	return &maker->drafts[maker->draft_count++];
}

static size_t find_column(struct draft *draft, const char *value)
{
	size_t i = 0;

	while (i < draft->columns.n && strcmp(draft->columns.v[i], value) != 0)
		i++;
	if (i == draft->columns.n)
		vec_push(&draft->columns, value);
	return i;
}

static size_t find_row(struct draft *draft, uint32_t baseline)
{
	size_t i = draft->rows.n;

	/* comparisons stand in the record's order: the row is mostly the last one */
	while (i > 0 && draft->rows.v[i - 1] != baseline)
		i--;
	if (i > 0)
		return i - 1;
	vec_push(&draft->rows, baseline);
	return draft->rows.n - 1;
}

static void sort_comparisons(struct maker *maker)
{
	const struct within *within = maker->within;

	for (size_t i = 0; i < within->result.comparison_count; i++) {
		const struct comparison *c = &within->result.comparisons[i];
		struct draft *draft = draft_of(maker, build_of(maker, c->b));

		find_column(draft, within->baseline);
		find_column(draft, within_value(build_of(maker, c->b), within->by, maker->arena));
		find_row(draft, c->a);
		vec_push(&draft->comparisons, i);
	}
}

const char *comparison_toolchain(const struct record *record, const char *slot, struct arena *arena)
{
	const struct record_toolchain *toolchain = record_toolchain(record, slot);
	const char *family = toolchain != NULL ? facts_value(&toolchain->facts, "toolchain.family") : NULL;
	const char *version = toolchain != NULL ? facts_value(&toolchain->facts, "toolchain.version") : NULL;

	if (family == NULL || version == NULL)
		return arena_printf(arena, "slot %s", slot);
	return arena_printf(arena, "%s %s (slot %s)", family, version, slot);
}

static const char *heading_of(const struct maker *maker, const struct record_build *like)
{
	enum within_axis by = maker->within->by;
	struct arena *arena = maker->arena;
	const char *slot =
		by == WITHIN_SLOT ? "" : comparison_toolchain(&maker->within->record, like->slot, arena);
	const char *variant = by == WITHIN_VARIANT ? "" : arena_printf(arena, "variant %s", like->variant);
	const char *copies = by == WITHIN_COPIES ? ""
						 : arena_printf(arena, ", %u %s", like->copies,
							   like->copies == 1 ? "copy" : "copies");

	return arena_printf(
		arena, "%s%s%s%s", slot, slot[0] != '\0' && variant[0] != '\0' ? ", " : "", variant, copies);
}

static void fill_rows(struct maker *maker, struct draft *draft, struct doc_table *table)
{
	const struct within *within = maker->within;

	for (size_t r = 0; r < table->row_count; r++) {
		table->rows[r].label = document_label(build_of(maker, draft->rows.v[r]), maker->arena);
		table->rows[r].cells =
			arena_array(maker->arena, table->column_count, sizeof(struct doc_cell));
		table->rows[r].cells[0] = document_cell(maker->document, &within->record, &within->result,
			draft->rows.v[r], NULL, maker->arena);
	}
	for (size_t i = 0; i < draft->comparisons.n; i++) {
		const struct comparison *c = &within->result.comparisons[draft->comparisons.v[i]];
		size_t column =
			find_column(draft, within_value(build_of(maker, c->b), within->by, maker->arena));

		table->rows[find_row(draft, c->a)].cells[column] = document_cell(
			maker->document, &within->record, &within->result, c->b, c, maker->arena);
	}
}

static void make_tables(struct maker *maker)
{
	struct document *document = maker->document;

	sort_comparisons(maker);
	document->tables = arena_array(maker->arena, maker->draft_count, sizeof(*document->tables));
	document->table_count = maker->draft_count;
	for (size_t i = 0; i < maker->draft_count; i++) {
		struct draft *draft = &maker->drafts[i];
		struct doc_table *table = &document->tables[i];

		*table = (struct doc_table){.heading = heading_of(maker, draft->like),
			.column_count = draft->columns.n,
			.row_count = draft->rows.n};
		table->columns = arena_array(maker->arena, table->column_count, sizeof(*table->columns));
		memcpy(table->columns, draft->columns.v, table->column_count * sizeof(*table->columns));
		table->rows = arena_array(maker->arena, table->row_count, sizeof(*table->rows));
		fill_rows(maker, draft, table);
		vec_release(&draft->columns);
		vec_release(&draft->rows);
		vec_release(&draft->comparisons);
	}
	mem_free(maker->drafts);
}

/* "O3 +2.1 % (8 of 8)": the geometric mean over a table's column. */
static const char *mean_text(const struct doc_table *table, size_t column, struct arena *arena)
{
	double *effects = mem_alloc_array(table->row_count, sizeof(*effects));
	size_t n = 0, m = 0;
	const char *text;

	for (size_t r = 0; r < table->row_count; r++) {
		const struct comparison *c = table->rows[r].cells[column].comparison;

		m += table->rows[r].cells[column].kind != DOC_BLANK;
		if (c != NULL && (c->has_effect || c->answer == ANSWER_SAME_CODE))
			effects[n++] = c->has_effect ? c->effect : 0;
	}
	text = arena_printf(arena, "%s %s (%zu of %zu)", table->columns[column],
		n > 0 ? cell_text_percent(stats_mean(effects, n), arena) : "n/a", n, m);
	mem_free(effects);
	return text;
}

static void add_means(struct document *document, struct arena *arena)
{
	for (size_t t = 0; t < document->table_count; t++) {
		const struct doc_table *table = &document->tables[t];
		struct buf line = {0};

		for (size_t c = 1; c < table->column_count; c++)
			buf_addf(&line, "%s%s", c > 1 ? ", " : "", mean_text(table, c, arena));
		words_addf(&document->means, arena, "%s: %s", table->heading, buf_text(&line));
		buf_release(&line);
	}
}

const char *comparison_within_sentence(const struct within *within, struct arena *arena)
{
	return arena_printf(arena,
		"COMPARABLE: all cells are of one run, measured side by side in rounds (axis: %s, baseline "
		"%s).",
		within_axis_text(within->by), within->baseline);
}

const char *comparison_gate_sentence(const struct words *beyond, double gate, struct arena *arena)
{
	struct buf names = {0};
	char *text;

	if (gate < 0)
		return NULL;
	if (beyond->n == 0)
		return arena_printf(
			arena, "Gate: no cell is significantly slower by more than %.3g %%.", 100 * gate);
	for (size_t i = 0; i < beyond->n && i < BEYOND_NAMED; i++)
		buf_addf(&names, "%s%s", i > 0 ? ", " : "", beyond->v[i]);
	if (beyond->n > BEYOND_NAMED)
		buf_addf(&names, " and %zu more", beyond->n - BEYOND_NAMED);
	text = arena_printf(arena, "Gate: %zu cell%s significantly slower by more than %.3g %%: %s.",
		beyond->n, beyond->n == 1 ? " is" : "s are", 100 * gate, buf_text(&names));
	buf_release(&names);
	return text;
}

static void add_tally(struct maker *maker, const struct comparison_options *options, struct tally *tally)
{
	const struct result *result = &maker->within->result;
	struct words beyond = {0};
	const char *gate;

	*tally = (struct tally){.all = maker->within->no_baseline.n};
	for (size_t i = 0; i < result->comparison_count; i++) {
		tally_add(tally, &result->comparisons[i], options->gate);
		if (tally_is_beyond(&result->comparisons[i], options->gate))
			words_add(&beyond, maker->arena, build_of(maker, result->comparisons[i].b)->cell);
	}
	gate = comparison_gate_sentence(&beyond, options->gate, maker->arena);
	if (gate != NULL)
		words_add(&maker->document->alerts, maker->arena, gate);
}

static void add_notes(struct maker *maker)
{
	const struct within *within = maker->within;
	struct words slots = {0}, notes = {0};

	for (size_t i = 0; i < within->record.toolchain_count && within->by == WITHIN_SLOT; i++)
		for (size_t s = 0; s < within->record.toolchains[i].slots.n; s++)
			words_add(&slots, maker->arena,
				comparison_toolchain(&within->record, within->record.toolchains[i].slots.v[s],
					maker->arena));
	document_section(maker->document, "Slots:", &slots);
	if (within->own_family)
		words_addf(&notes, maker->arena,
			"these %zu comparisons are a family of their own: an answer may differ from the "
			"run's own table, which judges %zu",
			within->result.family, within->record.plan.comparison_count);
	if (within->by == WITHIN_COPIES)
		words_add(&notes, maker->arena,
			"values are of all copies together: +100 % for twice the copies is perfect scaling");
	document_section(maker->document, "Notes:", &notes);
	document_section(maker->document, "Without a baseline cell, so not compared:", &within->no_baseline);
}

struct document *comparison_within(const struct within *within, const struct comparison_options *options,
	struct arena *arena, struct tally *tally)
{
	struct maker maker = {
		.document = arena_new(arena, struct document), .within = within, .arena = arena};
	struct document *document = maker.document;

	document->title = comparison_within_sentence(within, arena);
	document_alerts(document, &within->record, &within->result, arena);
	add_tally(&maker, options, tally);
	make_tables(&maker);
	document_legend(document, &within->result, arena);
	add_means(document, arena);
	document_undecided(document, &within->record, &within->result, options->verbose, arena);
	add_notes(&maker);
	if (options->verbose)
		comparison_add_functions_within(document, within, arena);
	if (options->path != NULL)
		document->hints[document->hint_count++] = (struct doc_hint){"Record:", options->path};
	return document;
}
