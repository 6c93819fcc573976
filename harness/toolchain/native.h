/*
 * native.h - what "native" means to a toolchain on this machine, and how to say the same in so many words.
 *
 * The explicit words are derived from what the compiler resolved (names after -march and -mtune, then each feature and
 * setting in which they still differ), and are tried: the functions of probe_code.h, compiled at -O2 and -O3 with native
 * and with these words, must come out as the same code, function by function.
 */
#ifndef FLAGSTONE_TOOLCHAIN_NATIVE_H
#define FLAGSTONE_TOOLCHAIN_NATIVE_H

#include "toolchain/features.h"
#include "toolchain/toolchain.h"

enum native_tried {
	NATIVE_UNTRIED, /* see reason or tried_reason */
	NATIVE_SAME,	/* every function the same, at both levels */
	NATIVE_DIFFERS	/* some differ, see differing */
};

struct native {
	const struct toolchain *toolchain;
	const char *flag;   /* "-march=native"; arm: "-mcpu=native" */
	const char *reason; /* why native means nothing here (refused, ignored); NULL: it was answered */
	struct resolved resolved;
	struct features features;
	const char *level;   /* highest x86-64-vN whose features it has; NULL: no x86 */
	struct words beyond; /* features beyond that level, as flags name them: "avx512vnni" */
	struct words
		command; /* the explicit words: "-march=rocketlake", "-mtune=rocketlake", "-mno-sgx", ... */
	enum native_tried tried;
	const char *tried_reason;
	size_t functions;	/* tried, each at both levels */
	struct words differing; /* "gather at -O3" */
	bool with_cache_sizes; /* the same only with native's --param for cache sizes, which then are in command */
};

/*
 * Asks and tries; four compiles of half a second together the first time, then answered from the cache like
 * toolchain_resolve(). Fails
 * never: reasons are in the result.
 */
void native_ask(const struct toolchain *toolchain, struct arena *arena, struct native *native);

/*
 * Words that all of these take and that mean the same CPU to all: "-march=x86-64-v3 -mtune=generic", the highest level
 * that each of them has under native. NULL with the reason in `why`: no level in common, or one does not know it.
 */
const char *native_common(const struct native *natives, size_t count, struct arena *arena, const char **why);

#endif
