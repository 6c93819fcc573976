/*
 * comparison_next.h - what `compare --next` prints: what further runs would settle, and how to make them.
 */
#ifndef FLAGSTONE_REPORT_COMPARISON_NEXT_H
#define FLAGSTONE_REPORT_COMPARISON_NEXT_H

#include "compare/next.h"
#include "report/comparison.h"

/* Everything lives in the arena. options->path: of the record, NULL: not known. */
struct document *comparison_next(const struct record *record, const struct result *result,
	const struct next *next, const struct comparison_options *options, struct arena *arena);
/*
 * "About 2 min more would settle 5 of 9 open comparisons; about 20 min in all 8 of them. For 3 of these that holds if
 * the difference is as large as it seems now." In the arena.
 */
const char *comparison_next_sentence(const struct next *next, struct arena *arena);
/* Schema flagstone.next/1. */
void comparison_next_json(const struct record *record, const struct result *result, const struct next *next,
	const struct comparison_options *options, struct buf *out);
/* RFC 4180: a line an open comparison, with a header. */
void comparison_next_csv(
	const struct record *record, const struct result *result, const struct next *next, struct buf *out);

#endif
