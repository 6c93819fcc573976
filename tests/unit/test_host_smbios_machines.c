/*
 * The SMBIOS reader on sixteen made-up machines (smbios_machines.h), each held against dmidecode's words for the same
 * bytes: recorded ones of dmidecode 3.4, and the installed dmidecode's. Then the same tables damaged: cut at each byte,
 * each length wrong, counts and sizes that lie, noise.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "smbios_dmidecode.h"
#include "smbios_machines.h"
#include "base/rng.h"
#include "host/smbios.h"

static void smbios_facts__each_machine__agrees_with_dmidecode(void **state)
{
	const struct smbios_machine *machine = *state;

	holds_against_dmidecode(machine->build, machine->name);
}

/* Read from the standard by hand, since dmidecode prints neither what we make of a table nor how it is summed up. */
static void smbios_facts__each_machine__sums_up_its_memory(void **state)
{
	static const struct {
		const char *name, *version, *slots, *modules, *type, *configured;
	} expected[] = {
		{"2.0", "2.0", NULL, NULL, NULL, NULL},
		{"2.1", "2.1", "4", "3", "SDRAM", NULL},
		{"2.3", "2.3", "2", "2", "RDRAM", NULL},
		{"2.5-four-sockets", "2.5", "16", "12", "DDR2 FB-DIMM", NULL},
		{"2.6-netbook", "2.6", "1", "1", "DDR2", NULL},
		{"2.8-guest", "2.8", "1", "1", "RAM", NULL},
		{"2.8-laptop", "2.8", "2", "2", "DDR3", "1600, 1333"},
		{"3.0-arm", "3.0", "1", "1", "DDR4", "3200"},
		{"3.2-persistent", "3.2", "4", "3", "DDR4, Logical non-volatile device", "2666"},
		{"3.3-two-arrays", "3.3", "5", "3", "DDR4", "3200, 2933"},
		{"3.4-many", "3.4", "32", "28", "DDR5", "66000, 5600"},
		{"3.5-strings", "3.5", "1", "1", NULL, NULL},
		{"3.6-on-package", "3.6", "4", "4", "LPDDR5, HBM2", "6400, 3200"},
		{"3.7", "3.7", "3", "2", "DDR5, HBM2", "8800, 6400"},
	};
	size_t seen = 0;

	(void)state;
	for (size_t m = 0; m < SMBIOS_MACHINES; m++)
		for (size_t i = 0; i < COUNT(expected); i++) {
			struct arena arena = {0};
			struct facts facts = {.arena = &arena};
			struct dump dump = {0};

			if (strcmp(expected[i].name, smbios_machines[m].name) != 0)
				continue;
			smbios_machines[m].build(&dump);
			facts_of(&dump, &facts);
			assert_string_equal(facts_value(&facts, "smbios.version"), expected[i].version);
			assert_true(text_same(facts_value(&facts, "memory.slots"), expected[i].slots));
			assert_true(text_same(facts_value(&facts, "memory.modules"), expected[i].modules));
			assert_true(text_same(facts_value(&facts, "memory.type"), expected[i].type));
			assert_true(text_same(
				facts_value(&facts, "memory.configured_mts"), expected[i].configured));
			seen++;
			dump_release(&dump);
			arena_release(&arena);
		}
	assert_int_equal(seen, COUNT(expected));
}

/* Numbers that the lists have no name for are told, not taken for empty fields. */
static void smbios_facts__number_without_a_name__unknown_with_the_number(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct dump dump = {0};

	(void)state;
	dump_v35_strings(&dump);
	facts_of(&dump, &facts);
	assert_string_equal(facts_find(&facts, "memory.module.0.type")->reason,
		"firmware says number 21, which has no name");
	assert_string_equal(facts_find(&facts, "memory.module.0.form")->reason,
		"firmware says number 254, which has no name");
	assert_string_equal(facts_find(&facts, "memory.array.0.ecc")->reason, "firmware says \"Unknown\"");
	dump_release(&dump);
	arena_release(&arena);
}

/* Facts of a table in memory of exactly its size, so that the sanitizer sees each step beyond it. */
static void read_exact(struct facts *facts, const struct smbios_entry *entry, const void *bytes, size_t size)
{
	uint8_t *exact = mem_alloc(size);

	memcpy(exact, bytes, size);
	smbios_facts(facts, entry, exact, size, "a dump");
	mem_free(exact);
	for (size_t i = 0; i < facts->n; i++)
		assert_true((facts->v[i].value == NULL) == (facts->v[i].reason != NULL));
	assert_non_null(facts_find(facts, "memory.slots"));
}

static void entry_of(const struct dump *dump, struct smbios_entry *entry)
{
	assert_int_equal(smbios_entry_parse(dump->head, dump->head_size, entry, NULL), 0);
}

static bool is_summary(const char *key)
{
	return strcmp(key, "memory.slots") == 0 || strcmp(key, "memory.modules") == 0 ||
	       strcmp(key, "memory.type") == 0 || strcmp(key, "memory.configured_mts") == 0;
}

/* Whatever a cut table tells, the whole one tells too: nothing is made up, and no count is of a part. */
static void tells_no_more(const struct facts *cut, const struct facts *whole, const char *name, size_t at)
{
	for (size_t i = 0; i < cut->n; i++) {
		const struct fact *fact = &cut->v[i];

		if (fact->value != NULL && !is_summary(fact->key) &&
			!text_same(fact->value, facts_value(whole, fact->key)))
			fail_msg("%s cut at byte %zu: %s is \"%s\"", name, at, fact->key, fact->value);
	}
}

static void smbios_facts__cut_at_each_byte__tells_nothing_else_than_the_whole(void **state)
{
	enum { LONG = 2500, STRIDE = 13 };

	(void)state;
	for (size_t m = 0; m < SMBIOS_MACHINES; m++) {
		struct dump dump = {0};
		struct arena arena = {0};
		struct facts whole = {.arena = &arena};
		struct smbios_entry entry;

		smbios_machines[m].build(&dump);
		entry_of(&dump, &entry);
		read_exact(&whole, &entry, dump.table.data, dump.table.n);
		for (size_t cut = 0; cut<dump.table.n; cut += dump.table.n> LONG ? STRIDE : 1) {
			struct arena scratch = {0};
			struct facts facts = {.arena = &scratch};

			read_exact(&facts, &entry, dump.table.data, cut);
			if (!smbios_machines[m].array_behind)
				tells_no_more(&facts, &whole, smbios_machines[m].name, cut);
			arena_release(&scratch);
		}
		dump_release(&dump);
		arena_release(&arena);
	}
}

/* Offsets of all structures. */
static size_t structures_of(const struct dump *dump, size_t *offsets, size_t max)
{
	struct smbios_entry entry;
	struct smbios_walk walk;
	struct smbios_structure structure;
	size_t n = 0, at = 0;

	entry_of(dump, &entry);
	smbios_walk_start(&walk, &entry, (const uint8_t *)dump->table.data, dump->table.n);
	while (smbios_walk_next(&walk, &structure) && n < max) {
		offsets[n++] = at;
		at = walk.at;
	}
	assert_null(walk.fault);
	return n;
}

static void smbios_facts__each_length_wrong__ends_and_keeps_what_stands_before(void **state)
{
	static const uint8_t lengths[] = {0, 1, 3, 4, 5, 0x7f, 0xfe, 0xff};
	enum { MAX = 64 };
	size_t offsets[MAX], faults = 0;

	(void)state;
	for (size_t m = 0; m < SMBIOS_MACHINES; m++) {
		struct dump dump = {0};
		struct smbios_entry entry;
		size_t n;

		smbios_machines[m].build(&dump);
		entry_of(&dump, &entry);
		n = structures_of(&dump, offsets, MAX);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < COUNT(lengths); k++) {
				uint8_t *at = (uint8_t *)dump.table.data + offsets[i] + 1;
				const uint8_t before = *at;
				struct arena arena = {0};
				struct facts facts = {.arena = &arena};

				*at = lengths[k];
				read_exact(&facts, &entry, dump.table.data, dump.table.n);
				if (lengths[k] < 4) {
					/* a header that is shorter than itself: a reader that trusts it never ends */
					const struct fact *slots = facts_find(&facts, "memory.slots");

					assert_null(slots->value);
					assert_non_null(strstr(slots->reason, "shorter than its header"));
					if (i > 0)
						assert_non_null(facts_find(&facts, "bios.vendor"));
					faults++;
				}
				*at = before;
				arena_release(&arena);
			}
		dump_release(&dump);
	}
	assert_true(faults > 300);
}

/* Counts and sizes of the entry point that are not the table's. */
static void smbios_facts__entry_point_lies__nothing_is_read_beyond_the_table(void **state)
{
	static const uint32_t sizes[] = {0, 1, 4, 100, 65535, UINT32_MAX};
	static const uint32_t counts[] = {0, 1, 3, 65535, UINT32_MAX};

	(void)state;
	for (size_t m = 0; m < SMBIOS_MACHINES; m++) {
		struct dump dump = {0};
		struct smbios_entry entry;

		smbios_machines[m].build(&dump);
		entry_of(&dump, &entry);
		for (size_t i = 0; i < COUNT(sizes); i++)
			for (size_t k = 0; k < COUNT(counts); k++) {
				struct arena arena = {0};
				struct facts facts = {.arena = &arena};

				entry.table_size = sizes[i];
				entry.structures = counts[k];
				read_exact(&facts, &entry, dump.table.data, dump.table.n);
				if (sizes[i] == 1)
					assert_null(facts_value(&facts, "bios.vendor"));
				if (counts[k] == 1)
					assert_null(facts_value(&facts, "product.vendor"));
				arena_release(&arena);
			}
		dump_release(&dump);
	}
}

static void smbios_facts__noise_in_each_machine__stays_in_bounds(void **state)
{
	enum { ROUNDS = 400 };
	struct rng rng;

	(void)state;
	rng_seed_text(&rng, "smbios machines");
	for (size_t m = 0; m < SMBIOS_MACHINES; m++) {
		struct dump dump = {0};
		struct smbios_entry entry;
		uint8_t *bytes;

		smbios_machines[m].build(&dump);
		entry_of(&dump, &entry);
		bytes = mem_alloc(dump.table.n);
		for (int round = 0; round < ROUNDS; round++) {
			struct arena arena = {0};
			struct facts facts = {.arena = &arena};

			memcpy(bytes, dump.table.data, dump.table.n);
			for (uint64_t flips = 1 + rng_below(&rng, 12); flips > 0; flips--)
				bytes[rng_below(&rng, dump.table.n)] = (uint8_t)rng_next(&rng);
			read_exact(&facts, &entry, bytes, dump.table.n);
			arena_release(&arena);
		}
		mem_free(bytes);
		dump_release(&dump);
	}
}

/* Each byte of each entry point changed: the checksum finds it, or, of a byte that counts nowhere, nothing changes. */
static void smbios_entry_parse__each_byte_changed__is_refused(void **state)
{
	(void)state;
	for (size_t m = 0; m < SMBIOS_MACHINES; m++) {
		struct dump dump = {0};
		struct smbios_entry entry;

		smbios_machines[m].build(&dump);
		for (size_t i = 0; i < dump.head_size; i++) {
			dump.head[i] ^= 0x20;
			assert_int_equal(smbios_entry_parse(dump.head, dump.head_size, &entry, NULL), -1);
			dump.head[i] ^= 0x20;
		}
		dump_release(&dump);
	}
}

int main(void)
{
	struct CMUnitTest tests[SMBIOS_MACHINES + 7];
	char names[SMBIOS_MACHINES][96];
	size_t n = 0;

	for (; n < SMBIOS_MACHINES; n++) {
		snprintf(names[n], sizeof(names[n]), "smbios_facts__%s__agrees_with_dmidecode",
			smbios_machines[n].name);
		tests[n] = (struct CMUnitTest){.name = names[n],
			.test_func = smbios_facts__each_machine__agrees_with_dmidecode,
			.initial_state = (void *)(uintptr_t)&smbios_machines[n]};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(smbios_facts__each_machine__sums_up_its_memory);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		smbios_facts__number_without_a_name__unknown_with_the_number);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		smbios_facts__cut_at_each_byte__tells_nothing_else_than_the_whole);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		smbios_facts__each_length_wrong__ends_and_keeps_what_stands_before);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		smbios_facts__entry_point_lies__nothing_is_read_beyond_the_table);
	tests[n++] =
		(struct CMUnitTest)cmocka_unit_test(smbios_facts__noise_in_each_machine__stays_in_bounds);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(smbios_entry_parse__each_byte_changed__is_refused);
	return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
}
