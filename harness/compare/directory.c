#include "compare/directory.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

static int by_name(const void *left, const void *right)
{
	const struct directory_entry *a = left, *b = right;

	return strcmp(a->cell, b->cell);
}

struct directory directory_of(const struct record *record, struct arena *arena)
{
	struct directory directory = {
		arena_array(arena, record->build_count, sizeof(*directory.v)), record->build_count};

	for (size_t i = 0; i < directory.n; i++)
		directory.v[i] = (struct directory_entry){record->builds[i].cell, (uint32_t)i};
	if (directory.n > 0)
		qsort(directory.v, directory.n, sizeof(*directory.v), by_name);
	return directory;
}

int64_t directory_find(const struct directory *directory, const char *cell)
{
	struct directory_entry wanted = {cell, 0};
	const struct directory_entry *found = NULL;

	if (directory->n > 0)
		found = bsearch(&wanted, directory->v, directory->n, sizeof(wanted), by_name);
	return found != NULL ? (int64_t)found->build : -1;
}

bool directory_wants(const struct words *patterns, const char *cell)
{
	if (patterns == NULL || patterns->n == 0)
		return true;
	for (size_t i = 0; i < patterns->n; i++)
		if (plan_cell_matches(patterns->v[i], cell))
			return true;
	return false;
}
