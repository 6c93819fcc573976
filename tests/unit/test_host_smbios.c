/*
 * The SMBIOS reader against dmidecode. The tables come from smbios_fixture.h; what they must read as is dmidecode
 * 3.4's output for the same bytes, run once and kept as tests/sysroot/smbios-*.dmidecode. Where dmidecode is
 * installed, it is asked again.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "smbios_fixture.h"
#include "host/probe.h"
#include "host/smbios.h"
#include "sys/process.h"

/* The value of a field in the nth section of a type in dmidecode's text; NULL: no such section or field. */
static char *field_of(struct arena *arena, const char *text, int type, int nth, const char *field)
{
	char *mark = arena_printf(arena, "DMI type %d, ", type);
	char *start = arena_printf(arena, "\n\t%s: ", field);
	const char *at = text;
	const char *end;

	for (int i = 0; i <= nth; i++) {
		at = strstr(at, mark);
		if (at == NULL)
			return NULL;
		at += strlen(mark);
	}
	end = strstr(at, "\n\n");
	at = strstr(at, start);
	if (at == NULL || (end != NULL && at > end))
		return NULL;
	at += strlen(start);
	return arena_strndup(arena, at, strcspn(at, "\n"));
}

enum form { TEXT, NUMBER, SIZE, VOLTS, PRIVATE };

/* "16 GB", "512 kB": bytes. */
static unsigned long long bytes_of(const char *text)
{
	char *unit = NULL;
	unsigned long long value = strtoull(text, &unit, 10);
	const char *units = "kMGT";
	const char *at = unit[0] == ' ' && unit[1] != '\0' ? strchr(units, unit[1]) : NULL;

	for (; at != NULL && at >= units; at--)
		value *= 1024;
	return value;
}

/* What our fact must be where dmidecode prints `said`; NULL: unknown. */
static char *wanted(struct arena *arena, const char *key, const char *said, enum form form)
{
	char *text = arena_strdup(arena, said);
	size_t n;

	while (*text == ' ')
		text++;
	for (n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (form == SIZE && strcmp(text, "No Module Installed") == 0)
		return arena_strdup(arena, "0");
	if (*text == '\0' || strcmp(text, "Unknown") == 0 || strcmp(text, "Not Specified") == 0 ||
		strcmp(text, "N/A") == 0 || strcmp(text, "To Be Filled By O.E.M.") == 0)
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

struct pair {
	const char *key; /* of the fact */
	int type;
	const char *field; /* of dmidecode */
	enum form form;
};

static void same(struct facts *facts, const char *key, const char *said, enum form form)
{
	const struct fact *fact = facts_find(facts, key);
	const char *value = said != NULL ? wanted(facts->arena, key, said, form) : NULL;

	if (fact == NULL)
		fail_msg("%s is not set, dmidecode says \"%s\"", key, said != NULL ? said : "nothing");
	else if ((value == NULL) != (fact->value == NULL) ||
		 (value != NULL && strcmp(value, fact->value) != 0))
		fail_msg("%s is \"%s\", dmidecode says \"%s\"", key,
			fact->value != NULL ? fact->value : fact->reason, said != NULL ? said : "nothing");
}

static void same_machine(struct facts *facts, const char *text)
{
	static const struct pair pairs[] = {
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

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		same(facts, pairs[i].key, field_of(facts->arena, text, pairs[i].type, 0, pairs[i].field),
			pairs[i].form);
}

static void same_entries(struct facts *facts, const char *text, const struct pair *pairs, size_t count,
	int first, const char *prefix, int entries)
{
	for (int n = 0; n < entries; n++)
		for (size_t i = 0; i < count; i++) {
			const char *said =
				field_of(facts->arena, text, pairs[i].type, first + n, pairs[i].field);
			char *key = arena_printf(facts->arena, "%s.%d.%s", prefix, n, pairs[i].key);

			/* dmidecode leaves out what the structure is too short for, and we what an empty slot lacks */
			if (said != NULL || facts_find(facts, key) != NULL)
				same(facts, key, said, pairs[i].form);
		}
}

static const struct pair module_pairs[] = {
	{"locator", 17, "Locator", TEXT},
	{"bank", 17, "Bank Locator", TEXT},
	{"size_bytes", 17, "Size", SIZE},
};
static const struct pair populated_pairs[] = {
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
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* foreign: arrays and modules that are no system memory, which stand first in the dump. */
static void same_as_dmidecode(struct facts *facts, const char *text, int foreign, int sockets, int slots)
{
	same_machine(facts, text);
	same_entries(facts, text, socket_pairs, COUNT(socket_pairs), 0, "cpu.socket", sockets);
	same_entries(facts, text, array_pairs, COUNT(array_pairs), foreign, "memory.array", 1);
	same_entries(facts, text, module_pairs, COUNT(module_pairs), foreign, "memory.module", slots);
	for (int n = 0; n < slots; n++) {
		const char *size =
			facts_value(facts, arena_printf(facts->arena, "memory.module.%d.size_bytes", n));

		if (size == NULL || strcmp(size, "0") != 0)
			for (size_t i = 0; i < COUNT(populated_pairs); i++)
				same(facts,
					arena_printf(facts->arena, "memory.module.%d.%s", n,
						populated_pairs[i].key),
					field_of(facts->arena, text, 17, foreign + n,
						populated_pairs[i].field),
					populated_pairs[i].form);
	}
}

/* dmidecode's text for the dump, asked now; NULL where it is not installed. */
static char *ask_dmidecode(struct arena *arena, const struct dump *dump)
{
	char *root = tree_scratch();
	char *program = file_find_program(arena, "dmidecode", "/usr/sbin:/sbin:/usr/bin:/bin");
	char *argv[] = {program, "--from-dump", file_join(arena, root, "dump"), NULL};
	struct process_options options = {.argv = argv, .cpu = -1};
	struct process_result result = {0};
	struct buf bytes = {0};
	char *text = NULL;

	buf_add(&bytes, dump->head, sizeof(dump->head));
	buf_add(&bytes, dump->table.data, dump->table.n);
	tree_write(root, "dump", bytes.data, bytes.n);
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

static void holds_against_dmidecode(
	void (*build)(struct dump *), const char *golden, int foreign, int sockets, int slots)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump dump = {0};
	struct buf text = {0};
	const char *live;

	build(&dump);
	facts_of(&dump, &facts);
	assert_int_equal(file_read(golden, 1 << 20, &text, NULL), 0);
	same_as_dmidecode(&facts, buf_text(&text), foreign, sockets, slots);
	live = ask_dmidecode(&arena, &dump);
	if (live != NULL)
		same_as_dmidecode(&facts, live, foreign, sockets, slots);
	buf_release(&text);
	dump_release(&dump);
	arena_release(&arena);
}

static void smbios_facts__server_with_ddr5__agrees_with_dmidecode(void **state)
{
	(void)state;
	holds_against_dmidecode(dump_server, "tests/sysroot/smbios-server.dmidecode", 1, 2, 4);
}

static void smbios_facts__old_laptop__agrees_with_dmidecode(void **state)
{
	(void)state;
	holds_against_dmidecode(dump_laptop, "tests/sysroot/smbios-laptop.dmidecode", 0, 1, 3);
}

/* Where the kernel shows tables, as root; elsewhere the reason why not is what must have been found. */
static void smbios_facts__own_firmware__agrees_with_dmidecode(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump own = {0};
	struct buf head = {0};
	const char *text = NULL;

	(void)state;
	assert_int_equal(host_read("", &facts, NULL), 0);
	if (file_read("/sys/firmware/dmi/tables/smbios_entry_point", 32, &head, NULL) == 0 &&
		file_read("/sys/firmware/dmi/tables/DMI", 1 << 24, &own.table, NULL) == 0) {
		char *argv[] = {file_find_program(&arena, "dmidecode", "/usr/sbin:/sbin:/usr/bin"), NULL};
		struct process_options options = {.argv = argv, .cpu = -1};
		struct process_result result = {0};

		assert_non_null(facts_value(&facts, "smbios.version"));
		if (argv[0] != NULL && process_run(&options, &result, NULL) == 0)
			text = arena_strdup(&arena, buf_text(&result.out));
		process_result_release(&result);
		if (text != NULL)
			same(&facts, "product.name", field_of(&arena, text, 1, 0, "Product Name"), TEXT);
	} else {
		assert_null(facts_value(&facts, "smbios.version"));
		assert_non_null(facts_find(&facts, "smbios.version")->reason);
	}
	buf_release(&head);
	dump_release(&own);
	arena_release(&arena);
}

static void smbios_facts__server__summaries_and_placeholders(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump dump = {0};

	(void)state;
	dump_server(&dump);
	facts_of(&dump, &facts);
	assert_string_equal(facts_value(&facts, "smbios.version"), "3.3");
	assert_string_equal(facts_value(&facts, "memory.slots"), "4");
	assert_string_equal(facts_value(&facts, "memory.modules"), "3");
	assert_string_equal(facts_value(&facts, "memory.type"), "DDR5, DDR4");
	assert_string_equal(facts_value(&facts, "memory.configured_mts"), "4800, 68000");
	assert_null(facts_find(&facts, "memory.module.2.type")); /* an empty slot has none */
	assert_string_equal(facts_find(&facts, "memory.module.1.part")->reason, "firmware says \"N/A\"");
	assert_string_equal(
		facts_find(&facts, "board.version")->reason, "firmware says \"To Be Filled By O.E.M.\"");
	for (size_t i = 0; i < facts.n; i++)
		if (facts.v[i].value != NULL)
			assert_null(strstr(facts.v[i].value, "SERIAL"));
	dump_release(&dump);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smbios_facts__server_with_ddr5__agrees_with_dmidecode),
		cmocka_unit_test(smbios_facts__old_laptop__agrees_with_dmidecode),
		cmocka_unit_test(smbios_facts__own_firmware__agrees_with_dmidecode),
		cmocka_unit_test(smbios_facts__server__summaries_and_placeholders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
