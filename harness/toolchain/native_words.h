/*
 * native_words.h - the explicit words that say what native says: names first, then each setting in which a compile with
 * these names still differs. gcc: the lines of -Q --help=target, and the cache line; clang: features. Part of native.h.
 */
#ifndef FLAGSTONE_TOOLCHAIN_NATIVE_WORDS_H
#define FLAGSTONE_TOOLCHAIN_NATIVE_WORDS_H

#include "toolchain/ask.h"
#include "toolchain/native.h"

struct native_work {
	struct arena *arena;
	const struct toolchain *t;
	struct native *out;
	struct asker asker;
};

/* toolchain_resolve() of these flags behind -O2. */
int native_resolve(
	const struct native_work *x, const struct words *flags, struct resolved *resolved, struct error *e);
/* All features of what was resolved, those of code and the others. */
struct words native_features(const struct native_work *x, const struct resolved *resolved);
/* Fills out->command from out->resolved; `native` is the flag that was resolved. */
void native_words(const struct native_work *x, const struct words *native);

#endif
