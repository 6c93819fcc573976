#include "code/isa.h"

#include <stdio.h>
#include <string.h>

#include "code/isa_sets.h"

#define X86  .machine = "x86_64"
#define ARM  .machine = "aarch64"
#define V(n) .level = "x86-64-v" #n
#define A(n) .level = "armv8." #n "-a"

/* The kernel tells xsave and not osxsave, which level 3 names: it hides xsave where it did not switch it on. */
static const struct code_isa_name names[ISA_SET_COUNT] = {
	[X86_MMX] = {X86, .name = "mmx", .kernel = "mmx", .option = "-mmmx", V(1), .baseline = true},
	[X86_SSE] = {X86, .name = "sse", .kernel = "sse", .option = "-msse", V(1), .baseline = true},
	[X86_SSE2] = {X86, .name = "sse2", .kernel = "sse2", .option = "-msse2", V(1), .baseline = true},
	[X86_CX16] = {X86, .name = "cx16", .kernel = "cx16", .option = "-mcx16", V(2)},
	[X86_SAHF] = {X86, .name = "sahf", .kernel = "lahf_lm", .option = "-msahf", V(2)},
	[X86_SSE3] = {X86, .name = "sse3", .kernel = "pni", .option = "-msse3", V(2)},
	[X86_SSSE3] = {X86, .name = "ssse3", .kernel = "ssse3", .option = "-mssse3", V(2)},
	[X86_SSE4_1] = {X86, .name = "sse4.1", .kernel = "sse4_1", .option = "-msse4.1", V(2)},
	[X86_SSE4_2] = {X86, .name = "sse4.2", .kernel = "sse4_2", .option = "-msse4.2", V(2)},
	[X86_POPCNT] = {X86, .name = "popcnt", .kernel = "popcnt", .option = "-mpopcnt", V(2)},
	[X86_3DNOW] = {X86, .name = "3dnow", .kernel = "3dnow", .option = "-m3dnow"},
	[X86_SSE4A] = {X86, .name = "sse4a", .kernel = "sse4a", .option = "-msse4a"},
	[X86_LZCNT] = {X86, .name = "lzcnt", .kernel = "abm", .option = "-mlzcnt", V(3)},
	[X86_RDTSCP] = {X86, .name = "rdtscp", .kernel = "rdtscp"},
	[X86_MOVBE] = {X86, .name = "movbe", .kernel = "movbe", .option = "-mmovbe", V(3)},
	[X86_XSAVE] = {X86, .name = "xsave", .kernel = "xsave", .option = "-mxsave", V(3)},
	[X86_XSAVEOPT] = {X86, .name = "xsaveopt", .kernel = "xsaveopt", .option = "-mxsaveopt"},
	[X86_XSAVEC] = {X86, .name = "xsavec", .kernel = "xsavec", .option = "-mxsavec"},
	[X86_XSAVES] = {X86, .name = "xsaves", .kernel = "xsaves", .option = "-mxsaves"},
	[X86_AVX] = {X86, .name = "avx", .kernel = "avx", .option = "-mavx", V(3)},
	[X86_AVX2] = {X86, .name = "avx2", .kernel = "avx2", .option = "-mavx2", V(3)},
	[X86_BMI] = {X86, .name = "bmi", .kernel = "bmi1", .option = "-mbmi", V(3)},
	[X86_BMI2] = {X86, .name = "bmi2", .kernel = "bmi2", .option = "-mbmi2", V(3)},
	[X86_F16C] = {X86, .name = "f16c", .kernel = "f16c", .option = "-mf16c", V(3)},
	[X86_FMA] = {X86, .name = "fma", .kernel = "fma", .option = "-mfma", V(3)},
	[X86_FMA4] = {X86, .name = "fma4", .kernel = "fma4", .option = "-mfma4"},
	[X86_XOP] = {X86, .name = "xop", .kernel = "xop", .option = "-mxop"},
	[X86_TBM] = {X86, .name = "tbm", .kernel = "tbm", .option = "-mtbm"},
	[X86_LWP] = {X86, .name = "lwp", .kernel = "lwp", .option = "-mlwp"},
	[X86_AES] = {X86, .name = "aes", .kernel = "aes", .option = "-maes"},
	[X86_PCLMUL] = {X86, .name = "pclmul", .kernel = "pclmulqdq", .option = "-mpclmul"},
	[X86_FSGSBASE] = {X86, .name = "fsgsbase", .kernel = "fsgsbase", .option = "-mfsgsbase"},
	[X86_RDRND] = {X86, .name = "rdrnd", .kernel = "rdrand", .option = "-mrdrnd"},
	[X86_RDSEED] = {X86, .name = "rdseed", .kernel = "rdseed", .option = "-mrdseed"},
	[X86_ADX] = {X86, .name = "adx", .kernel = "adx", .option = "-madx"},
	[X86_RTM] = {X86, .name = "rtm", .kernel = "rtm", .option = "-mrtm"},
	[X86_SHA] = {X86, .name = "sha", .kernel = "sha_ni", .option = "-msha"},
	[X86_CLFLUSHOPT] = {X86, .name = "clflushopt", .kernel = "clflushopt", .option = "-mclflushopt"},
	[X86_CLWB] = {X86, .name = "clwb", .kernel = "clwb", .option = "-mclwb"},
	[X86_CLZERO] = {X86, .name = "clzero", .kernel = "clzero", .option = "-mclzero"},
	[X86_MWAITX] = {X86, .name = "mwaitx", .kernel = "mwaitx", .option = "-mmwaitx"},
	[X86_PKU] = {X86, .name = "pku", .kernel = "ospke", .option = "-mpku"},
	[X86_RDPID] = {X86, .name = "rdpid", .kernel = "rdpid", .since = 5000, .option = "-mrdpid"},
	[X86_RDPRU] = {X86, .name = "rdpru", .kernel = "rdpru", .since = 5006},
	[X86_AVX512F] = {X86, .name = "avx512f", .kernel = "avx512f", .option = "-mavx512f", V(4)},
	[X86_AVX512CD] = {X86, .name = "avx512cd", .kernel = "avx512cd", .option = "-mavx512cd", V(4)},
	[X86_AVX512BW] = {X86, .name = "avx512bw", .kernel = "avx512bw", .option = "-mavx512bw", V(4)},
	[X86_AVX512DQ] = {X86, .name = "avx512dq", .kernel = "avx512dq", .option = "-mavx512dq", V(4)},
	[X86_AVX512VL] = {X86, .name = "avx512vl", .kernel = "avx512vl", .option = "-mavx512vl", V(4)},
	[X86_AVX512ER] = {X86, .name = "avx512er", .kernel = "avx512er", .option = "-mavx512er"},
	[X86_AVX512PF] = {X86, .name = "avx512pf", .kernel = "avx512pf", .option = "-mavx512pf"},
	[X86_AVX512IFMA] = {X86, .name = "avx512ifma", .kernel = "avx512ifma", .since = 5000,
		.option = "-mavx512ifma"},
	[X86_AVX512VBMI] = {X86, .name = "avx512vbmi", .kernel = "avx512vbmi", .since = 5000,
		.option = "-mavx512vbmi"},
	[X86_AVX5124FMAPS] = {X86, .name = "avx5124fmaps", .kernel = "avx512_4fmaps", .since = 5000,
		.option = "-mavx5124fmaps"},
	[X86_AVX5124VNNIW] = {X86, .name = "avx5124vnniw", .kernel = "avx512_4vnniw", .since = 5000,
		.option = "-mavx5124vnniw"},
	[X86_AVX512VPOPCNTDQ] = {X86, .name = "avx512vpopcntdq", .kernel = "avx512_vpopcntdq", .since = 5000,
		.option = "-mavx512vpopcntdq"},
	[X86_AVX512VBMI2] = {X86, .name = "avx512vbmi2", .kernel = "avx512_vbmi2", .since = 5000,
		.option = "-mavx512vbmi2"},
	[X86_AVX512VNNI] = {X86, .name = "avx512vnni", .kernel = "avx512_vnni", .since = 5000,
		.option = "-mavx512vnni"},
	[X86_AVX512BITALG] = {X86, .name = "avx512bitalg", .kernel = "avx512_bitalg", .since = 5000,
		.option = "-mavx512bitalg"},
	[X86_GFNI] = {X86, .name = "gfni", .kernel = "gfni", .since = 5000, .option = "-mgfni"},
	[X86_VAES] = {X86, .name = "vaes", .kernel = "vaes", .since = 5000, .option = "-mvaes"},
	[X86_VPCLMULQDQ] = {X86, .name = "vpclmulqdq", .kernel = "vpclmulqdq", .since = 5000,
		.option = "-mvpclmulqdq"},
	[X86_AVX512BF16] = {X86, .name = "avx512bf16", .kernel = "avx512_bf16", .since = 5004,
		.option = "-mavx512bf16"},
	[X86_AVX512VP2INTERSECT] = {X86, .name = "avx512vp2intersect", .kernel = "avx512_vp2intersect",
		.since = 5004, .option = "-mavx512vp2intersect"},
	[X86_SHSTK] = {X86, .name = "shstk", .kernel = "user_shstk", .since = 6007, .option = "-mshstk"},
	[X86_MOVDIRI] = {X86, .name = "movdiri", .kernel = "movdiri", .since = 5000, .option = "-mmovdiri"},
	[X86_MOVDIR64B] = {X86, .name = "movdir64b", .kernel = "movdir64b", .since = 5000,
		.option = "-mmovdir64b"},
	[X86_WAITPKG] = {X86, .name = "waitpkg", .kernel = "waitpkg", .since = 5004, .option = "-mwaitpkg"},
	[X86_ENQCMD] = {X86, .name = "enqcmd", .kernel = "enqcmd", .since = 5018, .option = "-menqcmd"},
	[X86_SERIALIZE] = {X86, .name = "serialize", .kernel = "serialize", .since = 5018,
		.option = "-mserialize"},
	[X86_PTWRITE] = {X86, .name = "ptwrite", .option = "-mptwrite"},
	[X86_TSXLDTRK] = {X86, .name = "tsxldtrk", .kernel = "tsxldtrk", .since = 5018,
		.option = "-mtsxldtrk"},
	[X86_UINTR] = {X86, .name = "uintr", .option = "-muintr"},
	[X86_KL] = {X86, .name = "kl", .option = "-mkl"},
	[X86_WIDEKL] = {X86, .name = "widekl", .option = "-mwidekl"},
	[X86_AMX_TILE] = {X86, .name = "amx-tile", .kernel = "amx_tile", .since = 5018,
		.option = "-mamx-tile"},
	[X86_AMX_INT8] = {X86, .name = "amx-int8", .kernel = "amx_int8", .since = 5018,
		.option = "-mamx-int8"},
	[X86_AMX_BF16] = {X86, .name = "amx-bf16", .kernel = "amx_bf16", .since = 5018,
		.option = "-mamx-bf16"},
	[X86_AVXVNNI] = {X86, .name = "avxvnni", .kernel = "avx_vnni", .since = 5018, .option = "-mavxvnni"},
	[X86_AVX512FP16] = {X86, .name = "avx512fp16", .kernel = "avx512_fp16", .since = 5018,
		.option = "-mavx512fp16"},
	[X86_AMX_FP16] = {X86, .name = "amx-fp16", .option = "-mamx-fp16"},
	[X86_AVXIFMA] = {X86, .name = "avxifma", .option = "-mavxifma"},
	[X86_AVXNECONVERT] = {X86, .name = "avxneconvert", .option = "-mavxneconvert"},
	[X86_AVXVNNIINT8] = {X86, .name = "avxvnniint8", .option = "-mavxvnniint8"},
	[X86_RAOINT] = {X86, .name = "raoint", .option = "-mraoint"},
	[X86_AVXVNNIINT16] = {X86, .name = "avxvnniint16", .option = "-mavxvnniint16"},
	[X86_SHA512] = {X86, .name = "sha512", .option = "-msha512"},
	[X86_SM3] = {X86, .name = "sm3", .option = "-msm3"},
	[X86_SM4] = {X86, .name = "sm4", .option = "-msm4"},

	[A64_FP] = {ARM, .name = "fp", .kernel = "fp", .option = "+fp", .level = "armv8-a", .baseline = true},
	[A64_SIMD] = {ARM, .name = "simd", .kernel = "asimd", .option = "+simd", .level = "armv8-a",
		.baseline = true},
	[A64_CRC] = {ARM, .name = "crc", .kernel = "crc32", .option = "+crc", A(1)},
	[A64_AES] = {ARM, .name = "aes", .kernel = "aes", .option = "+aes"},
	[A64_PMULL] = {ARM, .name = "pmull", .kernel = "pmull"}, /* gcc: part of +aes */
	[A64_SHA1] = {ARM, .name = "sha1", .kernel = "sha1"},	 /* gcc: part of +sha2 */
	[A64_SHA2] = {ARM, .name = "sha2", .kernel = "sha2", .option = "+sha2"},
	[A64_LSE] = {ARM, .name = "lse", .kernel = "atomics", .option = "+lse", A(1)},
	[A64_RDMA] = {ARM, .name = "rdma", .kernel = "asimdrdm", .since = 5000, .option = "+rdma", A(1)},
	[A64_LOR] = {ARM, .name = "lor", A(1)},
	[A64_DPB] = {ARM, .name = "dpb", .kernel = "dcpop", .since = 5000, A(2)},
	[A64_FP16] = {ARM, .name = "fp16", .kernel = "fphp asimdhp", .since = 5000, .option = "+fp16"},
	[A64_SHA512] = {ARM, .name = "sha512", .kernel = "sha512", .since = 5000}, /* gcc: part of +sha3 */
	[A64_SHA3] = {ARM, .name = "sha3", .kernel = "sha3", .since = 5000, .option = "+sha3"},
	[A64_SM3] = {ARM, .name = "sm3", .kernel = "sm3", .since = 5000}, /* gcc: part of +sm4 */
	[A64_SM4] = {ARM, .name = "sm4", .kernel = "sm4", .since = 5000, .option = "+sm4"},
	[A64_SVE] = {ARM, .name = "sve", .kernel = "sve", .since = 5000, .option = "+sve"},
	[A64_PAUTH] = {ARM, .name = "pauth", .kernel = "paca", .since = 5001, .option = "+pauth", A(3)},
	[A64_RCPC] = {ARM, .name = "rcpc", .kernel = "lrcpc", .since = 5000, .option = "+rcpc", A(3)},
	[A64_FCMA] = {ARM, .name = "fcma", .kernel = "fcma", .since = 5000, .option = "+fcma", A(3)},
	[A64_JSCVT] = {ARM, .name = "jscvt", .kernel = "jscvt", .since = 5000, .option = "+jscvt", A(3)},
	[A64_DOTPROD] = {ARM, .name = "dotprod", .kernel = "asimddp", .since = 5000, .option = "+dotprod",
		A(4)},
	[A64_FP16FML] = {ARM, .name = "fp16fml", .kernel = "asimdfhm", .since = 5000, .option = "+fp16fml"},
	[A64_FLAGM] = {ARM, .name = "flagm", .kernel = "flagm", .since = 5000, .option = "+flagm", A(4)},
	[A64_RCPC2] = {ARM, .name = "rcpc2", .kernel = "ilrcpc", .since = 5000, .option = "+rcpc2", A(4)},
	[A64_SB] = {ARM, .name = "sb", .kernel = "sb", .since = 5001, .option = "+sb", A(5)},
	[A64_FRINTTS] = {ARM, .name = "frintts", .kernel = "frint", .since = 5004, .option = "+frintts",
		A(5)},
	[A64_FLAGM2] = {ARM, .name = "flagm2", .kernel = "flagm2", .since = 5004, .option = "+flagm2", A(5)},
	[A64_DPB2] = {ARM, .name = "dpb2", .kernel = "dcpodp", .since = 5004, A(5)},
	[A64_MEMTAG] = {ARM, .name = "memtag", .kernel = "mte", .since = 5011, .option = "+memtag"},
	[A64_RNG] = {ARM, .name = "rng", .kernel = "rng", .since = 5011, .option = "+rng"},
	[A64_TME] = {ARM, .name = "tme", .option = "+tme"},
	[A64_I8MM] = {ARM, .name = "i8mm", .kernel = "i8mm", .since = 5011, .option = "+i8mm", A(6)},
	[A64_BF16] = {ARM, .name = "bf16", .kernel = "bf16", .since = 5011, .option = "+bf16", A(6)},
	[A64_F32MM] = {ARM, .name = "f32mm", .kernel = "svef32mm", .since = 5011, .option = "+f32mm"},
	[A64_F64MM] = {ARM, .name = "f64mm", .kernel = "svef64mm", .since = 5011, .option = "+f64mm"},
	[A64_SVE2] = {ARM, .name = "sve2", .kernel = "sve2", .since = 5004, .option = "+sve2"},
	[A64_SVE2_AES] = {ARM, .name = "sve2-aes", .kernel = "sveaes svepmull", .since = 5004,
		.option = "+sve2-aes"},
	[A64_SVE2_BITPERM] = {ARM, .name = "sve2-bitperm", .kernel = "svebitperm", .since = 5004,
		.option = "+sve2-bitperm"},
	[A64_SVE2_SHA3] = {ARM, .name = "sve2-sha3", .kernel = "svesha3", .since = 5004,
		.option = "+sve2-sha3"},
	[A64_SVE2_SM4] = {ARM, .name = "sve2-sm4", .kernel = "svesm4", .since = 5004, .option = "+sve2-sm4"},
	[A64_LS64] = {ARM, .name = "ls64", .option = "+ls64"},
	[A64_WFXT] = {ARM, .name = "wfxt", .kernel = "wfxt", .since = 6000, .option = "+wfxt", A(7)},
	[A64_SME] = {ARM, .name = "sme", .kernel = "sme", .since = 6000, .option = "+sme"},
	[A64_MOPS] = {ARM, .name = "mops", .kernel = "mops", .since = 6007, .option = "+mops", A(8)},
	[A64_HBC] = {ARM, .name = "hbc", .kernel = "hbc", .since = 6007, A(8)},
	[A64_RCPC3] = {ARM, .name = "rcpc3", .kernel = "lrcpc3", .since = 6010, .option = "+rcpc3"},
	[A64_CSSC] = {ARM, .name = "cssc", .kernel = "cssc", .since = 6003, .option = "+cssc", A(9)},
	[A64_LSE128] = {ARM, .name = "lse128", .kernel = "lse128", .since = 6010, .option = "+lse128"},
};

const struct code_isa_name *code_isa_names(size_t *count)
{
	*count = ISA_SET_COUNT;
	return names;
}

/* Does `word` of `length` letters stand among the words of a text? */
static bool among(const char *words, const char *word, size_t length)
{
	for (const char *at = words; *at != '\0';) {
		const size_t n = strcspn(at, " \t");

		if (n == length && strncmp(at, word, n) == 0)
			return true;
		at += n;
		at += strspn(at, " \t");
	}
	return false;
}

const struct code_isa_name *code_isa_name(const char *machine, const char *text)
{
	const char *plain = text_starts(text, "-m") ? text + 2 : text[0] == '+' ? text + 1 : text;
	const struct code_isa_name *found = NULL;

	for (size_t i = 0; i < ISA_SET_COUNT && found == NULL; i++)
		if (strcmp(names[i].machine, machine) == 0 && strcmp(names[i].name, plain) == 0)
			found = &names[i];
	for (size_t i = 0; i < ISA_SET_COUNT && found == NULL && plain == text; i++)
		if (strcmp(names[i].machine, machine) == 0 && names[i].kernel != NULL && text[0] != '\0' &&
			among(names[i].kernel, text, strlen(text)))
			found = &names[i];
	return found;
}

/* "6.1.0-18-amd64" as 6001; 0: no such text. */
static uint32_t release_number(const char *release)
{
	unsigned major, minor;

	if (release == NULL || sscanf(release, "%4u.%3u", &major, &minor) != 2)
		return 0;
	return 1000 * major + minor;
}

static bool has_all(const char *wanted, const char *flags)
{
	for (const char *at = wanted; *at != '\0';) {
		const size_t n = strcspn(at, " ");

		if (!among(flags, at, n))
			return false;
		at += n;
		at += strspn(at, " ");
	}
	return true;
}

enum code_isa_has code_isa_cpu_has(
	const char *machine, const char *name, const char *flags, const char *kernel_release)
{
	const struct code_isa_name *set = code_isa_name(machine, name);

	if (set == NULL || set->kernel == NULL)
		return ISA_UNTOLD;
	if (has_all(set->kernel, flags))
		return ISA_HAS;
	return release_number(kernel_release) < set->since ? ISA_UNTOLD : ISA_LACKS;
}
