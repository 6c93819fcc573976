/*
 * record_doc.h - documents of records as text, to be spoiled and saved again with an id that fits, so that a test
 * sees the fault that it made and no other.
 */
#ifndef TESTS_UNIT_RECORD_DOC_H
#define TESTS_UNIT_RECORD_DOC_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"
#include "record/json.h"

/* Where the id's digits begin in every document. */
#define DOC_ID (sizeof("{\"schema\":\"flagstone.record/1\",\"id\":\"") - 1)

/* Unpacks a file. */
static inline void doc_load(struct buf *doc, const char *path)
{
	char block[4096];
	size_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct gzip_reader *r = gzip_reader_new(fd, path, 1 << 30);
	struct error e = {0};

	assert_true(fd >= 0);
	do {
		assert_int_equal(gzip_read(r, block, sizeof(block), &got, &e), 0);
		buf_add(doc, block, got);
	} while (got > 0);
	gzip_reader_free(r);
	close(fd);
}

static inline void doc_save_as_is(const struct buf *doc, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct gzip_writer *w = gzip_writer_new(fd, path, 1);

	assert_true(fd >= 0);
	assert_int_equal(gzip_write(w, doc->data, doc->n, NULL), 0);
	assert_int_equal(gzip_finish(w, NULL), 0);
	gzip_writer_free(w);
	close(fd);
}

/* Saves it with the id that its content has. */
static inline void doc_save(struct buf *doc, const char *path)
{
	char id[HASH_HEX];

	memset(doc->data + DOC_ID, '0', 64);
	hash_bytes_hex(doc->data, doc->n, id);
	memcpy(doc->data + DOC_ID, id, 64);
	doc_save_as_is(doc, path);
}

/* Replaces the first `from`, which must be there. */
static inline void doc_replace(struct buf *doc, const char *from, const char *to)
{
	char *at = strstr(doc->data, from);
	struct buf changed = {0};

	assert_non_null(at);
	buf_add(&changed, doc->data, (size_t)(at - doc->data));
	buf_adds(&changed, to);
	buf_adds(&changed, at + strlen(from));
	buf_release(doc);
	*doc = changed;
}

static inline void doc_write(struct record *record, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct error e = {0};

	assert_true(fd >= 0);
	if (record_write(record, fd, path, &e) != 0)
		fail_msg("%s", e.text);
	close(fd);
}

#endif
