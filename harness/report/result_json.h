/*
 * result_json.h - parts of a result in JSON that several documents have: made in json.c.
 */
#ifndef FLAGSTONE_REPORT_RESULT_JSON_H
#define FLAGSTONE_REPORT_RESULT_JSON_H

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "compare/effect.h"
#include "record/record.h"

/* A number, or null where it is not known. */
void result_json_number(json_t *object, const char *key, bool known, double x);
/* Who, when, where: the head of a record. path: NULL gives null. New reference, as all below. */
json_t *result_json_record(const struct record *record, const char *path);
/* Family, looks, rounds, limits and the A/A check. */
json_t *result_json_method(const struct record *record, const struct result *result);
json_t *result_json_cell(const struct record *record, const struct cell_summary *cell);
/* Answer, reason and all numbers, without the names of the cells. */
void result_json_answer(json_t *object, const struct comparison *comparison);
/* With the names of the record's cells in front. */
json_t *result_json_comparison(const struct record *record, const struct comparison *comparison);
/* The document and a line's end, safe for terminals and inside of HTML. Releases it. */
void result_json_print(json_t *root, struct buf *out);

#endif
