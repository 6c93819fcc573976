#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/reason.h"
#include "report/cell_text.h"
#include "report/document.h"
#include "stats/describe.h"

#define FINE_PRECISION 0.0101 /* what `--precision 1%` means, with room for rounding */

static const char *text_or(const char *text, const char *fallback)
{
	return text != NULL ? text : fallback;
}

/* A setting such as 0.01 as "1". */
static const char *percent_of(double fraction, struct arena *arena)
{
	char text[NUM_SIZE];

	num_significant(100 * fraction, 2, text);
	if (strchr(text, '.') != NULL && text_ends(text, "0")) /* 1.0 and 0.50 are written as 1 and 0.5 */
		text[strlen(text) - 1] = '\0';
	if (text_ends(text, "."))
		text[strlen(text) - 1] = '\0';
	return arena_strdup(arena, text);
}

static void set_title(struct document *document, const struct record *record, struct arena *arena)
{
	const char *cpu = facts_value(&record->host, "cpu.model_name");
	const char *count = facts_value(&record->host, "cpu.count");
	const char *kernel = facts_value(&record->host, "kernel.release");

	document->title = arena_printf(arena, "%s%s, %s, %s, %s CPU%s, kernel %s",
		strcmp(record->kind, "run") == 0 ? "matrix " : "",
		text_or(record->plan.matrix_name, record->kind), text_or(record->started, "start not known"),
		text_or(cpu, "CPU model not known"), text_or(count, "unknown number of"),
		count != NULL && strcmp(count, "1") == 0 ? "" : "s", text_or(kernel, "not known"));
}

void document_alerts(struct document *document, const struct record *record, const struct result *result,
	struct arena *arena)
{
	if (!record->complete)
		words_addf(&document->alerts, arena, "This run is not complete: %s.",
			text_or(record->incomplete_reason, "it was not finished"));
	if (record->build_count == 0)
		words_add(&document->alerts, arena, "The record has no cells: there is nothing to show.");
	if (result->aa == AA_SUSPECT)
		words_addf(&document->alerts, arena,
			"This run is suspect: it finds differences between pairs of identical code (%zu "
			"pairs, p = %.2g). Do not trust its verdicts: see what else runs on this machine, "
			"and "
			"measure again.",
			result->aa_pairs, result->p_aa);
}

static bool has(const struct document *document, enum doc_kind kind)
{
	return (document->kinds & 1u << kind) != 0;
}

/* Where links could not be varied, or only one was asked for. */
static void say_placement(const struct result *result, struct buf *out)
{
	size_t fixed = 0, all = 0;

	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		if (c->hidden || !c->has_effect)
			continue;
		all++;
		fixed += !c->placement_averaged;
	}
	if (fixed == 0)
		return;
	buf_adds(out, " Placement not averaged");
	if (fixed < all)
		buf_addf(out, " in %zu of %zu", fixed, all);
	buf_adds(out, ": part of an effect may be where the linker happened to put the code.");
}

void document_legend(struct document *document, const struct result *result, struct arena *arena)
{
	struct words parts = {0};
	struct buf out = {0};

	buf_adds(&out, "In the cells: ");
	if (has(document, DOC_FASTER) || has(document, DOC_SLOWER))
		words_add(&parts, arena, "+ faster, - slower than the baseline, ± half of the 95 % interval");
	if (has(document, DOC_NO_DIFFERENCE))
		words_add(&parts, arena, "= (±x) no difference larger than x");
	if (has(document, DOC_TOO_SMALL))
		words_add(&parts, arena, "= (≤x) a difference too small to matter, at most x");
	if (has(document, DOC_CANT_TELL))
		words_add(&parts, arena, "~ ±x can't tell: anything up to x is possible");
	if (has(document, DOC_SAME_CODE))
		words_add(&parts, arena, "same code: the compiler made the same machine code");
	for (size_t i = 0; i < parts.n; i++)
		buf_addf(&out, "%s%s", i > 0 ? "; " : "", parts.v[i]);
	if (parts.n > 0 && result->family > 0)
		buf_addf(&out,
			". Answers by Holm over %zu comparison%s and %u look%s; intervals are of one "
			"comparison each.",
			result->family, result->family == 1 ? "" : "s", result->looks,
			result->looks == 1 ? "" : "s");
	else if (parts.n > 0)
		buf_addc(&out, '.');
	say_placement(result, &out);
	document->legend = parts.n > 0 ? arena_strdup(arena, buf_text(&out)) : NULL;
	buf_release(&out);
}

/* One variant's mean as "O3 +2.1 % (8 of 8)". */
static const char *mean_text(const struct effect_mean *mean, const char *variant, struct arena *arena)
{
	const char *value = mean->has_mean ? cell_text_percent(mean->effect, arena) : "n/a";

	return arena_printf(arena, "%s %s (%zu of %zu)", variant, value, mean->n, mean->m);
}

static void set_means(struct document *document, const struct record *record, const struct result *result,
	struct arena *arena)
{
	struct buf out = {0};

	if (result->selected) /* a mean is of all workloads */
		return;
	for (size_t t = 0; t < document->table_count && result->comparison_count > 0; t++) {
		const struct doc_table *table = &document->tables[t];

		buf_clear(&out);
		for (size_t i = 0; i < table->column_count; i++) {
			struct effect_mean mean =
				effect_geomean(record, result, table->slot, table->columns[i], table->copies);

			if (mean.m > 0)
				buf_addf(&out, "%s%s", out.n > 0 ? ", " : "",
					mean_text(&mean, table->columns[i], arena));
		}
		if (out.n > 0)
			words_addf(&document->means, arena, "%s: %s", table->heading, buf_text(&out));
	}
	buf_release(&out);
}

/* How many can't tell and what dominates; with `verbose` each with its reason. */
void document_undecided(struct document *document, const struct record *record, const struct result *result,
	bool verbose, struct arena *arena)
{
	size_t undecided = 0, placement = 0, marked = 0, all = 0;

	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		all += !c->hidden;
		if (c->hidden || c->answer != ANSWER_CANT_TELL || !c->has_effect)
			continue;
		undecided++;
		placement += c->placement_share > 0.5;
		marked += c->marked_differ;
		if (verbose)
			words_addf(
				&document->undecided, arena, "%s: %s", record->builds[c->b].cell, c->reason);
	}
	if (undecided == 0 || verbose)
		return;
	words_addf(&document->undecided, arena,
		"%zu of %zu comparisons can't tell: noise between rounds dominates in %zu, code placement in "
		"%zu%s.",
		undecided, all, undecided - placement, placement,
		marked > 0 ? "; some cells were disturbed more often than their baseline" : "");
}

static void add_hint(struct document *document, const char *text, const char *command)
{
	document->hints[document->hint_count++] = (struct doc_hint){text, command};
}

/* The median effort of what is undecided for the reason that is the more frequent one; 4 if nothing is. */
static double effort_of(const struct result *result, bool *placement)
{
	double *efforts = mem_alloc_array(result->comparison_count, sizeof(*efforts));
	size_t n = 0, by_placement = 0, undecided = 0;
	double median;

	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		undecided += !c->hidden && c->effort > 0;
		by_placement += !c->hidden && c->effort > 0 && c->placement_share > 0.5;
	}
	*placement = 2 * by_placement > undecided;
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];

		if (!c->hidden && c->effort > 0 && (c->placement_share > 0.5) == *placement)
			efforts[n++] = c->effort;
	}
	median = n > 0 ? stats_median(efforts, n) : 4;
	mem_free(efforts);
	return median;
}

/* Different layouts among the samples, those of second arms aside. */
static uint32_t count_layouts(const struct record *record)
{
	VEC(uint32_t) seen = {0};
	uint32_t count;

	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];
		size_t k = 0;

		if (row->arm != 0)
			continue;
		while (k < seen.n && seen.v[k] != row->layout)
			k++;
		if (k == seen.n)
			vec_push(&seen, row->layout);
	}
	count = (uint32_t)seen.n;
	vec_release(&seen);
	return count;
}

/* What the run spent, and the command that sees finer. */
static void add_spent(struct document *document, const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena)
{
	const struct measure_settings *settings = &record->plan.settings;
	uint32_t layouts = count_layouts(record);
	bool placement = false;
	const char *command = NULL;
	double effort = effort_of(result, &placement);

	if (result->rounds == 0)
		return;
	if (result->family > 0 && (has(document, DOC_CANT_TELL) || settings->precision > FINE_PRECISION))
		command = reason_command(record, options->only, placement, effort, result->rounds, layouts,
			settings->precision > FINE_PRECISION
				? arena_printf(arena, " --precision 1%%%s", text_or(options->where, ""))
				: options->where,
			arena);
	add_hint(document,
		arena_printf(arena,
			"This run used %u layout%s and %u of at most %u rounds; differences matter from %s "
			"%%, "
			"an interval within ±%s %% is narrow enough.%s",
			layouts, text_plural(layouts), result->rounds,
			settings->rounds_max > 0 ? settings->rounds_max : result->rounds,
			percent_of(settings->matters, arena), percent_of(settings->precision, arena),
			command != NULL ? " To see finer:" : ""),
		command);
}

/* `flagstone show` of this record, of these cells. */
static const char *show_command(const struct record *record, const struct result *result,
	const struct report_options *options, const struct words *only, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	buf_addf(&out, "flagstone show %.12s%s", record->id, result->same_code_judged ? " --aa" : "");
	for (size_t i = 0; only != NULL && i < only->n; i++) {
		buf_adds(&out, " --only ");
		text_quote(&out, only->v[i]);
	}
	buf_adds(&out, text_or(options->where, ""));
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static bool can_be_shown(const struct record *record, const struct report_options *options)
{
	return record->id[0] != '\0' && options->path != NULL;
}

/* "faster, +13.0 % ±0.2", "can't tell, ±5.9 %": a direction only where there is one, as in the cells. */
static const char *verdict_text(const struct comparison *c, struct arena *arena)
{
	const char *answer = answer_text(c->answer);

	if (!c->has_effect)
		return answer;
	if (c->answer == ANSWER_FASTER || c->answer == ANSWER_SLOWER)
		return arena_printf(
			arena, "%s, %s", answer, cell_text_effect(c->effect, c->lo, c->hi, arena));
	return arena_printf(arena, "%s, %s%s %%", answer, c->answer == ANSWER_TOO_SMALL ? "≤" : "±",
		cell_text_bound(c->x, arena));
}

/* Each answer with the command that gives it again. */
static void set_verdicts(struct document *document, const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena)
{
	if (!options->verbose || !can_be_shown(record, options))
		return;
	document->verdicts = arena_array(arena, result->comparison_count, sizeof(*document->verdicts));
	for (size_t i = 0; i < result->comparison_count; i++) {
		const struct comparison *c = &result->comparisons[i];
		struct words only = {0};

		if (c->hidden || c->answer == ANSWER_NONE)
			continue;
		words_add(&only, arena, record->builds[c->b].cell);
		document->verdicts[document->verdict_count++] = (struct doc_hint){
			arena_printf(arena, "%s: %s", record->builds[c->b].cell, verdict_text(c, arena)),
			show_command(record, result, options, &only, arena)};
	}
}

static void set_hints(struct document *document, const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena)
{
	add_spent(document, record, result, options, arena);
	if (can_be_shown(record, options) && document->odd.n > 0)
		add_hint(document,
			"To look at the samples of cells with two modes, a trend, neighbours that go "
			"together or much noise "
			"(drawn on a terminal, else CSV):",
			document_samples_command(record, &document->odd, options, arena));
	if (can_be_shown(record, options))
		add_hint(document, "The same verdicts from the same samples, any time:",
			show_command(
				record, result, options, result->selected ? options->only : NULL, arena));
	if (options->path != NULL)
		add_hint(document, "Record:", options->path);
	else
		add_hint(document, "This result is not archived.", NULL);
}

void document_remarks(struct document *document, const struct record *record, const struct result *result,
	const struct report_options *options, struct arena *arena)
{
	set_title(document, record, arena);
	document_alerts(document, record, result, arena);
	document_legend(document, result, arena);
	set_means(document, record, result, arena);
	document_undecided(document, record, result, options->verbose, arena);
	set_verdicts(document, record, result, options, arena);
	if (options->quiet)
		return;
	document_disturbances(document, record, result, options->verbose, arena);
	set_hints(document, record, result, options, arena);
}
