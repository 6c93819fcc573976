/*
 * bench_rank - the Hodges-Lehmann estimate of 4,096 paired differences, exactly, against numpy, which writes all
 * 8,390,656 Walsh averages down and takes their median. Where python3 has no numpy, a plain C function that does
 * the same stands in, and that is said on standard error.
 * figures: hodges-lehmann
 *
 * Prints NAME<tab>VALUE<tab>UNIT<tab>LIMIT: how many times as fast, at least. Both must give the same number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "stats/describe.h"
#include "stats/rank.h"

enum { DIFFERENCES = 4096, REPEATS = 5, LEAST = 20 };

static const char numpy[] = "import sys, time, numpy\n"
			    "x = numpy.fromfile(sys.argv[1])\n"
			    "best = 1e9\n"
			    "for again in range(5):\n"
			    "    begin = time.perf_counter()\n"
			    "    sums = numpy.add.outer(x, x)\n"
			    "    value = numpy.median(sums[numpy.triu_indices(len(x))]) / 2\n"
			    "    best = min(best, time.perf_counter() - begin)\n"
			    "print(repr(float(best)), repr(float(value)))\n";

/* Effects of some per cent with a long tail, as a noisy machine gives them. */
static void draw(double *x)
{
	struct rng rng;

	rng_seed_text(&rng, "bench rank");
	for (size_t i = 0; i < DIFFERENCES; i++) {
		double u = rng_unit(&rng) - 0.5;

		x[i] = 0.01 + 0.02 * tan(2.8 * u);
	}
}

static double time_ours(const double *x, double *value)
{
	double best = 3600;

	for (int i = 0; i < REPEATS; i++) {
		int64_t begin = clock_ns();

		*value = stats_pseudomedian(x, DIFFERENCES);
		best = fmin(best, (double)(clock_ns() - begin) / 1e9);
	}
	return best;
}

static double time_plain(const double *x, double *value)
{
	size_t count = 0;
	int64_t begin = clock_ns();
	double *averages = mem_alloc_array((size_t)DIFFERENCES * (DIFFERENCES + 1) / 2, sizeof(*averages));

	for (size_t i = 0; i < DIFFERENCES; i++)
		for (size_t j = i; j < DIFFERENCES; j++)
			averages[count++] = 0.5 * x[i] + 0.5 * x[j];
	*value = stats_median(averages, count);
	mem_free(averages);
	return (double)(clock_ns() - begin) / 1e9;
}

/* Runs the interpreter on the differences in a file. Returns false if it has no numpy. */
static bool time_numpy(const char *python, const double *x, double *seconds, double *value)
{
	char path[] = "/tmp/bench_rank.XXXXXX", command[2048];
	int fd = mkstemp(path);
	bool done = false;
	FILE *answer;

	if (fd < 0 || write(fd, x, DIFFERENCES * sizeof(*x)) != (ssize_t)(DIFFERENCES * sizeof(*x)) ||
		close(fd) != 0)
		return false;
	snprintf(command, sizeof(command), "%s -c '%s' %s 2>/dev/null", python, numpy, path);
	answer = popen(command, "r");
	if (answer != NULL) {
		done = fscanf(answer, "%lf %lf", seconds, value) == 2;
		done = pclose(answer) == 0 && done;
	}
	unlink(path);
	return done;
}

int main(void)
{
	static double x[DIFFERENCES];
	double ours, theirs, value, expected, times;

	draw(x);
	ours = time_ours(x, &value);
	/* the distribution's own interpreter has its numpy where another of the same name has none */
	if (!time_numpy("python3", x, &theirs, &expected) &&
		!time_numpy("/usr/bin/python3", x, &theirs, &expected)) {
		fprintf(stderr, "bench_rank: python3 has no numpy (Debian: python3-numpy): held against "
				"plain C that sorts all "
				"averages\n");
		theirs = time_plain(x, &expected);
	}
	if (fabs(value - expected) > 1e-15) {
		fprintf(stderr, "bench_rank: %.17g is not %.17g\n", value, expected);
		return 1;
	}
	times = theirs / ours;
	printf("hodges-lehmann\t%.0f\ttimes\t%d\n", times, LEAST);
	return times >= LEAST ? 0 : 1;
}
