/*
 * The SMBIOS reader against dmidecode. The tables come from smbios_fixture.h; what they must read as is dmidecode
 * 3.4's output for the same bytes, run once and kept as tests/sysroot/smbios-*.dmidecode. Where dmidecode is
 * installed, it is asked again. More machines: test_host_smbios_machines.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "smbios_dmidecode.h"
#include "host/smbios.h"

static void smbios_facts__server_with_ddr5__agrees_with_dmidecode(void **state)
{
	(void)state;
	holds_against_dmidecode(dump_server, "server");
}

static void smbios_facts__old_laptop__agrees_with_dmidecode(void **state)
{
	(void)state;
	holds_against_dmidecode(dump_laptop, "laptop");
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
		if (text != NULL) {
			struct dmidecode said = {0};

			dmidecode_parse(&said, &arena, text);
			same(&facts, "product.name",
				said_field(&arena, said_nth(&said, 1, 0), "Product Name"), TEXT);
			dmidecode_release(&said);
		}
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
