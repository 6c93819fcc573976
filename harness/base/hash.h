/*
 * hash.h - SHA-256 (FIPS 180-4) of bytes, streams and files. The one hash of flagstone: record ids, build keys,
 * code identity, seeds.
 */
#ifndef FLAGSTONE_BASE_HASH_H
#define FLAGSTONE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { HASH_SIZE = 32, HASH_HEX = 65 /* 64 digits and a NUL */ };

struct hash {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void hash_init(struct hash *hash);
/* One block of 64 bytes in plain C, as used where the CPU has no SHA instructions; public so that tests hold the two together. */
void hash_compress_portable(uint32_t state[8], const uint8_t *block);
void hash_add(struct hash *hash, const void *bytes, size_t count);
/* Adds a text with its length in front, so that ("ab","c") and ("a","bc") differ; NULL is unlike "". */
void hash_add_field(struct hash *hash, const char *text);
void hash_final(struct hash *hash, uint8_t digest[HASH_SIZE]);
void hash_final_hex(struct hash *hash, char hex[HASH_HEX]);

void hash_bytes(const void *bytes, size_t count, uint8_t digest[HASH_SIZE]);
void hash_bytes_hex(const void *bytes, size_t count, char hex[HASH_HEX]);
/* The hash of a regular file's bytes. 0, or -1 with the path and errno's text. */
int hash_file_hex(const char *path, char hex[HASH_HEX], struct error *e);

#endif
