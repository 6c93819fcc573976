#include "report/comparison_verdict.h"

#include <string.h>

#include "base/buf.h"
#include "compare/sources.h"

enum {
	FACTS_SHOWN = 4, /* of a row */
	ROWS_SHOWN = 3,
	CAVEATS_SHOWN = 6,
	MEMBERS_SHOWN = 8
};

struct showing {
	struct document *document;
	const struct between *between;
	struct arena *arena;
	const char *base; /* the baseline's letter */
	bool verbose;
};

const char *comparison_fact_text(
	const struct comparable_fact *fact, const char *a, const char *b, struct arena *arena)
{
	if (strcmp(fact->a, fact->b) == 0)
		return arena_printf(arena, "%s: %s in both", fact->key, fact->a);
	return arena_printf(arena, "%s: %s in %s, %s in %s", fact->key, fact->a, a, fact->b, b);
}

/* The fact, and in brackets what more there is to say: why, and the cells ("": none). */
static const char *with_why(
	struct showing *s, const struct comparable_fact *fact, const char *letter, const char *cells)
{
	const char *text = comparison_fact_text(fact, s->base, letter, s->arena);
	const char *why = comparable_why_is_plain(fact) ? "" : fact->why;

	if (why[0] == '\0' && cells[0] == '\0')
		return text;
	return arena_printf(
		s->arena, "%s (%s%s%s)", text, why, why[0] != '\0' && cells[0] != '\0' ? "; " : "", cells);
}

/* Functions that differ in a cell; only where the code does. */
static void add_functions(struct showing *s, size_t side, const struct sum_row *row, struct words *lines)
{
	const struct between *between = s->between;
	const struct record *a = between->sides[between->baseline].runs[0].record;
	const struct record *b = between->sides[side].runs[0].record;
	int in_a = record_find_cell(a, between->cells[row->cell].cell);
	int in_b = record_find_cell(b, between->cells[row->cell].cell);
	struct source_functions functions;

	if (row->first->code != CODE_OTHER || in_a < 0 || in_b < 0)
		return;
	sources_functions(&a->builds[in_a], &b->builds[in_b], s->arena, &functions);
	if (functions.reason == NULL)
		words_addf(lines, s->arena, "code of %s: %s", between->cells[row->cell].cell,
			sources_brief(&functions, s->arena));
}

static void add_native(struct showing *s, const char *letter, const struct sum_row *row, struct words *lines)
{
	if (row->first->native_a == NULL || row->verdict == COMPARABLE)
		return;
	words_addf(lines, s->arena, "native in %s: %s", s->base, row->first->native_a);
	words_addf(lines, s->arena, "native in %s: %s", letter, row->first->native_b);
}

/* What the table says, and what became of it. */
static const char *row_heading(struct showing *s, const struct sum_row *row)
{
	const char *cells = comparable_cells_named(&row->cells, row->count, s->arena);

	if (row->verdict == row->by_row)
		return arena_printf(s->arena, "%s by row %u, %s (%s):", comparability_loud(row->verdict),
			row->row, comparable_row_text(row->row), cells);
	return arena_printf(s->arena,
		"%s by surroundings; row %u, %s, alone is %s (%s):", comparability_loud(row->verdict),
		row->row, comparable_row_text(row->row), comparability_loud(row->by_row), cells);
}

/* One row of the table and its cells: the facts that decided. */
static void add_row(struct showing *s, size_t side, const struct sum_row *row)
{
	const char *letter = between_letter(side, s->arena);
	const struct comparable_facts *facts = &row->first->facts;
	struct words lines = {0};
	size_t shown = 0, all = 0;

	add_native(s, letter, row, &lines);
	for (size_t i = 0; i < facts->n; i++) {
		if (facts->v[i].part != FACT_DECIDES)
			continue;
		all++;
		if (s->verbose || shown < FACTS_SHOWN) {
			words_add(&lines, s->arena, with_why(s, &facts->v[i], letter, ""));
			shown++;
		}
	}
	if (shown < all)
		words_addf(&lines, s->arena, "and %zu more facts (--why lists them)", all - shown);
	if (row->verdict != COMPARABLE)
		add_functions(s, side, row, &lines);
	if (lines.n == 0)
		words_add(&lines, s->arena, "nothing that is known to differ");
	document_lead(s->document, row_heading(s, row), &lines);
}

/* Another metric or unit: no row was asked. */
static void add_barred(struct showing *s, const struct sum_row *row)
{
	struct words lines = {0};

	words_add(&lines, s->arena, row->first->reason);
	document_lead(s->document,
		arena_printf(s->arena, "INCOMPARABLE, whatever the code is (%s):",
			comparable_cells_named(&row->cells, row->count, s->arena)),
		&lines);
}

/* What worsens it beside the rows: surroundings, of the machine and of cells. */
static void add_surroundings(struct showing *s, size_t side, const struct comparable_sum *sum)
{
	const char *letter = between_letter(side, s->arena);
	struct words lines = {0};
	size_t shown = 0, all = 0;

	for (size_t i = 0; i < sum->fact_count; i++) {
		const struct sum_fact *fact = &sum->facts[i];
		bool of_row = fact->count > 0 && fact->fact.part == FACT_DECIDES;

		if (fact->fact.worsens == COMPARABLE || of_row)
			continue;
		all++;
		if (!s->verbose && shown >= CAVEATS_SHOWN)
			continue;
		shown++;
		words_addf(&lines, s->arena, "%s%s",
			fact->fact.worsens == INCOMPARABLE ? "INCOMPARABLE: " : "",
			with_why(s, &fact->fact, letter,
				comparable_cells_named(&fact->cells, fact->count, s->arena)));
	}
	if (shown < all)
		words_addf(&lines, s->arena, "and %zu more (--why lists them)", all - shown);
	document_lead(
		s->document, arena_printf(s->arena, "Caveats of %s against %s:", letter, s->base), &lines);
}

static void add_advice(struct showing *s, const struct advices *advice, bool late)
{
	struct words lines = {0};

	for (size_t i = 0; i < advice->n; i++)
		words_addf(&lines, s->arena, "%s%s%s", advice->v[i].text,
			advice->v[i].command != NULL ? " " : "",
			advice->v[i].command != NULL ? advice->v[i].command : "");
	if (late)
		document_section(s->document, "What to do:", &lines);
	else
		document_lead(s->document, "What to do:", &lines);
}

static void add_side(struct showing *s, size_t side)
{
	struct comparable_sum sum;
	size_t shown = 0;

	comparable_sum(s->between, side, s->arena, &sum);
	for (size_t i = 0; i < sum.row_count && (s->verbose || shown < ROWS_SHOWN); i++, shown++) {
		if (sum.rows[i].row == 0)
			add_barred(s, &sum.rows[i]);
		else
			add_row(s, side, &sum.rows[i]);
	}
	add_surroundings(s, side, &sum);
	add_advice(s, &s->between->advice[side], false);
}

/* --- many --- */

static const char *members(const struct showing *s, const struct comparable_group *group)
{
	struct words names = {0};

	for (size_t i = 0; i < group->n && (s->verbose || i < MEMBERS_SHOWN); i++)
		words_addf(&names, s->arena, "%s", between_letter(group->members[i], s->arena));
	return comparable_cells_named(&names, group->n, s->arena);
}

static struct doc_cell text_cell(const char *text)
{
	return (struct doc_cell){.kind = DOC_TEXT, .text = text};
}

static const char *host_of(const struct between *between, size_t side)
{
	const char *name = between->sides[side].runs[0].record->host_name;

	return name != NULL ? name : "unknown host";
}

/* Why the smaller groups stand apart, a line each. */
static void add_reasons(struct showing *s)
{
	const struct comparable_groups *groups = &s->between->groups;
	struct words lines = {0};

	for (size_t i = 0; i < groups->n; i++) {
		const struct comparable_group *group = &groups->v[i];

		if (i == 0 && group->caveat != NULL)
			words_addf(&lines, s->arena, "group 1 compares with caveats: %s", group->caveat);
		if (i > 0)
			words_addf(&lines, s->arena, "group %zu (%s, %s) does not compare with %s: %s", i + 1,
				members(s, group), host_of(s->between, group->members[0]),
				between_letter(group->against, s->arena), group->reason);
	}
	document_lead(s->document, "Why:", &lines);
}

static void add_groups(struct showing *s)
{
	const struct comparable_groups *groups = &s->between->groups;
	struct doc_table *table = arena_new(s->arena, struct doc_table);
	static const char *const columns[] = {"records", "among themselves", "which"};

	table->heading = "Which records compare with one another";
	table->corner = "group";
	table->column_count = 3;
	table->columns = arena_array(s->arena, 3, sizeof(*table->columns));
	memcpy(table->columns, columns, sizeof(columns));
	table->row_count = groups->n;
	table->rows = arena_array(s->arena, groups->n, sizeof(*table->rows));
	for (size_t i = 0; i < groups->n; i++) {
		struct doc_row *row = &table->rows[i];

		row->label = arena_printf(s->arena, "group %zu", i + 1);
		row->cells = arena_array(s->arena, 3, sizeof(*row->cells));
		row->cells[0] = text_cell(arena_printf(s->arena, "%zu", groups->v[i].n));
		row->cells[1] =
			text_cell(groups->v[i].n == 1 ? "-" : comparability_loud(groups->v[i].within));
		row->cells[2] = text_cell(members(s, &groups->v[i]));
	}
	s->document->lead_table = table;
	add_reasons(s);
}

void comparison_add_verdict(
	struct document *document, const struct between *between, bool verbose, struct arena *arena)
{
	struct showing s = {.document = document,
		.between = between,
		.arena = arena,
		.base = between_letter(between->baseline, arena),
		.verbose = verbose};
	struct words notes = {0};

	for (size_t i = 0; i < between->side_count; i++)
		if (i != between->baseline && between->comparable[i].note != NULL)
			words_addf(&notes, arena, "%s and %s: %s", s.base, between_letter(i, arena),
				between->comparable[i].note);
	document_lead(document, "Which machines:", &notes);
	if (between->side_count > 2) {
		if (document->title == NULL ||
			strcmp(document->title, comparable_groups_sentence(&between->groups, arena)) != 0)
			words_add(&document->alerts, arena,
				comparable_groups_sentence(&between->groups, arena));
		add_groups(&s);
		return;
	}
	for (size_t i = 0; i < between->side_count; i++)
		if (i != between->baseline)
			add_side(&s, i);
}

/* --- why --- */

static bool is_known_nowhere(const struct comparable_fact *fact)
{
	return !fact->known_a && !fact->known_b && fact->worsens == COMPARABLE;
}

/* One line for all that is known on neither side: a virtual machine has many. */
static void add_known_nowhere(struct showing *s, const struct comparable_sum *sum, struct words *lines)
{
	struct words keys = {0};

	for (size_t i = 0; i < sum->fact_count; i++)
		if (sum->facts[i].fact.part == FACT_MAY_MATTER && is_known_nowhere(&sum->facts[i].fact))
			words_add(&keys, s->arena, sum->facts[i].fact.key);
	if (keys.n > 0)
		words_addf(lines, s->arena, "known on neither side, so not known to be the same: %s",
			words_between(&keys, ", ", s->arena));
}

static void add_part(struct showing *s, size_t side, const struct comparable_sum *sum, enum fact_part part,
	const char *heading)
{
	const char *letter = between_letter(side, s->arena);
	struct words lines = {0};

	for (size_t i = 0; i < sum->fact_count; i++) {
		const struct sum_fact *fact = &sum->facts[i];
		bool of_cells = fact->count > 0;

		if (fact->fact.part != part || (part == FACT_MAY_MATTER && is_known_nowhere(&fact->fact)))
			continue;
		words_addf(&lines, s->arena, "%s: %s%s%s%s%s",
			comparison_fact_text(&fact->fact, s->base, letter, s->arena), fact->fact.why,
			of_cells ? " (" : "",
			of_cells ? comparable_cells_named(&fact->cells, fact->count, s->arena) : "",
			fact->others ? "; the first's values" : "", of_cells ? ")" : "");
	}
	if (part == FACT_MAY_MATTER)
		add_known_nowhere(s, sum, &lines);
	if (lines.n == 0)
		words_add(&lines, s->arena, "nothing");
	document_section(s->document, heading, &lines);
}

static void add_why_side(struct showing *s, size_t side, const struct words *elsewhere)
{
	const char *letter = between_letter(side, s->arena);
	struct comparable_sum sum;
	struct words rows = {0};

	comparable_sum(s->between, side, s->arena, &sum);
	for (size_t i = 0; i < sum.row_count; i++)
		words_addf(&rows, s->arena, "%s, row %u, %s: %s", comparability_loud(sum.rows[i].verdict),
			sum.rows[i].row, comparable_row_text(sum.rows[i].row),
			comparable_cells_named(&sum.rows[i].cells, sum.rows[i].count, s->arena));
	document_section(
		s->document, arena_printf(s->arena, "%s against %s, cell by cell:", letter, s->base), &rows);
	add_part(s, side, &sum, FACT_DECIDES, "Decides:");
	add_part(s, side, &sum, FACT_MAY_MATTER, "May matter:");
	if (elsewhere != NULL)
		document_section(s->document, "What these did elsewhere in the archive:", &elsewhere[side]);
	add_part(s, side, &sum, FACT_EXPLAINED, "Explained away:");
	add_advice(s, &s->between->advice[side], true);
}

struct document *comparison_why(
	const struct between *between, const struct words *elsewhere, bool forced, struct arena *arena)
{
	struct showing s = {.document = arena_new(arena, struct document),
		.between = between,
		.arena = arena,
		.base = between_letter(between->baseline, arena),
		.verbose = true};
	size_t shown = 0;

	for (size_t i = 0; i < between->side_count && shown < 2; i++) {
		if (i == between->baseline)
			continue;
		if (s.document->title == NULL)
			s.document->title = between->sentences[i];
		else
			words_add(&s.document->alerts, arena, between->sentences[i]);
		if (between->comparable[i].note != NULL)
			words_add(&s.document->alerts, arena, between->comparable[i].note);
		add_why_side(&s, i, elsewhere);
		shown++;
	}
	if (shown + 1 < between->side_count)
		words_addf(&s.document->alerts, arena,
			"The first %zu records are held against %s here; ask for two at a time to see the "
			"others.",
			shown, s.base);
	if (forced)
		words_add(&s.document->alerts, arena,
			"FORCED: asked for with --force; what is incomparable stays incomparable.");
	return s.document;
}
