#include <math.h>
#include <string.h>

#include "compare/shots.h"
#include "judge.h"
#include "stats/adjust.h"

/* Verdicts and marks beside a noisy neighbour, from runs of matrices/neighbour.yaml. */

struct beside {
	struct trust_tally aa, planted[2]; /* 2 and 5 % */
	size_t first[2], marked[2]; /* samples measured first, before and after the half of the rounds */
	size_t counted, disturbed;  /* pairs of samples that count, and those still marked */
};

static void count_marks(const struct record *view, struct beside *b)
{
	uint32_t rounds = 0;

	for (size_t i = 0; i < view->samples.n; i++)
		if (view->samples.v[i].round >= rounds)
			rounds = view->samples.v[i].round + 1;
	for (size_t i = 0; i < view->samples.n; i++) {
		const struct sample *s = &view->samples.v[i];
		bool later = 2 * s->round >= rounds;

		if (s->repeat_of != SAMPLE_NONE)
			continue;
		b->first[later]++;
		b->marked[later] += s->marks != 0;
	}
}

static void count_pairs(const struct row *row, struct beside *b)
{
	struct shots shots;

	shots_of_record(row->view, 0, &shots);
	for (size_t i = 0; i < row->n; i++) {
		const struct trust_pair *pair = &row->pairs[i];
		struct shot_pairs pairs =
			shots_pair(shots_of(&shots, pair->a, 0), shots_of(&shots, pair->b, 0),
				record_higher_is_better(row->view, &row->view->builds[pair->b]));

		for (size_t k = 0; k < pairs.n; k++)
			b->disturbed += pairs.v[k].disturbed;
		b->counted += pairs.n;
		mem_free(pairs.v);
	}
	shots_release(&shots);
}

static void add_row(struct row *row, void *context)
{
	struct beside *b = context;

	judge_row(row);
	for (size_t i = 0; i < row->n; i++) {
		const struct trust_outcome *o = &row->outcomes[i];

		if (o->truth == 0)
			trust_add(&b->aa, o);
		else
			trust_add(&b->planted[o->truth < trust_more_work(30)], o);
	}
	count_marks(row->view, b);
	count_pairs(row, b);
}

static double percent(size_t k, size_t n)
{
	return n > 0 ? 100 * (double)k / (double)n : 0;
}

/* Does the load that began half-way on the same CPU show in the marks? */
static void judge_marks(struct trust *t, const struct beside *b)
{
	double before = percent(b->marked[0], b->first[0]), after = percent(b->marked[1], b->first[1]);
	double p = stats_fisher(
		b->marked[0], b->first[0] - b->marked[0], b->marked[1], b->first[1] - b->marked[1]);
	bool more = after > before && p < 0.01;

	trust_figure(t, "neighbour-marked", after, "%", arena_printf(&t->arena, ">%.0f", before),
		more	      ? TRUST_KEPT
		: before > 20 ? TRUST_BY_CHANCE
			      : TRUST_BROKEN,
		"of the samples were marked while the load on the same CPU went on, %.0f %% before it began "
		"(Fisher "
		"p "
		"= %.2g)%s",
		before, p, !more && before > 20 ? "; something else disturbed the machine all the time" : "");
}

static void judge_kind(struct trust *t, const char *kind)
{
	const char *name = arena_printf(&t->arena, "neighbour-%s", kind);
	struct beside b = {0};
	size_t wrong, pairs;
	double before, after;

	judge_each_row(t, name, add_row, &b);
	pairs = b.aa.pairs + b.planted[0].pairs + b.planted[1].pairs;
	if (pairs == 0)
		return; /* one CPU only: said in the notes */
	wrong = b.aa.wrong + b.planted[0].wrong + b.planted[1].wrong;
	before = percent(b.marked[0], b.first[0]);
	after = percent(b.marked[1], b.first[1]);
	trust_share(t, name, wrong, pairs, NAN, 1,
		arena_printf(&t->arena,
			"verdicts wrong; of the samples %.0f %% were marked in the first half and %.0f %% in "
			"the "
			"second; of 5 %% more work %zu of %zu were found, of 2 %% %zu of %zu",
			before, after, b.planted[1].found, b.planted[1].pairs, b.planted[0].found,
			b.planted[0].pairs));
	trust_row(t, TABLE_NEIGHBOUR,
		"%s|%zu of %zu|%zu of %zu|%zu of %zu|%zu of %zu|%.0f %%|%.0f %%|%.0f %%|%.1f %%", kind, wrong,
		pairs, b.aa.different, b.aa.pairs, b.planted[0].found, b.planted[0].pairs, b.planted[1].found,
		b.planted[1].pairs, before, after, percent(b.disturbed, b.counted),
		100 * trust_half_width(&b.aa));
	if (strcmp(kind, "same-core-half") == 0)
		judge_marks(t, &b);
}

void trust_judge_neighbours(struct trust *t)
{
	static const char *const kinds[] = {
		"quiet", "other-core", "same-core", "other-core-half", "same-core-half"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		judge_kind(t, kinds[i]);
}
