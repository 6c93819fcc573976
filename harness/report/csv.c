#include "report/report.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/document.h"
#include "stats/effect.h"

struct csv {
	struct buf *out;
	struct arena arena;
	bool begun; /* the line has a field */
};

static void next_field(struct csv *csv)
{
	if (csv->begun)
		buf_addc(csv->out, ',');
	csv->begun = true;
}

/*
 * RFC 4180. Control characters are escaped first, so that a line of the file is a cell. What a spreadsheet would
 * take for a formula gets an apostrophe; numbers are not written by this function, so a minus sign there is safe.
 */
static void add_text(struct csv *csv, const char *text)
{
	const char *safe = text_safe(&csv->arena, text != NULL ? text : "");
	const char *guard = *safe != '\0' && strchr("=+-@", *safe) != NULL ? "'" : "";

	next_field(csv);
	if (strpbrk(safe, ",\"") == NULL && *guard == '\0') {
		buf_adds(csv->out, safe);
		return;
	}
	buf_addf(csv->out, "\"%s", guard);
	for (const char *p = safe; *p != '\0'; p++)
		buf_addf(csv->out, *p == '"' ? "\"%c" : "%c", *p);
	buf_addc(csv->out, '"');
}

/* In full, so that it reads back bit by bit; empty if there is none. */
static void add_number(struct csv *csv, bool known, double x)
{
	next_field(csv);
	if (known)
		json_add_double(csv->out, x);
}

static void add_count(struct csv *csv, bool known, size_t n)
{
	next_field(csv);
	if (known)
		buf_addf(csv->out, "%zu", n);
}

static void end_line(struct csv *csv)
{
	buf_adds(csv->out, "\r\n");
	csv->begun = false;
}

static void add_header(struct csv *csv)
{
	static const char *const names[] = {"cell", "workload", "slot", "variant", "copies", "args", "status",
		"reason", "unit", "better", "samples", "failed", "disturbed", "median", "median_lo",
		"median_hi", "spread", "baseline", "answer", "answer_reason", "effect_percent",
		"effect_lo_percent", "effect_hi_percent", "bound_percent", "p", "p_adjusted", "layouts",
		"rounds"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_text(csv, names[i]);
	end_line(csv);
}

static void add_cell(struct csv *csv, const struct record *record, const struct cell_summary *cell)
{
	const struct record_build *build = &record->builds[cell->build];
	const struct record_workload *workload = record_workload(record, build->workload);
	bool lower = workload != NULL && workload->lower_is_better;

	add_text(csv, build->cell);
	add_text(csv, build->workload);
	add_text(csv, build->slot);
	add_text(csv, build->variant);
	add_count(csv, true, build->copies);
	add_text(csv, build->args);
	add_text(csv, cell_status_text(build->status));
	add_text(csv, document_reason(record, cell->build));
	add_text(csv, workload != NULL ? workload->unit : NULL);
	add_text(csv, lower ? "lower" : "higher");
	add_count(csv, true, cell->samples);
	add_count(csv, true, cell->failed);
	add_count(csv, true, cell->marked);
	add_number(csv, cell->has_value, cell->median);
	add_number(csv, cell->has_interval, cell->lo);
	add_number(csv, cell->has_interval, cell->hi);
	add_number(csv, cell->has_value, cell->spread);
}

static void add_comparison(struct csv *csv, const struct record *record, const struct comparison *c)
{
	static const struct comparison none;
	bool has = c != NULL;

	add_text(csv, has && c->a < record->build_count ? record->builds[c->a].cell : NULL);
	add_text(csv, has ? answer_text(c->answer) : NULL);
	add_text(csv, has ? c->reason : NULL);
	c = has ? c : &none;
	add_number(csv, c->has_effect, stats_percent(c->effect));
	add_number(csv, c->has_effect, stats_percent(c->lo));
	add_number(csv, c->has_effect, stats_percent(c->hi));
	add_number(csv, c->has_effect, stats_percent(c->x));
	add_number(csv, c->has_effect, c->p);
	add_number(csv, c->has_effect, c->p_adjusted);
	add_count(csv, c->has_effect, c->layouts);
	add_count(csv, c->has_effect, c->rounds);
}

void report_csv(const struct record *record, const struct result *result, struct buf *out)
{
	struct csv csv = {.out = out};
	const struct comparison **of_build = document_comparisons(record, result, &csv.arena);

	add_header(&csv);
	for (size_t i = 0; i < result->cell_count; i++) {
		add_cell(&csv, record, &result->cells[i]);
		add_comparison(&csv, record, of_build[i]);
		end_line(&csv);
	}
	arena_release(&csv.arena);
}
