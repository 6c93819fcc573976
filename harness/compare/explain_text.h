/*
 * explain_text.h - what both kinds of explanations say: finding the cell, p values, the rule that gives the answer.
 */
#ifndef FLAGSTONE_COMPARE_EXPLAIN_TEXT_H
#define FLAGSTONE_COMPARE_EXPLAIN_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/effect.h"

/* A log effect as "+1.23 %". */
const char *explain_percent(double effect, struct arena *arena);
/* A value with four digits in its unit: "27.31 M lps". */
const char *explain_value(double x, const char *unit, struct arena *arena);
/* The one name that matches the pattern: its index. Errors as explain_find_within() says. */
int explain_match(const char *const *names, size_t n, const char *pattern, struct arena *arena, size_t *index,
	struct error *e);
/* "p = ..., times 2 looks, Holm over 5: ..." */
void explain_p(
	const struct comparison *c, unsigned looks, size_t family, struct arena *arena, struct words *steps);
/* The three answers, asked one after the other until one fits. */
void explain_answer(const struct comparison *c, double matters, double precision, struct arena *arena,
	struct words *steps);

#endif
