/*
 * comparison_sources.h - what differs between two cells beside their speed, as parts of what `compare` prints.
 */
#ifndef FLAGSTONE_REPORT_COMPARISON_SOURCES_H
#define FLAGSTONE_REPORT_COMPARISON_SOURCES_H

#include <stdbool.h>

#include "base/json.h"
#include "compare/sources_cells.h"
#include "report/document.h"

/* Adds a section "What differs between the two"; with several sides, one line each begins with its name. */
void comparison_add_sources(
	struct document *document, const struct sources *sources, size_t count, struct arena *arena);
/* Adds a section of a line a comparison: how many functions differ, and which. */
void comparison_add_functions_within(
	struct document *document, const struct within *within, struct arena *arena);
void comparison_add_functions_between(
	struct document *document, const struct between *between, bool forced, struct arena *arena);
/* An array of objects DIFFERS (flagstone-json(7)). within: sides have no names. New reference. */
json_t *comparison_sources_json(const struct sources *sources, size_t count, bool within);

#endif
