/*
 * match.c - the inner loop of the compressor, apart from it, so that only link-time optimization can inline it.
 */
#include "coder.h"

size_t lz_match_length(const uint8_t *a, const uint8_t *b, size_t limit)
{
	size_t length = 0;

	while (length < limit && a[length] == b[length])
		length++;
	return length;
}
