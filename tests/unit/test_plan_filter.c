#include "test_plan_fixture.h"

/* Two workloads, two compilers, O2 and O3: eight cells for filters to act on. */
static struct fixture *eight_cells(void)
{
	struct fixture *f = fixture_new();

	f->matrix.workloads = placed(f, "alpha beta", 2);
	f->matrix.slots = placed(f, "gcc clang", 3);
	return f;
}

static void set_exclude(struct fixture *f, struct spec_filter *filters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		filters[i].place = (struct spec_place){"m.yaml", 9, (unsigned)i + 1};
	f->matrix.exclude = filters;
	f->matrix.exclude_count = count;
}

static void set_include(struct fixture *f, struct spec_filter *filters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		filters[i].place = (struct spec_place){"m.yaml", 8, (unsigned)i + 1};
	f->matrix.include = filters;
	f->matrix.include_count = count;
}

static const char *flags_of(struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->plan.cell_count; i++)
		if (strcmp(f->plan.cells[i].name, name) == 0)
			return words_join(&f->plan.cells[i].variant->cflags, &f->arena);
	fail_msg("no cell %s", name);
	return NULL;
}

static void exclude__all_members__must_match(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {
		{.toolchain = "clang", .variant = "O3"}, {.workload = "beta", .toolchain = "g*"}};

	(void)state;
	set_exclude(f, exclude, 2);
	assert_cells(f, "alpha/gcc/O2/1 *\nalpha/gcc/O3/1\nalpha/clang/O2/1 *\nbeta/clang/O2/1 *\n");
	fixture_free(f);
}

static void exclude__family__all_its_slots(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {{.toolchain = "gcc"}};

	(void)state;
	f->matrix.workloads = placed(f, "alpha", 2);
	f->matrix.slots =
		placed(f, "gcc-12 gcc-9 clang", 3); /* gcc-9 is not here: its name tells the family */
	set_exclude(f, exclude, 1);
	assert_cells(f, "alpha/clang/O2/1 *\nalpha/clang/O3/1\n");
	fixture_free(f);
}

static void exclude__copies__by_number_or_keyword(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_copies copies[] = {{.kind = COPIES_NUMBER, .number = 1}, {.kind = COPIES_CPUS}};
	struct spec_filter exclude[] = {{.copies = "cpus", .variant = "O3"}};

	(void)state;
	f->matrix.copies = copies;
	f->matrix.copies_count = 2;
	set_exclude(f, exclude, 1);
	assert_cells(f, "alpha/gcc/O2/1 *\nalpha/gcc/O2/2 *\nalpha/gcc/O3/1\n");
	fixture_free(f);
}

static void exclude__args__as_the_matrix_has_them(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter exclude[] = {{.args = "n=2", .variant = "O3"}};

	(void)state;
	f->matrix.args = placed(f, "n=1 n=2", 5);
	set_exclude(f, exclude, 1);
	assert_cells(f, "alpha/gcc/O2/1/n=1 *\nalpha/gcc/O2/1/n=2 *\nalpha/gcc/O3/1/n=1\n");
	fixture_free(f);
}

static void exclude__baseline__cells_without_one(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter exclude[] = {{.variant = "O2"}};

	(void)state;
	set_exclude(f, exclude, 1);
	assert_cells(f, "alpha/gcc/O3/1\n");
	assert_int_equal(f->plan.cells[0].baseline_index, -1);
	fixture_free(f);
}

static void exclude__toolchain_not_in_the_matrix__error(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {{.toolchain = "tcc"}};

	(void)state;
	set_exclude(f, exclude, 1);
	assert_refused(f, "m.yaml:9:1: ", "unknown toolchain in this matrix `tcc`", "known here: gcc, clang");
	fixture_free(f);
}

/* DESIGN.md's flags.yaml excludes tcc from lto; where tcc is not installed that is no error of the file. */
static void exclude__family_not_here_under_all__nothing_to_do(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter exclude[] = {{.toolchain = "tcc", .variant = "O3"}};

	(void)state;
	f->matrix.slots = (struct spec_words){0};
	f->matrix.all_toolchains = true;
	set_exclude(f, exclude, 1);
	assert_cells(
		f, "alpha/clang-14/O2/1 *\nalpha/clang-14/O3/1\nalpha/gcc-12/O2/1 *\nalpha/gcc-12/O3/1\n");
	fixture_free(f);
}

static void exclude__unknown_toolchain_under_all__error(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter exclude[] = {{.toolchain = "clagn"}};

	(void)state;
	f->matrix.slots = (struct spec_words){0};
	f->matrix.all_toolchains = true;
	set_exclude(f, exclude, 1);
	assert_refused(f, "m.yaml:9:1: ", "`clagn`", "did you mean `clang`?");
	fixture_free(f);
}

/* CASES 139: a name that matches nothing is an error, never a silent no-op. */
static void exclude__members_that_match_nothing__an_error_each(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {
		{.workload = "alfa"}, {.variant = "O9"}, {.copies = "7"}, {.args = "n=1"}};
	char *text;

	(void)state;
	set_exclude(f, exclude, 4);
	assert_int_equal(fixture_make(f), -1);
	assert_int_equal(f->errors.n, 4);
	text = spec_errors_text(&f->errors);
	assert_non_null(strstr(text, "m.yaml:9:1: unknown workload in this matrix `alfa`"));
	assert_non_null(strstr(text, "m.yaml:9:2: unknown variant in this matrix `O9`"));
	assert_non_null(strstr(text, "m.yaml:9:3: unknown copies `7`"));
	assert_non_null(strstr(text, "m.yaml:9:4: unknown args in this matrix `n=1`"));
	fixture_free(f);
}

static void exclude__everything__no_cell_left(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {{.workload = "*"}};

	(void)state;
	set_exclude(f, exclude, 1);
	assert_refused(f, "m.yaml:1:1: ", "no cell is left", "exclude");
	fixture_free(f);
}

/* Axes opt {O2, O3} x lto {off, on}, as spec makes them: the full product, names joined by +. */
static void use_axes(struct fixture *f, struct spec_axis axes[2], struct spec_variant values[4])
{
	values[0].name = "O2";
	values[1].name = "O3";
	values[2].name = "off";
	values[3].name = "on";
	axes[0] = (struct spec_axis){"opt", values, 2};
	axes[1] = (struct spec_axis){"lto", values + 2, 2};
	f->matrix.variant_count = 0;
	add_variant(f, "O2+off", "-O2", "");
	add_variant(f, "O2+on", "-O2 -flto", "");
	add_variant(f, "O3+off", "-O3", "");
	add_variant(f, "O3+on", "-O3 -flto", "");
	f->matrix.axes = axes;
	f->matrix.axis_count = 2;
	f->matrix.baseline.text = "O2+off";
}

static void exclude__axis_values__those_variants(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_axis axes[2];
	struct spec_variant values[4] = {0};
	struct spec_filter exclude[] = {{.workload = "alpha"}};

	(void)state;
	use_axes(f, axes, values);
	exclude[0].axis_names = words_of(f, "opt lto");
	exclude[0].axis_values = words_of(f, "O3 on");
	set_exclude(f, exclude, 1);
	assert_cells(f, "alpha/gcc/O2+off/1 *\nalpha/gcc/O2+on/1\nalpha/gcc/O3+off/1\n");
	exclude[0].axis_names = words_of(f, "lto");
	exclude[0].axis_values = words_of(f, "off");
	assert_cells(f, "alpha/gcc/O2+on/1\nalpha/gcc/O3+on/1\n");
	fixture_free(f);
}

static void exclude__axis_and_variant_that_never_meet__error(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_axis axes[2];
	struct spec_variant values[4] = {0};
	struct spec_filter exclude[] = {{.variant = "O2+*"}};

	(void)state;
	use_axes(f, axes, values);
	exclude[0].axis_names = words_of(f, "opt");
	exclude[0].axis_values = words_of(f, "O3");
	set_exclude(f, exclude, 1);
	assert_refused(f, "m.yaml:9:1: ", "no variant of this matrix", "does nothing");
	fixture_free(f);
}

/* GitHub Actions: keys of an include entry are added to each combination that they do not overwrite. */
static void include__matching_cells__get_its_flags_behind_their_own(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.toolchain = "clang", .variant = "O3"}};

	(void)state;
	include[0].cflags = words_of(f, "-mllvm -x");
	set_include(f, include, 1);
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.cell_count, 8);
	assert_string_equal(flags_of(f, "alpha/clang/O3/1"), "-O3 -mllvm -x");
	assert_string_equal(flags_of(f, "beta/clang/O3/1"), "-O3 -mllvm -x");
	assert_string_equal(flags_of(f, "alpha/gcc/O3/1"), "-O3");
	assert_string_equal(flags_of(f, "alpha/clang/O2/1"), "-O2");
	/* the matrix itself is not changed, and O3 of clang is asked with the flags that it gets */
	assert_int_equal(f->variants[1].cflags.n, 1);
	assert_int_equal(asked.probes, 4);
	fixture_free(f);
}

static void include__two_entries_for_a_cell__both_add(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.variant = "O3"}, {.workload = "alpha"}};

	(void)state;
	include[0].cflags = words_of(f, "-a");
	include[1].cflags = words_of(f, "-b");
	set_include(f, include, 2);
	assert_int_equal(fixture_make(f), 0);
	assert_string_equal(flags_of(f, "alpha/gcc/O3/1"), "-O3 -a -b");
	assert_string_equal(flags_of(f, "alpha/gcc/O2/1"), "-O2 -b");
	assert_string_equal(flags_of(f, "beta/gcc/O3/1"), "-O3 -a");
	fixture_free(f);
}

static void include__new_variant__made_for_the_cells_it_describes(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.workload = "alpha", .variant = "unroll"}};

	(void)state;
	include[0].cflags = words_of(f, "-O2 -funroll-loops");
	include[0].ldflags = words_of(f, "-s");
	set_include(f, include, 1);
	assert_cells(f,
		"alpha/gcc/O2/1 *\nalpha/gcc/O3/1\nalpha/gcc/unroll/1\nalpha/clang/O2/1 *\nalpha/clang/O3/1\n"
		"alpha/clang/unroll/1\nbeta/gcc/O2/1 *\nbeta/gcc/O3/1\nbeta/clang/O2/1 *\nbeta/clang/O3/1\n");
	assert_string_equal(flags_of(f, "alpha/gcc/unroll/1"), "-O2 -funroll-loops");
	assert_int_equal(f->plan.cells[2].baseline_index, 0);
	assert_int_equal(f->plan.cells[2].variant->ldflags.n, 1);
	assert_true(f->plan.cells[2].variant->check_rel < 0);
	fixture_free(f);
}

static void include__new_variant_with_flags_for_each_toolchain__one_name(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {
		{.toolchain = "gcc", .variant = "max"}, {.toolchain = "clang", .variant = "max"}};

	(void)state;
	include[0].cflags = words_of(f, "-O3 -fgcse-las");
	include[1].cflags = words_of(f, "-O3 -mllvm -x");
	set_include(f, include, 2);
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.cell_count, 12);
	assert_string_equal(flags_of(f, "beta/gcc/max/1"), "-O3 -fgcse-las");
	assert_string_equal(flags_of(f, "beta/clang/max/1"), "-O3 -mllvm -x");
	fixture_free(f);
}

static void include__same_new_cells_twice__error(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.variant = "max"}, {.toolchain = "clang", .variant = "max"}};

	(void)state;
	set_include(f, include, 2);
	assert_refused(f, "m.yaml:8:2: ", "another include has made the variant `max`", "same cells");
	fixture_free(f);
}

/* GitHub Actions: include runs after exclude and can add back what was excluded. */
static void include__excluded_cells__come_back(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter exclude[] = {{.variant = "O3"}};
	struct spec_filter include[] = {{.workload = "beta", .toolchain = "gcc", .variant = "O3"}};

	(void)state;
	set_exclude(f, exclude, 1);
	set_include(f, include, 1);
	assert_cells(f,
		"alpha/gcc/O2/1 *\nalpha/clang/O2/1 *\nbeta/gcc/O2/1 *\nbeta/gcc/O3/1\nbeta/clang/O2/1 *\n");
	fixture_free(f);
}

static void include__what_the_matrix_does_not_list__added(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter include[] = {{.workload = "gamma", .variant = "O2"},
		{.toolchain = "clang", .variant = "O3"}, {.copies = "2", .variant = "O2"},
		{.args = "n=8", .variant = "O3"}};

	(void)state;
	set_include(f, include, 4);
	assert_cells(f,
		"alpha/gcc/O2/1 *\nalpha/gcc/O2/2 *\nalpha/gcc/O3/1\nalpha/gcc/O3/1/n=8\nalpha/clang/O3/1\n"
		"gamma/gcc/O2/1 *\n");
	fixture_free(f);
}

static void include__matches_and_adds_nothing__error(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.variant = "O3"}};

	(void)state;
	set_include(f, include, 1);
	assert_refused(f, "m.yaml:8:1: ", "matches 4 cells", "does nothing");
	fixture_free(f);
}

static void include__unknown_names__errors_with_nearest(void **state)
{
	struct fixture *f = eight_cells();
	struct spec_filter include[] = {{.workload = "gamme", .variant = "x"},
		{.toolchain = "gccc", .variant = "x"}, {.variant = "no*"}, {.variant = "none"}};
	char *text;

	(void)state;
	set_include(f, include, 4);
	assert_int_equal(fixture_make(f), -1);
	assert_int_equal(f->errors.n, 4);
	text = spec_errors_text(&f->errors);
	assert_non_null(strstr(text, "did you mean `gamma`?"));
	assert_non_null(strstr(text, "did you mean `gcc`?"));
	assert_non_null(strstr(text, "unknown variant `no*`"));
	assert_non_null(strstr(text, "unknown variant `none`"));
	fixture_free(f);
}

static void include__toolchain_not_here_under_all__nothing_to_do(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_filter include[] = {{.toolchain = "tcc", .variant = "O1"}};

	(void)state;
	f->matrix.slots = (struct spec_words){0};
	f->matrix.all_toolchains = true;
	f->matrix.variant_count = 1;
	set_include(f, include, 1);
	assert_cells(f, "alpha/clang-14/O2/1 *\nalpha/gcc-12/O2/1 *\n");
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exclude__all_members__must_match),
		cmocka_unit_test(exclude__family__all_its_slots),
		cmocka_unit_test(exclude__copies__by_number_or_keyword),
		cmocka_unit_test(exclude__args__as_the_matrix_has_them),
		cmocka_unit_test(exclude__baseline__cells_without_one),
		cmocka_unit_test(exclude__toolchain_not_in_the_matrix__error),
		cmocka_unit_test(exclude__family_not_here_under_all__nothing_to_do),
		cmocka_unit_test(exclude__unknown_toolchain_under_all__error),
		cmocka_unit_test(exclude__members_that_match_nothing__an_error_each),
		cmocka_unit_test(exclude__everything__no_cell_left),
		cmocka_unit_test(exclude__axis_values__those_variants),
		cmocka_unit_test(exclude__axis_and_variant_that_never_meet__error),
		cmocka_unit_test(include__matching_cells__get_its_flags_behind_their_own),
		cmocka_unit_test(include__two_entries_for_a_cell__both_add),
		cmocka_unit_test(include__new_variant__made_for_the_cells_it_describes),
		cmocka_unit_test(include__new_variant_with_flags_for_each_toolchain__one_name),
		cmocka_unit_test(include__same_new_cells_twice__error),
		cmocka_unit_test(include__excluded_cells__come_back),
		cmocka_unit_test(include__what_the_matrix_does_not_list__added),
		cmocka_unit_test(include__matches_and_adds_nothing__error),
		cmocka_unit_test(include__unknown_names__errors_with_nearest),
		cmocka_unit_test(include__toolchain_not_here_under_all__nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
