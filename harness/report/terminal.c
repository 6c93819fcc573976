#include "report/report.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "report/cell_text.h"
#include "report/document.h"
#include "report/terminal_text.h"

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH   20
#define MARGIN	      2 /* before the cells of a row whose label stands on a line of its own, and wrapped text */
#define REASON_LIMIT  400 /* bytes of a foreign reason; the record has it all */

struct terminal {
	struct buf *out;
	struct arena arena;
	const struct report_options *options;
	size_t width;
};

/* What our own texts use beyond ASCII. */
static const struct {
	const char *unicode, *ascii;
} stand_ins[] = {{"±", "+-"}, {"≤", "<="}};

/* ASCII for our own signs, \xNN for all else. */
static void add_ascii(struct buf *out, const char *text)
{
	while (*text != '\0') {
		size_t i = 0, count = sizeof(stand_ins) / sizeof(stand_ins[0]);

		while (i < count && !text_starts(text, stand_ins[i].unicode))
			i++;
		if (i < count) {
			buf_adds(out, stand_ins[i].ascii);
			text += strlen(stand_ins[i].unicode);
		} else if ((unsigned char)*text >= 0x80) {
			buf_addf(out, "\\x%02x", (unsigned)(unsigned char)*text++);
		} else {
			buf_addc(out, *text++);
		}
	}
}

char *terminal_text(const char *text, bool unicode, struct arena *arena)
{
	char *safe = text_safe(arena, text);
	struct buf ascii = {0};

	if (unicode)
		return safe;
	add_ascii(&ascii, safe);
	safe = arena_strdup(arena, buf_text(&ascii));
	buf_release(&ascii);
	return safe;
}

/* Any text as this terminal may have it. */
static char *shown(struct terminal *t, const char *text)
{
	return terminal_text(text, t->options->unicode, &t->arena);
}

static void spaces(struct terminal *t, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_addc(t->out, ' ');
}

/*
 * A paragraph broken at blanks, the first line after `first`, others after `rest` blanks. A word that is longer
 * than the line stays whole.
 */
static void paragraph(struct terminal *t, const char *first, const char *text, size_t rest)
{
	char *word, *left = shown(t, text), *state = NULL;
	size_t at = text_width(first);
	bool begins = true;

	buf_adds(t->out, first);
	for (word = strtok_r(left, " ", &state); word != NULL; word = strtok_r(NULL, " ", &state)) {
		size_t width = text_width(word);

		if (!begins && at + 1 + width > t->width) {
			buf_addc(t->out, '\n');
			spaces(t, rest);
			at = rest;
		} else if (!begins) {
			buf_addc(t->out, ' ');
			at++;
		}
		buf_adds(t->out, word);
		at += width;
		begins = false;
	}
	buf_addc(t->out, '\n');
}

unsigned terminal_width(const struct report_options *options)
{
	return options->width == 0	      ? DEFAULT_WIDTH
	       : options->width > LEAST_WIDTH ? options->width
					      : LEAST_WIDTH;
}

void terminal_paragraph(const char *text, const struct report_options *options, struct buf *out)
{
	struct terminal t = {.out = out, .options = options, .width = terminal_width(options)};

	paragraph(&t, "", text, MARGIN);
	arena_release(&t.arena);
}

static void section(struct terminal *t, const char *heading, const struct words *lines)
{
	if (lines->n == 0)
		return;
	buf_addc(t->out, '\n');
	paragraph(t, "", heading, 0);
	for (size_t i = 0; i < lines->n; i++)
		paragraph(t, "  ", lines->v[i], 2 * MARGIN);
}

/* The number of a reason: raised digits, or [7]. */
static char *note_mark(struct terminal *t, size_t number)
{
	static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	char *digits = arena_printf(&t->arena, "%zu", number);
	struct buf out = {0};
	char *mark;

	if (!t->options->unicode)
		return arena_printf(&t->arena, "[%zu]", number);
	for (const char *p = digits; *p != '\0'; p++)
		buf_adds(&out, raised[*p - '0']);
	mark = arena_strdup(&t->arena, buf_text(&out));
	buf_release(&out);
	return mark;
}

/* --- tables --- */

/* A table's texts, ready to be laid out. */
struct grid {
	const struct doc_table *table;
	char **heads;	/* one a column */
	char **labels;	/* one a row */
	char **cells;	/* row by row */
	size_t *widths; /* one a column */
	size_t label_width;
};

static char *cell_shown(struct terminal *t, const struct doc_cell *cell, bool brief)
{
	char *text = shown(t, cell_text(cell, brief, &t->arena));

	if (cell->note == 0)
		return text;
	return arena_printf(&t->arena, "%s %s", text, note_mark(t, cell->note));
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void make_grid(struct terminal *t, const struct doc_table *table, bool brief, struct grid *grid)
{
	size_t columns = table->column_count;

	*grid = (struct grid){.table = table};
	grid->heads = arena_array(&t->arena, columns, sizeof(char *));
	grid->widths = arena_array(&t->arena, columns, sizeof(size_t));
	grid->labels = arena_array(&t->arena, table->row_count, sizeof(char *));
	grid->cells = arena_array(&t->arena, columns * table->row_count, sizeof(char *));
	for (size_t c = 0; c < columns; c++) {
		grid->heads[c] = shown(t, table->columns[c]);
		grid->widths[c] = text_width(grid->heads[c]);
	}
	for (size_t r = 0; r < table->row_count; r++) {
		grid->labels[r] = shown(t, table->rows[r].label);
		grid->label_width = larger(grid->label_width, text_width(grid->labels[r]));
		for (size_t c = 0; c < columns; c++) {
			char *text = cell_shown(t, &table->rows[r].cells[c], brief);

			grid->cells[r * columns + c] = text;
			grid->widths[c] = larger(grid->widths[c], text_width(text));
		}
	}
}

static size_t whole_width(const struct grid *grid)
{
	size_t width = grid->label_width;

	for (size_t c = 0; c < grid->table->column_count; c++)
		width += MARGIN + grid->widths[c];
	return width;
}

/* Room for the labels: all they want, unless the widest column would not fit beside them. */
static size_t label_room(const struct terminal *t, const struct grid *grid)
{
	size_t widest = 0;

	for (size_t c = 0; c < grid->table->column_count; c++)
		widest = larger(widest, grid->widths[c]);
	if (grid->label_width + MARGIN + widest <= t->width)
		return grid->label_width;
	return t->width > widest + 2 * MARGIN ? t->width - widest - MARGIN : MARGIN;
}

/* The first column that does not fit on lines with the ones from `from` on; at least one always does. */
static size_t block_end(const struct terminal *t, const struct grid *grid, size_t from, size_t room)
{
	size_t width = room, c = from;

	while (c < grid->table->column_count && (c == from || width + MARGIN + grid->widths[c] <= t->width)) {
		width += MARGIN + grid->widths[c];
		c++;
	}
	return c;
}

static void add_right(struct terminal *t, const char *text, size_t width)
{
	size_t own = text_width(text);

	spaces(t, MARGIN + (width > own ? width - own : 0));
	buf_adds(t->out, text);
}

/* Colour only repeats what the sign says. */
static void add_cell(struct terminal *t, const struct grid *grid, size_t r, size_t c)
{
	const char *text = grid->cells[r * grid->table->column_count + c];
	enum doc_kind kind = grid->table->rows[r].cells[c].kind;
	const char *colour = kind == DOC_FASTER ? "\033[32m" : kind == DOC_SLOWER ? "\033[31m" : NULL;
	size_t own = text_width(text);

	if (!t->options->colour || colour == NULL) {
		add_right(t, text, grid->widths[c]);
		return;
	}
	spaces(t, MARGIN + grid->widths[c] - own);
	buf_addf(t->out, "%s%s\033[0m", colour, text);
}

static void add_row(
	struct terminal *t, const struct grid *grid, size_t r, size_t from, size_t to, size_t room)
{
	size_t own = text_width(grid->labels[r]);

	buf_adds(t->out, grid->labels[r]);
	if (own > room) {
		buf_addc(t->out, '\n');
		own = 0;
	}
	spaces(t, room - own);
	for (size_t c = from; c < to; c++)
		add_cell(t, grid, r, c);
	while (t->out->n > 0 && t->out->data[t->out->n - 1] == ' ') /* an empty last cell */
		t->out->data[--t->out->n] = '\0';
	buf_addc(t->out, '\n');
}

static void add_block(struct terminal *t, const struct grid *grid, size_t from, size_t to, size_t room)
{
	buf_addc(t->out, '\n');
	spaces(t, room);
	for (size_t c = from; c < to; c++)
		add_right(t, grid->heads[c], grid->widths[c]);
	buf_addc(t->out, '\n');
	for (size_t r = 0; r < grid->table->row_count; r++)
		add_row(t, grid, r, from, to, room);
}

static void add_table(struct terminal *t, const struct doc_table *table)
{
	struct grid grid;
	size_t room, from = 0;

	make_grid(t, table, false, &grid);
	if (whole_width(&grid) > t->width) /* shorter words before more blocks */
		make_grid(t, table, true, &grid);
	room = label_room(t, &grid);
	buf_addc(t->out, '\n');
	paragraph(t, "", table->heading, MARGIN);
	while (from < table->column_count) {
		size_t to = block_end(t, &grid, from, room);

		add_block(t, &grid, from, to, room);
		from = to;
	}
}

/* --- what stands below --- */

static char *cut(struct terminal *t, const char *reason)
{
	if (t->options->verbose || strlen(reason) <= REASON_LIMIT)
		return arena_strdup(&t->arena, reason);
	return arena_printf(&t->arena, "%.*s...", REASON_LIMIT, reason);
}

static void add_notes(struct terminal *t, const struct document *document)
{
	if (document->note_count > 0)
		buf_addc(t->out, '\n');
	for (size_t i = 0; i < document->note_count; i++) {
		const struct doc_note *note = &document->notes[i];
		struct buf cells = {0};

		for (size_t k = 0; k < note->cells.n; k++)
			buf_addf(&cells, "%s%s", k > 0 ? ", " : "", note->cells.v[k]);
		if (note->cell_count > note->cells.n)
			buf_addf(&cells, " and %zu more", note->cell_count - note->cells.n);
		paragraph(t, arena_printf(&t->arena, "%s ", note_mark(t, i + 1)),
			arena_printf(
				&t->arena, "%s: %s (%s)", note->what, cut(t, note->reason), buf_text(&cells)),
			2 * MARGIN);
		buf_release(&cells);
	}
}

static void add_verdicts(struct terminal *t, const struct document *document)
{
	if (document->verdict_count > 0)
		buf_adds(t->out, "\nEach verdict again:\n");
	for (size_t i = 0; i < document->verdict_count; i++) {
		paragraph(t, "  ", document->verdicts[i].text, 2 * MARGIN);
		buf_addf(t->out, "    %s\n", shown(t, document->verdicts[i].command));
	}
}

static void add_hints(struct terminal *t, const struct document *document)
{
	buf_addc(t->out, '\n');
	for (size_t i = 0; i < document->hint_count; i++) {
		const struct doc_hint *hint = &document->hints[i];

		paragraph(t, "", hint->text, 0);
		if (hint->command != NULL)
			buf_addf(t->out, "  %s\n", shown(t, hint->command));
	}
}

void document_terminal(const struct document *document, const struct report_options *options, struct buf *out)
{
	struct terminal t = {.out = out, .options = options, .width = terminal_width(options)};

	paragraph(&t, "", document->title, 0);
	for (size_t i = 0; i < document->alerts.n; i++)
		paragraph(&t, "! ", document->alerts.v[i], MARGIN);
	if (document->lead_table != NULL)
		add_table(&t, document->lead_table);
	for (size_t i = 0; i < document->lead_count; i++)
		section(&t, document->lead[i].heading, &document->lead[i].lines);
	for (size_t i = 0; i < document->table_count; i++)
		add_table(&t, &document->tables[i]);
	if (document->absent.n > 0)
		buf_addc(out, '\n');
	for (size_t i = 0; i < document->absent.n; i++)
		paragraph(&t, "", document->absent.v[i], MARGIN);
	if (document->legend != NULL) {
		buf_addc(out, '\n');
		paragraph(&t, "", document->legend, 0);
	}
	add_notes(&t, document);
	section(&t, "Geometric means of the effects:", &document->means);
	section(&t, "Can't tell:", &document->undecided);
	section(&t, "What disturbed the run:", &document->disturbances);
	for (size_t i = 0; i < document->section_count; i++)
		section(&t, document->sections[i].heading, &document->sections[i].lines);
	add_verdicts(&t, document);
	if (document->hint_count > 0)
		add_hints(&t, document);
	arena_release(&t.arena);
}

void report_terminal(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out)
{
	struct arena arena = {0};

	document_terminal(document_new(record, result, options, &arena), options, out);
	arena_release(&arena);
}
