/*
 * tally.h - what a table of comparisons comes to: how many were decided, and which slow down beyond a limit.
 */
#ifndef FLAGSTONE_COMPARE_TALLY_H
#define FLAGSTONE_COMPARE_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "compare/effect.h"

struct tally {
	size_t all;	   /* comparisons asked for, with what is missing on one side */
	size_t comparable; /* both sides are there, and may be held against each other */
	size_t decided;	   /* any answer but can't tell */
	size_t beyond;	   /* slower by more than the limit of tally_is_beyond() */
};

/*
 * Is it slower, significantly, by more than limit? limit is a fraction of time: 0.05 is "takes 5 % longer", an effect
 * under -ln(1.05). A limit below 0 is none.
 */
bool tally_is_beyond(const struct comparison *comparison, double limit);
void tally_add(struct tally *tally, const struct comparison *comparison, double limit);

/*
 * The exit code: 1 with anything beyond the limit, else 4 if nothing was comparable, 5 if nothing was decided (strict:
 * if anything was not), else 0.
 */
enum exit_code tally_code(const struct tally *tally, bool strict);

#endif
