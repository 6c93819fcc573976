/*
 * Which layout a round meets, also after layouts were added; what comes of unequal rounds a layout. The order of rounds
 * before any step is that of records of older versions, so some of it stands here as they have it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "session/layout_order.h"
#include "stats/paired.h"

#define SEED "00112233445566778899aabbccddeeff"

enum { MOST = 64, ALL = UINT32_MAX };

static struct record_plan plan_of(struct record_layout_step *steps, size_t count)
{
	return (struct record_plan){.seed = SEED, .layout_steps = steps, .layout_step_count = count};
}

static void order__each_pass__a_permutation(void **state)
{
	uint32_t counts[] = {1, 8, 16, 13};
	size_t like_the_first = 0;

	(void)state;
	for (size_t c = 0; c < 4; c++) {
		struct record_layout_step step = {0, ALL, counts[c]};
		struct record_plan plan = plan_of(&step, 1);

		for (uint32_t pass = 0; pass < 5; pass++) {
			uint32_t seen = 0;
			bool same = true;

			for (uint32_t i = 0; i < counts[c]; i++) {
				uint32_t layout = layout_order_of_round(&plan, 3, pass * counts[c] + i);

				assert_true(layout < counts[c]);
				seen |= 1U << layout;
				same &= layout == layout_order_of_round(&plan, 3, i);
			}
			assert_int_equal(seen, (1U << counts[c]) - 1);
			like_the_first += counts[c] > 1 && pass > 0 && same;
		}
	}
	assert_int_equal(like_the_first, 0); /* 1 in 8! at the most */
}

static void order__seed__decides(void **state)
{
	struct record_layout_step step = {0, ALL, 16};
	struct record_plan plan = plan_of(&step, 1);
	uint32_t first[32], differ = 0;

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		first[i] = layout_order_of_round(&plan, 0, i);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(layout_order_of_round(&plan, 0, i), first[i]);
	plan.seed = "two";
	for (uint32_t i = 0; i < 32; i++)
		differ += layout_order_of_round(&plan, 0, i) != first[i];
	assert_true(differ > 16);
}

/* The rule of the versions before steps: pass round / L, shuffled by "flagstone layouts SEED PASS". */
static void order__without_steps_later__as_older_records_have_it(void **state)
{
	struct record_layout_step step = {0, ALL, 13};
	struct record_plan plan = plan_of(&step, 1);

	(void)state;
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t order[13];
		struct rng rng;
		char text[80];

		for (uint32_t i = 0; i < 13; i++)
			order[i] = i;
		snprintf(text, sizeof(text), "flagstone layouts " SEED " %u", round / 13);
		rng_seed_text(&rng, text);
		rng_shuffle(&rng, order, 13);
		assert_int_equal(layout_order_of_round(&plan, 0, round), order[round % 13]);
	}
}

static void order__no_step_at_all__one_layout(void **state)
{
	struct record_plan plan = plan_of(NULL, 0);

	(void)state;
	assert_int_equal(layout_order_count(&plan, 0, 7), 1);
	assert_int_equal(layout_order_of_round(&plan, 0, 7), 0);
}

/* How often each layout was met, by asking for each round. */
static void count_rounds(
	const struct record_plan *plan, uint32_t workload, uint32_t from, uint32_t to, uint32_t *times)
{
	for (uint32_t round = from; round < to; round++)
		times[layout_order_of_round(plan, workload, round)]++;
}

/* 16 layouts for 64 rounds, then 64: 192 rounds later all were met 4 times; before that no old one was met again. */
static void order__layouts_added__catch_up_first(void **state)
{
	struct record_layout_step steps[] = {{0, ALL, 16}, {64, 2, 64}};
	struct record_plan plan = plan_of(steps, 2);
	uint32_t times[MOST] = {0};

	(void)state;
	count_rounds(&plan, 2, 0, 64, times);
	for (uint32_t k = 0; k < MOST; k++)
		assert_int_equal(times[k], k < 16 ? 4 : 0);
	count_rounds(&plan, 2, 64, 112, times);
	for (uint32_t k = 0; k < MOST; k++)
		assert_int_equal(times[k], k < 16 ? 4 : 1);
	count_rounds(&plan, 2, 112, 256, times);
	for (uint32_t k = 0; k < MOST; k++)
		assert_int_equal(times[k], 4);
	count_rounds(&plan, 2, 256, 320, times);
	for (uint32_t k = 0; k < MOST; k++)
		assert_int_equal(times[k], 5);
}

static void order__step_of_one_workload__others_go_on_as_they_were(void **state)
{
	struct record_layout_step steps[] = {{0, ALL, 16}, {64, 2, 64}};
	struct record_plan plan = plan_of(steps, 2), before = plan_of(steps, 1);
	uint32_t differ = 0;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		assert_int_equal(
			layout_order_of_round(&plan, 1, round), layout_order_of_round(&before, 1, round));
		if (round < 64)
			assert_int_equal(layout_order_of_round(&plan, 2, round),
				layout_order_of_round(&before, 2, round));
		else
			differ += layout_order_of_round(&plan, 2, round) !=
				  layout_order_of_round(&before, 2, round);
	}
	assert_true(differ > 100);
	assert_int_equal(layout_order_count(&plan, 1, 500), 16);
	assert_int_equal(layout_order_count(&plan, 2, 63), 16);
	assert_int_equal(layout_order_count(&plan, 2, 64), 64);
}

/* A step in the middle of a pass: 20 rounds of 16 layouts leave 4 with two rounds and 12 with one. */
static void order__step_within_a_pass__balanced_in_the_end(void **state)
{
	struct record_layout_step steps[] = {{0, ALL, 16}, {20, ALL, 24}, {30, ALL, 40}};
	struct record_plan plan = plan_of(steps, 3);
	uint32_t times[MOST] = {0};
	uint32_t twice = 0;

	(void)state;
	count_rounds(&plan, 0, 0, 20, times);
	for (uint32_t k = 0; k < 16; k++)
		twice += times[k] == 2;
	assert_int_equal(twice, 4);
	count_rounds(&plan, 0, 20, 28, times);
	for (uint32_t k = 16; k < 24; k++)
		assert_int_equal(times[k], 1);
	count_rounds(&plan, 0, 28, 200, times);
	for (uint32_t k = 0; k < 40; k++)
		assert_int_equal(times[k], 5);
	for (uint32_t k = 40; k < MOST; k++)
		assert_int_equal(times[k], 0);
}

static void order__step_down__the_rest_only(void **state)
{
	struct record_layout_step steps[] = {{0, ALL, 16}, {16, 0, 9}};
	struct record_plan plan = plan_of(steps, 2);
	uint32_t times[MOST] = {0};

	(void)state;
	count_rounds(&plan, 0, 0, 16 + 27, times);
	for (uint32_t k = 0; k < 16; k++)
		assert_int_equal(times[k], k < 9 ? 4 : 1);
}

/* Whole passes are skipped over; that must come to the same as going through them. */
static void order__times__as_counted_round_by_round(void **state)
{
	struct record_layout_step steps[] = {
		{0, ALL, 8}, {17, 0, 19}, {17, 1, 11}, {100, ALL, 30}, {333, 0, 64}};
	struct record_plan plan = plan_of(steps, 5);

	(void)state;
	for (uint32_t workload = 0; workload < 3; workload++) {
		uint32_t counted[MOST] = {0}, times[MOST];

		for (uint32_t rounds = 0; rounds < 700; rounds += 7) {
			layout_order_times(&plan, workload, rounds, times, MOST);
			assert_memory_equal(times, counted, sizeof(times));
			count_rounds(&plan, workload, rounds, rounds + 7, counted);
		}
	}
}

static double gauss(struct rng *rng)
{
	/* Box and Muller */
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * 3.14159265358979 * rng_unit(rng));
}

/* Does the interval of one simulated comparison hold the truth? */
static bool covers(
	const uint32_t *layouts, uint32_t rounds, double sd_layout, double sd_round, struct rng *rng)
{
	struct stats_observation *obs = mem_alloc_array(rounds, sizeof(*obs));
	double luck[MOST];
	struct stats_pair pair;

	for (uint32_t k = 0; k < MOST; k++)
		luck[k] = sd_layout * gauss(rng);
	for (uint32_t i = 0; i < rounds; i++)
		obs[i] = (struct stats_observation){.layout = layouts[i],
			.round = i,
			.effect = 0.01 + luck[layouts[i]] + sd_round * gauss(rng)};
	stats_pair_analyse(obs, rounds, STATS_USE_ALL, &pair);
	mem_free(obs);
	assert_int_equal(pair.status, STATS_PAIR_OK);
	return pair.lo <= 0.01 && 0.01 <= pair.hi;
}

static double coverage(const struct record_plan *plan, uint32_t rounds, double sd_layout, double sd_round)
{
	enum { TRIALS = 1500 };
	uint32_t *layouts = mem_alloc_array(rounds, sizeof(*layouts));
	struct rng rng;
	int held = 0;

	for (uint32_t i = 0; i < rounds; i++)
		layouts[i] = layout_order_of_round(plan, 0, i);
	rng_seed_text(&rng, "unequal rounds a layout");
	for (int i = 0; i < TRIALS; i++)
		held += covers(layouts, rounds, sd_layout, sd_round, &rng);
	mem_free(layouts);
	return (double)held / TRIALS;
}

/*
 * Layouts that have not caught up have fewer rounds: their estimates scatter more, the mean of all stays unbiased, and
 * s^2 / L stays the unbiased variance of this mean (E s^2 is the mean of the layouts' variances). The nominal 95 %
 * must hold within three standard errors of 1500 trials, 1.7 %, also where a layout's luck is nothing beside the noise.
 */
static void order__unequal_rounds_a_layout__intervals_hold_what_they_promise(void **state)
{
	struct record_layout_step steps[] = {{0, ALL, 16}, {64, ALL, 64}};
	struct record_plan plan = plan_of(steps, 2);
	const struct {
		uint32_t rounds;
		double sd_layout, sd_round;
	} cases[] = {{112, 0.015, 0.005}, {112, 0, 0.01}, {140, 0.005, 0.01}, {256, 0.015, 0.005}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double share = coverage(&plan, cases[i].rounds, cases[i].sd_layout, cases[i].sd_round);

		if (fabs(share - 0.95) > 0.017)
			fail_msg("case %zu: %.3f of the intervals hold the truth", i, share);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order__each_pass__a_permutation),
		cmocka_unit_test(order__seed__decides),
		cmocka_unit_test(order__without_steps_later__as_older_records_have_it),
		cmocka_unit_test(order__no_step_at_all__one_layout),
		cmocka_unit_test(order__layouts_added__catch_up_first),
		cmocka_unit_test(order__step_of_one_workload__others_go_on_as_they_were),
		cmocka_unit_test(order__step_within_a_pass__balanced_in_the_end),
		cmocka_unit_test(order__step_down__the_rest_only),
		cmocka_unit_test(order__times__as_counted_round_by_round),
		cmocka_unit_test(order__unequal_rounds_a_layout__intervals_hold_what_they_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
