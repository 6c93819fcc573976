#include "host/smbios.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/probe.h"

static uint32_t little(const uint8_t *p, size_t count)
{
	uint32_t value = 0;

	while (count-- > 0)
		value = value << 8 | p[count];
	return value;
}

static int checksum_wrong(const uint8_t *bytes, size_t count)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = (uint8_t)(sum + bytes[i]);
	return sum != 0;
}

/* The forms of the entry point: anchor, least length, where its length stands (0: fixed). */
static int entry_32(const uint8_t *b, size_t size, struct smbios_entry *entry)
{
	/* some firmware says 0x1e where it means 0x1f (a fault of the 2.1 text): both are accepted */
	if (size < 0x1f || b[5] < 0x1e || b[5] > size || checksum_wrong(b, b[5]) ||
		memcmp(b + 0x10, "_DMI_", 5) != 0)
		return -1;
	*entry = (struct smbios_entry){b[6], b[7], little(b + 0x16, 2), little(b + 0x1c, 2)};
	return 0;
}

static int entry_64(const uint8_t *b, size_t size, struct smbios_entry *entry)
{
	if (size < 0x18 || b[6] < 0x18 || b[6] > size || checksum_wrong(b, b[6]))
		return -1;
	*entry = (struct smbios_entry){b[7], b[8], little(b + 0xc, 4), 0};
	return 0;
}

static int entry_legacy(const uint8_t *b, size_t size, struct smbios_entry *entry)
{
	if (size < 0xf || checksum_wrong(b, 0xf))
		return -1;
	*entry = (struct smbios_entry){b[0xe] >> 4, b[0xe] & 0xf, little(b + 6, 2), little(b + 0xc, 2)};
	return 0;
}

int smbios_entry_parse(const uint8_t *bytes, size_t size, struct smbios_entry *entry, struct error *e)
{
	int result;

	if (size >= 5 && memcmp(bytes, "_SM3_", 5) == 0)
		result = entry_64(bytes, size, entry);
	else if (size >= 4 && memcmp(bytes, "_SM_", 4) == 0)
		result = entry_32(bytes, size, entry);
	else if (size >= 5 && memcmp(bytes, "_DMI_", 5) == 0)
		result = entry_legacy(bytes, size, entry);
	else
		return error_set(e, EXIT_CANNOT, "the SMBIOS entry point begins with no known anchor");
	if (result != 0)
		return error_set(
			e, EXIT_CANNOT, "the SMBIOS entry point is damaged: its length or checksum is wrong");
	return 0;
}

void smbios_walk_start(
	struct smbios_walk *walk, const struct smbios_entry *entry, const uint8_t *table, size_t size)
{
	*walk = (struct smbios_walk){.table = table, .size = size, .left = entry->structures};
	if (entry->table_size != 0 && entry->table_size < size)
		walk->size = entry->table_size;
	if (entry->structures == 0)
		walk->left = UINT32_MAX;
}

static int fault(struct smbios_walk *walk, const char *why)
{
	walk->fault = why;
	walk->fault_at = walk->at;
	return 0;
}

/* Offset behind the two NULs that end the strings of a structure; 0: the table ends before. */
static size_t strings_end(const struct smbios_walk *walk, size_t start)
{
	for (size_t i = start; i + 1 < walk->size; i++)
		if (walk->table[i] == 0 && walk->table[i + 1] == 0)
			return i + 2;
	return 0;
}

int smbios_walk_next(struct smbios_walk *walk, struct smbios_structure *structure)
{
	const uint8_t *p = walk->table + walk->at;
	size_t left = walk->size - walk->at;
	size_t end;

	if (walk->fault != NULL || walk->left == 0)
		return 0;
	/* a count that is too high is a common slip and loses nothing */
	if (left == 0)
		return 0;
	if (left < 4)
		return fault(walk, "it ends inside a structure's header");
	if (p[1] < 4)
		return fault(walk, "a structure says that it is shorter than its header");
	if (p[1] > left)
		return fault(walk, "a structure is longer than what is left of the table");
	end = strings_end(walk, walk->at + p[1]);
	if (end == 0)
		return fault(walk, "the strings of a structure have no end");
	*structure = (struct smbios_structure){
		.type = p[0], .length = p[1], .handle = (uint16_t)little(p + 2, 2), .data = p};
	structure->strings = (const char *)p + p[1];
	structure->strings_size = end - walk->at - p[1];
	walk->at = end;
	/* with a count, some firmware has structures of its own behind the end mark */
	if (walk->left == UINT32_MAX && structure->type == 127)
		walk->left = 0;
	else if (walk->left != UINT32_MAX)
		walk->left--;
	return 1;
}

const char *smbios_string(const struct smbios_structure *structure, size_t offset)
{
	uint8_t index = smbios_byte(structure, offset, 0);
	const char *text = structure->strings;
	const char *end = structure->strings + structure->strings_size;

	if (index == 0)
		return NULL;
	for (; index > 1 && text < end && *text != '\0'; index--)
		text += strlen(text) + 1;
	return text < end && *text != '\0' ? text : NULL;
}

uint8_t smbios_byte(const struct smbios_structure *structure, size_t offset, uint8_t fallback)
{
	return offset + 1 <= structure->length ? structure->data[offset] : fallback;
}

uint16_t smbios_word(const struct smbios_structure *structure, size_t offset, uint16_t fallback)
{
	return offset + 2 <= structure->length ? (uint16_t)little(structure->data + offset, 2) : fallback;
}

uint32_t smbios_dword(const struct smbios_structure *structure, size_t offset, uint32_t fallback)
{
	return offset + 4 <= structure->length ? little(structure->data + offset, 4) : fallback;
}

uint64_t smbios_qword(const struct smbios_structure *structure, size_t offset, uint64_t fallback)
{
	return offset + 8 <= structure->length ? (uint64_t)little(structure->data + offset + 4, 4) << 32 |
							 little(structure->data + offset, 4)
					       : fallback;
}

const char *smbios_chassis_name(unsigned int type)
{
	static const char *const names[] = {NULL, "Other", "Unknown", "Desktop", "Low Profile Desktop",
		"Pizza Box", "Mini Tower", "Tower", "Portable", "Laptop", "Notebook", "Hand Held",
		"Docking Station", "All In One", "Sub Notebook", "Space-saving", "Lunch Box",
		"Main Server Chassis", "Expansion Chassis", "Sub Chassis", "Bus Expansion Chassis",
		"Peripheral Chassis", "RAID Chassis", "Rack Mount Chassis", "Sealed-case PC", "Multi-system",
		"CompactPCI", "AdvancedTCA", "Blade", "Blade Enclosing", "Tablet", "Convertible",
		"Detachable", "IoT Gateway", "Embedded PC", "Mini PC", "Stick PC"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

static void set_string(struct facts *facts, const char *key, const struct smbios_structure *structure,
	size_t offset, const char *source)
{
	firmware_set(facts, key, smbios_string(structure, offset), source);
}

/* Serial numbers and the like: whether two are equal matters, not what they are. */
static void set_private(struct facts *facts, const char *key, const char *value, const char *source)
{
	if (firmware_set(facts, key, value, source))
		facts_set(facts, key, probe_private_hash(facts->arena, key, facts_value(facts, key)), source);
}

/* Two bytes that give "5.17"; 0xff in the first: there is none. */
static void set_release(struct facts *facts, const char *key, const struct smbios_structure *structure,
	size_t offset, const char *source)
{
	uint8_t major = smbios_byte(structure, offset, 0xff);
	uint8_t minor = smbios_byte(structure, offset + 1, 0xff);

	if (major != 0xff)
		facts_setf(facts, key, source, "%u.%u", major, minor);
	else
		facts_unknown(facts, key, source, "firmware leaves it empty");
}

static void add_bios(struct facts *facts, const struct smbios_structure *structure, const char *source)
{
	set_string(facts, "bios.vendor", structure, 4, source);
	set_string(facts, "bios.version", structure, 5, source);
	set_string(facts, "bios.date", structure, 8, source);
	set_release(facts, "bios.release", structure, 0x14, source);
	set_release(facts, "bios.ec_release", structure, 0x16, source);
}

/* Since SMBIOS 2.6 the first three fields are little-endian; before, writers did as they liked: as the kernel does. */
static void set_uuid(struct facts *facts, const struct smbios_entry *entry,
	const struct smbios_structure *structure, const char *source)
{
	static const uint8_t swapped[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	bool little_endian = entry->major > 2 || (entry->major == 2 && entry->minor >= 6);
	char text[40] = "";
	size_t at = 0;

	if (structure->length < 0x18) {
		facts_unknown(facts, "product.uuid_hash", source, "firmware leaves it empty");
		return;
	}
	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[at++] = '-';
		snprintf(text + at, sizeof(text) - at, "%02x",
			structure->data[8 + (little_endian ? swapped[i] : i)]);
		at += 2;
	}
	set_private(facts, "product.uuid_hash", text, source);
}

static void add_system(struct facts *facts, const struct smbios_entry *entry,
	const struct smbios_structure *structure, const char *source)
{
	set_string(facts, "product.vendor", structure, 4, source);
	set_string(facts, "product.name", structure, 5, source);
	set_string(facts, "product.version", structure, 6, source);
	set_string(facts, "product.family", structure, 0x1a, source);
	set_uuid(facts, entry, structure, source);
}

static void add_board(struct facts *facts, const struct smbios_structure *structure, const char *source)
{
	set_string(facts, "board.vendor", structure, 4, source);
	set_string(facts, "board.name", structure, 5, source);
	set_string(facts, "board.version", structure, 6, source);
	set_private(facts, "board.serial_hash", smbios_string(structure, 7), source);
}

static void add_chassis(struct facts *facts, const struct smbios_structure *structure, const char *source)
{
	const char *name =
		smbios_chassis_name(smbios_byte(structure, 5, 0) & 0x7f); /* bit 7: there is a lock */

	set_string(facts, "chassis.vendor", structure, 4, source);
	firmware_set(facts, "chassis.type", name, source);
}

static void set_socket_number(
	struct facts *facts, unsigned int socket, const char *name, unsigned int value, const char *source)
{
	char *key = arena_printf(facts->arena, "cpu.socket.%u.%s", socket, name);

	if (value != 0)
		facts_setf(facts, key, source, "%u", value);
	else
		facts_unknown(facts, key, source, "firmware says \"0\", which means unknown");
}

static void add_processor(struct facts *facts, unsigned int socket, const struct smbios_structure *structure,
	const char *source)
{
	unsigned int cores = smbios_byte(structure, 0x23, 0);
	unsigned int threads = smbios_byte(structure, 0x25, 0);

	set_string(facts, arena_printf(facts->arena, "cpu.socket.%u.name", socket), structure, 4, source);
	set_string(
		facts, arena_printf(facts->arena, "cpu.socket.%u.version", socket), structure, 0x10, source);
	set_socket_number(facts, socket, "max_mhz", smbios_word(structure, 0x14, 0), source);
	set_socket_number(facts, socket, "current_mhz", smbios_word(structure, 0x16, 0), source);
	set_socket_number(
		facts, socket, "cores", cores == 0xff ? smbios_word(structure, 0x2a, 0) : cores, source);
	set_socket_number(facts, socket, "threads",
		threads == 0xff ? smbios_word(structure, 0x2e, 0) : threads, source);
}

/* Arrays stand anywhere in the table: which ones are not system memory must be known before their modules. */
static void find_foreign(struct smbios_memory *memory, struct smbios_walk walk)
{
	struct smbios_structure structure;

	while (smbios_walk_next(&walk, &structure))
		if (structure.type == 16 && smbios_byte(&structure, 5, 3) != 3 && memory->foreign_count < 64)
			memory->foreign[memory->foreign_count++] = structure.handle;
}

static void set_summary(struct facts *facts, const struct smbios_memory *memory,
	const struct smbios_walk *walk, const char *source)
{
	const char *const keys[] = {"memory.slots", "memory.modules", "memory.type", "memory.configured_mts"};
	const char *reason = "the firmware's table lists no memory";

	if (walk->fault != NULL)
		reason = arena_printf(facts->arena, "the firmware's table is damaged at byte %zu: %s",
			walk->fault_at, walk->fault);
	if (walk->fault != NULL || memory->slots == 0) {
		for (size_t i = 0; i < 4; i++)
			facts_unknown(facts, keys[i], source, reason);
		return;
	}
	facts_setf(facts, keys[0], source, "%u", memory->slots);
	facts_setf(facts, keys[1], source, "%u", memory->modules);
	for (size_t i = 2; i < 4; i++) {
		const char *text = buf_text(i == 2 ? memory->types : memory->speeds);

		if (text[0] != '\0')
			facts_set(facts, keys[i], text, source);
		else
			facts_unknown(facts, keys[i], source, "no module's entry says it");
	}
}

static void add_structure(struct facts *facts, const struct smbios_entry *entry, struct smbios_memory *memory,
	const struct smbios_structure *structure, unsigned int seen[256], const char *source)
{
	unsigned int index = seen[structure->type]++;

	switch (structure->type) {
	case 0:
		if (index == 0)
			add_bios(facts, structure, source);
		break;
	case 1:
		if (index == 0)
			add_system(facts, entry, structure, source);
		break;
	case 2: /* blades list several boards: the first is the one the kernel shows too */
		if (index == 0)
			add_board(facts, structure, source);
		break;
	case 3:
		if (index == 0)
			add_chassis(facts, structure, source);
		break;
	case 4:
		add_processor(facts, index, structure, source);
		break;
	case 16:
		smbios_add_array(facts, memory, structure, source);
		break;
	case 17:
		smbios_add_module(facts, memory, structure, source);
		break;
	default:
		break;
	}
}

void smbios_facts(struct facts *facts, const struct smbios_entry *entry, const uint8_t *table, size_t size,
	const char *source)
{
	struct buf types = {0};
	struct buf speeds = {0};
	struct smbios_memory memory = {.types = &types, .speeds = &speeds};
	struct smbios_structure structure;
	struct smbios_walk walk;
	unsigned int seen[256] = {0};

	facts_setf(facts, "smbios.version", source, "%u.%u", entry->major, entry->minor);
	smbios_walk_start(&walk, entry, table, size);
	find_foreign(&memory, walk);
	while (smbios_walk_next(&walk, &structure))
		add_structure(facts, entry, &memory, &structure, seen, source);
	set_summary(facts, &memory, &walk, source);
	buf_release(&types);
	buf_release(&speeds);
}
