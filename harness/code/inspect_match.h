/*
 * inspect_match.h - two files of machine code held against each other, function by function.
 */
#ifndef FLAGSTONE_CODE_INSPECT_MATCH_H
#define FLAGSTONE_CODE_INSPECT_MATCH_H

#include <stddef.h>

#include "base/arena.h"
#include "code/inspect.h"

enum match_state {
	MATCH_SAME,
	MATCH_ALIKE,   /* the same but for references whose target is not known (linked.h) */
	MATCH_OTHER,   /* other code */
	MATCH_UNKNOWN, /* one of them has no hash, or hashes of another kind */
	MATCH_FIRST,   /* only the first file has it */
	MATCH_SECOND,
	MATCH_STATES
};

struct match {
	const struct inspect_function *a, *b; /* NULL: the file has none */
	enum match_state state;
};

enum match_verdict {
	VERDICT_SAME_FILE,
	VERDICT_SAME_CODE,    /* code, constants and data */
	VERDICT_SAME_PLACED,  /* the same functions and constants, placed otherwise */
	VERDICT_SAME_PADDING, /* equal once padding is dropped */
	VERDICT_OTHER,
	VERDICT_UNSURE
};

struct match_result {
	enum match_verdict verdict;
	const char *why; /* what decided it; in the arena */
	/*
	 * other, unknown, only, alike, same; the largest of each first. None where the whole is the same, and where only
	 * one of two linked files is stripped
	 */
	struct match *v;
	size_t n, counts[MATCH_STATES];
	struct words sections; /* names of those that are not the same in both */
};

void inspect_match(const struct inspection *a, const struct inspection *b, struct arena *arena,
	struct match_result *out);

/* Static: "same file", "same code", ... */
const char *match_verdict_text(enum match_verdict verdict);
const char *match_state_text(enum match_state state);

#endif
