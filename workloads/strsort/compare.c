/*
 * compare.c - the comparison. Written out, for the C library's strcmp would not be the variant's code; apart
 * from the sort, so that only link-time optimization can inline it.
 */
#include "sort.h"

int string_compare(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}
