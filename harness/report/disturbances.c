#include "report/document.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "report/cell_text.h"

/* What disturbed a run: marks, the A/A check, and cells whose series are not what a median and an interval are for. */

enum { NAMED_CELLS = 6, NAMED_ODD = 6 };

static void say_marks(struct document *document, const struct record *record, const struct result *result,
	struct arena *arena)
{
	static const struct {
		uint32_t mark;
		const char *text;
	} kinds[] = {{MARK_FREQ, "lower frequency"}, {MARK_SHARED, "shared core or cache"},
		{MARK_WAIT, "waited for a CPU"}, {MARK_THROTTLE, "throttled"},
		{MARK_OVERLAP, "copies did not overlap"}, {MARK_TIMEOUT, "timed out"},
		{MARK_CHECK, "wrong result"}, {MARK_SIGNAL, "died"}};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	size_t of_kind[KINDS] = {0};
	size_t n = record->samples.n, marked = 0, repeats = 0, left = 0;
	struct buf out = {0};
	char count[NUM_SIZE];

	for (size_t i = 0; i < n; i++) {
		const struct sample *row = &record->samples.v[i];

		marked += row->marks != 0;
		repeats += row->repeat_of != SAMPLE_NONE;
		for (size_t k = 0; row->marks != 0 && k < KINDS; k++)
			of_kind[k] += (row->marks & kinds[k].mark) != 0;
	}
	for (size_t i = 0; i < result->cell_count; i++)
		left += result->cells[i].marked;
	for (size_t k = 0; k < KINDS; k++)
		if (of_kind[k] > 0)
			buf_addf(&out, "%s%s %.2f %%", out.n > 0 ? ", " : "", kinds[k].text,
				100 * (double)of_kind[k] / (double)n);
	num_grouped(n, count);
	if (marked == 0 && n > 0)
		words_addf(&document->disturbances, arena, "none of %s samples was disturbed", count);
	else if (n > 0)
		words_addf(&document->disturbances, arena,
			"%.2f %% of %s samples were disturbed (%s); %zu sample%s measured again, %zu that "
			"count "
			"stayed disturbed",
			100 * (double)marked / (double)n, count, buf_text(&out), repeats,
			repeats == 1 ? " was" : "s were", left);
	buf_release(&out);
}

/* The quick look at a run's start; what is merely a caveat there is nothing new to who reads this. */
static void say_fitness(struct document *document, const struct record *record, struct arena *arena)
{
	const char *verdict = facts_value(&record->host, "doctor.verdict");
	const char *unfit = facts_value(&record->host, "doctor.unfit");

	if (text_same(verdict, "unfit"))
		words_addf(&document->disturbances, arena,
			"at the start this machine was unfit to measure on (%s): `flagstone doctor` says "
			"more",
			unfit != NULL ? unfit : "it is not known why");
}

static void say_aa(struct document *document, const struct result *result, struct arena *arena)
{
	switch (result->aa) {
	case AA_NOT_CHECKED:
		words_addf(&document->disturbances, arena,
			"A/A check: not checked, %zu usable pair%s of identical code, %d are needed (--aa "
			"adds some)",
			result->aa_pairs, text_plural(result->aa_pairs), STATS_AA_MIN_PAIRS);
		break;
	case AA_OK:
		words_addf(&document->disturbances, arena,
			"A/A check: %zu pairs of identical code, as they should be", result->aa_pairs);
		break;
	case AA_INFLATED:
	case AA_SUSPECT:
		words_addf(&document->disturbances, arena,
			"A/A check: %zu pairs of identical code, all intervals widened %.2f times (p = %.2g)",
			result->aa_pairs, result->lambda, result->p_aa);
		break;
	}
}

/* What was seen in a cell of one kind; NULL: it is not of this kind. In the arena. */
typedef const char *cell_finding(
	const struct record *record, const struct cell_summary *cell, struct arena *arena);

static const char *percent(double fraction, struct arena *arena)
{
	char text[NUM_SIZE];

	num_significant(100 * fraction, 2, text);
	return arena_printf(arena, "%s %%", text);
}

static const char *very_noisy(
	const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	return cell->very_noisy ? percent(cell->spread, arena) : NULL;
}

static const char *noisy(const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	return cell->noisy && !cell->very_noisy ? percent(cell->spread, arena) : NULL;
}

/* "at 100 and 110 lps, 62 and 38 % of the samples" */
static const char *two_modes(
	const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	const struct record_workload *workload =
		record_workload(record, record->builds[cell->build].workload);
	double low = round(100 * cell->modes.low_share);
	struct buf out = {0};
	char *text;

	if (!cell->two_modes)
		return NULL;
	buf_adds(&out, "at ");
	num_quantity(&out, cell->modes.low, cell->median, workload != NULL ? workload->unit : "");
	buf_adds(&out, " and ");
	num_quantity(&out, cell->modes.high, cell->median, workload != NULL ? workload->unit : "");
	buf_addf(&out, ", %.0f and %.0f %% of its samples", low, 100 - low);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static const char *trending(const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	if (!cell->trending)
		return NULL;
	return arena_printf(arena, "%s%s", cell->trend > 0 ? "+" : "", percent(cell->trend, arena));
}

static const char *alike(const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	return cell->autocorrelated && cell->lag1 > 0 ? arena_printf(arena, "%.2f", cell->lag1) : NULL;
}

static const char *alternating(
	const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	return cell->autocorrelated && cell->lag1 < 0 ? arena_printf(arena, "%.2f", cell->lag1) : NULL;
}

static const char *has_failed_samples(
	const struct record *record, const struct cell_summary *cell, struct arena *arena)
{
	(void)record;
	return cell->failed > 0 ? arena_printf(arena, "%zu", cell->failed) : NULL;
}

/* "noisy ...: a (3.2 %), b (4 %) and 4 more" over the cells of which there is a finding. */
static void say_cells(struct document *document, const struct record *record, const struct result *result,
	const char *what, cell_finding *find, struct arena *arena)
{
	struct buf out = {0};
	size_t count = 0;

	for (size_t i = 0; i < result->cell_count; i++) {
		const char *found = result->cells[i].hidden ? NULL : find(record, &result->cells[i], arena);

		if (found != NULL && count++ < NAMED_CELLS)
			buf_addf(&out, "%s%s (%s)", count > 1 ? ", " : "", record->builds[i].cell, found);
	}
	if (count > NAMED_CELLS)
		buf_addf(&out, " and %zu more", count - NAMED_CELLS);
	if (count > 0)
		words_addf(&document->disturbances, arena, "%s: %s", what, buf_text(&out));
	buf_release(&out);
}

/* The few whose samples tell most when they are looked at. */
static void collect_odd(struct document *document, const struct record *record, const struct result *result,
	struct arena *arena)
{
	static cell_finding *const findings[] = {two_modes, trending, alike, alternating, very_noisy};

	for (size_t f = 0; f < sizeof(findings) / sizeof(findings[0]); f++)
		for (size_t i = 0; i < result->cell_count && document->odd.n < NAMED_ODD; i++)
			if (!result->cells[i].hidden && !words_have(&document->odd, record->builds[i].cell) &&
				findings[f](record, &result->cells[i], arena) != NULL)
				words_add(&document->odd, arena, record->builds[i].cell);
}

void document_disturbances(struct document *document, const struct record *record,
	const struct result *result, bool verbose, struct arena *arena)
{
	size_t outliers = 0;

	say_fitness(document, record, arena);
	say_marks(document, record, result, arena);
	if (record->samples.n > 0)
		say_aa(document, result, arena);
	for (size_t i = 0; i < result->cell_count; i++)
		outliers += result->cells[i].outliers;
	if (outliers > 0)
		words_addf(&document->disturbances, arena, "%zu outlier%s, kept", outliers,
			text_plural(outliers));
	say_cells(document, record, result, "samples failed", has_failed_samples, arena);
	say_cells(document, record, result, "very noisy (spread over 5 %)", very_noisy, arena);
	if (verbose)
		say_cells(document, record, result, "noisy (spread over 3 %)", noisy, arena);
	say_cells(document, record, result, "two modes, one median speaks for neither", two_modes, arena);
	say_cells(document, record, result,
		"a trend within the run, from the first third of the rounds to the last", trending, arena);
	say_cells(document, record, result,
		"neighbouring rounds are alike (lag-1 autocorrelation), so the median's interval is too "
		"narrow",
		alike, arena);
	say_cells(document, record, result, "neighbouring rounds alternate (lag-1 autocorrelation)",
		alternating, arena);
	words_add_all(&document->disturbances, arena, &record->notes);
	collect_odd(document, record, result, arena);
}

const char *document_samples_command(const struct record *record, const struct words *cells,
	const struct report_options *options, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	buf_addf(&out, "flagstone show %.12s --samples", record->id);
	for (size_t i = 0; i < cells->n; i++) {
		buf_adds(&out, " --only ");
		text_quote(&out, cells->v[i]);
	}
	buf_adds(&out, options->where != NULL ? options->where : "");
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}
