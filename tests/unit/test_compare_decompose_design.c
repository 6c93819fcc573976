/* What each flag gave: matrices and variants that cannot be asked about, and names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "decompose_fixture.h"

static void fails(struct fixture *f, struct decompose_options options, enum exit_code code, const char *part)
{
	struct decomposition d;
	struct error e = {0};

	assert_int_equal(decompose(f->record, &options, &f->arena, &d, &e), -1);
	assert_int_equal(e.code, code);
	df_has(e.text, part);
}

static void decompose__no_axes__error_with_an_example(void **state)
{
	(void)state;
	struct fixture f;
	struct decompose_options none = {0};
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2\nvariants: {O2: {cflags: -O2}, O3: {cflags: -O3}}\n";
	fails(&f, none, EXIT_USAGE, "has no axes");
	fails(&f, none, EXIT_USAGE, "axes: {opt: {O2: {cflags: -O2}, O3: {cflags: -O3}}, link:");
	f.record->plan.matrix_text = NULL;
	fails(&f, none, EXIT_USAGE, "keeps no matrix");
	f.record->plan.matrix_text = "axes: [";
	fails(&f, none, EXIT_USAGE, "cannot be read");
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes: {opt: {O2: {}}}\n";
	fails(&f, none, EXIT_NOTHING, "one value");
	cf_end(&f);
}

/* The example is a matrix, but for what every matrix has. */
static void decompose__example_in_the_error__is_a_matrix(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct error e = {0};
	cf_begin(&f);
	df_cell(&f, "sort", "gcc", "O3+lto", false, 0.02, 0, 16);
	f.record->plan.matrix_text = DF_HEAD "variants: {O2: {}}\n";
	assert_int_equal(decompose(f.record, &(struct decompose_options){0}, &f.arena, &d, &e), -1);
	const char *axes = strstr(e.text, "axes: {opt"), *with = strstr(e.text, ", with baseline: ");
	assert_non_null(axes);
	assert_non_null(with);
	f.record->plan.matrix_text = arena_printf(
		&f.arena, "%s%.*s\n%s\n", DF_HEAD, (int)(with - axes), axes, with + strlen(", with "));
	df_split(&f, &d);
	assert_string_equal(d.design.target_name, "O3+lto");
	assert_string_equal(d.design.axes[1].values[1].flags, "-flto; link: -flto");
	cf_end(&f);
}

static void decompose__unknown_or_senseless_variants__errors(void **state)
{
	(void)state;
	struct fixture f;
	struct words only = {0};
	cf_begin(&f);
	df_pilot(&f, "sort", "gcc", 1);
	fails(&f, (struct decompose_options){.target = "T+C+L"}, EXIT_USAGE, "did you mean T+C+K?");
	fails(&f, (struct decompose_options){.target = "T+C"}, EXIT_USAGE,
		"no combination of the matrix' axes");
	fails(&f, (struct decompose_options){.target = "T+C+K+K"}, EXIT_USAGE, "no combination");
	fails(&f, (struct decompose_options){.target = ""}, EXIT_USAGE, "such as T+C+K");
	fails(&f, (struct decompose_options){.target = "t0+c0+k0"}, EXIT_USAGE, "is the baseline itself");
	fails(&f, (struct decompose_options){.reference = "O2"}, EXIT_USAGE, "--baseline");
	words_add(&only, &f.arena, "no-such-workload");
	fails(&f, (struct decompose_options){.only = &only}, EXIT_USAGE, "no cell of the record matches");
	for (size_t i = 0; i < f.record->build_count; i++)
		f.record->builds[i].variant = "special";
	fails(&f, (struct decompose_options){0}, EXIT_NOTHING, "is a combination of the matrix' axes");
	cf_end(&f);
}

/* Names that two axes share are told apart; variants that an include made are on no axis. */
static void decompose__names_twice_and_includes__told_apart(void **state)
{
	(void)state;
	static const char *const names[4] = {"off+off", "off+on", "on+off", "on+on"};
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: off+off\naxes:\n  lto: {off: {}, on: {cflags: -flto}}\n"
			"  pic: {off: {}, on: {cflags: -fPIC}}\ninclude: [{variant: special, cflags: -O1}]\n";
	for (int i = 0; i < 4; i++)
		df_cell(&f, "sort", "gcc", names[i], i == 0, 0.01 * i, 0, 16);
	df_cell(&f, "sort", "gcc", "special", false, 0.5, 0, 16);
	df_split(&f, &d);
	df_near(df_effect_of(&d, "part", "lto=on"), 0.02);
	df_near(df_effect_of(&d, "part", "pic=on"), 0.01);
	assert_int_equal(d.not_on_axes.n, 1);
	assert_string_equal(d.not_on_axes.v[0], "special");
	assert_false(d.design.included);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: off+off\naxes:\n  lto: {off: {}, on: {cflags: -flto}}\n"
			"  pic: {off: {}, on: {cflags: -fPIC}}\ninclude: [{lto: on, cflags: -O1}]\n";
	df_split(&f, &d);
	assert_true(d.design.included);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decompose__no_axes__error_with_an_example),
		cmocka_unit_test(decompose__example_in_the_error__is_a_matrix),
		cmocka_unit_test(decompose__unknown_or_senseless_variants__errors),
		cmocka_unit_test(decompose__names_twice_and_includes__told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
