#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "stats/describe.h"
#include "stats/dist.h"
#include "stats/paired.h"
#include "stats/rank.h"
#include "test_stats_data.h"

#define MAX 1024

/* Near enough to normal, mean 0 and standard deviation 1. */
static double bell(struct rng *rng)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return sum;
}

/* layouts * rounds observations around `truth`, layouts spread by sd_layout, rounds by sd_round. */
static size_t simulate(struct rng *rng, size_t layouts, size_t rounds, double truth, double sd_layout,
	double sd_round, struct stats_observation *obs)
{
	size_t n = 0;
	for (size_t l = 0; l < layouts; l++) {
		double luck = truth + sd_layout * bell(rng);
		for (size_t r = 0; r < rounds; r++)
			obs[n++] = (struct stats_observation){
				(uint32_t)l, (uint32_t)(r * layouts + l), luck + sd_round * bell(rng), false};
	}
	return n;
}

static void assert_same(const struct stats_pair *a, const struct stats_pair *b)
{
	assert_true(a->status == b->status && a->method == b->method && a->layouts == b->layouts);
	assert_true(
		a->rounds == b->rounds && a->observations == b->observations && a->disturbed == b->disturbed);
	assert_true(a->effect == b->effect && a->lo == b->lo && a->hi == b->hi && a->se == b->se &&
		    a->df == b->df);
	assert_true(a->has_p == b->has_p && a->p == b->p && a->has_split == b->has_split);
	assert_true(a->var_layout == b->var_layout && a->var_round == b->var_round);
	assert_true(a->placement_share == b->placement_share);
}

static void layouts__by_hand__mean_of_pseudomedians_with_t(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "by hand");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	size_t n = simulate(&rng, 16, 5, 0.02, 0.01, 0.01, obs);
	assert_int_equal(stats_pair_analyse(obs, n, STATS_USE_ALL, &pair), STATS_PAIR_OK);
	double estimate[16];
	for (size_t l = 0; l < 16; l++) {
		double x[5];
		for (size_t r = 0; r < 5; r++)
			x[r] = obs[l * 5 + r].effect;
		estimate[l] = stats_pseudomedian(x, 5);
	}
	double mean = stats_mean(estimate, 16);
	double se = stats_sd(estimate, 16) / 4;
	assert_int_equal(pair.method, STATS_BY_LAYOUTS);
	assert_true(pair.layouts == 16 && pair.rounds == 80 && pair.observations == 80 && pair.df == 15);
	assert_true(near_relative(pair.effect, mean, 1e-13) && near_relative(pair.se, se, 1e-13));
	/* qt(0.975, 15) of R */
	assert_true(near_relative(pair.hi - pair.lo, 2 * 2.131449545559323 * se, 1e-12));
	assert_true(pair.has_p && near_relative(pair.p, stats_t_two_sided(mean / se, 15), 1e-10));
}

static void layouts__shuffled_and_renamed__same(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "shuffle");
	struct stats_observation obs[MAX];
	struct stats_pair a, b;
	size_t n = simulate(&rng, 12, 7, 0.02, 0.01, 0.01, obs);
	stats_pair_analyse(obs, n, STATS_USE_ALL, &a);
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)rng_below(&rng, i + 1);
		struct stats_observation swap = obs[i];
		obs[i] = obs[k];
		obs[k] = swap;
	}
	stats_pair_analyse(obs, n, STATS_USE_ALL, &b);
	assert_same(&a, &b);
	for (size_t i = 0; i < n; i++)
		obs[i].layout = 4000000000u - 7 * obs[i].layout;
	stats_pair_analyse(obs, n, STATS_USE_ALL, &b);
	assert_true(a.effect == b.effect && a.se == b.se && a.p == b.p);
	assert_true(near_relative(a.var_layout, b.var_layout, 1e-12));
}

static void layouts__sides_swapped__sign_turns(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "swap");
	struct stats_observation obs[MAX];
	struct stats_pair a, b;
	size_t n = simulate(&rng, 9, 4, 0.02, 0.01, 0.01, obs);
	stats_pair_analyse(obs, n, STATS_USE_ALL, &a);
	for (size_t i = 0; i < n; i++)
		obs[i].effect = -obs[i].effect;
	stats_pair_analyse(obs, n, STATS_USE_ALL, &b);
	assert_true(near_relative(a.effect, -b.effect, 1e-14) && near_relative(a.lo, -b.hi, 1e-14));
	assert_true(near_relative(a.p, b.p, 1e-12));
}

static void pair__number_of_layouts__decides(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "number");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	assert_int_equal(stats_pair_analyse(NULL, 0, STATS_USE_ALL, &pair), STATS_PAIR_EMPTY);
	for (size_t layouts = 1; layouts <= 10; layouts++) {
		size_t n = simulate(&rng, layouts, 8, 0.02, 0.01, 0.01, obs);
		enum stats_pair_status status = stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
		assert_int_equal(status, layouts > 1 && layouts < 8 ? STATS_PAIR_FEW_LAYOUTS : STATS_PAIR_OK);
		assert_int_equal(pair.status, status);
		assert_int_equal(pair.layouts, layouts);
		assert_int_equal(pair.method, layouts == 1 ? STATS_BY_ROUNDS : STATS_BY_LAYOUTS);
		if (status != STATS_PAIR_OK)
			assert_true(pair.effect == 0 && pair.se == 0 && pair.p == 1 && !pair.has_p);
	}
}

static void rounds__one_layout__signed_rank(void **state)
{
	(void)state;
	json_t *root = golden_json(GOLDEN "r-known-answers.json");
	const json_t *known = json_object_get(root, "paired_log_ratio");
	struct numbers a = json_numbers(json_object_get(known, "a"));
	struct numbers b = json_numbers(json_object_get(known, "b"));
	struct stats_observation obs[20];
	struct stats_pair pair;
	for (size_t i = 0; i < 20; i++)
		obs[i] = (struct stats_observation){3, (uint32_t)i, log(b.v[i] / a.v[i]), false};
	assert_int_equal(stats_pair_analyse(obs, 20, STATS_USE_ALL, &pair), STATS_PAIR_OK);
	const json_t *interval = json_object_get(known, "ci95");
	assert_true(pair.layouts == 1 && pair.df == 0 && !pair.has_split);
	assert_true(near_relative(pair.effect, json_number(known, "pseudomedian"), 1e-12));
	assert_true(near_relative(pair.lo, json_number_value(json_array_get(interval, 0)), 1e-12));
	assert_true(near_relative(pair.hi, json_number_value(json_array_get(interval, 1)), 1e-12));
	assert_true(near_relative(pair.p, json_number(known, "p_exact"), 1e-12));
	assert_int_equal(stats_pair_analyse(obs, 6, STATS_USE_ALL, &pair), STATS_PAIR_OK);
	assert_int_equal(stats_pair_analyse(obs, 5, STATS_USE_ALL, &pair), STATS_PAIR_FEW_ROUNDS);
	assert_int_equal(stats_pair_analyse(obs, 2, STATS_USE_ALL, &pair), STATS_PAIR_FEW_ROUNDS);
	free(a.v);
	free(b.v);
	json_decref(root);
}

static void pair__equal_samples__no_p_and_no_spread(void **state)
{
	(void)state;
	struct stats_observation obs[64];
	struct stats_pair pair;
	for (size_t layouts = 1; layouts <= 16; layouts += 15) {
		for (size_t i = 0; i < 64; i++)
			obs[i] = (struct stats_observation){(uint32_t)(i % layouts), (uint32_t)i, 0, false};
		assert_int_equal(stats_pair_analyse(obs, 64, STATS_USE_ALL, &pair), STATS_PAIR_OK);
		assert_true(pair.effect == 0 && pair.lo == 0 && pair.hi == 0 && pair.se == 0);
		assert_true(!pair.has_p && pair.p == 1 && pair.placement_share == 0);
		struct stats_pair wide = stats_pair_widen(&pair, 3);
		assert_true(!wide.has_p && wide.p == 1 && wide.lo == 0);
	}
}

static void layouts__all_the_same_effect__sign_flips_give_p(void **state)
{
	(void)state;
	struct stats_observation obs[64];
	struct stats_pair pair;
	for (size_t i = 0; i < 64; i++)
		obs[i] = (struct stats_observation){(uint32_t)(i % 8), (uint32_t)i, log(1.1), false};
	assert_int_equal(stats_pair_analyse(obs, 64, STATS_USE_ALL, &pair), STATS_PAIR_OK);
	assert_true(pair.effect == log(1.1) && pair.lo == pair.effect && pair.hi == pair.effect);
	assert_true(pair.has_p && pair.p == 1.0 / 128 && pair.se == 0);
}

static void pair__bad_value__index(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "bad");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	size_t n = simulate(&rng, 16, 4, 0, 0.01, 0.01, obs);
	obs[17].effect = NAN;
	obs[30].effect = INFINITY;
	obs[17].disturbed = true;
	assert_int_equal(stats_pair_analyse(obs, n, STATS_USE_CLEAN, &pair), STATS_PAIR_BAD_VALUE);
	assert_true(pair.bad_index == 17 && pair.effect == 0 && pair.p == 1);
}

static void pair__disturbed__left_out_only_when_asked(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "disturbed");
	struct stats_observation obs[MAX];
	struct stats_pair all, clean;
	size_t n = simulate(&rng, 8, 8, 0.01, 0.001, 0.001, obs);
	for (size_t i = 0; i < n; i += 2) {
		obs[i].disturbed = true;
		obs[i].effect += 0.3;
	}
	stats_pair_analyse(obs, n, STATS_USE_ALL, &all);
	stats_pair_analyse(obs, n, STATS_USE_CLEAN, &clean);
	assert_true(all.disturbed == 32 && clean.disturbed == 32);
	assert_true(all.observations == 64 && clean.observations == 32);
	assert_true(all.effect > 0.05 && clean.effect < 0.02);
	for (size_t i = 0; i < n; i++)
		obs[i].disturbed = true;
	assert_int_equal(stats_pair_analyse(obs, n, STATS_USE_CLEAN, &clean), STATS_PAIR_EMPTY);
	assert_int_equal(clean.disturbed, 64);
}

static void read_anova(const char *name, struct stats_observation *obs, size_t *n)
{
	char path[128], line[512];
	snprintf(path, sizeof path, GOLDEN "nist/%s.dat", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	bool data = false;
	*n = 0;
	while (fgets(line, sizeof line, file) != NULL) {
		char *at = line;
		for (uint32_t treatment = 0; data && treatment < 9; treatment++) {
			char *end = at;
			double value = strtod(at, &end);
			if (end == at)
				break;
			obs[(*n)++] = (struct stats_observation){treatment, (uint32_t)*n, value, false};
			at = end;
		}
		if (strncmp(line, "Data:", 5) == 0 && strstr(line, "Factor") == NULL)
			data = true;
	}
	fclose(file);
}

/* Certified: mean square between 0.21, within 0.01, 9 treatments of 21. */
static void split__nist_analysis_of_variance__certified(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double tolerance;
	} sets[] = {{"SmLs01t", 1e-12}, {"SmLs04t", 1e-7}};
	for (size_t i = 0; i < 2; i++) {
		struct stats_observation obs[MAX];
		struct stats_pair pair;
		size_t n = 0;
		read_anova(sets[i].name, obs, &n);
		/* The line that numbers the treatments comes first. */
		assert_int_equal(n, 9 + 189);
		assert_int_equal(stats_pair_analyse(obs + 9, 189, STATS_USE_ALL, &pair), STATS_PAIR_OK);
		assert_true(pair.has_split);
		assert_true(near_relative(pair.var_round, 0.01, sets[i].tolerance));
		assert_true(near_relative(pair.var_layout, 0.2 / 21, sets[i].tolerance));
		assert_true(near_relative(pair.placement_share, 20.0 / 21, sets[i].tolerance));
	}
}

static void split__known_sources__told_apart(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "split");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	double layout = 0, round = 0;
	for (size_t i = 0; i < 200; i++) {
		size_t n = simulate(&rng, 16, 16, 0, 0.02, 0.04, obs);
		stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
		layout += pair.var_layout / 200;
		round += pair.var_round / 200;
	}
	assert_true(near_relative(layout, 0.02 * 0.02, 0.05));
	assert_true(near_relative(round, 0.04 * 0.04, 0.02));
	simulate(&rng, 16, 1, 0, 0.02, 0.04, obs);
	stats_pair_analyse(obs, 16, STATS_USE_ALL, &pair);
	assert_true(pair.status == STATS_PAIR_OK && !pair.has_split && pair.var_round == 0);
}

/* MEASURING's simulation: pooled rounds would cover 47 % at 8 layouts, t covers 95 %. */
static void layouts__simulated_placement__interval_covers(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "coverage");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	for (size_t layouts = 8; layouts <= 16; layouts += 8) {
		size_t covered = 0, alarms = 0;
		for (size_t i = 0; i < 2000; i++) {
			size_t n = simulate(&rng, layouts, 10, 0.03, 0.01, 0.005, obs);
			stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
			covered += pair.lo <= 0.03 && 0.03 <= pair.hi;
			for (size_t k = 0; k < n; k++)
				obs[k].effect -= 0.03;
			stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
			alarms += pair.p <= 0.05;
		}
		assert_in_range(covered, 1870, 1930);
		assert_int_equal(alarms, 2000 - covered);
	}
}

static void widen__lambda__widens_interval_and_p(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "widen");
	struct stats_observation obs[MAX];
	struct stats_pair pair;
	size_t n = simulate(&rng, 16, 4, 0.01, 0.01, 0.01, obs);
	stats_pair_analyse(obs, n, STATS_USE_ALL, &pair);
	struct stats_pair wide = stats_pair_widen(&pair, 2);
	assert_true(near_relative(wide.hi - wide.lo, 2 * (pair.hi - pair.lo), 1e-12));
	assert_true(wide.effect == pair.effect && wide.p > pair.p && wide.p <= 1);
	assert_true(near_relative(wide.p, stats_t_two_sided(pair.effect / pair.se / 2, 15), 1e-12));
	wide = stats_pair_widen(&pair, 0.5);
	assert_same(&wide, &pair);
	wide = stats_pair_widen(&pair, NAN);
	assert_same(&wide, &pair);
}

static void rounds_per_layout__costs_and_variances__balanced(void **state)
{
	(void)state;
	assert_int_equal(stats_rounds_per_layout(50, 2, 1, 4, 256), 10);
	assert_int_equal(stats_rounds_per_layout(50, 2, 1, 4, 8), 8);
	assert_int_equal(stats_rounds_per_layout(1, 100, 1, 0.1, 256), 1);
	assert_int_equal(stats_rounds_per_layout(50, 2, -1, 4, 256), 32);
	assert_int_equal(stats_rounds_per_layout(50, 2, 0, 4, 4), 1);
	assert_int_equal(stats_rounds_per_layout(50, 2, 1, 4, 0), 1);
	assert_int_equal(stats_rounds_per_layout(1e300, 1e-300, 1e-300, 1e300, 64), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts__by_hand__mean_of_pseudomedians_with_t),
		cmocka_unit_test(layouts__shuffled_and_renamed__same),
		cmocka_unit_test(layouts__sides_swapped__sign_turns),
		cmocka_unit_test(pair__number_of_layouts__decides),
		cmocka_unit_test(rounds__one_layout__signed_rank),
		cmocka_unit_test(pair__equal_samples__no_p_and_no_spread),
		cmocka_unit_test(layouts__all_the_same_effect__sign_flips_give_p),
		cmocka_unit_test(pair__bad_value__index),
		cmocka_unit_test(pair__disturbed__left_out_only_when_asked),
		cmocka_unit_test(split__nist_analysis_of_variance__certified),
		cmocka_unit_test(split__known_sources__told_apart),
		cmocka_unit_test(layouts__simulated_placement__interval_covers),
		cmocka_unit_test(widen__lambda__widens_interval_and_p),
		cmocka_unit_test(rounds_per_layout__costs_and_variances__balanced),
	};
	return cmocka_run_group_tests_name("stats_paired", tests, NULL, NULL);
}
