#include "stats/verdict.h"

#include <math.h>

#include "base/mem.h"
#include "stats/adjust.h"
#include "stats/dist.h"

static enum stats_answer answer_of(const struct stats_verdict *v, double matters, double precision)
{
	bool differs = v->p_adjusted <= STATS_ALPHA;
	if (differs && fabs(v->effect) >= matters)
		return v->effect > 0 ? STATS_FASTER : STATS_SLOWER;
	if (v->x > precision)
		return STATS_CANT_TELL;
	return differs ? STATS_TOO_SMALL : STATS_NO_DIFFERENCE;
}

/* The noise falls with the root of the rounds: how many times the rounds bring `now` down to `wanted`. */
static double times(double now, double wanted)
{
	return wanted > 0 ? (now / wanted) * (now / wanted) : INFINITY;
}

/*
 * Whichever answer is nearer: an interval within +-precision, or a p that passes if the estimate stays where it is
 * and adjustment costs what it cost now.
 */
static double effort_of(
	const struct stats_verdict *v, const struct stats_pair *pair, double matters, double precision)
{
	double half = 0.5 * (v->hi - v->lo);
	double size = fabs(v->effect);
	double effort = times(half, precision - size);
	if (size >= matters && v->has_p && v->p > 0) {
		double price = fmax(1.0, v->p_adjusted / v->p);
		double tail = 0.5 * STATS_ALPHA / price;
		double t = pair->df > 0 ? -stats_t_quantile(tail, pair->df) : -stats_normal_quantile(tail);
		effort = fmin(effort, times(t * pair->se, size));
	}
	return isfinite(effort) ? fmax(1.0, effort) : 0;
}

struct stats_verdict stats_decide(
	const struct stats_pair *pair, double p_adjusted, double matters, double precision)
{
	struct stats_verdict v = {.answer = STATS_NO_ANSWER, .p = 1, .p_adjusted = 1};
	if (pair->status != STATS_PAIR_OK)
		return v;
	v.effect = pair->effect;
	v.lo = pair->lo;
	v.hi = pair->hi;
	v.x = fmax(fabs(pair->lo), fabs(pair->hi));
	v.has_p = pair->has_p;
	v.p = pair->p;
	v.p_adjusted = pair->has_p ? p_adjusted : 1;
	v.answer = answer_of(&v, matters, precision);
	v.closed = v.answer != STATS_CANT_TELL;
	if (v.answer == STATS_CANT_TELL)
		v.effort = effort_of(&v, pair, matters, precision);
	return v;
}

void stats_family_decide(const struct stats_pair *pairs, size_t n, const struct stats_rules *rules,
	struct stats_verdict *verdicts)
{
	double looks = rules->looks > 1 ? (double)rules->looks : 1.0;
	struct stats_pair *wide = mem_alloc_array(n, sizeof *wide);
	double *p = mem_alloc_array(n, sizeof *p);
	for (size_t i = 0; i < n; i++) {
		wide[i] = stats_pair_widen(&pairs[i], rules->lambda);
		bool counts = wide[i].status == STATS_PAIR_OK && wide[i].has_p;
		p[i] = counts ? fmin(1.0, looks * wide[i].p) : 1.0;
	}
	stats_holm(p, n, rules->family, p);
	for (size_t i = 0; i < n; i++)
		verdicts[i] = stats_decide(&wide[i], p[i], rules->matters, rules->precision);
	mem_free(wide);
	mem_free(p);
}

static bool equivalent(enum stats_answer a, enum stats_answer b)
{
	bool a_small = a == STATS_TOO_SMALL || a == STATS_NO_DIFFERENCE;
	bool b_small = b == STATS_TOO_SMALL || b == STATS_NO_DIFFERENCE;
	return a == b || (a_small && b_small);
}

struct stats_verdict stats_verdict_reconcile(
	const struct stats_verdict *all, const struct stats_verdict *clean)
{
	struct stats_verdict v = *all;
	if (all->answer == STATS_NO_ANSWER || equivalent(all->answer, clean->answer))
		return v;
	v.answer = STATS_CANT_TELL;
	v.closed = false;
	v.x = fmax(all->x, clean->x);
	return v;
}

const char *stats_answer_name(enum stats_answer answer)
{
	switch (answer) {
	case STATS_FASTER:
		return "faster";
	case STATS_SLOWER:
		return "slower";
	case STATS_TOO_SMALL:
		return "too small to matter";
	case STATS_NO_DIFFERENCE:
		return "no difference";
	case STATS_CANT_TELL:
		return "can't tell";
	case STATS_NO_ANSWER:
		break;
	}
	return "no answer";
}
