/*
 * trust.h - what a record of kind "trust" says: the figures of `make trust`, from the facts of its harness
 * (session/trust.h). Its cells are no table for users: they are one build under many names.
 */
#ifndef FLAGSTONE_REPORT_TRUST_H
#define FLAGSTONE_REPORT_TRUST_H

#include <stdbool.h>

#include "base/buf.h"
#include "record/record.h"
#include "report/report.h"

/* Is it such a record? */
bool report_is_trust(const struct record *record);
/* The figures with their limits, as text or as Markdown, and how to have the tables. */
void report_trust(
	const struct record *record, const struct report_options *options, bool markdown, struct buf *out);

#endif
