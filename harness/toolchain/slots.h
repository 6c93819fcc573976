/*
 * slots.h - who is called how: family, names and slots of what was identified.
 */
#ifndef FLAGSTONE_TOOLCHAIN_SLOTS_H
#define FLAGSTONE_TOOLCHAIN_SLOTS_H

#include "toolchain/discover.h"
#include "toolchain/toolchain.h"

/* The family it turned out to be: by style, target, C library and names; NULL: the project has none for it. */
const struct spec_family *slots_family(const struct spec_project *project, const struct toolchain *t);
/*
 * Gives all toolchains (in the order of PATH, users' last) their slots. of[i] is the toolchain that candidate i
 * turned out to be, NULL: none. Names that lead to something else than they say become failures.
 */
void slots_assign(struct discovery *d, struct toolchain *const *of, struct toolchain **all, size_t count);

#endif
