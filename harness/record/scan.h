/*
 * scan.h - JSON read a piece at a time from a gzip stream or from memory, with no tree. For rows.c, json_read.c
 * and the archive's journal.
 *
 * The window always ends in a NUL, which is no part of any JSON, so that short tokens can be read with a plain
 * pointer once scan_have() made sure that they lie in the window as a whole.
 */
#ifndef FLAGSTONE_RECORD_SCAN_H
#define FLAGSTONE_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/gzip.h"
#include "base/hash.h"

enum { SCAN_WINDOW = 128 * 1024, SCAN_TOKEN = 64 /* longest number or literal */ };

struct scan {
	struct gzip_reader *gzip; /* NULL: all is in the window already */
	const char *name;	  /* for errors */
	char *at, *end;		  /* what is not yet read; *end is NUL */
	bool ended;		  /* the stream has no more */
	bool hashing;
	struct hash hash; /* of every byte that came into the window while hashing */
	uint64_t values;  /* values seen by scan_value, for its bound */
	char *window;	  /* SCAN_WINDOW + 1 bytes when gzip, else NULL */
};

/* Starts on a stream (borrowed) whose first bytes are then in the window. scan_release() ends it. */
int scan_open(struct scan *s, struct gzip_reader *gzip, const char *name, struct error *e);
/* Starts on count bytes of memory (borrowed) followed by a NUL. */
void scan_memory(struct scan *s, char *bytes, size_t count, const char *name);
void scan_release(struct scan *s);

/* Makes at least `want` (at most SCAN_TOKEN) bytes visible at s->at, or all there are. */
int scan_have(struct scan *s, size_t want, struct error *e);
/* The next byte that is no blank, not taken; '\0' at the end. -1 with the error set when reading failed. */
int scan_peek(struct scan *s, char *c, struct error *e);
/* Takes the next byte after blanks, which must be `want`. */
int scan_expect(struct scan *s, char want, struct error *e);
/* Inside an array or object after an element: takes ',' (*more true) or the closing bracket (*more false). */
int scan_more(struct scan *s, char close, bool *more, struct error *e);
/* A string that is a member's name: at most 128 bytes, kept raw without its quotes. */
int scan_key(struct scan *s, char key[129], struct error *e);
/*
 * Copies one value as it stands to `out` (NULL: only skips it). limit: most bytes that out may hold; max_values:
 * most values in all. Brackets are balanced; what is between them is left for a parser to check.
 */
int scan_value(struct scan *s, struct buf *out, uint64_t limit, uint64_t max_values, struct error *e);

#endif
