/*
 * NIST's Statistical Reference Datasets, univariate and analysis of variance, to 11 digits. A decimal such as 10000000.2
 * is no double; what is lost by rounding it caps the digits that any program can give (see test_stats_describe.c). So the
 * data are read here as whole numbers of their last decimal, which doubles hold exactly, and the results are scaled
 * back: what is judged is our arithmetic alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/describe.h"
#include "stats/paired.h"
#include "test_stats_data.h"

#define MOST	  2048
#define DIGITS_11 1e-11

struct certified {
	double scale; /* the data are whole numbers of 1/scale */
	double y[MOST];
	size_t n;
	double mean, sd, lag1;	       /* univariate */
	double between, within, resid; /* mean squares, residual standard deviation */
	struct stats_observation obs[MOST];
};

static double after_colon(const char *line)
{
	return strtod(strrchr(line, ':') + 1, NULL);
}

/* The last of the numbers in a line, or the one before. */
static double from_end(const char *line, size_t back)
{
	char copy[256];
	double last[2] = {0, 0};
	snprintf(copy, sizeof copy, "%s", line);
	for (char *save = NULL, *word = strtok_r(copy, " \n\r", &save); word != NULL;
		word = strtok_r(NULL, " \n\r", &save)) {
		last[1] = last[0];
		last[0] = strtod(word, NULL);
	}
	return last[back];
}

static void read_certified(const char *line, struct certified *out)
{
	if (strncmp(line, "Sample Mean", 11) == 0)
		out->mean = after_colon(line);
	else if (strncmp(line, "Sample Standard", 15) == 0)
		out->sd = after_colon(line);
	else if (strncmp(line, "Sample Autocorr", 15) == 0)
		out->lag1 = after_colon(line);
	else if (strncmp(line, "Between", 7) == 0)
		out->between = from_end(line, 1);
	else if (strncmp(line, "Within", 6) == 0)
		out->within = from_end(line, 0);
	else if (strstr(line, "Standard Deviation  ") != NULL)
		out->resid = from_end(line, 0);
}

/* A line of data: one number, or one of each treatment. The line that numbers the treatments has no decimals. */
static void read_data(const char *line, bool table, struct certified *out)
{
	const char *at = line;
	char *end;
	if (table && strchr(line, '.') == NULL)
		return;
	for (uint32_t treatment = 0; out->n < MOST; treatment++, at = end) {
		double value = strtod(at, &end);
		if (end == at)
			return;
		out->y[out->n] = round(value * out->scale);
		out->obs[out->n] =
			(struct stats_observation){treatment, (uint32_t)out->n, out->y[out->n], false};
		out->n++;
	}
}

static void read_nist(const char *name, double scale, bool table, struct certified *out)
{
	char path[128], line[256];
	bool data = false;
	snprintf(path, sizeof path, GOLDEN "nist/%s.dat", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	memset(out, 0, sizeof *out);
	out->scale = scale;
	while (fgets(line, sizeof line, file) != NULL) {
		if (data)
			read_data(line, table, out);
		else
			read_certified(line, out);
		data = data || strncmp(line, "Data: Y", 7) == 0 || strcmp(line, "Data:\n") == 0 ||
		       strcmp(line, "Data:\r\n") == 0;
	}
	fclose(file);
}

static void univariate__nist__eleven_digits(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t n;
		double scale;
	} sets[] = {
		{"NumAcc1", 3, 1},
		{"NumAcc2", 1001, 10},
		{"NumAcc3", 1001, 10},
		{"NumAcc4", 1001, 10},
		{"Lew", 200, 1},
		{"Lottery", 218, 1},
		{"Mavro", 50, 1e5},
		{"Michelso", 100, 1e4},
	};
	static struct certified set;
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		double lag1 = 0;
		read_nist(sets[i].name, sets[i].scale, false, &set);
		assert_int_equal(set.n, sets[i].n);
		assert_true(near_relative(stats_mean(set.y, set.n) / set.scale, set.mean, DIGITS_11));
		assert_true(near_relative(stats_sd(set.y, set.n) / set.scale, set.sd, DIGITS_11));
		assert_true(stats_lag1(set.y, set.n, &lag1));
		assert_true(near_relative(lag1, set.lag1, DIGITS_11));
	}
}

static void analysis_of_variance__nist__eleven_digits(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t n, treatments;
		double scale;
	} sets[] = {
		{"SiRstvt", 25, 5, 1e4},
		{"AtmWtAgt", 48, 2, 1e7},
		{"SmLs01t", 189, 9, 10},
		{"SmLs04t", 189, 9, 10},
	};
	static struct certified set;
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		struct stats_split split;
		double square = sets[i].scale * sets[i].scale;
		double each = (double)(sets[i].n / sets[i].treatments);
		read_nist(sets[i].name, sets[i].scale, true, &set);
		assert_int_equal(set.n, sets[i].n);
		stats_split_variance(set.obs, set.n, &split);
		assert_true(split.known);
		assert_true(near_relative(split.mean_between / square, set.between, DIGITS_11));
		assert_true(near_relative(split.mean_within / square, set.within, DIGITS_11));
		assert_true(near_relative(sqrt(split.var_round) / set.scale, set.resid, DIGITS_11));
		/* from the certified mean squares, for groups of equal size */
		assert_true(
			near_relative(split.var_layout / square, (set.between - set.within) / each, 1e-10));
	}
}

static void split_variance__one_group_or_nothing__not_known(void **state)
{
	(void)state;
	static const struct stats_observation obs[] = {{4, 0, 1, false}, {4, 1, 2, false}, {7, 2, 5, false}};
	struct stats_split split;
	stats_split_variance(NULL, 0, &split);
	assert_false(split.known);
	stats_split_variance(obs, 2, &split);
	assert_true(!split.known && split.var_round == 0 && split.placement_share == 0);
	stats_split_variance(obs + 1, 2, &split);
	assert_false(split.known); /* one observation a layout: rounds and placement are one */
	stats_split_variance(obs, 3, &split);
	assert_true(split.known && near_relative(split.mean_within, 0.5, 1e-15));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(univariate__nist__eleven_digits),
		cmocka_unit_test(analysis_of_variance__nist__eleven_digits),
		cmocka_unit_test(split_variance__one_group_or_nothing__not_known),
	};
	return cmocka_run_group_tests_name("stats_nist", tests, NULL, NULL);
}
