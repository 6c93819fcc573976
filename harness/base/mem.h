/*
 * mem.h - memory that is there or ends the program.
 *
 * A benchmark harness that runs out of a few hundred KiB cannot go on in any useful way, so running out is not
 * an error that callers handle: one line goes to standard error and the program exits with 3 (the one place
 * below cli that prints). Sizes that come from foreign data must be bounded before they get here.
 */
#ifndef FLAGSTONE_BASE_MEM_H
#define FLAGSTONE_BASE_MEM_H

#include <stddef.h>

/* size bytes, zeroed; size 0 gives a unique pointer. Owned by the caller; mem_free() ends it. */
void *mem_alloc(size_t size);
/* count x size bytes, zeroed; the product is checked. */
void *mem_alloc_array(size_t count, size_t size);
/* Like realloc for count x size bytes; new bytes are not zeroed. */
void *mem_resize(void *old, size_t count, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
void mem_free(void *memory);

/*
 * Growable arrays: struct { T *v; size_t n, cap; }. vec_push evaluates its arguments once.
 *
 *	VEC(int) numbers = {0};
 *	vec_push(&numbers, 3);
 *	vec_release(&numbers);
 */
#define VEC(type)                                                                                            \
	struct {                                                                                             \
		type *v;                                                                                     \
		size_t n, cap;                                                                               \
	}
#define vec_reserve(vec, want)                                                                               \
	((vec)->cap >= (want) ? (void)0                                                                      \
			      : (void)((vec)->cap = mem_grown((vec)->cap, (want)),                           \
					(vec)->v = mem_resize((vec)->v, (vec)->cap, sizeof(*(vec)->v))))
#define vec_push(vec, ...)                                                                                   \
	do {                                                                                                 \
		vec_reserve((vec), (vec)->n + 1);                                                            \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                                                        \
	} while (0)
#define vec_release(vec) (mem_free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

/* The capacity to grow to from cap so that want elements fit: at least doubled. */
size_t mem_grown(size_t cap, size_t want);

#endif
