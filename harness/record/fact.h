/*
 * fact.h - flat `key = value` facts, each with where it was read, or unknown with the reason. Comparability,
 * attribution and the report's small print are all the difference of two lists of facts.
 *
 * Keys are lower case words joined by dots, with an index where there are several: cpu.model,
 * cache.l2.size, memory.module.0.speed. Values are text; numbers are written in base units named by the key
 * (memory.total_bytes). Two unknowns are not equal.
 *
 * A list keeps at most one fact a key, in the order of first setting. Texts are copied into the arena.
 */
#ifndef FLAGSTONE_RECORD_FACT_H
#define FLAGSTONE_RECORD_FACT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"

struct fact {
	const char *key;
	const char *value;  /* NULL: unknown */
	const char *source; /* file, system call or command it was read from */
	const char *reason; /* why unknown; NULL when known */
};

struct facts {
	struct arena *arena; /* set it first; everything is kept there */
	struct fact *v;
	size_t n, cap;
};

/* Sets a fact; an empty value stays an empty value. NULL value: unknown with the reason "not given". */
void facts_set(struct facts *facts, const char *key, const char *value, const char *source);
void facts_setf(struct facts *facts, const char *key, const char *source, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void facts_unknown(struct facts *facts, const char *key, const char *source, const char *reason);
/* The fact, NULL when the list has none with this key. Borrowed until the next change. */
const struct fact *facts_find(const struct facts *facts, const char *key);
/* The value, or NULL when unknown or absent. */
const char *facts_value(const struct facts *facts, const char *key);
/* Copies all facts of `from` (into into->arena), replacing equal keys. */
void facts_copy(struct facts *into, const struct facts *from);

/* {"KEY": {"value": "...", "source": "..."} or {"unknown": "REASON", "source": "..."}}. New reference. */
json_t *facts_to_json(const struct facts *facts);
/* Reads what facts_to_json writes, extra members ignored. Error: which key is malformed. */
int facts_from_json(struct facts *facts, const json_t *object, const char *name, struct error *e);

#endif
