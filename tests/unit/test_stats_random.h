/*
 * test_stats_random.h - random inputs for the property tests: ties, extreme magnitudes, few values. Each case has a
 * seed of its own, and what fails is printed with it.
 */
#ifndef FLAGSTONE_TEST_STATS_RANDOM_H
#define FLAGSTONE_TEST_STATS_RANDOM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"

#define RANDOM_MOST 48 /* values of one series */

enum random_kind {
	RANDOM_SMOOTH,	/* 1 to 2 */
	RANDOM_TIES,	/* one of three values */
	RANDOM_EQUAL,	/* one value, of any size */
	RANDOM_CLOSE,	/* some units in the last place apart */
	RANDOM_TAIL,	/* one in five is hundreds of times as large */
	RANDOM_EXTREME, /* 1e-300 to 1e300 in one series */
	RANDOM_KINDS
};

struct random_case {
	struct rng rng;
	char seed[64];
	enum random_kind kind;
	double x[RANDOM_MOST], y[RANDOM_MOST];
	size_t n, m; /* 0 to RANDOM_MOST */
};

static inline double random_value(struct rng *rng, enum random_kind kind)
{
	double unit = rng_unit(rng);

	switch (kind) {
	case RANDOM_SMOOTH:
		return 1 + unit;
	case RANDOM_TIES:
		return 1 + floor(3 * unit) / 8;
	case RANDOM_EQUAL:
		return 1;
	case RANDOM_CLOSE:
		return 1 + floor(8 * unit) * DBL_EPSILON;
	case RANDOM_TAIL:
		return rng_below(rng, 5) == 0 ? 500 * (1 + unit) : 1 + 0.1 * unit;
	case RANDOM_EXTREME:
	case RANDOM_KINDS:
		break;
	}
	return pow(10, 600 * unit - 300);
}

/* Values > 0; two series of one kind. Every third case is of few values. */
static inline void random_draw(struct random_case *c, const char *name, size_t number)
{
	snprintf(c->seed, sizeof(c->seed), "%s %zu", name, number);
	rng_seed_text(&c->rng, c->seed);
	c->kind = (enum random_kind)(number % RANDOM_KINDS);
	size_t most = number / RANDOM_KINDS % 3 == 0 ? 6 : RANDOM_MOST;
	c->n = (size_t)rng_below(&c->rng, most + 1);
	c->m = (size_t)rng_below(&c->rng, most + 1);
	double scale = c->kind == RANDOM_EXTREME ? 1 : pow(10, floor(60 * rng_unit(&c->rng)) - 30);
	if (c->kind == RANDOM_EQUAL)
		scale = pow(10, 600 * rng_unit(&c->rng) - 300);
	for (size_t i = 0; i < c->n; i++)
		c->x[i] = scale * random_value(&c->rng, c->kind);
	for (size_t i = 0; i < c->m; i++)
		c->y[i] = scale * random_value(&c->rng, c->kind);
}

/* Gives half of the values a minus sign. */
static inline void random_signs(struct random_case *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->x[i] *= rng_below(&c->rng, 2) ? 1 : -1;
	for (size_t i = 0; i < c->m; i++)
		c->y[i] *= rng_below(&c->rng, 2) ? 1 : -1;
}

static inline void random_shuffle(struct rng *rng, double *x, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)rng_below(rng, i);
		double swap = x[i - 1];

		x[i - 1] = x[k];
		x[k] = swap;
	}
}

static inline void random_show(const struct random_case *c)
{
	fprintf(stderr, "seed \"%s\", kind %d\nx:", c->seed, (int)c->kind);
	for (size_t i = 0; i < c->n; i++)
		fprintf(stderr, " %.17g", c->x[i]);
	fputs("\ny:", stderr);
	for (size_t i = 0; i < c->m; i++)
		fprintf(stderr, " %.17g", c->y[i]);
	fputs("\n", stderr);
}

/* Fails with seed and input unless the claim holds. */
#define HOLDS(c, claim)                                                                                      \
	do {                                                                                                 \
		if (!(claim)) {                                                                              \
			random_show(c);                                                                      \
			fail_msg("%s", #claim);                                                              \
		}                                                                                            \
	} while (0)

/* No NaN among the numbers. */
#define NO_NAN(c, ...)                                                                                       \
	do {                                                                                                 \
		const double numbers_[] = {__VA_ARGS__};                                                     \
		for (size_t i_ = 0; i_ < sizeof(numbers_) / sizeof(numbers_[0]); i_++)                       \
			if (isnan(numbers_[i_])) {                                                           \
				random_show(c);                                                              \
				fail_msg("NaN in number %zu of: %s", i_, #__VA_ARGS__);                      \
			}                                                                                    \
	} while (0)

#endif
