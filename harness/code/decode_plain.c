#include "code/decode.h"

/*
 * The commonest instructions of x86-64 by their opcodes alone, since a full decoder takes three times as long for them. Source:
 * Intel SDM volume 2, appendix A (opcode maps) and 2.1 (formats). A test holds each answer against the full decoder.
 */
enum {
	OTHER = 0, /* the full decoder's */
	PLAIN = 1, /* the opcode alone, or with what follows */
	MODRM = 2,
	IMM8 = 4,
	IMM32 = 8,
	IMM_OPERAND = 16, /* 4 bytes, 8 with REX.W */
	REX = 32
};

static uint8_t kind_of_arithmetic(uint8_t opcode)
{
	static const uint8_t kinds[8] = {
		PLAIN | MODRM, PLAIN | MODRM, PLAIN | MODRM, PLAIN | MODRM, PLAIN | IMM8, PLAIN | IMM32};

	return kinds[opcode & 7];
}

/* Groups share an opcode; bits 3 to 5 of ModRM choose. 0: this one is left to the full decoder. */
static uint8_t kind_of_group(uint8_t opcode, uint8_t modrm)
{
	const unsigned chosen = modrm >> 3 & 7;

	switch (opcode) {
	case 0x8D: /* lea of a register is none */
		return modrm < 0xC0 ? PLAIN | MODRM : OTHER;
	case 0xC0:
	case 0xC1:
		return chosen != 6 ? PLAIN | MODRM | IMM8 : OTHER;
	case 0xD0:
	case 0xD1:
	case 0xD2:
	case 0xD3:
		return chosen != 6 ? PLAIN | MODRM : OTHER;
	case 0xC6:
		return chosen == 0 ? PLAIN | MODRM | IMM8 : OTHER;
	case 0xC7:
		return chosen == 0 ? PLAIN | MODRM | IMM32 : OTHER;
	case 0xF6:
		return chosen == 0 ? PLAIN | MODRM | IMM8 : chosen >= 2 ? PLAIN | MODRM : OTHER;
	case 0xF7:
		return chosen == 0 ? PLAIN | MODRM | IMM32 : chosen >= 2 ? PLAIN | MODRM : OTHER;
	case 0xFE:
		return chosen < 2 ? PLAIN | MODRM : OTHER;
	case 0xFF:
		return chosen < 3 || chosen == 4 || chosen == 6 ? PLAIN | MODRM : OTHER;
	default:
		return OTHER;
	}
}

static uint8_t kind_of_opcode(uint8_t opcode)
{
	if (opcode < 0x40)
		return kind_of_arithmetic(opcode);
	if (opcode < 0x50)
		return REX;
	if (opcode < 0x60 || opcode == 0x90 || opcode == 0x98 || opcode == 0x99 || opcode == 0xC3 ||
		opcode == 0xC9 || opcode == 0xCC)
		return PLAIN; /* push, pop, nop, cdqe, cqo, ret, leave, int3 */
	if (opcode == 0x63 || (opcode >= 0x84 && opcode <= 0x8B))
		return PLAIN | MODRM; /* movsxd; test, xchg, mov */
	if (opcode == 0x68 || opcode == 0xA9 || opcode == 0xE8 || opcode == 0xE9)
		return PLAIN | IMM32; /* push, test, call, jmp */
	if (opcode == 0x6A || (opcode >= 0x70 && opcode < 0x80) || opcode == 0xA8 || opcode == 0xEB ||
		(opcode >= 0xB0 && opcode < 0xB8))
		return PLAIN | IMM8; /* push, jcc, test, jmp, mov */
	if (opcode == 0x69 || opcode == 0x81)
		return PLAIN | MODRM | IMM32; /* imul, arithmetic */
	if (opcode == 0x6B || opcode == 0x80 || opcode == 0x83)
		return PLAIN | MODRM | IMM8;
	if (opcode >= 0xB8 && opcode < 0xC0)
		return PLAIN | IMM_OPERAND; /* mov */
	return OTHER;
}

/* Behind 0F: jcc, setcc, cmov, imul, movzx, movsx, nop. */
static uint8_t kind_of_second(uint8_t opcode)
{
	if (opcode >= 0x80 && opcode < 0x90)
		return PLAIN | IMM32;
	if ((opcode >= 0x40 && opcode < 0x50) || (opcode >= 0x90 && opcode < 0xA0) || opcode == 0xAF ||
		opcode == 0xB6 || opcode == 0xB7 || opcode == 0xBE || opcode == 0xBF || opcode == 0x1F)
		return PLAIN | MODRM;
	return OTHER;
}

/* ModRM and what follows of the address. */
static unsigned address_size(const uint8_t *bytes)
{
	const unsigned mode = bytes[0] >> 6, base = bytes[0] & 7;
	unsigned size = 1;

	if (mode == 3)
		return 1;
	if (base == 4) {
		size = 2;
		if (mode == 0 && (bytes[1] & 7) == 5)
			return 6;
	} else if (mode == 0 && base == 5) {
		return 5;
	}
	return size + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

unsigned x86_plain(const uint8_t *bytes, uint64_t left)
{
	bool wide = false;
	unsigned size = 0;
	uint8_t kind;

	if (left < 16) /* longer than any instruction: below, nothing is cut */
		return 0;
	kind = kind_of_opcode(bytes[0]);
	if (kind == REX) {
		wide = (bytes[0] & 8) != 0;
		size = 1;
		kind = kind_of_opcode(bytes[1]);
	}
	if (bytes[size] == 0x0F)
		kind = kind_of_second(bytes[++size]);
	else if (kind == OTHER)
		kind = kind_of_group(bytes[size], bytes[size + 1]);
	if ((kind & PLAIN) == 0)
		return 0;
	size++;
	if ((kind & MODRM) != 0)
		size += address_size(bytes + size);
	if ((kind & IMM8) != 0)
		size += 1;
	if ((kind & IMM32) != 0)
		size += 4;
	if ((kind & IMM_OPERAND) != 0)
		size += wide ? 8 : 4;
	return size;
}
