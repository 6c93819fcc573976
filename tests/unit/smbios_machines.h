/*
 * smbios_machines.h - firmware tables of made-up machines from SMBIOS 2.0 to 3.7, for tests: what the versions added,
 * and what firmware does that the standard does not expect. smbios_fixture.h has the parts, and two more machines.
 *
 * Lengths of structures by version are those of DMTF DSP0134, chapter 7: type 0 0x12 (2.0) 0x18 (2.4) 0x1a (3.1);
 * 1 0x08 0x19 (2.1) 0x1b (2.4); 3 0x09 0x0d (2.1) 0x15 (2.3); 4 0x1a 0x20 (2.1) 0x23 (2.3) 0x28 (2.5) 0x2a (2.6)
 * 0x30 (3.0) 0x32 (3.6); 16 0x0f 0x17 (2.7); 17 0x15 (2.1) 0x1b (2.3) 0x1c (2.6) 0x22 (2.7) 0x28 (2.8) 0x54 (3.2)
 * 0x5c (3.3) 0x64 (3.7).
 */
#ifndef TESTS_UNIT_SMBIOS_MACHINES_H
#define TESTS_UNIT_SMBIOS_MACHINES_H

#include "smbios_fixture.h"

/* A number in a structure: little-endian, `size` bytes at an offset. */
struct put {
	uint8_t at, size;
	uint64_t value;
};
#define PUTS(...) ((const struct put[]){__VA_ARGS__, {0, 0, 0}})

/* A structure of any type: zeroes but for the numbers given. */
static inline uint16_t dump_put(
	struct dump *dump, uint8_t type, uint8_t length, const struct put *puts, const char *const *strings)
{
	uint8_t d[256] = {0};

	for (; puts->size > 0; puts++)
		for (uint8_t i = 0; i < puts->size; i++)
			d[puts->at + i] = (uint8_t)(puts->value >> (8 * i));
	return dump_add(dump, type, d, length, strings);
}

static inline void dump_entry_legacy(struct dump *dump, uint8_t revision)
{
	uint8_t *h = dump->head;

	memset(h, 0, sizeof(dump->head));
	memcpy(h, "_DMI_", 5);
	put_word(h + 6, (uint32_t)dump->table.n);
	h[8] = 32;
	put_word(h + 0xc, dump->count);
	h[0xe] = revision;
	add_checksum(h, 0xf, 5);
	dump->head_size = 0xf;
}

/* Firmware, system with a UUID, chassis: what each version has at least. */
static inline void put_basics(struct dump *dump, uint8_t bios, uint8_t system, uint8_t chassis, uint8_t kind)
{
	dump_put(dump, 0, bios, PUTS({4, 1, 1}, {5, 1, 2}, {8, 1, 3}, {0x14, 4, 0xffff0401}),
		STRINGS("Phoenix", "6.00 PG", "11/05/1999"));
	dump_put(dump, 1, system,
		PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 3}, {8, 8, 0x1122334455667788}, {16, 8, 0x99aabbccddeeff01},
			{0x1a, 1, 4}),
		STRINGS("Builder", "Box", "1.0", "Boxes"));
	dump_put(dump, 3, chassis, PUTS({4, 1, 1}, {5, 1, kind}), STRINGS("Builder"));
}

/* Before there were memory devices (SMBIOS 2.1): only types 5 and 6, by the older entry point. */
static inline void dump_v20(struct dump *dump)
{
	put_basics(dump, 0x12, 0x08, 0x09, 6);
	dump_put(dump, 2, 0x08, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 3}, {7, 1, 0}), STRINGS("B", "BX", "R2"));
	dump_put(dump, 4, 0x1a, PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 200}, {0x18, 1, 0x41}),
		STRINGS("Socket 7", "P55C"));
	dump_put(dump, 5, 0x10, PUTS({4, 1, 3}, {0xe, 1, 0}), NULL);
	dump_put(dump, 6, 0x0c, PUTS({4, 1, 1}, {9, 1, 0x85}, {10, 1, 5}), STRINGS("SIMM0"));
	dump_entry_legacy(dump, 0x20);
}

/* SMBIOS 2.1: memory devices that end at their type detail, sizes in KiB and MiB, one unknown, no end mark. */
static inline void dump_v21(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x12, 0x19, 0x0d, 4);
	dump_put(dump, 4, 0x20,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x12, 2, 100}, {0x14, 2, 450}, {0x16, 2, 450},
			{0x18, 1, 0x41}),
		STRINGS("SLOT 1", "Pentium II"));
	array = dump_put(dump, 16, 0x0f,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 4}, {7, 4, 786432}, {0xb, 2, 0xfffe}, {0xd, 2, 4}), NULL);
	for (uint8_t i = 0; i < 4; i++) {
		static const uint16_t sizes[] = {64, 0x8000 | 16384, 0, 0xffff};

		dump_put(dump, 17, 0x15,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 72}, {0xa, 2, 64}, {0xc, 2, sizes[i]},
				{0xe, 1, 9}, {0x10, 1, 1}, {0x11, 1, 2}, {0x12, 1, 0xf}),
			STRINGS("DIMM", "BANK"));
	}
	dump_entry_32(dump, 2, 1);
}

/* SMBIOS 2.3: an empty processor socket, memory of a video card between those of the board, RIMMs. */
static inline void dump_v23(struct dump *dump)
{
	uint16_t board, video;

	put_basics(dump, 0x12, 0x19, 0x15, 7);
	dump_put(dump, 4, 0x23,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 3200}, {0x16, 2, 2400}, {0x18, 1, 0x41}),
		STRINGS("CPU 1", "Xeon"));
	dump_put(dump, 4, 0x23, PUTS({4, 1, 1}, {5, 1, 3}, {0x18, 1, 0}), STRINGS("CPU 2"));
	video = dump_put(dump, 16, 0x0f,
		PUTS({4, 1, 5}, {5, 1, 4}, {6, 1, 3}, {7, 4, 131072}, {0xb, 2, 0xfffe}, {0xd, 2, 1}), NULL);
	board = dump_put(dump, 16, 0x0f,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 5}, {7, 4, 4194304}, {0xb, 2, 0xfffe}, {0xd, 2, 4}), NULL);
	for (uint8_t i = 0; i < 3; i++)
		dump_put(dump, 17, 0x1b,
			PUTS({4, 2, i == 1 ? video : board}, {6, 2, 0xfffe}, {8, 2, 18}, {0xa, 2, 16},
				{0xc, 2, 128U << i}, {0xe, 1, i == 1 ? 5 : 0xc}, {0x10, 1, 1}, {0x11, 1, 2},
				{0x12, 1, i == 1 ? 5 : 0x11}, {0x15, 2, i == 2 ? 0 : 800}, {0x17, 1, 3},
				{0x1a, 1, 4}),
			STRINGS(i == 1 ? "VRAM" : "RIMM", "-", "Samsung", "MR18R0828AN1-CK8"));
	dump_add_end(dump);
	dump_entry_32(dump, 2, 3);
}

/* SMBIOS 2.5: four sockets with cores, one of them empty; 16 fully buffered modules, some of them missing. */
static inline void dump_v25(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x18, 0x1b, 0x15, 0x17);
	for (uint8_t i = 0; i < 4; i++)
		dump_put(dump, 4, 0x28,
			PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, i == 3 ? 0 : 2}, {0x14, 2, i == 3 ? 0 : 2933},
				{0x16, 2, i == 3 ? 0 : 2933}, {0x18, 1, i == 3 ? 0 : 0x41},
				{0x23, 1, i == 3 ? 0 : 4}, {0x24, 1, i == 3 ? 0 : 4},
				{0x25, 1, i == 3 ? 0 : 4}, {0x26, 2, 4}),
			STRINGS("NODE", "Intel(R) Xeon(R) CPU           X7350  @ 2.93GHz"));
	array = dump_put(dump, 16, 0x0f,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 6}, {7, 4, 67108864}, {0xb, 2, 0xfffe}, {0xd, 2, 16}),
		NULL);
	for (uint8_t i = 0; i < 16; i++)
		dump_put(dump, 17, 0x1b,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, i % 4 == 3 ? 0xffff : 72},
				{0xa, 2, i % 4 == 3 ? 0xffff : 64}, {0xc, 2, i % 4 == 3 ? 0 : 2048},
				{0xe, 1, 0xf}, {0xf, 1, (uint8_t)(1 + i / 4)}, {0x10, 1, 1}, {0x11, 1, 2},
				{0x12, 1, i % 4 == 3 ? 2 : 0x14}, {0x15, 2, i % 4 == 3 ? 0 : 667},
				{0x17, 1, 3}, {0x1a, 1, 4}),
			STRINGS("FBD", "  BOARD A  ", i % 4 == 3 ? "Unknown" : "0xCE00",
				i % 4 == 3 ? "N/A" : "M395T5750EZ4-CE65  "));
	dump_add_end(dump);
	dump_entry_32(dump, 2, 5);
}

/* SMBIOS 2.6: the UUID's bytes now have an order; soldered chips; texts that say nothing, in each place. */
static inline void dump_v26(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x18, 0x1b, 0x15, 10);
	dump_put(dump, 2, 0x0f, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 3}, {7, 1, 4}),
		STRINGS("To Be Filled By O.E.M.", "Default string", "-----", "0000000000"));
	dump_put(dump, 4, 0x2a,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 1660}, {0x16, 2, 1660}, {0x18, 1, 0x41},
			{0x23, 1, 1}, {0x24, 1, 1}, {0x25, 1, 2}, {0x28, 2, 0x2b}),
		STRINGS("Unknown", "Not Specified"));
	array = dump_put(dump, 16, 0x0f,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 3}, {7, 4, 2097152}, {0xb, 2, 0xfffe}, {0xd, 2, 1}), NULL);
	dump_put(dump, 17, 0x1c,
		PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 64}, {0xa, 2, 64}, {0xc, 2, 1024}, {0xe, 1, 0xb},
			{0x10, 1, 1}, {0x11, 1, 1}, {0x12, 1, 0x13}, {0x15, 2, 533}, {0x17, 1, 2},
			{0x1a, 1, 2}, {0x1b, 1, 1}),
		STRINGS("N/A", "   "));
	dump_add_end(dump);
	dump_entry_32(dump, 2, 6);
}

/* SMBIOS 2.8 as a virtual machine has it: no board, a module of 16 GiB of "RAM" with no speed, a system with no UUID. */
static inline void dump_v28_guest(struct dump *dump)
{
	uint16_t array;

	dump_put(dump, 0, 0x18, PUTS({4, 1, 1}, {5, 1, 2}, {8, 1, 3}, {0x14, 4, 0xffff0000}),
		STRINGS("SeaBIOS", "1.16.2-debian-1.16.2-1", "04/01/2014"));
	dump_put(dump, 1, 0x1b, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 3}, {0x18, 1, 6}),
		STRINGS("QEMU", "Standard PC (Q35 + ICH9, 2009)", "pc-q35-7.2"));
	dump_put(dump, 3, 0x16, PUTS({4, 1, 1}, {5, 1, 1}, {6, 1, 2}), STRINGS("QEMU", "pc-q35-7.2"));
	for (uint8_t i = 0; i < 2; i++)
		dump_put(dump, 4, 0x2a,
			PUTS({4, 1, 1}, {5, 1, 3}, {7, 1, 2}, {0x10, 1, 3}, {0x14, 2, 2000}, {0x16, 2, 2000},
				{0x18, 1, 0x41}, {0x23, 1, 1}, {0x24, 1, 1}, {0x25, 1, 1}),
			STRINGS(i == 0 ? "CPU 0" : "CPU 1", "QEMU", "pc-q35-7.2"));
	array = dump_put(dump, 16, 0x17,
		PUTS({4, 1, 1}, {5, 1, 3}, {6, 1, 6}, {7, 4, 16777216}, {0xb, 2, 0xfffe}, {0xd, 2, 1}), NULL);
	dump_put(dump, 17, 0x28,
		PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 0xffff}, {0xa, 2, 0xffff}, {0xc, 2, 16384},
			{0xe, 1, 9}, {0x10, 1, 1}, {0x12, 1, 7}, {0x13, 2, 2}, {0x17, 1, 2}),
		STRINGS("DIMM 0", "QEMU"));
	dump_put(dump, 32, 0x0b, PUTS({10, 1, 0}), NULL);
	dump_add_end(dump);
	dump_entry_32(dump, 2, 8);
}

/* SMBIOS 2.8: DDR3L with its voltage, a chassis of the newer kinds; the table has a structure behind its end mark. */
static inline void dump_v28_laptop(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x18, 0x1b, 0x16, 31);
	dump_put(dump, 4, 0x2a,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 2900}, {0x16, 2, 2300}, {0x18, 1, 0x41},
			{0x23, 1, 2}, {0x24, 1, 2}, {0x25, 1, 4}, {0x28, 2, 0xcd}),
		STRINGS("U3E1", "Intel(R) Core(TM) i5-5300U CPU @ 2.30GHz"));
	array = dump_put(dump, 16, 0x17,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 3}, {7, 4, 16777216}, {0xb, 2, 0xfffe}, {0xd, 2, 2}), NULL);
	for (uint8_t i = 0; i < 2; i++)
		dump_put(dump, 17, 0x28,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 64}, {0xa, 2, 64}, {0xc, 2, 8192},
				{0xe, 1, 0xd}, {0x10, 1, 1}, {0x11, 1, 2}, {0x12, 1, 0x18}, {0x13, 2, 0x80},
				{0x15, 2, 1600}, {0x17, 1, 3}, {0x18, 1, 4}, {0x1a, 1, 5}, {0x1b, 1, 2},
				{0x20, 2, i == 0 ? 1600 : 1333}, {0x22, 2, 1250}, {0x24, 2, 1500},
				{0x26, 2, i == 0 ? 1350 : 1500}),
			STRINGS(i == 0 ? "ChannelA-DIMM0" : "ChannelB-DIMM0", "BANK", "Hynix/Hyundai",
				"1234ABCD", "HMT41GS6BFR8A-PB"));
	dump_add_end(dump);
	dump_put(dump, 0x85, 8, PUTS({4, 4, 0x4711}), STRINGS("behind the end mark"));
	dump_entry_32(dump, 2, 8);
}

/* SMBIOS 3.0 of an Arm server: the 64-bit entry point, more cores than a byte holds, no end mark. */
static inline void dump_v30_arm(struct dump *dump)
{
	uint16_t array;

	dump_put(dump, 0, 0x18, PUTS({4, 1, 1}, {5, 1, 2}, {8, 1, 3}, {0x14, 4, 0xffff0f02}),
		STRINGS("Ampere(R)", "2.10.00100000", "2022/05/31"));
	dump_put(dump, 1, 0x1b,
		PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 0}, {8, 8, UINT64_MAX}, {16, 8, UINT64_MAX}, {0x1a, 1, 3}),
		STRINGS("Maker", "ARM Server", "Altra"));
	dump_put(dump, 2, 0x11, PUTS({4, 1, 1}, {5, 1, 2}, {7, 1, 3}, {0xe, 1, 1}, {0xf, 2, 1}),
		STRINGS("Maker", "Mt.Jade", "A-1"));
	dump_put(dump, 3, 0x1a, PUTS({4, 1, 1}, {5, 1, 23}, {0x13, 1, 1}, {0x14, 1, 3}), STRINGS("Maker"));
	dump_put(dump, 4, 0x30,
		PUTS({4, 1, 1}, {5, 1, 3}, {6, 1, 0xfe}, {7, 1, 2}, {0x10, 1, 3}, {0x14, 2, 3000},
			{0x16, 2, 2800}, {0x18, 1, 0x41}, {0x23, 1, 0xff}, {0x24, 1, 0xff}, {0x25, 1, 0xff},
			{0x28, 2, 0x101}, {0x2a, 2, 256}, {0x2c, 2, 256}, {0x2e, 2, 256}),
		STRINGS("CPU 1", "Ampere(R)", "Ampere(R) Altra(R) Processor"));
	array = dump_put(dump, 16, 0x17,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 6}, {7, 4, 0x80000000}, {0xb, 2, 0xfffe}, {0xd, 2, 16},
			{0xf, 8, UINT64_C(4) << 40}),
		NULL);
	dump_put(dump, 17, 0x28,
		PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 72}, {0xa, 2, 64}, {0xc, 2, 32767 - 1},
			{0xe, 1, 9}, {0x10, 1, 1}, {0x11, 1, 2}, {0x12, 1, 0x1a}, {0x13, 2, 0x2080},
			{0x15, 2, 3200}, {0x17, 1, 3}, {0x1a, 1, 4}, {0x1b, 1, 0xf2}, {0x20, 2, 3200},
			{0x26, 2, 1200}),
		STRINGS("DIMM 1", "Bank 1", "Micron Technology", "18ASF4G72PDZ-3G2E1"));
	dump_entry_64(dump, 3, 0);
}

/* SMBIOS 3.2: modules stand before their array; memory that keeps its content; sizes that only the longer field holds. */
static inline void dump_v32(struct dump *dump)
{
	put_basics(dump, 0x1a, 0x1b, 0x16, 23);
	dump_add_processor(dump, "CPU1", "Intel(R) Xeon(R) Gold 6240", 4000, 18, 36, 18, 36);
	for (uint8_t i = 0; i < 4; i++)
		dump_put(dump, 17, 0x54,
			PUTS({4, 2, 0x40}, {6, 2, 0xfffe}, {8, 2, 72}, {0xa, 2, 64},
				{0xc, 2, i == 3 ? 0 : 0x7fff}, {0xe, 1, 9}, {0x10, 1, 1}, {0x11, 1, 2},
				{0x12, 1, i == 2 ? 0x1f : 0x1a}, {0x15, 2, 2666}, {0x17, 1, 3}, {0x1a, 1, 4},
				{0x1b, 1, i == 2 ? 1 : 2},
				{0x1c, 4, i == 2 ? 516096 : 32768 + i * UINT32_C(32768)}, {0x20, 2, 2666},
				{0x26, 2, 1200}, {0x28, 1, i == 2 ? 7 : 3}, {0x29, 2, 8}),
			STRINGS("CPU1_DIMM", "P0_Node0_Channel0_Dimm0", "Intel", "NMA1XXD512GPS"));
	dump->handle = 0x40;
	dump_put(dump, 16, 0x17,
		PUTS({4, 1, 3}, {5, 1, 3}, {6, 1, 5}, {7, 4, 0x40000000}, {0xb, 2, 0xfffe}, {0xd, 2, 4}),
		NULL);
	dump_add_end(dump);
	dump_entry_64(dump, 3, 2);
}

/* SMBIOS 3.3: an array a socket, flash and cache between them, a module of no array, two slots empty. */
static inline void dump_v33_two_arrays(struct dump *dump)
{
	static const uint8_t uses[] = {3, 5, 7, 3};
	uint16_t arrays[5] = {0};

	put_basics(dump, 0x1a, 0x1b, 0x16, 23);
	dump_add_processor(dump, "P0", "AMD EPYC 7543", 3700, 32, 64, 32, 64);
	dump_add_processor(dump, "P1", "AMD EPYC 7543", 3700, 32, 64, 32, 64);
	for (int i = 0; i < 4; i++)
		arrays[i] = dump_put(dump, 16, 0x17,
			PUTS({4, 1, 3}, {5, 1, uses[i]}, {6, 1, uses[i] == 3 ? 6 : 3}, {7, 4, 0x80000000},
				{0xb, 2, 0xfffe}, {0xd, 2, 2}, {0xf, 8, UINT64_C(2) << 40}),
			NULL);
	arrays[4] = 0xfffe;
	for (int i = 0; i < 9; i++)
		dump_put(dump, 17, 0x5c,
			PUTS({4, 2, arrays[i % 5]}, {6, 2, 0xfffe}, {8, 2, 72}, {0xa, 2, 64},
				{0xc, 2, i == 3 || i == 5 ? 0 : 16384}, {0xe, 1, 9}, {0x10, 1, 1},
				{0x11, 1, 2}, {0x12, 1, 0x1a}, {0x15, 2, 3200}, {0x17, 1, 3}, {0x1a, 1, 4},
				{0x1b, 1, 2}, {0x20, 2, i < 4 ? 3200 : 2933}, {0x26, 2, 1200}),
			STRINGS("DIMM", "P0 CHANNEL A", "Samsung", "M393A2K43DB3-CWE"));
	dump_add_end(dump);
	dump_entry_64(dump, 3, 3);
}

/* SMBIOS 3.4: 32 modules, their speeds in the longer fields in part, ranks from none to 15. */
static inline void dump_v34_many(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x1a, 0x1b, 0x16, 29);
	array = dump_add_array(dump, 3, 6, UINT32_C(0x80000000), 32);
	for (uint32_t i = 0; i < 32; i++)
		dump_put(dump, 17, 0x5c,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 80}, {0xa, 2, 64},
				{0xc, 2, i % 8 == 7 ? 0 : 0x7fff}, {0xe, 1, 9}, {0x10, 1, 1}, {0x11, 1, 2},
				{0x12, 1, 0x22}, {0x15, 2, i % 2 == 0 ? 0xffff : 6400}, {0x17, 1, 3},
				{0x1a, 1, 4}, {0x1b, 1, i % 16}, {0x1c, 4, UINT32_C(65536) << i % 3},
				{0x20, 2, i % 4 == 0 ? 0xffff : 5600}, {0x26, 2, 1100}, {0x54, 4, 70000 + i},
				{0x58, 4, 66000}),
			STRINGS("P0_DIMM_A1", "BANK 0", "SK Hynix", "HMCGM4MGBRB240N"));
	dump_add_end(dump);
	dump_entry_64(dump, 3, 4);
}

/*
 * SMBIOS 3.5 with strings as they should not be: an index beyond them, none where one is meant, many that nobody
 * names, bytes that are no ASCII, blanks, a very long one; two boards and a second system; structures of the maker's
 * own and switched-off ones.
 */
static inline void dump_v35_strings(struct dump *dump)
{
	static const char long_text[] =
		"a name that goes on and on and on, as if firmware were paid by the letter, and which no "
		"screen "
		"was ever wide enough for, nor any label on any machine that was ever sold to anybody at all";
	uint16_t array;

	dump_put(dump, 0, 0x1a,
		PUTS({4, 1, 9}, {5, 1, 2}, {8, 1, 0}, {0x14, 4, 0x02010305}, {0x18, 2, 0x4010}),
		STRINGS("nobody names this", "V\x01\x7f\xe9rsion", "nor this"));
	dump_put(dump, 0xdd, 0x10, PUTS({4, 4, 0xdeadbeef}), STRINGS("the maker's own"));
	dump_put(dump, 1, 0x1b, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 255}, {8, 8, 1}, {16, 8, 2}, {0x1a, 1, 3}),
		STRINGS("Caf\xc3\xa9", long_text, "  family  "));
	dump_put(dump, 1, 0x1b, PUTS({4, 1, 1}, {5, 1, 1}, {8, 8, 3}), STRINGS("a second system"));
	dump_put(dump, 2, 0x0f, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 1}, {7, 1, 3}),
		STRINGS("One", "First board", "S1"));
	dump_put(dump, 2, 0x0f, PUTS({4, 1, 1}, {5, 1, 2}, {6, 1, 1}, {7, 1, 3}),
		STRINGS("Two", "Second board", "S2"));
	dump_put(dump, 126, 0x30, PUTS({4, 1, 1}), STRINGS("switched off"));
	dump_put(dump, 3, 0x16, PUTS({4, 1, 2}, {5, 1, 0x80 | 28}), STRINGS("only one"));
	dump_add_processor(dump, " ", "Brand\tnew", 0, 0, 0, 0, 0);
	array = dump_add_array(dump, 3, 2, 1048576, 1);
	dump_put(dump, 17, 0x5c,
		PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 64}, {0xa, 2, 64}, {0xc, 2, 1024}, {0xe, 1, 0xfe},
			{0x10, 1, 1}, {0x11, 1, 7}, {0x12, 1, 0x15}, {0x17, 1, 2}, {0x1a, 1, 3}),
		STRINGS("slot", "M\xfcnchen", "part number with 4 trailing blanks    "));
	dump_add_end(dump);
	dump_entry_64(dump, 3, 5);
}

/* SMBIOS 3.6: memory on the processor's package, die by die; threads that are switched off. */
static inline void dump_v36(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x1a, 0x1b, 0x16, 35);
	dump_put(dump, 4, 0x32,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 5100}, {0x16, 2, 2800}, {0x18, 1, 0x41},
			{0x23, 1, 16}, {0x24, 1, 12}, {0x25, 1, 22}, {0x2a, 2, 16}, {0x2c, 2, 12},
			{0x2e, 2, 22}, {0x30, 2, 16}),
		STRINGS("U3E1", "Intel(R) Core(TM) Ultra 7 165H"));
	array = dump_add_array(dump, 3, 3, 33554432, 4);
	for (uint8_t i = 0; i < 4; i++)
		dump_put(dump, 17, 0x5c,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 16}, {0xa, 2, 16}, {0xc, 2, 4096},
				{0xe, 1, i == 3 ? 0x10 : 0xb}, {0x10, 1, 1}, {0x11, 1, 2},
				{0x12, 1, i == 3 ? 0x21 : 0x23}, {0x15, 2, 7467}, {0x17, 1, 3}, {0x1a, 1, 4},
				{0x1b, 1, 2}, {0x20, 2, i == 3 ? 3200 : 6400}, {0x26, 2, 500}),
			STRINGS("Controller0-ChannelA", "BANK 0", "Micron", "MT62F1G32D4DR-031"));
	dump_add_end(dump);
	dump_entry_64(dump, 3, 6);
}

/* SMBIOS 3.7: structures longer than we know, two kinds of memory with two speeds, a table size that is a limit only. */
static inline void dump_v37(struct dump *dump)
{
	uint16_t array;

	put_basics(dump, 0x1a, 0x1b, 0x18, 23);
	dump_put(dump, 4, 0x40,
		PUTS({4, 1, 1}, {5, 1, 3}, {0x10, 1, 2}, {0x14, 2, 3900}, {0x16, 2, 1900}, {0x18, 1, 0x41},
			{0x23, 1, 0xff}, {0x24, 1, 0xff}, {0x25, 1, 0xff}, {0x2a, 2, 0x120}, {0x2c, 2, 0x120},
			{0x2e, 2, 0x240}, {0x30, 2, 0x240}),
		STRINGS("CPU 0", "Xeon 6"));
	array = dump_add_array(dump, 3, 6, UINT32_C(0x80000000), 3);
	for (uint8_t i = 0; i < 3; i++)
		dump_put(dump, 17, 0x64,
			PUTS({4, 2, array}, {6, 2, 0xfffe}, {8, 2, 80}, {0xa, 2, 64},
				{0xc, 2, i == 1 ? 0 : 0x7fff}, {0xe, 1, i == 2 ? 0x10 : 9}, {0x10, 1, 1},
				{0x11, 1, 2}, {0x12, 1, i == 2 ? 0x21 : 0x22}, {0x15, 2, 8800}, {0x17, 1, 3},
				{0x1a, 1, 4}, {0x1b, 1, 2}, {0x1c, 4, 131072},
				{0x20, 2, i == 2 ? 6400 : 8800}, {0x26, 2, 1100}, {0x5c, 4, 0x80ce80ce},
				{0x60, 4, 0x80ce80ce}),
			STRINGS("A1", "Node 0", "Micron", "MTC40F2047S1HC88XD1"));
	dump_add_end(dump);
	dump_entry_64(dump, 3, 7);
	put_dword(dump->head + 0xc, 65536);
	add_checksum(dump->head, 0x18, 5);
}

struct smbios_machine {
	const char *name; /* of its recorded answer: tests/sysroot/smbios-NAME.dmidecode */
	void (*build)(struct dump *dump);
	bool array_behind; /* an array stands behind its modules: a cut before it leaves them of unknown use */
};

static const struct smbios_machine smbios_machines[] = {
	{"server", dump_server, false},
	{"laptop", dump_laptop, false},
	{"2.0", dump_v20, false},
	{"2.1", dump_v21, false},
	{"2.3", dump_v23, false},
	{"2.5-four-sockets", dump_v25, false},
	{"2.6-netbook", dump_v26, false},
	{"2.8-guest", dump_v28_guest, false},
	{"2.8-laptop", dump_v28_laptop, false},
	{"3.0-arm", dump_v30_arm, false},
	{"3.2-persistent", dump_v32, true},
	{"3.3-two-arrays", dump_v33_two_arrays, false},
	{"3.4-many", dump_v34_many, false},
	{"3.5-strings", dump_v35_strings, false},
	{"3.6-on-package", dump_v36, false},
	{"3.7", dump_v37, false},
};
enum { SMBIOS_MACHINES = sizeof(smbios_machines) / sizeof(smbios_machines[0]) };

#endif
