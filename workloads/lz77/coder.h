/*
 * coder.h - a byte-oriented LZ77 coder for blocks of up to 4 KiB.
 *
 * The coded form is a row of groups: one byte of flags, lowest bit first, then eight items (the last group may
 * have fewer). Flag 0: a literal, one byte. Flag 1: a match, two bytes: d % 256, then (d / 256) * 16 + l, where
 * the distance back is d + 1 and the length l + 3.
 *
 * The coder looks for matches among the last LZ_CHAIN positions before that have the same hash of three bytes,
 * newest first, and takes the longest, of equal ones the newest. It is lazy by one byte: if the match at the
 * next position is longer, the current byte becomes a literal and that match is the current one.
 */
#ifndef FLAGSTONE_LZ77_CODER_H
#define FLAGSTONE_LZ77_CODER_H

#include <stddef.h>
#include <stdint.h>

#define LZ_BLOCK     4096
#define LZ_CHAIN     16
#define LZ_MIN_MATCH 3
#define LZ_MAX_MATCH 18
#define LZ_CODED_MAX (LZ_BLOCK + LZ_BLOCK / 8)

/* How many bytes at a and b agree, at most limit. */
size_t lz_match_length(const uint8_t *a, const uint8_t *b, size_t limit);

/* Codes from[n], n at most LZ_BLOCK, into to[LZ_CODED_MAX]. Returns the coded size. */
size_t lz_compress(uint8_t *to, const uint8_t *from, size_t n);

/* Decodes from[n] into to[size]. Returns the decoded size, or 0 if it is damaged or does not fit. */
size_t lz_decompress(uint8_t *to, size_t size, const uint8_t *from, size_t n);

#endif
