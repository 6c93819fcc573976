#include "stats/spread.h"

#include <math.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/pairsum.h"

/*
 * Of all n^2 differences x_i - x_j the n(n-1)/2 smallest are the negative distances, the next n are those of each
 * value from itself, and then come the distances. (Ties mix them, but then all of these are 0.)
 */
double stats_pair_spread(const double *x, size_t n)
{
	if (n < 2)
		return 0;
	double *plus = mem_alloc_array(n, sizeof *plus);
	double *minus = mem_alloc_array(n, sizeof *minus);
	for (size_t i = 0; i < n; i++) {
		plus[i] = x[i];
		minus[i] = -x[i];
	}
	stats_sort(plus, n);
	stats_sort(minus, n);
	const struct pair_sums sums = {plus, n, minus, n, false};
	size_t pairs = n * (n - 1) / 2;
	double spread = pair_sums_select(&sums, pairs + n + pairs / 2 + 1);
	if (pairs % 2 == 0)
		spread = 0.5 * pair_sums_select(&sums, pairs + n + pairs / 2) + 0.5 * spread;
	mem_free(plus);
	mem_free(minus);
	return spread;
}

struct stats_location stats_pair_spread_bounds_dealt(const double *x, size_t n, double miss)
{
	struct stats_location at = {.value = stats_pair_spread(x, n)};
	size_t pairs = n / 2;
	size_t k = stats_binomial_quantile(0.5 * miss, pairs, 0.5);
	if (k == 0)
		return at;
	double *distance = mem_alloc_array(pairs, sizeof *distance);
	for (size_t i = 0; i < pairs; i++)
		distance[i] = fabs(x[2 * i] - x[2 * i + 1]);
	stats_sort(distance, pairs);
	at.has_interval = true;
	at.lo = distance[k - 1];
	at.hi = distance[pairs - k];
	at.coverage = 1.0 - 2.0 * stats_binomial_cdf((long)k - 1, pairs, 0.5);
	mem_free(distance);
	return at;
}

struct stats_location stats_pair_spread_bounds(const double *x, size_t n, double miss, struct rng *rng)
{
	double *dealt = mem_alloc_array(n, sizeof *dealt);
	for (size_t i = 0; i < n; i++) {
		size_t k = (size_t)rng_below(rng, i + 1);
		dealt[i] = dealt[k];
		dealt[k] = x[i];
	}
	struct stats_location at = stats_pair_spread_bounds_dealt(dealt, n, miss);
	mem_free(dealt);
	return at;
}
