/*
 * canonical.h - the hash of what a linked file runs: see code_read().
 */
#ifndef FLAGSTONE_CODE_CANONICAL_H
#define FLAGSTONE_CODE_CANONICAL_H

#include "base/hash.h"
#include "code/image.h"

void canonical_hash(const struct image *image, char hex[HASH_HEX]);

#endif
