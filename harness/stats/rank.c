#include "stats/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/pairsum.h"
#include "stats/rankdist.h"

#define MISS_95 0.05 /* of a 95 % interval */

struct indexed {
	double value;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct indexed *x = a;
	const struct indexed *y = b;
	return (x->value > y->value) - (x->value < y->value);
}

/* Gives the values from `from` to before `to`, all equal, their common rank. Returns t^3 - t. */
static double rank_group(const struct indexed *sorted, size_t from, size_t to, double *rank)
{
	double mean = 0.5 * (double)(from + 1 + to);
	for (size_t i = from; i < to; i++)
		rank[sorted[i].index] = mean;
	double t = (double)(to - from);
	return t * t * t - t;
}

double stats_midranks(const double *x, size_t n, double *rank)
{
	if (n == 0)
		return 0;
	struct indexed *sorted = mem_alloc_array(n, sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct indexed){x[i], i};
	qsort(sorted, n, sizeof *sorted, by_value);
	double ties = 0;
	size_t from = 0;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && sorted[i].value == sorted[from].value)
			continue;
		ties += rank_group(sorted, from, i, rank);
		from = i;
	}
	mem_free(sorted);
	return ties;
}

/*
 * Number of the order statistic that is the lower end of the interval, and the interval's coverage, where pairs
 * (averages, differences) number `top` and the test statistic has this distribution. 0: cannot be reached.
 */
static size_t exact_end(struct rank_distribution *d, double miss, double *coverage)
{
	size_t k = rank_distribution_quantile(d, 0.5 * miss);
	*coverage = k == 0 ? 0.0 : 1.0 - 2.0 * rank_distribution_cdf(d, k - 1);
	rank_distribution_release(d);
	return k;
}

static size_t normal_end(double mean, double sd, double miss, double *coverage)
{
	double k = floor(mean + stats_normal_quantile(0.5 * miss) * sd + 0.5);
	if (k < 1)
		return 0;
	*coverage = 1.0 - 2.0 * stats_normal_cdf((k - 0.5 - mean) / sd);
	return (size_t)k;
}

static struct stats_location locate(const struct pair_sums *sums, size_t k, double coverage)
{
	struct stats_location at = {.value = pair_sums_median(sums)};
	if (k == 0)
		return at;
	at.has_interval = true;
	at.coverage = coverage;
	at.lo = pair_sums_select(sums, k);
	at.hi = pair_sums_select(sums, pair_sums_count(sums) + 1 - k);
	return at;
}

static size_t signed_rank_end(size_t n, double miss, double *coverage)
{
	if (n <= STATS_SIGNED_RANK_EXACT) {
		struct rank_distribution d = rank_distribution_signed(n);
		return exact_end(&d, miss, coverage);
	}
	double v = (double)n;
	return normal_end(v * (v + 1) / 4, sqrt(v * (v + 1) * (2 * v + 1) / 24), miss, coverage);
}

/* A few values against many are where a normal distribution fits worst, and the exact one costs little. */
static bool is_exact_u(size_t n, size_t m)
{
	return n * m <= (size_t)STATS_MANN_WHITNEY_EXACT * STATS_MANN_WHITNEY_EXACT;
}

static size_t mann_whitney_end(size_t n, size_t m, double miss, double *coverage)
{
	if (is_exact_u(n, m)) {
		struct rank_distribution d = rank_distribution_u(n, m);
		return exact_end(&d, miss, coverage);
	}
	double pairs = (double)n * (double)m;
	return normal_end(pairs / 2, sqrt(pairs * (double)(n + m + 1) / 12), miss, coverage);
}

/* Sorted, each value times `factor` (not 0). */
static double *scaled_sorted(const double *x, size_t n, double factor)
{
	double *copy = mem_alloc_array(n, sizeof *copy);
	for (size_t i = 0; i < n; i++)
		copy[i] = factor * x[i];
	stats_sort(copy, n);
	return copy;
}

double stats_pseudomedian(const double *x, size_t n)
{
	if (n == 0)
		return 0;
	double *half = scaled_sorted(x, n, 0.5);
	double value = pair_sums_median(&(struct pair_sums){half, n, half, n, true});
	mem_free(half);
	return value;
}

struct stats_location stats_pseudomedian_interval(const double *x, size_t n)
{
	return stats_pseudomedian_bounds(x, n, MISS_95);
}

struct stats_location stats_pseudomedian_bounds(const double *x, size_t n, double miss)
{
	if (n == 0)
		return (struct stats_location){0};
	double coverage = 0;
	size_t k = signed_rank_end(n, miss, &coverage);
	double *half = scaled_sorted(x, n, 0.5);
	struct stats_location at = locate(&(struct pair_sums){half, n, half, n, true}, k, coverage);
	mem_free(half);
	return at;
}

double stats_shift(const double *x, size_t n, const double *y, size_t m)
{
	if (n == 0 || m == 0)
		return 0;
	double *plus = scaled_sorted(x, n, 1);
	double *minus = scaled_sorted(y, m, -1);
	double value = pair_sums_median(&(struct pair_sums){plus, n, minus, m, false});
	mem_free(plus);
	mem_free(minus);
	return value;
}

struct stats_location stats_shift_interval(const double *x, size_t n, const double *y, size_t m)
{
	return stats_shift_bounds(x, n, y, m, MISS_95);
}

struct stats_location stats_shift_bounds(const double *x, size_t n, const double *y, size_t m, double miss)
{
	if (n == 0 || m == 0)
		return (struct stats_location){0};
	double coverage = 0;
	size_t k = mann_whitney_end(n, m, miss, &coverage);
	double *plus = scaled_sorted(x, n, 1);
	double *minus = scaled_sorted(y, m, -1);
	struct stats_location at = locate(&(struct pair_sums){plus, n, minus, m, false}, k, coverage);
	mem_free(plus);
	mem_free(minus);
	return at;
}

static double *logarithms(const double *x, size_t n)
{
	double *logs = mem_alloc_array(n, sizeof *logs);
	for (size_t i = 0; i < n; i++)
		logs[i] = log(x[i]);
	return logs;
}

struct stats_location stats_ratio_bounds(const double *x, size_t n, const double *y, size_t m, double miss)
{
	if (n == 0 || m == 0 || stats_first_bad(x, n, true) < n || stats_first_bad(y, m, true) < m)
		return (struct stats_location){0};
	double *log_x = logarithms(x, n), *log_y = logarithms(y, m);
	struct stats_location at = stats_shift_bounds(log_x, n, log_y, m, miss);
	at.value = exp(at.value);
	if (at.has_interval) {
		at.lo = exp(at.lo);
		at.hi = exp(at.hi);
	}
	mem_free(log_x);
	mem_free(log_y);
	return at;
}

/* Two-sided normal p with continuity correction; also chooses which p is the answer. */
static void finish_test(struct stats_rank_test *test, double mean, double variance)
{
	test->p_normal = 1;
	if (variance > 0) {
		double away = fmax(0.0, fabs(test->statistic - mean) - 0.5);
		test->has_normal = true;
		test->p_normal = erfc(away / sqrt(2.0 * variance));
	}
	test->exact = test->has_exact;
	test->has_p = test->has_exact || test->has_normal;
	test->p = test->has_exact ? test->p_exact : test->p_normal;
}

struct stats_rank_test stats_signed_rank(const double *d, size_t n)
{
	struct stats_rank_test test = {.p = 1, .p_exact = 1};
	double *size = mem_alloc_array(n, sizeof *size);
	double *rank = mem_alloc_array(n, sizeof *rank);
	for (size_t i = 0; i < n; i++)
		if (d[i] != 0)
			size[test.n++] = fabs(d[i]);
	double ties = stats_midranks(size, test.n, rank);
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		if (d[i] == 0)
			continue;
		test.statistic += d[i] > 0 ? rank[at] : 0.0;
		at++;
	}
	mem_free(size);
	mem_free(rank);
	if (test.n > 0 && test.n == n && ties == 0 && n <= STATS_SIGNED_RANK_EXACT) {
		struct rank_distribution exact = rank_distribution_signed(n);
		test.has_exact = true;
		test.p_exact = rank_distribution_two_sided(&exact, (size_t)test.statistic);
		rank_distribution_release(&exact);
	}
	double k = (double)test.n;
	finish_test(&test, k * (k + 1) / 4, k * (k + 1) * (2 * k + 1) / 24 - ties / 48);
	return test;
}

/* U of x against y, and the ties of both together. */
static double u_statistic(const double *x, size_t n, const double *y, size_t m, double *ties)
{
	double *both = mem_alloc_array(n + m, sizeof *both);
	double *rank = mem_alloc_array(n + m, sizeof *rank);
	memcpy(both, x, n * sizeof *both);
	memcpy(both + n, y, m * sizeof *both);
	*ties = stats_midranks(both, n + m, rank);
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += rank[i];
	mem_free(both);
	mem_free(rank);
	return sum - 0.5 * (double)n * (double)(n + 1);
}

struct stats_rank_test stats_mann_whitney(const double *x, size_t n, const double *y, size_t m)
{
	struct stats_rank_test test = {.n = n + m, .p = 1, .p_exact = 1, .p_normal = 1};
	if (n == 0 || m == 0)
		return test;
	double ties = 0;
	test.statistic = u_statistic(x, n, y, m, &ties);
	if (ties == 0 && is_exact_u(n, m)) {
		struct rank_distribution exact = rank_distribution_u(n, m);
		test.has_exact = true;
		test.p_exact = rank_distribution_two_sided(&exact, (size_t)test.statistic);
		rank_distribution_release(&exact);
	}
	double all = (double)(n + m);
	double pairs = (double)n * (double)m;
	finish_test(&test, pairs / 2, pairs / 12 * (all + 1 - ties / (all * (all - 1))));
	return test;
}

double stats_a12(const double *x, size_t n, const double *y, size_t m)
{
	if (n == 0 || m == 0)
		return 0.5;
	double ties = 0;
	return u_statistic(x, n, y, m, &ties) / ((double)n * (double)m);
}

double stats_cliffs_delta(const double *x, size_t n, const double *y, size_t m)
{
	return 2.0 * stats_a12(x, n, y, m) - 1.0;
}
