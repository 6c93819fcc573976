#include "stats/welch.h"

#include <math.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/dist.h"

/* Interval and p from effect, se > 0 and df; df = 0 is a normal distribution. */
static void set_interval(struct stats_pair *out)
{
	double quantile = out->df > 0 ? stats_t_quantile(0.975, out->df) : stats_normal_quantile(0.975);
	double z = out->effect / out->se;

	out->lo = out->effect - quantile * out->se;
	out->hi = out->effect + quantile * out->se;
	out->has_p = true;
	out->p = out->df > 0 ? stats_t_two_sided(z, out->df) : 2 * stats_normal_cdf(-fabs(z));
}

/* 2 / (n + m over n), at most 1: both tails hold the one labelling that parts the sets. */
static double p_of_labels(size_t n, size_t m)
{
	double p = 2;

	for (size_t i = 1; i <= n; i++)
		p *= (double)i / (double)(m + i);
	return fmin(1, p);
}

/* Sums are formed in the order of size, so that they do not depend on the order of the runs. */
static double *sorted_copy(const double *x, size_t n)
{
	double *copy = mem_alloc_array(n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = x[i];
	stats_sort(copy, n);
	return copy;
}

static double square(double x)
{
	return x * x;
}

static void compare(const double *x, size_t n, const double *y, size_t m, struct stats_pair *out)
{
	double error_x = x[0] == x[n - 1] ? 0 : stats_sd(x, n) / sqrt((double)n);
	double error_y = y[0] == y[m - 1] ? 0 : stats_sd(y, m) / sqrt((double)m);

	out->effect = stats_mean(y, m) - stats_mean(x, n);
	out->se = hypot(error_x, error_y);
	if (out->se > 0) {
		/* as shares of the sum, so that no square overflows or vanishes */
		double share_x = square(error_x / out->se), share_y = square(error_y / out->se);

		out->df = 1 / (share_x * share_x / (double)(n - 1) + share_y * share_y / (double)(m - 1));
		set_interval(out);
		return;
	}
	out->df = (double)(n < m ? n - 1 : m - 1);
	out->lo = out->hi = out->effect;
	out->has_p = out->effect != 0;
	out->p = out->has_p ? p_of_labels(n, m) : 1;
}

enum stats_pair_status stats_welch(
	const double *x, size_t n, const double *y, size_t m, struct stats_pair *out)
{
	size_t least = n < m ? n : m;

	*out = (struct stats_pair){.status = STATS_PAIR_EMPTY, .p = 1, .rounds = least};
	if (least > 0 && least < 2)
		out->status = STATS_PAIR_FEW_ROUNDS;
	if (stats_first_bad(x, n, false) < n || stats_first_bad(y, m, false) < m)
		out->status = STATS_PAIR_BAD_VALUE;
	else if (least >= 2) {
		double *sorted_x = sorted_copy(x, n), *sorted_y = sorted_copy(y, m);

		out->status = STATS_PAIR_OK;
		compare(sorted_x, n, sorted_y, m, out);
		mem_free(sorted_x);
		mem_free(sorted_y);
	}
	return out->status;
}

enum stats_pair_status stats_mean_of_effects(
	const double *effect, const double *se, const double *df, size_t k, struct stats_pair *out)
{
	double length = 0, squares = 0;

	*out = (struct stats_pair){.status = k > 0 ? STATS_PAIR_OK : STATS_PAIR_EMPTY, .p = 1};
	if (k == 0)
		return out->status;
	for (size_t i = 0; i < k; i++)
		length = hypot(length, se[i]);
	for (size_t i = 0; i < k; i++)
		if (length > 0 && df[i] > 0)
			squares += square(square(se[i] / length)) / df[i];
	out->effect = stats_mean(effect, k);
	out->se = length / (double)k;
	out->df = squares > 0 ? 1 / squares : 0;
	out->lo = out->hi = out->effect;
	if (out->se > 0)
		set_interval(out);
	return out->status;
}
