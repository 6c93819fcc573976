#include "stats/aa.h"

#include <math.h>

#include "base/mem.h"
#include "stats/describe.h"

#define MAX_RUNS    10000
#define ENOUGH_OVER 40 /* as many simulated runs beyond the real one settle that p is not small */

/* A usable pair, ready for simulation. */
struct null_pair {
	size_t layouts;
	double weight; /* (v - 2) / v: t^2 times this has mean 1 */
	bool linked;   /* shares its first cell with the pair before */
};

struct simulation {
	const struct null_pair *pair;
	size_t n;
	struct rng *rng;
	double *left, *right, *diff; /* each as long as the most layouts of any pair, and one more */
	size_t layouts;
};

/* Standard normal draws by Marsaglia's polar method (SIAM Review 6, 1964), which makes two at a time. */
static void draw_cell(struct simulation *sim, double *cell, size_t layouts)
{
	for (size_t i = 0; i < layouts; i += 2) {
		double u, v, s;
		do {
			u = 2.0 * rng_unit(sim->rng) - 1.0;
			v = 2.0 * rng_unit(sim->rng) - 1.0;
			s = u * u + v * v;
		} while (s >= 1 || s <= 0);
		double stretch = sqrt(-2.0 * log(s) / s);
		cell[i] = u * stretch;
		cell[i + 1] = v * stretch;
	}
}

/* Fills sim->diff with the layouts' effects of pair i in a run in which all is well; their scale does not matter. */
static void draw_pair(struct simulation *sim, size_t i)
{
	const struct null_pair *pair = &sim->pair[i];
	bool linked_on = i + 1 < sim->n && sim->pair[i + 1].linked;
	if (!pair->linked && !linked_on) {
		draw_cell(sim, sim->diff, pair->layouts);
		return;
	}
	double *swap = sim->left;
	sim->left = sim->right;
	sim->right = swap;
	if (!pair->linked)
		draw_cell(sim, sim->left, sim->layouts);
	draw_cell(sim, sim->right, sim->layouts);
	for (size_t k = 0; k < pair->layouts; k++)
		sim->diff[k] = sim->right[k] - sim->left[k];
}

/* The sum of weighted z^2 of one such run. */
static double simulate_run(struct simulation *sim)
{
	double sum = 0;
	for (size_t i = 0; i < sim->n; i++) {
		const struct null_pair *pair = &sim->pair[i];
		draw_pair(sim, i);
		double mean = stats_mean(sim->diff, pair->layouts);
		double variance = stats_variance(sim->diff, pair->layouts) / (double)pair->layouts;
		if (variance > 0)
			sum += pair->weight * mean * mean / variance;
	}
	return sum;
}

/* P(sum >= seen) with the seen run counted among the simulated ones, so that it is never 0. */
static double p_under_null(const struct null_pair *pair, size_t n, double seen, struct rng *rng)
{
	struct simulation sim = {.pair = pair, .n = n, .rng = rng};
	for (size_t i = 0; i < n; i++)
		sim.layouts = pair[i].layouts > sim.layouts ? pair[i].layouts : sim.layouts;
	sim.left = mem_alloc_array(sim.layouts + 1, sizeof(double));
	sim.right = mem_alloc_array(sim.layouts + 1, sizeof(double));
	sim.diff = mem_alloc_array(sim.layouts + 1, sizeof(double));
	size_t over = 0, runs = 0;
	while (runs < MAX_RUNS && over < ENOUGH_OVER) {
		runs++;
		over += simulate_run(&sim) >= seen;
	}
	mem_free(sim.left);
	mem_free(sim.right);
	mem_free(sim.diff);
	return (double)(over + 1) / (double)(runs + 1);
}

static bool usable(const struct stats_aa_pair *pair)
{
	return isfinite(pair->effect) && isfinite(pair->se) && isfinite(pair->df) && pair->se > 0 &&
	       pair->df > 2;
}

/* Fills null with the usable pairs; returns the sum of their weighted z^2. */
static double collect(
	const struct stats_aa_pair *pairs, size_t n, struct null_pair *null, struct stats_aa *out)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		const struct stats_aa_pair *pair = &pairs[i];
		if (!usable(pair)) {
			out->unused++;
			out->suspect = out->suspect || (pair->se == 0 && pair->df > 2 && pair->effect != 0);
			continue;
		}
		double weight = (pair->df - 2) / pair->df;
		double z = pair->effect / pair->se;
		bool linked = i > 0 && pairs[i - 1].chain == pair->chain && usable(&pairs[i - 1]);
		null[out->pairs++] = (struct null_pair){(size_t)lround(pair->df) + 1, weight, linked};
		sum += weight * z * z;
	}
	return sum;
}

void stats_aa_check(const struct stats_aa_pair *pairs, size_t n, struct rng *rng, struct stats_aa *out)
{
	*out = (struct stats_aa){.lambda = 1, .p = 1};
	struct null_pair *null = mem_alloc_array(n, sizeof *null);
	double sum = collect(pairs, n, null, out);
	if (out->pairs > 0)
		out->mean_z2 = sum / (double)out->pairs;
	out->checked = out->pairs >= STATS_AA_MIN_PAIRS && isfinite(sum);
	if (out->checked) {
		out->lambda = fmax(1.0, sqrt(out->mean_z2));
		out->p = p_under_null(null, out->pairs, sum, rng);
		out->suspect = out->suspect || out->p < STATS_AA_SUSPECT_P;
	}
	mem_free(null);
}
