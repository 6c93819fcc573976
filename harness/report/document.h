/*
 * document.h - what a report says, in no format yet: tables of cells, numbered reasons, paragraphs, commands.
 * document.c fills the tables, remarks.c the words. Renderers (terminal.c, markdown.c) only lay out and escape.
 *
 * Texts are UTF-8 of ours with foreign parts as they came (raw): a renderer escapes all of them. Everything
 * lives in the arena; record and result must outlive the document.
 */
#ifndef FLAGSTONE_REPORT_DOCUMENT_H
#define FLAGSTONE_REPORT_DOCUMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "compare/effect.h"
#include "record/record.h"
#include "report/report.h"

enum doc_kind {
	DOC_BLANK, /* the matrix has no such cell */
	DOC_RATE,  /* baseline, or a cell with nothing to compare */
	DOC_FASTER,
	DOC_SLOWER,
	DOC_TOO_SMALL,
	DOC_NO_DIFFERENCE,
	DOC_CANT_TELL,
	DOC_SAME_CODE,
	DOC_FAILED,
	DOC_IMPOSSIBLE,
	DOC_NOT_MEASURED,
	DOC_TEXT, /* `text` as it is */
	DOC_KINDS
};

struct doc_cell {
	enum doc_kind kind;
	const struct cell_summary *summary;  /* NULL: DOC_BLANK */
	const struct comparison *comparison; /* NULL: none */
	const char *unit;		     /* of the rate */
	double like;			     /* the rate whose size chooses the prefix; 0: its own */
	const char *text;		     /* of DOC_TEXT */
	size_t note;			     /* number of the reason below, from 1; 0: none */
};

struct doc_row {
	const char *label;	/* workload, and its parameters */
	struct doc_cell *cells; /* one a column */
};

/* One slot with one number of copies. */
struct doc_table {
	const char *slot;
	uint32_t copies;
	const char *heading;  /* the toolchain's identity */
	const char *corner;   /* what the rows are; NULL: "workload" */
	const char **columns; /* variants, the baseline's first */
	size_t column_count;
	struct doc_row *rows;
	size_t row_count;
};

/* Reason number i + 1, and the cells that it explains. */
struct doc_note {
	const char *what; /* "build failed", "cannot exist here", ... */
	const char *reason;
	struct words cells; /* the first few */
	size_t cell_count;
};

/* A sentence and the command that goes with it (NULL: none); commands are never broken over lines. */
struct doc_hint {
	const char *text;
	const char *command;
};

/* A paragraph with a heading and a line an entry, after the notes. */
struct doc_section {
	const char *heading;
	struct words lines;
};

enum { DOC_SECTIONS = 12, DOC_HINTS = 8, DOC_LEAD = 8 };

struct document {
	const char *title;
	struct words alerts;	      /* at the top: the run is suspect, incomplete */
	struct doc_table *lead_table; /* what must be read before any number; NULL: none */
	struct doc_section lead[DOC_LEAD];
	size_t lead_count;
	struct doc_table *tables;
	size_t table_count;
	struct doc_note *notes;
	size_t note_count, note_cap;
	unsigned kinds;	     /* bit 1 << enum doc_kind: which occur */
	const char *legend;  /* NULL: nothing to explain */
	struct words absent; /* "gcc-9: no gcc-9 in PATH; 6 cells", for a slot without a table */
	struct words means;
	struct words undecided;
	struct words disturbances;
	struct words odd; /* names of cells whose samples are worth a look, the first few */
	struct doc_section sections[DOC_SECTIONS];
	size_t section_count;
	struct doc_hint *verdicts; /* each, and the command that gives it again */
	size_t verdict_count;
	struct doc_hint hints[DOC_HINTS];
	size_t hint_count;
};

/* Builds it all. */
struct document *document_new(const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena);

/* One cell of a table, its reason noted. comparison: NULL for a baseline. */
struct doc_cell document_cell(struct document *document, const struct record *record,
	const struct result *result, uint32_t build, const struct comparison *comparison,
	struct arena *arena);
/* How a cell of this answer is shown; DOC_RATE for none. */
enum doc_kind document_kind(enum answer answer);
/* The number of a reason in the notes; cells with the same reason share it. */
size_t document_note(struct document *document, struct arena *arena, const char *cell, const char *what,
	const char *reason);
/* "sort n=4": a workload and its parameters. */
const char *document_label(const struct record_build *build, struct arena *arena);
/* A section, unless it has no lines. */
void document_section(struct document *document, const char *heading, const struct words *lines);

/* The same, ahead of the tables. */
void document_lead(struct document *document, const char *heading, const struct words *lines);

/* Parts of document_remarks(): what must be said at the top; the signs used; who can't tell. */
void document_alerts(struct document *document, const struct record *record, const struct result *result,
	struct arena *arena);
void document_legend(struct document *document, const struct result *result, struct arena *arena);
void document_undecided(struct document *document, const struct record *record, const struct result *result,
	bool verbose, struct arena *arena);

/* disturbances.c: what disturbed the run, and `odd`. */
void document_disturbances(struct document *document, const struct record *record,
	const struct result *result, bool verbose, struct arena *arena);
/* `flagstone show` of these cells' samples. In the arena. */
const char *document_samples_command(const struct record *record, const struct words *cells,
	const struct report_options *options, struct arena *arena);

/* For each build of the record its first comparison (as b), or NULL. An array in the arena. */
const struct comparison **document_comparisons(
	const struct record *record, const struct result *result, struct arena *arena);
/* Why a cell has no value: its own reason, else that of its first failure; NULL when there is none. */
const char *document_reason(const struct record *record, uint32_t build);

/* Fills means, undecided, disturbances, hints, legend, title and alerts of a document with tables. */
void document_remarks(struct document *document, const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena);

#endif
