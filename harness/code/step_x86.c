#include "code/step.h"

#include <string.h>

/*
 * Fillers are recognised by their bytes: the decoder calls more instructions a NOP (endbr64, hints) than those that
 * assemblers fill gaps with.
 */

static bool is_prefix(unsigned char byte)
{
	return byte == 0x66 || byte == 0x2E || byte == 0x3E;
}

static bool all_zero(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

/* 32-bit code before the multi-byte NOPs: lea of a register into itself, with a distance of 0. */
static bool is_lea_of_itself(const unsigned char *b, size_t n)
{
	const unsigned mod = n >= 2 ? b[1] >> 6 : 0, reg = n >= 2 ? b[1] >> 3 & 7 : 0;

	if (n < 3 || b[0] != 0x8D || (mod != 1 && mod != 2))
		return false;
	if ((b[1] & 7) == reg && reg != 4)
		return n == (mod == 1 ? 3 : 6) && all_zero(b + 2, n - 2);
	/* with a scaled index that is none: 0x0(%esi,%eiz,1) */
	return (b[1] & 7) == 4 && b[2] == (0x20 | reg) && n == (mod == 1 ? 4 : 7) && all_zero(b + 3, n - 3);
}

/* 90, 0F 1F /0 and their prefixes. */
static bool is_fill(bool wide, const unsigned char *b, size_t n)
{
	while (n > 1 && is_prefix(*b)) {
		b++;
		n--;
	}
	if (n == 1)
		return b[0] == 0x90;
	if (n >= 3 && b[0] == 0x0F && b[1] == 0x1F && (b[2] & 0x38) == 0)
		return true;
	return !wide && (is_lea_of_itself(b, n) || (n == 2 && b[0] == 0x89 && b[1] == 0xF6));
}

#ifdef HAVE_ZYDIS

#include <Zydis/Zydis.h>

const char *step_x86_missing(void)
{
	return NULL;
}

static void keep(struct step *step, const unsigned char *bytes, size_t count)
{
	if (step->shape_size + count > sizeof(step->shape))
		return;
	memcpy(step->shape + step->shape_size, bytes, count);
	step->shape_size += (unsigned)count;
}

/* A jump's shape is that of its long form. */
static void shape_jump(struct step *step, const unsigned char *bytes)
{
	const unsigned char opcode = bytes[step->field_at - 1];
	unsigned char longer[2] = {0x0F, (unsigned char)(0x80 | (opcode & 0x0F))};

	if (step->field_size == 1 && (opcode & 0xF0) == 0x70) {
		keep(step, bytes, step->field_at - 1);
		keep(step, longer, 2);
	} else if (step->field_size == 1 && opcode == 0xEB) {
		longer[0] = 0xE9;
		keep(step, bytes, step->field_at - 1);
		keep(step, longer, 1);
	} else {
		keep(step, bytes, step->field_at);
	}
}

static void shape_all(struct step *step, const unsigned char *bytes)
{
	keep(step, bytes, step->size);
	memset(step->shape + step->field_at, 0, step->field_size);
}

static enum step_kind kind_of(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		return STEP_END;
	default:
		break;
	}
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR:
		return STEP_END;
	case ZYDIS_CATEGORY_CALL:
		return STEP_CALL;
	default:
		return STEP_PLAIN;
	}
}

/* Bytes that it reads or writes at the address in memory; 0 for lea. */
static unsigned access_of(
	const ZydisDecoder *decoder, const unsigned char *bytes, const ZydisDecodedInstruction *instruction)
{
	ZydisDecodedInstruction again;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	/* operands take longer than all else, and few instructions need them */
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, instruction->length, &again, operands)))
		return 0;
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
			return operands[i].size / 8;
	return 0;
}

static void find_absolute(const ZydisDecodedInstruction *instruction, struct step *step)
{
	unsigned n = 0;

	if (instruction->raw.disp.size == 32 && !step->leads) {
		step->absolute[n].at = instruction->raw.disp.offset;
		step->absolute[n].size = 4;
		step->absolute[n++].value = (uint64_t)instruction->raw.disp.value;
	}
	if (instruction->raw.imm[0].size >= 32 && !instruction->raw.imm[0].is_relative) {
		step->absolute[n].at = instruction->raw.imm[0].offset;
		step->absolute[n].size = instruction->raw.imm[0].size / 8;
		step->absolute[n++].value = instruction->raw.imm[0].value.u;
	}
}

static void find_distance(const ZydisDecoder *decoder, const ZydisDecodedInstruction *instruction,
	const unsigned char *bytes, struct step *step)
{
	if (instruction->raw.imm[0].is_relative && instruction->raw.imm[0].size > 0) {
		step->leads = step->flow = true;
		step->field_at = instruction->raw.imm[0].offset;
		step->field_size = instruction->raw.imm[0].size / 8;
		step->distance = (int64_t)((uint64_t)instruction->raw.imm[0].value.s + step->size);
		shape_jump(step, bytes);
		return;
	}
	if (instruction->machine_mode == ZYDIS_MACHINE_MODE_LONG_64 &&
		(instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && instruction->raw.modrm.mod == 0 &&
		instruction->raw.modrm.rm == 5 && instruction->raw.disp.size == 32) {
		step->leads = true;
		step->field_at = instruction->raw.disp.offset;
		step->field_size = 4;
		step->distance = (int64_t)((uint64_t)instruction->raw.disp.value + step->size);
		step->access = access_of(decoder, bytes, instruction);
	}
	shape_all(step, bytes);
}

bool step_x86(bool wide, const unsigned char *bytes, size_t left, struct step *step)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction instruction;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder,
		    wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
		    wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
		!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, left, &instruction)))
		return false;
	*step = (struct step){.size = instruction.length, .kind = kind_of(&instruction)};
	if (is_fill(wide, bytes, step->size))
		step->kind = STEP_FILL;
	find_distance(&decoder, &instruction, bytes, step);
	find_absolute(&instruction, step);
	step->computed = instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR && !step->flow;
	return true;
}

#else

const char *step_x86_missing(void)
{
	return "flagstone was built without Zydis, which says how long x86's instructions are";
}

bool step_x86(bool wide, const unsigned char *bytes, size_t left, struct step *step)
{
	(void)wide;
	(void)bytes;
	(void)left;
	(void)step;
	(void)is_fill;
	return false;
}

#endif
