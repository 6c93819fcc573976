/*
 * decompose_design.h - the axes of the matrix that a record was made from, and which variant is which combination.
 *
 * A combination is one value of each axis; combinations are numbered as the matrix lists them, the last axis turning
 * fastest, and a variant is called by its values joined by "+". Two of them have a role: the reference, which effects
 * are against, and the target, whose whole gain is split over the values in which it differs.
 */
#ifndef FLAGSTONE_COMPARE_DECOMPOSE_DESIGN_H
#define FLAGSTONE_COMPARE_DECOMPOSE_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/record.h"

struct design_value {
	const char *name;
	const char *label; /* the name, or "axis=name" where several axes have a value of that name */
	const char *
		flags; /* "-O3", "-flto; link: -flto", "(none)": what the matrix says, as a shell would take it */
};

struct design_axis {
	const char *name;
	struct design_value *values;
	size_t value_count;
	size_t reference, target; /* values of these combinations */
	size_t stride;		  /* how far neighbouring values of this axis are apart among combinations */
};

struct design {
	struct design_axis *axes;
	size_t axis_count;
	size_t combinations; /* the full product */
	size_t reference, target;
	const char *reference_name, *target_name; /* variants */
	bool included; /* the matrix adds flags to single combinations by `include` */
};

/*
 * Reads the matrix text that the record keeps. reference: a variant, NULL: the matrix' baseline. target: a variant,
 * NULL: the last value of each axis. Errors (EXIT_USAGE): the matrix has no axes, with an example of them; a variant
 * that is no combination, with the nearest one; the target is the reference. (EXIT_NOTHING): every axis has one value.
 */
int design_of_record(const struct record *record, const char *reference, const char *target,
	struct arena *arena, struct design *design, struct error *e);

/* The combination of this name, or -1: a variant that is on no axis. */
int64_t design_find(const struct design *design, const char *variant);
char *design_name(const struct design *design, size_t combination, struct arena *arena);
/* The value of an axis in a combination, and the same combination with another value there. */
size_t design_value(const struct design *design, size_t combination, size_t axis);
size_t design_with(const struct design *design, size_t combination, size_t axis, size_t value);

#endif
