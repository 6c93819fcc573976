#include "report/report.h"

#include <string.h>

#include "base/json.h"
#include "report/document.h"
#include "report/result_json.h"
#include "stats/effect.h"

#define RESULT_SCHEMA "flagstone.result/1"

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, json_safe_string(text));
}

static void set_count(json_t *object, const char *key, uint64_t n)
{
	set(object, key, json_integer((json_int_t)n));
}

/* null where it is not known */
void result_json_number(json_t *object, const char *key, bool known, double x)
{
	set(object, key, known ? json_safe_real(x) : json_null());
}

json_t *result_json_record(const struct record *record, const char *path)
{
	json_t *object = json_object();

	set_text(object, "id", record->id[0] != '\0' ? record->id : NULL);
	set_text(object, "kind", record->kind);
	set_text(object, "run", record->run);
	set_text(object, "group", record->group);
	set_text(object, "matrix", record->plan.matrix_name);
	set_text(object, "host", record->host_name);
	set_text(object, "started", record->started);
	set_text(object, "finished", record->finished);
	set(object, "complete", json_boolean(record->complete));
	set_text(object, "incomplete_reason", record->incomplete_reason);
	set_text(object, "path", path);
	return object;
}

static const char *aa_text(enum aa_state state)
{
	static const char *const texts[] = {[AA_NOT_CHECKED] = "not checked",
		[AA_OK] = "ok",
		[AA_INFLATED] = "inflated",
		[AA_SUSPECT] = "suspect"};

	return texts[state];
}

json_t *result_json_method(const struct record *record, const struct result *result)
{
	json_t *object = json_object(), *aa = json_object();
	const struct measure_settings *settings = &record->plan.settings;

	set_count(object, "family", result->family);
	set_count(object, "looks", result->looks);
	set_count(object, "rounds", result->rounds);
	result_json_number(object, "matters", true, settings->matters);
	result_json_number(object, "precision", true, settings->precision);
	set_text(aa, "state", aa_text(result->aa));
	set_count(aa, "pairs", result->aa_pairs);
	result_json_number(aa, "lambda", true, result->lambda);
	result_json_number(aa, "p", result->aa != AA_NOT_CHECKED, result->p_aa);
	set(object, "aa", aa);
	return object;
}

/* Where there is no number the reason stands beside it. */
static const char *value_reason(const struct record *record, const struct cell_summary *cell)
{
	const char *reason = document_reason(record, cell->build);

	if (cell->has_value)
		return NULL;
	if (reason == NULL)
		reason = record->incomplete_reason;
	return reason != NULL ? reason : "no sample with a value";
}

json_t *result_json_cell(const struct record *record, const struct cell_summary *cell)
{
	json_t *object = json_object();
	const struct record_build *build = &record->builds[cell->build];
	const struct record_workload *workload = record_workload(record, build->workload);

	set_text(object, "cell", build->cell);
	set_text(object, "workload", build->workload);
	set_text(object, "slot", build->slot);
	set_text(object, "variant", build->variant);
	set_count(object, "copies", build->copies);
	set_text(object, "args", build->args);
	set(object, "baseline", json_boolean(build->baseline));
	set_text(object, "status", cell_status_text(build->status));
	set_text(object, "reason", document_reason(record, cell->build));
	set_text(object, "code_hash", build->code_hash);
	set_text(object, "unit", workload != NULL ? workload->unit : NULL);
	set_text(object, "better", workload != NULL && workload->lower_is_better ? "lower" : "higher");
	set_count(object, "samples", cell->samples);
	set_count(object, "failed", cell->failed);
	set_count(object, "disturbed", cell->marked);
	result_json_number(object, "median", cell->has_value, cell->median);
	set_text(object, "median_reason", value_reason(record, cell));
	result_json_number(object, "median_lo", cell->has_interval, cell->lo);
	result_json_number(object, "median_hi", cell->has_interval, cell->hi);
	set_text(
		object, "interval_reason", cell->has_value && !cell->has_interval ? "under 6 samples" : NULL);
	result_json_number(object, "spread", cell->has_value, cell->spread);
	set_count(object, "outliers", cell->outliers);
	set(object, "two_modes", json_boolean(cell->two_modes));
	result_json_number(object, "mode_low", cell->two_modes, cell->modes.low);
	result_json_number(object, "mode_high", cell->two_modes, cell->modes.high);
	result_json_number(object, "mode_low_share", cell->two_modes, cell->modes.low_share);
	set(object, "trending", json_boolean(cell->trending));
	result_json_number(object, "trend_percent", cell->has_trend, 100 * cell->trend);
	set(object, "autocorrelated", json_boolean(cell->autocorrelated));
	result_json_number(object, "lag1", cell->has_lag1, cell->lag1);
	result_json_number(object, "user_ns", cell->user_ns >= 0, cell->user_ns);
	result_json_number(object, "system_ns", cell->system_ns >= 0, cell->system_ns);
	return object;
}

static const char *cell_name(const struct record *record, uint32_t build)
{
	return build < record->build_count ? record->builds[build].cell : NULL;
}

void result_json_answer(json_t *object, const struct comparison *c)
{
	set_text(object, "answer", answer_text(c->answer));
	set_text(object, "reason", c->answer == ANSWER_SAME_CODE ? "identical machine code" : c->reason);
	result_json_number(object, "effect_percent", c->has_effect, stats_percent(c->effect));
	result_json_number(object, "effect_lo_percent", c->has_effect, stats_percent(c->lo));
	result_json_number(object, "effect_hi_percent", c->has_effect, stats_percent(c->hi));
	result_json_number(object, "bound_percent", c->has_effect, stats_percent(c->x));
	result_json_number(object, "log_effect", c->has_effect, c->effect);
	result_json_number(object, "log_se", c->has_effect, c->se);
	result_json_number(object, "df", c->has_effect && c->df > 0, c->df);
	result_json_number(object, "p", c->has_p, c->p);
	result_json_number(object, "p_adjusted", c->has_p, c->p_adjusted);
	result_json_number(object, "effort", c->effort > 0, c->effort);
	set_count(object, "layouts", c->layouts);
	set_count(object, "rounds", c->rounds);
	set(object, "placement_averaged", json_boolean(c->placement_averaged));
	result_json_number(object, "placement_share", c->placement_share >= 0, c->placement_share);
	set(object, "disturbed_differ", json_boolean(c->marked_differ));
	set(object, "closed_at", c->closed_at > 0 ? json_integer(c->closed_at) : json_null());
}

json_t *result_json_comparison(const struct record *record, const struct comparison *c)
{
	json_t *object = json_object();

	set_text(object, "baseline", cell_name(record, c->a));
	set_text(object, "cell", cell_name(record, c->b));
	result_json_answer(object, c);
	return object;
}

static json_t *mean_json(const struct doc_table *table, const char *variant, const struct effect_mean *mean)
{
	json_t *object = json_object();

	set_text(object, "slot", table->slot);
	set_text(object, "variant", variant);
	set_count(object, "copies", table->copies);
	set_count(object, "n", mean->n);
	set_count(object, "m", mean->m);
	result_json_number(object, "effect_percent", mean->has_mean, stats_percent(mean->effect));
	set_text(object, "reason", mean->has_mean ? NULL : "no cell has an effect");
	return object;
}

static json_t *means_json(
	const struct record *record, const struct result *result, const struct document *document)
{
	json_t *list = json_array();

	if (result->selected) /* a mean is of all workloads */
		return list;
	for (size_t t = 0; t < document->table_count && result->comparison_count > 0; t++) {
		const struct doc_table *table = &document->tables[t];

		for (size_t i = 0; i < table->column_count; i++) {
			struct effect_mean mean =
				effect_geomean(record, result, table->slot, table->columns[i], table->copies);

			if (mean.m > 0)
				json_array_append_new(list, mean_json(table, table->columns[i], &mean));
		}
	}
	return list;
}

/* Characters that valid JSON may have raw, but that a terminal would obey, or a browser in a script. */
static bool needs_escape(unsigned code)
{
	return (code >= 0x7f && code <= 0x9f) || code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* Code point of valid UTF-8 at p if it has at most 3 bytes (beyond, nothing is escaped), and its length. */
static unsigned code_at(const unsigned char *p, size_t *length)
{
	*length = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (*length == 1)
		return p[0];
	if (*length == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	if (*length == 3)
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	return 0;
}

/* The document as it is, but for such characters; "</" becomes "<\/". They occur in strings only. */
static void add_guarded(struct buf *out, const struct buf *text)
{
	const unsigned char *bytes = (const unsigned char *)text->data;

	for (size_t i = 0, length; i < text->n; i += length) {
		unsigned code = code_at(bytes + i, &length);

		if (needs_escape(code))
			buf_addf(out, "\\u%04x", code);
		else if (code == '/' && i > 0 && bytes[i - 1] == '<')
			buf_adds(out, "\\/");
		else
			buf_add(out, bytes + i, length);
	}
}

void result_json_print(json_t *root, struct buf *out)
{
	struct buf text = {0};

	json_add_tree(&text, root, true);
	buf_addc(&text, '\n');
	add_guarded(out, &text);
	buf_release(&text);
	json_decref(root);
}

void report_json(const struct record *record, const struct result *result,
	const struct report_options *options, struct buf *out)
{
	struct arena arena = {0};
	struct document *document = document_new(record, result, options, &arena);
	json_t *root = json_object(), *cells = json_array(), *comparisons = json_array();

	for (size_t i = 0; i < result->cell_count; i++)
		if (!result->cells[i].hidden)
			json_array_append_new(cells, result_json_cell(record, &result->cells[i]));
	for (size_t i = 0; i < result->comparison_count; i++)
		if (!result->comparisons[i].hidden)
			json_array_append_new(
				comparisons, result_json_comparison(record, &result->comparisons[i]));
	set_text(root, "schema", RESULT_SCHEMA);
	set(root, "record", result_json_record(record, options->path));
	set(root, "method", result_json_method(record, result));
	set(root, "cells", cells);
	set(root, "comparisons", comparisons);
	set(root, "means", means_json(record, result, document));
	set(root, "alerts", json_safe_words(&document->alerts));
	set(root, "disturbances", json_safe_words(&document->disturbances));
	result_json_print(root, out);
	arena_release(&arena);
}
