#include "record/json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/gzip.h"
#include "base/json.h"
#include "record/members.h"
#include "record/rows.h"
#include "record/shape.h"

/* zlib's default takes ten seconds for a million samples; the fast level a fifth of that, for 15 % more bytes. */
enum { LEVEL = 6, FAST_LEVEL = 2, FAST_FROM = 100000 /* samples */, ID_DIGITS = 64 };

const struct record_limits record_default_limits = {
	.bytes = UINT64_C(4) << 30,
	.samples = 10000000,
	.text = 128 << 20,
	.values = 4000000,
};

/* All of the document but id and samples, as text. */
struct document {
	struct buf front; /* behind the id */
	struct buf back;  /* behind the samples */
};

static int put_hash(void *context, const void *bytes, size_t count, struct error *e)
{
	(void)e;
	hash_add(context, bytes, count);
	return 0;
}

static int put_gzip(void *context, const void *bytes, size_t count, struct error *e)
{
	return gzip_write(context, bytes, count, e);
}

/* Members up to "plan" go in front of the samples, so that readers of heads need not unpack them. */
static void prepare(struct document *document, const struct record *record, json_t *members)
{
	struct buf *out = &document->front;
	const char *key;
	json_t *value;

	buf_adds(out, "\",\n");
	json_object_foreach(members, key, value)
	{
		if (strcmp(key, "failures") == 0) {
			buf_addf(out, "\"sample_count\":%zu,\n\"samples\":", record->samples.n);
			out = &document->back;
		}
		if (out == &document->back)
			buf_adds(out, ",\n");
		json_add_string(out, key);
		buf_addc(out, ':');
		json_add_tree(out, value, false);
		if (out == &document->front)
			buf_adds(out, ",\n");
	}
	buf_adds(out, "\n}\n");
}

static int put_all(const struct document *document, const struct samples *samples, const char *id,
	rows_sink *put, void *context, struct error *e)
{
	if (put(context, RECORD_START, strlen(RECORD_START), e) != 0 || put(context, id, ID_DIGITS, e) != 0)
		return -1;
	if (put(context, document->front.data, document->front.n, e) != 0)
		return -1;
	if (rows_write(samples, 0, samples->n, put, context, e) != 0)
		return -1;
	return put(context, document->back.data, document->back.n, e);
}

static void make_id(const struct document *document, const struct samples *samples, char id[HASH_HEX])
{
	char zeros[ID_DIGITS + 1];
	struct hash hash;

	memset(zeros, '0', ID_DIGITS);
	zeros[ID_DIGITS] = '\0';
	hash_init(&hash);
	put_all(document, samples, zeros, put_hash, &hash, NULL);
	hash_final_hex(&hash, id);
}

static bool integers_fit(json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_integer(value))
		return json_integer_value(value) < SHAPE_INTEGER_END &&
		       json_integer_value(value) > -SHAPE_INTEGER_END;
	json_array_foreach(value, i, item)
	{
		if (!integers_fit(item))
			return false;
	}
	json_object_foreach(value, key, item)
	{
		if (!integers_fit(item))
			return false;
	}
	return true;
}

/* What a reader would refuse must not be written. */
static int check_writable(const struct record *record, json_t *members, const struct document *document,
	const char *path, struct error *e)
{
	static const char *const needed[] = {"run", "started", "host_name"};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (json_text(members, needed[i], NULL) == NULL)
			return error_set(
				e, EXIT_CANNOT, "writing %s: the record has no \"%s\"", path, needed[i]);
	if (!integers_fit(members))
		return error_set(e, EXIT_CANNOT, "writing %s: an integer is not below 2^53", path);
	if (record->samples.n > record_default_limits.samples)
		return error_set(e, EXIT_CANNOT,
			"writing %s: a record holds at most %" PRIu64 " samples, not %zu", path,
			record_default_limits.samples, record->samples.n);
	if (document->front.n + document->back.n > record_default_limits.text)
		return error_set(e, EXIT_CANNOT,
			"writing %s: a record holds at most %" PRIu64 " bytes beside its samples, not %zu",
			path, record_default_limits.text, document->front.n + document->back.n);
	return 0;
}

static int compress(const struct document *document, const struct record *record, int fd, const char *path,
	struct error *e)
{
	struct gzip_writer *gzip =
		gzip_writer_new(fd, path, record->samples.n < FAST_FROM ? LEVEL : FAST_LEVEL);
	int result = put_all(document, &record->samples, record->id, put_gzip, gzip, e);

	if (result == 0)
		result = gzip_finish(gzip, e);
	gzip_writer_free(gzip);
	return result;
}

int record_write(struct record *record, int fd, const char *path, struct error *e)
{
	struct document document = {0};
	json_t *members;
	int result;

	if (record_check(record, path, e) != 0)
		return error_context(e, "writing a record");
	members = members_to_json(record);
	prepare(&document, record, members);
	result = check_writable(record, members, &document, path, e);
	json_decref(members);
	if (result == 0) {
		make_id(&document, &record->samples, record->id);
		result = compress(&document, record, fd, path, e);
	}
	buf_release(&document.front);
	buf_release(&document.back);
	return result;
}
