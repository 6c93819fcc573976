/* The matrices that flagstone comes with, read from their files and planned with compilers made by hand. */
#include <stdlib.h>
#include <unistd.h>

#include "test_plan_fixture.h"

/* Reads the project of this repository into the fixture. */
static void use_repository(struct fixture *f)
{
	if (spec_read_project(".", NULL, &f->arena, &f->project, &f->errors) != 0)
		fail_msg("%s", spec_errors_text(&f->errors));
	for (size_t i = 0; i < f->project.family_count; i++) {
		if (strcmp(f->project.families[i].name, "gcc") == 0)
			f->gcc.spec = &f->project.families[i];
		if (strcmp(f->project.families[i].name, "clang") == 0)
			f->clang.spec = &f->project.families[i];
	}
	f->options.cpu_flags =
		"cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
}

static void read_matrix(struct fixture *f, const char *path)
{
	if (spec_read_matrix(path, &f->arena, &f->matrix, &f->errors) != 0)
		fail_msg("%s", spec_errors_text(&f->errors));
	if (fixture_make(f) != 0)
		fail_msg("%s: %s", path, spec_errors_text(&f->errors));
}

static void matrices__all_that_ship__plan_without_error(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	use_repository(f);
	assert_true(f->project.matrix_names.n >= 4);
	for (size_t i = 0; i < f->project.matrix_paths.n; i++) {
		read_matrix(f, f->project.matrix_paths.v[i]);
		assert_true(f->plan.possible > 0);
	}
	fixture_free(f);
}

/* Issue 3: eight workloads x gcc, clang x O2, O3, v3, native, lto, static. */
static void quick__here__96_cells_all_with_a_baseline(void **state)
{
	struct fixture *f = fixture_new();
	size_t baselines = 0;

	(void)state;
	use_repository(f);
	read_matrix(f, "matrices/quick.yaml");
	assert_int_equal(f->plan.cell_count, 96);
	assert_int_equal(f->plan.possible, 96);
	for (size_t i = 0; i < f->plan.cell_count; i++) {
		baselines += f->plan.cells[i].baseline;
		assert_true(f->plan.cells[i].baseline || f->plan.cells[i].baseline_index >= 0);
	}
	assert_int_equal(baselines, 16);
	assert_string_equal(f->plan.cells[0].name, "dhrystone/gcc/O2/1");
	assert_string_equal(f->plan.cells[95].name, "lz77/clang/static/1");
	fixture_free(f);
}

/* DESIGN.md: the budget of the demo. */
static void quick__measure__as_the_demo_needs_it(void **state)
{
	struct fixture *f = fixture_new();
	uint32_t looks[8];

	(void)state;
	use_repository(f);
	read_matrix(f, "matrices/quick.yaml");
	assert_int_equal(f->matrix.measure.sample_ns, 5000000);
	assert_int_equal(f->matrix.measure.layouts_min, 16);
	assert_int_equal(f->matrix.measure.layouts_max, 16);
	assert_true(f->matrix.measure.matters == 0.02 && f->matrix.measure.precision == 0.03);
	assert_int_equal(f->matrix.measure.budget_ns, 60000000000);
	assert_int_equal(f->matrix.measure.build_budget_ns, 50000000000);
	assert_int_equal(plan_looks(f->matrix.measure.rounds_min, f->matrix.measure.rounds_max, looks), 2);
	fixture_free(f);
}

static void make__args_from_a_file__sorted_in_names(void **state)
{
	struct fixture *f = fixture_new();
	char folder[] = "/tmp/flagstone-plan-XXXXXX";
	char *path;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = arena_printf(&f->arena, "%s/m.yaml", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("workloads: [alpha]\nslots: [gcc]\nvariants: {O2: {cflags: -O2}}\nbaseline: O2\nargs: "
	      "[\"n=4,m=2\"]\n",
		file);
	assert_int_equal(fclose(file), 0);
	if (spec_read_matrix(path, &f->arena, &f->matrix, &f->errors) != 0)
		fail_msg("%s", spec_errors_text(&f->errors));
	assert_cells(f, "alpha/gcc/O2/1/m=2,n=4 *\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrices__all_that_ship__plan_without_error),
		cmocka_unit_test(quick__here__96_cells_all_with_a_baseline),
		cmocka_unit_test(quick__measure__as_the_demo_needs_it),
		cmocka_unit_test(make__args_from_a_file__sorted_in_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
