/*
 * round_cost.h - what a round of each cell took in a record, to tell what rounds of another run will take.
 *
 * A sample's cost is its timed part and an overhead: process, warm-up, canaries, journal, checks of links, all that a
 * session spent between its first sample's start and its last one's end beyond the timed parts, in equal shares.
 * A cell's cost of a round is that of all its samples (repeats of disturbed ones and second arms with them) over the
 * rounds that it was in.
 */
#ifndef FLAGSTONE_COMPARE_ROUND_COST_H
#define FLAGSTONE_COMPARE_ROUND_COST_H

#include <stdbool.h>

#include "base/arena.h"
#include "record/record.h"

struct round_cost {
	bool known;	    /* the samples say when they were taken */
	double *cell_ns;    /* one a build; 0: it has no samples */
	double *samples;    /* one a build: samples a round; 0: none */
	double overhead_ns; /* of a sample, on average */
	bool link_known;    /* the record says what its links took */
	double link_ns;	    /* of one link and its check; without link_known ROUND_COST_LINK_NS */
};

#define ROUND_COST_LINK_NS 45e6

/* What session/times.c keeps: phases, and how often in them. */
#define ROUND_COST_LINK_KEY   "harness.time.link_ns"
#define ROUND_COST_LINKS_KEY  "harness.time.links_made"
#define ROUND_COST_CHECK_KEY  "harness.time.layout_check_ns"
#define ROUND_COST_CHECKS_KEY "harness.time.layout_checks"

/* In the arena. */
void round_cost_of_record(const struct record *record, struct arena *arena, struct round_cost *cost);

#endif
