#include "report/report.h"

#include <string.h>

#include "base/text.h"
#include "report/cell_text.h"
#include "report/document.h"

struct markdown {
	struct buf *out;
	struct arena arena;
};

/*
 * One line in which nothing is markup: control characters are gone, HTML's own characters and @ (which would call
 * a person) are references, the rest of what GitHub-flavoured Markdown could take for markup has a backslash.
 */
static void add_text(struct markdown *m, const char *text)
{
	for (const char *p = text_safe(&m->arena, text); *p != '\0'; p++) {
		if (*p == '<')
			buf_adds(m->out, "&lt;");
		else if (*p == '>')
			buf_adds(m->out, "&gt;");
		else if (*p == '&')
			buf_adds(m->out, "&amp;");
		else if (*p == '@')
			buf_adds(m->out, "&#64;");
		else if (strchr("\\`*_{}[]#|~!$", *p) != NULL)
			buf_addf(m->out, "\\%c", *p);
		else
			buf_addc(m->out, *p);
	}
}

static void add_line(struct markdown *m, const char *before, const char *text, const char *after)
{
	buf_adds(m->out, before);
	add_text(m, text);
	buf_adds(m->out, after);
}

static void add_cell(struct markdown *m, const struct doc_cell *cell)
{
	add_line(m, " ", cell_text(cell, false, &m->arena), "");
	if (cell->note > 0)
		buf_addf(m->out, " <sup>%zu</sup>", cell->note);
	buf_adds(m->out, " |");
}

static void add_table(struct markdown *m, const struct doc_table *table)
{
	add_line(m, "\n### ", table->heading, "\n\n|");
	add_line(m, " ", table->corner != NULL ? table->corner : "workload", " |");
	for (size_t c = 0; c < table->column_count; c++)
		add_line(m, " ", table->columns[c], " |");
	buf_adds(m->out, "\n|:--|");
	for (size_t c = 0; c < table->column_count; c++)
		buf_adds(m->out, "--:|");
	buf_addc(m->out, '\n');
	for (size_t r = 0; r < table->row_count; r++) {
		add_line(m, "| ", table->rows[r].label, " |");
		for (size_t c = 0; c < table->column_count; c++)
			add_cell(m, &table->rows[r].cells[c]);
		buf_addc(m->out, '\n');
	}
}

static void add_notes(struct markdown *m, const struct document *document)
{
	if (document->note_count > 0)
		buf_addc(m->out, '\n');
	for (size_t i = 0; i < document->note_count; i++) {
		const struct doc_note *note = &document->notes[i];

		buf_addf(m->out, "- <sup>%zu</sup> ", i + 1);
		add_line(m, "", note->what, ": ");
		add_line(m, "", note->reason, " (");
		for (size_t k = 0; k < note->cells.n; k++)
			add_line(m, k > 0 ? ", " : "", note->cells.v[k], "");
		if (note->cell_count > note->cells.n)
			buf_addf(m->out, " and %zu more", note->cell_count - note->cells.n);
		buf_adds(m->out, ")\n");
	}
}

static void add_section(struct markdown *m, const char *heading, const struct words *lines)
{
	if (lines->n > 0)
		add_line(m, "\n", heading, "\n\n");
	for (size_t i = 0; i < lines->n; i++)
		add_line(m, "- ", lines->v[i], "\n");
}

static void add_verdicts(struct markdown *m, const struct document *document)
{
	if (document->verdict_count > 0)
		buf_adds(m->out, "\nEach verdict again:\n");
	for (size_t i = 0; i < document->verdict_count; i++) {
		add_line(m, "\n- ", document->verdicts[i].text, "\n");
		buf_addf(m->out, "\n      %s\n", text_safe(&m->arena, document->verdicts[i].command));
	}
}

/* Commands stand in indented code blocks, in which nothing is markup and no fence can be closed. */
static void add_hints(struct markdown *m, const struct document *document)
{
	for (size_t i = 0; i < document->hint_count; i++) {
		add_line(m, "\n", document->hints[i].text, "\n");
		if (document->hints[i].command != NULL)
			buf_addf(m->out, "\n    %s\n", text_safe(&m->arena, document->hints[i].command));
	}
}

void document_markdown(const struct document *document, struct buf *out)
{
	struct markdown m = {.out = out};

	add_line(&m, "## flagstone: ", document->title, "\n");
	for (size_t i = 0; i < document->alerts.n; i++)
		add_line(&m, "\n**", document->alerts.v[i], "**\n");
	if (document->lead_table != NULL)
		add_table(&m, document->lead_table);
	for (size_t i = 0; i < document->lead_count; i++)
		add_section(&m, document->lead[i].heading, &document->lead[i].lines);
	for (size_t i = 0; i < document->table_count; i++)
		add_table(&m, &document->tables[i]);
	for (size_t i = 0; i < document->absent.n; i++)
		add_line(&m, "\n", document->absent.v[i], "\n");
	if (document->legend != NULL)
		add_line(&m, "\n", document->legend, "\n");
	add_notes(&m, document);
	add_section(&m, "Geometric means of the effects:", &document->means);
	add_section(&m, "Can't tell:", &document->undecided);
	add_section(&m, "What disturbed the run:", &document->disturbances);
	for (size_t i = 0; i < document->section_count; i++)
		add_section(&m, document->sections[i].heading, &document->sections[i].lines);
	add_verdicts(&m, document);
	add_hints(&m, document);
	arena_release(&m.arena);
}

void report_markdown(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out)
{
	struct arena arena = {0};

	document_markdown(document_new(record, result, options, &arena), out);
	arena_release(&arena);
}
