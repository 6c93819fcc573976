#include "stats/contrast.h"

#include <math.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/dist.h"

static size_t set_count(unsigned things)
{
	return (size_t)1 << things;
}

/* Paths from nothing up to each set. */
static void count_up(struct stats_orders *orders, const bool *measured)
{
	size_t sets = set_count(orders->things);

	orders->up[0] = measured[0] ? 1 : 0;
	for (size_t set = 1; set < sets; set++)
		for (unsigned i = 0; measured[set] && i < orders->things; i++)
			if ((set >> i & 1) != 0)
				orders->up[set] += orders->up[set ^ ((size_t)1 << i)];
}

/* Paths from each set on to all. */
static void count_down(struct stats_orders *orders, const bool *measured)
{
	size_t sets = set_count(orders->things);

	orders->down[sets - 1] = measured[sets - 1] ? 1 : 0;
	for (size_t set = sets - 1; set-- > 0;)
		for (unsigned i = 0; measured[set] && i < orders->things; i++)
			if ((set >> i & 1) == 0)
				orders->down[set] += orders->down[set | ((size_t)1 << i)];
}

void stats_orders_init(struct stats_orders *orders, const bool *measured, unsigned things)
{
	size_t sets = set_count(things);

	*orders = (struct stats_orders){.things = things, .possible = 1};
	orders->up = mem_alloc_array(sets, sizeof(*orders->up));
	orders->down = mem_alloc_array(sets, sizeof(*orders->down));
	for (unsigned i = 2; i <= things; i++)
		orders->possible *= i;
	count_up(orders, measured);
	count_down(orders, measured);
	orders->used = orders->up[sets - 1];
}

void stats_orders_release(struct stats_orders *orders)
{
	mem_free(orders->up);
	mem_free(orders->down);
	*orders = (struct stats_orders){0};
}

bool stats_orders_need(const struct stats_orders *orders, size_t set)
{
	return orders->up[set] > 0 && orders->down[set] > 0;
}

void stats_orders_weights(const struct stats_orders *orders, unsigned thing, double *weight)
{
	size_t sets = set_count(orders->things), bit = (size_t)1 << thing;

	for (size_t set = 0; set < sets; set++)
		weight[set] = 0;
	for (size_t set = 0; set < sets && orders->used > 0; set++) {
		double share;

		if ((set & bit) != 0)
			continue;
		share = orders->up[set] * orders->down[set | bit] / orders->used;
		weight[set] -= share;
		weight[set | bit] += share;
	}
}

static void set_interval(struct stats_pair *out)
{
	double half = stats_t_quantile(0.975, out->df) * out->se;

	out->lo = out->effect - half;
	out->hi = out->effect + half;
	out->has_p = true;
	out->p = stats_t_two_sided(out->effect / out->se, out->df);
}

/* Rounding in the weights leaves estimates apart that are equal. */
static bool all_equal(double estimate, const double *left_out, size_t n)
{
	double room = 1e-13 * fmax(1, fabs(estimate)), low = left_out[0], high = left_out[0];

	for (size_t i = 1; i < n; i++) {
		low = fmin(low, left_out[i]);
		high = fmax(high, left_out[i]);
	}
	return high - low <= room;
}

void stats_jackknife(double estimate, const double *left_out, size_t n, struct stats_pair *out)
{
	*out = (struct stats_pair){.status = STATS_PAIR_FEW_ROUNDS,
		.method = STATS_BY_ROUNDS,
		.layouts = 1,
		.rounds = n,
		.observations = n,
		.p = 1};
	if (n < STATS_MIN_ROUNDS)
		return;
	out->status = STATS_PAIR_OK;
	out->effect = out->lo = out->hi = estimate;
	out->df = (double)(n - 1);
	if (!all_equal(estimate, left_out, n)) {
		double parts = (double)n;

		out->se = (parts - 1) * sqrt(stats_variance(left_out, n) / parts);
		set_interval(out);
		return;
	}
	out->has_p = estimate != 0;
	out->p = out->has_p ? ldexp(1.0, 1 - (int)n) : 1;
}
