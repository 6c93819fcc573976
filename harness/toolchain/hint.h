/*
 * hint.h - advice where a compiler refuses flags: the version that a -march value needs, and what arm calls native.
 */
#ifndef FLAGSTONE_TOOLCHAIN_HINT_H
#define FLAGSTONE_TOOLCHAIN_HINT_H

#include "toolchain/toolchain.h"

/* "; -march=x86-64-v3 needs gcc 11 or newer, this is 9.4.0", or "" when there is nothing to advise. */
const char *hint_refused(const struct toolchain *t, const struct words *cflags, struct arena *arena);
/* Is it a model that says nothing of a CPU: x86-64, generic, armv8-a, ...? */
bool hint_is_generic(const char *march);

#endif
