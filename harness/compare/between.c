#include "compare/between.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compare/between_decide.h"
#include "compare/directory.h"
#include "compare/identical.h"
#include "compare/reason.h"
#include "stats/describe.h"
#include "stats/effect.h"
#include "stats/welch.h"

/* A side, with the names of each run's cells. */
struct index {
	struct directory *runs;
};

struct work {
	const struct between_options *options;
	struct arena *arena;
	struct between *between;
	struct index *indexes; /* one a side */
};

const char *between_letter(size_t side, struct arena *arena)
{
	if (side < 26)
		return arena_printf(arena, "%c", (int)('A' + (int)side));
	return arena_printf(arena, "%zu", side + 1);
}

static const struct record *first_of(const struct between_side *side)
{
	return side->runs[0].record;
}

/* --- one cell on one side --- */

static const char *unit_of(const struct record *record, const char *name)
{
	const struct record_workload *workload = record_workload(record, name);

	return workload != NULL && workload->unit != NULL ? workload->unit : "";
}

static const char *missing_reason(const struct record *record, int64_t build, struct arena *arena)
{
	const struct record_build *cell;

	if (build < 0)
		return "the record has no such cell";
	cell = &record->builds[build];
	if (cell->status == CELL_MEASURED || cell->status == CELL_BUILT)
		return reason_not_measured(record, false, arena);
	return reason_of_cell(record, cell, arena);
}

static void set_center(struct between_value *value, const struct cell_summary *only)
{
	if (value->runs == 0)
		return;
	value->has_value = true;
	value->median = stats_median(value->medians, value->runs);
	value->has_interval = value->runs > 1 || only->has_interval;
	value->lo = value->runs > 1 ? value->medians[0] : only->lo;
	value->hi = value->runs > 1 ? value->medians[0] : only->hi;
	for (size_t i = 1; i < value->runs; i++) {
		value->lo = fmin(value->lo, value->medians[i]);
		value->hi = fmax(value->hi, value->medians[i]);
	}
}

static struct between_value value_of(struct work *work, size_t side, const struct record_build *like)
{
	const struct between_side *of = &work->between->sides[side];
	struct between_value value = {.unit = unit_of(first_of(of), like->workload),
		.medians = arena_array(work->arena, of->run_count, sizeof(*value.medians))};
	const struct cell_summary *last = NULL;

	for (size_t r = 0; r < of->run_count; r++) {
		int64_t build = directory_find(&work->indexes[side].runs[r], like->cell);
		const struct cell_summary *summary = build < 0 ? NULL : &of->runs[r].result->cells[build];

		if (summary != NULL && summary->has_value &&
			reason_could_measure(&of->runs[r].record->builds[build])) {
			value.medians[value.runs++] = summary->median;
			last = summary;
		} else if (value.reason == NULL) {
			value.reason = missing_reason(of->runs[r].record, build, work->arena);
		}
	}
	set_center(&value, last);
	if (value.has_value)
		value.reason = NULL;
	return value;
}

/* --- one cell against the baseline's --- */

/* Runs of one side with other code than the first one's are no repeats of one thing. */
static void check_code(struct work *work, size_t side, const char *cell, struct comparable_cell *out)
{
	const struct between_side *of = &work->between->sides[side];
	const char *first = NULL;

	for (size_t r = 0; r < of->run_count; r++) {
		int64_t build = directory_find(&work->indexes[side].runs[r], cell);
		const char *hash = build < 0 ? NULL : of->runs[r].record->builds[build].code_hash;

		if (first != NULL && hash != NULL && strcmp(first, hash) != 0) {
			comparable_cell_worsen(out, work->arena, "code_hash", first, hash,
				arena_printf(
					work->arena, "the runs of %s do not have the same code", of->name));
			return;
		}
		first = first != NULL ? first : hash;
	}
}

/* How much one side's runs scatter inside, if that is called noisy; NULL else. */
static const char *noise_of(struct work *work, size_t side, const char *cell)
{
	const struct between_side *of = &work->between->sides[side];

	for (size_t r = 0; r < of->run_count; r++) {
		int64_t build = directory_find(&work->indexes[side].runs[r], cell);
		const struct cell_summary *summary = build < 0 ? NULL : &of->runs[r].result->cells[build];

		if (summary != NULL && summary->noisy)
			return arena_printf(work->arena, "noisy, spread %.2g %%", 100 * summary->spread);
	}
	return NULL;
}

static void check_noise(struct work *work, size_t side, const char *cell, struct comparable_cell *out)
{
	const char *a = noise_of(work, work->between->baseline, cell), *b = noise_of(work, side, cell);

	if (a != NULL || b != NULL)
		comparable_cell_worsen(out, work->arena, "series", a != NULL ? a : "quiet",
			b != NULL ? b : "quiet", "a noisy series");
}

static void compare_cells(struct work *work, size_t side, const char *cell, struct comparable_cell *out)
{
	struct between *between = work->between;
	struct comparable_count *counted = &between->counts[side];
	int64_t in_a = directory_find(&work->indexes[between->baseline].runs[0], cell);
	int64_t in_b = directory_find(&work->indexes[side].runs[0], cell);

	*out = (struct comparable_cell){.code = CODE_UNKNOWN};
	if (in_a < 0 || in_b < 0)
		return;
	comparable_cells(between->views[between->baseline], (size_t)in_a, between->views[side], (size_t)in_b,
		&between->comparable[side], work->arena, out);
	if (out->verdict != INCOMPARABLE) {
		check_code(work, between->baseline, cell, out);
		check_code(work, side, cell, out);
		check_noise(work, side, cell, out);
	}
	counted->cells++;
	counted->caveats += out->verdict == COMPARABLE_CAVEAT;
	counted->incomparable += out->verdict == INCOMPARABLE;
}

/* Everything but the verdict. */
static void prepare(
	struct work *work, struct trials *trials, struct between_cell *cell, size_t side, bool higher)
{
	struct between *between = work->between;
	const struct comparable *records = &between->comparable[side];
	const struct between_value *a = &cell->values[between->baseline], *b = &cell->values[side];
	struct between_effect *effect = &cell->effects[side];
	struct comparison *c = &effect->c;
	bool barred;

	*c = (struct comparison){.answer = ANSWER_NONE, .p = 1, .p_adjusted = 1, .placement_share = -1};
	compare_cells(work, side, cell->cell, &effect->comparable);
	barred = records->verdict == INCOMPARABLE || effect->comparable.verdict == INCOMPARABLE;
	if (barred && !work->options->force) {
		c->reason = records->verdict == INCOMPARABLE ? records->reason : effect->comparable.reason;
		return;
	}
	if (!a->has_value || !b->has_value) {
		c->reason = arena_printf(work->arena, "%s: %s",
			between->sides[a->has_value ? side : between->baseline].name,
			a->has_value ? b->reason : a->reason);
		return;
	}
	c->answer = ANSWER_CANT_TELL;
	effect->has_ratio = stats_effect(a->median, b->median, higher, &effect->ratio);
	if (a->runs < STATS_MIN_RUNS || b->runs < STATS_MIN_RUNS)
		c->reason = between_too_few(
			first_of(&between->sides[between->baseline]), a->runs, b->runs, work->arena);
	else
		between_add_trial(trials, first_of(&between->sides[between->baseline]), a, b, higher, effect);
}

/* --- the table --- */

static bool in_baseline(const struct work *work, const char *cell)
{
	return directory_find(&work->indexes[work->between->baseline].runs[0], cell) >= 0;
}

static void list_missing(struct work *work)
{
	struct between *between = work->between;
	const struct between_side *base = &between->sides[between->baseline];

	for (size_t s = 0; s < between->side_count; s++) {
		const struct record *record = first_of(&between->sides[s]);

		for (size_t i = 0; i < record->build_count && s != between->baseline; i++)
			if (directory_wants(work->options->only, record->builds[i].cell) &&
				!in_baseline(work, record->builds[i].cell))
				words_addf(&between->missing, work->arena, "%s: in %s, not in %s",
					record->builds[i].cell, between->sides[s].name, base->name);
		for (size_t i = 0; i < between->cell_count && s != between->baseline; i++)
			if (directory_find(&work->indexes[s].runs[0], between->cells[i].cell) < 0)
				words_addf(&between->missing, work->arena, "%s: in %s, not in %s",
					between->cells[i].cell, base->name, between->sides[s].name);
	}
}

static void make_cell(struct work *work, struct trials *trials, const struct record_build *build)
{
	struct between *between = work->between;
	const struct record *record = first_of(&between->sides[between->baseline]);
	struct between_cell *cell = &between->cells[between->cell_count++];

	cell->cell = build->cell;
	cell->values = arena_array(work->arena, between->side_count, sizeof(*cell->values));
	cell->effects = arena_array(work->arena, between->side_count, sizeof(*cell->effects));
	for (size_t s = 0; s < between->side_count; s++)
		cell->values[s] = value_of(work, s, build);
	for (size_t s = 0; s < between->side_count; s++)
		if (s != between->baseline)
			prepare(work, trials, cell, s, record_higher_is_better(record, build));
}

static void make_cells(struct work *work)
{
	struct between *between = work->between;
	const struct record *record = first_of(&between->sides[between->baseline]);
	struct trials trials = {0};

	between->cells = arena_array(work->arena, record->build_count, sizeof(*between->cells));
	for (size_t i = 0; i < record->build_count; i++)
		if (directory_wants(work->options->only, record->builds[i].cell))
			make_cell(work, &trials, &record->builds[i]);
	between->family = trials.n;
	between_decide(&trials, between->matters, between->precision, work->arena);
	vec_release(&trials);
}

/* What a side's verdict rests on, for the advice: the cells that are in both. */
static void advise(struct work *work, size_t side)
{
	struct between *between = work->between;
	const struct comparable_cell **cells = arena_array(work->arena, between->cell_count, sizeof(*cells));
	struct advice_question question = {.a = between->views[between->baseline],
		.b = between->views[side],
		.name_a = between_letter(between->baseline, work->arena),
		.name_b = between_letter(side, work->arena),
		.records = &between->comparable[side],
		.verdict = comparable_verdict(&between->comparable[side], &between->counts[side]),
		.cells = cells};

	for (size_t i = 0; i < between->cell_count; i++)
		if (between->cells[i].effects[side].comparable.facts.n > 0)
			cells[question.cell_count++] = &between->cells[i].effects[side].comparable;
	comparable_advise(&question, work->arena, &between->advice[side]);
}

/* What code cannot explain, no compiler, flag or source did. */
static void say_same_code(struct work *work, size_t side)
{
	struct between *between = work->between;
	enum axis axis = between->comparable[side].axis;
	size_t count = 0, first = 0;

	for (size_t i = between->cell_count; i-- > 0;) {
		const struct between_effect *effect = &between->cells[i].effects[side];

		if (effect->comparable.code != CODE_SAME ||
			(effect->c.answer != ANSWER_FASTER && effect->c.answer != ANSWER_SLOWER))
			continue;
		count++;
		first = i;
	}
	if (count > 0 && (axis == AXIS_COMPILER || axis == AXIS_FLAGS || axis == AXIS_SOURCE))
		words_addf(&between->notes, work->arena,
			"%zu cell%s of %s (%s first) differ%s in speed from the baseline's with the same "
			"machine code: that "
			"is how far runs lie apart here, and no effect of the %s",
			count, text_plural(count), between->sides[side].name, between->cells[first].cell,
			count == 1 ? "s" : "", axis_text(axis));
}

static void make_sentences(struct work *work)
{
	struct between *between = work->between;

	for (size_t s = 0; s < between->side_count; s++) {
		if (s == between->baseline)
			continue;
		between->sentences[s] =
			comparable_sentence(&between->comparable[s], &between->counts[s], work->arena);
		advise(work, s);
		say_same_code(work, s);
	}
}

/* --- the sides --- */

/* Repeats of one side must be of one kind; what differs a little is said. */
static int check_side(struct work *work, const struct between_side *side, struct error *e)
{
	const struct comparable_view *view =
		side->run_count > 1 ? comparable_view_of(first_of(side), work->arena) : NULL;

	for (size_t r = 1; r < side->run_count; r++) {
		const struct record *first = first_of(side), *other = side->runs[r].record;
		struct comparable found;

		comparable_records(
			view, comparable_view_of(other, work->arena), AXIS_NONE, work->arena, &found);
		if (found.verdict == INCOMPARABLE || found.axis == AXIS_MACHINE)
			return error_set(e, EXIT_USAGE,
				"the runs of %s are no repeats of one another: %.12s and %.12s differ in %s; "
				"compare them as two records",
				side->name, first->id, other->id,
				found.reason != NULL ? found.reason : found.what);
		if (found.what != NULL)
			words_addf(&work->between->notes, work->arena, "within %s the %s differs: %s",
				side->name, axis_text(found.axis), found.what);
	}
	return 0;
}

static void set_limits(struct work *work)
{
	struct between *between = work->between;

	for (size_t s = 0; s < between->side_count; s++) {
		const struct measure_settings *settings = &first_of(&between->sides[s])->plan.settings;

		between->matters = fmax(between->matters, settings->matters);
		between->precision = fmax(between->precision, settings->precision);
	}
	if (work->options->matters > 0)
		between->matters = work->options->matters;
	if (work->options->precision > 0)
		between->precision = work->options->precision;
}

static void index_sides(struct work *work)
{
	struct between *between = work->between;

	work->indexes = arena_array(work->arena, between->side_count, sizeof(*work->indexes));
	for (size_t s = 0; s < between->side_count; s++) {
		const struct between_side *side = &between->sides[s];

		work->indexes[s].runs =
			arena_array(work->arena, side->run_count, sizeof(*work->indexes[s].runs));
		for (size_t r = 0; r < side->run_count; r++)
			work->indexes[s].runs[r] = directory_of(side->runs[r].record, work->arena);
	}
}

static void say_suspects(struct work *work)
{
	for (size_t s = 0; s < work->between->side_count; s++) {
		const struct between_side *side = &work->between->sides[s];

		for (size_t r = 0; r < side->run_count; r++)
			if (side->runs[r].result->aa == AA_SUSPECT)
				words_addf(&work->between->notes, work->arena,
					"run %.12s of %s is suspect: it finds differences between pairs of "
					"identical code",
					side->runs[r].record->id, side->name);
	}
}

int between_compare(const struct between_side *sides, size_t side_count,
	const struct between_options *options, struct arena *arena, struct between *between, struct error *e)
{
	struct work work = {options, arena, between, NULL};

	*between = (struct between){.sides = sides, .side_count = side_count, .baseline = options->baseline};
	for (size_t s = 0; s < side_count; s++)
		if (check_side(&work, &sides[s], e) != 0)
			return -1;
	set_limits(&work);
	index_sides(&work);
	between->comparable = arena_array(arena, side_count, sizeof(*between->comparable));
	between->sentences = arena_array(arena, side_count, sizeof(*between->sentences));
	between->counts = arena_array(arena, side_count, sizeof(*between->counts));
	between->advice = arena_array(arena, side_count, sizeof(*between->advice));
	between->views = arena_array(arena, side_count, sizeof(*between->views));
	for (size_t s = 0; s < side_count; s++)
		between->views[s] = comparable_view_of(first_of(&sides[s]), arena);
	for (size_t s = 0; s < side_count; s++)
		comparable_records(between->views[between->baseline], between->views[s], options->axis, arena,
			&between->comparable[s]);
	make_cells(&work);
	if (side_count > 2)
		comparable_group(
			between->views, side_count, options->axis, options->only, arena, &between->groups);
	list_missing(&work);
	make_sentences(&work);
	say_suspects(&work);
	return 0;
}
