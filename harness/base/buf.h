/*
 * buf.h - a growable byte string. A zeroed struct is an empty one; data is NUL-terminated once anything was
 * added (buf_text() also before). Owned by its holder; buf_release() ends it.
 */
#ifndef FLAGSTONE_BASE_BUF_H
#define FLAGSTONE_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data;
	size_t n;   /* bytes, without the NUL */
	size_t cap; /* bytes allocated */
};

void buf_add(struct buf *buf, const void *bytes, size_t count);
void buf_adds(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *buf, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* The text so far, "" if nothing; borrowed, valid until the next change. */
const char *buf_text(const struct buf *buf);
/* Keeps only its first n bytes, of which there must be as many, and the memory. */
void buf_cut(struct buf *buf, size_t n);
/* Empties it and keeps the memory. */
void buf_clear(struct buf *buf);
void buf_release(struct buf *buf);

#endif
