#include <math.h>
#include <string.h>

#include "judge.h"
#include "stats/adjust.h"
#include "stats/effect.h"

/* What placement does to each workload, from runs of matrices/placement.yaml. */

enum { WORKLOADS_MAX = 64 };

/* One workload: its build under up to three names, since the run's own A/A check adds one. */
struct workload_luck {
	const char *name;
	struct trust_placement
		sum; /* of `pairs` results; variances, not deviations, in placement, process, round */
	size_t pairs;
	double p; /* of the first pair, over all layouts */
};

struct luck {
	struct arena *arena;
	struct workload_luck v[WORKLOADS_MAX];
	size_t n;
};

static void add_result(struct workload_luck *of, const struct trust_placement *p)
{
	struct trust_placement *sum = &of->sum;

	if (of->pairs++ == 0) {
		sum->averaged = p->averaged;
		of->p = p->averaged.p_adjusted;
	}
	sum->layouts += p->layouts;
	sum->rounds = p->rounds;
	sum->placement += p->placement * p->placement;
	sum->process += p->process * p->process;
	sum->round += p->round * p->round;
	sum->median_sd += p->median_sd;
	sum->median_range = fmax(sum->median_range, p->median_range);
	sum->repeatability += p->repeatability;
	sum->claims += p->claims;
	sum->refuted += p->refuted;
}

static void add_row(struct row *row, void *context)
{
	struct luck *luck = context;
	struct workload_luck *of = &luck->v[luck->n];
	struct trust_side first = {0, 0};
	const struct trust_side others[] = {{1, 0}, {0, 1}};
	struct trust_placement p;

	if (luck->n == WORKLOADS_MAX || row->n == 0)
		return;
	*of = (struct workload_luck){.name = arena_strdup(luck->arena, row->workload)};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (trust_placement(row->view, first, others[i], TRUST_MATTERS, &p))
			add_result(of, &p);
	luck->n += of->pairs > 0;
}

static void judge_one(struct trust *t, const struct workload_luck *of)
{
	const struct trust_placement *sum = &of->sum;
	double pairs = (double)of->pairs;
	double placement = sum->placement / pairs, process = sum->process / pairs, round = sum->round / pairs;
	double all = placement + process + round, share = all > 0 ? 100 / all : 0;
	size_t layouts = sum->layouts;
	struct stats_proportion refuted = stats_proportion(sum->refuted, layouts);

	trust_figure(t, arena_printf(&t->arena, "placement-%s", of->name), 100 * refuted.share, "%", "-",
		TRUST_NO_LIMIT,
		"%zu of %zu comparisons with one layout claimed an effect that all layouts refute (%zu "
		"claimed "
		"any); "
		"variance of a sample: placement %.0f %%, process %.0f %%, rounds %.0f %%; medians of the "
		"layouts: "
		"spread "
		"%.2f %%, range %.1f %%",
		sum->refuted, layouts, sum->claims, share * placement, share * process, share * round,
		100 * sum->median_sd / pairs, 100 * sum->median_range);
	trust_row(t, TABLE_PLACEMENT,
		"%s|%.2f %%|%.2f %%|%.2f %%|%.0f / %.0f / %.0f|%.2f %%|%.1f %%|%.2f|%zu of %zu (%.0f to %.0f "
		"%%)",
		of->name, 100 * sqrt(placement), 100 * sqrt(process), 100 * sqrt(round), share * placement,
		share * process, share * round, 100 * sum->median_sd / pairs, 100 * sum->median_range,
		sum->repeatability / pairs, sum->refuted, layouts, 100 * refuted.lo, 100 * refuted.hi);
}

void trust_judge_placement(struct trust *t)
{
	struct luck luck = {.arena = &t->arena};
	double p[WORKLOADS_MAX];
	size_t called = 0, claims = 0, refuted = 0, layouts = 0;

	judge_each_row(t, "placement", add_row, &luck);
	for (size_t i = 0; i < luck.n; i++) {
		judge_one(t, &luck.v[i]);
		p[i] = luck.v[i].p;
		claims += luck.v[i].sum.claims;
		refuted += luck.v[i].sum.refuted;
		layouts += luck.v[i].sum.layouts;
	}
	stats_holm(p, luck.n, luck.n, p);
	for (size_t i = 0; i < luck.n; i++)
		called += p[i] <= STATS_ALPHA;
	trust_share(t, "placement-single", refuted, layouts, NAN, NAN,
		arena_printf(&t->arena,
			"comparisons of one build under two names with one layout a side claimed an effect "
			"that all "
			"layouts refute (%zu claimed any; 5 %% would by chance)",
			claims));
	trust_share(t, "placement-averaged", called, luck.n, NAN, 1,
		"workloads called different over all layouts (Holm)");
}
