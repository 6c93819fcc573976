#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/dist.h"
#include "stats/effect.h"
#include "stats/verdict.h"
#include "test_stats_data.h"

static const struct stats_rules one_look = {
	.matters = 0.005,
	.precision = 0.01,
	.looks = 1,
	.lambda = 1,
	.family = 1,
};

/* A comparison by 16 layouts with this estimate and standard error. */
static struct stats_pair pair_of(double effect, double se)
{
	struct stats_pair pair = {
		.status = STATS_PAIR_OK, .effect = effect, .se = se, .df = 15, .layouts = 16};
	double half = stats_t_quantile(0.975, 15) * se;
	pair.lo = effect - half;
	pair.hi = effect + half;
	pair.has_p = true;
	pair.p = stats_t_two_sided(effect / se, 15);
	return pair;
}

static struct stats_verdict verdict_of(double effect, double se)
{
	struct stats_pair pair = pair_of(effect, se);
	struct stats_verdict verdict;
	stats_family_decide(&pair, 1, &one_look, &verdict);
	return verdict;
}

static void verdict__each_answer__by_the_rule(void **state)
{
	(void)state;
	static const struct {
		double effect, se;
		enum stats_answer answer;
	} cases[] = {
		{0.03, 0.002, STATS_FASTER},
		{-0.03, 0.002, STATS_SLOWER},
		{0.005, 0.001, STATS_FASTER},
		{0.0049, 0.001, STATS_TOO_SMALL},
		{-0.0049, 0.001, STATS_TOO_SMALL},
		{0.0049, 0.0023, STATS_NO_DIFFERENCE},
		{0.001, 0.003, STATS_NO_DIFFERENCE},
		{0.001, 0.006, STATS_CANT_TELL},
		{0.03, 0.02, STATS_CANT_TELL},
		{0.0045, 0.0022, STATS_NO_DIFFERENCE},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct stats_verdict v = verdict_of(cases[i].effect, cases[i].se);
		assert_int_equal(v.answer, cases[i].answer);
		assert_int_equal(v.closed, cases[i].answer != STATS_CANT_TELL);
		assert_true(v.x == fmax(fabs(v.lo), fabs(v.hi)) && v.effect == cases[i].effect);
	}
}

/* asv#752: medians 1 and 1.5 with a wide spread are inconclusive, not unchanged. */
static void verdict__large_but_uncertain__cant_tell(void **state)
{
	(void)state;
	struct stats_verdict v = verdict_of(log(1.5), 0.3);
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_true(v.x > log(1.5) && !v.closed && v.effort > 1);
}

/* Significant and small, yet the interval reaches beyond the precision: only possible where that is tighter. */
static void verdict__significant_small_and_wide__stays_open(void **state)
{
	(void)state;
	struct stats_pair pair = pair_of(0.0045, 0.002);
	struct stats_verdict v = stats_decide(&pair, 0.04, 0.005, 0.008);
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_false(v.closed);
	v = stats_decide(&pair, 0.04, 0.005, 0.01);
	assert_int_equal(v.answer, STATS_TOO_SMALL);
}

static void verdict__failed_pair__no_answer(void **state)
{
	(void)state;
	struct stats_pair pair = {.status = STATS_PAIR_FEW_LAYOUTS};
	struct stats_verdict v;
	stats_family_decide(&pair, 1, &one_look, &v);
	assert_int_equal(v.answer, STATS_NO_ANSWER);
	assert_true(!v.closed && v.p == 1 && v.p_adjusted == 1 && v.x == 0);
}

static void verdict__equal_samples__no_difference(void **state)
{
	(void)state;
	struct stats_pair pair = {.status = STATS_PAIR_OK, .df = 15, .layouts = 16, .p = 1};
	struct stats_verdict v;
	stats_family_decide(&pair, 1, &one_look, &v);
	assert_int_equal(v.answer, STATS_NO_DIFFERENCE);
	assert_true(v.closed && !v.has_p && v.x == 0 && v.p_adjusted == 1);
}

static void family__looks_and_size__multiply_p(void **state)
{
	(void)state;
	struct stats_pair pair = pair_of(0.02, 0.006);
	struct stats_rules rules = one_look;
	struct stats_verdict v;
	assert_true(pair.p > 0.004 && pair.p < 0.006);
	stats_family_decide(&pair, 1, &rules, &v);
	assert_int_equal(v.answer, STATS_FASTER);
	rules.looks = 4;
	stats_family_decide(&pair, 1, &rules, &v);
	assert_true(near_relative(v.p_adjusted, 4 * pair.p, 1e-12));
	assert_int_equal(v.answer, STATS_FASTER);
	rules.family = 11;
	stats_family_decide(&pair, 1, &rules, &v);
	assert_true(near_relative(v.p_adjusted, 44 * pair.p, 1e-12));
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_true(v.lo == pair.lo && v.hi == pair.hi && v.p == pair.p);
	rules.looks = 0;
	rules.family = 0;
	stats_family_decide(&pair, 1, &rules, &v);
	assert_true(v.p_adjusted == pair.p);
}

static void family__one_failed__keeps_its_place(void **state)
{
	(void)state;
	struct stats_pair pairs[] = {
		pair_of(0.02, 0.005), {.status = STATS_PAIR_EMPTY}, pair_of(0.01, 0.008)};
	struct stats_rules rules = one_look;
	struct stats_verdict v[3];
	rules.family = 3;
	stats_family_decide(pairs, 3, &rules, v);
	assert_true(near_relative(v[0].p_adjusted, 3 * pairs[0].p, 1e-12));
	assert_int_equal(v[1].answer, STATS_NO_ANSWER);
	assert_true(near_relative(v[2].p_adjusted, 2 * pairs[2].p, 1e-12));
	stats_family_decide(pairs, 0, &rules, v);
}

static void family__lambda__widens_before_deciding(void **state)
{
	(void)state;
	struct stats_pair pair = pair_of(0.02, 0.006);
	struct stats_rules rules = one_look;
	struct stats_verdict v;
	rules.lambda = 2;
	stats_family_decide(&pair, 1, &rules, &v);
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_true(near_relative(v.hi - v.lo, 2 * (pair.hi - pair.lo), 1e-12) && v.p > pair.p);
}

/* Four times the rounds halve the interval: what effort promises comes true if the estimate stays. */
static void effort__as_many_rounds__gives_an_answer(void **state)
{
	(void)state;
	static const double cases[][2] = {
		{0.001, 0.01}, {0.03, 0.02}, {0.012, 0.008}, {0, 0.3}, {0.009, 0.02}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct stats_verdict now = verdict_of(cases[i][0], cases[i][1]);
		assert_int_equal(now.answer, STATS_CANT_TELL);
		assert_true(now.effort > 1);
		struct stats_verdict later = verdict_of(cases[i][0], cases[i][1] / sqrt(now.effort * 1.001));
		assert_int_not_equal(later.answer, STATS_CANT_TELL);
		later = verdict_of(cases[i][0], cases[i][1] / sqrt(now.effort * 0.98));
		assert_int_equal(later.answer, STATS_CANT_TELL);
	}
}

static void reconcile__with_and_without_disturbed__must_agree(void **state)
{
	(void)state;
	struct stats_verdict faster = verdict_of(0.03, 0.002);
	struct stats_verdict none = verdict_of(0.001, 0.003);
	struct stats_verdict small = verdict_of(0.0049, 0.001);
	struct stats_verdict open = verdict_of(0.03, 0.02);
	assert_int_equal(stats_verdict_reconcile(&faster, &faster).answer, STATS_FASTER);
	assert_int_equal(stats_verdict_reconcile(&small, &none).answer, STATS_TOO_SMALL);
	struct stats_verdict v = stats_verdict_reconcile(&faster, &none);
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_true(!v.closed && v.x == faster.x);
	v = stats_verdict_reconcile(&none, &open);
	assert_int_equal(v.answer, STATS_CANT_TELL);
	assert_true(v.x == open.x);
}

static void answer_name__each__is_known(void **state)
{
	(void)state;
	assert_string_equal(stats_answer_name(STATS_FASTER), "faster");
	assert_string_equal(stats_answer_name(STATS_SLOWER), "slower");
	assert_string_equal(stats_answer_name(STATS_TOO_SMALL), "too small to matter");
	assert_string_equal(stats_answer_name(STATS_NO_DIFFERENCE), "no difference");
	assert_string_equal(stats_answer_name(STATS_CANT_TELL), "can't tell");
	assert_string_equal(stats_answer_name(STATS_NO_ANSWER), "no answer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict__each_answer__by_the_rule),
		cmocka_unit_test(verdict__large_but_uncertain__cant_tell),
		cmocka_unit_test(verdict__significant_small_and_wide__stays_open),
		cmocka_unit_test(verdict__failed_pair__no_answer),
		cmocka_unit_test(verdict__equal_samples__no_difference),
		cmocka_unit_test(family__looks_and_size__multiply_p),
		cmocka_unit_test(family__one_failed__keeps_its_place),
		cmocka_unit_test(family__lambda__widens_before_deciding),
		cmocka_unit_test(effort__as_many_rounds__gives_an_answer),
		cmocka_unit_test(reconcile__with_and_without_disturbed__must_agree),
		cmocka_unit_test(answer_name__each__is_known),
	};
	return cmocka_run_group_tests_name("stats_verdict", tests, NULL, NULL);
}
