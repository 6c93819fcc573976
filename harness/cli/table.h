/*
 * table.h - columns of text, aligned, for lists on standard output.
 */
#ifndef FLAGSTONE_CLI_TABLE_H
#define FLAGSTONE_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"

enum { TABLE_COLUMNS = 10 };

struct table {
	struct arena *arena;
	size_t columns;
	bool right[TABLE_COLUMNS]; /* which columns are numbers, set flush right */
	struct words cells;	   /* row by row */
};

void table_init(struct table *table, struct arena *arena, size_t columns);
/* Appends the next cell: raw text, made safe here; NULL is empty. */
void table_add(struct table *table, const char *text);
void table_addf(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes all rows, two blanks between columns, none behind the last; long last columns are not cut. */
void table_write(const struct table *table, struct buf *out);

#endif
