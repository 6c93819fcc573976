/*
 * comparable_advice.h - what to do about a verdict, from the evidence that it rests on.
 *
 * On the machine axis the first advice is always the same binaries on both machines. Levels of instruction sets come
 * from the CPUs' feature sets, never from the names of models.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_ADVICE_H
#define FLAGSTONE_COMPARE_COMPARABLE_ADVICE_H

#include "compare/comparable.h"

struct advice {
	const char *text;    /* a sentence; it ends in a colon where a command follows */
	const char *command; /* that does it; NULL: none */
};

enum { ADVICE_MOST = 6 };

struct advices {
	struct advice v[ADVICE_MOST]; /* the most useful first */
	size_t n;		      /* 0: the two compare, there is nothing to do */
};

/* What is asked about: two records, and their cells with what was found. */
struct advice_question {
	const struct comparable_view *a, *b;
	const char *name_a, *name_b; /* in texts: "A" */
	const struct comparable *records;
	enum comparability verdict; /* of all of it */
	const struct comparable_cell **cells;
	size_t cell_count;
};

/* Texts in the arena. */
void comparable_advise(const struct advice_question *question, struct arena *arena, struct advices *out);

/* The highest level of x86-64 that both CPUs have, as -march takes it: "x86-64-v3"; NULL: unknown, or not x86-64. */
const char *comparable_common_level(const struct comparable_view *a, const struct comparable_view *b);

#endif
