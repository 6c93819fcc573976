#include "base/rng.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

void rng_seed_text(struct rng *rng, const char *text)
{
	uint8_t digest[HASH_SIZE];

	hash_bytes(text, strlen(text), digest);
	for (int i = 0; i < 4; i++) {
		rng->s[i] = 0;
		for (int k = 0; k < 8; k++)
			rng->s[i] = rng->s[i] << 8 | digest[8 * i + k];
	}
}

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t reject = (0 - n) % n; /* 2^64 mod n: the values that would favour small results */
	uint64_t x;

	do {
		x = rng_next(rng);
	} while (x < reject);
	return x % n;
}

double rng_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

void rng_shuffle(struct rng *rng, uint32_t *v, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t k = (size_t)rng_below(rng, i);
		uint32_t swap = v[i - 1];

		v[i - 1] = v[k];
		v[k] = swap;
	}
}

void rng_fresh_hex(char hex[33])
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		/* no entropy call (an old kernel): time and process make it unlike any other run's */
		struct timespec now;
		char text[96];
		uint8_t digest[HASH_SIZE];

		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(text, sizeof(text), "%lld.%ld.%ld", (long long)now.tv_sec, now.tv_nsec,
			(long)getpid());
		hash_bytes(text, strlen(text), digest);
		memcpy(bytes, digest, sizeof(bytes));
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}
