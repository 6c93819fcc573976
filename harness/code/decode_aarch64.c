#include "code/decode.h"

#include <string.h>

#include "base/mem.h"

/*
 * The instructions beyond Armv8.0 as masks over their words, from the encoding tables of the Arm ARM (DDI 0487, C4
 * "A64 Instruction Set Encoding"). An instruction may stand in two sets; the first entry that fits a word holds, so that
 * exceptions stand before what they are an exception of. What is newer than this table and lies in SVE's or SME's
 * part of the encodings counts as SVE or SME; elsewhere it is not seen.
 */
struct pattern {
	uint32_t mask, value;
	enum isa_set sets[2];
	const char *mnemonic; /* of the instruction, or of the group */
};

#define ONE(mask, value, set, mnemonic)                                                                      \
	{                                                                                                    \
		0x##mask, 0x##value, {A64_##set, ISA_NONE}, mnemonic                                         \
	}
#define TWO(mask, value, set, too, mnemonic)                                                                 \
	{                                                                                                    \
		0x##mask, 0x##value, {A64_##set, A64_##too}, mnemonic                                        \
	}
#define BASE(mask, value)                                                                                    \
	{                                                                                                    \
		0x##mask, 0x##value, {ISA_NONE, ISA_NONE}, ""                                                \
	}

static const struct pattern patterns[] = {
	/* loads and stores */
	ONE(3ffffc00, 38bfc000, RCPC, "ldapr"),
	ONE(fffffc00, f83f9000, LS64, "st64b"),
	ONE(fffffc00, f83fd000, LS64, "ld64b"),
	ONE(ffe0fc00, f820b000, LS64, "st64bv"),
	ONE(ffe0fc00, f820a000, LS64, "st64bv0"),
	ONE(3f20fc00, 38200000, LSE, "ldadd"),
	ONE(3f20fc00, 38201000, LSE, "ldclr"),
	ONE(3f20fc00, 38202000, LSE, "ldeor"),
	ONE(3f20fc00, 38203000, LSE, "ldset"),
	ONE(3f20fc00, 38204000, LSE, "ldsmax"),
	ONE(3f20fc00, 38205000, LSE, "ldsmin"),
	ONE(3f20fc00, 38206000, LSE, "ldumax"),
	ONE(3f20fc00, 38207000, LSE, "ldumin"),
	ONE(3f20fc00, 38208000, LSE, "swp"),
	ONE(3fa07c00, 08a07c00, LSE, "cas"),
	ONE(bfa07c00, 08207c00, LSE, "casp"),
	ONE(3fe08000, 08c00000, LOR, "ldlar"),
	ONE(3fe08000, 08800000, LOR, "stllr"),
	ONE(ff200400, f8200400, PAUTH, "ldra"),
	ONE(ff20fc00, 19201000, LSE128, "ldclrp"),
	ONE(ff20fc00, 19203000, LSE128, "ldsetp"),
	ONE(ff20fc00, 19208000, LSE128, "swpp"),
	ONE(3f200c00, 19000000, RCPC2, "ldapur"),
	ONE(3b200c00, 19000400, MOPS, "cpy"),
	ONE(bf200c00, 99000800, RCPC3, "ldiapp"),
	ONE(3f200c00, 1d000800, RCPC3, "ldapur"),
	ONE(bfbffc00, 0d018400, RCPC3, "ldap1"),
	ONE(ff200000, d9200000, MEMTAG, "stg"),
	ONE(ffc00000, 68800000, MEMTAG, "stgp"),
	ONE(ffc00000, 69000000, MEMTAG, "stgp"),
	ONE(ffc00000, 69800000, MEMTAG, "stgp"),
	/* immediates */
	ONE(ffc0c000, 91800000, MEMTAG, "addg"),
	ONE(ffc0c000, d1800000, MEMTAG, "subg"),
	ONE(7ff00000, 11c00000, CSSC, "smax"),
	/* registers */
	ONE(7fe0e000, 1ac04000, CRC, "crc32"),
	ONE(7fe0f000, 1ac06000, CSSC, "smax"),
	ONE(7ffffc00, 5ac02000, CSSC, "abs"),
	ONE(7ffff800, 5ac01800, CSSC, "ctz"),
	ONE(ffff0000, dac10000, PAUTH, "pac"),
	ONE(ffe0fc00, 9ac03000, PAUTH, "pacga"),
	ONE(ffe0fc00, 9ac01000, MEMTAG, "irg"),
	ONE(ffe0fc00, 9ac01400, MEMTAG, "gmi"),
	ONE(dfe0fc00, 9ac00000, MEMTAG, "subp"),
	ONE(ffe07c10, ba000400, FLAGM, "rmif"),
	ONE(ffffbc1f, 3a00080d, FLAGM, "setf"),
	/* branches, system */
	ONE(fe1ff800, d61f0800, PAUTH, "bra"),
	ONE(ff000010, 54000010, HBC, "bc"),
	ONE(ffffffff, d500401f, FLAGM, "cfinv"),
	ONE(ffffffdf, d500401f, FLAGM2, "xaflag"),
	ONE(ffffffff, d500405f, FLAGM2, "axflag"),
	ONE(ffffffff, d50330ff, SB, "sb"),
	ONE(ffffffc0, d5031000, WFXT, "wfet"),
	ONE(ffffffe0, d50b7c20, DPB, "dc cvap,"),
	ONE(ffffffe0, d50b7d20, DPB2, "dc cvadp,"),
	ONE(ffffffc0, d53b2400, RNG, "mrs rndr,"),
	ONE(ffffffe0, d5233060, TME, "tstart"),
	ONE(ffffffff, d503307f, TME, "tcommit"),
	ONE(ffe0001f, d4600000, TME, "tcancel"),
	ONE(fffff0ff, d503407f, SME, "smstart"),
	/* cryptography */
	ONE(ffffcc00, 4e284800, AES, "aes"),
	ONE(bfe0fc00, 0ee0e000, PMULL, "pmull"),
	ONE(ffe0cc00, 5e000000, SHA1, "sha1"),
	ONE(ffffec00, 5e280800, SHA1, "sha1"),
	ONE(ffe0ec00, 5e004000, SHA2, "sha256h"),
	ONE(ffe0fc00, 5e006000, SHA2, "sha256su1"),
	ONE(fffffc00, 5e282800, SHA2, "sha256su0"),
	ONE(ffe0fc00, ce608c00, SHA3, "rax1"),
	ONE(ffe0f000, ce608000, SHA512, "sha512h"),
	ONE(fffffc00, cec08000, SHA512, "sha512su0"),
	ONE(ffc08000, ce000000, SHA3, "eor3"),
	ONE(ffe00000, ce800000, SHA3, "xar"),
	ONE(ffe08000, ce400000, SM3, "sm3ss1"),
	ONE(ffe0c000, ce408000, SM3, "sm3tt"),
	ONE(ffe0f800, ce60c000, SM3, "sm3partw"),
	ONE(ffe0fc00, ce60c800, SM4, "sm4ekey"),
	ONE(fffffc00, cec08400, SM4, "sm4e"),
	/* floating point and vectors */
	ONE(bf20fc00, 2e008400, RDMA, "sqrdmlah"),
	ONE(bf20fc00, 2e008c00, RDMA, "sqrdmlsh"),
	ONE(ff20fc00, 7e008400, RDMA, "sqrdmlah"),
	ONE(ff20fc00, 7e008c00, RDMA, "sqrdmlsh"),
	ONE(bf00f400, 2f00d000, RDMA, "sqrdmlah"),
	ONE(bf00f400, 2f00f000, RDMA, "sqrdmlsh"),
	ONE(ff00f400, 7f00d000, RDMA, "sqrdmlah"),
	ONE(ff00f400, 7f00f000, RDMA, "sqrdmlsh"),
	ONE(9fe0fc00, 0e809400, DOTPROD, "dot"),
	ONE(9fc0f400, 0f80e000, DOTPROD, "dot"),
	ONE(dfe0fc00, 4e80a400, I8MM, "mmla"),
	ONE(ffe0fc00, 4e80ac00, I8MM, "usmmla"),
	ONE(bfe0fc00, 0e809c00, I8MM, "usdot"),
	ONE(bfc0f400, 0f80f000, I8MM, "usdot"),
	ONE(bfc0f400, 0f00f000, I8MM, "sudot"),
	ONE(bfe0fc00, 2e40fc00, BF16, "bfdot"),
	ONE(bfc0f400, 0f40f000, BF16, "bfdot"),
	ONE(ffe0fc00, 6e40ec00, BF16, "bfmmla"),
	ONE(bfe0fc00, 2ec0fc00, BF16, "bfmlal"),
	ONE(bfc0f400, 0fc0f000, BF16, "bfmlal"),
	ONE(fffffc00, 1e634000, BF16, "bfcvt"),
	ONE(bffffc00, 0ea16800, BF16, "bfcvtn"),
	ONE(bf20ec00, 2e00e400, FCMA, "fcadd"),
	ONE(bf20e400, 2e00c400, FCMA, "fcmla"),
	ONE(bf009400, 2f001000, FCMA, "fcmla"),
	ONE(fffffc00, 1e7e0000, JSCVT, "fjcvtzs"),
	ONE(ffbe7c00, 1e284000, FRINTTS, "frint"),
	ONE(9fbfec00, 0e21e800, FRINTTS, "frint"),
	ONE(bf60fc00, 0e20ec00, FP16FML, "fmlal"),
	ONE(bf60fc00, 2e20cc00, FP16FML, "fmlal2"),
	ONE(bfc0b400, 0f800000, FP16FML, "fmlal"),
	ONE(bfc0b400, 2f808000, FP16FML, "fmlal2"),
	BASE(ffff7c00, 1ee24000), /* fcvt of half precision to single and double */
	ONE(7fc00000, 1ec00000, FP16, "half precision"),
	ONE(ffc00000, 1fc00000, FP16, "half precision"),
	ONE(9f60c400, 0e400400, FP16, "half precision"),
	ONE(df60c400, 5e400400, FP16, "half precision"),
	ONE(9f7e0c00, 0e780800, FP16, "half precision"),
	ONE(df7e0c00, 5e780800, FP16, "half precision"),
	ONE(bf7ffc00, 0e30c800, FP16, "half precision"),
	ONE(bf7ffc00, 0e30f800, FP16, "half precision"),
	ONE(ff3fcc00, 5e30c800, FP16, "half precision"),
	ONE(9fc0b400, 0f001000, FP16, "half precision"),
	ONE(dfc0b400, 5f001000, FP16, "half precision"),
	ONE(9fc0f400, 0f009000, FP16, "half precision"),
	ONE(dfc0f400, 5f009000, FP16, "half precision"),
	ONE(bff8fc00, 0f00fc00, FP16, "half precision"),
	ONE(9ff0fc00, 0f10e400, FP16, "half precision"),
	ONE(9ff0fc00, 0f10fc00, FP16, "half precision"),
	ONE(dff0fc00, 5f10e400, FP16, "half precision"),
	ONE(dff0fc00, 5f10fc00, FP16, "half precision"),
	/* SME's instructions among those of SVE */
	ONE(fffff800, 04bf5800, SME, "rdsvl"),
	ONE(ffe0f800, 04205800, SME, "addsvl"),
	ONE(ffe0f800, 04605800, SME, "addspl"),
	/* SVE2, what goes with it, and matrix products */
	TWO(ffe0fc00, 45009800, SVE, I8MM, "smmla"),
	TWO(ffe0fc00, 45809800, SVE, I8MM, "usmmla"),
	TWO(ffe0fc00, 45c09800, SVE, I8MM, "ummla"),
	TWO(ffe0fc00, 44807800, SVE, I8MM, "usdot"),
	TWO(ffe0f800, 44a01800, SVE, I8MM, "usdot"),
	TWO(ffffe000, 658aa000, SVE, BF16, "bfcvt"),
	TWO(ffffe000, 648aa000, SVE, BF16, "bfcvtnt"),
	TWO(ffe0fc00, 64608000, SVE, BF16, "bfdot"),
	TWO(ffe0fc00, 64604000, SVE, BF16, "bfdot"),
	TWO(ffe0fc00, 6460e400, SVE, BF16, "bfmmla"),
	TWO(ffe0f800, 64e08000, SVE, BF16, "bfmlal"),
	TWO(ffe0f000, 64e04000, SVE, BF16, "bfmlal"),
	ONE(ffe0fc00, 64a0e400, F32MM, "fmmla"),
	ONE(ffe0fc00, 64e0e400, F64MM, "fmmla"),
	ONE(fe60e000, a4200000, F64MM, "ld1ro"),
	ONE(fe70e000, a4202000, F64MM, "ld1ro"),
	ONE(ffe0e000, 05a00000, F64MM, "zip"),
	ONE(fffff800, 4522e000, SVE2_AES, "aes"),
	ONE(fffffbe0, 4520e000, SVE2_AES, "aesmc"),
	ONE(ffe0f800, 45006800, SVE2_AES, "pmull"),
	ONE(fffffc00, 4523e000, SVE2_SM4, "sm4e"),
	ONE(ffe0fc00, 4520f000, SVE2_SM4, "sm4ekey"),
	ONE(ffe0fc00, 4520f400, SVE2_SHA3, "rax1"),
	ONE(ff20f800, 4500b000, SVE2_BITPERM, "bext"),
	ONE(ff20fc00, 4500b800, SVE2_BITPERM, "bgrp"),
	ONE(ffa0f800, 44800000, SVE, "dot"),
	ONE(ffa0f800, 44a00000, SVE, "dot"),
	ONE(ff000000, 44000000, SVE2, "sve2"),
	ONE(ff000000, 45000000, SVE2, "sve2"),
	ONE(ff20f000, 04206000, SVE2, "mul"),
	ONE(ff20f800, 04207000, SVE2, "sqdmulh"),
	ONE(ff20fc00, 04203400, SVE2, "xar"),
	ONE(ff20f800, 04203800, SVE2, "eor3"),
	ONE(ff3ee000, 04068000, SVE2, "sqshl"),
	ONE(ff3ee000, 040c8000, SVE2, "srshr"),
	ONE(ff3fe000, 040f8000, SVE2, "sqshlu"),
	ONE(ffe0e000, 05600000, SVE2, "ext"),
	ONE(ff20f800, 05202800, SVE2, "tbl"),
	ONE(ff3fe000, 052d8000, SVE2, "splice"),
	ONE(ff20e400, 25200000, SVE2, "while"),
	ONE(ff20fc00, 25203000, SVE2, "whilewr"),
	ONE(ff38e000, 64108000, SVE2, "faddp"),
	ONE(ff3ce000, 6408a000, SVE2, "fcvtnt"),
	ONE(ffe0d800, 64a08000, SVE2, "fmlalb"),
	ONE(ffe0d000, 64a04000, SVE2, "fmlalb"),
	ONE(ffffe000, 650aa000, SVE2, "fcvtx"),
	ONE(fff9e000, 6518a000, SVE2, "flogb"),
	ONE(fe60c000, 84008000, SVE2, "ldnt1"),
	ONE(fe60a000, c4008000, SVE2, "ldnt1"),
	ONE(fe60e000, e4002000, SVE2, "stnt1"),
	ONE(fe60e000, e4402000, SVE2, "stnt1"),
	ONE(1e000000, 04000000, SVE, "sve"),
	ONE(9e000000, 80000000, SME, "sme"),
};

enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]), BUCKETS = 256 };

/* Which patterns can fit a word, by its first byte. */
struct a64_decoder {
	uint8_t fitting[BUCKETS][PATTERNS];
	uint8_t count[BUCKETS];
};

_Static_assert(PATTERNS <= UINT8_MAX, "an index of a pattern is a byte");

struct a64_decoder *a64_decoder_new(void)
{
	struct a64_decoder *decoder = mem_alloc(sizeof(*decoder));

	for (uint32_t byte = 0; byte < BUCKETS; byte++)
		for (uint32_t i = 0; i < PATTERNS; i++)
			if ((((byte << 24) ^ patterns[i].value) & patterns[i].mask & 0xff000000) == 0)
				decoder->fitting[byte][decoder->count[byte]++] = (uint8_t)i;
	return decoder;
}

void a64_decoder_free(struct a64_decoder *decoder)
{
	mem_free(decoder);
}

static uint32_t word_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* Instructions are little-endian on every aarch64. */
static const struct pattern *find(const struct a64_decoder *decoder, uint32_t word)
{
	const uint32_t byte = word >> 24;

	for (size_t i = 0; i < decoder->count[byte]; i++) {
		const struct pattern *pattern = &patterns[decoder->fitting[byte][i]];

		if ((word & pattern->mask) == pattern->value)
			return pattern;
	}
	return NULL;
}

/* Does a word belong to what Armv8.0 has of scalar floating point, of vectors? ISA_NONE: to neither. */
static enum isa_set baseline_of(uint32_t word)
{
	const bool loads = (word & 0x0a000000) == 0x08000000, fp_or_simd = (word & 0x04000000) != 0;

	if (!fp_or_simd)
		return ISA_NONE;
	if ((word & 0x0e000000) == 0x0e000000)
		return (word & 0x50000000) == 0x10000000 ? A64_FP : A64_SIMD;
	if (!loads)
		return ISA_NONE;
	/* ld1 and the like are vectors', others of 128 bits, too: ldr q (size 00, opc 1x) and ldp q (opc 10) */
	if ((word & 0xbe000000) == 0x0c000000)
		return A64_SIMD;
	if ((word & 0x3a000000) == 0x28000000)
		return word >> 30 == 2 ? A64_SIMD : A64_FP;
	if ((word & 0x3b000000) == 0x18000000)
		return word >> 30 == 2 ? A64_SIMD : A64_FP;
	return word >> 30 == 0 && (word & 0x00800000) != 0 ? A64_SIMD : A64_FP;
}

static void add(struct decode_tally *tally, enum isa_set set, const char *mnemonic, uint32_t word,
	struct decode_place place)
{
	struct decode_found *found = &tally->sets[set];

	if (found->count++ > 0)
		return;
	found->first = place;
	found->text = arena_printf(tally->arena, "%s 0x%08x", mnemonic, (unsigned)word);
}

static void count(const struct a64_decoder *decoder, uint32_t word, struct decode_place place,
	struct decode_tally *tally)
{
	const struct pattern *pattern = find(decoder, word);
	enum isa_set baseline;

	/* mrs Xt, ID_...: op0 3, op1 0, CRn 0 */
	if ((word & 0xfffff000) == 0xd5380000 && tally->probe.section == 0)
		tally->probe = place;
	for (size_t i = 0; pattern != NULL && i < 2 && pattern->sets[i] != ISA_NONE; i++) {
		add(tally, pattern->sets[i], pattern->mnemonic, word, place);
		tally->scalable |= (word & 0x1e000000) == 0x04000000 || pattern->sets[i] == A64_SME;
	}
	baseline = baseline_of(word);
	if (baseline == ISA_NONE)
		return;
	tally->vector_bits = 128;
	if (pattern == NULL || pattern->sets[0] == ISA_NONE)
		add(tally, baseline, baseline == A64_FP ? "floating point" : "vector", word, place);
}

/* Reserved: no CPU has an instruction there, but UDF, which is a trap. */
static bool is_reserved(uint32_t word)
{
	return (word & 0x9e000000) == 0 || (word & 0x1e000000) == 0x02000000 ||
	       (word & 0x1e000000) == 0x06000000;
}

void a64_decode(const struct a64_decoder *decoder, const struct decode_run *run, struct decode_tally *tally)
{
	for (uint64_t at = (4 - run->address % 4) % 4; at + 4 <= run->size; at += 4) {
		const struct decode_place place = {run->address + at, run->section};
		const uint32_t word = word_at(run->bytes + at);

		if (is_reserved(word) && word >> 16 != 0) {
			if (tally->bad_bytes == 0)
				tally->bad = place;
			tally->bad_bytes += 4;
			continue;
		}
		count(decoder, word, place, tally);
		tally->instructions++;
		tally->decoded_bytes += 4;
	}
}

uint64_t a64_padding(const struct decode_run *run)
{
	uint64_t at = 0;

	while (at + 4 <= run->size &&
		(word_at(run->bytes + at) == 0xd503201f || word_at(run->bytes + at) == 0))
		at += 4;
	return run->size - at < 4 ? run->size : at;
}
