#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trust.h"

/* The tables for people, as text or as Markdown. */

static const struct {
	const char *title, *columns, *legend;
} tables[TABLE_COUNT] = {
	[TABLE_FIGURES] = {"Figures", "figure|value|limit|verdict|what was counted",
		"A limit that the count misses is judged by the 95 % interval of Clopper and Pearson: \"may "
		"be chance\" "
		"where "
		"that interval reaches the limit, else BROKEN."},
	[TABLE_PLANTED] = {"Planted: measured here",
		"more work|pairs|found|wrong way|denied|intervals that hold it|mean error|half-width",
		"found: called slower (or too small to matter, and so there) after Holm and looks; for 0 %: "
		"called "
		"different. "
		"denied: called \"no difference\" with a bound that the truth is beyond."},
	[TABLE_SIMULATED] = {"Simulated",
		"noise|a pair|rounds|pairs without effect|called different|intervals without 0|0.5 % found|1 "
		"% "
		"found|2 % "
		"found|5 % found|intervals that hold the effect|half-width",
		"Without effect: rows of one build under six names, each with layouts of its own, whose luck "
		"spreads by 1 % a "
		"side. "
		"With effect: the same layouts. half-width: of the 95 % interval of the effects."},
	[TABLE_PLACEMENT] = {"Placement",
		"workload|placement|process|round|shares of variance, %|spread of medians|their "
		"range|repeatable|one layout claims what all refute",
		"The first three are standard deviations of one sample. repeatable: correlation between the "
		"layouts' "
		"effects in "
		"the first and the second half of the run."},
	[TABLE_NEIGHBOUR] = {"Noisy neighbour",
		"neighbour|wrong verdicts|0 % different|2 % found|5 % found|marked, 1st half|marked, 2nd "
		"half|pairs still "
		"marked|half-width",
		"half-width: of the 95 % interval of the pairs without effect."},
	[TABLE_NATIVE] = {"Native: builds at native and at explicit levels, axis machine",
		"pairs of|all|equal code|COMPARABLE|caveat|INCOMPARABLE|other "
		"code|COMPARABLE|caveat|INCOMPARABLE|"
		"wrong",
		"equal and other code: by the bytes that objcopy and objdump show. wrong: other code that is "
		"called "
		"COMPARABLE, and equal code that is called INCOMPARABLE."},
};

enum { COLUMNS_MAX = 16 };

static size_t split(const char *text, struct arena *arena, struct words *cells)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "|");

		words_add(cells, arena, arena_strndup(arena, text, n));
		text += n + (text[n] == '|');
	}
	return cells->n;
}

void trust_row(struct trust *t, enum trust_table table, const char *fmt, ...)
{
	struct trust_row row = {.table = table};
	va_list ap;

	va_start(ap, fmt);
	split(arena_vprintf(&t->arena, fmt, ap), &t->arena, &row.cells);
	va_end(ap);
	vec_push(&t->rows, row);
}

static size_t count_rows(const struct trust *t, size_t table)
{
	size_t n = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		n += t->rows.v[i].table == table;
	return n;
}

static void print_markdown_row(const struct words *cells)
{
	for (size_t i = 0; i < cells->n; i++)
		printf("| %s ", cells->v[i]);
	printf("|\n");
}

static void print_text_row(const struct words *cells, const size_t *width)
{
	for (size_t i = 0; i < cells->n; i++) {
		size_t blanks = width[i] - text_width(cells->v[i]);

		/* names and sentences to the left, numbers to the right */
		if (i == 0 || i + 1 == cells->n)
			printf("  %s%*s", cells->v[i], i + 1 < cells->n ? (int)blanks : 0, "");
		else
			printf("  %*s%s", (int)blanks, "", cells->v[i]);
	}
	printf("\n");
}

static void print_table(const struct trust *t, size_t table, struct arena *arena)
{
	struct words columns = {0};
	size_t width[COLUMNS_MAX] = {0};
	size_t n = split(tables[table].columns, arena, &columns);

	for (size_t i = 0; i < n && i < COLUMNS_MAX; i++)
		width[i] = text_width(columns.v[i]);
	for (size_t r = 0; r < t->rows.n; r++)
		for (size_t i = 0; t->rows.v[r].table == table && i < t->rows.v[r].cells.n && i < COLUMNS_MAX;
			i++)
			if (text_width(t->rows.v[r].cells.v[i]) > width[i])
				width[i] = text_width(t->rows.v[r].cells.v[i]);
	printf(t->markdown ? "\n### %s\n\n" : "\n%s\n\n", tables[table].title);
	if (t->markdown) {
		print_markdown_row(&columns);
		for (size_t i = 0; i < n; i++)
			printf("|%s", i == 0 || (table == TABLE_FIGURES && i > 1) ? "---" : "---:");
		printf("|\n");
	} else {
		print_text_row(&columns, width);
	}
	for (size_t r = 0; r < t->rows.n; r++) {
		if (t->rows.v[r].table != table)
			continue;
		if (t->markdown)
			print_markdown_row(&t->rows.v[r].cells);
		else
			print_text_row(&t->rows.v[r].cells, width);
	}
	printf("\n%s%s\n", t->markdown ? "" : "  ", tables[table].legend);
}

void trust_print_tables(const struct trust *t)
{
	struct arena arena = {0};

	for (size_t i = 0; i < TABLE_COUNT; i++)
		if (count_rows(t, i) > 0)
			print_table(t, i, &arena);
	arena_release(&arena);
}
