#include "stats/pairsum.h"

#include <stdint.h>

#include "base/mem.h"

/* For each row the columns first <= j < last may still hold the answer. */
struct candidates {
	size_t *first;
	size_t *last;
	size_t *edge;
};

size_t pair_sums_count(const struct pair_sums *sums)
{
	return sums->half ? sums->n * (sums->n + 1) / 2 : sums->n * sums->m;
}

static size_t row_start(const struct pair_sums *sums, size_t row)
{
	return sums->half ? row : 0;
}

/*
 * edge[i]: the first column of row i whose sum exceeds v (or, with below, reaches it). Returns how many sums lie
 * before the edges. As rows rise the edge can only move left; rounding keeps that order.
 */
static size_t find_edges(const struct pair_sums *sums, double v, bool below, size_t *edge)
{
	size_t count = 0;
	size_t j = sums->m;
	for (size_t i = 0; i < sums->n; i++) {
		while (j > 0) {
			double sum = sums->a[i] + sums->b[j - 1];
			if (below ? sum < v : sum <= v)
				break;
			j--;
		}
		size_t start = row_start(sums, i);
		edge[i] = j > start ? j : start;
		count += edge[i] - start;
	}
	return count;
}

/* A step of the 64-bit generator SplitMix64: pivots need no quality, but must be the same each time. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Candidate number `at` in row order. */
static double candidate(const struct pair_sums *sums, const struct candidates *c, size_t at)
{
	for (size_t i = 0; i < sums->n; i++) {
		size_t here = c->last[i] - c->first[i];
		if (at < here)
			return sums->a[i] + sums->b[c->first[i] + at];
		at -= here;
	}
	return sums->a[sums->n - 1] + sums->b[sums->m - 1];
}

static double narrow(const struct pair_sums *sums, struct candidates *c, size_t k)
{
	uint64_t state = 1;
	size_t left = pair_sums_count(sums);
	size_t before = 0; /* sums known to be smaller than every candidate */
	while (left > 0) {
		double pivot = candidate(sums, c, (size_t)(next_random(&state) % left));
		size_t up_to = find_edges(sums, pivot, false, c->edge);
		if (k > up_to) {
			for (size_t i = 0; i < sums->n; i++)
				if (c->edge[i] > c->first[i])
					c->first[i] = c->edge[i] < c->last[i] ? c->edge[i] : c->last[i];
			left -= up_to - before;
			before = up_to;
			continue;
		}
		size_t under = find_edges(sums, pivot, true, c->edge);
		if (k > under)
			return pivot;
		for (size_t i = 0; i < sums->n; i++)
			if (c->edge[i] < c->last[i])
				c->last[i] = c->edge[i] > c->first[i] ? c->edge[i] : c->first[i];
		left = under - before;
	}
	return 0; /* only for values that are not finite, which callers must not pass */
}

double pair_sums_select(const struct pair_sums *sums, size_t k)
{
	struct candidates c = {
		mem_alloc_array(sums->n, sizeof(size_t)),
		mem_alloc_array(sums->n, sizeof(size_t)),
		mem_alloc_array(sums->n, sizeof(size_t)),
	};
	for (size_t i = 0; i < sums->n; i++) {
		c.first[i] = row_start(sums, i);
		c.last[i] = sums->m;
	}
	double result = narrow(sums, &c, k);
	mem_free(c.first);
	mem_free(c.last);
	mem_free(c.edge);
	return result;
}

/* The largest sum under v, which is one of them; v itself if fewer than k are smaller. */
static double next_below(const struct pair_sums *sums, double v, size_t k)
{
	size_t *edge = mem_alloc_array(sums->n, sizeof(size_t));
	double next = v;
	bool found = false;
	if (find_edges(sums, v, true, edge) >= k)
		for (size_t i = 0; i < sums->n; i++) {
			if (edge[i] == row_start(sums, i))
				continue;
			double sum = sums->a[i] + sums->b[edge[i] - 1];
			next = !found || sum > next ? sum : next;
			found = true;
		}
	mem_free(edge);
	return next;
}

double pair_sums_median(const struct pair_sums *sums)
{
	size_t count = pair_sums_count(sums);
	double upper = pair_sums_select(sums, count / 2 + 1);
	if (count % 2 == 1)
		return upper;
	return 0.5 * next_below(sums, upper, count / 2) + 0.5 * upper;
}
