/*
 * journal_entry.h - the lines of a journal: "NUMBER KIND LENGTH CHECK JSON\n". NUMBER counts from 0; LENGTH is that
 * of JSON in bytes; CHECK is the first 16 hex digits of SHA-256 over "NUMBER KIND LENGTH JSON". Used by
 * journal.c and journal_read.c.
 */
#ifndef FLAGSTONE_ARCHIVE_JOURNAL_ENTRY_H
#define FLAGSTONE_ARCHIVE_JOURNAL_ENTRY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"

#define JOURNAL_SCHEMA	     "flagstone.journal/1"
#define JOURNAL_SCHEMA_START "flagstone.journal/"
enum { JOURNAL_CHECK = 16, JOURNAL_KIND_SIZE = 16, JOURNAL_START_MAX = 80 /* up to the JSON */ };

/* CHECK as a text. */
void journal_checksum(
	uint64_t number, const char *kind, const void *json, size_t length, char check[HASH_HEX]);
/* Appends a whole line. */
void journal_add_entry(struct buf *out, uint64_t number, const char *kind, const struct buf *json);

#endif
