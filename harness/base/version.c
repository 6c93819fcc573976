#include "base/version.h"

#include <stddef.h>

/*
 * The Makefile includes OUT/built.h before this file, and only before this one: a commit compiles one file again.
 * Analysers and fuzzers compile without it.
 */
#ifndef FLAGSTONE_VERSION
#define FLAGSTONE_VERSION "unknown"
#endif
#ifndef FLAGSTONE_COMMIT
#define FLAGSTONE_COMMIT NULL
#endif
#ifndef FLAGSTONE_DIRTY
#define FLAGSTONE_DIRTY NULL
#endif
#ifndef FLAGSTONE_CC
#define FLAGSTONE_CC NULL
#endif
#ifndef FLAGSTONE_CFLAGS
#define FLAGSTONE_CFLAGS NULL
#endif

const struct version version = {
	.version = FLAGSTONE_VERSION,
	.commit = FLAGSTONE_COMMIT,
	.dirty = FLAGSTONE_DIRTY,
	.compiler = FLAGSTONE_CC,
	.cflags = FLAGSTONE_CFLAGS,
	.unknown_reason = "flagstone was built outside of its git repository",
};
