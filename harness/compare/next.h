/*
 * next.h - which further budget would settle which open comparisons of a record? Estimates, each from the record's own
 * figures.
 *
 * What is needed. effect.h says for a comparison that can't tell how many times less variance V of the effect an answer
 * takes (effort): for an interval within the precision, or for an effect of the size seen to be significant, whichever
 * is nearer. V has two levels, layouts and rounds (Kalibera and Jones, ISMM 2013, with the process as the lowest one):
 *
 *	V(L, R) = var_layout / L + var_round / R        var_layout = s V0 L0,  var_round = (1 - s) V0 R0
 *
 * for L layouts and R rounds in all, where V0, L0, R0 and the share s of placement are what the record has. So within a
 * level the half-width falls with the root of its number, and rounds alone lower it to sqrt(s) of what it is, not
 * further. Of the numbers of layouts that a run may have (as many as now, then multiples of 8 up to 64) the one is
 * taken that costs the least time with the rounds that it needs: what Kalibera and Jones' optimum is where a layout is
 * paid once and there are only so many.
 *
 * What it costs. A new run of these cells begins from nothing, so all of its R rounds count, at what a round of these
 * cells took in the record (round_cost.h), and links beyond the record's layouts. Builds come from the cache.
 *
 * What the record does not say is unknown here, with the reason.
 */
#ifndef FLAGSTONE_COMPARE_NEXT_H
#define FLAGSTONE_COMPARE_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "compare/effect.h"
#include "compare/round_cost.h"
#include "record/record.h"

enum { NEXT_MOST_ROUNDS = 4096, NEXT_MOST_LAYOUTS = 64, NEXT_MOST_STEPS = 4 };

enum next_goal {
	NEXT_NARROW, /* an interval within the precision */
	NEXT_SHOWN,  /* an effect of the size seen is significant */
	NEXT_NONE    /* not known what would do */
};
/* "narrow", "shown", "unknown" */
const char *next_goal_text(enum next_goal goal);

/* An open comparison. */
struct next_item {
	size_t comparison; /* index in the result */
	enum next_goal goal;
	double bound;	    /* log: the precision, or the effect's size; 0 with NEXT_NONE */
	bool possible;	    /* within NEXT_MOST_ROUNDS and NEXT_MOST_LAYOUTS */
	const char *reason; /* not possible: why, and what it would take as far as known; NULL else */
	uint32_t layouts;   /* that the cheapest way takes */
	uint32_t rounds;    /* in all, whole passes over the layouts */
	double rounds_alone; /* rounds on the record's layouts; INFINITY: placement leaves too much, however many */
	uint32_t
		rounds_if_none; /* with NEXT_SHOWN: rounds until the interval is within the precision, if there is no
				    difference in truth; 0: beyond what a run can have */
	double seconds;		/* of a run of these two cells; 0: unknown */
	size_t step;		/* index; SIZE_MAX: none */
};

/* One run that settles some of them. */
struct next_step {
	uint32_t layouts, rounds;
	size_t *items; /* indexes */
	size_t n;
	double seconds;	      /* 0: unknown */
	double total_seconds; /* with all steps before it */
	size_t settled;	      /* with those of all steps before it */
	const char *command;
};

struct next {
	struct next_item *items; /* the cheapest first, then those that are not possible */
	size_t n;
	size_t possible;
	size_t unmeasured; /* comparisons that have no samples although both cells could be measured */
	struct next_step *
		steps; /* at most NEXT_MOST_STEPS, one after the other, what settles most for its time first */
	size_t step_count;
	struct round_cost cost;
	double precision, matters;
	struct words basis; /* sentences: what the estimates rest on */
};

struct next_options {
	const char *where; /* " -C DIR --archive DIR" for the commands, or NULL */
};

/*
 * record: as it was read, whose builds' `baseline` says what --only brings along; result: of it or of a view of it with
 * the same builds (within.h); settings: precision and matters that the result was judged by. Everything in the arena.
 */
void next_plan(const struct record *record, const struct result *result,
	const struct measure_settings *settings, const struct next_options *options, struct arena *arena,
	struct next *next);

#endif
