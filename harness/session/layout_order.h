/*
 * layout_order.h - which layout a block meets in a round: a pure function of what the record says (seed, steps), so
 * that a run that is resumed goes on as if it had never stopped.
 *
 * All cells of a block meet the same layout. A pass meets every layout once, in an order drawn from the seed; all
 * workloads have the same passes as long as they have the same steps. Where a step adds layouts, the pass that goes on
 * is cut, and from then on a pass is made of the layouts that were met least often: so new ones catch up first, and in
 * the end all have the same number of rounds, within one. A step may also take layouts away (a resumed run that cannot
 * link them again); what was measured with them stays.
 */
#ifndef FLAGSTONE_SESSION_LAYOUT_ORDER_H
#define FLAGSTONE_SESSION_LAYOUT_ORDER_H

#include <stdint.h>

#include "record/record.h"

/* How many layouts blocks of a workload (index) have in this round; 1 where no step says. */
uint32_t layout_order_count(const struct record_plan *plan, uint32_t workload, uint32_t round);

/* The layout that the block of a workload meets in this round. */
uint32_t layout_order_of_round(const struct record_plan *plan, uint32_t workload, uint32_t round);

/* How often each layout below `count` is met in the rounds below `rounds`: times[count]. */
void layout_order_times(
	const struct record_plan *plan, uint32_t workload, uint32_t rounds, uint32_t *times, uint32_t count);

#endif
