/*
 * shape.h - structs as JSON objects by a table of their fields, so that a field is named once for writing and
 * reading. Used by members.c only.
 */
#ifndef FLAGSTONE_RECORD_SHAPE_H
#define FLAGSTONE_RECORD_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"

/* Integers of a record stay below this in size, so that every JSON reader gets them right. */
#define SHAPE_INTEGER_END (INT64_C(1) << 53)

enum field_type {
	FIELD_TEXT, /* const char *; NULL: null, unless required */
	FIELD_BOOL,
	FIELD_U32,
	FIELD_U64,
	FIELD_I64,
	FIELD_DOUBLE, /* NAN: null */
	FIELD_ROW,    /* int64_t, -1: null */
	FIELD_INDEX,  /* uint32_t, UINT32_MAX: null */
	FIELD_WORDS,
	FIELD_FACTS,
	FIELD_STATUS, /* enum cell_status as its text */
	FIELD_U32S,   /* uint32_t[limit] in the struct, with a count */
	FIELD_OBJECT, /* a struct in the struct */
	FIELD_LIST    /* pointer to structs, with a count */
};

struct shape;
struct field {
	const char *name;
	size_t offset;
	size_t count_offset;	   /* FIELD_U32S, FIELD_LIST: of a size_t */
	size_t limit;		   /* FIELD_U32S */
	const struct shape *shape; /* FIELD_OBJECT, FIELD_LIST */
	enum field_type type;
	bool required; /* a text that is never null */
	bool added;    /* later than the schema's first version: may be missing, and is zero then */
};

struct shape {
	const struct field *fields;
	size_t count;
	size_t size; /* of the struct */
};

/* The struct as an object with all its fields in order. New reference. */
json_t *shape_to_json(const struct shape *shape, const void *from);
/*
 * Fills the struct from an object: every field must be there with its type, but those that were added later. Members without a field are left
 * alone. Texts and lists go to the arena. `where` names the object in errors ("x.json.gz: builds[3]").
 */
int shape_from_json(const struct shape *shape, void *into, const json_t *object, struct arena *arena,
	const char *where, struct error *e);

#endif
