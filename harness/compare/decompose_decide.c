#include "compare/decompose_decide.h"

#include <math.h>

#include "base/num.h"
#include "compare/reason.h"

struct work {
	const struct decomposition *out;
	const struct decompose_options *options;
	struct arena *arena;
};

/* One family: looks, lambda (which is in the estimates already) and Holm. */
static void decide(const struct trials *trials, struct decomposition *out)
{
	const struct measure_settings *settings = &out->record.plan.settings;
	size_t n = 0, count = trials->n;
	struct stats_pair *all = mem_alloc_array(count, sizeof(*all));
	struct stats_pair *clean = mem_alloc_array(count, sizeof(*clean));
	struct stats_verdict *verdicts = mem_alloc_array(count, sizeof(*verdicts));
	struct stats_verdict *clean_verdicts = mem_alloc_array(count, sizeof(*verdicts));
	struct stats_rules rules = {.matters = settings->matters,
		.precision = settings->precision,
		.looks = out->result.looks,
		.lambda = 1};

	for (size_t i = 0; i < count; i++) {
		if (!trials->v[i].tests)
			continue;
		all[n] = trials->v[i].all;
		clean[n++] = trials->v[i].clean;
	}
	rules.family = n;
	stats_family_decide(all, n, &rules, verdicts);
	stats_family_decide(clean, n, &rules, clean_verdicts);
	out->result.family = n;
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (!trials->v[i].tests)
			continue;
		trials->v[i].verdict = verdicts[n];
		trials->v[i].clean_verdict = clean_verdicts[n++];
	}
	mem_free(all);
	mem_free(clean);
	mem_free(verdicts);
	mem_free(clean_verdicts);
}

/* The cells of the row or the group, as --only takes them. */
static const char *pattern_of(const struct work *work, const struct trial *trial)
{
	const struct record_build *like;

	if (trial->row == NULL)
		return arena_printf(work->arena, "/%s//%u", trial->group->slot, trial->group->copies);
	like = &work->out->record.builds[trial->row->like];
	return arena_printf(work->arena, "%s/%s//%u%s%s", like->workload, like->slot, like->copies,
		like->args != NULL && like->args[0] != '\0' ? "/" : "", like->args != NULL ? like->args : "");
}

/* "about 3 times the rounds would do: flagstone run ..." */
static const char *what_it_takes(const struct work *work, const struct trial *trial, bool placement)
{
	const struct comparison *c = &trial->effect->c;
	const char *what = placement ? "layouts" : "rounds", *command;
	struct words only = {0};
	char times[NUM_SIZE];

	words_add(&only, work->arena, pattern_of(work, trial));
	command = reason_command(&work->out->record, &only, placement, c->effort, c->rounds, c->layouts,
		work->options->where, work->arena);
	if (!(c->effort > 0))
		return "what an answer would take cannot be told from this";
	if (c->effort >= 1000)
		return arena_printf(
			work->arena, "over 1000 times the %s would be needed: ask for less precision", what);
	if (c->effort < 1.05 && command != NULL)
		return arena_printf(work->arena, "a few more %s would do: %s", what, command);
	num_significant(c->effort, c->effort < 10 ? 2 : 1, times);
	if (command == NULL)
		return arena_printf(work->arena,
			"about %s times the %s would be needed: make the machine quieter, or ask for less "
			"precision",
			times, what);
	return arena_printf(work->arena, "about %s times the %s would do: %s", times, what, command);
}

static const char *why_open(const struct work *work, const struct trial *trial, bool reconciled)
{
	bool placement = trial->placement_share > 0.5;
	const char *source = placement			   ? "code placement dominates"
			     : trial->placement_share >= 0 ? "noise between rounds dominates"
							   : "noise";
	char x[NUM_SIZE];

	num_significant(100 * expm1(trial->effect->c.x), 2, x);
	if (reconciled)
		return arena_printf(work->arena,
			"±%s %%: cells were disturbed unequally often, and without the disturbed samples the "
			"answer would be another: %s",
			x, stats_answer_name(trial->clean_verdict.answer));
	if (!trial->effect->c.placement_averaged)
		source = "noise between rounds dominates, placement is not averaged";
	return arena_printf(work->arena, "±%s %%: %s; %s", x, source, what_it_takes(work, trial, placement));
}

static void fill_answer(const struct work *work, const struct trial *trial)
{
	struct comparison *c = &trial->effect->c;
	struct stats_verdict verdict = trial->verdict;

	if (trial->differ)
		verdict = stats_verdict_reconcile(&trial->verdict, &trial->clean_verdict);
	comparison_take_verdict(c, &verdict);
	c->se = trial->all.se;
	c->df = trial->all.df;
	c->effort = verdict.answer == STATS_CANT_TELL ? verdict.effort : 0;
	c->placement_share = trial->placement_share;
	c->marked_differ = trial->differ;
	if (c->answer == ANSWER_CANT_TELL)
		c->reason = why_open(work, trial, verdict.answer != trial->verdict.answer);
}

void decide_trials(const struct trials *trials, struct decomposition *out,
	const struct decompose_options *options, struct arena *arena)
{
	struct work work = {out, options, arena};

	decide(trials, out);
	for (size_t i = 0; i < trials->n; i++)
		if (trials->v[i].tests)
			fill_answer(&work, &trials->v[i]);
}
