/*
 * pace.h - what the blocks of one workload take, to tell what the next one will take. Pure.
 *
 * An item is a cell (or second arm) that is measured in the block; blocks get shorter as cells leave.
 */
#ifndef FLAGSTONE_SESSION_PACE_H
#define FLAGSTONE_SESSION_PACE_H

#include <stddef.h>
#include <stdint.h>

enum { PACE_RECENT = 4 };

/* Zeroed: nothing known. */
struct pace {
	double recent
		[PACE_RECENT]; /* ns an item, of the newest blocks, with all that is done between samples */
	size_t blocks;
	double work_ns; /* of all blocks, without what is done once a layout */
	double items;
};

/* A block of so many items took block_ns, once_ns of it for checks of links that had never run. items > 0. */
void pace_add(struct pace *pace, int64_t block_ns, int64_t once_ns, size_t items);
/* A block of one item, on average, without what is done once; 0: unknown. */
double pace_mean_ns(const struct pace *pace);
/* The slowest of the newest blocks, for one item, with all: what the next one should not exceed; 0: unknown. */
double pace_slow_ns(const struct pace *pace);

#endif
