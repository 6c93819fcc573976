/*
 * The dip. An empirical distribution of n values is a staircase. Below it lies its greatest convex minorant (a chain
 * through some lower corners, heights 0, 1, 2, …), above it its least concave majorant (a chain through some upper
 * corners, heights 1, 2, 3, …). A unimodal distribution is convex up to its mode and concave after it. The search
 * narrows the interval that may hold the mode: where the two chains are farthest apart, the mode must lie between the
 * neighbouring corners, and outside of these the staircase must follow the convex chain on the left and the concave
 * one on the right. What it misses there is the dip so far; when the gap inside is smaller, the search is over.
 */
#include "stats/describe.h"

#include <math.h>

#include "base/mem.h"

/* Corners of one chain, as indices of the sorted values, from left to right. */
struct chain {
	size_t *corner;
	size_t n;
};

/* Height of the straight line through corners a and b (their heights are their indices) at value v. */
static double line_at(const double *x, size_t a, size_t b, double v)
{
	if (x[b] <= x[a])
		return (double)a;
	return (double)a + (double)(b - a) * ((v - x[a]) / (x[b] - x[a]));
}

/* The convex (side 1) or concave (side -1) hull of the points (x[i], i), low <= i <= high. */
static void hull(const double *x, size_t low, size_t high, int side, struct chain *out)
{
	out->n = 0;
	for (size_t i = low; i <= high; i++) {
		while (out->n >= 2) {
			size_t a = out->corner[out->n - 2];
			size_t b = out->corner[out->n - 1];
			double turn = (x[b] - x[a]) * (double)(i - b) - (x[i] - x[b]) * (double)(b - a);
			if (side * turn > 0)
				break;
			out->n--;
		}
		out->corner[out->n++] = i;
	}
}

struct gap {
	double size;	  /* largest distance between the two chains */
	size_t low, high; /* the convex corner left of it, the concave corner right of it */
};

/* The segment of a chain that holds value index i: the largest s with corner[s] <= i, not the last one. */
static size_t segment_of(const struct chain *chain, size_t s, size_t i)
{
	while (s + 2 < chain->n && chain->corner[s + 1] <= i)
		s++;
	return s;
}

static struct gap widest_gap(const double *x, const struct chain *convex, const struct chain *concave)
{
	struct gap widest = {.size = 0, .low = convex->corner[0], .high = convex->corner[convex->n - 1]};
	size_t s = 0;
	for (size_t k = 0; k < convex->n; k++) {
		size_t i = convex->corner[k];
		s = segment_of(concave, s, i);
		double size = 1.0 + line_at(x, concave->corner[s], concave->corner[s + 1], x[i]) - (double)i;
		size_t high = concave->corner[s] >= i ? concave->corner[s] : concave->corner[s + 1];
		if (size > widest.size)
			widest = (struct gap){size, i, high};
	}
	s = 0;
	for (size_t k = 0; k < concave->n; k++) {
		size_t i = concave->corner[k];
		s = segment_of(convex, s, i);
		double size = (double)i + 1.0 - line_at(x, convex->corner[s], convex->corner[s + 1], x[i]);
		size_t low = convex->corner[s + 1] <= i ? convex->corner[s + 1] : convex->corner[s];
		if (size > widest.size)
			widest = (struct gap){size, low, i};
	}
	return widest;
}

/* How far the staircase rises above the convex chain left of `until`. */
static double miss_left(const double *x, const struct chain *convex, size_t until)
{
	double miss = 1;
	for (size_t s = 0; s + 1 < convex->n && convex->corner[s + 1] <= until; s++) {
		size_t a = convex->corner[s];
		size_t b = convex->corner[s + 1];
		for (size_t i = a; i <= b && x[b] > x[a]; i++)
			miss = fmax(miss, (double)i + 1.0 - line_at(x, a, b, x[i]));
	}
	return miss;
}

/* How far the staircase stays below the concave chain right of `from`. */
static double miss_right(const double *x, const struct chain *concave, size_t from)
{
	double miss = 1;
	for (size_t s = 0; s + 1 < concave->n; s++) {
		size_t a = concave->corner[s];
		size_t b = concave->corner[s + 1];
		for (size_t i = a; i <= b && a >= from && x[b] > x[a]; i++)
			miss = fmax(miss, line_at(x, a, b, x[i]) + 1.0 - (double)i);
	}
	return miss;
}

double stats_dip_sorted(const double *sorted, size_t n)
{
	if (n == 0)
		return 0;
	double dip = 1;
	size_t low = 0;
	size_t high = n - 1;
	struct chain convex = {mem_alloc_array(n, sizeof(size_t)), 0};
	struct chain concave = {mem_alloc_array(n, sizeof(size_t)), 0};
	while (n >= 4 && sorted[low] < sorted[high]) {
		hull(sorted, low, high, 1, &convex);
		hull(sorted, low, high, -1, &concave);
		struct gap gap = widest_gap(sorted, &convex, &concave);
		if (gap.size <= dip)
			break;
		dip = fmax(dip, miss_left(sorted, &convex, gap.low));
		dip = fmax(dip, miss_right(sorted, &concave, gap.high));
		if (gap.low == low && gap.high == high)
			break;
		low = gap.low;
		high = gap.high;
	}
	mem_free(convex.corner);
	mem_free(concave.corner);
	return dip / (2.0 * (double)n);
}

/* sqrt(n) times the 99 % quantile of the dip of n uniform values: 10^4 to 2*10^5 simulated samples each. */
static const struct critical {
	double n, scaled;
} critical[] = {
	{10, 0.5053},
	{15, 0.5267},
	{20, 0.5409},
	{30, 0.5570},
	{50, 0.5728},
	{100, 0.5916},
	{200, 0.6046},
	{500, 0.6140},
	{1000, 0.6200},
	{5000, 0.6333},
};

#define CRITICALS (sizeof critical / sizeof critical[0])

bool stats_dip_significant(double dip, size_t n)
{
	double size = (double)n;
	if (size < critical[0].n)
		return false;
	size_t i = 1;
	while (i < CRITICALS && critical[i].n < size)
		i++;
	double limit = critical[CRITICALS - 1].scaled;
	if (i < CRITICALS) {
		const struct critical *a = &critical[i - 1];
		const struct critical *b = &critical[i];
		limit = a->scaled + (b->scaled - a->scaled) * log(size / a->n) / log(b->n / a->n);
	}
	return dip * sqrt(size) > limit;
}
