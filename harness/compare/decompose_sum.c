#include "compare/decompose_sum.h"

#include <math.h>

#include "base/mem.h"
#include "stats/contrast.h"
#include "stats/rank.h"

#define CANCELLED 1e-12 /* weights of shares are fractions, and cancel to this only */

/* What a node gives from the rounds below one limit. */
struct estimate {
	size_t rounds; /* that it has */
	double *values
		[2]; /* a layout each, NAN: none; of all rounds, and of those without a disturbed sample */
	double *left[2]; /* one layout: a part each, of all rounds but these */
};

struct view {
	uint32_t limit;
	size_t parts;		 /* one layout: of the rounds below the limit; else 0 */
	struct estimate **nodes; /* NULL: not needed yet */
};

struct sums {
	const struct cells *cells;
	size_t *first; /* of each node's members, and their number behind the last */
	VEC(struct view) views;
	double *series, *room; /* a number an instant */
	double *weights;       /* of the nodes of the sum at hand; else 0 */
	bool *seen;
	size_t *nodes; /* of the sum at hand, without node 0, which is 0 everywhere */
	bool differ;   /* some cell does from the reference: sums without disturbed samples are needed */
	size_t node_count;
};

struct sums *sums_new(const struct cells *cells)
{
	struct sums *sums = mem_alloc(sizeof(*sums));
	size_t n = cells->node_count, node = 0;

	sums->cells = cells;
	sums->first = mem_alloc_array(n + 1, sizeof(*sums->first));
	for (size_t i = 0; i < cells->member_count; i++)
		if (i == 0 || cells->members[i].node != cells->members[i - 1].node)
			sums->first[node++] = i;
	sums->first[n] = cells->member_count;
	for (size_t i = 0; i < cells->member_count; i++)
		sums->differ = sums->differ || cells->members[i].differ;
	sums->series = mem_alloc_array(cells->instant_count, sizeof(*sums->series));
	sums->room = mem_alloc_array(cells->instant_count, sizeof(*sums->room));
	sums->weights = mem_alloc_array(n, sizeof(*sums->weights));
	sums->seen = mem_alloc_array(n, sizeof(*sums->seen));
	sums->nodes = mem_alloc_array(n, sizeof(*sums->nodes));
	return sums;
}

void sums_free(struct sums *sums)
{
	for (size_t v = 0; v < sums->views.n; v++) {
		for (size_t i = 0; i < sums->cells->node_count; i++) {
			if (sums->views.v[v].nodes[i] != NULL)
				mem_free(sums->views.v[v].nodes[i]->values[0]);
			mem_free(sums->views.v[v].nodes[i]);
		}
		mem_free(sums->views.v[v].nodes);
	}
	vec_release(&sums->views);
	mem_free(sums->first);
	mem_free(sums->series);
	mem_free(sums->room);
	mem_free(sums->weights);
	mem_free(sums->seen);
	mem_free(sums->nodes);
	mem_free(sums);
}

/* --- estimates of nodes --- */

/* A node's effect at one instant: the mean of its cells that are still measured under the limit; NAN: none. */
static double effect_at(const struct sums *sums, size_t node, size_t instant, uint32_t limit, bool clean)
{
	double sum = 0;
	size_t n = 0;

	if (sums->cells->instants[instant].round >= limit)
		return NAN;
	for (size_t i = sums->first[node]; i < sums->first[node + 1]; i++) {
		const struct cells_member *member = &sums->cells->members[i];

		if (member->close < limit || !isfinite(member->effect[instant]) ||
			(clean && member->disturbed[instant]))
			continue;
		sum += member->effect[instant];
		n++;
	}
	return n > 0 ? sum / (double)n : NAN;
}

/* Of the numbers from ... to-1 of the series that are there. */
static double pseudomedian(struct sums *sums, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (isfinite(sums->series[i]))
			sums->room[n++] = sums->series[i];
	return n > 0 ? stats_pseudomedian(sums->room, n) : NAN;
}

/* One layout: without each part of the rounds in turn. Rounds of a part are neighbours. */
static void leave_out(struct sums *sums, const struct view *view, double *left)
{
	const struct cells *cells = sums->cells;
	size_t rounds = 0;

	while (rounds < cells->instant_count && cells->instants[rounds].round < view->limit)
		rounds++;
	for (size_t part = 0; part < view->parts; part++) {
		size_t from = part * rounds / view->parts, to = (part + 1) * rounds / view->parts, n = 0;

		for (size_t i = 0; i < rounds; i++)
			if ((i < from || i >= to) && isfinite(sums->series[i]))
				sums->room[n++] = sums->series[i];
		left[part] = n > 0 ? stats_pseudomedian(sums->room, n) : NAN;
	}
}

static struct estimate *estimate_node(struct sums *sums, const struct view *view, size_t node)
{
	const struct cells *cells = sums->cells;
	size_t layouts = cells->layout_count;
	struct estimate *estimate = mem_alloc(sizeof(*estimate));
	double *room = mem_alloc_array(2 * (layouts + view->parts), sizeof(*room));

	for (size_t clean = 0; clean < (sums->differ ? 2 : 1); clean++) {
		estimate->values[clean] = room + clean * layouts;
		estimate->left[clean] = room + 2 * layouts + clean * view->parts;
		for (size_t i = 0; i < cells->instant_count; i++) {
			sums->series[i] = effect_at(sums, node, i, view->limit, clean == 1);
			estimate->rounds += clean == 0 && isfinite(sums->series[i]);
		}
		for (size_t l = 0; l < layouts; l++)
			estimate->values[clean][l] =
				pseudomedian(sums, cells->starts[l], cells->starts[l + 1]);
		leave_out(sums, view, estimate->left[clean]);
	}
	return estimate;
}

static struct view *view_at(struct sums *sums, uint32_t limit)
{
	const struct cells *cells = sums->cells;
	struct view view = {.limit = limit};

	for (size_t i = 0; i < sums->views.n; i++)
		if (sums->views.v[i].limit == limit)
			return &sums->views.v[i];
	for (size_t i = 0; i < cells->instant_count && cells->layout_count == 1; i++)
		view.parts += cells->instants[i].round < limit;
	view.parts = view.parts < SUM_PARTS ? view.parts : SUM_PARTS;
	view.nodes = mem_alloc_array(cells->node_count, sizeof(*view.nodes));
	vec_push(&sums->views, view);
	return &sums->views.v[sums->views.n - 1];
}

/* --- sums --- */

/* The nodes of a sum and their weights; false if these cancel. */
static bool gather(struct sums *sums, const struct sum *sum)
{
	bool any = false;

	sums->node_count = 0;
	for (size_t i = 0; i < sum->n; i++) {
		size_t node = sums->cells->node_of[sum->combinations[i]];

		sums->weights[node] += sum->weights[i];
		if (node > 0 && !sums->seen[node])
			sums->nodes[sums->node_count++] = node;
		sums->seen[node] = true;
	}
	for (size_t i = 0; i < sums->node_count; i++)
		any = any || fabs(sums->weights[sums->nodes[i]]) > CANCELLED;
	return any;
}

static void forget(struct sums *sums)
{
	for (size_t i = 0; i < sums->node_count; i++) {
		sums->weights[sums->nodes[i]] = 0;
		sums->seen[sums->nodes[i]] = false;
	}
	if (sums->cells->node_count > 0) {
		sums->weights[0] = 0;
		sums->seen[0] = false;
	}
}

static uint32_t limit_of(const struct sums *sums)
{
	uint32_t limit = sums->cells->close;

	for (size_t i = 0; i < sums->node_count; i++)
		if (sums->cells->closes[sums->nodes[i]] < limit)
			limit = sums->cells->closes[sums->nodes[i]];
	return limit;
}

static bool nodes_differ(const struct sums *sums)
{
	for (size_t i = 0; i < sums->node_count; i++) {
		size_t node = sums->nodes[i];

		for (size_t k = sums->first[node]; k < sums->first[node + 1]; k++)
			if (fabs(sums->weights[node]) > CANCELLED && sums->cells->members[k].differ)
				return true;
	}
	return false;
}

/* The sum of one number of each node, NAN where one is missing. left: without part `at`, else in layout `at`. */
static double sum_at(const struct sums *sums, const struct view *view, bool left, bool clean, size_t at)
{
	double sum = 0;

	for (size_t i = 0; i < sums->node_count; i++) {
		const struct estimate *estimate = view->nodes[sums->nodes[i]];
		const double *from = left ? estimate->left[clean] : estimate->values[clean];

		sum += sums->weights[sums->nodes[i]] * from[at];
		if (!isfinite(from[at])) /* also of weight 0 */
			return NAN;
	}
	return sum;
}

static size_t fewest_rounds(const struct sums *sums, const struct view *view)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < sums->node_count; i++)
		if (view->nodes[sums->nodes[i]]->rounds < fewest)
			fewest = view->nodes[sums->nodes[i]]->rounds;
	return fewest;
}

static void by_layouts(const struct sums *sums, const struct view *view, bool clean, struct stats_pair *out)
{
	size_t layouts = sums->cells->layout_count, n = 0;
	struct stats_observation *obs = mem_alloc_array(layouts, sizeof(*obs));

	for (size_t l = 0; l < layouts; l++) {
		double effect = sum_at(sums, view, false, clean, l);

		if (isfinite(effect))
			obs[n++] = (struct stats_observation){
				.layout = (uint32_t)l, .round = (uint32_t)l, .effect = effect};
	}
	stats_pair_analyse(obs, n, STATS_USE_ALL, out);
	mem_free(obs);
}

static void by_rounds(const struct sums *sums, const struct view *view, bool clean, struct stats_pair *out)
{
	double *left = mem_alloc_array(view->parts, sizeof(*left));
	double effect = sum_at(sums, view, false, clean, 0);
	bool complete = isfinite(effect);

	for (size_t i = 0; i < view->parts; i++) {
		left[i] = sum_at(sums, view, true, clean, i);
		complete = complete && isfinite(left[i]);
	}
	*out = (struct stats_pair){.status = STATS_PAIR_FEW_ROUNDS, .layouts = 1, .p = 1};
	if (complete && fewest_rounds(sums, view) >= STATS_MIN_ROUNDS)
		stats_jackknife(effect, left, view->parts, out);
	mem_free(left);
}

static void analyse(const struct sums *sums, const struct view *view, bool clean, struct stats_pair *out)
{
	if (sums->cells->layout_count == 1)
		by_rounds(sums, view, clean, out);
	else
		by_layouts(sums, view, clean, out);
	/* one layout of several, in which all cells happen to be, says nothing about placement either */
	if (sums->cells->layout_count > 1 && out->layouts < STATS_MIN_LAYOUTS)
		*out = (struct stats_pair){.status = STATS_PAIR_FEW_LAYOUTS, .layouts = out->layouts, .p = 1};
	out->rounds = fewest_rounds(sums, view);
}

/* Of the sums of single blocks in which all cells are: what of their variance lies between layouts. */
static double placement_share(const struct sums *sums, uint32_t limit)
{
	const struct cells *cells = sums->cells;
	struct stats_observation *obs = mem_alloc_array(cells->instant_count, sizeof(*obs));
	struct stats_split split;
	size_t n = 0;

	for (size_t i = 0; i < cells->instant_count; i++) {
		double effect = 0;

		for (size_t k = 0; k < sums->node_count; k++)
			effect += sums->weights[sums->nodes[k]] *
				  effect_at(sums, sums->nodes[k], i, limit, false);
		if (isfinite(effect))
			obs[n++] = (struct stats_observation){.layout = cells->instants[i].layout,
				.round = cells->instants[i].round,
				.effect = effect};
	}
	stats_split_variance(obs, n, &split);
	mem_free(obs);
	return split.known ? split.placement_share : -1;
}

void sums_estimate(struct sums *sums, const struct sum *sum, struct sum_estimate *out)
{
	*out = (struct sum_estimate){.limit = CELLS_OPEN, .placement_share = -1};
	out->same_code = !gather(sums, sum);
	if (!out->same_code) {
		struct view *view = view_at(sums, limit_of(sums));

		out->limit = view->limit;
		for (size_t i = 0; i < sums->node_count; i++)
			if (view->nodes[sums->nodes[i]] == NULL)
				view->nodes[sums->nodes[i]] = estimate_node(sums, view, sums->nodes[i]);
		analyse(sums, view, false, &out->all);
		out->clean = out->all;
		out->differ = nodes_differ(sums);
		if (out->differ)
			analyse(sums, view, true, &out->clean);
		if (sums->cells->layout_count > 1)
			out->placement_share = placement_share(sums, view->limit);
	}
	forget(sums);
}
