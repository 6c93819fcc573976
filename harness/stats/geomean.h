/*
 * geomean.h - the geometric mean of ratios, always as "n of m".
 */
#ifndef FLAGSTONE_STATS_GEOMEAN_H
#define FLAGSTONE_STATS_GEOMEAN_H

#include "stats/describe.h"

struct stats_geomean {
	enum stats_status status; /* STATS_EMPTY: no usable ratio, so there is no mean: show "n/a" */
	double value;		  /* 0 unless STATS_OK */
	size_t n;		  /* ratios that took part */
	size_t m;		  /* of so many */
	size_t bad_index;	  /* with STATS_BAD_VALUE: a usable ratio that is not finite and > 0 */
};

/*
 * exp(mean(ln ratio)) over those of the m ratios that are usable: cells that failed or cannot be compared stay out
 * and are seen in n < m. usable: m flags, or NULL for all. Returns out->status.
 */
enum stats_status stats_geomean(const double *ratio, const bool *usable, size_t m, struct stats_geomean *out);

#endif
