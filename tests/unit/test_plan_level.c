#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "plan/plan.h"

/* Features of real CPUs as /proc/cpuinfo lists them (shortened to what x86-64 levels are about and neighbours). */
static const char nehalem[] = "fpu sse sse2 ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm pni";
static const char haswell[] =
	"fpu pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c lahf_lm abm bmi1 avx2 bmi2";

static void level_missing__features_there__null(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_null(plan_level_missing("x86-64-v2", nehalem, &arena));
	assert_null(plan_level_missing("x86-64-v3", haswell, &arena));
	arena_release(&arena);
}

/* x86 psABI, "Micro-Architecture Levels": v3 adds AVX AVX2 BMI1 BMI2 F16C FMA LZCNT MOVBE OSXSAVE. */
static void level_missing__older_cpu__names_what_lacks(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(plan_level_missing("x86-64-v3", nehalem, &arena),
		"avx avx2 bmi1 bmi2 f16c fma abm movbe xsave");
	assert_string_equal(plan_level_missing("x86-64-v4", haswell, &arena),
		"avx512f avx512bw avx512cd avx512dq avx512vl");
	arena_release(&arena);
}

/* "avx2" or "avx512f" alone is no "avx": features are whole words. */
static void level_missing__feature_inside_another__still_missing(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(plan_level_missing("x86-64-v2",
				    "pni ssse3x xcx16 lahf_lm\tpopcnt sse4_1\nsse4_2 cx16", &arena),
		"ssse3");
	assert_string_equal(
		plan_level_missing("x86-64-v3",
			"avx2 fma cx16 pni ssse3 sse4_1 sse4_2 movbe popcnt xsave f16c lahf_lm abm bmi1 bmi2",
			&arena),
		"avx");
	arena_release(&arena);
}

static void level_missing__other_models_or_unknown_cpu__null(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_null(plan_level_missing("x86-64", "", &arena));
	assert_null(plan_level_missing("haswell", "", &arena));
	assert_null(plan_level_missing("native", "", &arena));
	assert_null(plan_level_missing(NULL, "", &arena));
	assert_null(plan_level_missing("x86-64-v3", NULL, &arena));
	arena_release(&arena);
}

static void assert_looks(uint32_t low, uint32_t high, const char *expected)
{
	uint32_t looks[8];
	struct buf text = {0};
	size_t n = plan_looks(low, high, looks);

	for (size_t i = 0; i < n; i++)
		buf_addf(&text, "%s%u", i > 0 ? " " : "", looks[i]);
	assert_string_equal(buf_text(&text), expected);
	buf_release(&text);
}

/* DESIGN.md: rounds 16..256 has "looks at 16, 64, 256 (1024)". */
static void looks__range__planned_ones_and_the_end(void **state)
{
	(void)state;
	assert_looks(16, 256, "16 64 256");
	assert_looks(16, 64, "16 64");
	assert_looks(16, 1024, "16 64 256 1024");
	assert_looks(16, 2000, "16 64 256 1024 2000");
	assert_looks(20, 100, "64 100");
	assert_looks(8, 8, "8");
	assert_looks(16, 16, "16");
	assert_looks(64, 16, "16");
}

static void cell_matches__trailing_parts__optional(void **state)
{
	(void)state;
	assert_true(plan_cell_matches("dhrystone", "dhrystone/gcc/O2/1"));
	assert_true(plan_cell_matches("*/gcc", "dhrystone/gcc/O2/1"));
	assert_true(plan_cell_matches("dhrystone/gcc/O?", "dhrystone/gcc/O2/1/n=4"));
	assert_true(plan_cell_matches("dhrystone/gcc/O2/1/n=*", "dhrystone/gcc/O2/1/n=4,p=2"));
	assert_true(plan_cell_matches("//O2", "dhrystone/gcc/O2/1"));
	assert_true(plan_cell_matches("dhrystone/", "dhrystone/gcc/O2/1"));
	assert_true(plan_cell_matches("*/*/*/*/*", "dhrystone/gcc/O2/1"));
}

static void cell_matches__other_parts__false(void **state)
{
	(void)state;
	assert_false(plan_cell_matches("dhry", "dhrystone/gcc/O2/1"));
	assert_false(plan_cell_matches("*/gcc-1?", "dhrystone/gcc/O2/1"));
	/* a star stays within its part */
	assert_false(plan_cell_matches("d*/O2", "dhrystone/gcc/O2/1"));
	assert_false(plan_cell_matches("dhrystone/gcc/O2/1/n=4", "dhrystone/gcc/O2/1"));
	assert_false(plan_cell_matches("dhrystone/gcc/O2/1", "dhrystone/gcc/O2/16"));
	assert_false(plan_cell_matches("a/b/c/1/x=1/more", "a/b/c/1/x=1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(level_missing__features_there__null),
		cmocka_unit_test(level_missing__older_cpu__names_what_lacks),
		cmocka_unit_test(level_missing__feature_inside_another__still_missing),
		cmocka_unit_test(level_missing__other_models_or_unknown_cpu__null),
		cmocka_unit_test(looks__range__planned_ones_and_the_end),
		cmocka_unit_test(cell_matches__trailing_parts__optional),
		cmocka_unit_test(cell_matches__other_parts__false),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
