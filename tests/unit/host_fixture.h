/*
 * host_fixture.h - the facts of a tree of tests/sysroot, and what they must be.
 */
#ifndef TESTS_UNIT_HOST_FIXTURE_H
#define TESTS_UNIT_HOST_FIXTURE_H

#include "../sysroot/tree.h"
#include "host/host.h"

struct machine {
	struct arena arena;
	struct facts facts;
	char *root;
};

static inline void machine_open(struct machine *machine, const char *tree)
{
	struct error e = {0};

	memset(machine, 0, sizeof(*machine));
	machine->facts.arena = &machine->arena;
	machine->root = tree_scratch();
	tree_unpack(tree, machine->root);
	assert_int_equal(host_read(machine->root, &machine->facts, &e), 0);
}

static inline void machine_close(struct machine *machine)
{
	tree_remove(machine->root);
	arena_release(&machine->arena);
}

static inline void is_value(const struct machine *machine, const char *key, const char *value)
{
	const struct fact *fact = facts_find(&machine->facts, key);

	if (fact == NULL || fact->value == NULL)
		fail_msg("%s is unknown (%s), expected \"%s\"", key, fact != NULL ? fact->reason : "not set",
			value);
	else if (strcmp(fact->value, value) != 0)
		fail_msg("%s is \"%s\", expected \"%s\"", key, fact->value, value);
}

/* Unknown, with this text somewhere in the reason. */
static inline void is_unknown(const struct machine *machine, const char *key, const char *reason)
{
	const struct fact *fact = facts_find(&machine->facts, key);

	if (fact == NULL || fact->value != NULL || fact->reason == NULL)
		fail_msg("%s is \"%s\", expected to be unknown", key,
			fact != NULL && fact->value != NULL ? fact->value : "not set");
	else if (strstr(fact->reason, reason) == NULL)
		fail_msg("%s is unknown for \"%s\", expected \"%s\"", key, fact->reason, reason);
}

struct expected {
	const char *key;
	const char *value;
};

static inline void are_values(const struct machine *machine, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		is_value(machine, expected[i].key, expected[i].value);
}
#define ARE_VALUES(machine, table) are_values((machine), (table), sizeof(table) / sizeof((table)[0]))

#endif
