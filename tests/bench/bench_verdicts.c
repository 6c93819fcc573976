/*
 * bench_verdicts - all verdicts of a record in memory with 10,000 cells and 40 rounds: 250 workloads of 40 variants,
 * each against its workload's baseline, 16 layouts, one sample in twenty disturbed, and in each workload two variants of
 * the same code for the A/A check.
 * figures: verdicts verdicts-memory
 *
 * Prints NAME<tab>VALUE<tab>UNIT<tab>LIMIT: the best of three, and the peak of the whole process.
 */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/rng.h"
#include "compare/effect.h"

enum { WORKLOADS = 250, VARIANTS = 40, CELLS = WORKLOADS * VARIANTS, ROUNDS = 40, LAYOUTS = 16, REPEATS = 3 };

static const double limit_s = 2, limit_mb = 500;

static void add_builds(struct record *record)
{
	struct arena *arena = record->arena;

	record->workloads = arena_array(arena, WORKLOADS, sizeof(*record->workloads));
	record->builds = arena_array(arena, CELLS, sizeof(*record->builds));
	record->plan.comparisons = arena_array(arena, CELLS, sizeof(*record->plan.comparisons));
	for (uint32_t i = 0; i < CELLS; i++) {
		struct record_build *b = &record->builds[record->build_count++];
		uint32_t workload = i / VARIANTS, variant = i % VARIANTS;

		*b = (struct record_build){.workload = arena_printf(arena, "workload%u", workload),
			.slot = "gcc",
			.variant = arena_printf(arena, "v%u", variant),
			.copies = 1,
			.args = "",
			.status = CELL_MEASURED,
			.baseline = variant == 0,
			.facts.arena = arena};
		b->cell = arena_printf(arena, "%s/gcc/%s/1", b->workload, b->variant);
		/* the last two have the same code */
		b->code_hash = arena_printf(arena, "%08u-%02u", workload, variant < 39 ? variant : 38);
		b->content_hash = arena_printf(arena, "%08u", i);
		if (variant == 0)
			record->workloads[record->workload_count++] = (struct record_workload){
				.name = b->workload, .unit = "lps", .facts.arena = arena};
		else
			record->plan.comparisons[record->plan.comparison_count++] =
				(struct record_comparison){.a = i - variant, .b = i};
	}
}

/* Effects of up to 8 %, placement and noise of 1 %. */
static void add_samples(struct record *record)
{
	struct rng rng;

	rng_seed_text(&rng, "bench verdicts");
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < CELLS; i++) {
			struct sample row;
			double noise = rng_unit(&rng) + rng_unit(&rng) + rng_unit(&rng) - 1.5;
			double luck = sin((double)(i * LAYOUTS + round % LAYOUTS));

			sample_init(&row);
			row.build = i;
			row.round = round;
			row.block = round * WORKLOADS + i / VARIANTS;
			row.layout = round % LAYOUTS;
			row.value = 1e7 * exp(0.002 * (i % VARIANTS) + 0.02 * noise + 0.01 * luck);
			row.user_ns = row.elapsed_ns = 5000000;
			row.system_ns = 10000;
			row.marks = rng_below(&rng, 20) == 0 ? MARK_SHARED : 0;
			samples_add(&record->samples, &row);
		}
}

static struct record *make_record(struct arena *arena)
{
	struct record *record = record_new(arena);
	struct record_plan *plan = &record->plan;

	add_builds(record);
	add_samples(record);
	plan->matrix_name = "bench";
	plan->seed = "0123456789abcdef0123456789abcdef";
	plan->settings = (struct measure_settings){.layouts_min = LAYOUTS,
		.rounds_min = 16,
		.rounds_max = 64,
		.precision = 0.01,
		.matters = 0.005};
	plan->looks[0] = 16;
	plan->looks[1] = 64;
	plan->look_count = 2;
	plan->last_look = ROUNDS;
	record->complete = true;
	/* a third was closed at the first look, as in a real run */
	for (size_t i = 0; i < plan->comparison_count; i += 3)
		plan->comparisons[i].closed_at = 16;
	return record;
}

static double judge(const struct record *record, size_t *answered)
{
	struct arena arena = {0};
	struct result result;
	int64_t begin = clock_ns(), end;

	effect_of_record(record, NULL, &arena, &result);
	end = clock_ns();
	for (size_t i = 0; i < result.comparison_count; i++)
		*answered +=
			result.comparisons[i].has_effect || result.comparisons[i].answer == ANSWER_SAME_CODE;
	arena_release(&arena);
	return (double)(end - begin) / 1e9;
}

int main(void)
{
	struct arena arena = {0};
	struct record *record = make_record(&arena);
	struct rusage usage = {0};
	double best = 3600, peak;

	for (int i = 0; i < REPEATS; i++) {
		size_t answered = 0;
		double seconds = judge(record, &answered);

		if (answered != record->plan.comparison_count) {
			fprintf(stderr, "bench_verdicts: %zu of %zu comparisons have an effect\n", answered,
				record->plan.comparison_count);
			return 1;
		}
		best = seconds < best ? seconds : best;
	}
	getrusage(RUSAGE_SELF, &usage);
	peak = (double)usage.ru_maxrss / 1024;
	printf("verdicts\t%.3f\ts\t%g\n", best, limit_s);
	printf("verdicts-memory\t%.0f\tMB\t%g\n", peak, limit_mb);
	record_release(record);
	arena_release(&arena);
	return best < limit_s && peak < limit_mb ? 0 : 1;
}
