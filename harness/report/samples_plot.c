#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compare/directory.h"
#include "compare/shots.h"
#include "report/document.h"
#include "report/strip.h"
#include "report/terminal_text.h"
#include "stats/describe.h"
#include "stats/modes.h"

struct plot {
	const struct record *record;
	const struct report_options *options;
	struct arena arena;
	struct shots shots;
	struct strip_sample *samples; /* room for all shots */
	double *used;		      /* the same: values that count, in the order of rounds */
	struct buf *out;
	unsigned signs;
};

/* One arm of a cell. */
struct series {
	const struct record_build *build;
	uint32_t arm;
	const char *unit;
	size_t drawn, used, failed, disturbed; /* disturbed: of the used ones */
	double min, max;		       /* of those drawn */
	struct stats_summary about;	       /* of the used ones */
};

static void take_series(struct plot *plot, struct shot_range range, struct series *series)
{
	for (size_t i = 0; i < range.n; i++) {
		const struct shot *shot = &range.v[i];

		if (!isfinite(shot->value)) {
			series->failed++;
			continue;
		}
		if (series->drawn == 0 || shot->value < series->min)
			series->min = shot->value;
		if (series->drawn == 0 || shot->value > series->max)
			series->max = shot->value;
		plot->samples[series->drawn++] =
			(struct strip_sample){shot->round, shot->value, shot->marks != 0};
	}
	for (size_t at = 0; at < range.n;) {
		const struct shot *shot = shots_next_round(range, &at);

		if (shot == NULL)
			continue;
		plot->used[series->used++] = shot->value;
		series->disturbed += shot->marks != 0;
	}
	stats_describe(plot->used, series->used, &series->about);
}

static void add_value(struct buf *out, const char *word, double value, const struct series *series)
{
	buf_addf(out, "%s ", word);
	num_quantity(out, value, series->about.median, series->unit);
}

static void add_count(struct buf *out, size_t n, const char *what)
{
	if (n > 0)
		buf_addf(out, "; %zu %s", n, what);
}

/* What is odd of the series, in the words of the table's remarks. */
static void add_oddities(struct buf *out, const struct series *series, const struct stats_modes *modes)
{
	const struct stats_summary *about = &series->about;

	if (modes != NULL) {
		add_value(out, "; two modes, at", modes->low, series);
		add_value(out, " and", modes->high, series);
	}
	if (about->trending)
		buf_addf(out, "; a trend, %+.2g %% from the first third of the rounds to the last",
			100 * about->trend);
	if (about->autocorrelated)
		buf_addf(out, "; neighbours %s, lag-1 autocorrelation %.2f",
			about->lag1 > 0 ? "are alike" : "alternate", about->lag1);
	if (about->noise != STATS_QUIET)
		buf_adds(out, about->noise == STATS_VERY_NOISY ? "; very noisy" : "; noisy");
}

static void add_head(struct plot *plot, const struct series *series, const struct stats_modes *modes)
{
	const struct stats_summary *about = &series->about;
	struct buf out = {0};

	buf_addf(&out, "%s%s: ", series->build->cell, series->arm > 0 ? ", second arm" : "");
	if (series->used == 0) {
		const char *reason =
			document_reason(plot->record, (uint32_t)(series->build - plot->record->builds));

		buf_addf(&out, "no sample with a value%s%s", reason != NULL ? ": " : "",
			reason != NULL ? reason : "");
		add_count(&out, series->failed, "failed");
	} else {
		buf_addf(&out, "%zu round%s; ", series->used, text_plural(series->used));
		add_value(&out, "min", series->min, series);
		add_value(&out, ", median", about->median, series);
		add_value(&out, ", max", series->max, series);
		buf_addf(&out, "; spread %.2g %%", 100 * about->spread);
		add_oddities(&out, series, modes);
		add_count(&out, about->outliers, "far out");
		add_count(&out, series->drawn - series->used, "measured again, drawn too");
		add_count(&out, series->disturbed, "stayed disturbed");
		add_count(&out, series->failed, "failed");
		if (series->build->copies > 1)
			buf_addf(&out, "; a sample is all %u copies together", series->build->copies);
	}
	terminal_paragraph(buf_text(&out), plot->options, plot->out);
	buf_release(&out);
}

static void add_series(struct plot *plot, uint32_t build, uint32_t arm, struct shot_range range)
{
	const struct record_build *of = &plot->record->builds[build];
	const struct record_workload *workload = record_workload(plot->record, of->workload);
	const char *unit = workload != NULL && workload->unit != NULL ? workload->unit : "";
	struct series series = {.build = of, .arm = arm, .unit = unit};
	struct stats_modes modes = {0};
	bool has_modes;
	struct strip strip;

	take_series(plot, range, &series);
	has_modes = series.about.two_modes;
	if (has_modes) {
		stats_sort(plot->used, series.used);
		has_modes = stats_two_modes(plot->used, series.used, &modes);
	}
	if (plot->out->n > 0)
		buf_addc(plot->out, '\n');
	add_head(plot, &series, has_modes ? &modes : NULL);
	strip = (struct strip){.v = plot->samples,
		.n = series.drawn,
		.unit = terminal_text(unit, plot->options->unicode, &plot->arena),
		.median = series.about.median,
		.has_modes = has_modes,
		.mode_low = has_modes ? modes.low : 0,
		.mode_high = has_modes ? modes.high : 0,
		.width = terminal_width(plot->options),
		.unicode = plot->options->unicode};
	strip_draw(&strip, plot->out, &plot->signs);
}

static void add_cell(struct plot *plot, uint32_t build)
{
	struct shot_range range = shots_of(&plot->shots, build, 0);

	add_series(plot, build, 0, range);
	for (uint32_t arm = 1; (range = shots_of(&plot->shots, build, arm)).n > 0; arm++)
		add_series(plot, build, arm, range);
}

void report_samples(const struct record *record, const struct report_options *options, struct buf *out)
{
	struct plot plot = {.record = record, .options = options, .out = out};
	struct buf legend = {0};

	shots_of_record(record, 0, &plot.shots);
	plot.samples = mem_alloc_array(plot.shots.n, sizeof(*plot.samples));
	plot.used = mem_alloc_array(plot.shots.n, sizeof(*plot.used));
	for (uint32_t i = 0; i < record->build_count; i++)
		if (directory_wants(options->only, record->builds[i].cell))
			add_cell(&plot, i);
	if (plot.signs != 0) {
		strip_legend(plot.signs, options->unicode, &legend);
		buf_addc(out, '\n');
		terminal_paragraph(buf_text(&legend), options, out);
		buf_release(&legend);
	}
	shots_release(&plot.shots);
	mem_free(plot.samples);
	mem_free(plot.used);
	arena_release(&plot.arena);
}
