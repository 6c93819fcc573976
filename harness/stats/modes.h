/*
 * modes.h - where the two modes of a series are, once the dip says that there are two (describe.h).
 */
#ifndef FLAGSTONE_STATS_MODES_H
#define FLAGSTONE_STATS_MODES_H

#include <stdbool.h>
#include <stddef.h>

/* Neither mode has less than this share of the values: single values far out are outliers, not a mode. */
#define STATS_MODE_SHARE 0.1

struct stats_modes {
	double low, high; /* medians of the lower and of the upper part */
	double low_share; /* of the values in the lower part, 0 to 1 */
};

/*
 * Parts n sorted finite values where the variance between the parts is the largest, which leaves the least within
 * them (Fisher, Journal of the American Statistical Association 53, 1958; Otsu, IEEE Transactions on Systems, Man and
 * Cybernetics 9, 1979), each with at least STATS_MODE_SHARE of the values. Values far out (3 interquartile ranges beyond
 * the quartiles) count as if they lay there, and equal values stay together. Returns false, and leaves *out alone, if
 * no two parts are that large: fewer than 2 values, or all equal.
 */
bool stats_two_modes(const double *sorted, size_t n, struct stats_modes *out);

#endif
