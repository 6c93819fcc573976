/* Is the workload's own code the same? By files, then hashes of objects, then of the linked program. */
#include <stdlib.h>
#include <string.h>

#include "compare/comparable_work.h"

/* The very files that were measured: of the layouts that both list, each the same; -1: not listed on both sides. */
static int same_layouts(const struct record_build *a, const struct record_build *b)
{
	size_t common = a->layout_count < b->layout_count ? a->layout_count : b->layout_count;

	if (common == 0 || a->layouts == NULL || b->layouts == NULL)
		return -1;
	for (size_t i = 0; i < common; i++) {
		const char *x = a->layouts[i].sha256, *y = b->layouts[i].sha256;

		if (x == NULL || y == NULL)
			return -1;
		if (a->layouts[i].layout != b->layouts[i].layout || strcmp(x, y) != 0)
			return 0;
	}
	return 1;
}

static bool same_text(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_same_file(const struct code_pair *p)
{
	const struct record_build *a = p->a->build, *b = p->b->build;
	int layouts = same_layouts(a, b);
	bool linked = same_text(a->build_id, b->build_id) ||
		      comparable_facing(p->a->facts[B_FILE], p->b->facts[B_FILE]) == FACING_SAME;

	if (layouts == 1)
		return true;
	return linked && (layouts < 0 || p->layouts_averaged);
}

/* A linked program holds more than the workload's code; where that is alike, what differs is the workload's own. */
static bool same_around(const struct code_pair *p)
{
	static const enum toolchain_fact around[] = {
		T_LINKER, T_LINKER_FILE, T_LIBC, T_LIBC_FILE, T_LIBC_STATIC};

	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		const struct slot_view *a = p->a->slot, *b = p->b->slot;

		if (a == NULL || b == NULL ||
			comparable_facing(a->facts[around[i]], b->facts[around[i]]) == FACING_DIFFERS)
			return false;
	}
	return true;
}

static int by_function(const void *left, const void *right)
{
	const struct record_function *a = *(const struct record_function *const *)left;
	const struct record_function *b = *(const struct record_function *const *)right;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : strcmp(a->hash != NULL ? a->hash : "", b->hash != NULL ? b->hash : "");
}

static const struct record_function **sorted_functions(const struct record_build *build, struct arena *arena)
{
	const struct record_function **v = arena_array(arena, build->function_count, sizeof(*v));

	for (size_t i = 0; i < build->function_count; i++)
		v[i] = &build->functions[i];
	if (build->function_count > 0)
		qsort(v, build->function_count, sizeof(*v), by_function);
	return v;
}

static bool all_listed(const struct build_view *build)
{
	const struct fact *count = build->facts[B_FUNCTIONS];

	return comparable_known(count) && build->build->function_count > 0 &&
	       (size_t)strtoull(count->value, NULL, 10) == build->build->function_count;
}

/* Does any function have other code, or is on one side only? Lists that are not complete tell nothing. */
static bool functions_differ(const struct code_pair *p)
{
	const struct record_build *a = p->a->build, *b = p->b->build;
	const struct record_function **x, **y;

	if (!all_listed(p->a) || !all_listed(p->b) ||
		comparable_facing(p->a->facts[B_FUNCTION_HASH], p->b->facts[B_FUNCTION_HASH]) ==
			FACING_DIFFERS)
		return false;
	if (a->function_count != b->function_count)
		return true;
	x = sorted_functions(a, p->arena);
	y = sorted_functions(b, p->arena);
	for (size_t i = 0; i < a->function_count; i++) {
		if (strcmp(x[i]->name, y[i]->name) != 0)
			return true;
		if (x[i]->hash != NULL && y[i]->hash != NULL && strcmp(x[i]->hash, y[i]->hash) != 0)
			return true;
	}
	return false;
}

static enum comparable_code own_code(const struct code_pair *p)
{
	const struct record_build *a = p->a->build, *b = p->b->build;
	enum facing objects = comparable_facing(p->a->facts[B_OBJECTS], p->b->facts[B_OBJECTS]);

	if (objects == FACING_SAME || p->same_file)
		return CODE_SAME;
	if (objects == FACING_DIFFERS)
		return comparable_facing(p->a->facts[B_UNPADDED], p->b->facts[B_UNPADDED]) == FACING_SAME
			       ? CODE_UNPADDED
			       : CODE_OTHER;
	if (p->same_image)
		return CODE_SAME;
	if (a->code_hash == NULL || b->code_hash == NULL)
		return CODE_UNKNOWN;
	return same_around(p) || functions_differ(p) ? CODE_OTHER : CODE_UNKNOWN;
}

void comparable_read_code(struct code_pair *p)
{
	p->same_file = is_same_file(p);
	p->same_image = p->same_file || same_text(p->a->build->code_hash, p->b->build->code_hash);
	p->code = own_code(p);
}
