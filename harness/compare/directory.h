/*
 * directory.h - the cells of a record by name, so that ten thousand are matched with those of another at once.
 */
#ifndef FLAGSTONE_COMPARE_DIRECTORY_H
#define FLAGSTONE_COMPARE_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/record.h"

struct directory_entry {
	const char *cell;
	uint32_t build;
};

struct directory {
	struct directory_entry *v; /* by name */
	size_t n;
};

struct directory directory_of(const struct record *record, struct arena *arena);
/* Index of the cell's build, or -1. */
int64_t directory_find(const struct directory *directory, const char *cell);
/* Does the cell match one of the patterns, as plan_cell_matches() takes them? NULL or none: every cell does. */
bool directory_wants(const struct words *patterns, const char *cell);

#endif
