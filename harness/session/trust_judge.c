#include "session/trust.h"

#include <math.h>
#include <string.h>

/* Comparisons whose truth is known: judged as a run's own, and counted. */

static bool is_different(enum answer answer)
{
	return answer == ANSWER_FASTER || answer == ANSWER_SLOWER || answer == ANSWER_TOO_SMALL;
}

/* Faster or slower where the truth says something else. */
static bool is_wrong(const struct trust_outcome *o)
{
	if (o->answer == ANSWER_FASTER)
		return !(o->truth > 0);
	return o->answer == ANSWER_SLOWER && !(o->truth < 0);
}

void trust_add(struct trust_tally *tally, const struct trust_outcome *o)
{
	double off = o->effect - o->truth;

	if (!o->answered) {
		tally->missing++;
		return;
	}
	tally->pairs++;
	tally->different += o->p_adjusted <= STATS_ALPHA;
	tally->found += is_different(o->answer) && o->truth * o->effect > 0;
	tally->wrong += is_wrong(o);
	tally->denied +=
		(o->answer == ANSWER_NO_DIFFERENCE || o->answer == ANSWER_TOO_SMALL) && fabs(o->truth) > o->x;
	tally->undecided += o->answer == ANSWER_CANT_TELL;
	tally->excluding += o->lo > 0 || o->hi < 0;
	tally->holding += o->lo <= o->truth && o->truth <= o->hi;
	tally->sum += off;
	tally->squares += off * off;
	tally->widths += 0.5 * (o->hi - o->lo);
}

void trust_add_tally(struct trust_tally *tally, const struct trust_tally *more)
{
	tally->pairs += more->pairs;
	tally->missing += more->missing;
	tally->different += more->different;
	tally->found += more->found;
	tally->wrong += more->wrong;
	tally->denied += more->denied;
	tally->undecided += more->undecided;
	tally->excluding += more->excluding;
	tally->holding += more->holding;
	tally->sum += more->sum;
	tally->squares += more->squares;
	tally->widths += more->widths;
}

static double per_pair(const struct trust_tally *tally, double sum)
{
	return tally->pairs > 0 ? sum / (double)tally->pairs : 0;
}

double trust_spread(const struct trust_tally *tally)
{
	return sqrt(per_pair(tally, tally->squares));
}

double trust_bias(const struct trust_tally *tally)
{
	return per_pair(tally, tally->sum);
}

double trust_half_width(const struct trust_tally *tally)
{
	return per_pair(tally, tally->widths);
}

/* A comparison that the looks settle stays as it was there. */
static void close_at(struct record *view, uint32_t look, struct arena *arena)
{
	struct effect_options options = {.no_same_code = true, .rounds = look};
	struct result result;

	view->plan.last_look = look;
	effect_of_record(view, &options, arena, &result);
	for (size_t i = 0; i < result.comparison_count; i++)
		if (view->plan.comparisons[i].closed_at == 0 &&
			result.comparisons[i].answer != ANSWER_CANT_TELL)
			view->plan.comparisons[i].closed_at = look;
}

static struct trust_outcome outcome_of(const struct comparison *c, double truth)
{
	if (!c->has_effect)
		return (struct trust_outcome){.truth = truth, .answer = c->answer};
	return (struct trust_outcome){.truth = truth,
		.answered = true,
		.answer = c->answer,
		.effect = c->effect,
		.lo = c->lo,
		.hi = c->hi,
		.x = c->x,
		.p_adjusted = c->p_adjusted,
		.rounds = c->rounds};
}

static uint32_t rounds_made(const struct record *record)
{
	uint32_t rounds = 0;

	for (size_t i = 0; i < record->samples.n; i++)
		if (record->samples.v[i].round >= rounds)
			rounds = record->samples.v[i].round + 1;
	return rounds;
}

void trust_judge(const struct record *record, const struct trust_pair *pairs, size_t n, double matters,
	double precision, struct trust_outcome *outcomes)
{
	struct effect_options options = {.no_same_code = true};
	struct arena arena = {0};
	struct record view = *record;
	struct result result;
	uint32_t rounds = rounds_made(record);

	view.plan.settings.matters = matters;
	view.plan.settings.precision = precision;
	view.plan.comparisons = arena_array(&arena, n, sizeof(*view.plan.comparisons));
	view.plan.comparison_count = n;
	for (size_t i = 0; i < n; i++)
		view.plan.comparisons[i] = (struct record_comparison){.a = pairs[i].a, .b = pairs[i].b};
	for (size_t i = 0; i < view.plan.look_count && view.plan.looks[i] < rounds; i++)
		close_at(&view, view.plan.looks[i], &arena);
	view.plan.last_look = rounds;
	effect_of_record(&view, &options, &arena, &result);
	for (size_t i = 0; i < n; i++)
		outcomes[i] = outcome_of(&result.comparisons[i], pairs[i].truth);
	arena_release(&arena);
}
