#include "test_plan_fixture.h"

static void assert_reason(struct fixture *f, const char *cell, const char *has)
{
	const char *reason;

	assert_int_equal(fixture_make(f), 0);
	reason = reason_of(f, cell);
	if (reason == NULL || strstr(reason, has) == NULL)
		fail_msg("%s: expected a reason with \"%s\", got \"%s\"", cell, has,
			reason != NULL ? reason : "(possible)");
}

static void reason__arch_of_another_machine__said(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->variants[1].arch = "aarch64";
	assert_reason(f, "alpha/gcc/O3/1", "O3 is for aarch64; gcc makes programs for x86_64");
	assert_null(reason_of(f, "alpha/gcc/O2/1"));
	assert_int_equal(f->plan.possible, 1);
	fixture_free(f);
}

static void reason__only__slot_family_or_other_name_of_the_slot(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.slots = placed(f, "gcc clang", 3);
	f->variants[1].only = placed(f, "clang", 6);
	assert_reason(f, "alpha/gcc/O3/1", "O3 is only for clang");
	assert_null(reason_of(f, "alpha/clang/O3/1"));
	f->variants[1].only = placed(f, "gcc-12", 6); /* gcc is gcc 12 here */
	assert_reason(f, "alpha/clang/O3/1", "O3 is only for gcc-12");
	assert_null(reason_of(f, "alpha/gcc/O3/1"));
	fixture_free(f);
}

static void only__names_no_toolchain__error_with_nearest(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->variants[1].only = placed(f, "clan", 6);
	assert_refused(f, "m.yaml:6:1: ", "unknown toolchain `clan`", "did you mean `clang`?");
	fixture_free(f);
}

/* CASES 5: the static C library is probed once, the cell is impossible, the plan goes on. */
static void reason__static_without_static_libc__said(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "static", "-O2", "-static");
	f->gcc.static_libc = TRI_NO;
	f->gcc.static_reason = "cannot find -lc\n";
	assert_reason(f, "alpha/gcc/static/1", "no static C library here: cannot find -lc");
	assert_int_equal(f->plan.possible, 2);
	assert_int_equal(asked.probes, 2);
	fixture_free(f);
}

/* CASES 4: where LTO does not work there is no LTO cell, never one that is silently without. */
static void reason__lto_broken__said(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "lto", "-O2 -flto", "-O2 -flto");
	add_variant(f, "thin", "-O2", "-flto=thin");
	f->gcc.lto = TRI_NO;
	f->gcc.lto_reason = "no gcc-ar";
	assert_reason(f, "alpha/gcc/lto/1", "link-time optimisation does not work with gcc here: no gcc-ar");
	assert_non_null(reason_of(f, "alpha/gcc/thin/1"));
	assert_null(reason_of(f, "alpha/gcc/O2/1"));
	fixture_free(f);
}

static void reason__lto_unknown__left_to_the_probe(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "lto", "-O2 -flto", "-O2 -flto");
	f->gcc.lto = TRI_UNKNOWN;
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.possible, 3);
	assert_int_equal(asked.probes, 3);
	fixture_free(f);
}

/* CASES 9 and 11: a refused flag takes its cells only, with what the compiler said. */
static void reason__flags_refused__compiler_version_and_its_words(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "alpha beta", 2);
	add_variant(f, "new", "-march=new", "");
	asked.refuse = "-march=new";
	assert_reason(f, "alpha/gcc/new/1", "gcc 12.2.0 refuses -march=new: error: bad value; needs GCC 11");
	assert_ptr_equal(reason_of(f, "alpha/gcc/new/1"), reason_of(f, "beta/gcc/new/1"));
	assert_null(reason_of(f, "beta/gcc/O2/1"));
	assert_int_equal(asked.probes, 3);
	fixture_free(f);
}

/* A flag that no machine asks for is a mistake of the matrix: its cell is built, and fails with a failure's exit code. */
static void reason__refused_flag_without_machine_option__left_to_the_build(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	asked.refuse = "-O3";
	assert_int_equal(fixture_make(f), 0);
	assert_null(reason_of(f, "alpha/gcc/O3/1"));
	fixture_free(f);
}

static void probe__equal_flags_of_two_variants__asked_once(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "again", "-O3", "");
	add_variant(f, "linked", "", "-O3"); /* the same words, but for the linker */
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(asked.probes, 3);
	fixture_free(f);
}

/* CASES 7: taken with a warning is not the same as taken. */
static void probe__warning__noted_once_and_possible(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->matrix.workloads = placed(f, "alpha beta gamma", 2);
	asked.warn = "-O3";
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.possible, 6);
	assert_int_equal(f->plan.notes.n, 1);
	assert_true(noted(f, "gcc, O3: -O3 is taken with a warning: warning: unused"));
	fixture_free(f);
}

static void probe__ignored__noted(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	asked.ignore = "-O3";
	assert_int_equal(fixture_make(f), 0);
	assert_true(noted(f, "gcc, O3: -O3 is taken and does nothing"));
	fixture_free(f);
}

/* CASES 10: a compiler older than the CPU takes -march=native for a generic model. */
static void native__resolves_to_generic__noted(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "native", "-O2 -march=native", "");
	asked.generic = true;
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(asked.resolves, 1);
	assert_null(reason_of(f, "alpha/gcc/native/1"));
	assert_true(noted(f, "gcc, native: native means only the generic model x86-64 here"));
	fixture_free(f);
}

static void native__knows_the_cpu__no_note(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	add_variant(f, "native", "-O2 -march=native", "");
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(asked.resolves, 1);
	assert_int_equal(f->plan.notes.n, 0);
	fixture_free(f);
}

static void reason__level_the_cpu_lacks__features_named(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->options.cpu_flags =
		"fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx f16c fma abm movbe xsave bmi1";
	add_variant(f, "v3", "-O2 -march=x86-64-v3", "");
	add_variant(f, "v2", "-march=x86-64-v3 -march=x86-64-v2", ""); /* the last one counts */
	assert_reason(f, "alpha/gcc/v3/1", "this CPU cannot run x86-64-v3 code; it lacks avx2 bmi2");
	assert_null(reason_of(f, "alpha/gcc/v2/1"));
	fixture_free(f);
}

static void level__features_unknown__noted_not_refused(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->options.cpu_flags = NULL;
	add_variant(f, "v3", "-O2 -march=x86-64-v3", "");
	add_variant(f, "v4", "-O2 -march=x86-64-v4", "");
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.possible, 4);
	assert_true(noted(f, "features are unknown here"));
	fixture_free(f);
}

static void reason__more_copies_than_cpus__said(void **state)
{
	struct fixture *f = fixture_new();
	struct spec_copies copies[] = {
		{.kind = COPIES_NUMBER, .number = 2}, {.kind = COPIES_NUMBER, .number = 3}};

	(void)state;
	f->matrix.workloads = placed(f, "alpha pair", 2);
	f->matrix.copies = copies;
	f->matrix.copies_count = 2;
	assert_reason(f, "alpha/gcc/O2/3", "3 copies need as many CPUs; this process may use 2");
	assert_null(reason_of(f, "alpha/gcc/O2/2"));
	assert_string_equal(
		reason_of(f, "pair/gcc/O2/2"), "needs 4 CPUs (2 each for 2 copies); this process may use 2");
	fixture_free(f);
}

static void reason__cross_without_runner__said(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->cross = fake_toolchain(f, "gcc", 12, "12.2.0", "aarch64", "gcc-12-aarch64-linux-gnu");
	f->cross.spec = &f->families[1];
	f->cross.native = false;
	f->all[2] = &f->cross;
	f->toolchains.n = 3;
	f->matrix.slots = placed(f, "gcc-12-aarch64-linux-gnu", 3);
	assert_reason(f, "alpha/gcc-12-aarch64-linux-gnu/O2/1",
		"programs for aarch64 cannot run here without a runner");
	assert_int_equal(asked.probes, 0);
	f->cross.runner = words_of(f, "qemu-aarch64");
	assert_int_equal(fixture_make(f), 0);
	assert_int_equal(f->plan.possible, 2);
	fixture_free(f);
}

static void reason__cxx_workload_without_cxx_compiler__said(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	f->workloads[0].sources = placed(f, "main.cpp", 1);
	f->gcc.cxx.n = 0;
	f->gcc.cxx_reason = "there is no g++ beside gcc";
	assert_reason(f, "alpha/gcc/O2/1", "there is no g++ beside gcc");
	f->workloads[0].language = "c";
	assert_int_equal(fixture_make(f), 0);
	assert_null(reason_of(f, "alpha/gcc/O2/1"));
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reason__arch_of_another_machine__said),
		cmocka_unit_test(reason__only__slot_family_or_other_name_of_the_slot),
		cmocka_unit_test(only__names_no_toolchain__error_with_nearest),
		cmocka_unit_test(reason__static_without_static_libc__said),
		cmocka_unit_test(reason__lto_broken__said),
		cmocka_unit_test(reason__lto_unknown__left_to_the_probe),
		cmocka_unit_test(reason__flags_refused__compiler_version_and_its_words),
		cmocka_unit_test(reason__refused_flag_without_machine_option__left_to_the_build),
		cmocka_unit_test(probe__equal_flags_of_two_variants__asked_once),
		cmocka_unit_test(probe__warning__noted_once_and_possible),
		cmocka_unit_test(probe__ignored__noted),
		cmocka_unit_test(native__resolves_to_generic__noted),
		cmocka_unit_test(native__knows_the_cpu__no_note),
		cmocka_unit_test(reason__level_the_cpu_lacks__features_named),
		cmocka_unit_test(level__features_unknown__noted_not_refused),
		cmocka_unit_test(reason__more_copies_than_cpus__said),
		cmocka_unit_test(reason__cross_without_runner__said),
		cmocka_unit_test(reason__cxx_workload_without_cxx_compiler__said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
