/*
 * wrapper.h - programs that stand before a compiler and answer from a cache or from another machine: ccache,
 * sccache, distcc, icecc. What they return was not made here and now, so they are seen through. They are called
 * as "ccache gcc", or by a link named gcc in a folder early in PATH (a masquerade).
 */
#ifndef FLAGSTONE_TOOLCHAIN_WRAPPER_H
#define FLAGSTONE_TOOLCHAIN_WRAPPER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

/* Is this file name one of them? */
bool wrapper_is(const char *name);
/*
 * Copies the words behind all wrappers in front (with their own options and settings) to `rest`. Returns the
 * names of what was dropped, "ccache distcc", or NULL when nothing was.
 */
const char *wrapper_strip(struct arena *arena, const struct words *command, struct words *rest);
/* The first program of this name in the folders that is no wrapper itself; NULL: none. */
const char *wrapper_real(struct arena *arena, const char *name, const struct words *folders);

#endif
