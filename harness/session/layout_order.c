#include "session/layout_order.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/rng.h"

/* A workload's rounds from the first on, pass by pass. */
struct walk {
	const struct record_plan *plan;
	uint32_t *times; /* by layout */
	uint32_t *group; /* layouts of the pass that comes next, in the order of their numbers */
	uint32_t size;	 /* of the group */
	uint32_t pass;
};

static bool applies(const struct record_layout_step *step, uint32_t workload)
{
	return step->workload == UINT32_MAX || step->workload == workload;
}

uint32_t layout_order_count(const struct record_plan *plan, uint32_t workload, uint32_t round)
{
	uint32_t count = 1;

	for (size_t i = 0; i < plan->layout_step_count && plan->layout_steps[i].round <= round; i++)
		if (applies(&plan->layout_steps[i], workload))
			count = plan->layout_steps[i].layouts;
	return count;
}

/* The most layouts that the workload has at any time. */
static uint32_t most_layouts(const struct record_plan *plan, uint32_t workload)
{
	uint32_t most = 1;

	for (size_t i = 0; i < plan->layout_step_count; i++)
		if (applies(&plan->layout_steps[i], workload) && plan->layout_steps[i].layouts > most)
			most = plan->layout_steps[i].layouts;
	return most;
}

/* The next round that has another number of layouts; UINT32_MAX: none. */
static uint32_t next_step(const struct record_plan *plan, uint32_t workload, uint32_t round)
{
	for (size_t i = 0; i < plan->layout_step_count; i++)
		if (applies(&plan->layout_steps[i], workload) && plan->layout_steps[i].round > round)
			return plan->layout_steps[i].round;
	return UINT32_MAX;
}

/* Makes the group: those met least often. Returns how many passes it stays the same, UINT32_MAX: for ever. */
static uint32_t gather(struct walk *walk, uint32_t layouts)
{
	uint32_t least = UINT32_MAX, next = UINT32_MAX;

	for (uint32_t k = 0; k < layouts; k++)
		least = walk->times[k] < least ? walk->times[k] : least;
	walk->size = 0;
	for (uint32_t k = 0; k < layouts; k++) {
		if (walk->times[k] == least)
			walk->group[walk->size++] = k;
		else if (walk->times[k] < next)
			next = walk->times[k];
	}
	return next == UINT32_MAX ? next : next - least;
}

static void draw_order(struct walk *walk)
{
	struct arena arena = {0};
	struct rng rng;

	rng_seed_text(&rng, arena_printf(&arena, "flagstone layouts %s %u", walk->plan->seed, walk->pass));
	rng_shuffle(&rng, walk->group, walk->size);
	arena_release(&arena);
}

/* Goes through `rounds` rounds with so many layouts. Ends with the group of the round after them, in its order. */
static void go(struct walk *walk, uint32_t layouts, uint32_t rounds)
{
	for (;;) {
		uint32_t passes = gather(walk, layouts);
		uint32_t whole = walk->size > 0 ? rounds / walk->size : 0;

		if (whole == 0)
			break;
		whole = whole < passes ? whole : passes;
		for (uint32_t i = 0; i < walk->size; i++)
			walk->times[walk->group[i]] += whole;
		walk->pass += whole;
		rounds -= whole * walk->size;
	}
	draw_order(walk);
	for (uint32_t i = 0; i < rounds; i++)
		walk->times[walk->group[i]]++;
	walk->group += rounds;
}

/* Goes to a round; walk->group[0] is its layout. */
static void go_to(struct walk *walk, uint32_t workload, uint32_t round)
{
	uint32_t *group = walk->group;
	uint32_t at = 0;

	for (;;) {
		uint32_t layouts = layout_order_count(walk->plan, workload, at);
		uint32_t end = next_step(walk->plan, workload, at);
		uint32_t rounds = (end <= round ? end : round) - at;

		walk->group = group;
		go(walk, layouts, rounds);
		if (end > round)
			return;
		walk->pass += walk->group != group; /* the pass that was cut has used its order */
		at = end;
	}
}

uint32_t layout_order_of_round(const struct record_plan *plan, uint32_t workload, uint32_t round)
{
	uint32_t most = most_layouts(plan, workload);
	uint32_t *times = mem_alloc_array(most, sizeof(*times));
	uint32_t *group = mem_alloc_array(most, sizeof(*group));
	struct walk walk = {.plan = plan, .times = times, .group = group};
	uint32_t layout;

	go_to(&walk, workload, round);
	layout = walk.group[0];
	mem_free(times);
	mem_free(group);
	return layout;
}

void layout_order_times(
	const struct record_plan *plan, uint32_t workload, uint32_t rounds, uint32_t *times, uint32_t count)
{
	uint32_t most = most_layouts(plan, workload);
	uint32_t *all = mem_alloc_array(most, sizeof(*all));
	uint32_t *group = mem_alloc_array(most, sizeof(*group));
	struct walk walk = {.plan = plan, .times = all, .group = group};

	go_to(&walk, workload, rounds);
	for (uint32_t k = 0; k < count; k++)
		times[k] = k < most ? all[k] : 0;
	mem_free(all);
	mem_free(group);
}
