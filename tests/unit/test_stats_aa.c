#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/aa.h"
#include "stats/describe.h"
#include "test_stats_data.h"

#define LAYOUTS 16

static double bell(struct rng *rng)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum;
}

/* n pairs in chains of `length`, errors `scale` times what the standard error says. */
static void simulate(struct rng *rng, size_t n, size_t length, double scale, struct stats_aa_pair *pairs)
{
	double left[LAYOUTS] = {0}, right[LAYOUTS], diff[LAYOUTS];
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < LAYOUTS; k++) {
			left[k] = i % length == 0 ? bell(rng) : left[k];
			right[k] = bell(rng);
			diff[k] = right[k] - left[k];
			left[k] = right[k];
		}
		double se = stats_sd(diff, LAYOUTS) / sqrt(LAYOUTS);
		pairs[i] = (struct stats_aa_pair){
			scale * stats_mean(diff, LAYOUTS), se, LAYOUTS - 1, i / length};
	}
}

static void aa__nine_pairs__not_checked(void **state)
{
	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[10];
	struct stats_aa aa;
	rng_seed_text(&rng, "nine");
	simulate(&rng, 10, 1, 5, pairs);
	stats_aa_check(pairs, 9, &rng, &aa);
	assert_true(!aa.checked && aa.pairs == 9 && aa.lambda == 1 && aa.p == 1 && !aa.suspect);
	stats_aa_check(pairs, 10, &rng, &aa);
	assert_true(aa.checked && aa.lambda > 2);
	stats_aa_check(NULL, 0, &rng, &aa);
	assert_true(!aa.checked && aa.pairs == 0 && aa.lambda == 1);
}

static void aa__by_hand__lambda_is_the_root_of_the_mean_square(void **state)
{
	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[12];
	struct stats_aa aa;
	double sum = 0;
	rng_seed_text(&rng, "hand");
	for (size_t i = 0; i < 12; i++) {
		double z = 1.5 + 0.1 * (double)i;
		pairs[i] = (struct stats_aa_pair){i % 2 ? z * 0.01 : -z * 0.01, 0.01, 15, i};
		sum += z * z * 13 / 15;
	}
	stats_aa_check(pairs, 12, &rng, &aa);
	assert_true(aa.checked && near_relative(aa.lambda, sqrt(sum / 12), 1e-13));
	assert_true(near_relative(aa.mean_z2, sum / 12, 1e-13));
}

static void aa__small_z__lambda_is_one(void **state)
{
	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[20];
	struct stats_aa aa;
	rng_seed_text(&rng, "small");
	simulate(&rng, 20, 1, 0.1, pairs);
	stats_aa_check(pairs, 20, &rng, &aa);
	assert_true(aa.checked && aa.lambda == 1 && aa.mean_z2 < 0.1 && aa.p > 0.9 && !aa.suspect);
}

static void aa__same_seed__same_answer(void **state)
{
	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[20];
	struct stats_aa a, b;
	rng_seed_text(&rng, "pairs");
	simulate(&rng, 20, 5, 1.4, pairs);
	rng_seed_text(&rng, "record");
	stats_aa_check(pairs, 20, &rng, &a);
	rng_seed_text(&rng, "record");
	stats_aa_check(pairs, 20, &rng, &b);
	assert_true(a.lambda == b.lambda && a.p == b.p && a.pairs == b.pairs && a.suspect == b.suspect);
}

/*
 * In 400 sound runs p is uniform, also with chains, whose neighbours are not independent. The fewest pairs that are
 * checked, as the time goes with runs times pairs, and the power of these claims with the runs: of the binomial
 * distributions' standard deviations, 4.4 and 10, the limits are 2.75 and 3 away. One chain of ten gives neighbours
 * that share a cell the same part in the sum as two such chains.
 */
static void aa__sound_runs__seldom_suspect(void **state)
{
	(void)state;
	for (size_t length = 1; length <= 10; length += 9) {
		struct rng rng;
		struct stats_aa_pair pairs[STATS_AA_MIN_PAIRS];
		struct stats_aa aa;
		size_t suspect = 0, low = 0, half = 0;
		double lambda = 0;
		rng_seed_text(&rng, "sound");
		for (size_t i = 0; i < 400; i++) {
			simulate(&rng, STATS_AA_MIN_PAIRS, length, 1, pairs);
			stats_aa_check(pairs, STATS_AA_MIN_PAIRS, &rng, &aa);
			suspect += aa.suspect;
			low += aa.p < 0.05;
			half += aa.p < 0.5;
			lambda += aa.lambda / 400;
		}
		assert_true(suspect <= 2);
		assert_in_range(low, 8, 36);
		assert_in_range(half, 170, 230);
		assert_true(lambda < 1.12);
	}
}

static void aa__errors_twice_too_small__found_and_corrected(void **state)
{
	enum { RUNS = 6 }; /* each takes all of the 10,000 simulations, as its p is small */

	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[20];
	struct stats_aa aa;
	size_t suspect = 0;
	double lambda = 0;
	rng_seed_text(&rng, "unsound");
	for (size_t i = 0; i < RUNS; i++) {
		simulate(&rng, 20, i % 2 ? 1 : 4, 2, pairs);
		stats_aa_check(pairs, 20, &rng, &aa);
		suspect += aa.suspect;
		lambda += aa.lambda / RUNS;
	}
	assert_true(3 * suspect >= 2 * RUNS);
	assert_true(lambda > 1.7 && lambda < 2.3);
}

static void aa__unusable_pairs__counted_apart(void **state)
{
	(void)state;
	struct rng rng;
	struct stats_aa_pair pairs[14];
	struct stats_aa aa;
	rng_seed_text(&rng, "unusable");
	simulate(&rng, 14, 1, 1, pairs);
	pairs[1].se = 0;
	pairs[1].effect = 0;
	pairs[4].df = 0;
	pairs[6].effect = NAN;
	stats_aa_check(pairs, 14, &rng, &aa);
	assert_true(aa.checked && aa.pairs == 11 && aa.unused == 3 && isfinite(aa.lambda) && !aa.suspect);
	pairs[1].effect = 0.01;
	stats_aa_check(pairs, 14, &rng, &aa);
	assert_true(aa.suspect && aa.unused == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aa__nine_pairs__not_checked),
		cmocka_unit_test(aa__by_hand__lambda_is_the_root_of_the_mean_square),
		cmocka_unit_test(aa__small_z__lambda_is_one),
		cmocka_unit_test(aa__same_seed__same_answer),
		cmocka_unit_test(aa__sound_runs__seldom_suspect),
		cmocka_unit_test(aa__errors_twice_too_small__found_and_corrected),
		cmocka_unit_test(aa__unusable_pairs__counted_apart),
	};
	return cmocka_run_group_tests_name("stats_aa", tests, NULL, NULL);
}
