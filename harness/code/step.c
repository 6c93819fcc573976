#include "code/step.h"

#include <elf.h>
#include <string.h>

enum { WORD = 4 };

static int64_t signed_bits(uint32_t value, unsigned bits)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (int64_t)(((uint64_t)value ^ sign) - sign);
}

static uint32_t field(uint32_t word, unsigned from, unsigned bits)
{
	return word >> from & ((UINT32_C(1) << bits) - 1);
}

/* What a word leads to, and the bits that say so; 0: nowhere. */
static uint32_t arm_distance(uint32_t word, struct step *step)
{
	const uint32_t top = word & 0x7C000000, branch = word & 0x7E000000;

	step->leads = step->flow = true;
	if (top == 0x14000000) { /* b, bl */
		step->distance = signed_bits(field(word, 0, 26), 26) * WORD;
		return 0x03FFFFFF;
	}
	if (branch == 0x36000000) { /* tbz, tbnz */
		step->distance = signed_bits(field(word, 5, 14), 14) * WORD;
		return UINT32_C(0x3FFF) << 5;
	}
	step->distance = signed_bits(field(word, 5, 19), 19) * WORD;
	if (branch == 0x34000000 || (word & 0xFF000000) == 0x54000000) /* cbz, cbnz, b.cond */
		return UINT32_C(0x7FFFF) << 5;
	step->flow = false;
	if ((word & 0x3B000000) == 0x18000000) { /* ldr of a literal */
		const unsigned size = word >> 30;
		const bool vector = (word & 0x04000000) != 0;

		step->access = size == 3 ? 0 : size == 2 ? (vector ? 16 : 4) : 4U << size;
		return UINT32_C(0x7FFFF) << 5;
	}
	if ((word & 0x1F000000) == 0x10000000) { /* adr, adrp */
		const uint32_t raw = field(word, 5, 19) << 2 | field(word, 29, 2);

		step->page = word >> 31 != 0;
		step->distance = signed_bits(raw, 21) * (step->page ? 4096 : 1);
		return UINT32_C(0x7FFFF) << 5 | UINT32_C(3) << 29;
	}
	step->leads = false;
	step->distance = 0;
	return 0;
}

static enum step_kind arm_kind(uint32_t word)
{
	if (word == 0xD503201F)
		return STEP_FILL;
	if ((word & 0xFC000000) == 0x14000000)
		return STEP_END;
	if ((word & 0xFC000000) == 0x94000000)
		return STEP_CALL;
	if ((word & 0xFE000000) == 0xD6000000) /* to a register: bit 21 alone tells blr from br, ret, eret */
		return field(word, 21, 2) == 1 ? STEP_CALL : STEP_END;
	if ((word & 0xFFE0001F) == 0xD4200000 || word >> 16 == 0) /* brk, udf */
		return STEP_END;
	return STEP_PLAIN;
}

static bool step_arm(const unsigned char *bytes, size_t left, struct step *step)
{
	uint32_t word, mask;

	if (left < WORD)
		return false;
	word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	*step = (struct step){.size = WORD,
		.kind = arm_kind(word),
		.computed = (word & 0xFFFFFC1F) == 0xD61F0000, /* br */
		.field_size = WORD,
		.shape_size = WORD};
	mask = arm_distance(word, step);
	if (!step->leads)
		step->field_size = 0;
	word &= ~mask;
	for (unsigned i = 0; i < WORD; i++)
		step->shape[i] = (unsigned char)(word >> 8 * i);
	return true;
}

const char *step_missing(unsigned machine)
{
	if (machine == EM_AARCH64)
		return NULL;
	if (machine == EM_X86_64 || machine == EM_386)
		return step_x86_missing();
	return "machine code is read on x86 and AArch64 only";
}

bool step_wanted_zydis(const char *reason)
{
	return reason != NULL && strstr(reason, "without Zydis") != NULL && step_x86_missing() == NULL;
}

bool step_read(unsigned machine, const unsigned char *bytes, size_t left, struct step *step)
{
	if (machine == EM_AARCH64)
		return step_arm(bytes, left, step);
	return step_x86(machine == EM_X86_64, bytes, left, step);
}
