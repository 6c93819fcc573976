/*
 * smbios_dmidecode.h - holds the facts of a firmware table against what dmidecode(8) says of the same bytes: its own
 * text, asked now or recorded (tests/sysroot/smbios-*.dmidecode).
 *
 * To record the answers anew, with dmidecode 3.4 or later:
 *	FLAGSTONE_RECORD_DMIDECODE=1 .build/HASH/tests/unit/test_host_smbios   (and _machines)
 */
#ifndef TESTS_UNIT_SMBIOS_DMIDECODE_H
#define TESTS_UNIT_SMBIOS_DMIDECODE_H

#include <stdlib.h>

#include "smbios_fixture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/probe.h"
#include "sys/process.h"

/* One structure in dmidecode's text. */
struct said {
	int type;
	const char *handle; /* "0x0011" */
	const char *text;   /* its lines, each beginning with "\n\t" */
};

struct dmidecode {
	struct arena *arena;
	VEC(struct said) v;
};

static inline void dmidecode_parse(struct dmidecode *said, struct arena *arena, const char *text)
{
	static const char start[] = "\nHandle 0x";

	said->arena = arena;
	for (const char *at = strstr(text, start); at != NULL;) {
		const char *next = strstr(at + 1, start);
		size_t length = next != NULL ? (size_t)(next - at) : strlen(at);
		struct said one = {.handle = arena_strndup(arena, at + 8, 6),
			.text = arena_strndup(arena, at + 1, length - 1)};

		assert_int_equal(sscanf(one.text, "Handle 0x%*x, DMI type %d,", &one.type), 1);
		vec_push(&said->v, one);
		at = next;
	}
}

static inline void dmidecode_release(struct dmidecode *said)
{
	vec_release(&said->v);
}

/* What it says behind "Field: "; NULL: it has no such line. */
static inline const char *said_field(struct arena *arena, const struct said *one, const char *field)
{
	const char *start = arena_printf(arena, "\n\t%s: ", field);
	const char *at = one != NULL ? strstr(one->text, start) : NULL;

	return at != NULL ? arena_strndup(arena, at + strlen(start), strcspn(at + strlen(start), "\n"))
			  : NULL;
}

/* The nth structure of a type; NULL: none. */
static inline const struct said *said_nth(const struct dmidecode *said, int type, size_t nth)
{
	for (size_t i = 0; i < said->v.n; i++)
		if (said->v.v[i].type == type && nth-- == 0)
			return &said->v.v[i];
	return NULL;
}

/* Is it an array of something else than system memory: flash, video, cache? */
static inline bool is_foreign_array(struct arena *arena, const struct said *one)
{
	const char *use = said_field(arena, one, "Use");

	return one->type == 16 && use != NULL && strcmp(use, "System Memory") != 0;
}

static inline bool is_of_foreign_array(const struct dmidecode *said, const struct said *module)
{
	const char *array = said_field(said->arena, module, "Array Handle");

	for (size_t i = 0; i < said->v.n; i++)
		if (is_foreign_array(said->arena, &said->v.v[i]) && text_same(said->v.v[i].handle, array))
			return true;
	return false;
}

enum form { TEXT, NUMBER, SIZE, VOLTS, PRIVATE };

/* "16 GB", "512 kB": bytes. */
static inline unsigned long long bytes_of(const char *text)
{
	char *unit = NULL;
	unsigned long long value = strtoull(text, &unit, 10);
	const char *units = "kMGTP";
	const char *at = unit[0] == ' ' && unit[1] != '\0' ? strchr(units, unit[1]) : NULL;

	for (; at != NULL && at >= units; at--)
		value *= 1024;
	return value;
}

/* Texts that say nothing: dmidecode's own, and those of firmware in our tables. */
static inline bool says_nothing(const char *text)
{
	static const char *const nothing[] = {"", "Unknown", "Not Specified", "N/A", "To Be Filled By O.E.M.",
		"Other", "<OUT OF SPEC>", "<BAD INDEX>", "Not Present", "Not Settable", "Default string",
		"System Serial Number", "NO DIMM", "-----", "-", "0000000000", "Reserved"};

	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if (strcmp(text, nothing[i]) == 0)
			return true;
	return false;
}

/* What our fact must be where dmidecode prints `said`; NULL: unknown. */
static inline const char *wanted(struct arena *arena, const char *key, const char *said, enum form form)
{
	char *text = arena_strdup(arena, said);
	size_t n;

	while (*text == ' ')
		text++;
	for (n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (form == SIZE && strcmp(text, "No Module Installed") == 0)
		return "0";
	if (says_nothing(text))
		return NULL;
	switch (form) {
	case TEXT:
		return text;
	case NUMBER:
		return arena_printf(arena, "%llu", strtoull(text, NULL, 10));
	case SIZE:
		return arena_printf(arena, "%llu", bytes_of(text));
	case VOLTS:
		return arena_printf(arena, "%.0f", strtod(text, NULL) * 1000);
	case PRIVATE:
		return probe_private_hash(arena, key, text);
	}
	return NULL;
}

/* dmidecode prints a full stop for each byte that is no printable ASCII. */
static inline const char *as_dmidecode_prints(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '.';
	return copy;
}

/* said: NULL where dmidecode has no such line. */
static inline void same(const struct facts *facts, const char *key, const char *said, enum form form)
{
	const struct fact *fact = facts_find(facts, key);
	const char *value = said != NULL ? wanted(facts->arena, key, said, form) : NULL;
	const char *ours =
		fact != NULL && fact->value != NULL ? as_dmidecode_prints(facts->arena, fact->value) : NULL;

	if (fact == NULL)
		fail_msg("%s is not set, dmidecode says \"%s\"", key, said != NULL ? said : "nothing");
	else if (!text_same(value, ours))
		fail_msg("%s is \"%s\", dmidecode says \"%s\"", key, ours != NULL ? ours : fact->reason,
			said != NULL ? said : "nothing");
}

struct pair {
	const char *key; /* of the fact */
	int type;
	const char *field; /* of dmidecode */
	enum form form;
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct pair machine_pairs[] = {
	{"bios.vendor", 0, "Vendor", TEXT},
	{"bios.version", 0, "Version", TEXT},
	{"bios.date", 0, "Release Date", TEXT},
	{"bios.release", 0, "BIOS Revision", TEXT},
	{"bios.ec_release", 0, "Firmware Revision", TEXT},
	{"product.vendor", 1, "Manufacturer", TEXT},
	{"product.name", 1, "Product Name", TEXT},
	{"product.version", 1, "Version", TEXT},
	{"product.family", 1, "Family", TEXT},
	{"product.uuid_hash", 1, "UUID", PRIVATE},
	{"board.vendor", 2, "Manufacturer", TEXT},
	{"board.name", 2, "Product Name", TEXT},
	{"board.version", 2, "Version", TEXT},
	{"board.serial_hash", 2, "Serial Number", PRIVATE},
	{"chassis.vendor", 3, "Manufacturer", TEXT},
	{"chassis.type", 3, "Type", TEXT},
};
static const struct pair slot_pairs[] = {
	{"locator", 17, "Locator", TEXT},
	{"bank", 17, "Bank Locator", TEXT},
	{"size_bytes", 17, "Size", SIZE},
};
static const struct pair module_pairs[] = {
	{"type", 17, "Type", TEXT},
	{"form", 17, "Form Factor", TEXT},
	{"speed_mts", 17, "Speed", NUMBER},
	{"configured_mts", 17, "Configured Memory Speed", NUMBER},
	{"total_width_bits", 17, "Total Width", NUMBER},
	{"data_width_bits", 17, "Data Width", NUMBER},
	{"ranks", 17, "Rank", NUMBER},
	{"configured_mv", 17, "Configured Voltage", VOLTS},
	{"vendor", 17, "Manufacturer", TEXT},
	{"part", 17, "Part Number", TEXT},
};
static const struct pair array_pairs[] = {
	{"ecc", 16, "Error Correction Type", TEXT},
	{"max_bytes", 16, "Maximum Capacity", SIZE},
	{"slots", 16, "Number Of Devices", NUMBER},
};
static const struct pair socket_pairs[] = {
	{"name", 4, "Socket Designation", TEXT},
	{"version", 4, "Version", TEXT},
	{"max_mhz", 4, "Max Speed", NUMBER},
	{"current_mhz", 4, "Current Speed", NUMBER},
	{"cores", 4, "Core Count", NUMBER},
	{"threads", 4, "Thread Count", NUMBER},
};

/* Facts PREFIX.N.KEY of one structure. */
static inline void same_structure(const struct facts *facts, const struct said *one, const struct pair *pairs,
	size_t count, const char *prefix, size_t n)
{
	for (size_t i = 0; i < count; i++)
		same(facts, arena_printf(facts->arena, "%s.%zu.%s", prefix, n, pairs[i].key),
			said_field(facts->arena, one, pairs[i].field), pairs[i].form);
}

static inline void same_number(const struct facts *facts, const char *key, size_t n)
{
	const char *value = facts_value(facts, key);

	if (value == NULL || strtoull(value, NULL, 10) != n)
		fail_msg("%s is %s, dmidecode shows %zu", key, value != NULL ? value : "unknown", n);
}

/* Arrays and modules of system memory, in the order in which they stand, and how many there are. */
static inline void same_memory(const struct facts *facts, const struct dmidecode *said)
{
	size_t arrays = 0, slots = 0, modules = 0;

	for (size_t i = 0; i < said->v.n; i++) {
		const struct said *one = &said->v.v[i];
		const char *size = said_field(facts->arena, one, "Size");

		if (one->type == 16 && !is_foreign_array(facts->arena, one))
			same_structure(facts, one, array_pairs, COUNT(array_pairs), "memory.array", arrays++);
		if (one->type != 17 || is_of_foreign_array(said, one))
			continue;
		same_structure(facts, one, slot_pairs, COUNT(slot_pairs), "memory.module", slots);
		if (size == NULL || strcmp(size, "No Module Installed") != 0) {
			same_structure(facts, one, module_pairs, COUNT(module_pairs), "memory.module", slots);
			modules++;
		}
		slots++;
	}
	assert_null(facts_find(facts, arena_printf(facts->arena, "memory.module.%zu.locator", slots)));
	assert_null(facts_find(facts, arena_printf(facts->arena, "memory.array.%zu.ecc", arrays)));
	if (slots == 0) {
		assert_null(facts_value(facts, "memory.slots"));
		return;
	}
	same_number(facts, "memory.slots", slots);
	same_number(facts, "memory.modules", modules);
}

static inline void same_as_dmidecode(const struct facts *facts, const char *text)
{
	struct dmidecode said = {0};
	const struct said *socket;

	dmidecode_parse(&said, facts->arena, text);
	for (size_t i = 0; i < COUNT(machine_pairs); i++)
		same(facts, machine_pairs[i].key,
			said_field(facts->arena, said_nth(&said, machine_pairs[i].type, 0),
				machine_pairs[i].field),
			machine_pairs[i].form);
	for (size_t n = 0; (socket = said_nth(&said, 4, n)) != NULL; n++)
		same_structure(facts, socket, socket_pairs, COUNT(socket_pairs), "cpu.socket", n);
	same_memory(facts, &said);
	dmidecode_release(&said);
}

/* dmidecode's text for the dump, asked now; NULL where it is not installed. */
static inline char *ask_dmidecode(struct arena *arena, const struct dump *dump, const char *name)
{
	static const uint8_t padding[65536];
	char *root = tree_scratch();
	char *program = file_find_program(arena, "dmidecode", "/usr/sbin:/sbin:/usr/bin:/bin");
	char *file = arena_printf(arena, "%s.bin", name); /* it prints the name as it was given */
	char *argv[] = {program, "--from-dump", file, NULL};
	struct process_options options = {.argv = argv, .cpu = -1, .folder = root};
	struct process_result result = {0};
	struct buf bytes = {0};
	char *text = NULL;

	buf_add(&bytes, dump->head, sizeof(dump->head));
	buf_add(&bytes, dump->table.data, dump->table.n);
	/* the 64-bit entry point gives a limit, and dmidecode reads as much as it says */
	buf_add(&bytes, padding, sizeof(padding));
	tree_write(root, file, bytes.data, bytes.n);
	buf_release(&bytes);
	if (program != NULL) {
		assert_int_equal(process_run(&options, &result, NULL), 0);
		assert_true(process_ok(&result));
		text = arena_strdup(arena, buf_text(&result.out));
		process_result_release(&result);
	}
	tree_remove(root);
	return text;
}

/* A machine of this name: against what was recorded of it, and against dmidecode where there is one. */
static inline void holds_against_dmidecode(void (*build)(struct dump *), const char *name)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump dump = {0};
	struct buf text = {0};
	char *golden = arena_printf(&arena, "tests/sysroot/smbios-%s.dmidecode", name);
	const char *live;

	build(&dump);
	facts_of(&dump, &facts);
	live = ask_dmidecode(&arena, &dump, name);
	if (live != NULL && getenv("FLAGSTONE_RECORD_DMIDECODE") != NULL)
		assert_int_equal(file_write_atomic(golden, live, strlen(live), NULL), 0);
	assert_int_equal(file_read(golden, 1 << 20, &text, NULL), 0);
	same_as_dmidecode(&facts, buf_text(&text));
	if (live != NULL)
		same_as_dmidecode(&facts, live);
	else
		print_message(
			"%s: dmidecode is not installed: held against its recorded answer only\n", name);
	buf_release(&text);
	dump_release(&dump);
	arena_release(&arena);
}

#endif
