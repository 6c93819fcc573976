#include "compare/reason.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

#define MOST_ROUNDS  4096
#define MOST_LAYOUTS 64

bool reason_could_measure(const struct record_build *build)
{
	return build->status == CELL_BUILT || build->status == CELL_MEASURED ||
	       build->status == CELL_RUN_FAILED;
}

static bool is_fine(const struct record_build *build)
{
	return build->status == CELL_BUILT || build->status == CELL_MEASURED;
}

const char *reason_of_cell(const struct record *record, const struct record_build *build, struct arena *arena)
{
	const char *why = build->reason != NULL ? build->reason : "no reason was recorded";

	if (build->status == CELL_IMPOSSIBLE)
		return arena_printf(arena, "cannot exist here: %s", why);
	if (build->status == CELL_PLANNED && build->reason == NULL)
		why = record->incomplete_reason != NULL ? record->incomplete_reason : "the run ended before";
	if (build->status == CELL_PLANNED)
		return arena_printf(arena, "not built: %s", why);
	return arena_printf(arena, "%s: %s", cell_status_text(build->status), why);
}

const char *reason_none(const struct record *record, const struct record_build *a,
	const struct record_build *b, struct arena *arena)
{
	bool baseline = !is_fine(a);

	return arena_printf(
		arena, "%s%s", baseline ? "baseline " : "", reason_of_cell(record, baseline ? a : b, arena));
}

const char *reason_not_measured(const struct record *record, bool baseline, struct arena *arena)
{
	return arena_printf(arena, "%snot measured: %s", baseline ? "baseline " : "",
		record->incomplete_reason != NULL ? record->incomplete_reason
						  : "it has no sample with a value");
}

const char *reason_too_few(const struct stats_pair *pair, struct arena *arena)
{
	switch (pair->status) {
	case STATS_PAIR_FEW_LAYOUTS:
		return arena_printf(arena, "too few layouts that both have: %zu, at least %d are needed",
			pair->layouts, STATS_MIN_LAYOUTS);
	case STATS_PAIR_FEW_ROUNDS:
		return arena_printf(arena, "too few rounds that both have: %zu, at least %d are needed",
			pair->rounds, STATS_MIN_ROUNDS);
	default:
		return "there is no round in which both gave a value with the same layout";
	}
}

/* Looks are planned by a factor of 4: the first one from the run's own on that reaches `need`; 0: beyond reason. */
static uint32_t rounds_at_least(const struct record *record, double need, uint32_t rounds)
{
	uint32_t at = rounds;

	for (size_t i = 0; i < record->plan.look_count; i++) {
		at = record->plan.looks[i];
		if (at >= need && at > rounds)
			return at;
	}
	at = at > 0 ? at : 1;
	while (at < need || at <= rounds) {
		if (at > MOST_ROUNDS / 4)
			return 0;
		at *= 4;
	}
	return at;
}

/* Layouts are doubled. */
static uint32_t layouts_at_least(double need, uint32_t layouts)
{
	uint32_t at = layouts > 0 ? layouts : 1;

	while (at < need || at <= layouts) {
		if (at > MOST_LAYOUTS / 2)
			return 0;
		at *= 2;
	}
	return at;
}

/* The budget that the run had, as much larger as the rounds, in whole minutes; it is a limit, not a duration. */
static void add_budget(struct buf *out, const struct record *record, double factor)
{
	double minutes = (double)record->plan.settings.budget_ns / 60e9 * factor;

	if (record->plan.settings.budget_ns > 0)
		buf_addf(out, " --budget %.0fm", fmin(1e6, fmax(1, ceil(minutes))));
}

const char *reason_matrix(const struct record *record, struct arena *arena)
{
	struct words name = {0};

	if (facts_find(&record->harness, RECORD_BUNDLE_KEY) != NULL)
		return " --bundle FILE";
	if (record->plan.matrix_name == NULL)
		return "";
	words_add(&name, arena, record->plan.matrix_name);
	return arena_printf(arena, " %s", words_join(&name, arena));
}

const char *reason_command(const struct record *record, const struct words *only, bool placement,
	double times, uint32_t rounds, uint32_t layouts, const char *where, struct arena *arena)
{
	uint32_t now = placement ? layouts : rounds;
	double need = times * now;
	uint32_t want = placement ? layouts_at_least(need, now) : rounds_at_least(record, need, now);
	struct buf out = {0};
	char *text;

	if (!(times > 0) || want == 0)
		return NULL;
	buf_adds(&out, "flagstone run");
	buf_adds(&out, reason_matrix(record, arena));
	for (size_t i = 0; only != NULL && i < only->n; i++) {
		buf_adds(&out, " --only ");
		text_quote(&out, only->v[i]);
	}
	buf_addf(&out, placement ? " --layouts %u" : " --rounds %u", want);
	add_budget(&out, record, now > 0 ? (double)want / now : 1);
	buf_adds(&out, where != NULL ? where : "");
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

/* Would `--only` of b measure a, too? It keeps b's baseline, that of the matrix. */
static bool comes_along(
	const struct comparison *c, const struct record_build *a, const struct record_build *b)
{
	return !c->regrouped && a->baseline && a->copies == b->copies &&
	       text_same(a->workload, b->workload) && text_same(a->slot, b->slot) &&
	       text_same(a->args, b->args);
}

/* What would give an answer, after "...; ". */
static const char *what_it_takes(const struct record *record, const struct comparison *c, bool placement,
	const char *where, struct arena *arena)
{
	struct words only = {0};
	const char *command;
	const char *what = placement ? "layouts" : "rounds";
	char times[NUM_SIZE];

	words_add(&only, arena, record->builds[c->b].cell);
	if (!comes_along(c, &record->builds[c->a], &record->builds[c->b]))
		words_add(&only, arena, record->builds[c->a].cell);
	command = reason_command(record, &only, placement, c->effort, c->rounds, c->layouts, where, arena);
	if (!(c->effort > 0))
		return "what an answer would take cannot be told from this";
	num_significant(c->effort, c->effort < 10 ? 2 : 1, times);
	if (c->effort >= 1000)
		return arena_printf(
			arena, "over 1000 times the %s would be needed: ask for less precision", what);
	if (command == NULL)
		return arena_printf(arena,
			"about %s times the %s would be needed: make the machine quieter, or ask "
			"for less precision",
			times, what);
	return arena_printf(arena, "about %s times the %s would do: %s", times, what, command);
}

/* A share in per cent, 0 of 0 is 0. */
static double share(size_t part, size_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

const char *reason_cant_tell(const struct record *record, const struct comparison *c, double lambda,
	const struct reason_marks *marks, const char *where, struct arena *arena)
{
	bool placement = c->placement_share > 0.5;
	const char *source = placement ? "code placement dominates" : "noise between rounds dominates";
	char x[NUM_SIZE];
	const char *widened = "";

	num_significant(100 * expm1(c->x), 2, x);
	if (marks->clean_answer != NULL)
		return arena_printf(arena,
			"±%s %%: the cells differ in how often they were disturbed (baseline %.1f %%, "
			"this %.1f %% of samples), and without the disturbed samples the answer "
			"would be another: %s",
			x, share(marks->marked_a, marks->first_a), share(marks->marked_b, marks->first_b),
			marks->clean_answer);
	if (lambda > 1)
		widened = arena_printf(arena, " (widened %.2f times by the A/A check)", lambda);
	if (!c->placement_averaged)
		source = "noise between rounds dominates, placement is not averaged";
	return arena_printf(arena, "±%s %%%s: %s; %s", x, widened, source,
		what_it_takes(record, c, placement, where, arena));
}
