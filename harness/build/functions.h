/*
 * functions.h - the functions of a finished build, for its record: code/functions.h reads them from the build's own
 * objects, which lie in the cache with it, so that a build taken from there knows them too. The driver's and the C
 * library's are no part of it.
 */
#ifndef FLAGSTONE_BUILD_FUNCTIONS_H
#define FLAGSTONE_BUILD_FUNCTIONS_H

#include "build/build.h"

/*
 * The objects that have a finished build's code: those of its sources, or, under LTO, those that builder_link() had made.
 * NULL; or why they cannot be read.
 */
const char *build_code_objects(const struct build *build, struct arena *arena, struct words *objects);
/*
 * Reads the functions of a build that is ok, at most the `most` largest, into the arena. Under LTO they are in the
 * objects that builder_link() had made for layout 0, if the linker is called directly. Sets the facts build.functions
 * (how many there are, or unknown with the reason) and build.function_hash. *functions: NULL when unknown.
 */
void build_functions(const struct build *build, size_t most, struct arena *arena, struct facts *facts,
	struct record_function **functions, size_t *count);

#endif
