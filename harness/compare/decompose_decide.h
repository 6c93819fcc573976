/*
 * decompose_decide.h - from estimates to answers, for all effects of a decomposition as one family.
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_DECIDE_H
#define FLAGSTONE_COMPARE_DECOMPOSE_DECIDE_H

#include "base/arena.h"
#include "base/mem.h"
#include "compare/decompose.h"
#include "stats/paired.h"
#include "stats/verdict.h"

/* An effect while it is worked on. */
struct trial {
	struct decompose_effect *effect;
	const struct decompose_group *group;
	const struct decompose_row *row; /* NULL: the mean of the group */
	bool tests;			 /* it has an estimate: part of the family */
	bool differ;
	double placement_share;
	struct stats_pair all, clean; /* widened */
	struct stats_verdict verdict, clean_verdict;
};

struct trials {
	struct trial *v;
	size_t n, cap;
};

/* Answers all trials that test, and sets out->result.family. Reasons are in the arena. */
void decide_trials(const struct trials *trials, struct decomposition *out,
	const struct decompose_options *options, struct arena *arena);

#endif
