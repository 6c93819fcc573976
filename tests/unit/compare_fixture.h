/*
 * compare_fixture.h - records built by hand for the tests of compare and report: cells, planned comparisons, and
 * samples whose truth is known.
 */
#ifndef TESTS_UNIT_COMPARE_FIXTURE_H
#define TESTS_UNIT_COMPARE_FIXTURE_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "compare/effect.h"
#include "record/record.h"

#define CF_MOST 256 /* cells, comparisons */

struct fixture {
	struct arena arena;
	struct record *record;
	struct result result;
};

static inline void cf_begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	struct record *r = f->record = record_new(&f->arena);
	r->builds = arena_array(&f->arena, CF_MOST, sizeof(*r->builds));
	r->workloads = arena_array(&f->arena, CF_MOST, sizeof(*r->workloads));
	r->toolchains = arena_array(&f->arena, CF_MOST, sizeof(*r->toolchains));
	r->plan.comparisons = arena_array(&f->arena, CF_MOST, sizeof(*r->plan.comparisons));
	r->plan.matrix_name = "quick";
	r->plan.seed = "0123456789abcdef0123456789abcdef";
	r->plan.settings = (struct measure_settings){.layouts_min = 16,
		.layouts_max = 64,
		.rounds_min = 16,
		.rounds_max = 64,
		.precision = 0.01,
		.matters = 0.005,
		.budget_ns = 60000000000};
	r->plan.looks[0] = 16;
	r->plan.look_count = 1;
	r->complete = true;
	r->started = "2026-03-01T12:34:56Z";
	r->host_name = "x86_64-6-85-0123456789ab";
}

static inline void cf_end(struct fixture *f)
{
	record_release(f->record);
	arena_release(&f->arena);
}

static inline void cf_workload(struct fixture *f, const char *name, const char *unit, bool lower_is_better)
{
	struct record *r = f->record;

	if (record_workload(r, name) == NULL)
		r->workloads[r->workload_count++] = (struct record_workload){.name = name,
			.unit = unit,
			.lower_is_better = lower_is_better,
			.facts.arena = &f->arena};
}

static inline uint32_t cf_build(
	struct fixture *f, const char *workload, const char *slot, const char *variant, bool baseline)
{
	struct record *r = f->record;
	uint32_t index = (uint32_t)r->build_count++;

	cf_workload(f, workload, "lps", false);
	r->builds[index] = (struct record_build){.workload = workload,
		.slot = slot,
		.variant = variant,
		.copies = 1,
		.args = "",
		.status = CELL_MEASURED,
		.baseline = baseline,
		.facts.arena = &f->arena};
	r->builds[index].cell = arena_printf(&f->arena, "%s/%s/%s/1", workload, slot, variant);
	r->builds[index].code_hash = arena_printf(&f->arena, "code-%u", index);
	r->builds[index].content_hash = arena_printf(&f->arena, "content-%u", index);
	return index;
}

static inline void cf_compare(struct fixture *f, uint32_t a, uint32_t b)
{
	struct record_plan *plan = &f->record->plan;

	plan->comparisons[plan->comparison_count++] = (struct record_comparison){.a = a, .b = b};
}

static inline size_t cf_sample(
	struct fixture *f, uint32_t build, uint32_t round, uint32_t layout, double value)
{
	struct sample row;

	sample_init(&row);
	row.build = build;
	row.round = round;
	row.layout = layout;
	row.value = value;
	return samples_add(&f->record->samples, &row);
}

/* +1 and -1 in turns: 16 layouts m + d * sign have the mean m and the standard error d / sqrt(15). */
static inline double cf_sign(uint32_t layout)
{
	return layout % 2 == 0 ? 1 : -1;
}

/* `rounds` rounds over 16 layouts: the baseline always gives 100, b gives exp(m + d * sign) times as much. */
static inline void cf_pair(struct fixture *f, uint32_t a, uint32_t b, uint32_t rounds, double m, double d)
{
	for (uint32_t r = 0; r < rounds; r++) {
		if (a != b)
			cf_sample(f, a, r, r % 16, 100);
		cf_sample(f, b, r, r % 16, 100 * exp(m + d * cf_sign(r % 16)));
	}
}

static inline struct comparison *cf_answer(struct fixture *f)
{
	effect_of_record(f->record, NULL, &f->arena, &f->result);
	return f->result.comparisons;
}

#endif
