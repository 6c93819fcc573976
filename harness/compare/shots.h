/*
 * shots.h - a record's rows put together to what the analysis counts in: one shot is one measurement of one cell,
 * its copies together, with the number of its attempt.
 */
#ifndef FLAGSTONE_COMPARE_SHOTS_H
#define FLAGSTONE_COMPARE_SHOTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "stats/paired.h"

struct shot {
	uint32_t build, arm, round, attempt, block;
	uint32_t layout;
	uint32_t copy;		   /* of the first row */
	uint32_t marks;		   /* of all copies */
	uint32_t rows;		   /* copies seen */
	double value;		   /* > 0, or NAN: failed */
	double user_ns, system_ns; /* CPU time of the whole processes, summed over copies; NAN: unknown */
};

/* All shots sorted by build, arm, round, attempt. Owns its memory; shots_release() ends it. */
struct shots {
	struct shot *v;
	size_t n;
};

/* Some neighbours among them; borrowed. */
struct shot_range {
	const struct shot *v;
	size_t n;
};

/*
 * Reads the rows with round < rounds (0: all). attempt is 0 for rows that repeat nothing, else one more than that of
 * the row they repeat. Values of copies add up where a higher one is better, else their inverses do: both are the
 * throughput of all copies together. A shot whose rows are fewer than its cell's copies, or of which one failed, has failed;
 * records of kind "import" have one row for all copies. Rows of a build that the record does not have are left out.
 */
void shots_of_record(const struct record *record, uint32_t rounds, struct shots *shots);
void shots_release(struct shots *shots);
/* The number of its attempt for each row; an array that mem_free() ends. */
uint32_t *shots_attempts(const struct samples *samples);

/* The shots of one arm of a build. */
struct shot_range shots_of(const struct shots *shots, uint32_t build, uint32_t arm);
/* The part of a range below a round. */
struct shot_range shots_below(struct shot_range range, uint32_t rounds);
/* The last attempt with a value among the shots of the round at *at, or NULL; moves *at to the next round. */
const struct shot *shots_next_round(struct shot_range range, size_t *at);

/* a and b side by side. */
struct shot_pairs {
	struct stats_observation *v; /* owned; mem_free() ends it */
	size_t n;
	size_t first_a, first_b;   /* first attempts in rounds that have both */
	size_t marked_a, marked_b; /* of these, marked: how often each is disturbed, before repeating chose */
};

/* Pairs two arms by round, attempt and layout as the head of effect_of_record() says. */
struct shot_pairs shots_pair(struct shot_range a, struct shot_range b, bool higher_is_better);

#endif
