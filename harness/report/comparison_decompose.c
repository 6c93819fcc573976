#include "report/comparison_decompose.h"

#include <string.h>

#include "report/cell_text.h"

#define OPEN_NAMED 4 /* of what can't be told, unless all is asked for */

struct maker {
	struct document *document;
	const struct decomposition *of;
	const struct comparison_options *options;
	struct arena *arena;
};

/* --- sentences --- */

/* "gave +2.0 %", "nothing shown (±0.3 %)"; of the whole "+2.0 % ±0.4". */
static const char *answer_words(const struct comparison *c, bool whole, struct arena *arena)
{
	switch (c->answer) {
	case ANSWER_FASTER:
	case ANSWER_SLOWER:
		if (whole)
			return cell_text_effect(c->effect, c->lo, c->hi, arena);
		return arena_printf(arena, "gave %s", cell_text_percent(c->effect, arena));
	case ANSWER_TOO_SMALL:
		return arena_printf(
			arena, "too little to matter (at most %s %%)", cell_text_bound(c->x, arena));
	case ANSWER_NO_DIFFERENCE:
		return arena_printf(arena, "nothing shown (±%s %%)", cell_text_bound(c->x, arena));
	case ANSWER_CANT_TELL:
		if (!c->has_effect)
			return "can't be told";
		return arena_printf(
			arena, "can't be told (%s)", cell_text_effect(c->effect, c->lo, c->hi, arena));
	case ANSWER_SAME_CODE:
		return "nothing (same code)";
	case ANSWER_NONE:
		break;
	}
	return "n/a";
}

static bool is_shown(const struct comparison *c)
{
	return c->answer == ANSWER_FASTER || c->answer == ANSWER_SLOWER;
}

/* " Beyond their sum: O3 x lto gave +1.2 %." of interactions that are there. */
static void add_interactions(const struct decomposition *of, const struct decompose_effect *effects,
	struct buf *out, struct arena *arena)
{
	size_t n = 0;

	for (size_t t = 0; t < of->term_count; t++)
		if (of->terms[t].kind == DECOMPOSE_INTERACTION && is_shown(&effects[t].c))
			buf_addf(out, "%s%s %s",
				n++ > 0 ? ", " : " Beyond the sum of their own: ", of->terms[t].label,
				answer_words(&effects[t].c, false, arena));
	if (n > 0)
		buf_addc(out, '.');
}

const char *comparison_decompose_sentence(
	const struct decomposition *of, const struct decompose_effect *effects, struct arena *arena)
{
	const struct decompose_effect *whole = &effects[of->part_count];
	struct buf out = {0};
	char *text;

	for (size_t t = 0; t < of->part_count; t++)
		buf_addf(&out, "%s%s %s", t > 0 ? ", " : "", of->terms[t].label,
			answer_words(&effects[t].c, false, arena));
	buf_addf(&out, "; all together %s", answer_words(&whole->c, true, arena));
	if (effects[0].partial && effects[0].used > 0 && whole->possible == 1)
		buf_addf(&out, " (partial: from %.0f of %.0f orders)", effects[0].used, effects[0].possible);
	else if (effects[0].partial && effects[0].used > 0)
		buf_addf(&out, " (partial: %.0f of %.0f workloads%s)", effects[0].used, effects[0].possible,
			effects[0].used < effects[0].possible ? "" : ", not from all orders");
	buf_addc(&out, '.');
	add_interactions(of, effects, &out, arena);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static const char *group_name(
	const struct maker *maker, const struct decompose_group *group, bool show_copies)
{
	const char *slot = comparison_toolchain(&maker->of->record, group->slot, maker->arena);

	if (!show_copies)
		return slot;
	return arena_printf(
		maker->arena, "%s, %u %s", slot, group->copies, group->copies == 1 ? "copy" : "copies");
}

static bool has_copies(const struct decomposition *of)
{
	for (size_t g = 0; g < of->group_count; g++)
		if (of->groups[g].copies != 1)
			return true;
	return false;
}

static const char *row_name(const struct maker *maker, const struct decompose_row *row)
{
	return document_label(&maker->of->record.builds[row->like], maker->arena);
}

/* The mean of each group; of single rows where there is no mean, or all is asked for. */
static void add_sentences(struct maker *maker)
{
	const struct decomposition *of = maker->of;
	struct words lines = {0};

	for (size_t g = 0; g < of->group_count; g++) {
		const struct decompose_group *group = &of->groups[g];
		const char *name = group_name(maker, group, has_copies(of));

		if (group->means != NULL)
			words_addf(&lines, maker->arena, "%s, geometric mean of %zu workloads: %s", name,
				group->row_count,
				comparison_decompose_sentence(of, group->means, maker->arena));
		for (size_t r = 0; r < group->row_count; r++)
			if (group->means == NULL || maker->options->verbose)
				words_addf(&lines, maker->arena, "%s, %s: %s", name,
					row_name(maker, &group->rows[r]),
					comparison_decompose_sentence(
						of, group->rows[r].effects, maker->arena));
	}
	document_section(maker->document, "In words:", &lines);
}

/* --- tables --- */

/* What a table holds: parts and whole, or one of the other kinds. */
static bool belongs(enum decompose_kind table, enum decompose_kind kind)
{
	return kind == table || (table == DECOMPOSE_PART && kind == DECOMPOSE_WHOLE);
}

static const char *of_what(enum decompose_kind kind)
{
	return kind == DECOMPOSE_PART ? "orders" : "combinations of the other axes";
}

static size_t note_of(struct maker *maker, const char *row, const struct decompose_term *term,
	const struct decompose_effect *effect)
{
	const char *cell = arena_printf(maker->arena, "%s: %s", row, term->label);
	const struct comparison *c = &effect->c;

	if (!c->has_effect && c->reason != NULL)
		return document_note(maker->document, maker->arena, cell,
			c->answer == ANSWER_NONE ? "no value" : "can't tell", c->reason);
	if (effect->partial && effect->missing != NULL)
		return document_note(maker->document, maker->arena, cell, "partial",
			arena_printf(maker->arena, "from %.0f of %.0f %s: %s", effect->used, effect->possible,
				of_what(term->kind), effect->missing));
	if (effect->partial)
		return document_note(maker->document, maker->arena, cell, "partial",
			effect->used < effect->possible
				? arena_printf(maker->arena, "mean of %.0f of %.0f workloads", effect->used,
					  effect->possible)
				: "some workloads in this mean are partial themselves");
	return 0;
}

static struct doc_cell cell_of(struct maker *maker, const char *row, const struct decompose_term *term,
	const struct decompose_effect *effect)
{
	struct doc_cell cell = {.kind = document_kind(effect->c.answer), .comparison = &effect->c};

	if (effect->c.answer == ANSWER_NONE)
		cell = (struct doc_cell){.kind = DOC_TEXT, .text = "n/a"};
	cell.note = note_of(maker, row, term, effect);
	maker->document->kinds |= 1u << cell.kind;
	return cell;
}

static void fill_row(struct maker *maker, enum decompose_kind kind, const char *label,
	const struct decompose_effect *effects, struct doc_table *table)
{
	struct doc_row *row = &table->rows[table->row_count++];
	size_t column = 0;

	row->label = label;
	row->cells = arena_array(maker->arena, table->column_count, sizeof(*row->cells));
	for (size_t t = 0; t < maker->of->term_count; t++)
		if (belongs(kind, maker->of->terms[t].kind))
			row->cells[column++] = cell_of(maker, label, &maker->of->terms[t], &effects[t]);
}

static void add_table(struct maker *maker, const struct decompose_group *group, enum decompose_kind kind,
	const char *heading)
{
	struct doc_table *table = &maker->document->tables[maker->document->table_count];
	const struct decomposition *of = maker->of;

	*table = (struct doc_table){.heading = arena_printf(maker->arena, "%s: %s",
					    group_name(maker, group, has_copies(of)), heading)};
	table->columns = arena_array(maker->arena, of->term_count, sizeof(*table->columns));
	for (size_t t = 0; t < of->term_count; t++)
		if (belongs(kind, of->terms[t].kind))
			table->columns[table->column_count++] = of->terms[t].label;
	if (table->column_count == 0)
		return;
	maker->document->table_count++;
	table->rows = arena_array(maker->arena, group->row_count + 1, sizeof(*table->rows));
	for (size_t r = 0; r < group->row_count; r++)
		fill_row(maker, kind, row_name(maker, &group->rows[r]), group->rows[r].effects, table);
	if (group->means != NULL)
		fill_row(maker, kind, "geometric mean", group->means, table);
}

static void add_tables(struct maker *maker)
{
	const struct decomposition *of = maker->of;
	const char *split = arena_printf(
		maker->arena, "how what %s gained splits over its values", of->design.target_name);

	maker->document->tables =
		arena_array(maker->arena, 3 * of->group_count, sizeof(*maker->document->tables));
	for (size_t g = 0; g < of->group_count; g++) {
		add_table(maker, &of->groups[g], DECOMPOSE_PART, split);
		add_table(maker, &of->groups[g], DECOMPOSE_MAIN,
			"main effects, each value averaged over all else");
		add_table(maker, &of->groups[g], DECOMPOSE_INTERACTION,
			"interactions, what two give together beyond the sum of each alone");
	}
}

/* --- what stands below --- */

static void add_values(struct maker *maker)
{
	struct words lines = {0};

	for (size_t i = 0; i < maker->of->design.axis_count; i++) {
		const struct design_axis *axis = &maker->of->design.axes[i];
		struct buf line = {0};

		for (size_t k = 0; k < axis->value_count; k++)
			buf_addf(&line, "%s%s is %s%s", k > 0 ? ", " : "", axis->values[k].name,
				axis->values[k].flags, k == axis->reference ? " (baseline)" : "");
		words_addf(&lines, maker->arena, "%s: %s", axis->name, buf_text(&line));
		buf_release(&line);
	}
	document_section(maker->document, "The values of the axes:", &lines);
}

/* A line for each effect that can't be told, with what it would take; parts of all rows come first. */
static void add_open(struct maker *maker)
{
	const struct decomposition *of = maker->of;
	struct words *lines = &maker->document->undecided;
	size_t n = 0;

	for (size_t t = 0; t < of->term_count; t++) {
		for (size_t g = 0; g < of->group_count; g++) {
			const struct decompose_group *group = &of->groups[g];

			for (size_t r = 0; r <= group->row_count; r++) {
				bool mean = r == group->row_count;
				const struct decompose_effect *effects =
					mean ? group->means : group->rows[r].effects;

				if (effects == NULL || effects[t].c.answer != ANSWER_CANT_TELL ||
					!effects[t].c.has_effect)
					continue;
				if (n++ < OPEN_NAMED || maker->options->verbose)
					words_addf(lines, maker->arena, "%s/%s, %s %s: %s",
						mean ? "mean" : row_name(maker, &group->rows[r]), group->slot,
						decompose_kind_text(of->terms[t].kind), of->terms[t].label,
						effects[t].c.reason);
			}
		}
	}
	if (n > lines->n)
		words_addf(lines, maker->arena, "and %zu more; --verbose lists them", n - lines->n);
}

/* Has an effect fewer rounds than the run made, since one of its cells closed before? */
static bool is_early(const struct decomposition *of, const struct comparison *c)
{
	return c->closed_at > 0 && c->closed_at < of->result.rounds;
}

static bool is_unaveraged(const struct decomposition *of, const struct comparison *c)
{
	(void)of;
	return c->has_effect && !c->placement_averaged;
}

/* Is this so of any effect of a row? */
static bool any(const struct decomposition *of,
	bool (*so)(const struct decomposition *of, const struct comparison *c))
{
	for (size_t g = 0; g < of->group_count; g++)
		for (size_t r = 0; r < of->groups[g].row_count; r++)
			for (size_t t = 0; t < of->term_count; t++)
				if (so(of, &of->groups[g].rows[r].effects[t].c))
					return true;
	return false;
}

static void add_notes(struct maker *maker)
{
	const struct decomposition *of = maker->of;
	struct words lines = {0};

	words_addf(&lines, maker->arena,
		"parts: the difference that changing to a value makes, averaged over all orders in which the "
		"values of %s could be changed one after the other from %s (Shapley value). They add up to "
		"the "
		"whole as logarithms; as per cent they multiply",
		of->design.target_name, of->design.reference_name);
	words_add(&lines, maker->arena,
		"cells of identical code have one value, so that a value that changes no code gave exactly "
		"nothing");
	if (any(of, is_early))
		words_add(&lines, maker->arena,
			"cells that closed at a look have no later rounds: an effect uses the rounds that "
			"all its "
			"cells have (`flagstone run MATRIX --rounds N` measures all of them N times)");
	if (any(of, is_unaveraged))
		words_add(&lines, maker->arena,
			"placement not averaged: with one layout, part of an effect may be where the linker "
			"put "
			"the code");
	if (of->result.lambda > 1)
		words_addf(&lines, maker->arena, "intervals are widened %.2f times by the A/A check",
			of->result.lambda);
	if (of->design.included)
		words_add(&lines, maker->arena,
			"the matrix adds flags to some combinations by `include`: effects hold these, too");
	for (size_t i = 0; i < of->not_on_axes.n; i++)
		words_addf(&lines, maker->arena, "%s is on no axis, and is left out", of->not_on_axes.v[i]);
	for (size_t i = 0; i < of->fixed.n; i++)
		words_addf(&lines, maker->arena, "%s is left out: flags do not act on it", of->fixed.v[i]);
	document_section(maker->document, "What this is:", &lines);
}

static void add_tally(const struct decomposition *of, struct tally *tally)
{
	*tally = (struct tally){0};
	for (size_t g = 0; g < of->group_count; g++) {
		const struct decompose_group *group = &of->groups[g];

		for (size_t t = 0; t < of->term_count; t++) {
			for (size_t r = 0; r < group->row_count; r++)
				tally_add(tally, &group->rows[r].effects[t].c, -1);
			if (group->means != NULL)
				tally_add(tally, &group->means[t].c, -1);
		}
	}
}

struct document *comparison_decompose(const struct decomposition *decomposition,
	const struct comparison_options *options, struct arena *arena, struct tally *tally)
{
	struct document *document = arena_new(arena, struct document);
	struct maker maker = {document, decomposition, options, arena};

	document->title = arena_printf(arena,
		"What each flag gave: %s against %s, from the cells of one run, measured side by side in "
		"rounds.",
		decomposition->design.target_name, decomposition->design.reference_name);
	document_alerts(document, &decomposition->record, &decomposition->result, arena);
	add_tally(decomposition, tally);
	add_tables(&maker);
	document_legend(document, &decomposition->result, arena);
	add_open(&maker);
	add_values(&maker);
	add_notes(&maker);
	add_sentences(&maker);
	if (options->path != NULL)
		document->hints[document->hint_count++] = (struct doc_hint){"Record:", options->path};
	return document;
}
