#include "code/x86_sets.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

/* Zydis' names, which are those of Intel's XED, without the endings of vector lengths. */
static const struct {
	const char *name;
	enum isa_set sets[2];
} named[] = {
	{"PENTIUMMMX", {X86_MMX, ISA_NONE}},
	{"SSE", {X86_SSE, ISA_NONE}},
	{"SSEMXCSR", {X86_SSE, ISA_NONE}},
	{"SSE2", {X86_SSE2, ISA_NONE}},
	{"SSE2MMX", {X86_SSE2, ISA_NONE}},
	{"CMPXCHG16B", {X86_CX16, ISA_NONE}},
	{"LAHF", {X86_SAHF, ISA_NONE}},
	{"SSE3", {X86_SSE3, ISA_NONE}},
	{"SSE3X87", {X86_SSE3, ISA_NONE}},
	{"SSSE3", {X86_SSSE3, ISA_NONE}},
	{"SSSE3MMX", {X86_SSSE3, ISA_NONE}},
	{"SSE4", {X86_SSE4_1, ISA_NONE}},
	{"SSE42", {X86_SSE4_2, ISA_NONE}},
	{"POPCNT", {X86_POPCNT, ISA_NONE}},
	{"AMD3DNOW", {X86_3DNOW, ISA_NONE}},
	{"SSE4A", {X86_SSE4A, ISA_NONE}},
	{"LZCNT", {X86_LZCNT, ISA_NONE}},
	{"RDTSCP", {X86_RDTSCP, ISA_NONE}},
	{"MOVBE", {X86_MOVBE, ISA_NONE}},
	{"XSAVE", {X86_XSAVE, ISA_NONE}},
	{"XSAVEOPT", {X86_XSAVEOPT, ISA_NONE}},
	{"XSAVEC", {X86_XSAVEC, ISA_NONE}},
	{"XSAVES", {X86_XSAVES, ISA_NONE}},
	{"AVX", {X86_AVX, ISA_NONE}},
	{"AVX2", {X86_AVX2, ISA_NONE}},
	{"AVX2GATHER", {X86_AVX2, ISA_NONE}},
	{"BMI1", {X86_BMI, ISA_NONE}},
	{"BMI2", {X86_BMI2, ISA_NONE}},
	{"F16C", {X86_F16C, ISA_NONE}},
	{"FMA", {X86_FMA, ISA_NONE}},
	{"FMA4", {X86_FMA4, ISA_NONE}},
	{"XOP", {X86_XOP, ISA_NONE}},
	{"TBM", {X86_TBM, ISA_NONE}},
	{"LWP", {X86_LWP, ISA_NONE}},
	{"AES", {X86_AES, ISA_NONE}},
	{"AVXAES", {X86_AES, X86_AVX}},
	{"PCLMULQDQ", {X86_PCLMUL, ISA_NONE}},
	{"RDWRFSGS", {X86_FSGSBASE, ISA_NONE}},
	{"RDRAND", {X86_RDRND, ISA_NONE}},
	{"RDSEED", {X86_RDSEED, ISA_NONE}},
	{"ADOX_ADCX", {X86_ADX, ISA_NONE}},
	{"RTM", {X86_RTM, ISA_NONE}},
	{"SHA", {X86_SHA, ISA_NONE}},
	{"CLFLUSHOPT", {X86_CLFLUSHOPT, ISA_NONE}},
	{"CLWB", {X86_CLWB, ISA_NONE}},
	{"CLZERO", {X86_CLZERO, ISA_NONE}},
	{"MONITORX", {X86_MWAITX, ISA_NONE}},
	{"PKU", {X86_PKU, ISA_NONE}},
	{"RDPID", {X86_RDPID, ISA_NONE}},
	{"RDPRU", {X86_RDPRU, ISA_NONE}},
	{"AVX512F", {X86_AVX512F, ISA_NONE}},
	{"AVX512CD", {X86_AVX512CD, ISA_NONE}},
	{"AVX512BW", {X86_AVX512BW, ISA_NONE}},
	{"AVX512DQ", {X86_AVX512DQ, ISA_NONE}},
	{"AVX512ER", {X86_AVX512ER, ISA_NONE}},
	{"AVX512PF", {X86_AVX512PF, ISA_NONE}},
	{"AVX512_IFMA", {X86_AVX512IFMA, ISA_NONE}},
	{"AVX512_VBMI", {X86_AVX512VBMI, ISA_NONE}},
	{"AVX512_4FMAPS", {X86_AVX5124FMAPS, ISA_NONE}},
	{"AVX512_4VNNIW", {X86_AVX5124VNNIW, ISA_NONE}},
	{"AVX512_VPOPCNTDQ", {X86_AVX512VPOPCNTDQ, ISA_NONE}},
	{"AVX512_VBMI2", {X86_AVX512VBMI2, ISA_NONE}},
	{"AVX512_VNNI", {X86_AVX512VNNI, ISA_NONE}},
	{"AVX512_BITALG", {X86_AVX512BITALG, ISA_NONE}},
	{"AVX512_BF16", {X86_AVX512BF16, ISA_NONE}},
	{"AVX512_VP2INTERSECT", {X86_AVX512VP2INTERSECT, ISA_NONE}},
	{"AVX512_FP16", {X86_AVX512FP16, ISA_NONE}},
	{"AVX512_GFNI", {X86_GFNI, X86_AVX512F}},
	{"AVX512_VAES", {X86_VAES, X86_AVX512F}},
	{"AVX512_VPCLMULQDQ", {X86_VPCLMULQDQ, X86_AVX512F}},
	{"GFNI", {X86_GFNI, ISA_NONE}},
	{"AVX_GFNI", {X86_GFNI, X86_AVX}},
	{"VAES", {X86_VAES, X86_AVX}},
	{"VPCLMULQDQ", {X86_VPCLMULQDQ, X86_AVX}},
	{"MOVDIR", {X86_MOVDIRI, ISA_NONE}},
	{"CET", {X86_SHSTK, ISA_NONE}},
	{"WAITPKG", {X86_WAITPKG, ISA_NONE}},
	{"ENQCMD", {X86_ENQCMD, ISA_NONE}},
	{"SERIALIZE", {X86_SERIALIZE, ISA_NONE}},
	{"PT", {X86_PTWRITE, ISA_NONE}},
	{"TSX_LDTRK", {X86_TSXLDTRK, ISA_NONE}},
	{"UINTR", {X86_UINTR, ISA_NONE}},
	{"KEYLOCKER", {X86_KL, ISA_NONE}},
	{"KEYLOCKER_WIDE", {X86_WIDEKL, ISA_NONE}},
	{"AMX_TILE", {X86_AMX_TILE, ISA_NONE}},
	{"AMX_INT8", {X86_AMX_INT8, ISA_NONE}},
	{"AMX_BF16", {X86_AMX_BF16, ISA_NONE}},
	{"AMX_FP16", {X86_AMX_FP16, ISA_NONE}},
	{"AVX_VNNI", {X86_AVXVNNI, ISA_NONE}},
	{"AVX_IFMA", {X86_AVXIFMA, ISA_NONE}},
	{"AVX_NE_CONVERT", {X86_AVXNECONVERT, ISA_NONE}},
	{"AVX_VNNI_INT8", {X86_AVXVNNIINT8, ISA_NONE}},
	{"AVX_VNNI_INT16", {X86_AVXVNNIINT16, ISA_NONE}},
	{"RAO_INT", {X86_RAOINT, ISA_NONE}},
	{"SHA512", {X86_SHA512, ISA_NONE}},
	{"SM3", {X86_SM3, ISA_NONE}},
	{"SM4", {X86_SM4, ISA_NONE}},
};

/* Sets whose instructions work on general registers, tiles or memory alone. */
static bool has_vectors(enum isa_set set)
{
	static const enum isa_set with[] = {X86_SSE, X86_SSE2, X86_SSE3, X86_SSSE3, X86_SSE4_1, X86_SSE4_2,
		X86_SSE4A, X86_AVX, X86_AVX2, X86_F16C, X86_FMA, X86_FMA4, X86_XOP, X86_AES, X86_PCLMUL,
		X86_SHA, X86_AVX512F, X86_AVX512CD, X86_AVX512BW, X86_AVX512DQ, X86_AVX512ER, X86_AVX512IFMA,
		X86_AVX512VBMI, X86_AVX5124FMAPS, X86_AVX5124VNNIW, X86_AVX512VPOPCNTDQ, X86_AVX512VBMI2,
		X86_AVX512VNNI, X86_AVX512BITALG, X86_GFNI, X86_VAES, X86_VPCLMULQDQ, X86_AVX512BF16,
		X86_AVX512VP2INTERSECT, X86_AVX512FP16, X86_AVXVNNI, X86_AVXIFMA, X86_AVXNECONVERT,
		X86_AVXVNNIINT8, X86_AVXVNNIINT16, X86_SHA512, X86_SM3, X86_SM4, X86_KL};

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		if (with[i] == set)
			return true;
	return false;
}

/* Takes the ending off; _128 and _256 of AVX-512 need its vector length extensions, _128N are scalar in all but name. */
static size_t without_ending(const char *name, bool *lengths, bool *scalar, bool *mask)
{
	static const char *const endings[] = {"_128", "_256", "_512", "_128N", "_SCALAR", "_KOP"};
	const size_t n = strlen(name);

	*lengths = *scalar = *mask = false;
	if (!text_starts(name, "AVX512"))
		return n;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (!text_ends(name, endings[i]))
			continue;
		*lengths = i < 2;
		*scalar = i == 3 || i == 4;
		*mask = i == 5;
		return n - strlen(endings[i]);
	}
	return n;
}

struct x86_needs x86_needs_of(const char *name)
{
	struct x86_needs needs = {.sets = {ISA_NONE, ISA_NONE, ISA_NONE}};
	bool lengths, mask;
	const size_t n = name != NULL ? without_ending(name, &lengths, &needs.scalar, &mask) : 0;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]) && n > 0; i++) {
		if (strlen(named[i].name) != n || strncmp(named[i].name, name, n) != 0)
			continue;
		needs.sets[needs.count++] = named[i].sets[0];
		if (named[i].sets[1] != ISA_NONE)
			needs.sets[needs.count++] = named[i].sets[1];
		if (lengths)
			needs.sets[needs.count++] = X86_AVX512VL;
		needs.vector = !mask && has_vectors(named[i].sets[0]);
		return needs;
	}
	return needs;
}
