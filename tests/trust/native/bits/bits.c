/* Single instructions that some CPUs have, divisions, and copies of known size: what tuning decides. */
#include <stdint.h>
#include <string.h>

struct block {
	uint64_t words[12];
};

unsigned bits_count(uint64_t x);
unsigned bits_first(uint64_t x);
uint64_t bits_shift(uint64_t x, unsigned by);
uint64_t bits_mask(uint64_t x, uint64_t mask);
void bits_copy(struct block *to, const struct block *from);
void bits_clear(struct block *block);
uint32_t bits_divide(uint32_t x, uint32_t y);
uint32_t bits_swap(const uint32_t *x);
int workload_main(void);

unsigned bits_count(uint64_t x)
{
	return (unsigned)__builtin_popcountll(x);
}

unsigned bits_first(uint64_t x)
{
	return x == 0 ? 64 : (unsigned)__builtin_clzll(x);
}

uint64_t bits_shift(uint64_t x, unsigned by)
{
	return x << by ^ x >> (by + 1);
}

uint64_t bits_mask(uint64_t x, uint64_t mask)
{
	return (x & ~mask) ^ (x & (x - 1));
}

void bits_copy(struct block *to, const struct block *from)
{
	*to = *from;
}

void bits_clear(struct block *block)
{
	memset(block, 0, sizeof(*block));
}

uint32_t bits_divide(uint32_t x, uint32_t y)
{
	return x / y + x % 7;
}

uint32_t bits_swap(const uint32_t *x)
{
	return __builtin_bswap32(*x);
}

int workload_main(void)
{
	struct block a, b;
	uint32_t x = 1;

	bits_clear(&a);
	bits_copy(&b, &a);
	return bits_count(7) == 3 && bits_first(1) == 63 && bits_shift(2, 1) == 4 && bits_mask(4, 4) == 0 &&
			       b.words[0] == 0 && bits_divide(8, 2) == 5 && bits_swap(&x) == 0x1000000
		       ? 0
		       : 1;
}
