/*
 * comparable.h - may two records be held against each other? Answered from their facts before any number is shown.
 *
 *	view_a = comparable_view_of(record_a, &arena); view_b = ...
 *	comparable_records(view_a, view_b, AXIS_NONE, &arena, &records);
 *	comparable_cells(view_a, index_a, view_b, index_b, &records, &arena, &cell);
 *
 * The axis is what is meant to differ. It is declared, or guessed from the records. Every other difference must be
 * explained away, or it spoils the comparison.
 *
 * A cell's verdict is that of the first row that fits of the table in COMPARABILITY.md (comparable_row_text()), which
 * asks for code, source, compiler and resolved options. Then come the surroundings, which only worsen it:
 * comparable_records() judges what belongs to the machine and the run, comparable_cells() what belongs to the cell.
 * A fact that only one side knows is a caveat with its reason; two unknowns are never taken as equal where the
 * table asks for equality, and are listed where a surrounding is unknown on both sides.
 *
 * Where the table leaves something open:
 *	- Row 1: the measured files are the same where all layouts that both sides have are; a build-id stands for them
 *	  where layouts are not listed, or are averaged on both sides.
 *	- Row 2: equal code of the whole linked file stands for "same linker", since nothing came of another one.
 *	- Row 5, 6: on the compiler axis, with the same flags asked for, all that they resolved to is the compilers' answer,
 *	  and so on the axis.
 *	- Row 7: the axes kernel, firmware, virtualization and time want the same code on both sides just as the
 *	  axis machine does: INCOMPARABLE. On the axis flags another compiler is row 11.
 *	- Row 7: the same flags without native name the same CPU features, also where an old record does not list these.
 *	- Rows 8 to 10: the same flags asked of the same compiler, with no native among them, resolve to the same options,
 *	  also where an old record does not list these.
 *	- Other sources off the axis: INCOMPARABLE, since other work may have been done; a caveat where the code is the same.
 *
 * Verdicts are symmetric: with the sides swapped, facts swap their values and nothing else changes.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_H
#define FLAGSTONE_COMPARE_COMPARABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

enum comparability { COMPARABLE, COMPARABLE_CAVEAT, INCOMPARABLE };

/* "comparable", "caveat", "incomparable" */
const char *comparability_text(enum comparability verdict);
/* "COMPARABLE", "CAVEAT", "INCOMPARABLE": as a line begins. */
const char *comparability_loud(enum comparability verdict);

/* In the order in which they are guessed: the first that differs is what a comparison is about. */
enum axis {
	AXIS_NONE, /* not declared: guess it */
	AXIS_MACHINE,
	AXIS_VIRTUALIZATION,
	AXIS_COMPILER,
	AXIS_FLAGS,
	AXIS_SOURCE,
	AXIS_KERNEL,
	AXIS_FIRMWARE,
	AXIS_TIME,
	AXIS_COUNT
};

/* "machine", ..., "time" */
const char *axis_text(enum axis axis);
/* Error (EXIT_USAGE): no axis, with the nearest one and the list. */
int axis_parse(const char *text, enum axis *axis, struct error *e);

enum fact_part {
	FACT_DECIDES,	 /* the row of the table rests on it, or it alone makes the two incomparable */
	FACT_MAY_MATTER, /* differs, or is unknown, off the axis: a caveat unless `worsens` says COMPARABLE */
	FACT_EXPLAINED	 /* differs, and does not matter: why says so */
};

/* A fact that differs, or that a side does not know. */
struct comparable_fact {
	const char *key;
	const char *a, *b; /* values as shown, long ones cut; "unknown (REASON)" */
	bool known_a, known_b;
	enum fact_part part;
	enum comparability worsens; /* the best that the verdict can be because of it */
	const char *why;	    /* a clause */
};

struct comparable_facts {
	struct comparable_fact *v;
	size_t n, cap;
};

/* Does its why say no more than that it differs, or is unknown, off the axis? */
bool comparable_why_is_plain(const struct comparable_fact *fact);
/* "KEY: A against B", "KEY: A on both sides". In the arena. */
const char *comparable_fact_text(const struct comparable_fact *fact, struct arena *arena);

/* A record's facts, found once. In the arena; the record must outlive it. */
struct comparable_view;
struct comparable_view *comparable_view_of(const struct record *record, struct arena *arena);
const struct record *comparable_record(const struct comparable_view *view);

struct comparable {
	enum comparability verdict; /* of the surroundings alone */
	enum axis axis;
	bool declared;	      /* false: guessed */
	const char *what;     /* the axis' difference: "gcc 12.2.0 against 13.1.0"; NULL: nothing differs */
	const char *reason;   /* INCOMPARABLE: why; NULL else */
	struct words caveats; /* a clause each: "kernel.release: 6.1 against 6.12" */
	const char *note;     /* one HOST that is two machines: a sentence; NULL: it is not */
	struct comparable_facts facts;
};

/* The records' surroundings: a is the baseline. axis AXIS_NONE: guess it. */
void comparable_records(const struct comparable_view *a, const struct comparable_view *b, enum axis axis,
	struct arena *arena, struct comparable *out);
/* Is it one machine? With another product uuid or board serial known, one HOST is two (golden images). */
bool comparable_same_machine(const struct comparable_view *a, const struct comparable_view *b);

/* The workload's own code on the two sides. */
enum comparable_code {
	CODE_SAME,     /* also: the same file */
	CODE_UNPADDED, /* the same but for padding */
	CODE_OTHER,
	CODE_UNKNOWN
};

struct comparable_cell {
	enum comparability verdict; /* without the record's surroundings */
	enum comparable_code code;
	unsigned row;		   /* 1 to 11; 0: not asked, since the numbers are of two kinds */
	enum comparability by_row; /* what the table says, before surroundings */
	const char *reason;	   /* INCOMPARABLE: why; NULL else */
	struct words caveats;	   /* "other code under native", "placement not averaged", ... */
	/* Where native was asked for and the code is not the same: how it was answered on each side: "gcc 12.2.0:
	   cooperlake, tuned for generic, 512-bit vectors"; else NULL. */
	const char *native_a, *native_b;
	struct comparable_facts facts;
};

/* Builds of the same cell name in two records; records: what comparable_records() said of them. */
void comparable_cells(const struct comparable_view *a, size_t build_a, const struct comparable_view *b,
	size_t build_b, const struct comparable *records, struct arena *arena, struct comparable_cell *out);

/* Adds a caveat that only the runs tell, such as a noisy series; a cell that is incomparable stays so. */
void comparable_cell_worsen(struct comparable_cell *cell, struct arena *arena, const char *key, const char *a,
	const char *b, const char *why);

/* What row 1 to 11 is about, a few words: "same file". */
const char *comparable_row_text(unsigned row);
/* The worse of two. */
enum comparability comparable_worse(enum comparability a, enum comparability b);

/* How the cells that are in both came out. */
struct comparable_count {
	size_t cells, caveats, incomparable;
};

/* The verdict on all of it: INCOMPARABLE only where no cell can be compared, a caveat where some cells cannot. */
enum comparability comparable_verdict(const struct comparable *records, const struct comparable_count *count);
/* One sentence for the first line. */
const char *comparable_sentence(
	const struct comparable *records, const struct comparable_count *count, struct arena *arena);

#endif
