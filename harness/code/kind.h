/*
 * kind.h - what a file is that may be no machine code, for messages: people point at scripts, folders, linker scripts and
 * core files.
 */
#ifndef FLAGSTONE_CODE_KIND_H
#define FLAGSTONE_CODE_KIND_H

#include "base/arena.h"
#include "base/error.h"

enum code_kind {
	CODE_KIND_ELF,	   /* executable, library or object */
	CODE_KIND_ARCHIVE, /* ar: of objects */
	CODE_KIND_BITCODE, /* LLVM's */
	CODE_KIND_CORE,	   /* ELF, but of a crash */
	CODE_KIND_OTHER
};

/*
 * Looks at a file's first bytes. *what: in the arena, a few words as "a script for /bin/sh"; what_to_do: advice, or NULL.
 * Error: it cannot be opened, or is a folder, a device, a pipe.
 */
int code_kind(const char *path, struct arena *arena, enum code_kind *kind, const char **what,
	const char **what_to_do, struct error *e);

#endif
