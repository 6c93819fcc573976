/*
 * csv_line.h - lines of CSV (RFC 4180): fields one after the other, then the line's end.
 *
 * Control characters are escaped, so that a line of the file is a line of the table. What a spreadsheet would take
 * for a formula gets an apostrophe. Numbers are in full, so that they read back bit by bit.
 */
#ifndef FLAGSTONE_REPORT_CSV_LINE_H
#define FLAGSTONE_REPORT_CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

struct csv {
	struct buf *out;
	struct arena arena; /* the caller releases it */
	bool begun;	    /* the line has a field */
};

/* NULL is an empty field. */
void csv_text(struct csv *csv, const char *text);
/* Empty where it is not known. */
void csv_number(struct csv *csv, bool known, double x);
void csv_count(struct csv *csv, bool known, size_t n);
/* A p value: empty where nothing was compared, "n/a" where what was compared leaves nothing to test. */
void csv_p(struct csv *csv, bool compared, bool has_p, double p);
void csv_end(struct csv *csv);
/* A whole line of texts. */
void csv_header(struct csv *csv, const char *const *names, size_t n);

#endif
