#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "session/fitness.h"
#include "stats/describe.h"
#include "stats/marked.h"
#include "sys/canary.h"
#include "sys/process.h"

/*
 * The measured part of `doctor`. All CPUs take turns in slices, so that each is seen over the whole time; a time is
 * divided by the median of its CPU, since CPUs of different kinds, or with different limits, are no noise. Between
 * readings nothing sleeps: a governor's ramp and deep sleep belong to what a sample meets, but a sample, too, is begun
 * by a program that was just busy.
 */

enum { SLICE_NS = 20 * 1000 * 1000, CLOCK_READINGS = 2000, PAIR_NS = 40000 };

struct reading {
	uint32_t cpu; /* index in the list */
	uint32_t dep_ns, wide_ns;
};
struct readings {
	struct reading *v;
	size_t n, cap;
};

static void measure_slice(const struct canary *canary, uint32_t cpu, struct readings *readings)
{
	int64_t end = clock_ns() + SLICE_NS;

	/* the first pair after a move meets cold caches */
	canary_dep_ns(canary);
	canary_wide_ns(canary);
	while (clock_ns() < end)
		vec_push(readings, (struct reading){.cpu = cpu,
					   .dep_ns = canary_dep_ns(canary),
					   .wide_ns = canary_wide_ns(canary)});
}

static double clock_cost(void)
{
	int64_t best = INT64_MAX;

	/* the fastest of some stretches, as what comes between only adds */
	for (int i = 0; i < 5; i++) {
		int64_t begin = clock_ns(), took;

		for (int k = 0; k < CLOCK_READINGS; k++)
			clock_ns();
		took = clock_ns() - begin;
		best = took < best ? took : best;
	}
	return (double)best / CLOCK_READINGS;
}

static double quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static double time_of(const struct reading *reading, bool wide)
{
	return wide ? reading->wide_ns : reading->dep_ns;
}

/* Divides the times of each CPU by their median; `out` has room for all. */
static void relate(const struct readings *readings, size_t cpus, bool wide, double *out, double *first_median)
{
	double *own = mem_alloc_array(readings->n, sizeof(*own));

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		size_t n = 0;
		double median;

		for (size_t i = 0; i < readings->n; i++)
			if (readings->v[i].cpu == cpu)
				own[n++] = time_of(&readings->v[i], wide);
		if (n == 0)
			continue;
		stats_sort(own, n);
		median = quantile(own, n, 0.5);
		if (cpu == 0)
			*first_median = median;
		for (size_t i = 0; i < readings->n; i++)
			if (readings->v[i].cpu == cpu)
				out[i] = time_of(&readings->v[i], wide) / (median > 0 ? median : 1);
	}
	mem_free(own);
}

static void describe(const struct readings *readings, size_t cpus, bool wide, struct host_noise *noise)
{
	double *x = mem_alloc_array(readings->n, sizeof(*x));
	double threshold = 0;
	size_t n = readings->n, marked = 0;

	relate(readings, cpus, wide, x, &noise->median_ns);
	stats_sort(x, n);
	noise->q25 = quantile(x, n, 0.25);
	noise->q75 = quantile(x, n, 0.75);
	noise->p01 = quantile(x, n, 0.01);
	noise->p99 = quantile(x, n, 0.99);
	if (stats_marked_threshold(x, n, &threshold))
		for (size_t i = 0; i < n; i++)
			marked += x[i] > threshold;
	noise->marked = (double)marked / (double)n;
	mem_free(x);
}

int fitness_canaries(
	const struct cpu_list *cpus, double seconds, struct host_measured *measured, struct error *e)
{
	struct readings readings = {0};
	struct canary canary;
	int64_t begin, end;
	int result = -1;

	if (cpus->n == 0)
		return error_set(e, EXIT_CANNOT, "measuring the noise of this machine: no CPU may be used");
	if (cpu_pin_self(cpus->v[0], e) != 0)
		return -1;
	canary_calibrate(&canary);
	measured->clock_ns = clock_cost();
	vec_reserve(&readings, (size_t)(seconds * 1e9 / PAIR_NS) + cpus->n + 1);
	begin = clock_ns();
	end = begin + (int64_t)(seconds * 1e9);
	/* each CPU at least once, even where there are more of them than slices */
	for (uint32_t turn = 0; turn < cpus->n || clock_ns() < end; turn++) {
		uint32_t cpu = turn % (uint32_t)cpus->n;

		if (process_interrupted() != 0) {
			error_set(e, (enum exit_code)(128 + process_interrupted()),
				"interrupted while measuring the noise of this machine");
			goto out;
		}
		if (cpu_pin_self(cpus->v[cpu], e) != 0)
			goto out;
		measure_slice(&canary, cpu, &readings);
	}
	measured->seconds = (double)(clock_ns() - begin) / 1e9;
	measured->readings = readings.n;
	measured->cpus = cpus->n;
	describe(&readings, cpus->n, false, &measured->dep);
	describe(&readings, cpus->n, true, &measured->wide);
	result = 0;
out:
	vec_release(&readings);
	return result;
}
