#include "stats/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "stats/dist.h"
#include "stats/rank.h"

#define MIN_FOR_ORDER_TESTS 10
#define MIN_FOR_DIP	    10
#define FEW		    48
#define Z_ONE_PERCENT	    2.5758293035489004 /* two-sided */

/* For the few values of a cell or a layout this is several times as fast as qsort(). */
static void sort_few(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double value = x[i];
		size_t at = i;
		for (; at > 0 && x[at - 1] > value; at--)
			x[at] = x[at - 1];
		x[at] = value;
	}
}

void stats_sort(double *x, size_t n)
{
	if (n <= FEW)
		sort_few(x, n);
	else
		qsort(x, n, sizeof *x, num_compare_doubles);
}

static double *sorted_copy(const double *x, size_t n)
{
	double *copy = mem_alloc_array(n, sizeof *copy);
	if (n > 0)
		memcpy(copy, x, n * sizeof *copy);
	stats_sort(copy, n);
	return copy;
}

size_t stats_first_bad(const double *x, size_t n, bool positive_only)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || (positive_only && x[i] <= 0))
			return i;
	return n;
}

static double median_sorted(const double *sorted, size_t n)
{
	if (n == 0)
		return 0;
	double upper = sorted[n / 2];
	if (n % 2 == 1)
		return upper;
	double lower = sorted[n / 2 - 1];
	double sum = lower + upper;
	/* Halving first would lose the last bit of the tiniest values, adding first could overflow. */
	return isfinite(sum) ? 0.5 * sum : 0.5 * lower + 0.5 * upper;
}

double stats_median(const double *x, size_t n)
{
	double *sorted = sorted_copy(x, n);
	double median = median_sorted(sorted, n);
	mem_free(sorted);
	return median;
}

double stats_quantile_sorted(const double *sorted, size_t n, double p)
{
	if (n == 0)
		return 0;
	double at = (double)(n - 1) * fmin(1.0, fmax(0.0, p));
	size_t below = (size_t)floor(at);
	if (below + 1 >= n)
		return sorted[n - 1];
	double part = at - (double)below;
	if (part == 0)
		return sorted[below];
	return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

/* Median absolute deviation from a centre that is known already. */
static double mad_about(const double *x, size_t n, double centre)
{
	double *away = mem_alloc_array(n, sizeof *away);
	for (size_t i = 0; i < n; i++)
		away[i] = fabs(x[i] - centre);
	stats_sort(away, n);
	double mad = STATS_MAD_SCALE * median_sorted(away, n);
	mem_free(away);
	return mad;
}

double stats_mad(const double *x, size_t n)
{
	return mad_about(x, n, stats_median(x, n));
}

double stats_mean(const double *x, size_t n)
{
	if (n == 0)
		return 0;
	double mean = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	double rest = 0;
	for (size_t i = 0; i < n; i++)
		rest += (x[i] - mean) / (double)n;
	return isfinite(rest) ? mean + rest : mean;
}

/*
 * The power of two under which all distances from the mean are below 1, so that their squares neither overflow nor
 * vanish, whatever the unit. It costs no digit.
 */
static int exponent_about(const double *x, size_t n, double mean)
{
	double largest = 0;
	int exponent = 0;
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(x[i] - mean));
	if (isfinite(largest))
		frexp(largest, &exponent);
	return exponent;
}

/* The variance times 4^-exponent. */
static double scaled_variance(const double *x, size_t n, int *exponent)
{
	double mean = stats_mean(x, n);
	double squares = 0;
	double rest = 0;
	*exponent = exponent_about(x, n, mean);
	for (size_t i = 0; i < n; i++) {
		double away = ldexp(x[i] - mean, -*exponent);
		squares += away * away;
		rest += away;
	}
	return fmax(0.0, (squares - rest * rest / (double)n) / (double)(n - 1));
}

double stats_variance(const double *x, size_t n)
{
	int exponent = 0;
	if (n < 2)
		return 0;
	double scaled = scaled_variance(x, n, &exponent);
	return ldexp(scaled, 2 * exponent);
}

double stats_sd(const double *x, size_t n)
{
	int exponent = 0;
	if (n < 2)
		return 0;
	double scaled = scaled_variance(x, n, &exponent);
	return ldexp(sqrt(scaled), exponent);
}

static bool all_equal(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return false;
	return true;
}

bool stats_lag1(const double *x, size_t n, double *r)
{
	if (n < 3 || all_equal(x, n))
		return false;
	double mean = stats_mean(x, n);
	int exponent = exponent_about(x, n, mean);
	double squares = 0;
	double products = 0;
	double before = 0;
	for (size_t i = 0; i < n; i++) {
		double away = ldexp(x[i] - mean, -exponent);
		squares += away * away;
		products += before * away;
		before = away;
	}
	if (!(squares > 0) || !isfinite(squares))
		return false;
	*r = products / squares;
	return true;
}

double stats_relative_range(const double *x, size_t n)
{
	if (n == 0)
		return 0;
	double *sorted = sorted_copy(x, n);
	double range = (sorted[n - 1] - sorted[0]) / median_sorted(sorted, n);
	mem_free(sorted);
	return range;
}

static size_t count_far_out(const double *sorted, size_t n, double q25, double q75)
{
	double fence = 3.0 * (q75 - q25);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += sorted[i] < q25 - fence || sorted[i] > q75 + fence;
	return count;
}

static void median_interval(const double *sorted, size_t n, struct stats_summary *out)
{
	size_t j = stats_binomial_quantile(0.025, n, 0.5);
	if (j == 0)
		return;
	out->has_interval = true;
	out->lo = sorted[j - 1];
	out->hi = sorted[n - j];
	out->coverage = 1.0 - 2.0 * stats_binomial_cdf((long)j - 1, n, 0.5);
}

/*
 * Spearman's correlation of the values with their index, divided by its standard error under no trend. Neighbours
 * that resemble each other make chance trends likelier: what the ranks still share with their neighbours once the
 * trend is taken out widens that error.
 */
static double trend_z(const double *x, size_t n)
{
	double *rank = mem_alloc_array(n, sizeof *rank);
	stats_midranks(x, n, rank);
	double middle = 0.5 * (double)(n + 1);
	double xy = 0, xx = 0, yy = 0;
	for (size_t i = 0; i < n; i++) {
		double time = (double)(i + 1) - middle;
		xy += time * (rank[i] - middle);
		xx += time * time;
		yy += (rank[i] - middle) * (rank[i] - middle);
	}
	double rho = yy > 0 ? xy / sqrt(xx * yy) : 0;
	for (size_t i = 0; i < n; i++)
		rank[i] -= middle + xy / xx * ((double)(i + 1) - middle);
	double r = 0;
	/* A perfect trend leaves rounding errors only, whose correlation means nothing. */
	if (1.0 - rho * rho < 1e-9 || !stats_lag1(rank, n, &r))
		r = 0;
	mem_free(rank);
	r = fmin(0.95, fmax(0.0, r));
	return rho * sqrt((double)(n - 1) * (1.0 - r) / (1.0 + r));
}

static void describe_order(const double *x, size_t n, struct stats_summary *out)
{
	out->has_lag1 = stats_lag1(x, n, &out->lag1);
	if (n < MIN_FOR_ORDER_TESTS)
		return;
	double bias = 1.0 / (double)n;
	out->autocorrelated = out->has_lag1 && fabs(out->lag1 + bias) > Z_ONE_PERCENT / sqrt((double)n);
	size_t third = n / 3;
	double trend = (stats_median(x + n - third, third) - stats_median(x, third)) / out->median;
	out->has_trend = isfinite(trend);
	out->trend = out->has_trend ? trend : 0;
	out->trending = out->has_lag1 && fabs(trend_z(x, n)) > Z_ONE_PERCENT;
}

static void describe_modes(const double *sorted, size_t n, struct stats_summary *out)
{
	if (n < MIN_FOR_DIP || out->min == out->max)
		return;
	out->has_dip = true;
	out->dip = stats_dip_sorted(sorted, n);
	out->two_modes = stats_dip_significant(out->dip, n);
}

static enum stats_noise noise_of(double spread)
{
	if (spread > STATS_VERY_NOISY_SPREAD)
		return STATS_VERY_NOISY;
	return spread > STATS_NOISY_SPREAD ? STATS_NOISY : STATS_QUIET;
}

static void describe_values(const double *x, size_t n, struct stats_summary *out)
{
	double *sorted = sorted_copy(x, n);
	out->median = median_sorted(sorted, n);
	out->q25 = stats_quantile_sorted(sorted, n, 0.25);
	out->q75 = stats_quantile_sorted(sorted, n, 0.75);
	out->min = sorted[0];
	out->max = sorted[n - 1];
	out->mean = stats_mean(sorted, n);
	out->mad = mad_about(sorted, n, out->median);
	out->spread = out->mad / out->median;
	out->noise = noise_of(out->spread);
	double sd = out->min == out->max ? 0.0 : stats_sd(sorted, n);
	out->has_sd = n >= 2 && isfinite(sd);
	out->sd = out->has_sd ? sd : 0;
	out->outliers = count_far_out(sorted, n, out->q25, out->q75);
	median_interval(sorted, n, out);
	describe_modes(sorted, n, out);
	mem_free(sorted);
}

enum stats_status stats_describe(const double *x, size_t n, struct stats_summary *out)
{
	*out = (struct stats_summary){.n = n};
	if (n == 0)
		return out->status = STATS_EMPTY;
	size_t bad = stats_first_bad(x, n, true);
	if (bad < n) {
		out->bad_index = bad;
		return out->status = STATS_BAD_VALUE;
	}
	describe_values(x, n, out);
	describe_order(x, n, out);
	return STATS_OK;
}
