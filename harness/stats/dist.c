#include "stats/dist.h"

#include <math.h>

#define SQRT_2	       1.41421356237309504880
#define SQRT_2PI       2.50662827463100050242
#define HALF_LN_2PI    0.91893853320467274178
#define NORMAL_FROM_DF 1e18 /* from here on t is the normal to all digits that matter */
#define HILL_FROM_DF   1e4

double stats_normal_cdf(double z)
{
	return 0.5 * erfc(-z / SQRT_2);
}

/* The quantile of p < 0.5, found in the lower tail, where p keeps its digits. */
static double normal_lower_quantile(double p)
{
	double t = sqrt(-2.0 * log(p));
	double top = 2.515517 + t * (0.802853 + t * 0.010328);
	double bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
	double z = top / bottom - t;
	for (int i = 0; i < 4; i++) {
		/* Halley's step; relative error in place of exp(z*z/2) times the difference, which overflows. */
		double cdf = stats_normal_cdf(z);
		double density = exp(-0.5 * z * z) / SQRT_2PI;
		if (cdf <= 0 || density <= 0)
			break;
		double u = (cdf - p) / density;
		z -= u / (1.0 + 0.5 * z * u);
	}
	return z;
}

double stats_normal_quantile(double p)
{
	if (p <= 0)
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	if (p == 0.5)
		return 0;
	return p < 0.5 ? normal_lower_quantile(p) : -normal_lower_quantile(1.0 - p);
}

/* ln Gamma(x) minus Stirling's (x - 1/2) ln x - x + ln(2 pi)/2, for x >= 10. DLMF 5.11.1. */
static double stirling_rest(double x)
{
	double r = 1.0 / (x * x);
	double s = 691.0 / 360360.0;
	s = 1.0 / 1188.0 - r * s;
	s = 1.0 / 1680.0 - r * s;
	s = 1.0 / 1260.0 - r * s;
	s = 1.0 / 360.0 - r * s;
	s = 1.0 / 12.0 - r * s;
	return s / x;
}

/* ln B(a, b). The difference of large lgamma values would lose digits, so they are cancelled by hand. */
static double log_beta(double a, double b)
{
	double p = a < b ? a : b;
	double q = a < b ? b : a;
	if (q < 10)
		return lgamma(p) + lgamma(q) - lgamma(p + q);
	double rest = stirling_rest(q) - stirling_rest(p + q);
	double share = p / (p + q);
	if (p < 10)
		return lgamma(p) + rest + p - p * log(p + q) + (q - 0.5) * log1p(-share);
	rest += stirling_rest(p);
	return HALF_LN_2PI - 0.5 * log(q) + rest + (p - 0.5) * log(share) + q * log1p(-share);
}

static double away_from_zero(double v)
{
	return fabs(v) < 1e-300 ? 1e-300 : v;
}

/* The continued fraction of DLMF 8.17.22 by the modified Lentz method; quick for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1.0;
	double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
	double f = d;
	for (int i = 1; i < 200000; i++) {
		double m = i;
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1.0 / away_from_zero(1.0 + even * d);
		c = away_from_zero(1.0 + even / c);
		f *= d * c;
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1.0 / away_from_zero(1.0 + odd * d);
		c = away_from_zero(1.0 + odd / c);
		f *= d * c;
		if (fabs(d * c - 1.0) < 1e-16)
			break;
	}
	return f;
}

/* I_x(a, b) given x and y = 1 - x, each with all its digits. */
static double beta_ratio(double a, double b, double x, double y)
{
	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	if (x > (a + 1.0) / (a + b + 2.0))
		return 1.0 - beta_ratio(b, a, y, x);
	double ln_x = x > 0.5 ? log1p(-y) : log(x);
	double ln_y = y > 0.5 ? log1p(-x) : log(y);
	double front = exp(a * ln_x + b * ln_y - log_beta(a, b)) / a;
	return fmin(1.0, front * beta_fraction(a, b, x));
}

double stats_incomplete_beta(double a, double b, double x)
{
	double clamped = fmin(1.0, fmax(0.0, x));
	return beta_ratio(a, b, clamped, 1.0 - clamped);
}

/*
 * The z whose normal tail is that of t, for many degrees of freedom, where the continued fraction below loses digits to
 * cancellation (Hill, CACM 13, 1970, algorithm 395).
 */
static double t_as_normal(double t2, double df)
{
	double a = df - 0.5;
	double b = 48 * a * a;
	double y = a * log1p(t2 / df);
	double top = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b);
	return ((top + y + 3) / b + 1) * sqrt(y);
}

double stats_t_two_sided(double t, double df)
{
	if (isinf(t))
		return 0;
	double t2 = t * t;
	if (df >= NORMAL_FROM_DF)
		return erfc(fabs(t) / SQRT_2);
	if (df >= HILL_FROM_DF) /* beyond the root of df there is less than the smallest double */
		return t2 < df ? erfc(t_as_normal(t2, df) / SQRT_2) : 0;
	if (isinf(t2))
		return exp(fmin(0.0, 0.5 * df * log(df) - df * log(fabs(t)) - log_beta(0.5 * df, 0.5)) -
			   log(0.5 * df));
	return beta_ratio(0.5 * df, 0.5, df / (df + t2), t2 / (df + t2));
}

double stats_t_cdf(double t, double df)
{
	double tail = 0.5 * stats_t_two_sided(t, df);
	return t < 0 ? tail : 1.0 - tail;
}

static double t_density(double t, double df)
{
	if (df >= NORMAL_FROM_DF)
		return exp(-0.5 * t * t) / SQRT_2PI;
	return exp(-0.5 * (df + 1.0) * log1p(t * t / df) - log_beta(0.5 * df, 0.5)) / sqrt(df);
}

/* Near the quantile whose normal counterpart is z (Abramowitz and Stegun 26.7.5); far off for few degrees and far
 * tails. */
static double t_near(double z, double df)
{
	double z2 = z * z;
	double first = z * (z2 + 1) / 4;
	double second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
	double third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
	return z + (first + (second + third / df) / df) / df;
}

/*
 * The t > 0 with P(|T| >= t) = two_sided < 1: Newton's method on the logarithm, kept inside a bracket. Each step squares
 * the error, so that after one of 1e-8 nothing is left but rounding.
 */
static double t_upper_quantile(double two_sided, double df)
{
	double z = -stats_normal_quantile(0.5 * two_sided);
	if (df >= 1e4 && z * z <= 1e-4 * df)
		return t_near(z, df); /* its error is of the order of z (1 + z^2)^4 / df^4 */
	double lo = 0;
	double hi = z;
	while (isfinite(hi) && stats_t_two_sided(hi, df) > two_sided) {
		lo = hi;
		hi *= 2;
	}
	double t = t_near(z, df);
	if (!(t > lo && t < hi))
		t = hi;
	for (int i = 0; i < 200; i++) {
		double tail = stats_t_two_sided(t, df);
		if (tail > two_sided)
			lo = t;
		else
			hi = t;
		double density = 2.0 * t_density(t, df);
		double next = density > 0 ? t + log(tail / two_sided) * tail / density : lo;
		if (density > 0 && fabs(next - t) <= 1e-8 * t)
			return next;
		if (!(next > lo && next < hi))
			next = 0.5 * (lo + hi);
		if (fabs(next - t) <= 1e-15 * t)
			return next;
		t = next;
	}
	return t;
}

double stats_t_quantile(double p, double df)
{
	if (p <= 0)
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -t_upper_quantile(2.0 * p, df) : t_upper_quantile(2.0 * (1.0 - p), df);
}

double stats_binomial_cdf(long k, size_t n, double p)
{
	if (k < 0)
		return 0;
	if ((size_t)k >= n)
		return 1;
	double x = fmin(1.0, fmax(0.0, p));
	return beta_ratio((double)n - (double)k, (double)k + 1.0, 1.0 - x, x);
}

size_t stats_binomial_quantile(double q, size_t n, double p)
{
	/* Where q is a value of the cdf itself, rounding must not push the answer up by one. */
	double want = q * (1.0 - 1e-12);
	size_t lo = 0;
	size_t hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (stats_binomial_cdf((long)mid, n, p) >= want)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}
