/*
 * linked_hash.h - the hash of one function of a linked file: linked.h says what it is of.
 */
#ifndef FLAGSTONE_CODE_LINKED_HASH_H
#define FLAGSTONE_CODE_LINKED_HASH_H

#include "code/linked.h"
#include "code/places.h"

/* Fills hash, exact, references and unfollowed of a function whose bytes lie in the section. */
void linked_hash(const struct places *places, const struct image_section *section, struct arena *arena,
	struct linked_function *function);

#endif
