#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static void reserve(struct buf *buf, size_t more)
{
	if (buf->cap - buf->n > more)
		return;
	buf->cap = mem_grown(buf->cap < 64 ? 64 : buf->cap, buf->n + more + 1);
	buf->data = mem_resize(buf->data, buf->cap, 1);
}

void buf_add(struct buf *buf, const void *bytes, size_t count)
{
	reserve(buf, count);
	if (count > 0)
		memcpy(buf->data + buf->n, bytes, count);
	buf->n += count;
	buf->data[buf->n] = '\0';
}

void buf_adds(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_addc(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_vaddf(struct buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int length;

	va_copy(again, ap);
	length = vsnprintf(NULL, 0, fmt, ap);
	if (length > 0) {
		reserve(buf, (size_t)length);
		vsnprintf(buf->data + buf->n, (size_t)length + 1, fmt, again);
		buf->n += (size_t)length;
	}
	va_end(again);
}

void buf_addf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(buf, fmt, ap);
	va_end(ap);
}

const char *buf_text(const struct buf *buf)
{
	return buf->data != NULL ? buf->data : "";
}

void buf_cut(struct buf *buf, size_t n)
{
	buf->n = n;
	if (buf->data != NULL)
		buf->data[n] = '\0';
}

void buf_clear(struct buf *buf)
{
	buf_cut(buf, 0);
}

void buf_release(struct buf *buf)
{
	mem_free(buf->data);
	memset(buf, 0, sizeof(*buf));
}
