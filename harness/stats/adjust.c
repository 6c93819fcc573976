#include "stats/adjust.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct ranked {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void stats_holm(const double *p, size_t n, size_t family, double *adjusted)
{
	if (n == 0)
		return;
	size_t m = family < n ? n : family;
	struct ranked *order = mem_alloc_array(n, sizeof *order);
	for (size_t i = 0; i < n; i++) {
		order[i].p = p[i] >= 0 && p[i] <= 1 ? p[i] : 1.0;
		order[i].index = i;
	}
	qsort(order, n, sizeof *order, by_p);
	double largest = 0;
	for (size_t i = 0; i < n; i++) {
		largest = fmax(largest, fmin(1.0, (double)(m - i) * order[i].p));
		adjusted[order[i].index] = largest;
	}
	mem_free(order);
}

/* ln of the binomial coefficient. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

double stats_fisher(size_t a, size_t b, size_t c, size_t d)
{
	size_t row = a + b;
	size_t column = a + c;
	size_t total = a + b + c + d;
	if (row == 0 || column == 0 || row == total || column == total)
		return 1;
	size_t lowest = row + column > total ? row + column - total : 0;
	size_t highest = row < column ? row : column;
	double all = log_choose((double)total, (double)column);
	double seen = log_choose((double)row, (double)a) + log_choose((double)(total - row), (double)c) - all;
	double sum = 0;
	for (size_t k = lowest; k <= highest; k++) {
		double ln = log_choose((double)row, (double)k) +
			    log_choose((double)(total - row), (double)(column - k)) - all;
		if (ln <= seen + 1e-7)
			sum += exp(ln);
	}
	return fmin(1.0, sum);
}
