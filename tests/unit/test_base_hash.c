/*
 * SHA-256 held against the examples of FIPS 180-4 ("abc", the 448-bit message, a million a) and coreutils'
 * sha256sum (the lengths around a block).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"

static void hash_bytes__published_examples(void **state)
{
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char hex[HASH_HEX];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		hash_bytes_hex(cases[i].text, strlen(cases[i].text), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

/* printf 'aaa...' | sha256sum */
static void hash_bytes__around_a_block__as_sha256sum(void **state)
{
	static const struct {
		size_t n;
		const char *hex;
	} cases[] = {
		{55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
		{63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
		{64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
		{65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
		{119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
		{120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
		{1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
	};
	char bytes[1000], hex[HASH_HEX];

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hash_bytes_hex(bytes, cases[i].n, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

/* A million times a (FIPS 180-4), in pieces of every size. */
static void hash_add__any_pieces__same(void **state)
{
	char bytes[997], hex[HASH_HEX];
	struct hash hash;
	size_t left = 1000000, piece = 0;

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	hash_init(&hash);
	while (left > 0) {
		size_t take = piece < left ? piece : left;

		hash_add(&hash, bytes, take);
		left -= take;
		piece = piece % 997 + 1;
	}
	hash_final_hex(&hash, hex);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The lengths in front are 8 bytes, big-endian: hashed by Python's hashlib. */
static void hash_add_field__parts_and_null__told_apart(void **state)
{
	struct hash hash;
	char hex[HASH_HEX], other[HASH_HEX];

	(void)state;
	hash_init(&hash);
	hash_add_field(&hash, "ab");
	hash_add_field(&hash, "c");
	hash_final_hex(&hash, hex);
	assert_string_equal(hex, "601d5476e2ccfe2c87a2bba7a322659734a05749d5b5aa781f513e4912db0d5f");
	hash_init(&hash);
	hash_add_field(&hash, "a");
	hash_add_field(&hash, "bc");
	hash_final_hex(&hash, other);
	assert_string_not_equal(hex, other);
	hash_init(&hash);
	hash_add_field(&hash, NULL);
	hash_final_hex(&hash, hex);
	assert_string_equal(hex, "12a3ae445661ce5dee78d0650d33362dec29c4f82af05e7e57fb595bbbacf0ca");
}

static void hash_file_hex__file_and_none(void **state)
{
	char path[] = "/tmp/flagstone-hash-XXXXXX", hex[HASH_HEX] = "same";
	int fd = mkstemp(path);
	struct error e = {0};

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, "abc", 3, path, &e), 0);
	close(fd);
	assert_int_equal(hash_file_hex(path, hex, &e), 0);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	unlink(path);
	strcpy(hex, "same");
	assert_int_equal(hash_file_hex(path, hex, &e), -1);
	assert_string_equal(hex, "same");
	assert_non_null(strstr(e.text, path));
	assert_non_null(strstr(e.text, "No such file"));
}

/* Where the CPU has SHA instructions, they are used; plain C must give the same, block after block. */
static void hash_compress_portable__random_blocks__same_as_hash_add(void **state)
{
	struct rng rng;
	struct hash hash;
	uint32_t portable[8];

	(void)state;
	rng_seed_text(&rng, "blocks");
	hash_init(&hash);
	memcpy(portable, hash.state, sizeof(portable));
	for (int i = 0; i < 1000; i++) {
		uint64_t block[8];

		for (int k = 0; k < 8; k++)
			block[k] = rng_next(&rng);
		hash_add(&hash, block, sizeof(block));
		hash_compress_portable(portable, (const uint8_t *)block);
		assert_memory_equal(portable, hash.state, sizeof(portable));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_bytes__published_examples),
		cmocka_unit_test(hash_bytes__around_a_block__as_sha256sum),
		cmocka_unit_test(hash_add__any_pieces__same),
		cmocka_unit_test(hash_add_field__parts_and_null__told_apart),
		cmocka_unit_test(hash_file_hex__file_and_none),
		cmocka_unit_test(hash_compress_portable__random_blocks__same_as_hash_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
