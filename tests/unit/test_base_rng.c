/*
 * The generator held against an independent model in Python of xoshiro256** 1.0 (Blackman and Vigna 2018), seeded
 * by hashlib's SHA-256 of the text, read as four big-endian words. The sequence of the state 1, 2, 3, 4 is also
 * the one that the authors' C code gives.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/rng.h"

static void rng_next__state_1234__reference(void **state)
{
	static const uint64_t want[] = {11520U, 0U, 1509978240U, 1215971899390074240U, 1216172134540287360U,
		607988272756665600U, 16172922978634559625U, 8476171486693032832U};
	struct rng rng = {{1, 2, 3, 4}};

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_true(rng_next(&rng) == want[i]);
}

static void rng_seed_text__flagstone__model(void **state)
{
	static const uint64_t want[] = {0xcd8906375964e65U, 0x658fe89709b885dU, 0xd9238e44ccc8361U,
		0xa95f37ffadf6eb8aU, 0x7f9301045726e9ffU};
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "flagstone");
	for (int i = 0; i < 5; i++)
		assert_true(rng_next(&rng) == want[i]);
}

static void rng_unit__flagstone__model(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "flagstone");
	assert_true(rng_unit(&rng) == 0x1.9b120c6eb2c90p-5);
	assert_true(rng_unit(&rng) == 0.024795445017487094);
	assert_true(rng_unit(&rng) == 0.0530124242184673);
}

static void rng_below__small_and_large__model(void **state)
{
	static const uint64_t small[] = {4, 3, 8, 7, 4, 6, 5, 2, 2, 6, 8, 6};
	static const uint64_t large[] = {7280726702034437202U, 517454940972950024U, 3373712223562912695U,
		1420105448113390733U}; /* nearly half of the draws are rejected here */
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "below");
	for (int i = 0; i < 12; i++)
		assert_true(rng_below(&rng, 10) == small[i]);
	rng_seed_text(&rng, "big");
	for (int i = 0; i < 4; i++)
		assert_true(rng_below(&rng, (UINT64_C(1) << 63) + 1) == large[i]);
	for (int i = 0; i < 10; i++)
		assert_true(rng_below(&rng, 1) == 0);
}

/* 60,000 draws of six faces: chi-square with 5 degrees of freedom is below 20.5 with probability 99.9 %. */
static void rng_below__six__even(void **state)
{
	struct rng rng;
	int count[6] = {0};
	double chi = 0;

	(void)state;
	rng_seed_text(&rng, "dice");
	for (int i = 0; i < 60000; i++)
		count[rng_below(&rng, 6)]++;
	for (int i = 0; i < 6; i++)
		chi += (count[i] - 10000.0) * (count[i] - 10000.0) / 10000.0;
	assert_true(chi < 20.5);
}

static void rng_shuffle__ten__model(void **state)
{
	static const uint32_t want[] = {9, 7, 8, 1, 2, 6, 4, 3, 5, 0};
	uint32_t v[10];
	struct rng rng;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		v[i] = i;
	rng_seed_text(&rng, "shuffle");
	rng_shuffle(&rng, v, 10);
	assert_memory_equal(v, want, sizeof(want));
	rng_shuffle(&rng, v, 0);
	rng_shuffle(&rng, v, 1);
	assert_memory_equal(v, want, sizeof(want));
}

static void rng_fresh_hex__twice__differs(void **state)
{
	char a[33], b[33];

	(void)state;
	rng_fresh_hex(a);
	rng_fresh_hex(b);
	assert_int_equal(strlen(a), 32);
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rng_next__state_1234__reference),
		cmocka_unit_test(rng_seed_text__flagstone__model),
		cmocka_unit_test(rng_unit__flagstone__model),
		cmocka_unit_test(rng_below__small_and_large__model),
		cmocka_unit_test(rng_below__six__even),
		cmocka_unit_test(rng_shuffle__ten__model),
		cmocka_unit_test(rng_fresh_hex__twice__differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
