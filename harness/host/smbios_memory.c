#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "host/probe.h"
#include "host/smbios.h"

/* Names by number of DSP0134 7.17.3, 7.18.1 and 7.18.2; NULL: reserved. */
static const char *const correction_names[] = {
	NULL, "Other", "Unknown", "None", "Parity", "Single-bit ECC", "Multi-bit ECC", "CRC"};
static const char *const form_names[] = {NULL, "Other", "Unknown", "SIMM", "SIP", "Chip", "DIP", "ZIP",
	"Proprietary Card", "DIMM", "TSOP", "Row Of Chips", "RIMM", "SODIMM", "SRIMM", "FB-DIMM", "Die",
	"CAMM"};
static const char *const type_names[] = {NULL, "Other", "Unknown", "DRAM", "EDRAM", "VRAM", "SRAM", "RAM",
	"ROM", "Flash", "EEPROM", "FEPROM", "EPROM", "CDRAM", "3DRAM", "SDRAM", "SGRAM", "RDRAM", "DDR",
	"DDR2", "DDR2 FB-DIMM", NULL, NULL, NULL, "DDR3", "FBD2", "DDR4", "LPDDR", "LPDDR2", "LPDDR3",
	"LPDDR4", "Logical non-volatile device", "HBM", "HBM2", "DDR5", "LPDDR5", "HBM3"};

/* Names of a list and how many it has. */
#define NAMES(names) (names), sizeof(names) / sizeof((names)[0])

/* A key of an array or a module, and where it was read. */
struct place {
	struct facts *facts;
	const char *prefix; /* "memory.module.3" */
	const char *source;
};

static char *key_of(const struct place *place, const char *name)
{
	return arena_printf(place->facts->arena, "%s.%s", place->prefix, name);
}

static void set_number(const struct place *place, const char *name, uint64_t value, uint64_t unknown)
{
	if (value != unknown)
		facts_setf(
			place->facts, key_of(place, name), place->source, "%llu", (unsigned long long)value);
	else
		facts_unknown(place->facts, key_of(place, name), place->source, "firmware does not say it");
}

static void set_text(const struct place *place, const char *name, const char *value)
{
	firmware_set(place->facts, key_of(place, name), value, place->source);
}

/*
 * The name of a number of one of the lists; NULL: it has none. "None" is a value there (no error correction), "Unknown" and
 * "Other" are none.
 */
static const char *set_name(const struct place *place, const char *key, unsigned int number,
	const char *const *names, size_t count)
{
	const char *name = number < count ? names[number] : NULL;

	if (name != NULL && strcmp(name, "None") == 0)
		facts_set(place->facts, key_of(place, key), name, place->source);
	else if (name != NULL || number == 0)
		set_text(place, key, name);
	else
		facts_unknown(place->facts, key_of(place, key), place->source,
			arena_printf(
				place->facts->arena, "firmware says number %u, which has no name", number));
	return name;
}

static void set_width(const struct place *place, const char *name, uint16_t bits)
{
	set_number(place, name, bits == 0xffff ? 0 : bits, 0);
}

/* Adds a text to a list of distinct ones. */
static void add_distinct(struct buf *list, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = buf_text(list); (at = strstr(at, text)) != NULL; at += length)
		if ((at == list->data || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
			return;
	buf_addf(list, "%s%s", list->n > 0 ? ", " : "", text);
}

void smbios_add_array(struct facts *facts, struct smbios_memory *memory,
	const struct smbios_structure *structure, const char *source)
{
	struct place place = {facts, NULL, source};
	uint64_t most = smbios_dword(structure, 7, UINT32_C(0x80000000));

	if (smbios_byte(structure, 5, 3) != 3)
		return;
	place.prefix = arena_printf(facts->arena, "memory.array.%u", memory->arrays++);
	most = most == UINT32_C(0x80000000) ? smbios_qword(structure, 0xf, 0) : most * 1024;
	set_name(&place, "ecc", smbios_byte(structure, 6, 0), NAMES(correction_names));
	set_number(&place, "max_bytes", most, 0);
	set_number(&place, "slots", smbios_word(structure, 0xd, 0), 0);
}

enum { SIZE_UNKNOWN = 0xffff, SIZE_EXTENDED = 0x7fff, SPEED_EXTENDED = 0xffff };

/* Bytes; 0: empty slot; UINT64_MAX: unknown. Bit 15 tells KiB from MiB; from 32 GiB - 1 MiB on it stands elsewhere. */
static uint64_t module_size(const struct smbios_structure *structure)
{
	uint16_t size = smbios_word(structure, 0xc, SIZE_UNKNOWN);
	uint32_t extended = smbios_dword(structure, 0x1c, 0) & UINT32_C(0x7fffffff);

	if (size == SIZE_UNKNOWN)
		return UINT64_MAX;
	if (size == SIZE_EXTENDED)
		return extended != 0 ? (uint64_t)extended << 20 : UINT64_MAX;
	if (size & 0x8000)
		return (uint64_t)(size & 0x7fff) << 10;
	return (uint64_t)size << 20;
}

/* Mega-transfers a second; 0: unknown. Modules of 65,535 MT/s and more keep it in a longer field (3.3). */
static uint32_t module_speed(const struct smbios_structure *structure, size_t offset, size_t extended_offset)
{
	uint16_t speed = smbios_word(structure, offset, 0);

	if (speed == SPEED_EXTENDED)
		return smbios_dword(structure, extended_offset, 0) & UINT32_C(0x7fffffff);
	return speed;
}

static void add_populated(
	const struct place *place, struct smbios_memory *memory, const struct smbios_structure *structure)
{
	const char *type = set_name(place, "type", smbios_byte(structure, 0x12, 0), NAMES(type_names));
	uint32_t configured = module_speed(structure, 0x20, 0x58);

	set_name(place, "form", smbios_byte(structure, 0xe, 0), NAMES(form_names));
	set_number(place, "speed_mts", module_speed(structure, 0x15, 0x54), 0);
	set_number(place, "configured_mts", configured, 0);
	set_width(place, "total_width_bits", smbios_word(structure, 8, 0));
	set_width(place, "data_width_bits", smbios_word(structure, 0xa, 0));
	set_number(place, "ranks", smbios_byte(structure, 0x1b, 0) & 0xf, 0);
	set_number(place, "configured_mv", smbios_word(structure, 0x26, 0), 0);
	set_text(place, "vendor", smbios_string(structure, 0x17));
	set_text(place, "part", smbios_string(structure, 0x1a));
	if (type != NULL && !firmware_placeholder(type))
		add_distinct(memory->types, type);
	if (configured != 0)
		add_distinct(memory->speeds, arena_printf(place->facts->arena, "%u", configured));
}

void smbios_add_module(struct facts *facts, struct smbios_memory *memory,
	const struct smbios_structure *structure, const char *source)
{
	struct place place = {facts, NULL, source};
	uint16_t array = smbios_word(structure, 4, 0xffff);
	uint64_t size = module_size(structure);

	for (size_t i = 0; i < memory->foreign_count; i++)
		if (memory->foreign[i] == array)
			return;
	place.prefix = arena_printf(facts->arena, "memory.module.%u", memory->slots++);
	set_text(&place, "locator", smbios_string(structure, 0x10));
	set_text(&place, "bank", smbios_string(structure, 0x11));
	set_number(&place, "size_bytes", size, UINT64_MAX);
	if (size == 0)
		return;
	memory->modules++;
	add_populated(&place, memory, structure);
}
