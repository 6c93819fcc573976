#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/file.h"
#include "host/probe.h"
#include "host/smbios.h"

/*
 * What vendors leave in place of a value, as seen in firmware. Whole texts, case ignored. "Other" and "Unknown"
 * also stand in SMBIOS's own lists of numbers for saying nothing.
 */
static const char *const placeholders[] = {"N/A", "NA", "None", "Null", "Unknown", "Other", "Undefined",
	"Unspecified", "Not Specified", "Not Available", "Not Applicable", "Not Present", "Not Defined",
	"Empty", "[Empty]", "To Be Filled By O.E.M.", "To be filled by O.E.M", "Default string",
	"System manufacturer", "System Product Name", "System Version", "System Serial Number", "System Name",
	"Product Name", "Base Board Version", "Base Board Serial Number", "Board Version",
	"Type2 - Board Manufacturer", "Type2 - Board Product Name1", "Type2 - Board Version",
	"Type2 - Board Serial Number", "O.E.M.", "OEM", "OEM Default string000", "INVALID", "Not Settable",
	"BSN12345678901234567", "SerNum0", "PartNum0", "Manufacturer0", "NO DIMM", "Module Part Number",
	"Module Manufacturer", "Serial Number", "xxxxxxxx", "03000200-0400-0500-0006-000700080009",
	"00020003-0004-0005-0006-000700080009", "12345678-1234-5678-90ab-cddeefaabbcc", "123456789",
	"0123456789"};

/* One character again and again ("-----", "00000000", "ffff-ffff"), dashes and blanks not counted. */
static bool one_character(const char *text)
{
	char only = '\0';
	size_t count = 0;

	for (; *text != '\0'; text++) {
		if (*text == '-' || *text == ' ')
			continue;
		if (only != '\0' && tolower((unsigned char)*text) != only)
			return false;
		only = (char)tolower((unsigned char)*text);
		count++;
	}
	return only == '\0' || (strchr("0fx.*_", only) != NULL && count >= 4);
}

bool firmware_placeholder(const char *text)
{
	for (size_t i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]); i++)
		if (strcasecmp(text, placeholders[i]) == 0)
			return true;
	return one_character(text);
}

bool firmware_set(struct facts *facts, const char *key, const char *value, const char *source)
{
	size_t length;
	char *text;

	while (value != NULL && isspace((unsigned char)*value))
		value++;
	if (value == NULL || *value == '\0') {
		facts_unknown(facts, key, source, "firmware leaves it empty");
		return false;
	}
	length = strlen(value);
	while (length > 0 && isspace((unsigned char)value[length - 1]))
		length--;
	text = arena_strndup(facts->arena, value, length);
	if (firmware_placeholder(text)) {
		facts_unknown(facts, key, source, arena_printf(facts->arena, "firmware says \"%s\"", text));
		return false;
	}
	facts_set(facts, key, text, source);
	return true;
}

static void set_dmi(struct probe *probe, const char *key, const char *name)
{
	char *path = arena_printf(probe->arena, "/sys/class/dmi/id/%s", name);
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);

	if (text != NULL)
		firmware_set(probe->facts, key, text, path);
	else
		facts_unknown(probe->facts, key, path, reason);
}

/* Whether two are equal matters, not what they are. */
static void set_private_dmi(struct probe *probe, const char *key, const char *name)
{
	const struct fact *fact;

	set_dmi(probe, key, name);
	fact = facts_find(probe->facts, key);
	if (fact->value != NULL)
		facts_set(
			probe->facts, key, probe_private_hash(probe->arena, key, fact->value), fact->source);
}

static void read_dmi(struct probe *probe)
{
	static const struct probe_entry files[] = {
		{"bios.vendor", "bios_vendor"},
		{"bios.version", "bios_version"},
		{"bios.date", "bios_date"},
		{"bios.release", "bios_release"},
		{"bios.ec_release", "ec_firmware_release"},
		{"board.vendor", "board_vendor"},
		{"board.name", "board_name"},
		{"board.version", "board_version"},
		{"product.vendor", "sys_vendor"},
		{"product.name", "product_name"},
		{"product.version", "product_version"},
		{"product.family", "product_family"},
		{"chassis.vendor", "chassis_vendor"},
		{"chassis.type", "chassis_type"},
	};
	const struct fact *chassis;
	const char *name;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		set_dmi(probe, files[i].key, files[i].path);
	set_private_dmi(probe, "product.uuid_hash", "product_uuid");
	set_private_dmi(probe, "board.serial_hash", "board_serial");
	chassis = facts_find(probe->facts, "chassis.type");
	if (chassis->value != NULL &&
		(name = smbios_chassis_name((unsigned int)atoi(chassis->value))) != NULL)
		firmware_set(probe->facts, "chassis.type", name, chassis->source);
}

/* Takes from the table what the kernel's files did not give: a file's own answer is the newer one. */
static void fill_from(struct probe *probe, const struct facts *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct fact *fact = &table->v[i];
		const struct fact *old = facts_find(probe->facts, fact->key);

		if (old != NULL && (old->value != NULL || text_starts(old->reason, "firmware ")))
			continue;
		if (fact->value != NULL)
			facts_set(probe->facts, fact->key, fact->value, fact->source);
		else
			facts_unknown(probe->facts, fact->key, fact->source, fact->reason);
	}
}

static bool read_bytes(struct probe *probe, const char *path, struct buf *bytes, const char **reason)
{
	char *full = arena_printf(probe->arena, "%s%s", probe->root, path);

	if (file_read(full, 16 << 20, bytes, NULL) == 0)
		return true;
	/* read once more as text: for the reason alone */
	if (probe_text(probe, path, reason) != NULL)
		*reason = "it is longer than any such table";
	return false;
}

static void read_table(struct probe *probe)
{
	static const char entry_path[] = "/sys/firmware/dmi/tables/smbios_entry_point";
	static const char table_path[] = "/sys/firmware/dmi/tables/DMI";
	static const char *const keys[] = {
		"smbios.version", "memory.slots", "memory.modules", "memory.type", "memory.configured_mts"};
	struct facts found = {.arena = probe->arena};
	struct smbios_entry entry = {0};
	struct buf head = {0};
	struct buf table = {0};
	struct error e = {0};
	const char *failed = entry_path;
	const char *reason = NULL;

	if (read_bytes(probe, entry_path, &head, &reason)) {
		if (smbios_entry_parse((const uint8_t *)buf_text(&head), head.n, &entry, &e) != 0) {
			reason = arena_strdup(probe->arena, e.text);
		} else {
			failed = table_path;
			if (read_bytes(probe, table_path, &table, &reason))
				smbios_facts(&found, &entry, (const uint8_t *)buf_text(&table), table.n,
					table_path);
		}
	}
	for (size_t i = 0; reason != NULL && i < sizeof(keys) / sizeof(keys[0]); i++)
		facts_unknown(probe->facts, keys[i], failed, reason);
	fill_from(probe, &found);
	buf_release(&head);
	buf_release(&table);
}

/* Machines without DMI: the device tree's model, and on s390 the lines of /proc/sysinfo. */
static void read_others(struct probe *probe)
{
	const char *model = probe_text(probe, "/proc/device-tree/model", NULL);
	const char *info = probe_text(probe, "/proc/sysinfo", NULL);
	const char *type = info != NULL ? probe_line(probe, info, "Type:") : NULL;
	const char *vendor = info != NULL ? probe_line(probe, info, "Manufacturer:") : NULL;

	if (facts_value(probe->facts, "product.name") == NULL) {
		if (model != NULL)
			firmware_set(probe->facts, "product.name", model, "/proc/device-tree/model");
		else if (type != NULL)
			firmware_set(probe->facts, "product.name", type, "/proc/sysinfo");
	}
	if (facts_value(probe->facts, "product.vendor") == NULL && vendor != NULL)
		firmware_set(probe->facts, "product.vendor", vendor, "/proc/sysinfo");
}

void probe_firmware(struct probe *probe)
{
	read_dmi(probe);
	read_table(probe);
	read_others(probe);
}
