/*
 * smbios.h - reads the firmware's SMBIOS tables (DMTF DSP0134, 3.7): the entry point in its three forms and the
 * structures about firmware, system, board, chassis, processors, memory arrays and memory modules.
 *
 * The bytes come from firmware and are not trusted: every length and string index is checked against the
 * table, and a walk always ends. Private to host, and for its tests.
 */
#ifndef FLAGSTONE_HOST_SMBIOS_H
#define FLAGSTONE_HOST_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/fact.h"

struct smbios_entry {
	unsigned int major, minor;
	uint32_t table_size; /* of all structures; with 64-bit entry points only an upper bound */
	uint32_t structures; /* 0: not said, the table ends with type 127 */
};

/* Parses an entry point ("_SM3_", "_SM_" or "_DMI_"). Error: what is wrong with it; then *entry is untouched. */
int smbios_entry_parse(const uint8_t *bytes, size_t size, struct smbios_entry *entry, struct error *e);

struct smbios_structure {
	uint8_t type;
	uint8_t length; /* of the formatted part, >= 4 */
	uint16_t handle;
	const uint8_t *data; /* the formatted part, borrowed from the table */
	const char *strings; /* the first string */
	size_t strings_size; /* up to and with the terminator */
};

struct smbios_walk {
	const uint8_t *table;
	size_t size;
	size_t at;
	uint32_t left;	   /* structures that may still come */
	const char *fault; /* why the walk ended early, NULL: it did not; fault_at has the offset */
	size_t fault_at;
};

void smbios_walk_start(
	struct smbios_walk *walk, const struct smbios_entry *entry, const uint8_t *table, size_t size);
/* The next structure; 0 at the end of the table or at a fault. */
int smbios_walk_next(struct smbios_walk *walk, struct smbios_structure *structure);

/*
 * A string by its index (the byte at `offset` of the formatted part), NULL: no such field, index 0, or an index
 * beyond the strings. Borrowed.
 */
const char *smbios_string(const struct smbios_structure *structure, size_t offset);
/* Little-endian numbers of the formatted part; `fallback` when it is too short to have the field. */
uint8_t smbios_byte(const struct smbios_structure *structure, size_t offset, uint8_t fallback);
uint16_t smbios_word(const struct smbios_structure *structure, size_t offset, uint16_t fallback);
uint32_t smbios_dword(const struct smbios_structure *structure, size_t offset, uint32_t fallback);
uint64_t smbios_qword(const struct smbios_structure *structure, size_t offset, uint64_t fallback);

/*
 * Sets the facts of a whole table: smbios.version, bios.*, product.*, board.*, chassis.*, cpu.socket.N.*,
 * memory.array.N.*, memory.module.N.* (N counts slots from 0, empty ones included), memory.slots, .modules, .type,
 * .configured_mts. The source names the file. A damaged table gives what stands before the damage, and makes the
 * counts unknown.
 */
void smbios_facts(struct facts *facts, const struct smbios_entry *entry, const uint8_t *table, size_t size,
	const char *source);

/* The chassis type's name; NULL: none has this number. */
const char *smbios_chassis_name(unsigned int type);

/* memory arrays and modules (smbios_memory.c): called by smbios_facts. */
struct smbios_memory {
	unsigned int arrays, slots, modules;
	uint16_t foreign[64]; /* handles of arrays that are no system memory: flash, video, cache */
	size_t foreign_count;
	struct buf *types, *speeds; /* distinct ones so far, with ", " between */
};
void smbios_add_array(struct facts *facts, struct smbios_memory *memory,
	const struct smbios_structure *structure, const char *source);
void smbios_add_module(struct facts *facts, struct smbios_memory *memory,
	const struct smbios_structure *structure, const char *source);

#endif
