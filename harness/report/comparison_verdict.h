/*
 * comparison_verdict.h - the verdict on two sides, or on many, before any number: which row of the table decided, on
 * which facts, and what to do; with `why` every differing fact in three parts.
 */
#ifndef FLAGSTONE_REPORT_COMPARISON_VERDICT_H
#define FLAGSTONE_REPORT_COMPARISON_VERDICT_H

#include "base/json.h"
#include "compare/between.h"
#include "compare/comparable_sum.h"
#include "report/document.h"

/* Two sides: what decides and what to do. More: the groups. Adds to the document's lead. */
void comparison_add_verdict(
	struct document *document, const struct between *between, bool verbose, struct arena *arena);

/*
 * The document of `compare --why`. elsewhere: one list a side, what the facts that may matter did elsewhere in the
 * archive; NULL: it was not searched.
 */
struct document *comparison_why(
	const struct between *between, const struct words *elsewhere, bool forced, struct arena *arena);

/* "resolved.vector_width: 512 in A, 256 in B" */
const char *comparison_fact_text(
	const struct comparable_fact *fact, const char *a, const char *b, struct arena *arena);

/* Members of a side in JSON: rows, deciding, may_matter, explained_away, advice. */
void comparison_verdict_json(json_t *side, const struct between *between, size_t index, struct arena *arena);
/* {"sentence", "groups": [...]}, null with two sides. New reference. */
json_t *comparison_groups_json(const struct between *between, struct arena *arena);
/* {"name", "declared", "difference"}. New reference. */
json_t *comparison_axis_json(const struct comparable *records);
/* [{"key", "a", "b", "why"}] of the facts that decide. New reference. */
json_t *comparison_deciding_json(const struct comparable_facts *facts);

#endif
