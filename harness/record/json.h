/*
 * json.h - records as files: one gzip member that holds one JSON document. The form is specified in
 * archive/README.md; members.h names the members, samples.h the columns.
 *
 * A million samples are written and read with the memory that they take in a struct samples and little more.
 * What is read is checked as a whole: afterwards every index in a record points at something, and every number
 * is one that may be computed with.
 */
#ifndef FLAGSTONE_RECORD_JSON_H
#define FLAGSTONE_RECORD_JSON_H

#include <stdint.h>

#include "record/record.h"

/* The document's first bytes, up to the id's digits. */
#define RECORD_START "{\"schema\":\"" RECORD_SCHEMA "\",\"id\":\""

/* What a reader takes at most; a foreign file cannot make it use more. */
struct record_limits {
	uint64_t bytes;	  /* of the unpacked document */
	uint64_t samples; /* rows */
	uint64_t text;	  /* bytes of all but the samples */
	uint64_t values;  /* members and elements outside the samples */
};
/* 4 GiB, ten million, 128 MiB, four million. */
extern const struct record_limits record_default_limits;

/*
 * Holds a record against its rules: indexes in range, copy < copies, values finite and > 0 (or null), kind known,
 * times not negative, integers below 2^53. The error names record (`name`), cell, column and row.
 */
int record_check(const struct record *record, const char *name, struct error *e);

/*
 * Checks the record, sets record->id and writes the document to an open descriptor (borrowed, at its start).
 * path is for errors. The same record gives the same bytes.
 */
int record_write(struct record *record, int fd, const char *path, struct error *e);

/*
 * Reads a document and checks it: start, schema, id, every type, record_check(). limits NULL: the default ones.
 * The record is in the arena; record_release() frees its samples. Errors (EXIT_CANNOT) name the file: damaged,
 * written by a newer flagstone, too large, wrong at a member or at a column's row.
 */
int record_read(int fd, const char *path, const struct record_limits *limits, struct arena *arena,
	struct record **out, struct error *e);
/* The same of a path, which must be a regular file. */
int record_read_file(const char *path, const struct record_limits *limits, struct arena *arena,
	struct record **out, struct error *e);
/*
 * Reads only what stands before the samples: fast, but the id is taken on trust, and samples, failures, notes
 * and unknown members are missing. *sample_count: rows that the record says it has.
 */
int record_read_head(int fd, const char *path, struct arena *arena, struct record **out,
	uint64_t *sample_count, struct error *e);
/* The same of a path, which must be a regular file. */
int record_read_head_file(
	const char *path, struct arena *arena, struct record **out, uint64_t *sample_count, struct error *e);

#endif
