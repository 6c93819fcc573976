#include "compare/next.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/next_work.h"
#include "compare/reason.h"

enum { LAYOUT_STEP = 8 };

const char *next_goal_text(enum next_goal goal)
{
	return goal == NEXT_NARROW ? "narrow" : goal == NEXT_SHOWN ? "shown" : "unknown";
}

/* --- what one comparison needs --- */

/* The two levels of a comparison, in units of the variance that it has now. */
struct levels {
	double layout, round; /* V(L, R) = layout / L + round / R */
	double wanted;	      /* the variance that gives an answer */
	uint32_t layouts;     /* now */
};

static struct levels levels_of(const struct comparison *c, double effort)
{
	double share = c->layouts > 1 && c->placement_share > 0 ? c->placement_share : 0;

	return (struct levels){.layout = share * c->layouts,
		.round = (1 - share) * c->rounds,
		.wanted = 1 / effort,
		.layouts = c->layouts};
}

/* Rounds that so many layouts need; INFINITY: what placement leaves is too much. */
static double rounds_for(const struct levels *levels, uint32_t layouts)
{
	double left = levels->wanted - levels->layout / layouts;

	return left > 0 ? fmax(levels->round / left, layouts) : INFINITY;
}

/* Whole passes over the layouts, so that each has as many rounds. */
static double whole_passes(double rounds, uint32_t layouts)
{
	return ceil(rounds / layouts - 1e-9) * layouts;
}

/* The numbers of layouts to choose from, in turn; 0 at the end. */
static uint32_t more_layouts(const struct levels *levels, uint32_t layouts)
{
	if (levels->layouts <
		STATS_MIN_LAYOUTS) /* one: placement is not averaged, whatever the number of rounds */
		return 0;
	layouts = (layouts / LAYOUT_STEP + 1) * LAYOUT_STEP;
	return layouts <= NEXT_MOST_LAYOUTS ? layouts : 0;
}

/* What to weigh ways against each other with, where the record does not say what its samples took. */
static double sample_guess_ns(const struct next_work *work)
{
	return 1.6 * (double)work->settings->sample_ns + 1.5e6;
}

double next_round_ns(const struct next_work *work, uint32_t build)
{
	const struct round_cost *cost = &work->next->cost;

	return cost->known && cost->cell_ns[build] > 0 ? cost->cell_ns[build] : sample_guess_ns(work);
}

/* Nanoseconds of a run of both cells. */
static double pair_ns(
	const struct next_work *work, const struct comparison *c, uint32_t layouts, double rounds)
{
	double links = layouts > c->layouts ? 2.0 * (layouts - c->layouts) : 0;

	return rounds * (next_round_ns(work, c->a) + next_round_ns(work, c->b)) +
	       links * work->next->cost.link_ns;
}

/* The cheapest way to so many times less variance. */
struct way {
	uint32_t layouts, rounds;
	double ns; /* INFINITY: there is none */
};

static struct way cheapest_way(const struct next_work *work, const struct comparison *c, double effort)
{
	struct levels levels = levels_of(c, effort);
	struct way best = {.ns = INFINITY};

	for (uint32_t layouts = levels.layouts; layouts != 0; layouts = more_layouts(&levels, layouts)) {
		double rounds = whole_passes(rounds_for(&levels, layouts), layouts);
		double ns = pair_ns(work, c, layouts, rounds);

		if (rounds <= NEXT_MOST_ROUNDS && ns < best.ns)
			best = (struct way){layouts, (uint32_t)rounds, ns};
	}
	return best;
}

static void choose_way(const struct next_work *work, const struct comparison *c, struct next_item *item)
{
	struct levels levels = levels_of(c, c->effort);
	struct way way = cheapest_way(work, c, c->effort);

	item->rounds_alone = rounds_for(&levels, levels.layouts);
	item->possible = isfinite(way.ns);
	item->layouts = way.layouts;
	item->rounds = way.rounds;
	if (item->possible && work->next->cost.known)
		item->seconds = way.ns / 1e9;
}

/* Which of the two answers is the nearer one, as stats/verdict.c weighs them. */
static void find_goal(const struct next_work *work, const struct comparison *c, struct next_item *item)
{
	double half = 0.5 * (c->hi - c->lo), size = fabs(c->effect), room = work->settings->precision - size;
	double narrow = room > 0 ? (half / room) * (half / room) : INFINITY;

	item->goal = narrow <= c->effort * (1 + 1e-9) ? NEXT_NARROW : NEXT_SHOWN;
	item->bound = item->goal == NEXT_NARROW ? work->settings->precision : size;
	if (item->goal == NEXT_SHOWN && work->settings->precision > 0) {
		double width = half / work->settings->precision;

		item->rounds_if_none = cheapest_way(work, c, fmax(1, width * width)).rounds;
	}
}

/* Why no number of rounds and layouts is known. */
static const char *unknown_reason(const struct next_work *work, const struct comparison *c)
{
	if (!c->has_effect)
		return c->reason;
	if (c->marked_differ)
		return "the cells were disturbed in different shares, which more rounds need not change: "
		       "make "
		       "the machine quieter";
	return arena_printf(work->arena,
		"the difference seen is too small to matter (under %.3g %%) and too large for the precision "
		"(%.3g %%): ask for a coarser --precision or a smaller --matters",
		100 * work->settings->matters, 100 * work->settings->precision);
}

/* Why the numbers are beyond what a run can have. */
static const char *beyond_reason(
	const struct next_work *work, const struct comparison *c, const struct next_item *item)
{
	char times[NUM_SIZE], rounds[NUM_SIZE];

	num_significant(c->effort, 2, times);
	num_significant(item->rounds_alone, 2, rounds);
	if (!isfinite(item->rounds_alone))
		return arena_printf(work->arena,
			"placement dominates: with %d layouts and %d rounds it would still be too wide; it "
			"needs %s times less variance, so about %.0f layouts: ask for less precision",
			NEXT_MOST_LAYOUTS, NEXT_MOST_ROUNDS, times, ceil(c->effort * c->layouts));
	return arena_printf(work->arena,
		"it would take about %s rounds, over %d: make the machine quieter, or ask for less precision",
		rounds, NEXT_MOST_ROUNDS);
}

static bool is_open(const struct next_work *work, const struct comparison *c)
{
	return !c->hidden && c->answer == ANSWER_CANT_TELL && c->a < work->record->build_count &&
	       c->b < work->record->build_count;
}

/* No answer, although nothing failed: the run ended before. */
static bool is_unmeasured(const struct next_work *work, const struct comparison *c)
{
	const struct record_build *builds = work->record->builds;

	return !c->hidden && c->answer == ANSWER_NONE && c->a < work->record->build_count &&
	       c->b < work->record->build_count && builds[c->a].status != CELL_RUN_FAILED &&
	       builds[c->b].status != CELL_RUN_FAILED && reason_could_measure(&builds[c->a]) &&
	       reason_could_measure(&builds[c->b]);
}

static void add_item(struct next_work *work, size_t index)
{
	const struct comparison *c = &work->result->comparisons[index];
	struct next_item *item = &work->next->items[work->next->n++];

	*item = (struct next_item){.comparison = index, .goal = NEXT_NONE, .step = SIZE_MAX};
	if (!c->has_effect || !(c->effort > 0) || c->layouts == 0 || c->rounds == 0) {
		item->reason = unknown_reason(work, c);
		return;
	}
	find_goal(work, c, item);
	choose_way(work, c, item);
	work->next->possible += item->possible;
	if (!item->possible)
		item->reason = beyond_reason(work, c, item);
}

static int by_cost(const void *left, const void *right)
{
	const struct next_item *a = left, *b = right;

	if (a->possible != b->possible)
		return a->possible ? -1 : 1;
	if (a->possible && a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	if (a->possible && a->rounds != b->rounds)
		return a->rounds < b->rounds ? -1 : 1;
	return (a->comparison > b->comparison) - (a->comparison < b->comparison);
}

/* --- what it rests on --- */

static void say_time(struct next_work *work)
{
	const struct round_cost *cost = &work->next->cost;
	struct words *basis = &work->next->basis;
	char overhead[NUM_SIZE], link[NUM_SIZE];

	num_duration((int64_t)cost->overhead_ns, overhead);
	num_duration((int64_t)cost->link_ns, link);
	if (!cost->known) {
		words_add(basis, work->arena,
			"times are unknown: the record does not say when its samples were taken");
		return;
	}
	words_addf(basis, work->arena,
		"times are those of this record's rounds of the same cells: their samples, repeats and "
		"second "
		"arms included, and %s between two samples; a new run begins from nothing, so all its rounds "
		"count, and its start (compilers, checks, builds and links that are not in the cache any "
		"more) "
		"comes on top",
		overhead);
	words_addf(basis, work->arena, "a link with its check is taken for %s%s", link,
		cost->link_known ? ", as in this record"
				 : ": an assumption, since the record does not say what its links took");
}

/* An estimate from few rounds is large by chance: what if nothing is behind it? */
static void say_if_none(struct next_work *work)
{
	const struct next *next = work->next;
	uint32_t *rounds = mem_alloc_array(next->possible, sizeof(*rounds));
	size_t shown = 0, reached = 0;
	const char *takes = "";

	for (size_t i = 0; i < next->possible; i++) {
		shown += next->items[i].goal == NEXT_SHOWN;
		if (next->items[i].goal == NEXT_SHOWN && next->items[i].rounds_if_none > 0)
			rounds[reached++] = next->items[i].rounds_if_none;
	}
	if (reached > 0) {
		qsort(rounds, reached, sizeof(*rounds), num_compare_u32);
		takes = arena_printf(
			work->arena, ", which takes %u rounds at the median", rounds[reached / 2]);
	}
	if (shown > 0)
		words_addf(&work->next->basis, work->arena,
			"for %zu of them the nearest answer is to show the difference seen, which few rounds "
			"make "
			"larger than it is; if there is none, an interval within ±%.3g %% settles them "
			"instead%s%s",
			shown, 100 * next->precision, takes,
			reached < shown
				? arena_printf(work->arena, ", and for %zu is out of reach", shown - reached)
				: "");
	mem_free(rounds);
}

static void say_basis(struct next_work *work)
{
	struct words *basis = &work->next->basis;

	if (work->next->possible == 0)
		return;
	words_add(basis, work->arena,
		"estimates: a half-width falls with the root of the rounds down to what the placement of the "
		"layouts leaves, and with the root of the layouts; the split of variance between the two is "
		"this record's, and uncertain itself where a layout met few rounds (Kalibera and Jones "
		"2013)");
	words_add(basis, work->arena,
		"they hold if the noise is as it was and the difference is the one seen; half of the time it "
		"is smaller, and takes more");
	say_if_none(work);
	say_time(work);
	words_add(basis, work->arena,
		"a run's answers are a family of their own: this record's comparisons stay as they are");
}

void next_plan(const struct record *record, const struct result *result,
	const struct measure_settings *settings, const struct next_options *options, struct arena *arena,
	struct next *next)
{
	struct next_work work = {record, result, settings, options, arena, next};

	*next = (struct next){.precision = settings->precision, .matters = settings->matters};
	round_cost_of_record(record, arena, &next->cost);
	next->items = arena_array(arena, result->comparison_count, sizeof(*next->items));
	for (size_t i = 0; i < result->comparison_count; i++) {
		if (is_open(&work, &result->comparisons[i]))
			add_item(&work, i);
		next->unmeasured += is_unmeasured(&work, &result->comparisons[i]);
	}
	if (next->n > 0)
		qsort(next->items, next->n, sizeof(*next->items), by_cost);
	next_make_steps(&work);
	say_basis(&work);
}
