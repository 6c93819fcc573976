/*
 * bench_plan - how long it takes to expand a matrix of 100,000 cells: 50 workloads, 10 slots, 100 variants (axes of
 * 10 x 10) and 2 numbers of copies, with exclude and include. Compilers are not asked for real: what is measured
 * is the plan's own work. Prints NAME<tab>SECONDS<tab>s<tab>LIMIT, the best of five.
 */
#include <stdio.h>

#include "base/clock.h"
#include "plan/plan.h"

enum { WORKLOADS = 50, SLOTS = 10, AXIS = 10, VARIANTS = AXIS * AXIS, REPEATS = 5 };

static struct flag_probe takes_all(const struct toolchain *toolchain, const struct words *cflags,
	const struct words *ldflags, struct arena *arena)
{
	(void)toolchain, (void)cflags, (void)ldflags, (void)arena;
	return (struct flag_probe){FLAG_TAKEN, ""};
}

static struct spec_words one_word(struct spec_word *word, const char *text)
{
	*word = (struct spec_word){.text = text};
	return (struct spec_words){word, 1};
}

static double expand_once(const struct spec_project *project, const struct spec_matrix *matrix,
	const struct toolchains *toolchains, const struct plan_options *options)
{
	struct arena arena = {0};
	struct spec_errors errors = {.arena = &arena};
	struct plan plan;
	int64_t begin = clock_ns(), end;
	int status = plan_make(project, matrix, toolchains, options, &arena, &plan, &errors);

	end = clock_ns();
	if (status != 0 || plan.cell_count != 100000 - WORKLOADS * SLOTS * 2 + WORKLOADS) {
		fprintf(stderr, "bench_plan: not the cells expected\n%s", spec_errors_text(&errors));
		end = begin + 3600000000000;
	}
	arena_release(&arena);
	return (double)(end - begin) / 1e9;
}

int main(void)
{
	struct arena arena = {0};
	static struct spec_workload workloads[WORKLOADS];
	static struct spec_variant variants[VARIANTS];
	static struct toolchain compilers[SLOTS];
	struct toolchain *found[SLOTS];
	struct spec_word slots[SLOTS], every;
	struct spec_family family = {.name = "gcc"};
	struct spec_copies copies[] = {{.kind = COPIES_NUMBER, .number = 1}, {.kind = COPIES_CPUS}};
	struct spec_filter exclude = {.variant = "o9+m9"};
	struct spec_filter include[] = {
		{.variant = "o1+*"}, {.variant = "extra", .toolchain = "gcc-3", .copies = "1"}};
	double best = 3600;

	for (int i = 0; i < WORKLOADS; i++)
		workloads[i].name = arena_printf(&arena, "workload%02d", i);
	for (int i = 0; i < VARIANTS; i++) {
		variants[i].name = arena_printf(&arena, "o%d+m%d", i / AXIS, i % AXIS);
		words_addf(&variants[i].cflags, &arena, "-DO=%d", i / AXIS);
		words_addf(&variants[i].cflags, &arena, "-DM=%d", i % AXIS);
	}
	for (int i = 0; i < SLOTS; i++) {
		compilers[i] = (struct toolchain){.family = "gcc",
			.version = "1",
			.target = "x86_64-linux-gnu",
			.arch = "x86_64",
			.native = true,
			.major = i,
			.spec = &family};
		words_addf(&compilers[i].slots, &arena, "gcc-%d", i);
		compilers[i].own_slot = compilers[i].slots.v[0];
		found[i] = &compilers[i];
		slots[i] = (struct spec_word){.text = compilers[i].slots.v[0]};
	}
	words_add(&include[0].cflags, &arena, "-DMORE");
	for (int i = 0; i < REPEATS; i++) {
		double seconds = expand_once(&(struct spec_project){.workloads = workloads,
						     .workload_count = WORKLOADS,
						     .families = &family,
						     .family_count = 1},
			&(struct spec_matrix){.workloads = one_word(&every, "*"),
				.slots = {slots, SLOTS},
				.baseline = {.text = "o0+m0"},
				.variants = variants,
				.variant_count = VARIANTS,
				.exclude = &exclude,
				.exclude_count = 1,
				.include = include,
				.include_count = 2,
				.copies = copies,
				.copies_count = 2},
			&(struct toolchains){.v = found, .n = SLOTS, .path = ""},
			&(struct plan_options){
				.cpus = 2, .cores = 2, .arch = "x86_64", .ask = {.probe = takes_all}});

		best = seconds < best ? seconds : best;
	}
	printf("plan\t%.3f\ts\t1\n", best);
	arena_release(&arena);
	return best < 3600 ? 0 : 1;
}
