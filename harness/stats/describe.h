/*
 * describe.h - what there is to say about one series of samples.
 *
 * The headline is the median, the spread the MAD. Nothing is ever dropped: outliers are counted, a second mode, a
 * trend and dependence between neighbours are said. Every field is defined for every input, and none is NaN: what
 * may be missing has a `has_` flag beside it, and is 0 when the flag is false.
 *
 * The upper half of this header is one call, stats_describe(); the lower half are its parts, which take any finite
 * numbers (also negative ones), must be given n >= 1 unless said otherwise, and do not change their input.
 */
#ifndef FLAGSTONE_STATS_DESCRIBE_H
#define FLAGSTONE_STATS_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

/* A median absolute deviation times this estimates the standard deviation of normal samples. */
#define STATS_MAD_SCALE 1.4826

/* Relative spread (MAD * 1.4826 / median) within one run from which a series is called noisy. */
#define STATS_NOISY_SPREAD	0.03
#define STATS_VERY_NOISY_SPREAD 0.05

/* (max - min) / median over the MEDIANS OF AT LEAST THREE RUNS: the practice of acceptance tests. Never apply
 * these to raw samples: a range grows with their number. */
#define STATS_RUNS_NOISY_RANGE	    0.05
#define STATS_RUNS_UNFIT_RANGE	    0.08
#define STATS_RUNS_UNFIT_RANGE_DAYS 0.10

enum stats_status {
	STATS_OK = 0,
	STATS_EMPTY,	 /* no samples */
	STATS_BAD_VALUE, /* NaN, infinite, or <= 0 where that makes no sense; the index says which */
};

enum stats_noise {
	STATS_QUIET = 0,
	STATS_NOISY,	  /* spread over STATS_NOISY_SPREAD */
	STATS_VERY_NOISY, /* spread over STATS_VERY_NOISY_SPREAD */
};

struct stats_summary {
	enum stats_status status; /* if not STATS_OK, all below is 0 except n and bad_index */
	size_t n;
	size_t bad_index; /* of the first rejected sample, with STATS_BAD_VALUE */

	double median;
	double q25, q75; /* quartiles, type 7 */
	double min, max;
	double mean;
	double mad;    /* median absolute deviation from the median, times STATS_MAD_SCALE */
	double spread; /* mad / median: relative; 0 for equal samples and for n = 1 */
	enum stats_noise noise;

	bool has_sd; /* n >= 2 */
	double sd;   /* standard deviation, n - 1 in the denominator */

	bool has_interval; /* n >= 6: the median's 95 % interval from order statistics */
	double lo, hi;
	double coverage; /* its true coverage, >= 0.95 */

	size_t outliers; /* beyond the quartiles by more than 3 * IQR (Tukey's "far out") */

	bool has_dip;	/* n >= 10 and not all equal */
	double dip;	/* Hartigan's dip statistic */
	bool two_modes; /* dip significant at 1 %: one median speaks for neither mode */

	bool has_lag1; /* n >= 3 and not all equal */
	double lag1;   /* autocorrelation of neighbours in the order given */
	bool autocorrelated;

	bool has_trend; /* n >= 10 */
	double trend;	/* (median of the last third - median of the first third) / median: relative growth */
	bool trending;
};

/*
 * Describes n samples x, given in the order in which they were measured: only lag1 and trend depend on the order.
 * x may be NULL if n is 0. Samples must be finite and > 0 (times, rates, sizes); the first that is not is reported
 * and nothing else is computed. Returns out->status.
 *
 * Sources. Interval: order statistics j and n + 1 - j with j the 2.5 % quantile of Binomial(n, 1/2) (David and
 * Nagaraja, Order Statistics, 7.1). Dip: Hartigan and Hartigan, Annals of Statistics 13 (1985). autocorrelated:
 * |lag1 + 1/n| > 2.576 / sqrt(n) and n >= 10 (Bartlett). trending: Spearman's rank correlation with time at 1 %,
 * its variance inflated by (1 + r) / (1 - r) for the lag-1 correlation r of the ranks about the trend.
 */
enum stats_status stats_describe(const double *x, size_t n, struct stats_summary *out);

/* Index of the first value that is NaN, infinite or (with positive_only) <= 0; n if there is none. */
size_t stats_first_bad(const double *x, size_t n, bool positive_only);

/* The mean of the middle one or two of the sorted values. 0 if n is 0. */
double stats_median(const double *x, size_t n);

/* Quantile p in [0, 1] of SORTED values by linear interpolation at (n - 1) p: type 7 of Hyndman and Fan, American
 * Statistician 50 (1996). 0 if n is 0. */
double stats_quantile_sorted(const double *sorted, size_t n, double p);

/* Median absolute deviation from the median, times STATS_MAD_SCALE. */
double stats_mad(const double *x, size_t n);

/* Arithmetic mean: two passes, the second adds the mean of what the first left over. 0 if n is 0. */
double stats_mean(const double *x, size_t n);

/* Variance with n - 1, by the corrected two-pass algorithm (Chan, Golub and LeVeque, American Statistician 37,
 * 1983): at least 8 digits on NIST NumAcc3 and NumAcc4. 0 if n < 2. stats_sd is its root. */
double stats_variance(const double *x, size_t n);
double stats_sd(const double *x, size_t n);

/*
 * Lag-1 autocorrelation, sum (x_t - m)(x_t+1 - m) / sum (x_t - m)^2, as NIST certifies it.
 * Returns false, and leaves *r alone, if n < 3 or all values are equal.
 */
bool stats_lag1(const double *x, size_t n, double *r);

/*
 * Hartigan's dip of SORTED values: the largest distance between their empirical distribution and the nearest
 * unimodal one, between 1/(2n) and 1/4. 1/(2n) for n < 4 or equal values; 0 if n is 0.
 */
double stats_dip_sorted(const double *sorted, size_t n);

/* Does a dip of n values differ from the uniform distribution's at 1 %? Critical values were simulated. */
bool stats_dip_significant(double dip, size_t n);

/* (max - min) / median of n positive values, for the medians of runs. 0 if n is 0. */
double stats_relative_range(const double *x, size_t n);

/* Sorts n finite values upwards, in place. */
void stats_sort(double *x, size_t n);

#endif
