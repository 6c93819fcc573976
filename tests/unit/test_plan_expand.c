#include "test_plan_fixture.h"

static void make__one_workload__cells_in_order(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "gamma alpha", 2);
	f->matrix.slots = placed(f, "gcc clang", 3);
	assert_cells(f, "gamma/gcc/O2/1 *\ngamma/gcc/O3/1\ngamma/clang/O2/1 *\ngamma/clang/O3/1\n"
			"alpha/gcc/O2/1 *\nalpha/gcc/O3/1\nalpha/clang/O2/1 *\nalpha/clang/O3/1\n");
	assert_int_equal(f->plan.possible, 8);
	assert_int_equal(f->plan.slot_count, 2);
	assert_ptr_equal(f->plan.cells[0].workload, &f->workloads[2]);
	assert_ptr_equal(f->plan.cells[3].slot->toolchain, &f->clang);
	fixture_free(f);
}

static void make__baseline_index__same_cell_of_the_baseline_variant(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = placed(f, "gcc clang", 3);
	f->matrix.baseline.text = "O3";
	assert_int_equal(fixture_make(f), 0);
	for (size_t i = 0; i < f->plan.cell_count; i++) {
		const struct plan_cell *cell = &f->plan.cells[i];

		if (cell->baseline) {
			assert_int_equal(cell->baseline_index, -1);
			continue;
		}
		assert_in_range(cell->baseline_index, 0, f->plan.cell_count - 1);
		assert_string_equal(f->plan.cells[cell->baseline_index].variant->name, "O3");
		assert_ptr_equal(f->plan.cells[cell->baseline_index].slot, cell->slot);
	}
	fixture_free(f);
}

static void make__tags_and_globs__name_order_and_once(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.variant_count = 1;
	f->matrix.workloads = placed(f, "gamma tag:kernel \"*a\"", 2);
	assert_cells(f, "gamma/gcc/O2/1 *\nalpha/gcc/O2/1 *\nbeta/gcc/O2/1 *\n");
	fixture_free(f);
}

static void make__unknown_workload__place_and_nearest(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "alpha gama", 2);
	assert_refused(f, "m.yaml:2:2: ", "unknown workload `gama`", "did you mean `gamma`?");
	fixture_free(f);
}

static void make__unknown_tag__tags_told(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "tag:kernels", 2);
	assert_refused(f, "m.yaml:2:1: ", "unknown tag `tag:kernels`", "did you mean `tag:kernel`?");
	fixture_free(f);
}

static void make__slot_of_no_family__place_and_nearest(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = placed(f, "gcc clagn", 3);
	assert_refused(f, "m.yaml:3:2: ", "unknown toolchain `clagn`", "did you mean `clang`?");
	fixture_free(f);
}

static void make__several_errors__all_told(void **state)
{
	struct fixture *f = fixture_new();
	char *text;

	(void)state;
	f->matrix.workloads = placed(f, "x1", 2);
	f->matrix.slots = placed(f, "x2", 3);
	assert_int_equal(fixture_make(f), -1);
	text = spec_errors_text(&f->errors);
	assert_non_null(strstr(text, "x1"));
	assert_non_null(strstr(text, "x2"));
	fixture_free(f);
}

/* CASES 24: a compiler that is not here costs one question, not one a workload. */
static void make__missing_compiler__cells_kept_with_its_reason(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "alpha beta gamma", 2);
	f->matrix.slots = placed(f, "tcc gcc", 3);
	f->matrix.variant_count = 1;
	assert_cells(f, "alpha/tcc/O2/1 * !\nalpha/gcc/O2/1 *\nbeta/tcc/O2/1 * !\nbeta/gcc/O2/1 *\n"
			"gamma/tcc/O2/1 * !\ngamma/gcc/O2/1 *\n");
	assert_int_equal(f->plan.possible, 3);
	assert_ptr_equal(f->plan.cells[0].reason, f->plan.cells[2].reason);
	assert_string_equal(f->plan.cells[0].reason, "no tcc in PATH");
	assert_non_null(strstr(f->plan.slots[0].reason, "no tcc in PATH (looked through "));
	assert_int_equal(asked.probes, 1);
	fixture_free(f);
}

static void make__all_toolchains__a_slot_each_distinct_compiler(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = (struct spec_words){0};
	f->matrix.all_toolchains = true;
	f->matrix.variant_count = 1;
	assert_cells(f, "alpha/clang-14/O2/1 *\nalpha/gcc-12/O2/1 *\n");
	fixture_free(f);
}

static void make__all_toolchains_and_none_here__error(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = (struct spec_words){0};
	f->matrix.all_toolchains = true;
	f->toolchains.n = 0;
	assert_refused(f, "m.yaml:1:1: ", "finds no compiler", "install");
	fixture_free(f);
}

static void make__two_slots_of_one_compiler__noted_and_probed_once(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = placed(f, "gcc gcc-12", 3);
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.cell_count, 4);
	assert_true(noted(f, "slots gcc and gcc-12 are the same compiler"));
	assert_int_equal(asked.probes, 2); /* O2, O3 */
	fixture_free(f);
}

static void make__copies_keywords__resolved_in_names(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_copies copies[] = {{.kind = COPIES_CPUS}, {.kind = COPIES_CORES}};

	(void)state;
	f->matrix.variant_count = 1;
	f->matrix.copies = copies;
	f->matrix.copies_count = 2;
	f->options.cpus = 8;
	f->options.cores = 4;
	assert_cells(f, "alpha/gcc/O2/8 *\nalpha/gcc/O2/4 *\n");
	assert_string_equal(f->plan.cells[0].copies_keyword, "cpus");
	assert_int_equal(f->plan.cells[0].copies, 8);
	assert_string_equal(f->plan.cells[1].copies_keyword, "cores");
	fixture_free(f);
}

static void make__copies_that_resolve_alike__kept_once_and_noted(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_copies copies[] = {{.kind = COPIES_NUMBER, .number = 1}, {.kind = COPIES_CPUS}};

	(void)state;
	f->matrix.variant_count = 1;
	f->matrix.copies = copies;
	f->matrix.copies_count = 2;
	f->options.cpus = 1;
	assert_cells(f, "alpha/gcc/O2/1 *\n");
	assert_string_equal(f->plan.cells[0].copies_keyword, "cpus");
	assert_true(noted(f, "copies: 1 and cpus are both 1 on this machine"));
	fixture_free(f);
}

static void make__plain_copies__no_keyword(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	assert_int_equal(fixture_make(f), 0);
	assert_null(f->plan.cells[0].copies_keyword);
	assert_int_equal(f->plan.cells[0].copies, 1);
	assert_int_equal(f->plan.notes.n, 0);
	fixture_free(f);
}

static void make__args__last_part_of_the_name(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.args = placed(f, "m=2,n=4 m=3", 5);
	f->matrix.variant_count = 1;
	assert_cells(f, "alpha/gcc/O2/1/m=2,n=4 *\nalpha/gcc/O2/1/m=3 *\n");
	assert_string_equal(f->plan.cells[0].args, "m=2,n=4");
	fixture_free(f);
}

static void make__args_that_one_workload_does_not_take__impossible_there(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "alpha beta", 2);
	f->matrix.args = placed(f, "n=4", 5);
	f->matrix.variant_count = 1;
	assert_cells(f, "alpha/gcc/O2/1/n=4 *\nbeta/gcc/O2/1/n=4 * !\n");
	assert_non_null(strstr(f->plan.cells[1].reason, "takes no parameter n"));
	fixture_free(f);
}

static void make__args_that_none_takes__error(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.args = placed(f, "size=4", 5);
	assert_refused(f, "m.yaml:5:1: ", "`size`", "known here: m, n");
	fixture_free(f);
}

static void only__pattern__matching_cells_and_their_baselines(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "native", "-O2 -march=native", "");
	f->matrix.workloads = placed(f, "alpha beta", 2);
	f->options.only = words_of(f, "beta/gcc/native");
	assert_cells(f, "beta/gcc/O2/1 *\nbeta/gcc/native/1\n");
	assert_int_equal(f->plan.cells[1].baseline_index, 0);
	assert_int_equal(asked.probes, 2);
	fixture_free(f);
}

static void only__baseline_impossible__left_out(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->variants[0].arch = "aarch64";
	f->options.only = words_of(f, "//O3");
	assert_cells(f, "alpha/gcc/O3/1\n");
	assert_int_equal(f->plan.cells[0].baseline_index, -1);
	fixture_free(f);
}

static void make__baseline_impossible__no_effect_against_it(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->variants[0].arch = "aarch64";
	assert_cells(f, "alpha/gcc/O2/1 * !\nalpha/gcc/O3/1\n");
	assert_int_equal(f->plan.cells[1].baseline_index, -1);
	fixture_free(f);
}

static void only__no_match__names_the_part_and_nearest(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->options.only = words_of(f, "alpha/gcc/03");
	assert_refused(f, "", "unknown variant in --only: `03`", "known here: O2, O3");
	assert_int_equal(asked.probes, 0);
	fixture_free(f);
}

static void only__parts_exist_but_not_together__said(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter exclude = {.place = {"m.yaml", 9, 1}, .workload = "beta", .variant = "O3"};

	(void)state;
	f->matrix.workloads = placed(f, "alpha beta", 2);
	f->matrix.exclude = &exclude;
	f->matrix.exclude_count = 1;
	f->options.only = words_of(f, "beta//O3");
	assert_refused(f, "", "--only `beta//O3` matches no cell", "flagstone plan");
	fixture_free(f);
}

/* 50 workloads x 10 slots x 20 variants x 10 numbers of copies. */
static void make__100000_cells__all_there_and_the_same_again(void **state)
{
	enum { WORKLOADS = 50, SLOTS = 10, VARIANTS = 20, COPIES = 10 };
	struct fixture *f = fixture_new();
	struct spec_workload workloads[WORKLOADS];
	struct spec_variant variants[VARIANTS];
	struct spec_copies copies[COPIES];
	struct plan first;
	struct words slots = {0};

	(void)state;
	for (int i = 0; i < WORKLOADS; i++)
		workloads[i] = (struct spec_workload){.name = arena_printf(&f->arena, "w%02d", i)};
	for (int i = 0; i < VARIANTS; i++)
		variants[i] = (struct spec_variant){.name = i == 0 ? "O2" : arena_printf(&f->arena, "v%d", i),
			.cflags = words_of(f, arena_printf(&f->arena, "-O2 -DV=%d", i))};
	for (int i = 0; i < COPIES; i++)
		copies[i] = (struct spec_copies){.kind = COPIES_NUMBER, .number = (uint32_t)i + 1};
	for (int i = 0; i < SLOTS; i++)
		words_addf(&slots, &f->arena, "gcc-%d", 3 + i);
	f->project.workloads = workloads;
	f->project.workload_count = WORKLOADS;
	f->matrix.variants = variants;
	f->matrix.variant_count = VARIANTS;
	f->matrix.copies = copies;
	f->matrix.copies_count = COPIES;
	f->matrix.workloads = placed(f, "\"*\"", 2);
	f->matrix.slots = placed(f, words_join(&slots, &f->arena), 3);
	f->options.cpus = COPIES;
	assert_int_equal(fixture_make(f), 0);
	first = f->plan;
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(first.cell_count, 100000);
	assert_int_equal(first.possible, 10000); /* gcc-12 is the one that is here */
	assert_int_equal(f->plan.cell_count, first.cell_count);
	assert_string_equal(first.cells[0].name, "w00/gcc-3/O2/1");
	assert_string_equal(first.cells[99999].name, "w49/gcc-12/v19/10");
	for (size_t i = 0; i < first.cell_count; i++) {
		assert_string_equal(first.cells[i].name, f->plan.cells[i].name);
		assert_int_equal(first.cells[i].baseline_index, f->plan.cells[i].baseline_index);
	}
	assert_int_equal(asked.probes, 2 * VARIANTS); /* two plans, one compiler */
	fixture_free(f);
}

static void make__more_than_a_million_cells__error(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.variants = test_calloc(600000, sizeof(*f->matrix.variants));
	for (size_t i = 0; i < 600000; i++)
		f->matrix.variants[i] = (struct spec_variant){.name = "O2"};
	f->matrix.variant_count = 600000;
	f->matrix.workloads = placed(f, "alpha beta", 2);
	assert_refused(
		f, "m.yaml:1:1: ", "more than 1000000 cells", "2 workloads x 1 toolchains x 600000 variants");
	test_free(f->matrix.variants);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(make__one_workload__cells_in_order),
		cmocka_unit_test(make__baseline_index__same_cell_of_the_baseline_variant),
		cmocka_unit_test(make__tags_and_globs__name_order_and_once),
		cmocka_unit_test(make__unknown_workload__place_and_nearest),
		cmocka_unit_test(make__unknown_tag__tags_told),
		cmocka_unit_test(make__slot_of_no_family__place_and_nearest),
		cmocka_unit_test(make__several_errors__all_told),
		cmocka_unit_test(make__missing_compiler__cells_kept_with_its_reason),
		cmocka_unit_test(make__all_toolchains__a_slot_each_distinct_compiler),
		cmocka_unit_test(make__all_toolchains_and_none_here__error),
		cmocka_unit_test(make__two_slots_of_one_compiler__noted_and_probed_once),
		cmocka_unit_test(make__copies_keywords__resolved_in_names),
		cmocka_unit_test(make__copies_that_resolve_alike__kept_once_and_noted),
		cmocka_unit_test(make__plain_copies__no_keyword),
		cmocka_unit_test(make__args__last_part_of_the_name),
		cmocka_unit_test(make__args_that_one_workload_does_not_take__impossible_there),
		cmocka_unit_test(make__args_that_none_takes__error),
		cmocka_unit_test(make__baseline_impossible__no_effect_against_it),
		cmocka_unit_test(only__pattern__matching_cells_and_their_baselines),
		cmocka_unit_test(only__baseline_impossible__left_out),
		cmocka_unit_test(only__no_match__names_the_part_and_nearest),
		cmocka_unit_test(only__parts_exist_but_not_together__said),
		cmocka_unit_test(make__100000_cells__all_there_and_the_same_again),
		cmocka_unit_test(make__more_than_a_million_cells__error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
