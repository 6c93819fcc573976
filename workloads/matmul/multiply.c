/*
 * multiply.c - the inner loop of matmul. Without link-time optimization each call is made, for a length that
 * the compiler does not know; with it, the loop can be inlined, unrolled and vectorised for the one length.
 */
#include "multiply.h"

void add_multiple(double *restrict sum, double factor, const double *restrict row, size_t n)
{
	for (size_t j = 0; j < n; j++)
		sum[j] += factor * row[j];
}
