/*
 * strsort.c - sorting 512 strings. A unit copies the pointers, in another order each time, and sorts them.
 *
 * The strings are two to five syllables and one letter, so that many begin alike. They are generated; nothing
 * of the C library's has a part in the result. Before unit number k (from 0) the last letter of one string is
 * replaced, and the order chosen, by k and the result before it, so no unit can be shared with another, and
 * none left out unseen; it also keeps the branch predictor from learning one sort by heart.
 */
#include <inttypes.h>
#include <stdio.h>

#include "driver.h"
#include "sort.h"

#define STRINGS	  512
#define SYLLABLES 16
/* five syllables of up to three letters, one letter, the end */
#define STRING_SIZE 17

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static const char syllables[SYLLABLES][4] = {"al", "ber", "co", "dun", "el", "fa", "gor", "is", "ka", "lin",
	"mo", "ner", "qua", "ro", "sta", "ul"};

static char text[STRINGS * STRING_SIZE];
static char *strings[STRINGS];
/* where in text each string's last letter is */
static char *last_letter[STRINGS];
static const char *sorted[STRINGS];
static const char *spare[STRINGS];

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

/* FNV-1a over the eight bytes of value, lowest first, so that byte order does not matter. */
static uint64_t hash_value(uint64_t hash, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		hash = (hash ^ (value >> shift & 0xff)) * FNV_PRIME;
	return hash;
}

/* FNV-1a over the string and the zero at its end. */
static uint64_t hash_string(uint64_t hash, const char *string)
{
	do
		hash = (hash ^ (unsigned char)*string) * FNV_PRIME;
	while (*string++ != '\0');
	return hash;
}

static int reset(void)
{
	char *to = text;

	random_state = UINT64_C(0x5eed0f57a9510e5d);
	for (size_t i = 0; i < STRINGS; i++) {
		uint32_t count = 2 + random_below(4);

		strings[i] = to;
		while (count-- > 0)
			for (const char *from = syllables[random_below(SYLLABLES)]; *from != '\0'; from++)
				*to++ = *from;
		last_letter[i] = to;
		*to++ = (char)('a' + random_below(26));
		*to++ = '\0';
	}
	units_done = 0;
	chain = FNV_BASIS;
	return 0;
}

/* Any odd step visits each string once, for their number is a power of two. */
static void copy_pointers(size_t start, size_t step)
{
	for (size_t i = 0; i < STRINGS; i++)
		sorted[i] = strings[(start + i * step) % STRINGS];
}

static int work(uint64_t units)
{
	for (uint64_t u = 0; u < units; u++) {
		uint32_t draw = (uint32_t)(chain >> 32) + (uint32_t)units_done;

		*last_letter[draw % STRINGS] = (char)('a' + (draw >> 9) % 26);
		/* text and pointers may be others now, and the whole order is needed below */
		GUARD_MEMORY(text);
		GUARD_MEMORY(strings);
		copy_pointers(draw >> 14, draw >> 20 | 1);
		string_sort(sorted, spare, STRINGS);
		GUARD_MEMORY(sorted);
		chain = (hash_string(chain, sorted[(chain >> 40) % STRINGS]) ^ units_done) * FNV_PRIME;
		units_done++;
	}
	return 0;
}

/* One unit here pages in code and data, so that the first timed one costs what the others do. */
static int setup(void)
{
	reset();
	work(1);
	return reset();
}

static int check(char *result, size_t size)
{
	uint64_t hash = hash_value(hash_value(FNV_BASIS, units_done), chain);

	for (size_t i = 0; i < STRINGS && units_done > 0; i++) {
		if (i > 0 && string_compare(sorted[i - 1], sorted[i]) > 0)
			return driver_fail(0, "string %zu is not in order: \"%s\" before \"%s\"", i,
				sorted[i - 1], sorted[i]);
		hash = hash_string(hash, sorted[i]);
	}
	snprintf(result, size, "%016" PRIx64, hash);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "strsort",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
};
