/*
 * recalibrate.h - units of work are found again only when a sample falls outside 0.5 to 4 times the length asked for.
 * The pure part; run.h has what a run does with it.
 */
#ifndef FLAGSTONE_SESSION_RECALIBRATE_H
#define FLAGSTONE_SESSION_RECALIBRATE_H

#include <stdint.h>

enum recalibrate_what { RECALIBRATE_FITS, RECALIBRATE_SHORT, RECALIBRATE_LONG };

/* What the shortest sample of a round says: under 0.5 x, over 4 x what was asked for, or neither. */
enum recalibrate_what recalibrate_what(double shortest_ns, int64_t sample_ns);

/* The power of two that takes 1 to 2 x sample_ns, where `units` take shortest_ns; at least 1. */
uint64_t recalibrate_units(uint64_t units, double shortest_ns, int64_t sample_ns);

#endif
