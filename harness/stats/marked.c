#include "stats/marked.h"

#include <string.h>

#include "base/mem.h"
#include "stats/adjust.h"
#include "stats/describe.h"

bool stats_marked_threshold(const double *canary, size_t n, double *threshold)
{
	if (n < STATS_MARKED_MIN || stats_first_bad(canary, n, true) < n)
		return false;
	double *sorted = mem_alloc_array(n, sizeof *sorted);
	memcpy(sorted, canary, n * sizeof *sorted);
	stats_sort(sorted, n);
	double lower = stats_quantile_sorted(sorted, n, 0.25);
	double upper = stats_quantile_sorted(sorted, n, 0.75);
	mem_free(sorted);
	*threshold = upper + 3.0 * (upper - lower);
	return true;
}

bool stats_marked_differ(size_t marked_a, size_t n_a, size_t marked_b, size_t n_b, double *p)
{
	size_t a = marked_a < n_a ? marked_a : n_a;
	size_t b = marked_b < n_b ? marked_b : n_b;
	double fisher = stats_fisher(a, n_a - a, b, n_b - b);
	if (p != NULL)
		*p = fisher;
	return fisher < STATS_MARKED_SHARE_P;
}
