/*
 * multiply.h - the inner loop of matmul, in a translation unit of its own.
 */
#ifndef FLAGSTONE_MATMUL_MULTIPLY_H
#define FLAGSTONE_MATMUL_MULTIPLY_H

#include <stddef.h>

/* sum[j] += factor * row[j] for j below n; sum and row do not overlap. */
void add_multiple(double *restrict sum, double factor, const double *restrict row, size_t n);

#endif
