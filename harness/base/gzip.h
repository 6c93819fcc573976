/*
 * gzip.h - streams in gzip form (RFC 1952) through zlib: one member, a header with no name, no time stamp and
 * OS 255, nothing after it.
 */
#ifndef FLAGSTONE_BASE_GZIP_H
#define FLAGSTONE_BASE_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct gzip_writer;
struct gzip_reader;

/* Writes to an open descriptor (borrowed); path is for error texts (copied). level 1 ... 9. */
struct gzip_writer *gzip_writer_new(int fd, const char *path, int level);
int gzip_write(struct gzip_writer *w, const void *bytes, size_t count, struct error *e);
/* Writes what is left and the trailer. Needed once before free, unless the file is given up. */
int gzip_finish(struct gzip_writer *w, struct error *e);
void gzip_writer_free(struct gzip_writer *w);

/*
 * Reads from an open descriptor (borrowed). limit: most bytes it may unpack to; beyond that reading fails, so
 * that a small file cannot fill the memory.
 */
struct gzip_reader *gzip_reader_new(int fd, const char *path, uint64_t limit);
/*
 * Up to size bytes; *got 0 at the end. Errors: not gzip, damaged (checksum, truncated), bytes behind the
 * member, more than the limit.
 */
int gzip_read(struct gzip_reader *r, void *bytes, size_t size, size_t *got, struct error *e);
void gzip_reader_free(struct gzip_reader *r);

#endif
