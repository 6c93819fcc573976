#include "stats/effect.h"

#include <math.h>

/* ln(large / small). The quotient of extreme values can overflow: then exponents and fractions are told apart. */
static double log_ratio(double large, double small)
{
	int up = 0, down = 0;
	double ratio = large / small;
	if (isfinite(ratio))
		return log(ratio);
	ratio = frexp(large, &up) / frexp(small, &down);
	return log(ratio) + (up - down) * M_LN2;
}

bool stats_effect(double a, double b, bool higher_is_better, double *effect)
{
	if (!isfinite(a) || !isfinite(b) || a <= 0 || b <= 0)
		return false;
	/* The larger over the smaller: sides swapped give the same with the other sign, bit for bit. */
	double size = log_ratio(fmax(a, b), fmin(a, b));
	*effect = (b > a) == higher_is_better ? size : 0 - size;
	return true;
}

double stats_percent(double effect)
{
	return 100.0 * expm1(effect);
}

double stats_log_percent(double percent)
{
	return log1p(percent / 100.0);
}
