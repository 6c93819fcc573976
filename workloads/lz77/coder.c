/*
 * coder.c - the coder and decoder of coder.h.
 */
#include "coder.h"

#define HASH_BITS 10

/*
 * Positions are stored plus one, so that 0 is no position. before[p] is the newest position before p that has
 * p's hash.
 */
static uint16_t newest[1 << HASH_BITS];
static uint16_t before[LZ_BLOCK];

struct match {
	size_t length; /* below LZ_MIN_MATCH: none */
	size_t distance;
};

struct output {
	uint8_t *bytes;
	size_t size;
	size_t flags; /* index of the current group's flags */
	unsigned items;
};

static uint32_t hash_three(const uint8_t *p)
{
	uint32_t bytes = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return bytes * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

static void remember(const uint8_t *from, size_t n, size_t position)
{
	uint32_t hash;

	if (position + LZ_MIN_MATCH > n)
		return;
	hash = hash_three(from + position);
	before[position] = newest[hash];
	newest[hash] = (uint16_t)(position + 1);
}

static struct match find_match(const uint8_t *from, size_t n, size_t position)
{
	struct match best = {LZ_MIN_MATCH - 1, 0};
	size_t limit = n - position < LZ_MAX_MATCH ? n - position : LZ_MAX_MATCH;
	unsigned candidate;

	if (limit < LZ_MIN_MATCH)
		return best;
	candidate = newest[hash_three(from + position)];
	for (unsigned tries = 0; tries < LZ_CHAIN && candidate != 0; tries++) {
		size_t length = lz_match_length(from + candidate - 1, from + position, limit);

		if (length > best.length) {
			best.length = length;
			best.distance = position - (candidate - 1);
			if (length == limit)
				break;
		}
		candidate = before[candidate - 1];
	}
	return best;
}

static void begin_item(struct output *out, unsigned flag)
{
	if (out->items == 8) {
		out->flags = out->size++;
		out->bytes[out->flags] = 0;
		out->items = 0;
	}
	out->bytes[out->flags] = (uint8_t)(out->bytes[out->flags] | flag << out->items++);
}

static void put_literal(struct output *out, uint8_t byte)
{
	begin_item(out, 0);
	out->bytes[out->size++] = byte;
}

static void put_match(struct output *out, struct match match)
{
	size_t distance = match.distance - 1;

	begin_item(out, 1);
	out->bytes[out->size++] = (uint8_t)distance;
	out->bytes[out->size++] = (uint8_t)(distance >> 8 << 4 | (match.length - LZ_MIN_MATCH));
}

size_t lz_compress(uint8_t *to, const uint8_t *from, size_t n)
{
	struct output out = {to, 0, 0, 8};
	struct match match;

	for (size_t i = 0; i < sizeof(newest) / sizeof(newest[0]); i++)
		newest[i] = 0;
	match = find_match(from, n, 0);
	for (size_t position = 0; position < n;) {
		struct match next = {LZ_MIN_MATCH - 1, 0};
		size_t end = position + match.length;

		remember(from, n, position);
		if (match.length < LZ_MAX_MATCH && position + 1 < n)
			next = find_match(from, n, position + 1);
		if (match.length < LZ_MIN_MATCH || next.length > match.length) {
			put_literal(&out, from[position++]);
			match = next;
			continue;
		}
		put_match(&out, match);
		for (position++; position < end; position++)
			remember(from, n, position);
		if (position < n)
			match = find_match(from, n, position);
	}
	return out.size;
}

size_t lz_decompress(uint8_t *to, size_t size, const uint8_t *from, size_t n)
{
	size_t in = 0;
	size_t out = 0;

	while (in < n) {
		unsigned flags = from[in++];

		for (unsigned item = 0; item < 8 && in < n; item++, flags >>= 1) {
			size_t length = 1;
			size_t distance;

			if ((flags & 1) == 0) {
				if (out == size)
					return 0;
				to[out++] = from[in++];
				continue;
			}
			if (n - in < 2)
				return 0;
			distance = 1 + from[in] + ((size_t)from[in + 1] >> 4 << 8);
			length = LZ_MIN_MATCH + (from[in + 1] & 15u);
			in += 2;
			if (distance > out || length > size - out)
				return 0;
			for (; length > 0; length--, out++)
				to[out] = to[out - distance];
		}
	}
	return out;
}
