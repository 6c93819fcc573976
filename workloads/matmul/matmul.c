/*
 * matmul.c - C = A * B for matrices of 48 x 48 doubles. A unit is one multiplication.
 *
 * All elements are integers from -8 to 7, so every product and sum is exact, in any order, with or without
 * fused multiply-add, in any precision from 24 bits up: flags may change the speed, not one bit of the result.
 *
 * Before unit number k (from 0) one element of A is replaced by a value that depends on k and on the product
 * before it, so no unit's work can be shared with another's, and none can be left out unseen.
 */
#include <inttypes.h>
#include <stdio.h>

#include "driver.h"
#include "multiply.h"

#define ORDER	 48
#define ELEMENTS (ORDER * ORDER)

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static double left[ELEMENTS];
static double right[ELEMENTS];
static double product[ELEMENTS];

static uint64_t units_done;
static uint64_t chain;

/* FNV-1a over the eight bytes of value, lowest first, so that byte order does not matter. */
static uint64_t hash_value(uint64_t hash, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		hash = (hash ^ (value >> shift & 0xff)) * FNV_PRIME;
	return hash;
}

static uint64_t element_bits(double element)
{
	return (uint64_t)(int64_t)element;
}

static double small_integer(uint64_t bits)
{
	return (double)((int)(bits & 15) - 8);
}

static int reset(void)
{
	for (unsigned i = 0; i < ELEMENTS; i++) {
		uint64_t bits = hash_value(FNV_BASIS, i);

		left[i] = small_integer(bits >> 24);
		right[i] = small_integer(bits >> 40);
		product[i] = 0;
	}
	units_done = 0;
	chain = FNV_BASIS;
	return 0;
}

/*
 * i-k-j: the inner loop walks along rows of `right` and `product`.
 */
static void multiply(void)
{
	for (size_t i = 0; i < ORDER; i++) {
		double *row = product + i * ORDER;

		for (size_t j = 0; j < ORDER; j++)
			row[j] = 0;
		for (size_t k = 0; k < ORDER; k++)
			add_multiple(row, left[i * ORDER + k], right + k * ORDER, ORDER);
	}
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		left[(chain >> 32) % ELEMENTS] = small_integer((chain >> 20) + units_done);
		/* each matrix may have changed now, and the whole product is needed below */
		GUARD_MEMORY(left);
		GUARD_MEMORY(right);
		multiply();
		GUARD_MEMORY(product);
		chain = (chain ^ element_bits(product[(chain >> 40) % ELEMENTS])) * FNV_PRIME;
		units_done++;
	}
	return 0;
}

/* One unit here pages in code and data, so that the first timed one costs what the others do. */
static int setup(void)
{
	reset();
	work(1);
	return reset();
}

static int check(char *text, size_t size)
{
	uint64_t hash = hash_value(hash_value(FNV_BASIS, units_done), chain);

	for (unsigned i = 0; i < ELEMENTS; i++)
		hash = hash_value(hash, element_bits(product[i]));
	snprintf(text, size, "%016" PRIx64, hash);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "matmul",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
