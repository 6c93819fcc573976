/*
 * comparison.h - what `compare` prints: as a document for the terminal and Markdown, as JSON and as CSV. The first
 * line of each says in one sentence whether the sides may be compared at all.
 */
#ifndef FLAGSTONE_REPORT_COMPARISON_H
#define FLAGSTONE_REPORT_COMPARISON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "compare/between.h"
#include "compare/recommend.h"
#include "compare/tally.h"
#include "compare/within.h"
#include "report/document.h"

struct comparison_options {
	double gate; /* a slowdown beyond this fraction is named; below 0: there is no gate */
	bool verbose;
	const char *path; /* of the record, within one; NULL: not known */
	const struct words
		*elsewhere; /* --why between records: one list a side; NULL: the archive was not searched */
	bool forced;	    /* ratios of what is incomparable are shown: said at the top */
};

/* Everything lives in the arena; what it is made from must outlive it. tally is what the table comes to. */
struct document *comparison_within(const struct within *within, const struct comparison_options *options,
	struct arena *arena, struct tally *tally);
struct document *comparison_between(const struct between *between, const struct comparison_options *options,
	struct arena *arena, struct tally *tally);
struct document *comparison_recommend(const struct record *record, const struct recommendation *advice,
	const struct comparison_options *options, struct arena *arena);
/* A heading and steps. */
struct document *comparison_explained(const char *title, const struct words *steps, struct arena *arena);

/* One JSON document each: schemas flagstone.comparison/1, flagstone.recommendation/1, flagstone.explanation/1. */
void comparison_within_json(
	const struct within *within, const struct comparison_options *options, struct buf *out);
void comparison_between_json(
	const struct between *between, const struct comparison_options *options, struct buf *out);
void comparison_recommend_json(
	const struct record *record, const struct recommendation *advice, struct buf *out);
/* differs: of comparison_sources_json(), taken over. */
void comparison_explained_json(
	const char *title, const struct words *steps, json_t *differs, struct buf *out);

/* RFC 4180: a line a comparison (a candidate), with a header. */
void comparison_within_csv(const struct within *within, struct buf *out);
void comparison_between_csv(
	const struct between *between, const struct comparison_options *options, struct buf *out);
void comparison_recommend_csv(const struct recommendation *advice, struct buf *out);

/* The fields from the answer to p_adjusted of a line of CSV. */
struct csv;
void comparison_csv_answer(struct csv *csv, const struct comparison *comparison);
/* "gcc 12.2.0 (slot gcc)", as far as it is known. In the arena. */
const char *comparison_toolchain(const struct record *record, const char *slot, struct arena *arena);

/* "COMPARABLE: ..." for the cells of one record. In the arena. */
const char *comparison_within_sentence(const struct within *within, struct arena *arena);
/* Names of cells that are slower by more than the gate, and the sentence that says so; NULL without a gate. */
const char *comparison_gate_sentence(const struct words *beyond, double gate, struct arena *arena);

#endif
