/*
 * spread.h - how far two samples of one series usually lie apart: a spread that every pair has a say in.
 *
 * The MAD of describe.h needs half of the samples to be bad before it breaks, and uses about 37 % of what normal
 * samples tell; this one breaks at 29 % and uses 86 %. It is in the unit of the samples; for normal ones it is
 * 0.954 standard deviations.
 *
 * Sources: Shamos, Geometry and statistics (1976); Rousseeuw and Croux, JASA 88 (1993); under the name Spread, with
 * its bounds, in Akinshin, Pragmastat.
 */
#ifndef FLAGSTONE_STATS_SPREAD_H
#define FLAGSTONE_STATS_SPREAD_H

#include <stddef.h>

#include "base/rng.h"
#include "stats/rank.h"

/* The median of |x_i - x_j| over all pairs i < j of finite numbers. O(n log n), without writing the pairs down. 0 if
 * n < 2. */
double stats_pair_spread(const double *x, size_t n);

/*
 * The same with an interval that misses in at most `miss` of all cases: the samples are dealt into n/2 pairs at
 * random, whose distances are independent, and the interval lies between two of these, the sign test turned round. It
 * depends on the deal, so rng must be seeded from what is described. No interval where so few pairs cannot reach it.
 */
struct stats_location stats_pair_spread_bounds(const double *x, size_t n, double miss, struct rng *rng);

/* The same where x is dealt already: x[0] with x[1], x[2] with x[3], … A last one without a partner is left out of the
 * interval. */
struct stats_location stats_pair_spread_bounds_dealt(const double *x, size_t n, double miss);

#endif
