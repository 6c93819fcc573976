#include <math.h>
#include <string.h>

#include "compare/next_work.h"
#include "compare/reason.h"
#include "spec/spec.h"

/* The command of a run that has only these cells, and is measured as the record was but for rounds and layouts. */

#define BUDGET_FACTOR 1.5 /* the budget is a limit; an estimate that is a little short must not become one */

/* "5ms": nanoseconds as an option takes them. */
static void add_duration(struct buf *out, const char *option, int64_t ns)
{
	static const struct {
		int64_t ns;
		const char *unit;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(units[0]) && ns % units[i].ns != 0)
		i++;
	buf_addf(out, " %s %lld%s", option, (long long)(ns / units[i].ns), units[i].unit);
}

/* What the matrix says; false: the record does not keep it, or it is of another version. */
static bool read_matrix(const struct record *record, struct arena *arena, struct spec_matrix *matrix)
{
	struct spec_errors errors = {.arena = arena};
	const char *text = record->plan.matrix_text;

	return text != NULL &&
	       spec_read_matrix_bytes(text, strlen(text), "matrix", arena, matrix, &errors) == 0;
}

/* Options for what was measured in another way than the matrix says; where that is not known, for all of it. */
static void add_settings(struct buf *out, const struct record *record, const struct measure_settings *s,
	const struct spec_matrix *matrix)
{
	const struct spec_measure *m = matrix != NULL ? &matrix->measure : NULL;
	const struct fact *cpus = facts_find(&record->harness, RECORD_CPUS_KEY);

	if (s->sample_ns > 0 && (m == NULL || m->sample_ns != s->sample_ns))
		add_duration(out, "--sample", s->sample_ns);
	if (s->precision > 0 && (m == NULL || m->precision != s->precision))
		buf_addf(out, " --precision %.6g%%", 100 * s->precision);
	if (s->matters > 0 && (m == NULL || m->matters != s->matters))
		buf_addf(out, " --matters %.6g%%", 100 * s->matters);
	if (cpus != NULL && cpus->value != NULL && text_same(cpus->source, RECORD_CPUS_GIVEN)) {
		buf_adds(out, " --cpus ");
		text_quote(out, cpus->value);
	}
	if (record->plan.aa)
		buf_adds(out, " --aa");
}

static bool same_group(const struct record_build *a, const struct record_build *b)
{
	return text_same(a->workload, b->workload) && text_same(a->slot, b->slot);
}

/* Does the record have all variants and numbers of copies of this workload and slot that the matrix has? */
static bool is_whole(
	const struct record *record, const struct spec_matrix *matrix, const struct record_build *of)
{
	size_t cells = 0;

	for (size_t i = 0; i < record->build_count; i++)
		cells += same_group(&record->builds[i], of);
	return cells ==
	       matrix->variant_count * matrix->copies_count * (matrix->args.n > 0 ? matrix->args.n : 1);
}

/* Are all cells of this workload and slot wanted, but for what comes along or cannot exist? */
static bool all_wanted(const struct record *record, const bool *wanted, const struct record_build *of)
{
	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];

		if (same_group(build, of) && !wanted[i] && !build->baseline &&
			build->status != CELL_IMPOSSIBLE)
			return false;
	}
	return true;
}

/* Does --only of another wanted cell bring this baseline along? */
static bool comes_along(const struct record *record, const bool *wanted, const struct record_build *baseline)
{
	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];

		if (wanted[i] && !build->baseline && same_group(build, baseline) &&
			build->copies == baseline->copies && text_same(build->args, baseline->args))
			return true;
	}
	return false;
}

/* Patterns of --only that are these cells and the baselines that come along, no others. */
static void add_only(struct buf *out, const struct record *record, const bool *wanted,
	const struct spec_matrix *matrix, struct arena *arena)
{
	struct words patterns = {0};

	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];
		const char *pattern = build->cell;

		if (!wanted[i] || (build->baseline && comes_along(record, wanted, build)))
			continue;
		if (matrix != NULL && is_whole(record, matrix, build) && all_wanted(record, wanted, build))
			pattern = arena_printf(arena, "%s/%s", build->workload, build->slot);
		if (!words_have(&patterns, pattern))
			words_add(&patterns, arena, pattern);
	}
	for (size_t i = 0; i < patterns.n; i++) {
		buf_adds(out, " --only ");
		text_quote(out, patterns.v[i]);
	}
}

/* Without a time the record's own budget grows with the rounds. */
static void add_budget(struct buf *out, const struct measure_settings *s, double seconds, double factor)
{
	double minutes = seconds > 0	    ? BUDGET_FACTOR * seconds / 60
			 : s->budget_ns > 0 ? factor * (double)s->budget_ns / 60e9
					    : 0;

	if (minutes > 0)
		buf_addf(out, " --budget %.0fm", fmin(43200, fmax(1, ceil(minutes))));
}

const char *next_command(
	const struct next_work *work, const bool *wanted, const struct next_step *step, uint32_t rounds_now)
{
	const struct record *record = work->record;
	struct spec_matrix room, *matrix = read_matrix(record, work->arena, &room) ? &room : NULL;
	struct buf out = {0};
	char *text;

	buf_adds(&out, "flagstone run");
	buf_adds(&out, reason_matrix(record, work->arena));
	add_only(&out, record, wanted, matrix, work->arena);
	buf_addf(&out, " --rounds %u --layouts %u", step->rounds, step->layouts);
	add_budget(
		&out, work->settings, step->seconds, rounds_now > 0 ? (double)step->rounds / rounds_now : 1);
	add_settings(&out, record, work->settings, matrix);
	buf_adds(&out, work->options->where != NULL ? work->options->where : "");
	text = arena_strdup(work->arena, buf_text(&out));
	buf_release(&out);
	return text;
}
