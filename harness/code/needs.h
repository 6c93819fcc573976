/*
 * needs.h - what a linked program needs of the machine that it runs on: the dynamic linker, the libraries, and the
 * versions of their symbols.
 *
 * Sources: System V ABI (PT_INTERP, DT_NEEDED), "ELF Symbol Versioning" (U. Drepper) and the LSB core specification for
 * the section SHT_GNU_verneed. Both are claims of the file: what is really loaded, and what that needs in turn, says
 * the dynamic linker there.
 */
#ifndef FLAGSTONE_CODE_NEEDS_H
#define FLAGSTONE_CODE_NEEDS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct code_need {
	const char *library;   /* as DT_NEEDED names it: "libc.so.6" */
	struct words versions; /* of its symbols: "GLIBC_2.2.5", "GLIBC_2.34"; n == 0: none are asked for */
};

struct code_needs {
	const char *machine;	 /* as code_info.machine */
	const char *interpreter; /* NULL: none, it is static */
	struct code_need *v;	 /* in the order of DT_NEEDED */
	size_t n;
};

/* Reads an ELF file. Errors: not ELF, cut, inconsistent. Never crashes on hostile files. */
int code_needs(const char *path, struct arena *arena, struct code_needs *needs, struct error *e);
/*
 * The highest version of a library whose names have a prefix: "2.34" of GLIBC_2.2.5 and GLIBC_2.34 for "GLIBC_". NULL:
 * none. Compared number by number. In the arena.
 */
const char *code_needs_highest(const struct code_needs *needs, const char *prefix, struct arena *arena);

#endif
