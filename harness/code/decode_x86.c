#include "code/decode.h"

#include "base/mem.h"
#include "code/isa.h"
#include "code/x86_sets.h"

/* Rises when the same code gives other sets, by decode_aarch64.c or by what is made here of Zydis' answers. */
#define TABLE "own table 1"

#ifdef HAVE_ZYDIS

#include <Zydis/Zydis.h>

struct x86_decoder {
	ZydisDecoder zydis; /* minimal: mnemonic, set and encoding */
	ZydisDecoder full;  /* operands, too, for texts */
	ZydisFormatter formatter;
	struct x86_needs needs[ZYDIS_ISA_SET_MAX_VALUE + 1];
};

const char *code_isa_source(void)
{
	/* the version of the headers, which the library's must match as far as its name does */
	switch (ZYDIS_VERSION_MAJOR(ZYDIS_VERSION) << 8 | ZYDIS_VERSION_MINOR(ZYDIS_VERSION)) {
	case 4 << 8:
		return "machine code (Zydis 4.0, " TABLE ")";
	case 4 << 8 | 1:
		return "machine code (Zydis 4.1, " TABLE ")";
	default:
		return "machine code (Zydis, " TABLE ")";
	}
}

static void init_decoder(ZydisDecoder *zydis)
{
	ZydisDecoderInit(zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	/* These read encodings that do nothing, or the same as before, on CPUs that do not know them. */
	ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
	ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_CET, ZYAN_FALSE);
	ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_TZCNT, ZYAN_FALSE);
	ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_CLDEMOTE, ZYAN_FALSE);
	ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_WBNOINVD, ZYAN_FALSE);
}

struct x86_decoder *x86_decoder_new(void)
{
	struct x86_decoder *decoder = mem_alloc(sizeof(*decoder));

	init_decoder(&decoder->full);
	init_decoder(&decoder->zydis);
	ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	ZydisFormatterInit(&decoder->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	for (int i = 0; i <= ZYDIS_ISA_SET_MAX_VALUE; i++)
		decoder->needs[i] = x86_needs_of(ZydisISASetGetString((ZydisISASet)i));
	return decoder;
}

void x86_decoder_free(struct x86_decoder *decoder)
{
	mem_free(decoder);
}

/* Again, with operands, which only the text needs. */
static const char *text_of(const struct x86_decoder *decoder, const uint8_t *bytes, size_t size,
	uint64_t address, struct arena *arena)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	char text[192];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder->full, bytes, size, &instruction, operands)) ||
		!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&decoder->formatter, &instruction, operands,
			instruction.operand_count_visible, text, sizeof(text), address, NULL)))
		return "?";
	return arena_strdup(arena, text);
}

/* Where one of Zydis' sets says too little, or what counts by it does not count here. */
static void refine(const ZydisDecodedInstruction *instruction, struct x86_needs *needs)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_MOVDIR64B:
		needs->sets[0] = X86_MOVDIR64B;
		break;
	case ZYDIS_MNEMONIC_VPCLMULQDQ: /* its 128-bit form is older than the others */
		if (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && instruction->raw.vex.L == 0)
			*needs = (struct x86_needs){
				.sets = {X86_PCLMUL, X86_AVX, ISA_NONE}, .count = 2, .vector = true};
		break;
	case ZYDIS_MNEMONIC_PREFETCH: /* does nothing where it is unknown */
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1:
	case ZYDIS_MNEMONIC_INCSSPD: /* compilers jump over it where RDSSP, which does nothing, gave zero */
	case ZYDIS_MNEMONIC_INCSSPQ:
		needs->count = 0;
		needs->vector = false;
		break;
	case ZYDIS_MNEMONIC_LDMXCSR: /* no vector register */
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
	case ZYDIS_MNEMONIC_SFENCE:
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_CRC32:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_VZEROALL:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		needs->vector = false;
		break;
	default:
		break;
	}
}

static uint32_t bits_of(const ZydisDecodedInstruction *instruction, const struct x86_needs *needs)
{
	if (!needs->vector)
		return 0;
	if (needs->scalar)
		return 128;
	switch (instruction->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		return instruction->raw.vex.L != 0 ? 256 : 128;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		return instruction->raw.xop.L != 0 ? 256 : 128;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		/* where registers are rounded as the instruction says, that stands in place of the length */
		if (instruction->raw.evex.L2 != 0 ||
			(instruction->raw.evex.b != 0 && instruction->raw.modrm.mod == 3))
			return 512;
		return instruction->raw.evex.L != 0 ? 256 : 128;
	default:
		return 128;
	}
}

static void count(const struct x86_decoder *decoder, const ZydisDecodedInstruction *instruction,
	const struct decode_run *run, uint64_t at, struct decode_tally *tally)
{
	struct x86_needs needs = decoder->needs[instruction->meta.isa_set];
	const struct decode_place place = {run->address + at, run->section};
	uint32_t bits;

	if (instruction->mnemonic == ZYDIS_MNEMONIC_CPUID && tally->probe.section == 0)
		tally->probe = place;
	if (needs.count == 0)
		return;
	refine(instruction, &needs);
	for (size_t i = 0; i < needs.count; i++) {
		struct decode_found *found = &tally->sets[needs.sets[i]];

		if (found->count++ > 0)
			continue;
		found->first = place;
		found->text =
			text_of(decoder, run->bytes + at, instruction->length, place.address, tally->arena);
	}
	bits = bits_of(instruction, &needs);
	if (bits > tally->vector_bits)
		tally->vector_bits = bits;
}

void x86_decode(struct x86_decoder *decoder, const struct decode_run *run, struct decode_tally *tally)
{
	ZydisDecodedInstruction instruction;

	for (uint64_t at = 0; at < run->size;) {
		const unsigned plain = x86_plain(run->bytes + at, run->size - at);

		if (plain > 0) {
			tally->instructions++;
			tally->decoded_bytes += plain;
			at += plain;
			continue;
		}
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &decoder->zydis, NULL, run->bytes + at, run->size - at, &instruction))) {
			if (tally->bad_bytes++ == 0)
				tally->bad = (struct decode_place){run->address + at, run->section};
			at++;
			continue;
		}
		count(decoder, &instruction, run, at, tally);
		tally->instructions++;
		tally->decoded_bytes += instruction.length;
		at += instruction.length;
	}
}

uint64_t x86_padding(struct x86_decoder *decoder, const struct decode_run *run)
{
	ZydisDecodedInstruction instruction;
	uint64_t at = 0;

	while (at < run->size) {
		if (run->bytes[at] == 0x00 || run->bytes[at] == 0xCC) {
			at++;
			continue;
		}
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &decoder->zydis, NULL, run->bytes + at, run->size - at, &instruction)) ||
			instruction.mnemonic != ZYDIS_MNEMONIC_NOP)
			break;
		at += instruction.length;
	}
	return at;
}

#else

const char *code_isa_source(void)
{
	return "machine code (no Zydis, " TABLE ")";
}

struct x86_decoder *x86_decoder_new(void)
{
	return NULL;
}

void x86_decoder_free(struct x86_decoder *decoder)
{
	mem_free(decoder);
}

void x86_decode(struct x86_decoder *decoder, const struct decode_run *run, struct decode_tally *tally)
{
	(void)decoder;
	(void)run;
	(void)tally;
}

uint64_t x86_padding(struct x86_decoder *decoder, const struct decode_run *run)
{
	(void)decoder;
	(void)run;
	return 0;
}

#endif
