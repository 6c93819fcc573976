/*
 * claims.h - what a file says of the compiler and its flags: .comment, debug information, recorded command lines.
 */
#ifndef FLAGSTONE_CODE_CLAIMS_H
#define FLAGSTONE_CODE_CLAIMS_H

#include "code/image.h"
#include "code/inspect.h"

/* Fills claims, units, silent_units, debug and debug_problem. */
void claims_read(const struct image *image, struct arena *arena, struct inspection *out);

#endif
