/*
 * probe_code.h - small functions in whose machine code it shows what flags do: vectors, widths of copies, bit counting,
 * shifts, gathers, divisions, conversions, branches and moves. Written for this: what a compiler decides by features,
 * tuning or vector width should show in at least one of them.
 */
#ifndef FLAGSTONE_TOOLCHAIN_PROBE_CODE_H
#define FLAGSTONE_TOOLCHAIN_PROBE_CODE_H

#include "base/hash.h"
#include "base/text.h"
#include "toolchain/ask.h"

/*
 * Compiles them with these flags to LABEL.o in the asker's folder. hash is that of the object's code
 * (code_hash_objects), *object its path. Returns NULL, else what went wrong.
 */
const char *probe_code_compile(const struct asker *asker, const char *label, const struct words *flags,
	char hash[HASH_HEX], const char **object);

#endif
