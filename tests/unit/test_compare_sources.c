/* What differs between two cells: functions, settings, sizes, measures; what is not known is said. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare/sources_cells.h"
#include "compare_runs.h"

static void has_line(const struct words *lines, const char *part)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strstr(lines->v[i], part) != NULL)
			return;
	for (size_t i = 0; i < lines->n; i++)
		fprintf(stderr, "%s\n", lines->v[i]);
	fail_msg("no line with \"%s\"", part);
}

static void has_no_line(const struct words *lines, const char *part)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strstr(lines->v[i], part) != NULL)
			fail_msg("there is \"%s\"", lines->v[i]);
}

static size_t line_of(const struct words *lines, const char *part)
{
	size_t i = 0;

	while (i < lines->n && strstr(lines->v[i], part) == NULL)
		i++;
	assert_true(i < lines->n);
	return i;
}

static void set_functions(
	struct record_build *build, const struct record_function *v, size_t n, const char *count)
{
	build->functions = arena_array(build->facts.arena, n, sizeof(*v));
	memcpy(build->functions, v, n * sizeof(*v));
	build->function_count = n;
	facts_set(&build->facts, "build.functions", count, "symbols");
	facts_set(&build->facts, "build.function_hash", "1", "flagstone");
}

static const struct record_function left[] = {{"multiply", 212, "aa00"}, {"local", 90, "bb01"},
	{"local", 90, "bb02"}, {"small", 40, "cc00"}, {"main", 30, "dd00"}, {"asm", 0, NULL}};
static const struct record_function right[] = {{"multiply.constprop.0", 680, "aa11"}, {"local", 95, "bb03"},
	{"local", 90, "bb01"}, {"main", 30, "dd00"}, {"main.cold", 12, "ee00"}, {"asm", 0, NULL}};

static void open_pair(struct fixture *f)
{
	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	cf_build(f, "sort", "gcc", "O3", false);
	cf_compare(f, 0, 1);
	set_functions(&f->record->builds[0], left, 6, "6");
	set_functions(&f->record->builds[1], right, 6, "6");
}

static void sources_functions__copies_namesakes_and_the_inlined__are_told_apart(void **state)
{
	struct fixture f;
	struct source_functions found;

	(void)state;
	open_pair(&f);
	sources_functions(&f.record->builds[0], &f.record->builds[1], &f.arena, &found);
	assert_null(found.reason);
	/* main, and the one `local` that has the same code; the other one differs, and is no third function */
	assert_int_equal(found.same, 2);
	assert_int_equal(found.differ_count, 2);
	assert_string_equal(found.differ[0].a, "multiply");
	assert_string_equal(found.differ[0].b, "multiply.constprop.0");
	assert_int_equal(found.differ[0].size_a, 212);
	assert_int_equal(found.differ[0].size_b, 680);
	assert_string_equal(found.differ[1].a, "local");
	assert_int_equal(found.differ[1].size_b, 95);
	assert_int_equal(found.only_a_count, 1);
	assert_string_equal(found.only_a[0].a, "small");
	assert_null(found.only_a[0].b);
	assert_int_equal(found.only_b_count, 1);
	assert_string_equal(found.only_b[0].b, "main.cold");
	assert_int_equal(found.unread, 1);
	assert_string_equal(sources_brief(&found, &f.arena),
		"2 of 7 functions differ: multiply.constprop.0, local; inlined or removed: small; new: "
		"main.cold; 1 "
		"cannot be told");
	cf_end(&f);
}

static void sources_functions__a_list_that_was_cut__claims_nothing_of_the_rest(void **state)
{
	struct fixture f;
	struct source_functions found;

	(void)state;
	open_pair(&f);
	facts_set(&f.record->builds[1].facts, "build.functions", "900", "symbols");
	sources_functions(&f.record->builds[0], &f.record->builds[1], &f.arena, &found);
	assert_int_equal(found.count_b, 900);
	assert_int_equal(found.only_a_count, 0); /* `small` may be one of the 894 */
	assert_int_equal(found.untold, 1);
	assert_int_equal(found.only_b_count, 1); /* the other list is whole */
	cf_end(&f);
}

static void sources_functions__not_known__the_reason_is_said(void **state)
{
	struct fixture f;
	struct source_functions found;
	struct record_build *a, *b;

	(void)state;
	open_pair(&f);
	a = &f.record->builds[0];
	b = &f.record->builds[1];
	facts_set(&b->facts, "build.function_hash", "2", "flagstone");
	sources_functions(a, b, &f.arena, &found);
	assert_string_equal(found.reason, "the two records hash functions in different ways (1 and 2)");
	facts_unknown(&b->facts, "build.functions", "symbols", "00-a.o has no symbol table (stripped)");
	sources_functions(a, b, &f.arena, &found);
	assert_string_equal(found.reason, "00-a.o has no symbol table (stripped)");
	assert_string_equal(sources_brief(&found, &f.arena),
		"which functions differ is unknown: 00-a.o has no symbol table (stripped)");
	a->facts.n = 0;
	sources_functions(a, b, &f.arena, &found);
	assert_string_equal(found.reason, "the record was made before functions were kept");
	a->status = CELL_BUILD_FAILED;
	a->reason = "cc1: error";
	sources_functions(a, b, &f.arena, &found);
	assert_string_equal(found.reason, "cc1: error");
	cf_end(&f);
}

/* A hostile record: as many functions of one name as fit. */
static void sources_functions__thousands_of_one_name__end_soon(void **state)
{
	enum { MANY = 300000 };
	struct fixture f;
	struct source_functions found;
	struct record_function *v = calloc(MANY, sizeof(*v));

	(void)state;
	assert_non_null(v);
	open_pair(&f);
	for (size_t i = 0; i < MANY; i++)
		v[i] = (struct record_function){"same", i + 1, i % 2 == 0 ? "aa" : "ab"};
	set_functions(&f.record->builds[0], v, MANY, "3");
	set_functions(&f.record->builds[1], v, MANY, "3");
	sources_functions(&f.record->builds[0], &f.record->builds[1], &f.arena, &found);
	assert_int_equal(found.count_a, MANY);
	assert_true(found.same > 0);
	cf_end(&f);
	free(v);
}

static void set_build_facts(
	struct record_build *build, const char *width, const char *features, const char *text)
{
	facts_set(&build->facts, "resolved.vector_width", width, "-Q");
	facts_set(&build->facts, "resolved.features", features, "-dM -E");
	facts_set(&build->facts, "size.text_bytes", text, "ELF");
	facts_set(&build->facts, "size.rodata_bytes", "500", "ELF");
	facts_set(&build->facts, "size.data_bytes", "8", "ELF");
	facts_set(&build->facts, "size.bss_bytes", "0", "ELF");
}

static void tell(struct fixture *f, struct sources *sources, struct words *lines)
{
	struct within w;
	struct error e = {0};

	assert_int_equal(within_compare(f->record, &(struct within_options){0}, &f->arena, &w, &e), 0);
	sources_within(&w, 0, &f->arena, sources);
	sources_tell(sources, &f->arena, lines);
}

static void sources_within__settings_and_sizes__those_that_differ_in_order(void **state)
{
	struct fixture f;
	struct sources sources;
	struct words lines = {0};

	(void)state;
	open_pair(&f);
	set_build_facts(&f.record->builds[0], "none", "__SSE2__ __SSE__", "1000");
	set_build_facts(&f.record->builds[1], "256", "__AVX2__ __AVX__ __SSE2__ __SSE__", "1100");
	tell(&f, &sources, &lines);
	has_line(&lines, "code of functions: 2 of 7 differ: multiply, now multiply.constprop.0 (212 to 680 "
			 "bytes), local (90 to 95 "
			 "bytes)");
	has_line(&lines,
		"small: in the baseline, not in this cell as a function of its own: inlined or removed");
	has_line(&lines, "main.cold: in this cell, not in the baseline as a function of its own: inlined "
			 "there, or a copy");
	has_line(&lines, "widest vectors allowed, in bits: 128 in the baseline, 256 in this cell");
	has_line(&lines, "preferred vector width in bits: none in the baseline, 256 in this cell");
	has_line(&lines, "CPU features allowed: only in this cell __AVX2__ __AVX__");
	has_line(&lines,
		"size of the whole program's code: 1000 bytes in the baseline, 1100 in this cell, +10.0 %");
	has_no_line(&lines, "constants");
	has_line(&lines, "not known: the vector width that each function uses");
	assert_true(line_of(&lines, "code of functions") < line_of(&lines, "widest vectors"));
	assert_true(line_of(&lines, "widest vectors") < line_of(&lines, "size of"));
	for (size_t i = 0; i < lines.n; i++)
		assert_null(strstr(lines.v[i], "because"));
	cf_end(&f);
}

static void sources_within__a_compiler_that_does_not_tell__unknown_once(void **state)
{
	struct fixture f;
	struct sources sources;
	struct words lines = {0};

	(void)state;
	open_pair(&f);
	set_build_facts(&f.record->builds[0], "none", "__SSE__", "1000");
	facts_set(&f.record->builds[0].facts, "resolved.optimizers.sha256", "0123456789abcdef", "-Q");
	facts_set(&f.record->builds[1].facts, "resolved.features", "__SSE__", "-dM -E");
	tell(&f, &sources, &lines);
	has_line(&lines,
		"not known: preferred vector width in bits: the compiler of this cell does not tell it");
	has_line(&lines, "not known: sizes of the program: the record does not have them");
	has_no_line(&lines, "list of optimizations");
	cf_end(&f);
}

/* Rows of both cells over 16 layouts: faults are 70 + layout % 3 and 43; memory is the same; CPU time overlaps. */
static void add_rows(struct fixture *f, uint32_t rounds)
{
	for (uint32_t r = 0; r < rounds; r++)
		for (uint32_t b = 0; b < 2; b++) {
			size_t at = cf_sample(f, b, r, r % 16, 100);
			struct sample *row = &f->record->samples.v[at];

			row->units = 1000;
			row->minor_faults = b == 0 ? 70 + r % 3 : 43;
			row->peak_kib = 1000;
			row->user_ns = 5000000 + (int64_t)((r * 7919 + b * 13) % 100) * 1000;
		}
}

static const struct source_measure *measure_of(const struct sources *sources, const char *column)
{
	for (size_t i = 0; i < sources->measure_count; i++)
		if (strcmp(sources->measures[i].column, column) == 0)
			return &sources->measures[i];
	return NULL;
}

static void sources_within__measures__outside_of_the_noise_only(void **state)
{
	struct fixture f;
	struct sources sources;
	struct words lines = {0};
	const struct source_measure *m;

	(void)state;
	open_pair(&f);
	add_rows(&f, 32);
	/* a disturbed first attempt that was measured again does not count */
	struct sample again = f.record->samples.v[1];
	f.record->samples.v[1].minor_faults = 100000;
	f.record->samples.v[1].marks = MARK_WAIT;
	again.repeat_of = 1;
	samples_add(&f.record->samples, &again);
	facts_unknown(&f.record->host, "counters.instructions", "perf_event_open(2)", "no PMU");
	facts_unknown(&f.record->host, "counters.cycles", "perf_event_open(2)", "no PMU");
	facts_unknown(&f.record->host, "counters.branch_misses", "perf_event_open(2)", "no PMU");
	tell(&f, &sources, &lines);
	m = measure_of(&sources, "minor_faults");
	assert_non_null(m);
	assert_true(m->a >= 70 && m->a <= 72);
	assert_true(m->b == 43);
	assert_string_equal(m->over, "layouts");
	assert_int_equal(m->n_a, 16);
	assert_true(m->outside && m->p_adjusted < 0.001);
	has_line(&lines, "minor page faults: 71 in the baseline, 43 in this cell, -39.4 %");
	assert_false(measure_of(&sources, "user_ns")->outside);
	/* 5.0 to 5.1 ms over 1000 units */
	assert_true(
		measure_of(&sources, "user_ns")->a > 5.0e-6 && measure_of(&sources, "user_ns")->a < 5.1e-6);
	assert_false(measure_of(&sources, "peak_kib")->has_p);
	assert_true(measure_of(&sources, "peak_kib")->a == 1024000);
	has_no_line(&lines, "peak memory");
	has_no_line(&lines, "user CPU time:");
	has_line(&lines, "not known: instructions, CPU cycles, branch misses");
	cf_end(&f);
}

/* Two processes that share what their copies do: counts add up, memory is the larger. */
static void sources_within__copies__are_put_together(void **state)
{
	struct fixture f;
	struct sources sources;
	struct words lines = {0};

	(void)state;
	open_pair(&f);
	f.record->builds[0].copies = f.record->builds[1].copies = 2;
	for (uint32_t r = 0; r < 8; r++)
		for (uint32_t b = 0; b < 2; b++)
			for (uint32_t copy = 0; copy < (r == 7 && b == 1 ? 1 : 2); copy++) {
				size_t at = cf_sample(&f, b, r, r, 100);
				struct sample *row = &f.record->samples.v[at];

				row->copy = copy;
				row->major_faults = 3;
				row->peak_kib = 100 + 50 * copy;
			}
	tell(&f, &sources, &lines);
	assert_true(measure_of(&sources, "major_faults")->a == 6);
	assert_true(measure_of(&sources, "peak_kib")->a == 150 * 1024);
	assert_int_equal(measure_of(&sources, "peak_kib")->n_a, 8);
	assert_int_equal(
		measure_of(&sources, "peak_kib")->n_b, 7); /* of the last round one copy is missing */
	assert_string_equal(measure_of(&sources, "peak_kib")->over, "samples");
	cf_end(&f);
}

/* A run is one value: one run a side tells nothing of the noise, five do. */
static void sources_between__runs__are_the_unit(void **state)
{
	struct runs runs = {0};
	struct sources sources;
	struct words lines = {0}, more = {0};
	struct error e = {0};

	(void)state;
	cr_side(&runs, "a", (const double[]){100}, 1);
	cr_side(&runs, "b", (const double[]){105}, 1);
	for (size_t i = 0; i < runs.f[1].record->samples.n; i++) {
		runs.f[0].record->samples.v[i].minor_faults = 70;
		runs.f[1].record->samples.v[i].minor_faults = 43;
	}
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_true(sources_between(&runs.between, false, 0, 1, &runs.arena, &sources));
	sources_tell(&sources, &runs.arena, &lines);
	has_line(&lines, "it takes four runs a side or more to tell");
	has_no_line(&lines, "page faults:");
	has_line(&lines, "not known: which functions differ: the record was made before functions were kept");
	cr_end(&runs);

	memset(&runs, 0, sizeof(runs));
	cr_side(&runs, "a", (const double[]){100, 100, 100, 100, 100}, 5);
	cr_side(&runs, "b", (const double[]){105, 105, 105, 105, 105}, 5);
	for (size_t r = 0; r < runs.n; r++)
		for (size_t i = 0; i < runs.f[r].record->samples.n; i++)
			runs.f[r].record->samples.v[i].minor_faults = (uint32_t)(r < 5 ? 70 + r : 40 + r);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_true(sources_between(&runs.between, false, 0, 1, &runs.arena, &sources));
	sources_tell(&sources, &runs.arena, &more);
	has_line(&more,
		"minor page faults: 72 in a, 47 in b, -34.7 % (medians; outside the noise over 5 and 5 runs");
	/* R: wilcox.test(70:74, 45:49)$p.value is 2/252 = 0.0079365, and the only measure that can be tested */
	assert_true(fabs(measure_of(&sources, "minor_faults")->p - 2.0 / 252) < 1e-9);
	cr_end(&runs);
}

static void sources_keep_samples__one_cell__its_rows_and_what_they_repeat(void **state)
{
	struct fixture f;
	struct samples *samples;

	(void)state;
	open_pair(&f);
	add_rows(&f, 4);
	samples = &f.record->samples;
	struct sample again = samples->v[3]; /* cell 1, round 1 */
	again.repeat_of = 3;
	samples_add(samples, &again);
	sources_keep_samples(f.record, "sort/gcc/O3", &f.arena);
	assert_int_equal(samples->n, 5);
	for (size_t i = 0; i < samples->n; i++)
		assert_int_equal(samples->v[i].build, 1);
	assert_int_equal(samples->v[4].repeat_of, 1);
	assert_int_equal(samples->v[4].round, samples->v[1].round);
	arena_release(&f.arena);
}

static void sources_between__incomparable__nothing_unless_forced(void **state)
{
	struct runs runs = {0};
	struct sources sources;
	struct error e = {0};

	(void)state;
	cr_side(&runs, "a", (const double[]){100}, 1);
	cr_side(&runs, "b", (const double[]){105}, 1);
	runs.f[1].record->workloads[0].unit = "KBps";
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	assert_false(sources_between(&runs.between, false, 0, 1, &runs.arena, &sources));
	assert_true(sources_between(&runs.between, true, 0, 1, &runs.arena, &sources));
	cr_end(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_functions__copies_namesakes_and_the_inlined__are_told_apart),
		cmocka_unit_test(sources_functions__a_list_that_was_cut__claims_nothing_of_the_rest),
		cmocka_unit_test(sources_functions__not_known__the_reason_is_said),
		cmocka_unit_test(sources_functions__thousands_of_one_name__end_soon),
		cmocka_unit_test(sources_within__settings_and_sizes__those_that_differ_in_order),
		cmocka_unit_test(sources_within__a_compiler_that_does_not_tell__unknown_once),
		cmocka_unit_test(sources_within__measures__outside_of_the_noise_only),
		cmocka_unit_test(sources_within__copies__are_put_together),
		cmocka_unit_test(sources_keep_samples__one_cell__its_rows_and_what_they_repeat),
		cmocka_unit_test(sources_between__runs__are_the_unit),
		cmocka_unit_test(sources_between__incomparable__nothing_unless_forced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
