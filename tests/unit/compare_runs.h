/*
 * compare_runs.h - sides of runs with known medians for the tests that compare records. Each run is a fixture of its
 * own with the cells sort/gcc/O2/1 and sort/gcc/O3/1, every sample of a cell equal.
 */
#ifndef TESTS_UNIT_COMPARE_RUNS_H
#define TESTS_UNIT_COMPARE_RUNS_H

#include "compare/between.h"
#include "compare_fixture.h"

#define CR_MOST 24

struct runs {
	struct arena arena;
	struct fixture f[CR_MOST];
	struct between_run v[CR_MOST];
	size_t n;
	struct between_side sides[8];
	size_t side_count;
	struct between between;
};

static inline struct record *cr_run(struct runs *runs, double value)
{
	struct fixture *f = &runs->f[runs->n];
	struct record *r;

	cf_begin(f);
	r = f->record;
	facts_set(&r->host, "host.arch", "x86_64", "uname");
	facts_set(&r->host, "kernel.release", "6.1", "uname");
	facts_set(&r->host, "libc.version", "2.36", "confstr");
	snprintf(r->id, sizeof(r->id), "%064zx", runs->n + 1);
	cf_build(f, "sort", "gcc", "O2", true);
	cf_build(f, "sort", "gcc", "O3", false);
	r->workloads[0].content_hash = "cafe";
	for (uint32_t b = 0; b < 2; b++) {
		r->builds[b].code_hash = b == 0 ? "code-O2" : "code-O3";
		r->builds[b].layout_count = 16;
		for (uint32_t round = 0; round < 16; round++)
			cf_sample(f, b, round, round, value * (b + 1));
	}
	r->toolchain_count = 1;
	r->toolchains[0].facts.arena = &f->arena;
	words_add(&r->toolchains[0].slots, &f->arena, "gcc");
	facts_set(&r->toolchains[0].facts, "toolchain.version", "12.2.0", "gcc");
	facts_set(&r->toolchains[0].facts, "toolchain.linker.version", "GNU ld 2.40", "ld");
	return r;
}

/* Adds a side of n runs; its records are runs->f[...] in order. */
static inline void cr_side(struct runs *runs, const char *name, const double *values, size_t n)
{
	struct between_side *side = &runs->sides[runs->side_count++];

	*side = (struct between_side){name, runs->v + runs->n, n};
	for (size_t i = 0; i < n; i++) {
		cr_run(runs, values[i]);
		runs->v[runs->n] = (struct between_run){runs->f[runs->n].record, &runs->f[runs->n].result};
		runs->n++;
	}
}

/* Summaries anew, then the comparison. */
static inline int cr_compare(struct runs *runs, struct between_options options, struct error *e)
{
	for (size_t i = 0; i < runs->n; i++)
		effect_of_record(runs->f[i].record, NULL, &runs->arena, &runs->f[i].result);
	return between_compare(runs->sides, runs->side_count, &options, &runs->arena, &runs->between, e);
}

static inline void cr_end(struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		cf_end(&runs->f[i]);
	arena_release(&runs->arena);
}

#endif
