#include "toolchain/features.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char cx16[] = "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16";

/* x86: what code generation uses by itself; names without the underscores around them. */
static const char *const own_stems[] = {"SSE", "SSE2", "SSE3", "SSSE3", "SSE4_1", "SSE4_2", "SSE4A", "AVX",
	"AVX2", "AVX512*", "AVX5124*", "AVXVNNI*", "AVXIFMA", "AVXNECONVERT", "AVX10_[0-9]", "FMA", "FMA4",
	"XOP", "TBM", "F16C", "BMI", "BMI2", "LZCNT", "POPCNT", "MOVBE", "PCLMUL", "VPCLMULQDQ", "GFNI",
	"CRC32", "PRFCHW", "PREFETCHWT1", "RAOINT", "APX_F", "EGPR", "PUSH2POP2", "PPX", "NDD", "CCMP", "NF",
	"CF", "ZU"};

/* x86: what it takes intrinsics, inline assembly or a system for. */
static const char *const other_stems[] = {"MMX", "3dNOW", "3dNOW_A", "AES", "VAES", "SHA", "SHA512", "SM3",
	"SM4", "ADX", "RDRND", "RDSEED", "RDPID", "RDPRU", "FSGSBASE", "FXSR", "XSAVE", "XSAVEC", "XSAVEOPT",
	"XSAVES", "CLFLUSHOPT", "CLWB", "CLZERO", "CLDEMOTE", "PREFETCHI", "MWAITX", "PKU", "SHSTK", "SGX",
	"RTM", "HLE", "LWP", "LAHF_SAHF", "MOVDIRI", "MOVDIR64B", "MOVRS", "PTWRITE", "PCONFIG", "WBNOINVD",
	"INVPCID", "WAITPKG", "SERIALIZE", "TSXLDTRK", "ENQCMD", "UINTR", "HRESET", "KL", "WIDEKL", "AMX_*",
	"CMPCCXADD", "USER_MSR"};

/* The parts of APX, each with its macro in clang; gcc has one for all. */
static const char *const apx_parts[] = {"EGPR", "PUSH2POP2", "PPX", "NDD", "CCMP", "NF", "CF", "ZU"};

/* Other architectures' macros that are features, and those of the same form that are not. */
static const char *const plain[] = {"__ARM_NEON", "__ARM_FEATURE_*", "__riscv_*", "__ALTIVEC__", "__VSX__",
	"__POWER[0-9]*_VECTOR__", "__VX__", "__loongarch_sx", "__loongarch_asx"};
static const char *const no_feature[] = {"__ARM_FEATURE_*_DEFAULT", "__riscv_xlen", "__riscv_flen",
	"__riscv_cmodel_*", "__riscv_float_abi_*", "__riscv_abi_*", "__riscv_arch_test",
	"__riscv_misaligned_*", "__riscv_mul", "__riscv_div", "__riscv_muldiv", "__riscv_fdiv",
	"__riscv_fsqrt", "__riscv_atomic", "__riscv_compressed", "__riscv_v_intrinsic"};

/* Features by level, as far as macros tell (psABI); each level contains those before. */
static const struct {
	const char *name;
	const char *features[8];
} levels[] = {
	{"x86-64", {"__SSE__", "__SSE2__"}},
	{"x86-64-v2", {cx16, "__POPCNT__", "__SSE3__", "__SSE4_1__", "__SSE4_2__", "__SSSE3__"}},
	{"x86-64-v3", {"__AVX__", "__AVX2__", "__BMI__", "__BMI2__", "__F16C__", "__FMA__", "__LZCNT__",
			      "__MOVBE__"}},
	{"x86-64-v4", {"__AVX512F__", "__AVX512BW__", "__AVX512CD__", "__AVX512DQ__", "__AVX512VL__"}},
};
enum {
	LEVELS = sizeof(levels) / sizeof(levels[0]),
	LEVEL_FEATURES = sizeof(levels[0].features) / sizeof(char *)
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (text_glob(list[i], name))
			return true;
	return false;
}

/* "AVX2" of "__AVX2__"; NULL: another form. */
static char *stem_of(struct arena *arena, const char *name)
{
	const size_t length = strlen(name);

	if (length < 5 || !text_starts(name, "__") || !text_ends(name, "__"))
		return NULL;
	return arena_strndup(arena, name + 2, length - 4);
}

/* One name for what compilers call differently. */
static const char *canonical(struct arena *arena, const char *stem)
{
	if (text_starts(stem, "AMX") && stem[3] != '_' && stem[3] != '\0')
		return arena_printf(arena, "AMX_%s", stem + 3);
	if (strcmp(stem, "ABM") == 0)
		return "LZCNT";
	if (strcmp(stem, "USERMSR") == 0)
		return "USER_MSR";
	if (text_glob("AVX10_[0-9]_*", stem))
		return arena_strndup(arena, stem, strlen("AVX10_1"));
	return stem;
}

static void add_once(struct words *words, struct arena *arena, const char *word)
{
	if (!words_have(words, word))
		words_add(words, arena, word);
}

static void drop(struct words *words, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->v[i], word) != 0)
			words->v[kept++] = words->v[i];
	words->n = kept;
	if (words->v != NULL)
		words->v[kept] = NULL;
}

/* One name and value of a "#define". */
static void add(struct features *features, struct arena *arena, const char *name, const char *value)
{
	const char *stem = stem_of(arena, name);

	if (strcmp(name, cx16) == 0) {
		add_once(&features->own, arena, name);
	} else if (in_list(plain, COUNT(plain), name)) {
		if (in_list(no_feature, COUNT(no_feature), name))
			return;
		/* with the number where it says how wide the vectors are */
		if (strcmp(name, "__ARM_FEATURE_SVE_BITS") == 0 || strcmp(name, "__riscv_v_min_vlen") == 0) {
			if (strcmp(value, "0") != 0)
				words_addf(&features->own, arena, "%s=%s", name, value);
			return;
		}
		add_once(&features->own, arena, name);
	} else if (stem != NULL) {
		stem = canonical(arena, stem);
		name = arena_printf(arena, "__%s__", stem);
		if (in_list(own_stems, COUNT(own_stems), stem))
			add_once(&features->own, arena, name);
		else if (in_list(other_stems, COUNT(other_stems), stem))
			add_once(&features->other, arena, name);
	}
}

static void join_apx(struct features *features, struct arena *arena)
{
	bool all = words_have(&features->own, "__APX_F__");

	if (!all) {
		all = true;
		for (size_t i = 0; i < COUNT(apx_parts); i++)
			all &= words_have(&features->own, arena_printf(arena, "__%s__", apx_parts[i]));
	}
	if (!all)
		return;
	for (size_t i = 0; i < COUNT(apx_parts); i++)
		drop(&features->own, arena_printf(arena, "__%s__", apx_parts[i]));
	add_once(&features->own, arena, "__APX_F__");
}

void features_of(struct arena *arena, const char *macros, struct features *features)
{
	*features = (struct features){0};
	while (*macros != '\0') {
		const size_t length = strcspn(macros, "\n");
		const char *name = macros + strlen("#define ");

		if (text_starts(macros, "#define ")) {
			const size_t name_length = strcspn(name, " (\r\n");
			const char *value = name + name_length + (name[name_length] == ' ');

			add(features, arena, arena_strndup(arena, name, name_length),
				arena_strndup(arena, value, strcspn(value, "\r\n")));
		}
		macros += length + (macros[length] == '\n');
	}
	join_apx(features, arena);
	if (words_have(&features->own, "__SSE4_2__"))
		drop(&features->own, "__CRC32__");
	if (features->own.n > 0)
		qsort(features->own.v, features->own.n, sizeof(char *), text_compare);
	if (features->other.n > 0)
		qsort(features->other.v, features->other.n, sizeof(char *), text_compare);
}

const char *features_level(const struct features *features)
{
	const char *level = NULL;

	for (size_t i = 0; i < LEVELS; i++) {
		for (size_t k = 0; k < LEVEL_FEATURES && levels[i].features[k] != NULL; k++)
			if (!words_have(&features->own, levels[i].features[k]))
				return level;
		level = levels[i].name;
	}
	return level;
}

bool features_in_level(const char *feature, const char *level)
{
	for (size_t i = 0; level != NULL && i < LEVELS; i++) {
		for (size_t k = 0; k < LEVEL_FEATURES && levels[i].features[k] != NULL; k++)
			if (strcmp(feature, levels[i].features[k]) == 0)
				return true;
		if (strcmp(level, levels[i].name) == 0)
			return false;
	}
	return false;
}

char *features_flag(struct arena *arena, const char *feature)
{
	static const char *const special[][2] = {{"__SSE4_1__", "sse4.1"}, {"__SSE4_2__", "sse4.2"},
		{"__LAHF_SAHF__", "sahf"}, {cx16, "cx16"}, {"__APX_F__", "apxf"}, {"__USER_MSR__", "usermsr"},
		{"__3dNOW__", "3dnow"}, {"__3dNOW_A__", "3dnowa"}};
	char *name;

	for (size_t i = 0; i < COUNT(special); i++)
		if (strcmp(feature, special[i][0]) == 0)
			return arena_strdup(arena, special[i][1]);
	name = stem_of(arena, feature);
	if (name == NULL)
		return arena_strdup(arena, feature);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
	return name;
}
