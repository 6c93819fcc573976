#include "sys/canary.h"

#include <stddef.h>

#include "base/clock.h"

enum { AIM_NS = 25000, LONG_NS = 200000, TRIES = 5, WORDS = 16384 / sizeof(uint64_t) };

static uint64_t words[WORDS];

/* Tells the compiler that the value is used and may have changed: it can neither drop nor fold what made it. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))

static uint64_t dep_ns(uint32_t iterations)
{
	uint64_t x = 0x9e3779b97f4a7c15;
	int64_t start = clock_ns();

	for (uint32_t i = 0; i < iterations; i++) {
		x *= 0x5851f42d4c957f2d;
		KEEP(x);
	}
	return (uint64_t)(clock_ns() - start);
}

static uint64_t wide_ns(uint32_t iterations)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;
	int64_t start = clock_ns();

	for (uint32_t i = 0; i < iterations; i++) {
		size_t at = (size_t)i * 4 % WORDS;

		a += words[at] ^ a >> 7;
		b += words[at + 1] ^ b << 3;
		c ^= words[at + 2] + (c >> 11);
		d ^= words[at + 3] + (d << 5);
		KEEP(a);
		KEEP(b);
		KEEP(c);
		KEEP(d);
	}
	return (uint64_t)(clock_ns() - start);
}

static uint64_t shortest_ns(uint64_t (*run)(uint32_t), uint32_t iterations)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t ns = run(iterations);

		if (ns < shortest)
			shortest = ns;
	}
	return shortest;
}

/* Doubles until the clock's own cost does not count, then scales; the shortest of some tries is the undisturbed. */
static uint32_t calibrate(uint64_t (*run)(uint32_t))
{
	uint32_t iterations = 256;
	uint64_t ns;

	while ((ns = shortest_ns(run, iterations)) < LONG_NS && iterations < UINT32_MAX / 2)
		iterations *= 2;
	ns = (uint64_t)iterations * AIM_NS / (ns > 0 ? ns : 1);
	return ns > 0 ? (uint32_t)ns : 1;
}

void canary_calibrate(struct canary *canary)
{
	/* real pages, each its own, instead of the kernel's one page of zeros */
	for (size_t i = 0; i < WORDS; i++)
		words[i] = i * 0x9e3779b97f4a7c15;
	canary->dep_iterations = calibrate(dep_ns);
	canary->wide_iterations = calibrate(wide_ns);
}

static uint32_t clamp(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

uint32_t canary_dep_ns(const struct canary *canary)
{
	return clamp(dep_ns(canary->dep_iterations));
}

uint32_t canary_wide_ns(const struct canary *canary)
{
	return clamp(wide_ns(canary->wide_iterations));
}
