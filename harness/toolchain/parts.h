/*
 * parts.h - what a compiler consists of: driver, cc1 or backend library, assembler, linker, C library. Each gives
 * facts (path, sha256, version), a share of the identity, and paths to watch: what is known about the compiler
 * holds as long as these stay as they are.
 */
#ifndef FLAGSTONE_TOOLCHAIN_PARTS_H
#define FLAGSTONE_TOOLCHAIN_PARTS_H

#include "code/code.h"
#include "toolchain/ask.h"
#include "toolchain/cache.h"
#include "toolchain/toolchain.h"

struct parts {
	const struct asker *asker;
	struct cache *cache;
	struct facts *facts;
	enum spec_family_style style;
	bool native;			/* may its programs and loader be started here */
	const char *driver;		/* real path */
	const struct code_info *linked; /* an empty program that it linked */
	struct words watch;		/* files and folders */
	struct words identity;		/* "NAME SHA256" of each part found */
	bool musl;
};

/* The value of PATH that the compiler is called with. */
const char *parts_path(const struct asker *asker);
void parts_find(struct parts *parts);
/* The C library: facts toolchain.libc.*, the identity's share, parts->musl. */
void parts_find_libc(struct parts *parts);
/* For both: facts toolchain.KEY.path and .sha256, identity and watch. NULL path: unknown with the reason. */
void parts_add(
	struct parts *parts, const char *key, const char *path, const char *source, const char *reason);

#endif
