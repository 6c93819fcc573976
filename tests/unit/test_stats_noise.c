/*
 * The whole method on recorded noise with known truth (tests/golden/stats/README.md): stretches of whole rounds, 16
 * (or 8) groups of rounds stand for layouts, 11 comparisons with cell 0, two looks. Everything is fixed, so the figures are
 * the same on every machine; the limits are those of the experiments in which the method was chosen, with the
 * tolerance that so few stretches need.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/describe.h"
#include "stats/effect.h"
#include "stats/marked.h"
#include "stats/verdict.h"
#include "test_stats_data.h"

#define ROUNDS	 2048
#define CELLS	 12
#define FAMILY	 (CELLS - 1)
#define SAME	 8 /* cells 1 to 8 are the same program as cell 0 */
#define PLANTED	 3
#define LAYOUTS	 16
#define FEWEST	 8
#define MAX_PAIR (ROUNDS / LAYOUTS * SAME)

struct recording {
	double time[ROUNDS][CELLS];
	double truth[PLANTED]; /* effects of cells 9 to 11 */
};

/* Over all stretches of one length. */
struct figures {
	size_t stretches, pairs, planted;
	double spread;	   /* of the estimates between identical cells */
	double half_width; /* mean of the intervals' */
	double covered;	   /* share of intervals that hold the truth, identical cells */
	double covered_planted;
	double alarms;	       /* share of identical pairs with p <= 0.05 */
	double adjusted;       /* the same after looks and Holm */
	double found[PLANTED]; /* share of stretches in which it is found, after looks and Holm */
	size_t wrong_way;      /* planted slowdowns called faster */
};

static void read_recording(const char *path, const double percent[PLANTED], struct recording *out)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	for (size_t r = 0; r < ROUNDS; r++)
		for (size_t c = 0; c < CELLS; c++)
			assert_int_equal(fscanf(file, "%lf", &out->time[r][c]), 1);
	fclose(file);
	for (size_t i = 0; i < PLANTED; i++)
		out->truth[i] = -stats_log_percent(percent[i]);
}

static void analyse_stretch(
	const struct recording *data, size_t start, size_t rounds, size_t layouts, struct stats_pair *pairs)
{
	static struct stats_observation obs[ROUNDS];
	for (size_t c = 1; c < CELLS; c++) {
		for (size_t r = 0; r < rounds; r++) {
			const double *time = data->time[start + r];
			obs[r] = (struct stats_observation){
				.layout = (uint32_t)(r % layouts), .round = (uint32_t)r};
			assert_true(stats_effect(time[0], time[c], false, &obs[r].effect));
		}
		assert_int_equal(
			stats_pair_analyse(obs, rounds, STATS_USE_ALL, &pairs[c - 1]), STATS_PAIR_OK);
	}
}

static bool holds(const struct stats_pair *pair, double truth)
{
	return pair->lo <= truth && truth <= pair->hi;
}

static struct figures measure(const struct recording *data, size_t rounds, size_t layouts)
{
	static const struct stats_rules rules = {
		.matters = 0.005, .precision = 0.01, .looks = 2, .lambda = 1, .family = FAMILY};
	struct figures f = {.stretches = ROUNDS / rounds};
	static double estimate[MAX_PAIR];
	for (size_t s = 0; s < f.stretches; s++) {
		struct stats_pair pairs[FAMILY];
		struct stats_verdict verdicts[FAMILY];
		analyse_stretch(data, s * rounds, rounds, layouts, pairs);
		stats_family_decide(pairs, FAMILY, &rules, verdicts);
		for (size_t i = 0; i < SAME; i++) {
			estimate[f.pairs++] = pairs[i].effect;
			f.covered += holds(&pairs[i], 0);
			f.alarms += pairs[i].p <= 0.05;
			f.adjusted += verdicts[i].p_adjusted <= 0.05;
		}
		for (size_t i = 0; i < PLANTED; i++) {
			f.planted++;
			f.covered_planted += holds(&pairs[SAME + i], data->truth[i]);
			f.found[i] += verdicts[SAME + i].answer == STATS_SLOWER;
			f.wrong_way += verdicts[SAME + i].answer == STATS_FASTER;
		}
		for (size_t i = 0; i < FAMILY; i++)
			f.half_width += (pairs[i].hi - pairs[i].lo) / 2;
	}
	f.spread = stats_sd(estimate, f.pairs);
	f.half_width /= (double)(f.pairs + f.planted);
	f.covered /= (double)f.pairs;
	f.covered_planted /= (double)f.planted;
	f.alarms /= (double)f.pairs;
	f.adjusted /= (double)f.pairs;
	for (size_t i = 0; i < PLANTED; i++)
		f.found[i] /= (double)f.stretches;
	return f;
}

static void show(const char *name, size_t rounds, size_t layouts, const struct figures *f)
{
	print_message("%s, %zu rounds, %zu layouts: spread %.2f %%, half-width %.2f %%, coverage %.1f / %.1f "
		      "%%, alarms "
		      "%.1f / %.1f %%, "
		      "found %.0f / %.0f / %.0f %%\n",
		name, rounds, layouts, 100 * f->spread, 100 * f->half_width, 100 * f->covered,
		100 * f->covered_planted, 100 * f->alarms, 100 * f->adjusted, 100 * f->found[0],
		100 * f->found[1], 100 * f->found[2]);
}

struct limits {
	size_t rounds;
	double spread, half_width; /* at most */
	double covered;		   /* at least */
	double alarms, adjusted;   /* at most */
	double found[PLANTED];	   /* at least */
};

static void hold_against(
	const char *name, const struct recording *data, const struct limits *limits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct limits *limit = &limits[i];
		struct figures f = measure(data, limit->rounds, LAYOUTS);
		show(name, limit->rounds, LAYOUTS, &f);
		assert_true(f.spread <= limit->spread && f.half_width <= limit->half_width);
		assert_true(f.covered >= limit->covered && f.covered_planted >= limit->covered);
		assert_true(f.alarms <= limit->alarms && f.adjusted <= limit->adjusted);
		for (size_t k = 0; k < PLANTED; k++)
			assert_true(f.found[k] >= limit->found[k]);
		assert_int_equal(f.wrong_way, 0);
	}
}

static void method__interpreter_noise__honest_and_able(void **state)
{
	(void)state;
	static const double percent[PLANTED] = {0.88, 1.81, 4.69};
	static const struct limits limits[] = {
		{16, 0.032, 0.060, 0.94, 0.06, 0.004, {0, 0.005, 0.10}},
		{64, 0.013, 0.026, 0.94, 0.06, 0.005, {0, 0.03, 0.55}},
		{256, 0.0042, 0.0120, 0.94, 0.06, 0.005, {0.10, 0.60, 1}},
		{1024, 0.0020, 0.0060, 0.94, 0.06, 0.005, {0.5, 1, 1}},
	};
	static struct recording data;
	read_recording(GOLDEN "noise/interpreter.txt", percent, &data);
	hold_against("interpreter", &data, limits, sizeof limits / sizeof limits[0]);
}

static void method__matmul_noise__honest_and_able(void **state)
{
	(void)state;
	static const double percent[PLANTED] = {0.93, 1.92, 4.78};
	static const struct limits limits[] = {
		{16, 0.031, 0.055, 0.94, 0.06, 0.004, {0, 0.03, 0.18}},
		{64, 0.013, 0.021, 0.94, 0.06, 0.005, {0.04, 0.20, 0.69}},
		{256, 0.0042, 0.0080, 0.93, 0.07, 0.005, {0.20, 0.68, 1}},
		{1024, 0.0020, 0.0040, 0.94, 0.06, 0.005, {1, 1, 1}},
	};
	static struct recording data;
	read_recording(GOLDEN "noise/matmul.txt", percent, &data);
	hold_against("matmul", &data, limits, sizeof limits / sizeof limits[0]);
}

/*
 * The fewest layouts with the fewest rounds each, where a few bursts weigh most: over both recordings 2,048 pairs of
 * identical cells. The promise is 5 % a family, that is 0.5 % a pair; 0.05 to 0.13 % were measured (stats/paired.h).
 */
static void method__eight_layouts_of_two_rounds__alarms_within_the_promise(void **state)
{
	(void)state;
	static const double percent[PLANTED] = {0.88, 1.81, 4.69};
	static struct recording data;
	double alarms = 0, covered = 0;
	for (size_t i = 0; i < 2; i++) {
		const char *name = i == 0 ? "interpreter" : "matmul";
		read_recording(
			i == 0 ? GOLDEN "noise/interpreter.txt" : GOLDEN "noise/matmul.txt", percent, &data);
		struct figures f = measure(&data, 2 * FEWEST, FEWEST);
		show(name, 2 * FEWEST, FEWEST, &f);
		assert_int_equal(f.pairs, 1024);
		assert_int_equal(f.wrong_way, 0);
		alarms += f.adjusted / 2;
		covered += f.covered / 2;
	}
	assert_true(alarms <= 0.002);
	assert_true(covered >= 0.94 && covered <= 0.98);
}

#define PROBES 3980

/*
 * Marks look at the probe before a sample, never at its value; if they are of any use, what they mark is slower all
 * the same. Numpy says of this recording: 1.4 % marked, their median 4.9 % above that of the others.
 */
static void marked__recorded_probes__few_and_slower(void **state)
{
	(void)state;
	static double time[PROBES], chain[PROBES], wide[PROBES], marked[PROBES], others[PROBES];
	FILE *file = fopen(GOLDEN "noise/probes.txt", "r");
	double limit = 0;
	size_t n = 0, m = 0;
	assert_non_null(file);
	for (size_t i = 0; i < PROBES; i++)
		assert_int_equal(fscanf(file, "%lf %lf %lf", &time[i], &chain[i], &wide[i]), 3);
	fclose(file);
	assert_true(stats_marked_threshold(wide, 64, &limit));
	for (size_t i = 0; i < PROBES; i++)
		if (wide[i] > limit)
			marked[m++] = time[i];
		else
			others[n++] = time[i];
	assert_in_range(m, PROBES / 100, PROBES / 50);
	assert_true(near_relative(stats_median(marked, m) / stats_median(others, n), 1.049, 0.005));
}

/* The recorded bursts themselves: the summary of a real cell says what a reader must know. */
static void describe__recorded_cell__says_it_is_noisy(void **state)
{
	(void)state;
	static struct recording data;
	static const double percent[PLANTED] = {0};
	double x[1024];
	struct stats_summary s;
	read_recording(GOLDEN "noise/matmul.txt", percent, &data);
	for (size_t r = 0; r < 1024; r++)
		x[r] = data.time[r][0];
	assert_int_equal(stats_describe(x, 1024, &s), STATS_OK);
	assert_int_equal(s.noise, STATS_VERY_NOISY);
	assert_true(s.has_lag1 && s.autocorrelated && s.has_interval);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(method__interpreter_noise__honest_and_able),
		cmocka_unit_test(method__matmul_noise__honest_and_able),
		cmocka_unit_test(method__eight_layouts_of_two_rounds__alarms_within_the_promise),
		cmocka_unit_test(marked__recorded_probes__few_and_slower),
		cmocka_unit_test(describe__recorded_cell__says_it_is_noisy),
	};
	return cmocka_run_group_tests_name("stats_noise", tests, NULL, NULL);
}
