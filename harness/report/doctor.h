/*
 * doctor.h - what `flagstone doctor` found, for a terminal and as JSON.
 */
#ifndef FLAGSTONE_REPORT_DOCTOR_H
#define FLAGSTONE_REPORT_DOCTOR_H

#include "base/buf.h"
#include "base/json.h"
#include "report/report.h"
#include "session/fitness.h"

/*
 * The verdict in one line; what was measured; then the checks, those that are not ok with what was read, why it
 * matters and what to do. quiet: the first line alone; verbose: all that of those that are ok, too.
 */
void report_doctor(const struct fitness *fitness, const struct report_options *options, struct buf *out);
/* One document flagstone.doctor/1. */
void report_doctor_json(const struct fitness *fitness, struct buf *out);
/* A fact as it stands among what was read: key, value, unknown, source. New reference. */
json_t *report_read_json(const struct fact *fact);

#endif
