/*
 * Firmware tables that lie: damaged, cut off, made to loop.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "smbios_fixture.h"
#include "base/mem.h"
#include "base/rng.h"
#include "host/smbios.h"

static void smbios_entry_parse__damaged__says_so_and_changes_nothing(void **state)
{
	struct dump dump = {0};
	struct smbios_entry entry = {9, 9, 9, 9};
	struct error e = {0};

	(void)state;
	dump_server(&dump);
	for (size_t size = 0; size < dump.head_size; size++)
		assert_int_equal(smbios_entry_parse(dump.head, size, &entry, &e), -1);
	dump.head[7] ^= 1;
	assert_int_equal(smbios_entry_parse(dump.head, dump.head_size, &entry, &e), -1);
	assert_non_null(strstr(e.text, "checksum"));
	dump.head[7] ^= 1;
	dump.head[6] = 0xff; /* a length beyond the file */
	assert_int_equal(smbios_entry_parse(dump.head, dump.head_size, &entry, &e), -1);
	assert_int_equal(smbios_entry_parse((const uint8_t *)"garbage of any kind", 19, &entry, &e), -1);
	assert_non_null(strstr(e.text, "anchor"));
	assert_int_equal(entry.major, 9);
	dump_release(&dump);
}

static void smbios_entry_parse__legacy_form__is_read(void **state)
{
	uint8_t head[15] = "_DMI_";
	struct smbios_entry entry = {0};

	(void)state;
	put_word(head + 6, 1234);
	put_word(head + 0xc, 56);
	head[0xe] = 0x21;
	add_checksum(head, 15, 5);
	assert_int_equal(smbios_entry_parse(head, 15, &entry, NULL), 0);
	assert_int_equal(entry.major, 2);
	assert_int_equal(entry.minor, 1);
	assert_int_equal(entry.table_size, 1234);
	assert_int_equal(entry.structures, 56);
}

/* Walks bytes that lie in memory of exactly their size, so that the sanitizer sees every step beyond. */
static const char *fault_of(const void *bytes, size_t size, uint32_t structures, unsigned int *seen)
{
	uint8_t *exact = mem_alloc(size);
	struct smbios_entry entry = {3, 0, (uint32_t)size, structures};
	struct smbios_structure structure;
	struct smbios_walk walk;

	memcpy(exact, bytes, size);
	smbios_walk_start(&walk, &entry, exact, size);
	*seen = 0;
	while (smbios_walk_next(&walk, &structure)) {
		(*seen)++;
		for (size_t offset = 0; offset < 260; offset += 5)
			(void)smbios_string(&structure, offset);
	}
	mem_free(exact);
	return walk.fault;
}

static void smbios_walk__hostile_tables__end_with_the_fault_named(void **state)
{
	unsigned int seen;

	(void)state;
	/* header that says length 0: an endless loop in a reader that trusts it */
	assert_string_equal(fault_of("\x11\x00\x01\x00\x00\x00\x11\x00", 8, 0, &seen),
		"a structure says that it is shorter than its header");
	assert_string_equal(fault_of("\x11\x40\x01\x00\x00\x00", 6, 0, &seen),
		"a structure is longer than what is left of the table");
	assert_string_equal(fault_of("\x01\x04\x01\x00no end\x00x", 12, 0, &seen),
		"the strings of a structure have no end");
	assert_string_equal(fault_of("\x01\x04\x01\x00\x00\x00\x7f\x04", 8, 0, &seen),
		"it ends inside a structure's header");
	assert_int_equal(seen, 1);
	/* a count that is too high, a table with no end mark, no bytes at all: nothing is lost */
	assert_null(fault_of("\x01\x04\x01\x00\x00\x00", 6, 7, &seen));
	assert_int_equal(seen, 1);
	assert_null(fault_of("\x01\x04\x01\x00\x00\x00", 6, 0, &seen));
	assert_null(fault_of("", 0, 0, &seen));
	assert_int_equal(seen, 0);
	/* nothing behind the end mark is looked at, and no more than the count */
	assert_null(fault_of("\x7f\x04\x01\x00\x00\x00\x11\x00", 8, 0, &seen));
	assert_null(fault_of("\x01\x04\x01\x00\x00\x00\x11\x00", 8, 1, &seen));
	assert_int_equal(seen, 1);
}

static void smbios_string__index_beyond_the_strings__is_none(void **state)
{
	uint8_t table[] = {1, 6, 0, 0, 3, 2, 'a', 0, 'b', 0, 0};
	struct smbios_entry entry = {3, 0, sizeof(table), 0};
	struct smbios_structure structure;
	struct smbios_walk walk;

	(void)state;
	smbios_walk_start(&walk, &entry, table, sizeof(table));
	assert_int_equal(smbios_walk_next(&walk, &structure), 1);
	assert_null(smbios_string(&structure, 4));
	assert_string_equal(smbios_string(&structure, 5), "b");
	assert_null(smbios_string(&structure, 6)); /* beyond the formatted part */
	assert_int_equal(smbios_word(&structure, 4, 0), 0x0203);
	assert_int_equal(smbios_word(&structure, 5, 77), 77);
	assert_int_equal(smbios_dword(&structure, 3, 77), 77);
	assert_int_equal(smbios_qword(&structure, 0, 77), 77);
}

static void smbios_facts__damaged_table__keeps_what_stands_before_and_no_count(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump dump = {0};

	(void)state;
	dump_laptop(&dump);
	dump.table.n -= 30; /* inside the last slot */
	facts_of(&dump, &facts);
	assert_string_equal(facts_value(&facts, "bios.version"), "A11");
	assert_string_equal(facts_value(&facts, "memory.module.0.size_bytes"), "4294967296");
	assert_null(facts_value(&facts, "memory.slots"));
	assert_null(facts_value(&facts, "memory.modules"));
	assert_non_null(strstr(facts_find(&facts, "memory.modules")->reason, "damaged at byte"));
	dump_release(&dump);
	arena_release(&arena);
}

static void check_all(const uint8_t *table, size_t size)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct smbios_entry entry = {3, 3, (uint32_t)size, 0};
	uint8_t *exact = mem_alloc(size);

	memcpy(exact, table, size);
	smbios_facts(&facts, &entry, exact, size, "fuzz");
	for (size_t i = 0; i < facts.n; i++)
		assert_true((facts.v[i].value == NULL) == (facts.v[i].reason != NULL));
	assert_non_null(facts_find(&facts, "memory.slots"));
	mem_free(exact);
	arena_release(&arena);
}

static void smbios_facts__every_truncation_and_random_damage__stays_in_bounds(void **state)
{
	struct dump dumps[2] = {{.handle = 0}, {.handle = 0}};
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "smbios");
	dump_server(&dumps[0]);
	dump_laptop(&dumps[1]);
	for (int d = 0; d < 2; d++) {
		size_t size = dumps[d].table.n;
		uint8_t *bytes = mem_alloc(size);

		for (size_t cut = 0; cut <= size; cut++)
			check_all((const uint8_t *)dumps[d].table.data, cut);
		for (int round = 0; round < 3000; round++) {
			memcpy(bytes, dumps[d].table.data, size);
			for (uint64_t flips = 1 + rng_below(&rng, 8); flips > 0; flips--)
				bytes[rng_below(&rng, size)] = (uint8_t)rng_next(&rng);
			check_all(bytes, size);
		}
		mem_free(bytes);
		dump_release(&dumps[d]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smbios_entry_parse__damaged__says_so_and_changes_nothing),
		cmocka_unit_test(smbios_entry_parse__legacy_form__is_read),
		cmocka_unit_test(smbios_walk__hostile_tables__end_with_the_fault_named),
		cmocka_unit_test(smbios_string__index_beyond_the_strings__is_none),
		cmocka_unit_test(smbios_facts__damaged_table__keeps_what_stands_before_and_no_count),
		cmocka_unit_test(smbios_facts__every_truncation_and_random_damage__stays_in_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
