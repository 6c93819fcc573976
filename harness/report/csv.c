#include "report/report.h"

#include "report/csv_line.h"
#include "report/document.h"
#include "stats/effect.h"

static void add_header(struct csv *csv)
{
	static const char *const names[] = {"cell", "workload", "slot", "variant", "copies", "args", "status",
		"reason", "unit", "better", "samples", "failed", "disturbed", "median", "median_lo",
		"median_hi", "spread", "baseline", "answer", "answer_reason", "effect_percent",
		"effect_lo_percent", "effect_hi_percent", "bound_percent", "p", "p_adjusted", "layouts",
		"rounds"};

	csv_header(csv, names, sizeof(names) / sizeof(names[0]));
}

static void add_cell(struct csv *csv, const struct record *record, const struct cell_summary *cell)
{
	const struct record_build *build = &record->builds[cell->build];
	const struct record_workload *workload = record_workload(record, build->workload);
	bool lower = workload != NULL && workload->lower_is_better;

	csv_text(csv, build->cell);
	csv_text(csv, build->workload);
	csv_text(csv, build->slot);
	csv_text(csv, build->variant);
	csv_count(csv, true, build->copies);
	csv_text(csv, build->args);
	csv_text(csv, cell_status_text(build->status));
	csv_text(csv, document_reason(record, cell->build));
	csv_text(csv, workload != NULL ? workload->unit : NULL);
	csv_text(csv, lower ? "lower" : "higher");
	csv_count(csv, true, cell->samples);
	csv_count(csv, true, cell->failed);
	csv_count(csv, true, cell->marked);
	csv_number(csv, cell->has_value, cell->median);
	csv_number(csv, cell->has_interval, cell->lo);
	csv_number(csv, cell->has_interval, cell->hi);
	csv_number(csv, cell->has_value, cell->spread);
}

static void add_comparison(struct csv *csv, const struct record *record, const struct comparison *c)
{
	static const struct comparison none;
	bool has = c != NULL;

	csv_text(csv, has && c->a < record->build_count ? record->builds[c->a].cell : NULL);
	csv_text(csv, has ? answer_text(c->answer) : NULL);
	csv_text(csv, has ? c->reason : NULL);
	c = has ? c : &none;
	csv_number(csv, c->has_effect, stats_percent(c->effect));
	csv_number(csv, c->has_effect, stats_percent(c->lo));
	csv_number(csv, c->has_effect, stats_percent(c->hi));
	csv_number(csv, c->has_effect, stats_percent(c->x));
	csv_p(csv, c->has_effect, c->has_p, c->p);
	csv_p(csv, c->has_effect, c->has_p, c->p_adjusted);
	csv_count(csv, c->has_effect, c->layouts);
	csv_count(csv, c->has_effect, c->rounds);
}

void report_csv(const struct record *record, const struct result *result, struct buf *out)
{
	struct csv csv = {.out = out};
	const struct comparison **of_build = document_comparisons(record, result, &csv.arena);

	add_header(&csv);
	for (size_t i = 0; i < result->cell_count; i++) {
		if (result->cells[i].hidden)
			continue;
		add_cell(&csv, record, &result->cells[i]);
		add_comparison(&csv, record, of_build[i]);
		csv_end(&csv);
	}
	arena_release(&csv.arena);
}
