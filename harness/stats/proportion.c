#include "stats/proportion.h"

#include "stats/dist.h"

enum { BISECTIONS = 60 };

/* The x with I_x(a, b) = p. Bisection: the function only rises, and nobody asks a million times. */
static double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < BISECTIONS; i++) {
		double mid = 0.5 * (low + high);

		if (stats_incomplete_beta(a, b, mid) < p)
			low = mid;
		else
			high = mid;
	}
	return 0.5 * (low + high);
}

struct stats_proportion stats_proportion(size_t k, size_t n)
{
	struct stats_proportion out = {.k = k < n ? k : n, .n = n, .hi = 1};
	double yes = (double)out.k, no = (double)(n - out.k);

	if (n == 0)
		return out;
	out.share = yes / (double)n;
	if (out.k > 0)
		out.lo = beta_quantile(0.025, yes, no + 1);
	if (out.k < n)
		out.hi = beta_quantile(0.975, yes + 1, no);
	return out;
}
