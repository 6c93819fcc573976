/*
 * sources_work.h - parts of sources_compare() that have files of their own.
 */
#ifndef FLAGSTONE_COMPARE_SOURCES_WORK_H
#define FLAGSTONE_COMPARE_SOURCES_WORK_H

#include "compare/sources.h"

/* Lists something as not known, once; reason is copied. */
void sources_unknown(struct sources *sources, const char *what, const char *reason, struct arena *arena);
/* Settings and sizes of the sides' first runs. */
void sources_facts(
	const struct source_run *a, const struct source_run *b, struct arena *arena, struct sources *out);
/* What was counted while the cells ran. */
void sources_measures(
	const struct source_side *a, const struct source_side *b, struct arena *arena, struct sources *out);

#endif
