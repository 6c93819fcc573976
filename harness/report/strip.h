/*
 * strip.h - one series of samples as a small picture of characters: rounds from left to right, values upwards, so that
 * modes, trends and bursts are seen.
 *
 *	   max 110 lps | o .o  o o        a column is a round, or several where there are more than columns
 *	               |
 *	  mode 100 lps |o o.  o o o
 *	               round 0       63
 *
 * A place with one sample has a small dot, with 2 or 3 a larger one, with 4 and more the largest; where at least half
 * of them were disturbed it has a cross. The scale ends at what is not far out (3 interquartile ranges beyond the
 * quartiles, as in describe.h): a value beyond is drawn at the edge as an arrow, so that it does not flatten the rest.
 * No colour is needed, and without `unicode` only ASCII is used.
 */
#ifndef FLAGSTONE_REPORT_STRIP_H
#define FLAGSTONE_REPORT_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { STRIP_ROWS = 9 };

struct strip_sample {
	uint32_t round;
	double value; /* finite, > 0 */
	bool marked;
};

struct strip {
	const struct strip_sample *v; /* in any order */
	size_t n;
	const char *unit; /* safe for a terminal */
	double median;	  /* of those that count */
	bool has_modes;
	double mode_low, mode_high;
	unsigned width; /* columns in all, at least 20 */
	bool unicode;
};

/* Bits: which signs were used. */
enum strip_sign {
	STRIP_ONE = 1,
	STRIP_SOME = 2,
	STRIP_MANY = 4,
	STRIP_MARKED = 8,
	STRIP_ABOVE = 16,
	STRIP_BELOW = 32
};

/* Appends the lines; nothing for n = 0; one row if all values are equal. Sets the bits of the signs that it used. */
void strip_draw(const struct strip *strip, struct buf *out, unsigned *signs);
/* What the signs mean, a sentence without an end of line. */
void strip_legend(unsigned signs, bool unicode, struct buf *out);

#endif
