#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t k256[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb,
	0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb,
	0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* One round of FIPS 180-4, 6.2.2, step 3. The eight variables turn by being named in another order. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                     \
	do {                                                                                                 \
		uint32_t t1 = (h) + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +                               \
			      (((e) & (f)) ^ (~(e) & (g))) + k256[i] + w[i];                                 \
		(d) += t1;                                                                                   \
		(h) = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +                                        \
		      (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                                             \
	} while (0)

void hash_compress_portable(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[64];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
		       (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
	for (int i = 0; i < 64; i += 8) {
		ROUND(a, b, c, d, e, f, g, h, i);
		ROUND(h, a, b, c, d, e, f, g, i + 1);
		ROUND(g, h, a, b, c, d, e, f, i + 2);
		ROUND(f, g, h, a, b, c, d, e, i + 3);
		ROUND(e, f, g, h, a, b, c, d, i + 4);
		ROUND(d, e, f, g, h, a, b, c, i + 5);
		ROUND(c, d, e, f, g, h, a, b, i + 6);
		ROUND(b, c, d, e, f, g, h, a, i + 7);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

#if defined(__x86_64__)
/*
 * The same by the CPU's own instructions (Intel, "Intel SHA Extensions", 2013), four rounds a step: a first start
 * hashes compilers of some 100 MB.
 */
__attribute__((target("sha,ssse3,sse4.1"))) static void compress_ni(uint32_t state[8], const uint8_t *block)
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
	__m128i abef_before = abef, cdgh_before = cdgh, w[4];

	for (int i = 0; i < 16; i++) {
		__m128i *now = &w[i % 4], k;

		if (i < 4) {
			*now = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(block + 16 * i)), big_endian);
		} else {
			__m128i last = w[(i + 3) % 4];

			*now = _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) % 4]),
				_mm_alignr_epi8(last, w[(i + 2) % 4], 4));
			*now = _mm_sha256msg2_epu32(*now, last);
		}
		k = _mm_add_epi32(*now, _mm_loadu_si128((const void *)(k256 + 4 * i)));
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
	}
	low = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
	high = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
	_mm_storeu_si128((void *)state, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static bool cpu_has_sha(void)
{
	unsigned a, b, c, d;
	bool sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);

	return sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1U << 29);
}
#endif

static void compress(uint32_t state[8], const uint8_t *block)
{
#if defined(__x86_64__)
	static int has_sha = -1;

	if (has_sha < 0)
		has_sha = cpu_has_sha();
	if (has_sha) {
		compress_ni(state, block);
		return;
	}
#endif
	hash_compress_portable(state, block);
}

void hash_init(struct hash *hash)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(hash->state, start, sizeof(start));
	hash->length = 0;
}

void hash_add(struct hash *hash, const void *bytes, size_t count)
{
	const uint8_t *p = bytes;

	while (count > 0) {
		size_t used = hash->length % 64;
		size_t take = 64 - used < count ? 64 - used : count;

		if (used == 0 && count >= 64) {
			compress(hash->state, p);
			take = 64;
		} else {
			memcpy(hash->block + used, p, take);
			if (used + take == 64)
				compress(hash->state, hash->block);
		}
		hash->length += take;
		p += take;
		count -= take;
	}
}

void hash_add_field(struct hash *hash, const char *text)
{
	uint64_t length = text != NULL ? strlen(text) : UINT64_MAX;
	uint8_t prefix[8];

	for (int i = 0; i < 8; i++)
		prefix[i] = (uint8_t)(length >> (56 - 8 * i));
	hash_add(hash, prefix, sizeof(prefix));
	if (text != NULL)
		hash_add(hash, text, (size_t)length);
}

void hash_final(struct hash *hash, uint8_t digest[HASH_SIZE])
{
	uint64_t bits = hash->length * 8;
	uint8_t tail[8];

	for (int i = 0; i < 8; i++)
		tail[i] = (uint8_t)(bits >> (56 - 8 * i));
	hash_add(hash, "\x80", 1);
	while (hash->length % 64 != 56)
		hash_add(hash, "", 1);
	hash_add(hash, tail, sizeof(tail));
	for (int i = 0; i < HASH_SIZE; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

static void digest_hex(const uint8_t digest[HASH_SIZE], char hex[HASH_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < HASH_SIZE; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[2 * HASH_SIZE] = '\0';
}

void hash_final_hex(struct hash *hash, char hex[HASH_HEX])
{
	uint8_t digest[HASH_SIZE];

	hash_final(hash, digest);
	digest_hex(digest, hex);
}

void hash_bytes(const void *bytes, size_t count, uint8_t digest[HASH_SIZE])
{
	struct hash hash;

	hash_init(&hash);
	hash_add(&hash, bytes, count);
	hash_final(&hash, digest);
}

void hash_bytes_hex(const void *bytes, size_t count, char hex[HASH_HEX])
{
	uint8_t digest[HASH_SIZE];

	hash_bytes(bytes, count, digest);
	digest_hex(digest, hex);
}

int hash_file_hex(const char *path, char hex[HASH_HEX], struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hash hash;
	char block[16384];
	ssize_t got;

	if (fd < 0)
		return error_errno(e, errno, "hashing %s", path);
	hash_init(&hash);
	while ((got = read(fd, block, sizeof(block))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int errnum = errno;

			close(fd);
			return error_errno(e, errnum, "hashing %s", path);
		}
		hash_add(&hash, block, (size_t)got);
	}
	close(fd);
	hash_final_hex(&hash, hex);
	return 0;
}
