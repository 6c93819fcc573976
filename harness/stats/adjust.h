/*
 * adjust.h - p values of many comparisons at once, and of a two by two table.
 */
#ifndef FLAGSTONE_STATS_ADJUST_H
#define FLAGSTONE_STATS_ADJUST_H

#include <stddef.h>

/*
 * Holm's step-down adjustment (Scandinavian Journal of Statistics 6, 1979): adjusted[i] <= 0.05 keeps the chance of
 * one or more false alarms in the whole family under 5 %, however its members depend on each other.
 *
 * p: n values; one outside [0, 1], or NaN, counts as 1. family: how many comparisons were planned; those for which
 * no p is given count as if theirs were 1. A family smaller than n is taken as n. adjusted: n results in the order
 * of p; may be p itself.
 */
void stats_holm(const double *p, size_t n, size_t family, double *adjusted);

/*
 * Fisher's exact test, two-sided, of the table
 *
 *      a  b
 *      c  d
 *
 * given its margins: the sum of the probabilities of all tables no more likely than this one (within 1e-7, as R
 * does). 1 if a row or a column is empty. O(a + b + c + d).
 */
double stats_fisher(size_t a, size_t b, size_t c, size_t d);

#endif
