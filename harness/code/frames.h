/*
 * frames.h - where functions lie that no symbol tells: the ranges of the unwinding tables (.eh_frame), which stripping
 * leaves.
 *
 * Sources: Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.1 (CIE and FDE).
 */
#ifndef FLAGSTONE_CODE_FRAMES_H
#define FLAGSTONE_CODE_FRAMES_H

#include "base/mem.h"
#include "code/image.h"

struct frame {
	uint64_t address, size;
};

struct frames {
	struct frame *v; /* by address */
	size_t n, cap;
};

/* Reads what can be read; damaged tables end early. */
void frames_read(const struct image *image, struct frames *frames);
void frames_release(struct frames *frames);

#endif
