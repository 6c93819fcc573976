#include "report/trust.h"

#include <string.h>

#include "base/text.h"
#include "session/trust.h"

enum { COLUMNS = 4 };

/* One figure; texts are safe to show. */
struct line {
	const char *columns[COLUMNS]; /* name, value, limit, verdict */
	const char *detail;
};

struct lines {
	struct line *v;
	size_t n;
};

bool report_is_trust(const struct record *record)
{
	return record->kind != NULL && strcmp(record->kind, "trust") == 0;
}

static const char *shown(const char *text, struct arena *arena)
{
	return text != NULL ? text_safe(arena, text) : "unknown";
}

static const char *beside(const struct record *record, const char *key, const char *what, struct arena *arena)
{
	return shown(facts_value(&record->harness, arena_printf(arena, "%s%s", key, what)), arena);
}

/* A figure is a fact trust.NAME beside which a verdict stands. */
static struct lines lines_of(const struct record *record, struct arena *arena)
{
	struct lines lines = {.v = arena_array(arena, record->harness.n, sizeof(*lines.v))};

	for (size_t i = 0; i < record->harness.n; i++) {
		const struct fact *fact = &record->harness.v[i];

		if (!text_starts(fact->key, TRUST_FIGURE) ||
			facts_find(&record->harness, arena_printf(arena, "%s" TRUST_VERDICT, fact->key)) ==
				NULL)
			continue;
		lines.v[lines.n++] = (struct line){
			{shown(fact->key + strlen(TRUST_FIGURE), arena), shown(fact->value, arena),
				beside(record, fact->key, TRUST_LIMIT, arena),
				beside(record, fact->key, TRUST_VERDICT, arena)},
			shown(fact->source, arena)};
	}
	return lines;
}

static const char *const headings[COLUMNS] = {"figure", "value", "limit", "verdict"};

static void add_row(struct buf *out, const char *const *columns, const size_t *width)
{
	for (size_t c = 0; c < COLUMNS; c++)
		buf_addf(out, "%s%s%*s", c == 0 ? "" : "  ", columns[c],
			c + 1 < COLUMNS ? (int)(width[c] - text_width(columns[c])) : 0, "");
	buf_addc(out, '\n');
}

static void add_text(const struct lines *lines, struct buf *out)
{
	size_t width[COLUMNS];

	for (size_t c = 0; c < COLUMNS; c++) {
		width[c] = text_width(headings[c]);
		for (size_t i = 0; i < lines->n; i++)
			if (text_width(lines->v[i].columns[c]) > width[c])
				width[c] = text_width(lines->v[i].columns[c]);
	}
	add_row(out, headings, width);
	for (size_t i = 0; i < lines->n; i++) {
		add_row(out, lines->v[i].columns, width);
		buf_addf(out, "    %s\n", lines->v[i].detail);
	}
}

/* A bar would end the cell. */
static void add_cell(struct buf *out, const char *text)
{
	buf_adds(out, "| ");
	for (const char *p = text; *p != '\0'; p++)
		buf_addf(out, *p == '|' || *p == '\\' ? "\\%c" : "%c", *p);
	buf_addc(out, ' ');
}

static void add_markdown(const struct lines *lines, struct buf *out)
{
	buf_adds(out, "| figure | value | limit | verdict | what was counted |\n|---|---:|---:|---|---|\n");
	for (size_t i = 0; i < lines->n; i++) {
		for (size_t c = 0; c < COLUMNS; c++)
			add_cell(out, lines->v[i].columns[c]);
		add_cell(out, lines->v[i].detail);
		buf_adds(out, "|\n");
	}
}

void report_trust(
	const struct record *record, const struct report_options *options, bool markdown, struct buf *out)
{
	struct arena arena = {0};
	struct lines lines = lines_of(record, &arena);
	const char *path = options->path != NULL ? text_safe(&arena, options->path) : "RECORD";

	buf_addf(out, "make trust, %s, %s: are the verdicts right on this machine?%s\n\n",
		shown(record->started, &arena), shown(facts_value(&record->host, "cpu.model_name"), &arena),
		record->complete ? "" : " (cut short)");
	if (lines.n == 0)
		buf_adds(out, "It holds no figure.\n");
	else if (markdown)
		add_markdown(&lines, out);
	else
		add_text(&lines, out);
	buf_addf(out,
		"\n%zu samples of %zu cells in %zu runs, each one build under several names or with planted "
		"work: "
		"the record has no table of its own. The tables, from its samples:\n%smake trust "
		"TRUST_FROM=%s\n",
		record->samples.n, record->build_count, record->session_count, markdown ? "\n    " : "  ",
		path);
	arena_release(&arena);
}
