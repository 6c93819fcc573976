/* What is meant to differ: declared, or guessed from what does. */
#include <string.h>

#include "compare/comparable_work.h"

static const char *const names[] = {
	[AXIS_NONE] = "none",
	[AXIS_MACHINE] = "machine",
	[AXIS_VIRTUALIZATION] = "virtualization",
	[AXIS_COMPILER] = "compiler",
	[AXIS_FLAGS] = "flags",
	[AXIS_SOURCE] = "source",
	[AXIS_KERNEL] = "kernel",
	[AXIS_FIRMWARE] = "firmware",
	[AXIS_TIME] = "time",
};

const char *axis_text(enum axis axis)
{
	return axis < AXIS_COUNT ? names[axis] : "none";
}

int axis_parse(const char *text, enum axis *axis, struct error *e)
{
	const char *nearest = text_nearest(text, names + AXIS_MACHINE, AXIS_COUNT - AXIS_MACHINE);

	for (size_t i = AXIS_MACHINE; i < AXIS_COUNT; i++)
		if (strcmp(text, names[i]) == 0) {
			*axis = (enum axis)i;
			return 0;
		}
	return error_set(e, EXIT_USAGE,
		"--axis: \"%s\" is no axis%s%s%s; allowed: machine, compiler, flags, source, kernel, "
		"firmware, "
		"virtualization, time",
		text, nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
		nearest != NULL ? "?" : "");
}

static const char *or_unknown(const char *text)
{
	return text != NULL ? text : "unknown";
}

/* Golden images share a machine-id, and so HOST; what the firmware says then tells the machines apart. */
static const char *golden_key(const struct comparable_view *a, const struct comparable_view *b)
{
	if (comparable_facing(a->uuid, b->uuid) == FACING_DIFFERS)
		return "product uuid";
	if (comparable_facing(a->serial, b->serial) == FACING_DIFFERS)
		return "board serial";
	return NULL;
}

bool comparable_same_machine(const struct comparable_view *a, const struct comparable_view *b)
{
	return text_same(a->record->host_name, b->record->host_name) && golden_key(a, b) == NULL;
}

static const char *value_of(const struct record *record, const char *key)
{
	return facts_value(&record->host, key);
}

static const char *host_difference(const struct comparable_view *a, const struct comparable_view *b,
	const char *key, struct arena *arena)
{
	const char *left = value_of(a->record, key), *right = value_of(b->record, key);

	if (left == NULL || right == NULL || strcmp(left, right) == 0)
		return NULL;
	return arena_printf(arena, "%s: %.60s against %.60s", key, left, right);
}

static const char *machine_difference(
	const struct comparable_view *a, const struct comparable_view *b, struct arena *arena)
{
	const char *key = golden_key(a, b), *found;

	if (!text_same(a->record->host_name, b->record->host_name))
		return arena_printf(arena, "%s against %s", or_unknown(a->record->host_name),
			or_unknown(b->record->host_name));
	if (key != NULL)
		return arena_printf(arena, "one HOST, but another %s", key);
	found = host_difference(a, b, "cpu.model_name", arena);
	return found != NULL ? found : host_difference(a, b, "cpu.stepping", arena);
}

static const char *compiler_name(const struct slot_view *slot, struct arena *arena)
{
	const struct fact *family = slot->facts[T_FAMILY], *version = slot->facts[T_VERSION];

	return arena_printf(arena, "%s%s%s",
		comparable_known(family)    ? family->value
		: comparable_known(version) ? "compiler"
					    : slot->slot,
		comparable_known(version) ? " " : "", comparable_known(version) ? version->value : "");
}

/* By name and version if these differ, else by the part that does. */
static const char *compiler_difference(
	const struct comparable_view *a, const struct comparable_view *b, struct arena *arena)
{
	static const enum toolchain_fact parts[] = {
		T_FAMILY, T_VERSION, T_CC1, T_DRIVER, T_TARGET, T_ASSEMBLER, T_LINKER};

	for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
		for (size_t i = 0; i < a->slot_count; i++)
			for (size_t s = 0; s < b->slot_count; s++) {
				const struct slot_view *left = &a->slots[i], *right = &b->slots[s];
				const struct fact *x = left->facts[parts[k]], *y = right->facts[parts[k]];

				if (!text_same(left->slot, right->slot) ||
					comparable_facing(x, y) != FACING_DIFFERS)
					continue;
				if (parts[k] <= T_VERSION)
					return arena_printf(arena, "slot %s: %s against %s", left->slot,
						compiler_name(left, arena), compiler_name(right, arena));
				return arena_printf(arena, "slot %s: %s, another %s", left->slot,
					compiler_name(left, arena), comparable_toolchain_key(parts[k]));
			}
	return NULL;
}

struct cell_differences {
	const char *flags, *source;
};

/* The first cell that was asked for with other flags, and the first with another workload. */
static struct cell_differences cell_differences(
	const struct comparable_view *a, const struct comparable_view *b, struct arena *arena)
{
	static const enum build_fact asked[] = {B_CFLAGS, B_CXXFLAGS, B_LDFLAGS};
	struct cell_differences found = {NULL, NULL};

	for (size_t i = 0; i < a->record->build_count && (found.flags == NULL || found.source == NULL); i++) {
		const struct build_view *left = &a->builds[i];
		int64_t other = directory_find(&b->directory, left->build->cell);
		const struct build_view *right = other < 0 ? NULL : &b->builds[other];

		if (right == NULL)
			continue;
		for (size_t k = 0; k < 3 && found.flags == NULL; k++) {
			const struct fact *x = left->facts[asked[k]], *y = right->facts[asked[k]];

			if (comparable_facing(x, y) == FACING_DIFFERS)
				found.flags = arena_printf(arena, "%s: \"%s\" against \"%s\"",
					left->build->cell, x->value, y->value);
		}
		if (found.source == NULL && left->workload != NULL && right->workload != NULL &&
			left->workload->content_hash != NULL && right->workload->content_hash != NULL &&
			strcmp(left->workload->content_hash, right->workload->content_hash) != 0)
			found.source = arena_printf(arena, "workload %s", left->build->workload);
	}
	return found;
}

static const char *first_of(const struct comparable_view *a, const struct comparable_view *b,
	const char *const *keys, struct arena *arena)
{
	const char *found = NULL;

	for (; *keys != NULL && found == NULL; keys++)
		found = host_difference(a, b, *keys, arena);
	return found;
}

static void find_differences(const struct comparable_view *a, const struct comparable_view *b,
	struct arena *arena, const char *what[AXIS_COUNT])
{
	static const char *const virtualization[] = {"virt.hypervisor", "container.kind", NULL};
	static const char *const kernel[] = {"kernel.release", "kernel.version", "kernel.cmdline", NULL};
	static const char *const firmware[] = {"cpu.microcode", "bios.version", NULL};
	struct cell_differences cells = cell_differences(a, b, arena);

	what[AXIS_MACHINE] = machine_difference(a, b, arena);
	what[AXIS_VIRTUALIZATION] = first_of(a, b, virtualization, arena);
	what[AXIS_COMPILER] = compiler_difference(a, b, arena);
	what[AXIS_FLAGS] = cells.flags;
	what[AXIS_SOURCE] = cells.source;
	what[AXIS_KERNEL] = first_of(a, b, kernel, arena);
	what[AXIS_FIRMWARE] = first_of(a, b, firmware, arena);
}

void comparable_choose_axis(const struct comparable_view *a, const struct comparable_view *b,
	enum axis declared, struct arena *arena, struct comparable *out)
{
	const char *what[AXIS_COUNT] = {NULL};
	const char *key = golden_key(a, b);
	size_t axis = AXIS_MACHINE;

	find_differences(a, b, arena, what);
	while (axis < AXIS_TIME && what[axis] == NULL)
		axis++;
	out->declared = declared != AXIS_NONE;
	out->axis = out->declared ? declared : (enum axis)axis;
	out->what = what[out->axis];
	if (text_same(a->record->host_name, b->record->host_name) && key != NULL)
		out->note = arena_printf(arena,
			"Both records say host %s, but the %s differs: these are two machines with one "
			"machine-id, "
			"as copies of one disk image have.",
			or_unknown(a->record->host_name), key);
}
