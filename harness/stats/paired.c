#include "stats/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/rank.h"

#define Z_975 1.9599639845400545

/* By layout, then by size: so that sums are formed in the same order however the input came. */
static int by_layout(const void *a, const void *b)
{
	const struct stats_observation *x = a;
	const struct stats_observation *y = b;
	if (x->layout != y->layout)
		return x->layout < y->layout ? -1 : 1;
	return (x->effect > y->effect) - (x->effect < y->effect);
}

static int by_round(const void *a, const void *b)
{
	const struct stats_observation *x = a;
	const struct stats_observation *y = b;
	return (x->round > y->round) - (x->round < y->round);
}

static size_t count_rounds(struct stats_observation *obs, size_t n)
{
	if (n > 0)
		qsort(obs, n, sizeof *obs, by_round);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += i == 0 || obs[i].round != obs[i - 1].round;
	return count;
}

/* One layout's part of the sorted effects. */
struct group {
	size_t start, n;
	double estimate; /* Hodges-Lehmann */
	double mean;
};

struct groups {
	double *effect; /* all, sorted by layout */
	size_t n;
	struct group *group;
	size_t layouts;
};

static void make_groups(const struct stats_observation *sorted, size_t n, struct groups *out)
{
	*out = (struct groups){.n = n};
	out->effect = mem_alloc_array(n, sizeof *out->effect);
	out->group = mem_alloc_array(n, sizeof *out->group);
	for (size_t i = 0; i < n; i++) {
		out->effect[i] = sorted[i].effect;
		if (i == 0 || sorted[i].layout != sorted[i - 1].layout)
			out->group[out->layouts++].start = i;
		out->group[out->layouts - 1].n++;
	}
	for (size_t g = 0; g < out->layouts; g++) {
		struct group *group = &out->group[g];
		group->estimate = stats_pseudomedian(out->effect + group->start, group->n);
		group->mean = stats_mean(out->effect + group->start, group->n);
	}
}

static void release_groups(struct groups *groups)
{
	mem_free(groups->effect);
	mem_free(groups->group);
}

/*
 * One-way analysis of variance with unequal group sizes: E(mean square between) = var_round + n0 var_layout (Searle,
 * Casella and McCulloch, Variance Components, 3.6).
 */
static void split_variance(const struct groups *groups, struct stats_pair *out)
{
	size_t layouts = groups->layouts;
	if (layouts < 2 || groups->n <= layouts)
		return;
	double total = (double)groups->n;
	double grand = stats_mean(groups->effect, groups->n);
	double between = 0, within = 0, squared_sizes = 0;
	for (size_t g = 0; g < layouts; g++) {
		const struct group *group = &groups->group[g];
		double size = (double)group->n;
		double away = group->mean - grand;
		between += size * away * away;
		within += (size - 1) * stats_variance(groups->effect + group->start, group->n);
		squared_sizes += size * size;
	}
	double n0 = (total - squared_sizes / total) / (double)(layouts - 1);
	out->has_split = true;
	out->var_round = within / (total - (double)layouts);
	out->var_layout = (between / (double)(layouts - 1) - out->var_round) / n0;
	double placement = fmax(0.0, out->var_layout);
	double all = placement + out->var_round / (total / (double)layouts);
	out->placement_share = all > 0 ? placement / all : 0;
}

static void interval_from_t(struct stats_pair *out)
{
	double half = stats_t_quantile(0.975, out->df) * out->se;
	out->lo = out->effect - half;
	out->hi = out->effect + half;
	out->has_p = true;
	out->p = stats_t_two_sided(out->effect / out->se, out->df);
}

/* All layouts say the same: t would be x/0. Flipping signs gives a p, unless there is nothing to flip. */
static void answer_without_spread(struct stats_pair *out)
{
	out->lo = out->hi = out->effect;
	out->se = 0;
	out->has_p = out->effect != 0;
	out->p = out->has_p ? ldexp(1.0, 1 - (int)out->layouts) : 1.0;
}

static void by_layouts(const struct groups *groups, struct stats_pair *out)
{
	size_t layouts = groups->layouts;
	double *estimate = mem_alloc_array(layouts, sizeof *estimate);
	for (size_t g = 0; g < layouts; g++)
		estimate[g] = groups->group[g].estimate;
	/* Layout numbers are only names: the order of the sum must not depend on them. */
	stats_sort(estimate, layouts);
	out->method = STATS_BY_LAYOUTS;
	out->df = (double)(layouts - 1);
	bool equal = estimate[0] == estimate[layouts - 1];
	out->effect = equal ? estimate[0] : stats_mean(estimate, layouts);
	out->se = equal ? 0 : stats_sd(estimate, layouts) / sqrt((double)layouts);
	if (out->se > 0)
		interval_from_t(out);
	else
		answer_without_spread(out);
	mem_free(estimate);
}

static void by_rounds(const struct groups *groups, struct stats_pair *out)
{
	struct stats_location at = stats_pseudomedian_interval(groups->effect, groups->n);
	struct stats_rank_test test = stats_signed_rank(groups->effect, groups->n);
	out->method = STATS_BY_ROUNDS;
	out->effect = at.value;
	out->lo = at.lo;
	out->hi = at.hi;
	out->se = (at.hi - at.lo) / (2 * Z_975);
	out->has_p = test.has_p;
	out->p = test.p;
}

static enum stats_pair_status analyse_groups(const struct groups *groups, struct stats_pair *out)
{
	out->layouts = groups->layouts;
	if (groups->layouts == 1 && groups->n < STATS_MIN_ROUNDS)
		return STATS_PAIR_FEW_ROUNDS;
	if (groups->layouts == 1) {
		by_rounds(groups, out);
		return STATS_PAIR_OK;
	}
	if (groups->layouts < STATS_MIN_LAYOUTS)
		return STATS_PAIR_FEW_LAYOUTS;
	by_layouts(groups, out);
	split_variance(groups, out);
	return STATS_PAIR_OK;
}

/* Copies what takes part. Returns false at a value that is none. */
static bool take_part(const struct stats_observation *obs, size_t n, enum stats_use use,
	struct stats_observation *taken, struct stats_pair *out)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(obs[i].effect)) {
			*out = (struct stats_pair){.status = STATS_PAIR_BAD_VALUE, .bad_index = i, .p = 1};
			return false;
		}
		out->disturbed += obs[i].disturbed;
		if (use == STATS_USE_ALL || !obs[i].disturbed)
			taken[out->observations++] = obs[i];
	}
	return true;
}

enum stats_pair_status stats_pair_analyse(
	const struct stats_observation *obs, size_t n, enum stats_use use, struct stats_pair *out)
{
	*out = (struct stats_pair){.status = STATS_PAIR_EMPTY, .p = 1};
	struct stats_observation *taken = mem_alloc_array(n, sizeof *taken);
	if (take_part(obs, n, use, taken, out) && out->observations > 0) {
		struct groups groups;
		out->rounds = count_rounds(taken, out->observations);
		qsort(taken, out->observations, sizeof *taken, by_layout);
		make_groups(taken, out->observations, &groups);
		out->status = analyse_groups(&groups, out);
		release_groups(&groups);
	}
	mem_free(taken);
	return out->status;
}

struct stats_pair stats_pair_widen(const struct stats_pair *pair, double lambda)
{
	struct stats_pair wide = *pair;
	if (pair->status != STATS_PAIR_OK || pair->method != STATS_BY_LAYOUTS || !(lambda > 1) ||
		pair->se <= 0)
		return wide;
	wide.se = pair->se * lambda;
	interval_from_t(&wide);
	return wide;
}

size_t stats_rounds_per_layout(
	double cost_layout, double cost_round, double var_layout, double var_round, size_t rounds)
{
	if (rounds <= 1)
		return 1;
	double best = (double)rounds / 8;
	if (var_layout > 0 && cost_layout > 0 && cost_round > 0)
		best = ceil(sqrt(cost_layout / cost_round * fmax(0.0, var_round) / var_layout));
	if (!(best < (double)rounds))
		return rounds;
	return best < 1 ? 1 : (size_t)best;
}
