#include "session/balance.h"

#include <math.h>

#include "stats/paired.h"

enum { LEAST_STEP_PART = 4 };
static const double least_cost_ns = 1;

const char *balance_text(enum balance_why why)
{
	switch (why) {
	case BALANCE_MORE:
		return "more layouts";
	case BALANCE_ROUNDS:
		return "rounds on these layouts do as well";
	case BALANCE_MOST:
		return "there are as many layouts as the matrix allows";
	case BALANCE_UNKNOWN:
		return "no layout was met twice, so that it cannot be told yet what placement does";
	case BALANCE_NO_TIME:
		return "too little time is left for more layouts to pay";
	}
	return "";
}

static double share_of(const struct balance_ask *ask)
{
	double placement = fmax(0, ask->var_layout);
	double rounds = ask->var_round / ((double)ask->rounds / (double)ask->layouts);

	return placement + rounds > 0 ? placement / (placement + rounds) : 0;
}

/* Rounds that the time left is good for, at most until the next look. */
static double rounds_left(const struct balance_ask *ask)
{
	double by_look = (double)ask->next_look - (double)ask->rounds;

	return fmin(by_look, floor(ask->left_ns / ask->round_ns));
}

/* How many new layouts until the next look are best, as far as rounds go round. */
static double wanted(const struct balance_ask *ask, double rounds, double each)
{
	/* all of them with `each` rounds; or, where the old ones have more already, new ones for every `each` rounds */
	return fmin(((double)ask->rounds + rounds) / each - (double)ask->layouts, rounds / each);
}

/* The result's reason and layouts, with r1 and all variances known. */
static void choose(const struct balance_ask *ask, struct balance *result)
{
	double each = result->rounds_per_layout, most = (double)ask->layouts_max - (double)ask->layouts;
	double least = ceil((double)ask->layouts / LEAST_STEP_PART);
	double more = floor(wanted(ask, (double)ask->next_look - (double)ask->rounds, each));
	double paid = floor(ask->left_ns / (ask->layout_ns + each * ask->round_ns));

	paid = fmin(paid, floor(wanted(ask, rounds_left(ask), each)));
	if (most < 1)
		result->why = BALANCE_MOST;
	else if (fmin(more, most) < least)
		result->why = BALANCE_ROUNDS;
	else if (paid < least)
		result->why = BALANCE_NO_TIME;
	else
		result->why = BALANCE_MORE;
	if (result->why == BALANCE_MORE)
		result->layouts += (uint32_t)fmin(paid, most);
}

struct balance balance_decide(const struct balance_ask *ask)
{
	struct balance result = {BALANCE_UNKNOWN, ask->layouts, 0, -1};

	if (!isfinite(ask->var_layout) || !isfinite(ask->var_round)) {
		if (ask->layouts >= ask->layouts_max)
			result.why = BALANCE_MOST;
		return result;
	}
	result.placement_share = share_of(ask);
	/* what is in the cache costs nothing, and the formula wants costs */
	result.rounds_per_layout = (uint32_t)stats_rounds_per_layout(fmax(ask->layout_ns, least_cost_ns),
		ask->round_ns, ask->var_layout, ask->var_round, ask->next_look);
	choose(ask, &result);
	return result;
}
