/*
 * next_work.h - what the files of compare/next.h share: nobody else's business.
 */
#ifndef FLAGSTONE_COMPARE_NEXT_WORK_H
#define FLAGSTONE_COMPARE_NEXT_WORK_H

#include "compare/next.h"

struct next_work {
	const struct record *record;
	const struct result *result;
	const struct measure_settings *settings;
	const struct next_options *options;
	struct arena *arena;
	struct next *next;
};

/* Nanoseconds of a round of a build; a guess from the length of a sample where the record does not say. */
double next_round_ns(const struct next_work *work, uint32_t build);

/* next_steps.c: runs that settle the items that are possible, which stand in the order of their cost. */
void next_make_steps(struct next_work *work);

/* next_command.c: `flagstone run` with these builds and the rounds and layouts of a step. rounds_now: of the record. */
const char *next_command(
	const struct next_work *work, const bool *wanted, const struct next_step *step, uint32_t rounds_now);

#endif
