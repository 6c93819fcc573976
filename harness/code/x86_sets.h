/*
 * x86_sets.h - from the names that Zydis has for sets of instructions to ours.
 */
#ifndef FLAGSTONE_CODE_X86_SETS_H
#define FLAGSTONE_CODE_X86_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "code/isa_sets.h"

/* What an instruction of one of Zydis' ISA sets needs; none: nothing that not every CPU has. */
struct x86_needs {
	enum isa_set sets[3];
	uint8_t count;
	bool scalar; /* its vector length says nothing: scalars, masks */
	bool vector; /* its registers are vectors */
};

/* name: as ZydisISASetGetString() gives it, or NULL. */
struct x86_needs x86_needs_of(const char *name);

#endif
