/*
 * effect.h - from a ratio to an effect, and back to the per cent that people read.
 *
 * An effect is the natural logarithm of a ratio of speeds. Logarithms are symmetric (twice as fast and half as
 * fast differ only in sign), add up along a chain of comparisons, and let a mean of effects be a geometric mean
 * of ratios. Positive is always faster.
 */
#ifndef FLAGSTONE_STATS_EFFECT_H
#define FLAGSTONE_STATS_EFFECT_H

#include <stdbool.h>

/*
 * The effect of B against A: ln(b / a) where a higher value is better (1/s), ln(a / b) where a lower one is
 * (ns, bytes). Both values must be finite and > 0. Returns false, and leaves *effect alone, when they are not.
 * Sides swapped give exactly the same with the other sign, and both values times a power of two exactly the same.
 */
bool stats_effect(double a, double b, bool higher_is_better, double *effect);

/* 100 * (exp(effect) - 1): how many per cent faster. -50 is half as fast, +100 twice as fast. */
double stats_percent(double effect);

/* The inverse: the effect of `percent` per cent. percent > -100. stats_log_percent(0.5) is ln(1.005). */
double stats_log_percent(double percent);

#endif
