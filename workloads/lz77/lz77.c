/*
 * lz77.c - compressing text. A unit takes a block of 4 KiB out of 8 KiB of generated text, numbers it, and
 * compresses it (coder.h).
 *
 * The block's place depends on the number of the unit and on the result before it, and its first eight bytes
 * are that number, so no unit can be shared with another, and none left out unseen. The last block is
 * decompressed and compared after the clock.
 */
#include <inttypes.h>
#include <stdio.h>

#include "driver.h"
#include "coder.h"

#define TEXT_SIZE 8192
#define WORDS	  128
#define SYLLABLES 16
/* four syllables of up to three letters, the end */
#define WORD_SIZE 13

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static const char syllables[SYLLABLES][4] = {"an", "bre", "cho", "dim", "er", "fo", "gle", "in", "ket", "lo",
	"mar", "nu", "pri", "ta", "ver", "zi"};

static uint8_t text[TEXT_SIZE];
static uint8_t block[LZ_BLOCK];
static uint8_t coded[LZ_CODED_MAX];
static size_t coded_size;

static uint64_t random_state;
static uint64_t units_done;
static uint64_t chain;

/* xorshift64* */
static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % limit;
}

static uint64_t hash_byte(uint64_t hash, uint8_t byte)
{
	return (hash ^ byte) * FNV_PRIME;
}

/* FNV-1a over the eight bytes of value, lowest first, so that byte order does not matter. */
static uint64_t hash_value(uint64_t hash, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		hash = hash_byte(hash, (uint8_t)(value >> shift));
	return hash;
}

static void make_words(char words[WORDS][WORD_SIZE])
{
	for (size_t i = 0; i < WORDS; i++) {
		uint32_t count = 1 + random_below(4);
		char *to = words[i];

		while (count-- > 0)
			for (const char *from = syllables[random_below(SYLLABLES)]; *from != '\0'; from++)
				*to++ = *from;
		*to = '\0';
	}
}

/* Words, the first ones of the list more often than the last, nine in ten with a blank behind, else a newline. */
static void make_text(void)
{
	char words[WORDS][WORD_SIZE];
	size_t size = 0;

	make_words(words);
	while (size < TEXT_SIZE) {
		const char *word = words[random_below(1 + random_below(WORDS))];

		for (; *word != '\0' && size < TEXT_SIZE; word++)
			text[size++] = (uint8_t)*word;
		if (size < TEXT_SIZE)
			text[size++] = random_below(10) == 0 ? '\n' : ' ';
	}
}

static int reset(void)
{
	units_done = 0;
	chain = FNV_BASIS;
	coded_size = 0;
	return 0;
}

static void take_block(size_t start, uint64_t number)
{
	for (size_t i = 0; i < LZ_BLOCK; i++)
		block[i] = text[start + i];
	for (size_t i = 0; i < 8; i++)
		block[i] = (uint8_t)(number >> 8 * i);
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		/* the text may be another one now, and all of the coded block is needed below */
		GUARD_MEMORY(text);
		take_block((size_t)(chain >> 32) % (TEXT_SIZE - LZ_BLOCK), units_done);
		coded_size = lz_compress(coded, block, LZ_BLOCK);
		GUARD_MEMORY(coded);
		chain = hash_value(hash_byte(chain, coded[(size_t)(chain >> 40) % coded_size]), coded_size);
		units_done++;
	}
	return 0;
}

/* One unit here pages in code and data, so that the first timed one costs what the others do. */
static int setup(void)
{
	random_state = UINT64_C(0x7e87b10c2f6a4d39);
	make_text();
	reset();
	work(1);
	return reset();
}

static int check(char *result, size_t size)
{
	static uint8_t decoded[LZ_BLOCK];
	uint64_t hash = hash_value(hash_value(FNV_BASIS, units_done), chain);

	for (size_t i = 0; i < coded_size; i++)
		hash = hash_byte(hash, coded[i]);
	if (units_done > 0 && lz_decompress(decoded, sizeof(decoded), coded, coded_size) != LZ_BLOCK)
		return driver_fail(0, "the last block does not decompress to its %d bytes", LZ_BLOCK);
	for (size_t i = 0; i < LZ_BLOCK && units_done > 0; i++)
		if (decoded[i] != block[i])
			return driver_fail(0, "the last block differs after decompression, at byte %zu", i);
	snprintf(result, size, "%016" PRIx64, hash);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "lz77",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
