#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t size)
{
	fprintf(stderr,
		"flagstone: out of memory: %zu bytes could not be had; free some memory or measure a smaller "
		"matrix\n",
		size);
	_Exit(3);
}

void *mem_alloc(size_t size)
{
	void *memory = calloc(1, size > 0 ? size : 1);

	if (memory == NULL)
		out_of_memory(size);
	return memory;
}

void *mem_alloc_array(size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	return mem_alloc(count * size);
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *memory;

	if (size != 0 && count > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	memory = realloc(old, count * size > 0 ? count * size : 1);
	if (memory == NULL)
		out_of_memory(count * size);
	return memory;
}

char *mem_strndup(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

void mem_free(void *memory)
{
	free(memory);
}

size_t mem_grown(size_t cap, size_t want)
{
	size_t grown = cap < 8 ? 8 : cap;

	while (grown < want)
		grown = grown > SIZE_MAX / 2 ? SIZE_MAX : grown * 2;
	return grown;
}
