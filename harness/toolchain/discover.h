/*
 * discover.h - which programs might be compilers: names of the families in PATH, and what users name. Only files
 * are looked at here; nothing is started.
 *
 * Candidates are grouped: names that lead to the same file with the same target prefix ("aarch64-linux-gnu-" of a
 * link to clang changes what it does) are one. Wrappers are replaced by what they would call.
 */
#ifndef FLAGSTONE_TOOLCHAIN_DISCOVER_H
#define FLAGSTONE_TOOLCHAIN_DISCOVER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"
#include "spec/spec.h"
#include "toolchain/toolchain.h"

struct candidate {
	struct words
		names; /* program names, in the order of PATH; full paths where the name means another one */
	struct words cc; /* argv, absolute path first */
	struct words env, runner;
	const char *real;    /* the file behind all links */
	const char *prefix;  /* of the name: "aarch64-linux-gnu-", mostly "" */
	const char *wrapper; /* "ccache (/usr/lib/ccache/gcc)", NULL: none */
	const struct spec_toolchain *user;
};

/* The first program of a name in PATH. */
struct named {
	const char *name;
	size_t candidate;
};

struct discovery {
	struct arena *arena;
	const struct spec_project *project;
	const char *path; /* PATH */
	struct candidate *candidates;
	size_t n, cap;
	struct named *named;
	size_t named_count, named_cap;
	struct toolchain_failure *failures;
	size_t failure_count, failure_cap;
	struct words *notes;
};

/* Fills candidates, named, failures, notes; the caller has set arena, project, path and notes. */
void discover(struct discovery *d);
void discover_fail(struct discovery *d, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The candidate that a program name means, NULL: none. */
const struct candidate *discover_named(const struct discovery *d, const char *name);
/* PATH's folders: absolute ones, each once, in order. */
void discover_folders(struct arena *arena, const char *path, struct words *folders);

#endif
