/*
 * report.h - one neutral document of a record and its result, and one renderer a format. Everything that came
 * from outside (names, reasons, logs) is escaped by the renderer for its format.
 */
#ifndef FLAGSTONE_REPORT_REPORT_H
#define FLAGSTONE_REPORT_REPORT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"
#include "compare/effect.h"
#include "record/record.h"

struct report_options {
	unsigned width;	  /* columns of the terminal; 0: 100 */
	bool colour;	  /* terminal only; never the only carrier of meaning */
	bool unicode;	  /* may use +- and box characters beyond ASCII */
	bool verbose;	  /* details under the table */
	bool quiet;	  /* no remarks: neither what disturbed the run nor how to go on */
	const char *path; /* where the record is; shown at the end; NULL: not archived */
	/* what the user gave and a command that goes on needs again: */
	const char *where;	  /* " -C DIR --archive DIR", quoted; NULL: neither */
	const struct words *only; /* cell patterns; NULL or none: all cells */
};

/*
 * What a result hides (compare/select.h) is left out by all of them.
 *
 * Terminal: a table for each slot (and copies): a row a workload, a column a variant; the baseline with its rate,
 * others as change with interval; what is not faster or slower is not shown so. Below: failed and impossible
 * cells with their reason, slots that are not here at all in a line each, geometric means "n of m", what disturbed the
 * run, how to see finer, where the record is.
 */
void report_terminal(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out);
/* GitHub-flavoured Markdown of the same. */
void report_markdown(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out);
/*
 * RFC 4180: one line a cell with a header line; numbers in full; texts that a spreadsheet would take for a formula
 * are quoted with a leading apostrophe, control characters escaped, so that a line of the file is a cell.
 */
void report_csv(const struct record *record, const struct result *result, struct buf *out);
/* One JSON document, schema "flagstone.result/1": cells and comparisons, null with a reason where there is no number. */
void report_json(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out);
/* The same of a document that was made already. */
struct document;
void document_terminal(
	const struct document *document, const struct report_options *options, struct buf *out);
void document_markdown(const struct document *document, struct buf *out);

/*
 * The samples of each cell that options->only names as a picture over the rounds (strip.h), for a terminal, with what
 * there is to say of the series. All attempts are drawn, also those that were measured again; of N copies what they did
 * together. Second arms have a picture of their own; cells without a sample a line that says so.
 */
void report_samples(const struct record *record, const struct report_options *options, struct buf *out);

/* The facts of a record, "KEY = VALUE  (source)" a line, unknown with their reason. */
void report_facts(const struct record *record, struct buf *out);

#endif
