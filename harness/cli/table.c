#include "cli/table.h"

#include <stdarg.h>

void table_init(struct table *table, struct arena *arena, size_t columns)
{
	*table = (struct table){.arena = arena, .columns = columns};
}

void table_add(struct table *table, const char *text)
{
	words_add(&table->cells, table->arena, text_safe(table->arena, text != NULL ? text : ""));
}

void table_addf(struct table *table, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	table_add(table, arena_vprintf(table->arena, fmt, ap));
	va_end(ap);
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < table->cells.n; i += table->columns) {
		size_t w = text_width(table->cells.v[i]);

		width = w > width ? w : width;
	}
	return width;
}

static void pad(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

static void add_row(const struct table *table, char *const *cells, const size_t *widths, struct buf *out)
{
	size_t blanks = 0; /* held back until something follows them */

	for (size_t c = 0; c < table->columns; c++) {
		size_t width = text_width(cells[c]), fill = widths[c] - width;

		if (width > 0) {
			pad(out, blanks + (table->right[c] ? fill : 0));
			buf_adds(out, cells[c]);
			blanks = 2 + (table->right[c] ? 0 : fill);
		} else {
			blanks += 2 + widths[c];
		}
	}
	buf_addc(out, '\n');
}

void table_write(const struct table *table, struct buf *out)
{
	size_t widths[TABLE_COLUMNS] = {0};

	for (size_t c = 0; c < table->columns; c++)
		widths[c] = column_width(table, c);
	for (size_t i = 0; i + table->columns <= table->cells.n; i += table->columns)
		add_row(table, table->cells.v + i, widths, out);
}
