/*
 * balance.h - more rounds on the layouts that there are, or new layouts? Decided at a look, for one workload, from the
 * variances seen so far and from what a round and a layout cost. Pure.
 *
 * After Kalibera and Jones (2013): with the cost c1 of a round and c2 of a layout, which is paid once, and the unbiased
 * variances T1^2 of rounds and T2^2 of layouts, a layout is best met r1 = ceil(sqrt((c2 / c1) (T1^2 / T2^2))) times.
 * Layouts that had so many rounds tell nothing that new ones would not tell better; so as many are added as the rounds
 * until the next look are worth, within what the matrix allows and what the budget pays for. The lowest level of theirs,
 * the sample, is the process here: each process gives one sample, and its start is part of a round's cost.
 */
#ifndef FLAGSTONE_SESSION_BALANCE_H
#define FLAGSTONE_SESSION_BALANCE_H

#include <stdint.h>

struct balance_ask {
	/* of one observation of an effect: mean over the comparisons that are open; NAN: no layout was met twice */
	double var_layout, var_round;
	double layout_ns; /* c2: links and checks of all open cells of the workload, for one more layout */
	double round_ns;  /* c1: one round of these cells; > 0 */
	double left_ns;	  /* of the budget, the workload's share; INFINITY: there is none */
	uint32_t layouts, layouts_max;
	uint32_t rounds;    /* so far */
	uint32_t next_look; /* > rounds */
};

enum balance_why {
	BALANCE_MORE,	 /* new layouts */
	BALANCE_ROUNDS,	 /* rounds on those that there are do as well */
	BALANCE_MOST,	 /* there are as many as the matrix allows */
	BALANCE_UNKNOWN, /* no layout was met twice: what placement does cannot be told */
	BALANCE_NO_TIME	 /* too little of the budget is left for links to pay */
};

struct balance {
	enum balance_why why;
	uint32_t layouts;	    /* from now on; the same as before but for BALANCE_MORE */
	uint32_t rounds_per_layout; /* r1; 0: unknown */
	double placement_share;	    /* of the variance of an effect, 0 to 1; -1: unknown */
};

/* A step by less than a quarter is none: it would narrow an interval by a tenth. */
struct balance balance_decide(const struct balance_ask *ask);

/* "more layouts", ... for facts and messages */
const char *balance_text(enum balance_why why);

#endif
