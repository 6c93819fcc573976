/*
 * count.h - counters (sys/perf.h) of samples. A part of measure's own.
 *
 * Counting costs the counted program something (perf.h has figures), so that no timed sample is counted. In the counted
 * rounds each item's program runs once more after the block, with the words, the environment's size and the start of
 * stack and heap of its newest sample; what it is seen to do there goes into that sample's row.
 */
#ifndef FLAGSTONE_MEASURE_COUNT_H
#define FLAGSTONE_MEASURE_COUNT_H

#include "measure/measure.h"

/* Is this round a counted one? */
bool sample_count_wanted(const struct measurer *m, uint32_t round);
/*
 * Counts, and sets the columns of the row (copy 0's, all copies together); where the program fails now, or nothing can be
 * counted here, they stay unknown. -1: interrupted or no spawner.
 */
int sample_count(struct measurer *m, const struct measure_item *item, struct sample *row, struct error *e);

#endif
