/*
 * sort.h - sorting pointers to strings; the sort and its comparison are in two translation units.
 */
#ifndef FLAGSTONE_STRSORT_SORT_H
#define FLAGSTONE_STRSORT_SORT_H

#include <stddef.h>

/* Below, at or above 0 as string a sorts before, with or after string b, by unsigned bytes. */
int string_compare(const char *a, const char *b);

/* Sorts strings[n], stable; spare[n] is room to work in. */
void string_sort(const char **strings, const char **spare, size_t n);

#endif
