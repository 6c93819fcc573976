/*
 * rows.h - samples as an object of columns, {"build":[...],"arm":[...],...}, written and read as a stream.
 */
#ifndef FLAGSTONE_RECORD_ROWS_H
#define FLAGSTONE_RECORD_ROWS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/samples.h"
#include "record/scan.h"

/* Takes bytes in order; -1 with the error set stops the writing. */
typedef int rows_sink(void *context, const void *bytes, size_t count, struct error *e);

/* Writes rows from ... to-1. A non-finite value becomes null; an added column of nothing but nulls is left out. */
int rows_write(const struct samples *samples, size_t from, size_t to, rows_sink *put, void *context,
	struct error *e);
/* The same at the end of a buffer; for the journal, whose rounds are small. */
void rows_add(struct buf *out, const struct samples *samples, size_t from, size_t to);

/* Where reading failed, so that the caller can name the cell. */
struct rows_place {
	const char *column; /* NULL: not in a column */
	size_t row;
};

/*
 * Appends the rows of an object of columns. limit: most rows that `samples` may hold afterwards; expected: rows
 * to make room for (a hint). Columns may come in any order; unknown ones are skipped; a nullable column may be
 * missing (all null). Errors name column and row: a wrong type, null where none may stand, out of range,
 * negative, columns of unequal length, given twice, missing. Then some rows may have been added: truncate.
 */
int rows_read(struct scan *s, struct samples *samples, size_t limit, size_t expected,
	struct rows_place *place, struct error *e);

#endif
