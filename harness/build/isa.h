/*
 * isa.h - which instruction sets a build needs: facts isa.* of code/isa.h, of the workload's own code alone. The
 * driver's and the C library's are no part of it.
 */
#ifndef FLAGSTONE_BUILD_ISA_H
#define FLAGSTONE_BUILD_ISA_H

#include "build/build.h"

/*
 * Decodes the objects of a build that was compiled and linked in `folder` and sets the facts isa.*. driver: its object,
 * whose functions do not count where only the linked program tells what the code is (link-time optimisation). There a
 * static program is unknown, since it holds the C library's code.
 */
void build_isa(const struct build *build, const char *folder, const char *driver, struct facts *facts);

/*
 * Of a finished build: under link-time optimisation, once builder_link() had its objects made, sets the facts again from
 * these. Else they stay as they are. facts: the build's, perhaps a copy of them.
 */
void build_isa_linked(const struct build *build, struct facts *facts);

/* Are these facts there, and made by what decodes now? */
bool build_isa_is_current(const struct facts *facts);

#endif
