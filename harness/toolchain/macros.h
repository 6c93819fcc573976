/*
 * macros.h - what a compiler's predefined macros (-dM -E) say about it. They are the same in every locale, and no
 * name or link changes them.
 */
#ifndef FLAGSTONE_TOOLCHAIN_MACROS_H
#define FLAGSTONE_TOOLCHAIN_MACROS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/hash.h"
#include "spec/spec.h"

/* The value of "#define NAME VALUE", in the arena; NULL: not defined. */
const char *macros_value(struct arena *arena, const char *macros, const char *name);
bool macros_have(const char *macros, const char *name);
/* The style to ask it in, and its version; false: no compiler that flagstone knows. */
bool macros_identify(struct arena *arena, const char *macros, enum spec_family_style *style, int *major,
	const char **version);
/* "x86_64", "i386", "x32", "aarch64", "arm", "riscv64", ...; "unknown" when no macro tells. */
const char *macros_arch(struct arena *arena, const char *macros);
/* The same names for the machine that flagstone runs on. */
const char *macros_host_arch(struct arena *arena);
/* Hash over the lines in sorted order. */
void macros_hash(struct arena *arena, const char *macros, char hex[HASH_HEX]);

#endif
