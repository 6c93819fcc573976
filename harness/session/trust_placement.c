#include "session/trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/shots.h"
#include "stats/describe.h"
#include "stats/effect.h"
#include "stats/rank.h"

#define Z_975 1.9599639845400545

/* What placement did to one build: two names of it, each with layouts of its own, side by side in every block. */

enum { LEAST_LAYOUTS = STATS_MIN_LAYOUTS, LEAST_ROUNDS = STATS_MIN_ROUNDS };

static int by_layout(const void *left, const void *right)
{
	const struct stats_observation *a = left, *b = right;

	if (a->layout != b->layout)
		return a->layout < b->layout ? -1 : 1;
	return (a->round > b->round) - (a->round < b->round);
}

static size_t layout_end(const struct stats_observation *obs, size_t n, size_t at)
{
	size_t end = at;

	while (end < n && obs[end].layout == obs[at].layout)
		end++;
	return end;
}

/* Pearson's correlation; 0 where there is none. */
static double correlation(const double *x, const double *y, size_t n)
{
	double mean_x = stats_mean(x, n), mean_y = stats_mean(y, n), xy = 0, xx = 0, yy = 0;

	for (size_t i = 0; i < n; i++) {
		xy += (x[i] - mean_x) * (y[i] - mean_y);
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Do the layouts' effects of the run's first half come again in the second? obs: sorted by layout, then round. */
static double repeatability(const struct stats_observation *obs, size_t n, size_t layouts)
{
	double *first = mem_alloc_array(layouts, sizeof(*first)),
	       *second = mem_alloc_array(layouts, sizeof(*second));
	double *some = mem_alloc_array(n, sizeof(*some));
	double found;
	size_t count = 0;

	for (size_t at = 0, end; at < n; at = end, count++) {
		size_t half;

		end = layout_end(obs, n, at);
		half = (end - at) / 2;
		for (size_t i = at; i < end; i++)
			some[i - at] = obs[i].effect;
		first[count] = stats_median(some, half);
		second[count] = stats_median(some + half, end - at - half);
	}
	found = correlation(first, second, count);
	mem_free(first);
	mem_free(second);
	mem_free(some);
	return found;
}

/* Every layout alone, as who links once would have it. */
static void count_claims(
	const struct stats_observation *obs, size_t n, double matters, struct trust_placement *out)
{
	for (size_t at = 0, end; at < n; at = end) {
		struct stats_pair pair;

		end = layout_end(obs, n, at);
		if (stats_pair_analyse(obs + at, end - at, STATS_USE_ALL, &pair) != STATS_PAIR_OK ||
			!pair.has_p || pair.p > STATS_ALPHA || fabs(pair.effect) < matters)
			continue;
		out->claims++;
		out->refuted += pair.effect < out->averaged.lo || pair.effect > out->averaged.hi;
	}
}

/* ln of the time of one build's counted samples: by round. */
struct series {
	double *log_time;
	uint32_t *layout, *round;
	size_t n;
};

static struct series series_of(struct shot_range range, bool higher_is_better)
{
	struct series s = {.log_time = mem_alloc_array(range.n, sizeof(double)),
		.layout = mem_alloc_array(range.n, sizeof(uint32_t)),
		.round = mem_alloc_array(range.n, sizeof(uint32_t))};

	for (size_t at = 0; at < range.n;) {
		const struct shot *shot = shots_next_round(range, &at);

		if (shot == NULL)
			continue;
		s.log_time[s.n] = higher_is_better ? -log(shot->value) : log(shot->value);
		s.layout[s.n] = shot->layout;
		s.round[s.n++] = shot->round;
	}
	return s;
}

static void series_release(struct series *s)
{
	mem_free(s->log_time);
	mem_free(s->layout);
	mem_free(s->round);
}

/* The variance by the median absolute deviation: one burst does not drown all else. */
static double robust_variance(const double *x, size_t n)
{
	double deviation = n > 0 ? stats_mad(x, n) : 0;

	return deviation * deviation;
}

/* Means of both builds in each round that both have; returns how many. */
static size_t round_means(const struct series *a, const struct series *b, double *means)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		uint32_t round_a = a->round[i], round_b = b->round[k];

		if (round_a == round_b)
			means[n++] = 0.5 * (a->log_time[i] + b->log_time[k]);
		i += round_a <= round_b;
		k += round_b <= round_a;
	}
	return n;
}

/* Adds the median of each layout; returns how many. */
static size_t add_medians(const struct series *s, size_t layouts, double *medians)
{
	double *some = mem_alloc_array(s->n, sizeof(*some));
	size_t count = 0;

	for (uint32_t k = 0; k < layouts; k++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n; i++)
			if (s->layout[i] == k)
				some[n++] = s->log_time[i];
		if (n > 0)
			medians[count++] = stats_median(some, n);
	}
	mem_free(some);
	return count;
}

static uint32_t layouts_of(const struct series *s)
{
	uint32_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->layout[i] >= most ? s->layout[i] + 1 : most;
	return most;
}

static void describe_medians(const struct series *a, const struct series *b, struct trust_placement *out)
{
	size_t layouts = layouts_of(a) > layouts_of(b) ? layouts_of(a) : layouts_of(b);
	double *medians = mem_alloc_array(2 * layouts, sizeof(*medians));
	size_t n = add_medians(a, layouts, medians);

	n += add_medians(b, layouts, medians + n);
	out->median_sd = stats_sd(medians, n);
	stats_sort(medians, n);
	out->median_range = n > 0 ? medians[n - 1] - medians[0] : 0;
	mem_free(medians);
}

/*
 * Each layout's effect is known only as well as its rounds tell: what they would spread by alone is taken off. obs:
 * sorted by layout. residuals: what is left of each effect.
 */
static double layout_variance(const struct stats_observation *obs, size_t n, double *residuals)
{
	double *estimate = mem_alloc_array(n, sizeof(*estimate));
	double noise = 0, found;
	size_t layouts = 0;

	for (size_t at = 0, end; at < n; at = end, layouts++) {
		struct stats_location of;
		double error;

		end = layout_end(obs, n, at);
		for (size_t i = at; i < end; i++)
			residuals[i] = obs[i].effect;
		of = stats_pseudomedian_interval(residuals + at, end - at);
		error = (of.hi - of.lo) / (2 * Z_975);
		noise += error * error;
		estimate[layouts] = of.value;
		for (size_t i = at; i < end; i++)
			residuals[i] -= of.value;
	}
	found = stats_variance(estimate, layouts) - noise / (double)layouts;
	mem_free(estimate);
	return fmax(0, found);
}

/* obs: sorted by layout. */
static void describe_variance(const struct stats_observation *obs, size_t n, const struct series *a,
	const struct series *b, struct trust_placement *out)
{
	double *room = mem_alloc_array(a->n > n ? a->n : n, sizeof(*room));
	/* of a difference: twice that of one side, as both draw for themselves and the round cancels */
	double placement = layout_variance(obs, n, room) / 2, process = robust_variance(room, n) / 2;
	/* of a mean of two: half of what each draws for itself */
	double means = robust_variance(room, round_means(a, b, room));
	double round = fmax(0, means - (placement + process) / 2), all = placement + process + round;

	out->placement = sqrt(placement);
	out->process = sqrt(process);
	out->round = sqrt(round);
	out->placement_share = all > 0 ? placement / all : 0;
	mem_free(room);
}

static void analyse(struct shot_range a, struct shot_range b, bool higher_is_better,
	struct stats_observation *obs, size_t n, double matters, struct trust_placement *out)
{
	struct series left = series_of(a, higher_is_better), right = series_of(b, higher_is_better);
	struct stats_pair pair;

	stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
	out->layouts = pair.layouts;
	out->rounds = pair.rounds;
	out->averaged = (struct trust_outcome){.answered = true,
		.effect = pair.effect,
		.lo = pair.lo,
		.hi = pair.hi,
		.x = fmax(fabs(pair.lo), fabs(pair.hi)),
		.p_adjusted = pair.p,
		.rounds = (uint32_t)pair.rounds};
	if (pair.has_p && pair.p <= STATS_ALPHA && fabs(pair.effect) >= matters)
		out->averaged.answer = pair.effect > 0 ? ANSWER_FASTER : ANSWER_SLOWER;
	else
		out->averaged.answer = ANSWER_CANT_TELL;
	qsort(obs, n, sizeof(*obs), by_layout);
	describe_variance(obs, n, &left, &right, out);
	describe_medians(&left, &right, out);
	out->repeatability = repeatability(obs, n, pair.layouts);
	count_claims(obs, n, matters, out);
	series_release(&left);
	series_release(&right);
}

/* Enough of each layout for a comparison of its own? */
static bool is_enough(struct stats_observation *obs, size_t n)
{
	size_t layouts = 0;

	if (n > 0)
		qsort(obs, n, sizeof(*obs), by_layout);
	for (size_t at = 0, end; at < n; at = end, layouts++) {
		end = layout_end(obs, n, at);
		if (end - at < LEAST_ROUNDS)
			return false;
	}
	return layouts >= LEAST_LAYOUTS;
}

bool trust_placement(const struct record *record, struct trust_side a, struct trust_side b, double matters,
	struct trust_placement *out)
{
	bool higher = record_higher_is_better(record, &record->builds[b.build]);
	struct shot_range left, right;
	struct shots shots;
	struct shot_pairs pairs;
	bool enough;

	memset(out, 0, sizeof(*out));
	shots_of_record(record, 0, &shots);
	left = shots_of(&shots, a.build, a.arm);
	right = shots_of(&shots, b.build, b.arm);
	pairs = shots_pair(left, right, higher);
	enough = is_enough(pairs.v, pairs.n);
	if (enough)
		analyse(left, right, higher, pairs.v, pairs.n, matters, out);
	mem_free(pairs.v);
	shots_release(&shots);
	return enough;
}
