/*
 * The parts of `make trust` in a form with a fixed seed: A/A, planted effects, coverage and false alarms in recorded
 * noise (tests/golden/stats/README.md) and in synthetic kinds. The limits are those that issue and STATISTICS ask of
 * the whole; where so few families could miss them by chance, their binomial interval decides, as there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session/trust.h"
#include "stats/describe.h"
#include "stats/effect.h"

enum { ROUNDS = 2048, COLUMNS = 12, SAME = 9, SIZES = 5 };

static const unsigned sizes[SIZES] = {0, 5, 10, 20, 50};

struct tallies {
	struct trust_tally of_size[SIZES];
};

static size_t size_of(double truth)
{
	size_t i = 0;

	while (fabs(truth - trust_more_work(sizes[i])) > 1e-9)
		i++;
	return i;
}

static struct trust_recording read_recording(const char *path, double *room)
{
	FILE *file = fopen(path, "r");
	double time;

	assert_non_null(file);
	for (size_t i = 0; i < (size_t)ROUNDS * COLUMNS; i++) {
		assert_int_equal(fscanf(file, "%lf", &time), 1);
		if (i % COLUMNS < SAME)
			room[i / COLUMNS * SAME + i % COLUMNS] = log(time);
	}
	fclose(file);
	return (struct trust_recording){room, ROUNDS, SAME};
}

static struct tallies run(struct trust_block block, enum trust_kind kind,
	const struct trust_recording *recording, size_t families, const char *seed)
{
	struct trust_outcome outcomes[TRUST_CELLS_MAX];
	struct tallies out = {0};
	struct rng rng;

	rng_seed_text(&rng, seed);
	for (size_t f = 0; f < families; f++) {
		trust_simulate(&block, kind, recording, &rng, outcomes);
		for (size_t i = 0; i + 1 < block.cells; i++)
			trust_add(&out.of_size[size_of(outcomes[i].truth)], &outcomes[i]);
	}
	return out;
}

static struct trust_tally planted_of(const struct tallies *tallies)
{
	struct trust_tally all = {0};

	for (size_t i = 1; i < SIZES; i++)
		trust_add_tally(&all, &tallies->of_size[i]);
	return all;
}

static void keeps(size_t k, size_t n, double low, double high, const char *what)
{
	struct stats_proportion share = stats_proportion(k, n);

	if (trust_hold(&share, low, high) == TRUST_BROKEN)
		fail_msg("%s: %zu of %zu (%.3f to %.3f) is not within %g to %g", what, k, n, share.lo,
			share.hi, low, high);
}

/*
 * Rows of one build under six names: no false alarms, and intervals that mean what they say. Holm keeps one in twenty
 * families free of any, so a pair of five has 1 %.
 */
static void is_calm(const char *what, enum trust_kind kind, const struct trust_recording *recording,
	uint32_t rounds, size_t families)
{
	struct tallies t = run(trust_aa_block(rounds), kind, recording, families, what);
	const struct trust_tally *none = &t.of_size[0];

	print_message("%s: %zu of %zu different, %zu intervals without 0\n", what, none->different,
		none->pairs, none->excluding);
	assert_int_equal(none->pairs, families * 5);
	keeps(none->different, none->pairs, 0, 0.01, what);
	keeps(none->excluding, none->pairs, 0.02, 0.09, what);
}

/*
 * Planted effects: intervals that hold them, nothing in the wrong direction. Once all five are found, the two arms
 * without effect share what Holm allows a family: 2.5 % each.
 */
static struct tallies is_honest(const char *what, enum trust_kind kind,
	const struct trust_recording *recording, uint32_t rounds, size_t families)
{
	struct tallies t = run(trust_planted_block(rounds), kind, recording, families, what);
	struct trust_tally planted = planted_of(&t);

	print_message("%s: found %zu %zu %zu %zu of %zu; held %zu of %zu; arms different %zu of %zu\n", what,
		t.of_size[1].found, t.of_size[2].found / 2, t.of_size[3].found, t.of_size[4].found,
		t.of_size[1].pairs, planted.holding, planted.pairs, t.of_size[0].different,
		t.of_size[0].pairs);
	assert_int_equal(t.of_size[0].missing + planted.missing, 0);
	keeps(t.of_size[0].different, t.of_size[0].pairs, 0, 0.025, what);
	keeps(planted.holding, planted.pairs, 0.90, 0.99, what);
	assert_int_equal(planted.wrong, 0);
	return t;
}

static void trust__recorded_noise__honest_and_able(void **state)
{
	(void)state;
	static double room[ROUNDS * SAME];
	static const char *const names[] = {"interpreter", "matmul"};

	for (size_t i = 0; i < 2; i++) {
		char path[80];
		struct trust_recording recording;
		struct tallies t;

		snprintf(path, sizeof(path), "tests/golden/stats/noise/%s.txt", names[i]);
		recording = read_recording(path, room);
		is_calm(names[i], TRUST_RECORDED, &recording, 256, 120);
		t = is_honest(names[i], TRUST_RECORDED, &recording, 256, 120);
		assert_true(t.of_size[4].found == t.of_size[4].pairs);
		/* more rounds find smaller effects */
		t = is_honest(names[i], TRUST_RECORDED, &recording, 1500, 40);
		assert_true(t.of_size[3].found == t.of_size[3].pairs);
		keeps(t.of_size[2].found, t.of_size[2].pairs, 0.5, 1, "1 %");
	}
}

static void trust__synthetic_noise__honest(void **state)
{
	(void)state;
	for (int kind = TRUST_INDEPENDENT; kind < TRUST_KINDS; kind++) {
		const char *name = trust_kind_text((enum trust_kind)kind);
		struct tallies t = is_honest(name, (enum trust_kind)kind, NULL, 256, 80);

		is_calm(name, (enum trust_kind)kind, NULL, 64, 100);
		assert_true(t.of_size[4].found == t.of_size[4].pairs);
	}
}

static void trust__same_seed__same_outcomes(void **state)
{
	(void)state;
	struct trust_block block = trust_planted_block(64);
	struct tallies a = run(block, TRUST_BURSTS, NULL, 5, "one"),
		       b = run(block, TRUST_BURSTS, NULL, 5, "one");
	struct tallies c = run(block, TRUST_BURSTS, NULL, 5, "two");

	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(memcmp(&a, &c, sizeof(a)) != 0);
}

/* A rule without the layouts as units would pass for honest if the block's luck were not there. */
static void trust__luck_of_layouts__widens_the_arms_only(void **state)
{
	(void)state;
	struct trust_block block = trust_planted_block(256);
	struct trust_outcome o[TRUST_CELLS_MAX];
	struct rng rng;

	block.placement = 0.05;
	rng_seed_text(&rng, "luck");
	trust_simulate(&block, TRUST_INDEPENDENT, NULL, &rng, o);
	/* 16 layouts of spread 5 % a side: standard error 5 % * sqrt(2 / 16) = 1.8 %, half-width 2.13 times that */
	assert_true(o[6].hi - o[6].lo > 2 * 0.02 && o[6].hi - o[6].lo < 2 * 0.06);
	/* 256 rounds of spread 1.5 % a side: 1.5 % * sqrt(2 / 256) * 2.13 = 0.28 %, with Hodges-Lehmann's 3 / pi more */
	assert_true(o[0].hi - o[0].lo < 2 * 0.006);
}

static void noise__kinds__are_what_they_are_called(void **state)
{
	(void)state;
	enum { N = 4000, CELLS = 4 };
	static double x[N * CELLS];
	struct stats_summary about;
	struct rng rng;
	double r = 0;

	rng_seed_text(&rng, "kinds");
	trust_noise(TRUST_INDEPENDENT, NULL, &rng, N, CELLS, x);
	assert_true(fabs(stats_sd(x, N * CELLS) - 0.015) < 0.0005);
	assert_true(stats_lag1(x, N * CELLS, &r) && fabs(r) < 0.03);
	trust_noise(TRUST_AUTOCORRELATED, NULL, &rng, N, 1, x);
	assert_true(stats_lag1(x, N, &r) && fabs(r - 0.6) < 0.05);
	assert_true(fabs(stats_sd(x, N) - 0.02) < 0.002);
	trust_noise(TRUST_MODES, NULL, &rng, N, CELLS, x);
	for (size_t i = 0; i < 1000; i++)
		x[i] = exp(x[i]);
	assert_int_equal(stats_describe(x, 1000, &about), STATS_OK);
	assert_true(about.two_modes);
	trust_noise(TRUST_DRIFT, NULL, &rng, N, CELLS, x);
	for (size_t i = 0; i < N * CELLS; i++)
		x[i] = exp(x[i]);
	assert_int_equal(stats_describe(x, N * CELLS, &about), STATS_OK);
	assert_true(about.trending && about.trend > 0.03);
	trust_noise(TRUST_HEAVY_TAIL, NULL, &rng, N, CELLS, x);
	stats_sort(x, N * CELLS);
	/* quartiles of t with 2 degrees of freedom: 0.8165; 99.9 %: 22.3 */
	assert_true(fabs(stats_quantile_sorted(x, N * CELLS, 0.75) - 0.008165) < 0.0006);
	assert_true(stats_quantile_sorted(x, N * CELLS, 0.999) > 0.15);
	trust_noise(TRUST_BURSTS, NULL, &rng, N, CELLS, x);
	stats_sort(x, N * CELLS);
	assert_true(stats_quantile_sorted(x, N * CELLS, 0.5) < 0.01);
	assert_true(stats_quantile_sorted(x, N * CELLS, 0.98) > 0.05);
}

static void noise__recording__keeps_rounds_together(void **state)
{
	(void)state;
	enum { LINES = 500 };
	static double log_time[LINES * 3], x[1000 * 3];
	struct trust_recording recording = {log_time, LINES, 3};
	size_t breaks = 0, moved = 0;
	struct rng rng;

	for (size_t i = 0; i < LINES * 3; i++)
		log_time[i] = (double)(i / 3 * 10 + i % 3); /* round r has 10 r, 10 r + 1, 10 r + 2 */
	rng_seed_text(&rng, "rounds");
	trust_noise(TRUST_RECORDED, &recording, &rng, 1000, 3, x);
	for (size_t r = 0; r < 1000; r++) {
		double sum = x[3 * r] + x[3 * r + 1] + x[3 * r + 2];

		/* one round's three columns, in the same order throughout a stretch */
		assert_true(fmod(sum - 3, 30) == 0);
		breaks += r > 0 && x[3 * r] != x[3 * (r - 1)] + 10;
		moved += fmod(x[3 * r], 10) != fmod(x[0], 10);
	}
	/* over a long time each column has each place as often as any other */
	assert_true(moved > 1000 / 3 && moved < 1000);
	assert_true(breaks <= 1000 / 64);
}

static void hold__count__decides_with_its_interval(void **state)
{
	(void)state;
	struct stats_proportion kept = stats_proportion(2, 200), chance = stats_proportion(3, 200);
	struct stats_proportion broken = stats_proportion(20, 200), nothing = stats_proportion(0, 0);
	struct stats_proportion low = stats_proportion(0, 20), far = stats_proportion(0, 2000);

	assert_int_equal(trust_hold(&kept, 0, 0.01), TRUST_KEPT);
	assert_int_equal(trust_hold(&chance, 0, 0.01), TRUST_BY_CHANCE);
	assert_int_equal(trust_hold(&broken, 0, 0.01), TRUST_BROKEN);
	assert_int_equal(trust_hold(&nothing, 0, 0.01), TRUST_BROKEN);
	assert_int_equal(trust_hold(&low, 0.02, 0.09), TRUST_BY_CHANCE);
	assert_int_equal(trust_hold(&far, 0.02, 0.09), TRUST_BROKEN);
}

static void tally__outcomes__counted_by_truth(void **state)
{
	(void)state;
	const struct trust_outcome outcomes[] = {
		{.truth = -0.01,
			.answered = true,
			.answer = ANSWER_SLOWER,
			.effect = -0.012,
			.lo = -0.02,
			.hi = -0.004,
			.x = 0.02,
			.p_adjusted = 0.01},
		{.truth = -0.01,
			.answered = true,
			.answer = ANSWER_FASTER,
			.effect = 0.012,
			.lo = 0.004,
			.hi = 0.02,
			.x = 0.02,
			.p_adjusted = 0.01},
		{.truth = 0,
			.answered = true,
			.answer = ANSWER_FASTER,
			.effect = 0.01,
			.lo = 0.005,
			.hi = 0.015,
			.x = 0.015,
			.p_adjusted = 0.02},
		{.truth = -0.01,
			.answered = true,
			.answer = ANSWER_NO_DIFFERENCE,
			.effect = 0,
			.lo = -0.008,
			.hi = 0.008,
			.x = 0.008,
			.p_adjusted = 1},
		{.truth = -0.01,
			.answered = true,
			.answer = ANSWER_CANT_TELL,
			.effect = 0,
			.lo = -0.03,
			.hi = 0.03,
			.x = 0.03,
			.p_adjusted = 1},
		{.truth = -0.01},
	};
	struct trust_tally tally = {0};

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		trust_add(&tally, &outcomes[i]);
	assert_int_equal(tally.pairs, 5);
	assert_int_equal(tally.missing, 1);
	assert_int_equal(tally.different, 3);
	assert_int_equal(tally.found, 1);
	assert_int_equal(tally.wrong, 2);
	assert_int_equal(tally.denied, 1);
	assert_int_equal(tally.undecided, 1);
	assert_int_equal(tally.excluding, 3);
	assert_int_equal(tally.holding, 2);
	assert_true(fabs(trust_bias(&tally) - (-0.002 + 0.022 + 0.01 + 0.01 + 0.01) / 5) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trust__recorded_noise__honest_and_able),
		cmocka_unit_test(trust__synthetic_noise__honest),
		cmocka_unit_test(trust__same_seed__same_outcomes),
		cmocka_unit_test(trust__luck_of_layouts__widens_the_arms_only),
		cmocka_unit_test(noise__kinds__are_what_they_are_called),
		cmocka_unit_test(noise__recording__keeps_rounds_together),
		cmocka_unit_test(hold__count__decides_with_its_interval),
		cmocka_unit_test(tally__outcomes__counted_by_truth),
	};

	return cmocka_run_group_tests_name("session_trust", tests, NULL, NULL);
}
