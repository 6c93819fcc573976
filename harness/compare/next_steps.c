#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/next_work.h"

/*
 * From what each comparison needs to a few runs. Those with like needs share one: layouts and rounds are doubled from
 * the least that there can be, and then the two runs are joined whose joining costs least, until few are left. Cells
 * of one workload and slot share a baseline, so joining can also save time.
 */

enum { GROUPS = 32 };

struct grouping {
	struct next_work *work;
	struct next_step steps[GROUPS];
	size_t n;
	uint32_t *seen; /* one a build: number of the sum that counted it */
	uint32_t sum;
};

static const struct comparison *comparison_of(const struct next_work *work, size_t item)
{
	return &work->result->comparisons[work->next->items[item].comparison];
}

static void round_up(
	const struct comparison *c, const struct next_item *item, uint32_t *layouts, uint32_t *rounds)
{
	*layouts = c->layouts;
	while (*layouts < item->layouts)
		*layouts *= 2;
	if (*layouts > NEXT_MOST_LAYOUTS && *layouts > c->layouts)
		*layouts = NEXT_MOST_LAYOUTS;
	*rounds = *layouts > 1 ? *layouts : STATS_MIN_ROUNDS;
	/* as many as the record has would only do if its noise had been bad luck */
	while (*rounds < item->rounds || (item->layouts == c->layouts && *rounds <= c->rounds))
		*rounds *= 2;
	if (*rounds > NEXT_MOST_ROUNDS)
		*rounds = NEXT_MOST_ROUNDS;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void add_build(
	struct grouping *g, uint32_t build, const struct next_step *step, uint32_t links, double *ns)
{
	if (g->seen[build] == g->sum)
		return;
	g->seen[build] = g->sum;
	*ns += step->rounds * next_round_ns(g->work, build) + links * g->work->next->cost.link_ns;
}

static void add_items(
	struct grouping *g, const struct next_step *of, const struct next_step *step, double *ns)
{
	for (size_t i = 0; i < of->n; i++) {
		const struct comparison *c = comparison_of(g->work, of->items[i]);
		uint32_t links = step->layouts > c->layouts ? step->layouts - c->layouts : 0;

		add_build(g, c->a, step, links, ns);
		add_build(g, c->b, step, links, ns);
	}
}

/* Nanoseconds of one run with the cells of both, with what the one needs that needs more; b NULL: of a alone. */
static double joined_ns(struct grouping *g, const struct next_step *a, const struct next_step *b)
{
	struct next_step both = *a;
	double ns = 0;

	if (b != NULL) {
		both.layouts = larger(a->layouts, b->layouts);
		both.rounds = larger(a->rounds, b->rounds);
	}
	g->sum++;
	add_items(g, a, &both, &ns);
	if (b != NULL)
		add_items(g, b, &both, &ns);
	return ns;
}

static void put(struct grouping *g, size_t item, uint32_t layouts, uint32_t rounds)
{
	struct next_step *step = NULL;

	for (size_t s = 0; s < g->n && step == NULL; s++)
		if (g->steps[s].layouts == layouts && g->steps[s].rounds == rounds)
			step = &g->steps[s];
	if (step == NULL && g->n == GROUPS) {
		step = &g->steps[GROUPS - 1];
		step->layouts = larger(step->layouts, layouts);
		step->rounds = larger(step->rounds, rounds);
	} else if (step == NULL) {
		step = &g->steps[g->n++];
		*step = (struct next_step){.layouts = layouts,
			.rounds = rounds,
			.items = arena_array(g->work->arena, g->work->next->possible, sizeof(*step->items))};
	}
	step->items[step->n++] = item;
}

static void join(struct grouping *g, size_t a, size_t b)
{
	struct next_step *into = &g->steps[a], *from = &g->steps[b];

	into->layouts = larger(into->layouts, from->layouts);
	into->rounds = larger(into->rounds, from->rounds);
	memcpy(into->items + into->n, from->items, from->n * sizeof(*from->items));
	into->n += from->n;
	*from = g->steps[--g->n];
}

/* Joins the two that cost least together. False: few enough are left, and joining saves nothing. */
static bool join_nearest(struct grouping *g)
{
	double own[GROUPS], least = INFINITY;
	size_t a = 0, b = 0;

	for (size_t i = 0; i < g->n; i++)
		own[i] = joined_ns(g, &g->steps[i], NULL);
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = i + 1; k < g->n; k++) {
			double more = joined_ns(g, &g->steps[i], &g->steps[k]) - own[i] - own[k];

			if (more < least) {
				least = more;
				a = i;
				b = k;
			}
		}
	if (g->n < 2 || (g->n <= NEXT_MOST_STEPS && least > 0))
		return false;
	join(g, a, b);
	return true;
}

static int by_index(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* What settles most for its time first. */
static int by_worth(const void *left, const void *right)
{
	const struct next_step *a = left, *b = right;
	double x = a->seconds / (double)a->n, y = b->seconds / (double)b->n;

	if (x != y)
		return x < y ? -1 : 1;
	return (a->items[0] > b->items[0]) - (a->items[0] < b->items[0]);
}

static void finish(struct next_work *work, struct next_step *step, const struct next_step *before)
{
	bool *wanted = mem_alloc_array(work->record->build_count, sizeof(*wanted));
	uint32_t rounds_now = 0;

	for (size_t i = 0; i < step->n; i++) {
		const struct comparison *c = comparison_of(work, step->items[i]);

		wanted[c->a] = wanted[c->b] = true;
		rounds_now = larger(rounds_now, c->rounds);
		work->next->items[step->items[i]].step = (size_t)(step - work->next->steps);
	}
	if (!work->next->cost.known)
		step->seconds = 0;
	step->total_seconds = step->seconds + (before != NULL ? before->total_seconds : 0);
	step->settled = step->n + (before != NULL ? before->settled : 0);
	step->command = next_command(work, wanted, step, rounds_now);
	mem_free(wanted);
}

void next_make_steps(struct next_work *work)
{
	struct next *next = work->next;
	struct grouping *g = mem_alloc(sizeof(*g));

	g->work = work;
	g->seen = mem_alloc_array(work->record->build_count, sizeof(*g->seen));
	for (size_t i = 0; i < next->possible; i++) {
		uint32_t layouts, rounds;

		round_up(comparison_of(work, i), &next->items[i], &layouts, &rounds);
		put(g, i, layouts, rounds);
	}
	while (join_nearest(g))
		;
	next->steps = arena_array(work->arena, g->n, sizeof(*next->steps));
	next->step_count = g->n;
	for (size_t s = 0; s < g->n; s++) {
		next->steps[s] = g->steps[s];
		next->steps[s].seconds = joined_ns(g, &g->steps[s], NULL) / 1e9;
		qsort(next->steps[s].items, next->steps[s].n, sizeof(*next->steps[s].items), by_index);
	}
	if (g->n > 0)
		qsort(next->steps, g->n, sizeof(*next->steps), by_worth);
	for (size_t s = 0; s < g->n; s++)
		finish(work, &next->steps[s], s > 0 ? &next->steps[s - 1] : NULL);
	mem_free(g->seen);
	mem_free(g);
}
