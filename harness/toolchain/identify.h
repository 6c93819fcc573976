/*
 * identify.h - what a candidate is: it is asked for its macros and parts, and has to link an empty program. The
 * answers are cached as long as no part and no folder of PATH changes.
 */
#ifndef FLAGSTONE_TOOLCHAIN_IDENTIFY_H
#define FLAGSTONE_TOOLCHAIN_IDENTIFY_H

#include "toolchain/cache.h"
#include "toolchain/discover.h"
#include "toolchain/memory.h"
#include "toolchain/toolchain.h"

/* Where and how to ask while toolchains are found. */
struct finding {
	struct arena *arena;
	struct cache cache;
	const struct toolchain_options *options;
	const char *folder; /* private */
	int64_t timeout_ns;
	const char *cpu;
};

/*
 * A new toolchain with cc, env, runner, version, major, target, arch, native, identity, facts and memory set;
 * NULL with the reason why the candidate is none. Family, names and slots are the caller's.
 */
struct toolchain *identify(struct finding *f, const struct candidate *candidate, const char **reason);

#endif
