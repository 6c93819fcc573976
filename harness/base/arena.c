#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK_SIZE = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *older;
	size_t size; /* keeps the data behind it aligned */
};

static size_t aligned(size_t size)
{
	return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static struct arena_chunk *chunk_new(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = mem_alloc(sizeof(*chunk) + size);

	chunk->size = size;
	chunk->older = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	char *memory;

	if (size > SIZE_MAX / 2)
		return mem_alloc(size);
	size = aligned(size > 0 ? size : 1);
	if (size > CHUNK_SIZE / 4) {
		struct arena_chunk *newest = arena->chunks;
		struct arena_chunk *chunk = chunk_new(arena, size);

		if (newest != NULL) { /* a large piece stands behind the newest chunk, which stays in use */
			arena->chunks = newest;
			chunk->older = newest->older;
			newest->older = chunk;
		} else {
			arena->left = 0;
		}
		return chunk + 1;
	}
	if (arena->left < size) {
		arena->next = (char *)(chunk_new(arena, CHUNK_SIZE) + 1);
		arena->left = CHUNK_SIZE;
	}
	memory = arena->next;
	arena->next += size;
	arena->left -= size;
	return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / 2 / size)
		return mem_alloc_array(count, size);
	return arena_alloc(arena, count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int length;

	va_copy(again, ap);
	length = vsnprintf(NULL, 0, fmt, ap);
	if (length < 0)
		length = 0;
	text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, fmt, again);
	va_end(again);
	return text;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return text;
}

void arena_release(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks;

	while (chunk != NULL) {
		struct arena_chunk *older = chunk->older;

		mem_free(chunk);
		chunk = older;
	}
	memset(arena, 0, sizeof(*arena));
}
