#include "report/document.h"

#include <string.h>

#include "base/mem.h"
#include "compare/reason.h"

#define CELLS_NAMED 3 /* of those that share a reason */

/* A table while it grows: which builds belong to it. */
struct draft {
	const char *slot;
	uint32_t copies;
	VEC(const char *) columns;
	VEC(uint32_t) rows; /* a build of each (workload, args) */
	VEC(uint32_t) builds;
};

struct drafts {
	struct draft *v;
	size_t n, cap;
};

static const char *text_or(const char *text, const char *fallback)
{
	return text != NULL ? text : fallback;
}

const struct comparison **document_comparisons(
	const struct record *record, const struct result *result, struct arena *arena)
{
	const struct comparison **of_build = arena_array(arena, record->build_count, sizeof(*of_build));

	for (size_t i = result->comparison_count; i-- > 0;)
		if (result->comparisons[i].b < record->build_count)
			of_build[result->comparisons[i].b] = &result->comparisons[i];
	return of_build;
}

const char *document_reason(const struct record *record, uint32_t build)
{
	if (record->builds[build].reason != NULL)
		return record->builds[build].reason;
	for (size_t i = 0; i < record->failure_count; i++)
		if (record->failures[i].build == build)
			return record->failures[i].reason;
	return NULL;
}

static struct draft *draft_of(struct drafts *drafts, const struct record_build *build)
{
	const char *slot = text_or(build->slot, "none");

	for (size_t i = 0; i < drafts->n; i++)
		if (drafts->v[i].copies == build->copies && strcmp(drafts->v[i].slot, slot) == 0)
			return &drafts->v[i];
	vec_push(drafts, (struct draft){.slot = slot, .copies = build->copies});
	return &drafts->v[drafts->n - 1];
}

static size_t find_column(const struct draft *draft, const char *variant)
{
	size_t i = 0;

	while (i < draft->columns.n && strcmp(draft->columns.v[i], variant) != 0)
		i++;
	return i;
}

static size_t find_row(
	const struct record *record, const struct draft *draft, const struct record_build *build)
{
	size_t i = 0;

	for (; i < draft->rows.n; i++) {
		const struct record_build *row = &record->builds[draft->rows.v[i]];

		if (strcmp(row->workload, build->workload) == 0 &&
			strcmp(text_or(row->args, ""), text_or(build->args, "")) == 0)
			break;
	}
	return i;
}

/* Baselines come first, so that the column of the first one found is the leftmost. */
static void add_column(struct draft *draft, const struct record_build *build)
{
	const char *variant = text_or(build->variant, "none");

	if (find_column(draft, variant) == draft->columns.n)
		vec_push(&draft->columns, variant);
}

static void sort_into_drafts(const struct record *record, const struct result *result, struct drafts *drafts)
{
	for (uint32_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];
		struct draft *draft;

		if (result->cells[i].hidden)
			continue;
		draft = draft_of(drafts, build);
		if (find_row(record, draft, build) == draft->rows.n)
			vec_push(&draft->rows, i);
		vec_push(&draft->builds, i);
		if (build->baseline)
			add_column(draft, build);
	}
	for (uint32_t i = 0; i < record->build_count; i++)
		if (!result->cells[i].hidden)
			add_column(draft_of(drafts, &record->builds[i]), &record->builds[i]);
}

static const char *unit_of(const struct record *record, const struct record_build *build)
{
	const struct record_workload *workload = record_workload(record, build->workload);

	return workload != NULL ? text_or(workload->unit, "") : "";
}

static struct doc_note *find_note(
	struct document *document, const char *what, const char *reason, size_t *number)
{
	for (size_t i = 0; i < document->note_count; i++) {
		struct doc_note *note = &document->notes[i];

		*number = i + 1;
		if (strcmp(note->what, what) == 0 && strcmp(note->reason, reason) == 0)
			return note;
	}
	return NULL;
}

/* The number of the reason; cells with the same reason share it. */
size_t document_note(struct document *document, struct arena *arena, const char *cell, const char *what,
	const char *reason)
{
	size_t number = 0;
	struct doc_note *note = find_note(document, what, reason, &number);

	if (note == NULL) {
		if (document->note_count == document->note_cap) {
			struct doc_note *old = document->notes;

			document->note_cap = mem_grown(document->note_cap, document->note_count + 1);
			document->notes = arena_array(arena, document->note_cap, sizeof(*old));
			if (old != NULL)
				memcpy(document->notes, old, document->note_count * sizeof(*old));
		}
		note = &document->notes[document->note_count++];
		*note = (struct doc_note){.what = what, .reason = reason};
		number = document->note_count;
	}
	if (note->cell_count++ < CELLS_NAMED)
		words_add(&note->cells, arena, cell);
	return number;
}

enum doc_kind document_kind(enum answer answer)
{
	switch (answer) {
	case ANSWER_FASTER:
		return DOC_FASTER;
	case ANSWER_SLOWER:
		return DOC_SLOWER;
	case ANSWER_TOO_SMALL:
		return DOC_TOO_SMALL;
	case ANSWER_NO_DIFFERENCE:
		return DOC_NO_DIFFERENCE;
	case ANSWER_CANT_TELL:
		return DOC_CANT_TELL;
	case ANSWER_SAME_CODE:
		return DOC_SAME_CODE;
	case ANSWER_NONE:
		break;
	}
	return DOC_RATE;
}

static enum doc_kind kind_of_cell(const struct record_build *build, const struct doc_cell *cell)
{
	if (build->status == CELL_IMPOSSIBLE)
		return DOC_IMPOSSIBLE;
	if (build->status == CELL_BUILD_FAILED || build->status == CELL_CHECK_FAILED ||
		build->status == CELL_RUN_FAILED)
		return DOC_FAILED;
	if (cell->comparison != NULL && cell->comparison->answer != ANSWER_NONE)
		return document_kind(cell->comparison->answer);
	return cell->summary->has_value ? DOC_RATE : DOC_NOT_MEASURED;
}

/* What the number beside the cell leads to; nothing for a cell that speaks for itself. */
static size_t note_of(struct document *document, struct arena *arena, const struct record *record,
	const struct record_build *build, const struct doc_cell *cell)
{
	const char *reason = document_reason(record, (uint32_t)(build - record->builds));
	const struct comparison *c = cell->comparison;

	switch (cell->kind) {
	case DOC_IMPOSSIBLE:
		return document_note(document, arena, build->cell, "cannot exist here",
			text_or(reason, "no reason was recorded"));
	case DOC_FAILED:
		return document_note(document, arena, build->cell, cell_status_text(build->status),
			text_or(reason, "no reason was recorded"));
	case DOC_NOT_MEASURED:
		if (c == NULL || c->reason == NULL)
			reason = reason_not_measured(record, false, arena);
		else
			reason = c->reason;
		return document_note(document, arena, build->cell, "no value", reason);
	case DOC_CANT_TELL:
		return c->has_effect || c->reason == NULL
			       ? 0
			       : document_note(document, arena, build->cell, "can't tell", c->reason);
	case DOC_RATE:
		return c == NULL || c->reason == NULL
			       ? 0
			       : document_note(document, arena, build->cell, "not compared", c->reason);
	default:
		return 0;
	}
}

struct maker {
	struct document *document;
	const struct record *record;
	const struct result *result;
	const struct comparison **of_build; /* its comparison, or NULL */
	struct arena *arena;
};

struct doc_cell document_cell(struct document *document, const struct record *record,
	const struct result *result, uint32_t index, const struct comparison *comparison, struct arena *arena)
{
	const struct record_build *build = &record->builds[index];
	struct doc_cell cell = {
		.summary = &result->cells[index], .comparison = comparison, .unit = unit_of(record, build)};

	cell.kind = kind_of_cell(build, &cell);
	cell.note = note_of(document, arena, record, build, &cell);
	document->kinds |= 1u << cell.kind;
	return cell;
}

const char *document_label(const struct record_build *build, struct arena *arena)
{
	if (build->args == NULL || build->args[0] == '\0')
		return build->workload;
	return arena_printf(arena, "%s %s", build->workload, build->args);
}

/* "gcc 12.2.0 (slot gcc)" */
static const char *heading_of(
	const struct record *record, const struct draft *draft, bool show_copies, struct arena *arena)
{
	const struct record_toolchain *toolchain = record_toolchain(record, draft->slot);
	const char *copies = "";
	const char *family, *version;

	if (show_copies)
		copies =
			arena_printf(arena, ", %u %s", draft->copies, draft->copies == 1 ? "copy" : "copies");
	if (strcmp(draft->slot, "none") == 0)
		return arena_printf(arena, "no toolchain: flags don't act here%s", copies);
	if (toolchain == NULL)
		return arena_printf(arena, "slot %s, toolchain not known%s", draft->slot, copies);
	family = text_or(facts_value(&toolchain->facts, "toolchain.family"), "unknown compiler");
	version = text_or(facts_value(&toolchain->facts, "toolchain.version"), "of unknown version");
	return arena_printf(arena, "%s %s (slot %s)%s", family, version, draft->slot, copies);
}

/* Rates side by side have one prefix: that of the first of them. */
static void set_prefix(struct doc_row *row, size_t count)
{
	double like = 0;

	for (size_t i = 0; i < count && like == 0; i++)
		if (row->cells[i].kind == DOC_RATE)
			like = row->cells[i].summary->median;
	for (size_t i = 0; i < count; i++)
		row->cells[i].like = like;
}

static struct doc_table make_table(struct maker *maker, const struct draft *draft, bool show_copies)
{
	struct arena *arena = maker->arena;
	struct doc_table table = {.slot = draft->slot,
		.copies = draft->copies,
		.heading = heading_of(maker->record, draft, show_copies, arena),
		.column_count = draft->columns.n,
		.row_count = draft->rows.n};

	table.columns = arena_array(arena, table.column_count, sizeof(*table.columns));
	table.rows = arena_array(arena, table.row_count, sizeof(*table.rows));
	for (size_t i = 0; i < table.column_count; i++)
		table.columns[i] = draft->columns.v[i];
	for (size_t i = 0; i < table.row_count; i++) {
		table.rows[i].label = document_label(&maker->record->builds[draft->rows.v[i]], arena);
		table.rows[i].cells = arena_array(arena, table.column_count, sizeof(struct doc_cell));
	}
	for (size_t i = 0; i < draft->builds.n; i++) {
		uint32_t index = draft->builds.v[i];
		const struct record_build *build = &maker->record->builds[index];
		struct doc_row *row = &table.rows[find_row(maker->record, draft, build)];

		row->cells[find_column(draft, text_or(build->variant, "none"))] = document_cell(
			maker->document, maker->record, maker->result, index, maker->of_build[index], arena);
	}
	for (size_t i = 0; i < table.row_count; i++)
		set_prefix(&table.rows[i], table.column_count);
	return table;
}

void document_section(struct document *document, const char *heading, const struct words *lines)
{
	if (lines->n > 0 && document->section_count < DOC_SECTIONS)
		document->sections[document->section_count++] = (struct doc_section){heading, *lines};
}

void document_lead(struct document *document, const char *heading, const struct words *lines)
{
	if (lines->n > 0 && document->lead_count < DOC_LEAD)
		document->lead[document->lead_count++] = (struct doc_section){heading, *lines};
}

/* Is there nothing to show of this slot, since its compiler is not here? */
static bool is_absent(const struct record *record, const struct draft *draft)
{
	const struct record_toolchain *toolchain = record_toolchain(record, draft->slot);

	if (strcmp(draft->slot, "none") == 0 ||
		(toolchain != NULL && facts_value(&toolchain->facts, "toolchain.family") != NULL))
		return false;
	for (size_t i = 0; i < draft->builds.n; i++)
		if (record->builds[draft->builds.v[i]].status != CELL_IMPOSSIBLE)
			return false;
	return true;
}

/* Once a slot, at its first table: all of its cells, whatever their copies. */
static void say_absent(struct maker *maker, const struct drafts *drafts, size_t at)
{
	const struct draft *draft = &drafts->v[at];
	size_t cells = 0;

	for (size_t i = 0; i < drafts->n; i++) {
		if (strcmp(drafts->v[i].slot, draft->slot) != 0)
			continue;
		if (i < at)
			return;
		cells += drafts->v[i].builds.n;
	}
	words_addf(&maker->document->absent, maker->arena, "%s: %s; %zu cell%s", draft->slot,
		text_or(maker->record->builds[draft->builds.v[0]].reason, "no such compiler here"), cells,
		text_plural(cells));
}

static void make_tables(struct maker *maker)
{
	struct drafts drafts = {0};
	struct document *document = maker->document;
	bool show_copies = false;

	sort_into_drafts(maker->record, maker->result, &drafts);
	for (size_t i = 0; i < drafts.n; i++)
		show_copies = show_copies || drafts.v[i].copies != 1;
	document->tables = arena_array(maker->arena, drafts.n, sizeof(*document->tables));
	for (size_t i = 0; i < drafts.n; i++) {
		if (is_absent(maker->record, &drafts.v[i]))
			say_absent(maker, &drafts, i);
		else
			document->tables[document->table_count++] =
				make_table(maker, &drafts.v[i], show_copies);
	}
	for (size_t i = 0; i < drafts.n; i++) {
		vec_release(&drafts.v[i].columns);
		vec_release(&drafts.v[i].rows);
		vec_release(&drafts.v[i].builds);
	}
	vec_release(&drafts);
}

struct document *document_new(const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena)
{
	struct document *document = arena_new(arena, struct document);
	struct maker maker = {document, record, result, document_comparisons(record, result, arena), arena};

	make_tables(&maker);
	document_remarks(document, record, result, options, arena);
	return document;
}
