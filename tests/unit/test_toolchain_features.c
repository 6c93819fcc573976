/*
 * Instruction sets as one canonical list. What the compilers define is in their sources (gcc/config/i386/i386-c.cc,
 * clang/lib/Basic/Targets/X86.cpp); the levels are the x86 psABI's table "Micro-Architecture Levels".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"
#include "toolchain/features.h"

static const char *own(struct arena *arena, const char *macros)
{
	struct features features;

	features_of(arena, macros, &features);
	return words_between(&features.own, " ", arena);
}

static const char *other(struct arena *arena, const char *macros)
{
	struct features features;

	features_of(arena, macros, &features);
	return words_between(&features.other, " ", arena);
}

static void features_of__x86__parts_what_code_uses_from_the_rest(void **state)
{
	static const char macros[] =
		"#define __SSE2__ 1\n#define __SSE2_MATH__ 1\n#define __AVX2__ 1\n#define __SSE__ 1\n"
		"#define __GNUC__ 12\n#define __ELF__ 1\n#define __BMI__ 1\n#define __k8__ 1\n#define "
		"__SGX__ 1\n"
		"#define __MMX__ 1\n#define __MMX_WITH_SSE__ 1\n#define __SHA__ 1\n"
		"#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16 1\n#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8 "
		"1\n";
	struct arena arena = {0};

	(void)state;
	assert_string_equal(
		own(&arena, macros), "__AVX2__ __BMI__ __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16 __SSE2__ __SSE__");
	assert_string_equal(other(&arena, macros), "__MMX__ __SGX__ __SHA__");
	assert_string_equal(own(&arena, ""), "");
	assert_string_equal(own(&arena, "#define\n#define \n# define __AVX__ 1\n#define __AVX__"), "__AVX__");
	arena_release(&arena);
}

static void features_of__other_names_of_one_thing__are_one(void **state)
{
	struct arena arena = {0};

	(void)state;
	/* older clang's and gcc's names */
	assert_string_equal(
		other(&arena, "#define __AMXTILE__ 1\n#define __AMXINT8__ 1\n#define __AMXBF16__ 1\n"),
		other(&arena, "#define __AMX_BF16__ 1\n#define __AMX_TILE__ 1\n#define __AMX_INT8__ 1\n"));
	/* gcc names LZCNT twice */
	assert_string_equal(own(&arena, "#define __ABM__ 1\n#define __LZCNT__ 1\n"), "__LZCNT__");
	/* gcc 10 has no macro for CRC32, which SSE4.2 brings */
	assert_string_equal(own(&arena, "#define __SSE4_2__ 1\n#define __CRC32__ 1\n"), "__SSE4_2__");
	assert_string_equal(own(&arena, "#define __CRC32__ 1\n"), "__CRC32__");
	/* AVX10 by width (gcc 14), with a name of its own (gcc 15), EVEX512 of clang 18 */
	assert_string_equal(
		own(&arena, "#define __AVX10_1_256__ 1\n#define __AVX10_1_512__ 1\n"), "__AVX10_1__");
	assert_string_equal(own(&arena, "#define __AVX10_1__ 1\n#define __EVEX512__ 1\n"), "__AVX10_1__");
	/* APX in one (gcc) and in parts (clang) */
	assert_string_equal(
		own(&arena, "#define __EGPR__ 1\n#define __PUSH2POP2__ 1\n#define __PPX__ 1\n"
			    "#define __NDD__ 1\n#define __CCMP__ 1\n#define __NF__ 1\n#define __CF__ 1\n"
			    "#define __ZU__ 1\n"),
		"__APX_F__");
	assert_string_equal(own(&arena, "#define __APX_F__ 1\n#define __EGPR__ 1\n"), "__APX_F__");
	/* but a part alone is not all of it */
	assert_string_equal(own(&arena, "#define __EGPR__ 1\n"), "__EGPR__");
	arena_release(&arena);
}

static void features_of__other_architectures__keep_extensions_only(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(
		own(&arena, "#define __ARM_FEATURE_CRC32 1\n#define __ARM_ARCH 8\n#define __ARM_NEON 1\n"
			    "#define __ARM_FEATURE_BTI_DEFAULT 1\n#define __ARM_FEATURE_SVE_BITS 0\n"),
		"__ARM_FEATURE_CRC32 __ARM_NEON");
	assert_string_equal(
		own(&arena, "#define __ARM_FEATURE_SVE_BITS 256\n"), "__ARM_FEATURE_SVE_BITS=256");
	assert_string_equal(own(&arena, "#define __riscv_xlen 64\n#define __riscv_zba 1000000\n"
					"#define __riscv_cmodel_medany 1\n#define __riscv_vector 1\n"),
		"__riscv_vector __riscv_zba");
	arena_release(&arena);
}

static void features_level__real_compilers__agree_with_their_own_levels(void **state)
{
	static const char *const names[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
	static const char *const compilers[] = {"gcc", "clang"};
	struct arena arena = {0};

	(void)state;
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < 4; i++) {
			char line[160];
			struct features features;
			const char *macros;
			bool ok;

			snprintf(line, sizeof(line), "%s -march=%s -dM -E -x c /dev/null 2>/dev/null",
				compilers[c], names[i]);
			macros = tools_run(&ok, line);
			if (!ok) /* not here, or too old for levels */
				continue;
			features_of(&arena, macros, &features);
			assert_string_equal(features_level(&features), names[i]);
		}
	arena_release(&arena);
}

static void features_level__a_feature_is_missing__is_the_level_below(void **state)
{
	struct arena arena = {0};
	struct features features;

	(void)state;
	features_of(&arena,
		"#define __SSE__ 1\n#define __SSE2__ 1\n#define __POPCNT__ 1\n#define __AVX2__ 1\n",
		&features);
	assert_string_equal(features_level(&features), "x86-64");
	features_of(&arena, "#define __ARM_NEON 1\n", &features);
	assert_null(features_level(&features));
	assert_true(features_in_level("__POPCNT__", "x86-64-v3"));
	assert_false(features_in_level("__AVX2__", "x86-64-v2"));
	assert_false(features_in_level("__AVX512VNNI__", "x86-64-v4"));
	assert_false(features_in_level("__SSE__", NULL));
	arena_release(&arena);
}

static void features_flag__macro__is_the_name_behind_m(void **state)
{
	static const char *const names[][2] = {{"__AVX512BW__", "avx512bw"}, {"__SSE4_2__", "sse4.2"},
		{"__AMX_TILE__", "amx-tile"}, {"__LAHF_SAHF__", "sahf"},
		{"__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16", "cx16"}, {"__ARM_NEON", "__ARM_NEON"}};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(features_flag(&arena, names[i][0]), names[i][1]);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_of__x86__parts_what_code_uses_from_the_rest),
		cmocka_unit_test(features_of__other_names_of_one_thing__are_one),
		cmocka_unit_test(features_of__other_architectures__keep_extensions_only),
		cmocka_unit_test(features_level__real_compilers__agree_with_their_own_levels),
		cmocka_unit_test(features_level__a_feature_is_missing__is_the_level_below),
		cmocka_unit_test(features_flag__macro__is_the_name_behind_m),
	};

	return cmocka_run_group_tests_name("toolchain_features", tests, tools_setup, tools_teardown);
}
