/*
 * arena.h - memory that lives as long as a command, a run or a cell, and ends at once.
 *
 *	struct arena arena = {0};
 *	name = arena_printf(&arena, "%s-%d", family, major);
 *	arena_release(&arena);
 *
 * A zeroed struct is an empty arena. What comes from it is owned by it and valid until arena_release().
 * Not for threads.
 */
#ifndef FLAGSTONE_BASE_ARENA_H
#define FLAGSTONE_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks;
	size_t left; /* bytes free in the newest chunk */
	char *next;
};

/* size bytes, zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
/* count x size bytes, zeroed; the product is checked. */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void arena_release(struct arena *arena);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

#endif
