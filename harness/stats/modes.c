#include "stats/modes.h"

#include <math.h>

#include "stats/describe.h"

#define FAR_OUT 3.0 /* interquartile ranges beyond the quartiles: Tukey's "far out", as in describe.h */

/* Values far out count as if they lay at the fence: the split must not be theirs. */
struct fence {
	double lo, hi;
};

static struct fence fence_of(const double *sorted, size_t n)
{
	double q25 = stats_quantile_sorted(sorted, n, 0.25), q75 = stats_quantile_sorted(sorted, n, 0.75);
	double room = q75 > q25 ? FAR_OUT * (q75 - q25)
				: INFINITY; /* mostly equal values: nothing tells what is far */

	return (struct fence){fmax(sorted[0], q25 - room), fmin(sorted[n - 1], q75 + room)};
}

/* Between 0 and 1, so that no square overflows. */
static double scaled(const struct fence *fence, double x)
{
	return (fmin(fmax(x, fence->lo), fence->hi) - fence->lo) / (fence->hi - fence->lo);
}

static size_t find_split(const double *sorted, size_t n)
{
	struct fence fence = fence_of(sorted, n);
	size_t least = (size_t)ceil(STATS_MODE_SHARE * (double)n), split = 0;
	double mean = 0, below = 0, best = 0;

	for (size_t i = 0; i < n; i++)
		mean += scaled(&fence, sorted[i]) / (double)n;
	for (size_t i = 1; i < n; i++) {
		/* sum of deviations below the split; those above add up to its opposite */
		below += scaled(&fence, sorted[i - 1]) - mean;
		if (i < least || n - i < least || sorted[i - 1] == sorted[i])
			continue;
		/* between the parts: n1 n2 (m1 - m2)^2 / n, up to a constant */
		double between = below * below / ((double)i * (double)(n - i));
		if (between > best) {
			best = between;
			split = i;
		}
	}
	return split;
}

bool stats_two_modes(const double *sorted, size_t n, struct stats_modes *out)
{
	size_t split = n > 1 && sorted[0] < sorted[n - 1] ? find_split(sorted, n) : 0;

	if (split == 0)
		return false;
	*out = (struct stats_modes){.low = stats_median(sorted, split),
		.high = stats_median(sorted + split, n - split),
		.low_share = (double)split / (double)n};
	return true;
}
