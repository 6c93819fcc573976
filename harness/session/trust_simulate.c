#include "session/trust.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "plan/plan.h"

/* Families of comparisons that were never measured, judged by the same statistics and looks as a run's. */

enum { LAYOUTS = 16 };
static const double layout_luck = 0.01; /* MEASURING.md: placement spreads medians by some per cent */

double trust_more_work(unsigned permille)
{
	return -log1p((double)permille / 1000);
}

/* more: permille more work of each cell; none, but of the baseline, is another name with layouts of its own. */
static struct trust_block make_block(const unsigned *more, size_t cells, uint32_t rounds)
{
	struct trust_block block = {.cells = cells,
		.placement = layout_luck,
		.layouts = LAYOUTS,
		.rounds = rounds,
		.matters = 0.005,
		.precision = 0.01};
	uint32_t most = 64;

	for (size_t c = 0; c < cells; c++) {
		block.truth[c] = more[c] > 0 ? trust_more_work(more[c]) : 0;
		block.own_layouts[c] = c > 0 && more[c] == 0;
	}
	/* who plans for a budget does not know how many rounds it will make: room for a quarter more */
	while (most < rounds + rounds / 4)
		most *= 4;
	block.look_count = plan_looks(LAYOUTS, most, block.looks);
	return block;
}

struct trust_block trust_planted_block(uint32_t rounds)
{
	static const unsigned more[] = {0, 5, 10, 10, 20, 50, 0, 0};

	return make_block(more, sizeof(more) / sizeof(more[0]), rounds);
}

struct trust_block trust_aa_block(uint32_t rounds)
{
	static const unsigned more[6] = {0};

	return make_block(more, sizeof(more) / sizeof(more[0]), rounds);
}

/* One family while it is judged. */
struct family {
	const struct trust_block *block;
	double *log_time;	       /* rounds x cells */
	uint32_t *layout;	       /* of each round */
	double *luck;		       /* layouts x cells */
	struct stats_observation *obs; /* room for all rounds */
	struct stats_pair pairs[TRUST_CELLS_MAX];
	struct stats_verdict verdicts[TRUST_CELLS_MAX];
	uint32_t closed[TRUST_CELLS_MAX]; /* rounds; 0: open */
};

/* As in a run: a permutation of all layouts a pass. */
static void draw_layouts(struct family *family, struct rng *rng)
{
	const struct trust_block *block = family->block;
	uint32_t layouts = block->layouts > 0 ? block->layouts : 1;
	uint32_t *order = mem_alloc_array(layouts, sizeof(*order));

	for (uint32_t i = 0; i < layouts; i++)
		order[i] = i;
	for (uint32_t r = 0; r < block->rounds; r++) {
		if (r % layouts == 0)
			rng_shuffle(rng, order, layouts);
		family->layout[r] = order[r % layouts];
	}
	for (uint32_t k = 0; k < layouts; k++) {
		double *luck = family->luck + k * block->cells;

		for (size_t c = 0; c < block->cells; c++)
			luck[c] = c == 0 || block->own_layouts[c] ? block->placement * trust_normal(rng)
								  : luck[0];
	}
	mem_free(order);
}

static void analyse(struct family *family, size_t cell, uint32_t rounds)
{
	const struct trust_block *block = family->block;

	for (uint32_t r = 0; r < rounds; r++) {
		const double *time = family->log_time + r * block->cells;
		const double *luck = family->luck + family->layout[r] * block->cells;

		family->obs[r] = (struct stats_observation){.layout = family->layout[r],
			.round = r,
			.effect = block->truth[cell] + (time[0] + luck[0]) - (time[cell] + luck[cell])};
	}
	stats_pair_analyse(family->obs, rounds, STATS_USE_ALL, &family->pairs[cell - 1]);
}

/* Judges the family as it is after so many rounds; what was settled before stays as it was. */
static void look(struct family *family, uint32_t rounds, bool last)
{
	const struct trust_block *block = family->block;
	struct stats_verdict now[TRUST_CELLS_MAX];
	struct stats_rules rules = {.matters = block->matters,
		.precision = block->precision,
		.looks = block->look_count,
		.lambda = 1,
		.family = block->family > 0 ? block->family : block->cells - 1};

	for (size_t c = 1; c < block->cells; c++)
		if (family->closed[c - 1] == 0)
			analyse(family, c, rounds);
	stats_family_decide(family->pairs, block->cells - 1, &rules, now);
	for (size_t i = 0; i + 1 < block->cells; i++) {
		if (family->closed[i] != 0 || !(last || now[i].closed))
			continue;
		family->closed[i] = rounds;
		family->verdicts[i] = now[i];
	}
}

void trust_simulate(const struct trust_block *block, enum trust_kind kind,
	const struct trust_recording *recording, struct rng *rng, struct trust_outcome *outcomes)
{
	struct family family = {.block = block,
		.log_time = mem_alloc_array(block->rounds * block->cells, sizeof(double)),
		.layout = mem_alloc_array(block->rounds, sizeof(uint32_t)),
		.luck = mem_alloc_array((block->layouts + 1) * block->cells, sizeof(double)),
		.obs = mem_alloc_array(block->rounds, sizeof(*family.obs))};

	trust_noise(kind, recording, rng, block->rounds, block->cells, family.log_time);
	draw_layouts(&family, rng);
	for (size_t i = 0; i < block->look_count && block->looks[i] < block->rounds; i++)
		look(&family, block->looks[i], false);
	look(&family, block->rounds, true);
	for (size_t i = 0; i + 1 < block->cells; i++) {
		const struct stats_verdict *v = &family.verdicts[i];

		outcomes[i] = (struct trust_outcome){.truth = block->truth[i + 1],
			.answered = v->answer != STATS_NO_ANSWER,
			.answer = v->answer == STATS_NO_ANSWER ? ANSWER_NONE : answer_of_verdict(v->answer),
			.effect = v->effect,
			.lo = v->lo,
			.hi = v->hi,
			.x = v->x,
			.p_adjusted = v->p_adjusted,
			.rounds = family.closed[i]};
	}
	mem_free(family.log_time);
	mem_free(family.layout);
	mem_free(family.luck);
	mem_free(family.obs);
}
