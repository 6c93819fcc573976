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

/* Sorts by round; mostly they are sorted already. */
static size_t count_rounds(struct stats_observation *obs, size_t n)
{
	size_t sorted = 1;
	while (sorted < n && obs[sorted - 1].round <= obs[sorted].round)
		sorted++;
	if (sorted < n)
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

/* The power of two under which all distances from the mean are below 1: their squares cannot overflow. */
static int exponent_about(const struct groups *groups, double mean)
{
	double largest = 0;
	int exponent = 0;
	for (size_t i = 0; i < groups->n; i++)
		largest = fmax(largest, fabs(groups->effect[i] - mean));
	if (isfinite(largest))
		frexp(largest, &exponent);
	return exponent;
}

/*
 * One-way analysis of variance with unequal group sizes: E(mean square between) = var_round + n0 var_layout (Searle,
 * Casella and McCulloch, Variance Components, 3.6).
 */
static void split_groups(const struct groups *groups, struct stats_split *out)
{
	size_t layouts = groups->layouts;
	*out = (struct stats_split){0};
	if (layouts < 2 || groups->n <= layouts)
		return;
	double total = (double)groups->n;
	double grand = stats_mean(groups->effect, groups->n);
	int exponent = exponent_about(groups, grand);
	double between = 0, within = 0, squared_sizes = 0;
	for (size_t g = 0; g < layouts; g++) {
		const struct group *group = &groups->group[g];
		double size = (double)group->n;
		double away = ldexp(group->mean - grand, -exponent);
		double sd = ldexp(stats_sd(groups->effect + group->start, group->n), -exponent);
		between += size * away * away;
		within += (size - 1) * sd * sd;
		squared_sizes += size * size;
	}
	double n0 = (total - squared_sizes / total) / (double)(layouts - 1);
	double mean_between = between / (double)(layouts - 1),
	       mean_within = within / (total - (double)layouts);
	double var_layout = (mean_between - mean_within) / n0;
	double placement = fmax(0.0, var_layout);
	double all = placement + mean_within / (total / (double)layouts);
	out->known = true;
	out->mean_between = ldexp(mean_between, 2 * exponent);
	out->mean_within = ldexp(mean_within, 2 * exponent);
	out->var_round = out->mean_within;
	out->var_layout = ldexp(var_layout, 2 * exponent);
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
	struct stats_split split;
	split_groups(groups, &split);
	out->has_split = split.known;
	out->var_layout = split.var_layout;
	out->var_round = split.var_round;
	out->placement_share = split.placement_share;
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

void stats_split_variance(const struct stats_observation *obs, size_t n, struct stats_split *out)
{
	struct stats_observation *sorted = mem_alloc_array(n, sizeof *sorted);
	struct groups groups;
	for (size_t i = 0; i < n; i++)
		sorted[i] = obs[i];
	if (n > 0)
		qsort(sorted, n, sizeof *sorted, by_layout);
	make_groups(sorted, n, &groups);
	split_groups(&groups, out);
	release_groups(&groups);
	mem_free(sorted);
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
