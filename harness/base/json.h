/*
 * json.h - JSON (RFC 8259) through jansson, and a small streaming writer.
 *
 * Trees: jansson's json_t is used as it is; this header is the one place that includes it. Reading is bounded:
 * JSON_MAX_DEPTH levels; duplicates are refused; numbers are doubles or 64-bit integers. Writing of doubles
 * uses 17 significant digits, so that they come back bit by bit, and never NaN or infinity (null instead).
 * Nothing here depends on the locale: the program never calls setlocale for LC_NUMERIC.
 */
#ifndef FLAGSTONE_BASE_JSON_H
#define FLAGSTONE_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

enum { JSON_MAX_DEPTH = 64 };

/*
 * Parses one document. Invalid UTF-8 or NUL in strings is an error. Returns a new reference (json_decref ends
 * it), or NULL with line and column; `name` says in the error what was read.
 */
json_t *json_parse(const char *bytes, size_t count, const char *name, struct error *e);

/* Members of an object, or the fallback when absent, null or of another type. Borrowed strings. */
const char *json_text(const json_t *object, const char *key, const char *fallback);
int64_t json_int(const json_t *object, const char *key, int64_t fallback);
double json_num(const json_t *object, const char *key, double fallback);
bool json_flag(const json_t *object, const char *key, bool fallback);

/* Appends a string literal with quotes; invalid UTF-8 bytes become U+FFFD. NULL gives null. */
void json_add_string(struct buf *out, const char *text);
/* Appends a number that reads back bit by bit, in as few digits as do; NaN and infinities give null. */
void json_add_double(struct buf *out, double x);
/* Appends a value compactly (keys in the order of insertion) or indented by 2. */
void json_add_tree(struct buf *out, const json_t *value, bool indent);

/* json_string() that takes any bytes: invalid UTF-8 becomes U+FFFD; NULL gives json null. New reference. */
json_t *json_safe_string(const char *text);
/* A list of such strings. */
json_t *json_safe_words(const struct words *words);
/* json_real(), or json null for NaN and infinities. New reference. */
json_t *json_safe_real(double x);

#endif
