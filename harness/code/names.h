/*
 * names.h - names of sections and symbols as they go into hashes of objects: without what compilers put into them of
 * file names and of other things that are no code.
 *
 *	_GLOBAL__sub_I_file.cpp		the constructors of a source, by its name (clang)
 *	name.llvm.123			local names made global by ThinLTO, told apart by a hash of the whole module: the
 *					number counts by the order in which such names come up
 */
#ifndef FLAGSTONE_CODE_NAMES_H
#define FLAGSTONE_CODE_NAMES_H

#include "base/hash.h"
#include "base/mem.h"

struct names_seen {
	VEC(const char *) promoted; /* borrowed, as names come up; at most some hundred */
};

/* Adds a number, the same on every host. */
void names_add_number(struct hash *hash, uint64_t x);
/* Adds a name to the hash. It must stay valid as long as `seen` is used. */
void names_add(struct names_seen *seen, struct hash *hash, const char *name);
void names_release(struct names_seen *seen);

#endif
