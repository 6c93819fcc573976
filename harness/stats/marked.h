/*
 * marked.h - which samples were disturbed, told by the canaries and never by the sample's own value.
 */
#ifndef FLAGSTONE_STATS_MARKED_H
#define FLAGSTONE_STATS_MARKED_H

#include <stdbool.h>
#include <stddef.h>

/* Two cells differ in their share of marked samples if Fisher's p is under this. */
#define STATS_MARKED_SHARE_P 0.01

/* Fewer canaries than this fix no threshold. */
#define STATS_MARKED_MIN 8

/*
 * The threshold over which a canary marks its sample: upper quartile (type 7) + 3 * IQR of n canary times (any unit)
 * from calibration and the first round. Returns false, and leaves *threshold alone, if n < STATS_MARKED_MIN or a
 * value is not finite and > 0: then nothing can be marked.
 */
bool stats_marked_threshold(const double *canary, size_t n, double *threshold);

/*
 * Do cells A and B differ in how often they were disturbed: marked_a of n_a samples against marked_b of n_b (a count
 * over its total is taken as the total)? If so, their effect must be looked at with and without the marked samples.
 * *p, if not NULL, is Fisher's p.
 */
bool stats_marked_differ(size_t marked_a, size_t n_a, size_t marked_b, size_t n_b, double *p);

#endif
