#include "compare/between_decide.h"

#include <math.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/reason.h"
#include "stats/rank.h"
#include "stats/verdict.h"
#include "stats/welch.h"

const char *between_too_few(const struct record *record, size_t runs_a, size_t runs_b, struct arena *arena)
{
	const char *matrix = reason_matrix(record, arena);
	const char *have = runs_a == 1 && runs_b == 1
				   ? "one run a side"
				   : arena_printf(arena, "%zu against %zu runs", runs_a, runs_b);

	return arena_printf(arena,
		"%s: between-run noise unknown; a verdict needs at least %d runs a side: flagstone run%s "
		"--repeat %d",
		have, STATS_MIN_RUNS, matrix, STATS_MIN_RUNS);
}

static void logs_of(const struct between_value *value, bool higher_is_better, double *logs)
{
	for (size_t i = 0; i < value->runs; i++)
		logs[i] = higher_is_better ? log(value->medians[i]) : -log(value->medians[i]);
}

/* The estimate with the p of ranks; turned where they point the other way, so that the answers disagree. */
static struct stats_pair by_ranks(
	const struct stats_pair *welch, const struct stats_rank_test *test, double pairs)
{
	struct stats_pair rank = *welch;

	rank.has_p = test->has_p;
	rank.p = test->p;
	if ((test->statistic < pairs / 2 && welch->effect < 0) ||
		(test->statistic > pairs / 2 && welch->effect > 0)) {
		rank.effect = -welch->effect;
		rank.lo = -welch->hi;
		rank.hi = -welch->lo;
	}
	return rank;
}

void between_add_trial(struct trials *trials, const struct record *record, const struct between_value *a,
	const struct between_value *b, bool higher_is_better, struct between_effect *effect)
{
	struct trial trial = {.effect = effect, .record = record};
	double *x = mem_alloc_array(a->runs, sizeof(*x)), *y = mem_alloc_array(b->runs, sizeof(*y));

	logs_of(a, higher_is_better, x);
	logs_of(b, higher_is_better, y);
	trial.runs = a->runs < b->runs ? a->runs : b->runs;
	stats_welch(x, a->runs, y, b->runs, &trial.welch);
	trial.rank = trial.welch;
	if (trial.runs >= STATS_RANK_RUNS) {
		struct stats_rank_test test = stats_mann_whitney(x, a->runs, y, b->runs);

		effect->has_rank = test.has_p;
		effect->p_rank = test.p;
		trial.rank = by_ranks(&trial.welch, &test, (double)a->runs * (double)b->runs);
	}
	vec_push(trials, trial);
	mem_free(x);
	mem_free(y);
}

static const char *open_reason(
	const struct trial *trial, const struct stats_verdict *verdict, struct arena *arena)
{
	const char *matrix = reason_matrix(trial->record, arena);
	double need = ceil(verdict->effort * (double)trial->runs);
	char x[NUM_SIZE];

	num_significant(100 * expm1(verdict->x), 2, x);
	if (!(verdict->effort > 0))
		return arena_printf(arena,
			"±%s %%: noise between runs dominates; what an answer would take cannot be "
			"told from this",
			x);
	if (need > 100)
		return arena_printf(arena,
			"±%s %%: noise between runs dominates; over 100 runs a side would be "
			"needed: make the machine quieter, or compare within one run",
			x);
	return arena_printf(arena,
		"±%s %%: noise between runs dominates; about %.0f runs a side would do: flagstone run%s "
		"--repeat "
		"%.0f",
		x, need, matrix, need);
}

static void fill(struct arena *arena, const struct trial *trial, const struct stats_verdict *by_welch,
	const struct stats_verdict *by_rank)
{
	struct stats_verdict verdict = stats_verdict_reconcile(by_welch, by_rank);
	struct comparison *c = &trial->effect->c;

	comparison_take_verdict(c, &verdict);
	c->se = trial->welch.se;
	c->df = trial->welch.df;
	if (c->answer != ANSWER_CANT_TELL)
		return;
	if (by_rank->answer != by_welch->answer) {
		c->reason = arena_printf(arena,
			"Welch's t (adjusted p = %.2g) and Mann and Whitney's test (adjusted p = %.2g) "
			"disagree",
			by_welch->p_adjusted, by_rank->p_adjusted);
		return;
	}
	c->effort = verdict.effort;
	c->reason = open_reason(trial, &verdict, arena);
}

void between_decide(const struct trials *trials, double matters, double precision, struct arena *arena)
{
	struct stats_rules rules = {
		.matters = matters, .precision = precision, .looks = 1, .lambda = 1, .family = trials->n};
	struct stats_pair *welch = mem_alloc_array(trials->n, sizeof(*welch));
	struct stats_pair *rank = mem_alloc_array(trials->n, sizeof(*rank));
	struct stats_verdict *by_welch = mem_alloc_array(trials->n, sizeof(*by_welch));
	struct stats_verdict *by_rank = mem_alloc_array(trials->n, sizeof(*by_rank));

	for (size_t i = 0; i < trials->n; i++) {
		welch[i] = trials->v[i].welch;
		rank[i] = trials->v[i].rank;
	}
	stats_family_decide(welch, trials->n, &rules, by_welch);
	stats_family_decide(rank, trials->n, &rules, by_rank);
	for (size_t i = 0; i < trials->n; i++)
		fill(arena, &trials->v[i], &by_welch[i], &by_rank[i]);
	mem_free(welch);
	mem_free(rank);
	mem_free(by_welch);
	mem_free(by_rank);
}
