/*
 * reason.h - in words and numbers why there is no answer, and what it would take. Texts are plain: who shows them
 * escapes them. All live in the arena given.
 */
#ifndef FLAGSTONE_COMPARE_REASON_H
#define FLAGSTONE_COMPARE_REASON_H

#include "base/arena.h"
#include "compare/effect.h"
#include "record/record.h"
#include "stats/paired.h"

/* What stands behind `flagstone run` to measure the same: " quick", " --bundle FILE", or "" where it is not known. */
const char *reason_matrix(const struct record *record, struct arena *arena);

/* Could the cell's samples be compared: was it built, and did it give the right result? */
bool reason_could_measure(const struct record_build *build);

/* Why this cell could not be measured: "build failed: ...", "cannot exist here: ...". */
const char *reason_of_cell(
	const struct record *record, const struct record_build *build, struct arena *arena);
/* Why a comparison of these two cells cannot be: "baseline build failed: ...", "run failed: ...". */
const char *reason_none(const struct record *record, const struct record_build *a,
	const struct record_build *b, struct arena *arena);
/* Why a cell has no samples. */
const char *reason_not_measured(const struct record *record, bool baseline, struct arena *arena);
/* Why there is no effect: too few layouts, too few rounds, no round in common; the minimum is stated. */
const char *reason_too_few(const struct stats_pair *pair, struct arena *arena);

/* What a comparison's two cells had in marks, for the reason below. */
struct reason_marks {
	size_t first_a, first_b, marked_a, marked_b;
	const char *clean_answer; /* without disturbed samples; NULL: they do not matter */
};
/* "±1.8 %: noise between rounds dominates; about 3 times the rounds would do: flagstone run ... --rounds 256" */
const char *reason_cant_tell(const struct record *record, const struct comparison *comparison, double lambda,
	const struct reason_marks *marks, const char *where, struct arena *arena);

/*
 * The command that measures `times` times as many rounds (or layouts, with `placement`) as the `rounds` (`layouts`)
 * there were: of the cells that the patterns of `only` name, or of all if it is NULL or empty; `where` is what stands
 * behind it (" -C DIR", or NULL). NULL when so many are beyond reason (over 4096 rounds, over 64 layouts) or `times` is
 * unknown (0).
 */
const char *reason_command(const struct record *record, const struct words *only, bool placement,
	double times, uint32_t rounds, uint32_t layouts, const char *where, struct arena *arena);

#endif
