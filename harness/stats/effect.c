#include "stats/effect.h"

#include <math.h>

bool stats_effect(double a, double b, bool higher_is_better, double *effect)
{
	if (!isfinite(a) || !isfinite(b) || a <= 0 || b <= 0)
		return false;
	/* Two logarithms: the quotient of extreme values could overflow. */
	*effect = higher_is_better ? log(b) - log(a) : log(a) - log(b);
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
