/*
 * smbios_fixture.h - builds firmware tables for tests, in the form that `dmidecode --from-dump` reads: the entry
 * point at 0, the structures at 32. Field offsets are those of DMTF DSP0134.
 */
#ifndef TESTS_UNIT_SMBIOS_FIXTURE_H
#define TESTS_UNIT_SMBIOS_FIXTURE_H

#include <stdint.h>
#include <string.h>

#include "../sysroot/tree.h"
#include "base/buf.h"
#include "host/host.h"

struct dump {
	struct buf table;
	uint16_t handle; /* of the next structure */
	unsigned int count;
	uint8_t head[32];
	size_t head_size;
};

static inline void put_word(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void put_dword(uint8_t *p, uint32_t value)
{
	put_word(p, value);
	put_word(p + 2, value >> 16);
}

/* A structure whose formatted part is `length` bytes of `data` (its first four are filled in), and its strings. */
static inline uint16_t dump_add(
	struct dump *dump, uint8_t type, uint8_t *data, uint8_t length, const char *const *strings)
{
	data[0] = type;
	data[1] = length;
	put_word(data + 2, dump->handle);
	buf_add(&dump->table, data, length);
	for (size_t i = 0; strings != NULL && strings[i] != NULL; i++)
		buf_add(&dump->table, strings[i], strlen(strings[i]) + 1);
	buf_add(&dump->table, "\0", strings != NULL && strings[0] != NULL ? 1 : 2);
	dump->count++;
	return dump->handle++;
}
#define STRINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void add_checksum(uint8_t *bytes, size_t size, size_t at)
{
	uint8_t sum = 0;

	bytes[at] = 0;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + bytes[i]);
	bytes[at] = (uint8_t)-sum;
}

static inline void dump_entry_64(struct dump *dump, uint8_t major, uint8_t minor)
{
	uint8_t *h = dump->head;

	memset(h, 0, sizeof(dump->head));
	memcpy(h, "_SM3_", 5);
	h[6] = 0x18;
	h[7] = major;
	h[8] = minor;
	h[0xa] = 1;
	put_dword(h + 0xc, (uint32_t)dump->table.n);
	h[0x10] = 32;
	add_checksum(h, 0x18, 5);
	dump->head_size = 0x18;
}

static inline void dump_entry_32(struct dump *dump, uint8_t major, uint8_t minor)
{
	uint8_t *h = dump->head;

	memset(h, 0, sizeof(dump->head));
	memcpy(h, "_SM_", 4);
	h[5] = 0x1f;
	h[6] = major;
	h[7] = minor;
	memcpy(h + 0x10, "_DMI_", 5);
	put_word(h + 0x16, (uint32_t)dump->table.n);
	h[0x18] = 32;
	put_word(h + 0x1c, dump->count);
	h[0x1e] = (uint8_t)(major << 4 | minor);
	add_checksum(h + 0x10, 0xf, 5);
	add_checksum(h, 0x1f, 4);
	dump->head_size = 0x1f;
}

struct module {
	uint16_t array;
	uint16_t size;	   /* of the word at 0xc */
	uint32_t extended; /* of the longer field, MiB */
	uint16_t speed, configured;
	uint32_t extended_speed, extended_configured;
	uint16_t total_width, data_width;
	uint8_t form, type, ranks;
	uint16_t millivolts;
	uint8_t length; /* of the formatted part: 0x5c since SMBIOS 3.3, 0x22 in 2.7, 0x1b in 2.3 */
	const char *locator, *bank, *vendor, *part;
};

static inline void dump_add_module(struct dump *dump, const struct module *module)
{
	uint8_t d[0x5c] = {0};

	put_word(d + 4, module->array);
	put_word(d + 6, 0xfffe);
	put_word(d + 8, module->total_width);
	put_word(d + 0xa, module->data_width);
	put_word(d + 0xc, module->size);
	d[0xe] = module->form;
	d[0x10] = 1;
	d[0x11] = 2;
	d[0x12] = module->type;
	put_word(d + 0x13, 0x80);
	put_word(d + 0x15, module->speed);
	d[0x17] = 3;
	d[0x18] = 4;
	d[0x1a] = 5;
	d[0x1b] = module->ranks;
	put_dword(d + 0x1c, module->extended);
	put_word(d + 0x20, module->configured);
	put_word(d + 0x26, module->millivolts);
	put_dword(d + 0x54, module->extended_speed);
	put_dword(d + 0x58, module->extended_configured);
	dump_add(dump, 17, d, module->length,
		STRINGS(module->locator, module->bank, module->vendor, "SERIAL4711", module->part));
}

static inline uint16_t dump_add_array(
	struct dump *dump, uint8_t use, uint8_t ecc, uint32_t max_kib, uint16_t slots)
{
	uint8_t d[0x17] = {0};

	d[4] = 3; /* on the board */
	d[5] = use;
	d[6] = ecc;
	put_dword(d + 7, max_kib);
	put_word(d + 0xb, 0xfffe);
	put_word(d + 0xd, slots);
	if (max_kib == UINT32_C(0x80000000))
		put_dword(d + 0x13, 0x400); /* 4 TiB: 0x400 x 2^32 */
	return dump_add(dump, 16, d, 0x17, NULL);
}

static inline void dump_add_common(struct dump *dump, uint8_t bios_length, const char *version)
{
	uint8_t bios[0x1a] = {0}, system[0x1b] = {0}, board[0x0f] = {0}, chassis[0x16] = {0};

	bios[4] = 1;
	bios[5] = 2;
	bios[8] = 3;
	bios[9] = 0x0f;
	bios[0x14] = 5;
	bios[0x15] = 17;
	bios[0x16] = 1;
	bios[0x17] = 42;
	dump_add(dump, 0, bios, bios_length, STRINGS("Maker Firmware Ltd.", version, "04/01/2024"));
	for (uint8_t i = 0; i < 6; i++)
		system[i < 4 ? 4 + i : 0x15 + i] = (uint8_t)(i + 1);
	for (uint8_t i = 0; i < 16; i++)
		system[8 + i] = (uint8_t)(0xa0 + i);
	system[0x18] = 6;
	dump_add(dump, 1, system, 0x1b,
		STRINGS("Maker", "Model 9000", " rev 2 ", "SYS-SERIAL", "SKU1", "Family"));
	for (uint8_t i = 0; i < 4; i++)
		board[4 + i] = (uint8_t)(i + 1);
	board[0xd] = 10;
	dump_add(dump, 2, board, 0x0f, STRINGS("Maker", "Board X", "To Be Filled By O.E.M.", "BRD-SERIAL"));
	chassis[4] = 1;
	chassis[5] = 0x80 | 23; /* locked rack mount */
	chassis[0x13] = 0;
	dump_add(dump, 3, chassis, 0x16, STRINGS("Maker"));
}

static inline void dump_add_processor(struct dump *dump, const char *socket, const char *version,
	uint16_t max_mhz, uint8_t cores, uint8_t threads, uint16_t cores2, uint16_t threads2)
{
	uint8_t d[0x30] = {0};

	d[4] = 1;
	d[5] = 3;
	d[6] = 0x02;
	d[7] = 2;
	d[0x10] = 3;
	put_word(d + 0x14, max_mhz);
	put_word(d + 0x16, max_mhz / 2);
	d[0x18] = 0x41;
	put_word(d + 0x1a, 0xffff);
	put_word(d + 0x1c, 0xffff);
	put_word(d + 0x1e, 0xffff);
	d[0x23] = cores;
	d[0x24] = cores;
	d[0x25] = threads;
	put_word(d + 0x2a, cores2);
	put_word(d + 0x2c, cores2);
	put_word(d + 0x2e, threads2);
	dump_add(dump, 4, d, 0x30, STRINGS(socket, "CPU Maker", version));
}

static inline void dump_add_end(struct dump *dump)
{
	uint8_t d[4] = {0};

	dump_add(dump, 127, d, 4, NULL);
}

/* A server: SMBIOS 3.3, two sockets, DDR5, a 64 GiB module and speeds in the longer fields, an empty slot, a flash chip. */
static inline void dump_server(struct dump *dump)
{
	uint16_t memory, flash;

	dump_add_common(dump, 0x1a, "BS-7.31");
	dump_add_processor(dump, "CPU0", "Fast(TM) 9654  ", 3700, 96, 192, 96, 192);
	dump_add_processor(dump, "CPU1", "Fast(TM) 9754  ", 3100, 0xff, 0xff, 320, 640);
	flash = dump_add_array(dump, 5, 3, 16384, 1);
	memory = dump_add_array(dump, 3, 6, UINT32_C(0x80000000), 4);
	dump_add_module(dump, &(struct module){.array = flash,
				      .size = 16,
				      .form = 5,
				      .type = 9,
				      .total_width = 8,
				      .data_width = 8,
				      .length = 0x5c,
				      .locator = "FLASH",
				      .bank = "-",
				      .vendor = "F",
				      .part = "F"});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 16384,
				      .form = 9,
				      .type = 0x22,
				      .total_width = 80,
				      .data_width = 64,
				      .speed = 5600,
				      .configured = 4800,
				      .ranks = 1,
				      .millivolts = 1100,
				      .length = 0x5c,
				      .locator = "DIMM_A1",
				      .bank = "P0 CHANNEL A",
				      .vendor = "Samsung",
				      .part = "M321R2GA3BB6-CQKET   "});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 0x7fff,
				      .extended = 65536,
				      .form = 9,
				      .type = 0x22,
				      .total_width = 80,
				      .data_width = 64,
				      .speed = 0xffff,
				      .extended_speed = 70000,
				      .configured = 0xffff,
				      .extended_configured = 68000,
				      .ranks = 2,
				      .millivolts = 1100,
				      .length = 0x5c,
				      .locator = "DIMM_B1",
				      .bank = "P0 CHANNEL B",
				      .vendor = "Unknown",
				      .part = "N/A"});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 0,
				      .form = 9,
				      .type = 2,
				      .total_width = 0xffff,
				      .data_width = 0xffff,
				      .length = 0x5c,
				      .locator = "DIMM_C1",
				      .bank = "P0 CHANNEL C",
				      .vendor = "NO DIMM",
				      .part = "NO DIMM"});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 0xffff,
				      .form = 9,
				      .type = 0x1a,
				      .total_width = 72,
				      .data_width = 64,
				      .length = 0x5c,
				      .locator = "DIMM_D1",
				      .bank = "P0 CHANNEL D",
				      .vendor = "Hynix",
				      .part = "HMA84GR7"});
	dump_add_end(dump);
	dump_entry_64(dump, 3, 3);
}

/* An old laptop: SMBIOS 2.7 with a count, short structures, a size in KiB, a module with no speed. */
static inline void dump_laptop(struct dump *dump)
{
	uint16_t memory;

	dump_add_common(dump, 0x18, "A11");
	dump_add_processor(dump, "SOCKET 0", "Mobile 2.50GHz", 2500, 2, 4, 0, 0);
	memory = dump_add_array(dump, 3, 3, 16777216, 3);
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 4096,
				      .form = 0xd,
				      .type = 0x18,
				      .total_width = 64,
				      .data_width = 64,
				      .speed = 1333,
				      .configured = 1066,
				      .length = 0x22,
				      .locator = "ChannelA-DIMM0",
				      .bank = "BANK 0",
				      .vendor = "Micron",
				      .part = "8KTF51264HZ-1G6E1"});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 0x8000 | 512,
				      .form = 0xd,
				      .type = 0x13,
				      .total_width = 64,
				      .data_width = 64,
				      .length = 0x1b,
				      .locator = "ChannelB-DIMM0",
				      .bank = "BANK 2",
				      .vendor = "  ",
				      .part = "PN"});
	dump_add_module(dump, &(struct module){.array = memory,
				      .size = 0,
				      .form = 0xd,
				      .type = 2,
				      .length = 0x15,
				      .locator = "ChannelB-DIMM1",
				      .bank = "BANK 3",
				      .vendor = "x",
				      .part = "x"});
	dump_add_end(dump);
	dump_entry_32(dump, 2, 7);
}

static inline void dump_release(struct dump *dump)
{
	buf_release(&dump->table);
}

/* All facts of a dump, through the files that the kernel shows. */
static inline void facts_of(const struct dump *dump, struct facts *facts)
{
	char *root = tree_scratch();
	struct error e = {0};

	tree_write(root, "sys/firmware/dmi/tables/smbios_entry_point", dump->head, dump->head_size);
	tree_write(root, "sys/firmware/dmi/tables/DMI", dump->table.data, dump->table.n);
	assert_int_equal(host_read(root, facts, &e), 0);
	tree_remove(root);
}

#endif
