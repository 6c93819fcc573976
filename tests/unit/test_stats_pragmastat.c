/*
 * Pragmastat's spread, ratio, disparity and bounds; its centre and shift are in test_stats_rank.c. Known answers:
 * tests/golden/stats/pragmastat.
 *
 * Where an interval has to end at a whole number of pairs, we end it at the last one with which it still misses no more
 * often than asked. Pragmastat ends centre, shift and ratio one pair further in, and draws lots for the spread. So
 * each case is asked for with the rate of misses that its own pair has, which the distribution tells.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/rank.h"
#include "stats/rankdist.h"
#include "stats/spread.h"
#include "test_stats_data.h"

struct sample_pair {
	struct numbers x, y;
};

static struct sample_pair read_input(const json_t *input)
{
	return (struct sample_pair){
		json_numbers(json_object_get(input, "x")), json_numbers(json_object_get(input, "y"))};
}

static void free_input(struct sample_pair *in)
{
	free(in->x.v);
	free(in->y.v);
}

typedef void pragmastat_check(const json_t *input, const json_t *output);

/* Runs each case of a file: those with an answer through `check`, those with none through `refused`. */
static void each_case(const char *path, size_t cases, pragmastat_check *check, pragmastat_check *refused)
{
	json_t *root = golden_json(path);
	const char *name;
	json_t *known;
	assert_int_equal(json_object_size(root), cases);
	json_object_foreach(root, name, known)
	{
		const json_t *output = json_object_get(known, "output");
		if (output != NULL)
			check(json_object_get(known, "input"), output);
		else
			refused(json_object_get(known, "input"), NULL);
	}
	json_decref(root);
}

/* --- spread --- */

static void check_spread(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	assert_true(near_relative(stats_pair_spread(in.x.v, in.x.n), json_number_value(output), 1e-13));
	free_input(&in);
}

/* No pair, or no distance: there we say 0, where Pragmastat gives no answer. */
static void refused_spread(const json_t *input, const json_t *output)
{
	(void)output;
	struct sample_pair in = read_input(input);
	struct stats_location at = stats_pair_spread_bounds_dealt(in.x.v, in.x.n, 0.2);
	assert_true(stats_pair_spread(in.x.v, in.x.n) == 0 && at.value == 0);
	assert_true(!at.has_interval || (at.lo == 0 && at.hi == 0));
	free_input(&in);
}

static void spread__pragmastat__agrees(void **state)
{
	(void)state;
	each_case(GOLDEN "pragmastat/spread.json", 32, check_spread, refused_spread);
}

/* Pragmastat deals and draws with xoshiro256++ (Blackman and Vigna 2018, public domain), seeded from a text's FNV-1a by
 * SplitMix64. */
struct lots {
	uint64_t s[4];
};

static struct lots lots_from(const char *seed)
{
	uint64_t state = 0xcbf29ce484222325u;
	struct lots lots;
	for (const char *at = seed; *at != '\0'; at++)
		state = (state ^ (unsigned char)*at) * 0x100000001b3u;
	for (int i = 0; i < 4; i++) {
		uint64_t z = state += 0x9e3779b97f4a7c15u;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		lots.s[i] = z ^ (z >> 31);
	}
	return lots;
}

static uint64_t turned(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static uint64_t draw(struct lots *lots)
{
	uint64_t *s = lots->s;
	uint64_t drawn = turned(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = turned(s[3], 45);
	return drawn;
}

/* How many distances it leaves out at each end: the binomial's quantile, or one more by lot. */
static size_t left_out(size_t pairs, double target, struct lots *lots)
{
	long low = 0;
	while (stats_binomial_cdf(low + 1, pairs, 0.5) <= target * (1 + 1e-12))
		low++;
	double under = stats_binomial_cdf(low, pairs, 0.5);
	double part = (target - under) / (stats_binomial_cdf(low + 1, pairs, 0.5) - under);
	bool more = (double)(draw(lots) >> 11) * 0x1p-53 < part && part > 1e-9;
	size_t out = (size_t)low + more;
	return out < (pairs - 1) / 2 ? out : (pairs - 1) / 2;
}

static void check_spread_bounds(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	struct lots lots = lots_from(json_string_value(json_object_get(input, "seed")));
	size_t pairs = in.x.n / 2;
	size_t *place = malloc(in.x.n * sizeof *place);
	double *dealt = malloc(in.x.n * sizeof *dealt);
	size_t out = left_out(pairs, json_number(input, "misrate") / 2, &lots);
	for (size_t i = 0; i < in.x.n; i++)
		place[i] = i;
	for (size_t i = in.x.n - 1; i > 0; i--) {
		size_t k = (size_t)(draw(&lots) % (i + 1)), swap = place[i];
		place[i] = place[k];
		place[k] = swap;
	}
	for (size_t i = 0; i < in.x.n; i++)
		dealt[i] = in.x.v[place[i]];
	double miss = 2 * stats_binomial_cdf((long)out + 1, pairs, 0.5);
	struct stats_location at = stats_pair_spread_bounds_dealt(dealt, in.x.n, miss);
	assert_true(at.has_interval);
	assert_true(near_relative(at.lo, json_number(output, "lower"), 1e-14));
	assert_true(near_relative(at.hi, json_number(output, "upper"), 1e-14));
	free(place);
	free(dealt);
	free_input(&in);
}

static void spread_bounds__pragmastat__agree(void **state)
{
	(void)state;
	each_case(GOLDEN "pragmastat/spread-bounds.json", 53, check_spread_bounds, refused_spread);
}

static void spread_bounds__own_deal__cover_as_promised(void **state)
{
	(void)state;
	struct rng rng;
	size_t missed = 0, reached = 0;
	double truth = 1 - sqrt(0.5); /* of two uniform values, half the pairs lie closer than this */
	rng_seed_text(&rng, "spread bounds");
	for (size_t round = 0; round < 4000; round++) {
		double x[40];
		for (size_t i = 0; i < 40; i++)
			x[i] = rng_unit(&rng);
		struct stats_location at = stats_pair_spread_bounds(x, 40, 0.1, &rng);
		assert_true(at.has_interval && at.coverage >= 0.9 && at.lo <= at.hi);
		missed += truth < at.lo || truth > at.hi;
		reached += stats_pair_spread_bounds(x, 8, 0.1, &rng).has_interval;
	}
	/* 20 pairs: 2 P(B <= 5) = 0.0414; 4 pairs cannot do better than 0.125 */
	assert_in_range(missed, 120, 210);
	assert_int_equal(reached, 0);
}

/* --- bounds --- */

/* The rate of misses with which our interval ends one pair further in than it does with `miss`, as Pragmastat's. */
static double one_further(struct rank_distribution d, double miss)
{
	size_t k = rank_distribution_quantile(&d, miss / 2);
	double further = 2 * rank_distribution_cdf(&d, k + 1);
	rank_distribution_release(&d);
	return further;
}

static void check_center_bounds(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	double miss = one_further(rank_distribution_signed(in.x.n), json_number(input, "misrate"));
	struct stats_location at = stats_pseudomedian_bounds(in.x.v, in.x.n, miss);
	assert_true(in.x.n <= STATS_SIGNED_RANK_EXACT && at.has_interval);
	assert_true(near_to(at.lo, json_number(output, "lower"), 1e-14));
	assert_true(near_to(at.hi, json_number(output, "upper"), 1e-14));
	free_input(&in);
}

static void refused_one(const json_t *input, const json_t *output)
{
	(void)output;
	struct sample_pair in = read_input(input);
	assert_int_equal(in.x.n, 0);
	assert_false(stats_pseudomedian_bounds(in.x.v, in.x.n, 0.2).has_interval);
	free_input(&in);
}

static double shift_miss(const json_t *input, const struct sample_pair *in)
{
	return one_further(rank_distribution_u(in->x.n, in->y.n), json_number(input, "misrate"));
}

static void refused_two(const json_t *input, const json_t *output)
{
	(void)output;
	struct sample_pair in = read_input(input);
	assert_true(in.x.n == 0 || in.y.n == 0);
	assert_false(stats_shift_bounds(in.x.v, in.x.n, in.y.v, in.y.n, 0.2).has_interval);
	assert_false(stats_ratio_bounds(in.x.v, in.x.n, in.y.v, in.y.n, 0.2).has_interval);
	free_input(&in);
}

/* Beyond the exact limit both approximate, in two ways: a case there is held to a few pairs' width. */
static bool is_exact(const struct sample_pair *in)
{
	return in->x.n * in->y.n <= (size_t)STATS_MANN_WHITNEY_EXACT * STATS_MANN_WHITNEY_EXACT;
}

static void check_shift_bounds(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	if (is_exact(&in)) {
		struct stats_location at =
			stats_shift_bounds(in.x.v, in.x.n, in.y.v, in.y.n, shift_miss(input, &in));
		assert_true(at.has_interval);
		assert_true(near_to(at.lo, json_number(output, "lower"), 1e-14));
		assert_true(near_to(at.hi, json_number(output, "upper"), 1e-14));
	} else {
		struct stats_location at =
			stats_shift_bounds(in.x.v, in.x.n, in.y.v, in.y.n, json_number(input, "misrate"));
		double width = json_number(output, "upper") - json_number(output, "lower");
		assert_true(at.has_interval);
		assert_true(fabs(at.lo - json_number(output, "lower")) <= 0.1 * width);
		assert_true(fabs(at.hi - json_number(output, "upper")) <= 0.1 * width);
	}
	free_input(&in);
}

static void check_ratio_bounds(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	if (is_exact(&in)) {
		struct stats_location at =
			stats_ratio_bounds(in.x.v, in.x.n, in.y.v, in.y.n, shift_miss(input, &in));
		assert_true(at.has_interval);
		assert_true(near_relative(at.lo, json_number(output, "lower"), 1e-13));
		assert_true(near_relative(at.hi, json_number(output, "upper"), 1e-13));
	} else {
		struct stats_location at =
			stats_ratio_bounds(in.x.v, in.x.n, in.y.v, in.y.n, json_number(input, "misrate"));
		double width = log(json_number(output, "upper") / json_number(output, "lower"));
		assert_true(at.has_interval);
		assert_true(fabs(log(at.lo / json_number(output, "lower"))) <= 0.1 * width);
		assert_true(fabs(log(at.hi / json_number(output, "upper"))) <= 0.1 * width);
	}
	free_input(&in);
}

static void bounds__pragmastat__agree(void **state)
{
	(void)state;
	each_case(GOLDEN "pragmastat/center-bounds.json", 38, check_center_bounds, refused_one);
	each_case(GOLDEN "pragmastat/shift-bounds.json", 63, check_shift_bounds, refused_two);
	each_case(GOLDEN "pragmastat/ratio-bounds.json", 63, check_ratio_bounds, refused_two);
}

static void check_ratio(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	struct stats_location at = stats_ratio_bounds(in.x.v, in.x.n, in.y.v, in.y.n, 0.05);
	assert_true(near_relative(at.value, json_number_value(output), 1e-12));
	free_input(&in);
}

static void refused_ratio(const json_t *input, const json_t *output)
{
	(void)output;
	struct sample_pair in = read_input(input);
	struct stats_location at = stats_ratio_bounds(in.x.v, in.x.n, in.y.v, in.y.n, 0.05);
	assert_true(at.value == 0 && !at.has_interval);
	free_input(&in);
}

static void ratio__pragmastat__agrees(void **state)
{
	(void)state;
	each_case(GOLDEN "pragmastat/ratio.json", 40, check_ratio, refused_ratio);
}

/* Disparity is no function of ours, but what it is made of: the shift over the mean of the two spreads. */
static void check_disparity(const json_t *input, const json_t *output)
{
	struct sample_pair in = read_input(input);
	double n = (double)in.x.n, m = (double)in.y.n;
	double spread =
		(n * stats_pair_spread(in.x.v, in.x.n) + m * stats_pair_spread(in.y.v, in.y.n)) / (n + m);
	assert_true(near_to(
		stats_shift(in.x.v, in.x.n, in.y.v, in.y.n) / spread, json_number_value(output), 1e-12));
	free_input(&in);
}

static void shift_and_spread__pragmastat_disparity__agree(void **state)
{
	(void)state;
	each_case(GOLDEN "pragmastat/disparity.json", 30, check_disparity, refused_two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread__pragmastat__agrees),
		cmocka_unit_test(spread_bounds__pragmastat__agree),
		cmocka_unit_test(spread_bounds__own_deal__cover_as_promised),
		cmocka_unit_test(bounds__pragmastat__agree),
		cmocka_unit_test(ratio__pragmastat__agrees),
		cmocka_unit_test(shift_and_spread__pragmastat_disparity__agree),
	};
	return cmocka_run_group_tests_name("stats_pragmastat", tests, NULL, NULL);
}
