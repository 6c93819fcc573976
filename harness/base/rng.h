/*
 * rng.h - the random generator that everything random is drawn from: xoshiro256** 1.0 (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2018), seeded by SHA-256 of a text, so that what a record
 * states as its seed gives the same order, layouts and verdicts for ever. Not for secrets.
 */
#ifndef FLAGSTONE_BASE_RNG_H
#define FLAGSTONE_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_seed_text(struct rng *rng, const char *text);
uint64_t rng_next(struct rng *rng);
/* Uniform in 0 ... n-1 without bias; n >= 1. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/* Uniform in [0, 1), 53 bits. */
double rng_unit(struct rng *rng);
/* Shuffles count elements of uint32_t (Fisher and Yates). */
void rng_shuffle(struct rng *rng, uint32_t *v, size_t count);
/* 128 random bits of the operating system as 32 hex digits and a NUL: run ids and fresh seeds. */
void rng_fresh_hex(char hex[33]);

#endif
