#include "stats/rankdist.h"

#include <math.h>

#include "base/mem.h"
#include "stats/rank.h"

struct rank_distribution rank_distribution_signed(size_t n)
{
	struct rank_distribution d = {.top = n * (n + 1) / 2};
	d.p = mem_alloc_array(d.top + 1, sizeof *d.p);
	d.p[0] = 1;
	size_t top = 0;
	for (size_t rank = 1; rank <= n; rank++) {
		top += rank;
		for (size_t v = top + 1; v-- > 0;)
			d.p[v] = 0.5 * (d.p[v] + (v >= rank ? d.p[v - rank] : 0.0));
	}
	return d;
}

/*
 * The largest of i + j values is an x with chance i/(i+j): then it beats all j of the other side. Table row j holds
 * the distribution for (i, j); i grows in the outer loop, so row j still holds (i-1, j) when it is needed.
 */
static void u_step(double *table, size_t width, size_t i, size_t m)
{
	for (size_t j = 1; j <= m; j++) {
		double *row = table + j * width;
		const double *shorter = table + (j - 1) * width;
		double from_x = (double)i / (double)(i + j);
		for (size_t u = i * j + 1; u-- > 0;) {
			double beats = u >= j ? row[u - j] : 0.0;
			row[u] = from_x * beats + (1.0 - from_x) * shorter[u];
		}
	}
}

struct rank_distribution rank_distribution_u(size_t n, size_t m)
{
	if (m > n) /* it is the same either way; the table has a row for each of m */
		return rank_distribution_u(m, n);
	struct rank_distribution d = {.top = n * m};
	size_t width = d.top + 1;
	double *table = mem_alloc_array((m + 1) * width, sizeof *table);
	for (size_t j = 0; j <= m; j++)
		table[j * width] = 1;
	for (size_t i = 1; i <= n; i++)
		u_step(table, width, i, m);
	d.p = mem_alloc_array(width, sizeof *d.p);
	for (size_t u = 0; u < width; u++)
		d.p[u] = table[m * width + u];
	mem_free(table);
	return d;
}

void rank_distribution_release(struct rank_distribution *d)
{
	mem_free(d->p);
	d->p = NULL;
}

static double lower_tail(const struct rank_distribution *d, size_t v)
{
	double sum = 0;
	for (size_t i = 0; i <= v; i++)
		sum += d->p[i];
	return sum;
}

double rank_distribution_cdf(const struct rank_distribution *d, size_t v)
{
	if (v >= d->top)
		return 1;
	/* By symmetry P(X <= v) = 1 - P(X <= top - 1 - v): sum the shorter tail. */
	return 2 * v < d->top ? lower_tail(d, v) : 1.0 - lower_tail(d, d->top - 1 - v);
}

size_t rank_distribution_quantile(const struct rank_distribution *d, double q)
{
	double want = q * (1.0 - 1e-12);
	double sum = 0;
	for (size_t v = 0; v < d->top; v++) {
		sum += d->p[v];
		if (sum >= want)
			return v;
	}
	return d->top;
}

double rank_distribution_two_sided(const struct rank_distribution *d, size_t v)
{
	size_t near = 2 * v <= d->top ? v : d->top - v;
	return fmin(1.0, 2.0 * rank_distribution_cdf(d, near));
}

double stats_signed_rank_cdf(size_t v, size_t n)
{
	struct rank_distribution d = rank_distribution_signed(n);
	double p = rank_distribution_cdf(&d, v);
	rank_distribution_release(&d);
	return p;
}

double stats_mann_whitney_cdf(size_t u, size_t n, size_t m)
{
	struct rank_distribution d = rank_distribution_u(n, m);
	double p = rank_distribution_cdf(&d, u);
	rank_distribution_release(&d);
	return p;
}
