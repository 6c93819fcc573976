#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "session/estimate.h"
#include "session/run.h"

/* What a run took, kept for the plans of later ones. */

/* Sum of what the compilers took for the builds that were made now, each once. */
static double made_work_ns(struct run *run)
{
	const struct record *record = run->record;
	double sum = 0, ns;

	run->times.builds_made = 0;
	for (size_t i = 0; i < record->build_count; i++) {
		const char *wall = facts_value(&record->builds[i].facts, ESTIMATE_BUILD_KEY);
		bool shared = false;

		for (size_t k = 0; k < i && !shared; k++)
			shared = text_same(record->builds[k].content_hash, record->builds[i].content_hash);
		if (shared || record->builds[i].content_hash == NULL || run->session->builds[i].cached ||
			wall == NULL || !num_parse_double(wall, &ns))
			continue;
		sum += ns;
		run->times.builds_made++;
	}
	return sum;
}

static void set_ns(struct run *run, const char *key, double ns)
{
	facts_setf(&run->record->harness, key, "CLOCK_MONOTONIC_RAW", "%.0f", ns);
}

static void set_count(struct run *run, const char *key, size_t count)
{
	facts_setf(&run->record->harness, key, "flagstone", "%zu", count);
}

/* A sample with its warm-up of a tenth. */
static double sample_ns(const struct sample *row)
{
	return row->copy == 0 && row->elapsed_ns > 0 ? 1.1 * (double)row->elapsed_ns : 0;
}

/* Index of each build's workload. */
static uint32_t *workloads_of(const struct record *record)
{
	uint32_t *of = mem_alloc_array(record->build_count, sizeof(*of));

	for (size_t i = 0; i < record->build_count; i++)
		while (!text_same(record->builds[i].workload, record->workloads[of[i]].name))
			of[i]++;
	return of;
}

/* What a block takes beside its samples, for one sample of each workload: process, canaries, what stands between. */
static double *overheads(const struct run *run, const uint32_t *of)
{
	const struct record *record = run->record;
	double *samples = mem_alloc_array(record->workload_count, sizeof(*samples));
	double *rows = mem_alloc_array(record->workload_count, sizeof(*rows));

	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];

		samples[of[row->build]] += sample_ns(row);
		rows[of[row->build]] += row->copy == 0;
	}
	for (uint32_t w = 0; w < record->workload_count; w++)
		samples[w] = rows[w] > 0 ? fmax(0, run->pace[w].work_ns - samples[w]) / rows[w] : 0;
	mem_free(rows);
	return samples;
}

/* What one round of each cell took, all attempts together. */
static void describe_rounds(struct run *run)
{
	const struct record *record = run->record;
	uint32_t *of = workloads_of(record), *rounds = mem_alloc_array(record->build_count, sizeof(*rounds));
	double *sums = mem_alloc_array(record->build_count, sizeof(*sums)), *overhead = overheads(run, of);

	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];

		if (row->arm != 0 || row->copy != 0)
			continue;
		sums[row->build] += sample_ns(row) + overhead[of[row->build]];
		rounds[row->build] += row->repeat_of == SAMPLE_NONE;
	}
	for (size_t i = 0; i < record->build_count; i++)
		if (rounds[i] > 0)
			facts_setf(&run->record->builds[i].facts, ESTIMATE_ROUND_KEY, "CLOCK_MONOTONIC_RAW",
				"%.0f", sums[i] / rounds[i]);
	mem_free(sums);
	mem_free(rounds);
	mem_free(overhead);
	mem_free(of);
}

void run_describe_times(struct run *run)
{
	const struct run_times *times = &run->times;

	set_ns(run, ESTIMATE_WORK_KEY, made_work_ns(run));
	set_ns(run, ESTIMATE_BUILDS_KEY, (double)times->build_ns);
	set_count(run, "harness.time.builds_made", times->builds_made);
	set_ns(run, ESTIMATE_LINK_KEY, (double)times->link_ns);
	set_count(run, ESTIMATE_LINKS_KEY, times->links_made);
	set_count(run, ESTIMATE_JOBS_KEY, session_jobs(run->session));
	set_ns(run, ESTIMATE_CHECK_KEY, (double)times->check_ns);
	set_count(run, ESTIMATE_CHECKS_KEY, times->checks);
	set_ns(run, "harness.time.settle_ns", (double)times->settle_ns);
	set_ns(run, "harness.time.calibrate_ns", (double)times->calibrate_ns);
	set_ns(run, ESTIMATE_ONCE_KEY, (double)times->once_ns);
	set_count(run, ESTIMATE_ONCES_KEY, times->once);
	set_ns(run, "harness.time.added_layouts_ns", (double)times->more_ns);
	set_ns(run, "harness.time.measure_ns", (double)(clock_ns() - run->measure_begin_ns));
	describe_rounds(run);
}
