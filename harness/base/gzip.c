#include "base/gzip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"

enum { BLOCK = 64 * 1024, GZIP_WINDOW = 15 + 16 };

struct gzip_writer {
	z_stream z;
	gz_header header;
	int fd;
	char *path;
	unsigned char out[BLOCK];
};

struct gzip_reader {
	z_stream z;
	int fd;
	char *path;
	uint64_t limit;
	uint64_t total;
	int ended;
	unsigned char in[BLOCK];
};

struct gzip_writer *gzip_writer_new(int fd, const char *path, int level)
{
	struct gzip_writer *w = mem_alloc(sizeof(*w));

	w->fd = fd;
	w->path = mem_strdup(path);
	w->header.os = 255;
	/* the parameters are constants that zlib accepts; only memory can fail, and then deflate() says so */
	if (deflateInit2(&w->z, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		deflateSetHeader(&w->z, &w->header);
	return w;
}

static int pump(struct gzip_writer *w, int flush, struct error *e)
{
	int status;

	do {
		w->z.next_out = w->out;
		w->z.avail_out = BLOCK;
		status = deflate(&w->z, flush);
		if (status == Z_STREAM_ERROR)
			return error_set(e, EXIT_CANNOT, "compressing %s: zlib refused the data", w->path);
		if (file_write_all(w->fd, w->out, BLOCK - w->z.avail_out, w->path, e) != 0)
			return -1;
	} while (w->z.avail_out == 0 || (flush == Z_FINISH && status != Z_STREAM_END));
	return 0;
}

int gzip_write(struct gzip_writer *w, const void *bytes, size_t count, struct error *e)
{
	const unsigned char *p = bytes;

	while (count > 0) {
		size_t take = count < (1U << 30) ? count : 1U << 30;

		w->z.next_in = (Bytef *)(uintptr_t)p;
		w->z.avail_in = (uInt)take;
		if (pump(w, Z_NO_FLUSH, e) != 0)
			return -1;
		p += take;
		count -= take;
	}
	return 0;
}

int gzip_finish(struct gzip_writer *w, struct error *e)
{
	w->z.avail_in = 0;
	return pump(w, Z_FINISH, e);
}

void gzip_writer_free(struct gzip_writer *w)
{
	if (w == NULL)
		return;
	deflateEnd(&w->z);
	mem_free(w->path);
	mem_free(w);
}

struct gzip_reader *gzip_reader_new(int fd, const char *path, uint64_t limit)
{
	struct gzip_reader *r = mem_alloc(sizeof(*r));

	r->fd = fd;
	r->path = mem_strdup(path);
	r->limit = limit;
	inflateInit2(&r->z, GZIP_WINDOW);
	return r;
}

/* Fills the input; *got 0 at the end of the file. */
static int refill(struct gzip_reader *r, size_t *got, struct error *e)
{
	ssize_t n;

	do {
		n = read(r->fd, r->in, BLOCK);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_errno(e, errno, "reading %s", r->path);
	r->z.next_in = r->in;
	r->z.avail_in = (uInt)n;
	*got = (size_t)n;
	return 0;
}

static int at_end(struct gzip_reader *r, struct error *e)
{
	size_t more = r->z.avail_in;

	r->ended = 1;
	if (more == 0 && refill(r, &more, e) != 0)
		return -1;
	if (more > 0)
		return error_set(
			e, EXIT_CANNOT, "%s: there are bytes behind the end of the compressed data", r->path);
	return 0;
}

int gzip_read(struct gzip_reader *r, void *bytes, size_t size, size_t *got, struct error *e)
{
	*got = 0;
	if (r->ended)
		return 0;
	r->z.next_out = bytes;
	r->z.avail_out = (uInt)(size < (1U << 30) ? size : 1U << 30);
	while (r->z.avail_out > 0) {
		size_t room = r->z.avail_out, more = 1;
		int status;

		if (r->z.avail_in == 0 && refill(r, &more, e) != 0)
			return -1;
		if (more == 0)
			return error_set(e, EXIT_CANNOT,
				"%s: the compressed data end too early (the file is cut)", r->path);
		status = inflate(&r->z, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return error_set(e, EXIT_CANNOT, "%s: not gzip, or damaged: %s", r->path,
				r->z.msg != NULL ? r->z.msg : "unreadable data");
		*got += room - r->z.avail_out;
		r->total += room - r->z.avail_out;
		if (r->total > r->limit)
			return error_set(e, EXIT_CANNOT, "%s: unpacks to more than the %llu bytes allowed",
				r->path, (unsigned long long)r->limit);
		if (status == Z_STREAM_END)
			return at_end(r, e);
	}
	return 0;
}

void gzip_reader_free(struct gzip_reader *r)
{
	if (r == NULL)
		return;
	inflateEnd(&r->z);
	mem_free(r->path);
	mem_free(r);
}
