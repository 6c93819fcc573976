#include "record/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gzip.h"
#include "base/json.h"
#include "record/members.h"
#include "record/rows.h"

#define SCHEMA_START "{\"schema\":\"flagstone.record/"
#define ID_START     "\",\"id\":\""
enum { ID_DIGITS = 64 };

/* A document being read. */
struct reading {
	struct scan scan;
	const char *path;
	struct record_limits limits;
	struct record *record;
	bool head_only;
	long major;
	struct buf rest; /* all but the samples */
	bool has_samples;
	uint64_t sample_count; /* as the document says */
	struct rows_place place;
	struct error *e;
};

/*
 * Steps from each older major schema to the next; NULL ends the list. Major 1 is the first that was ever
 * released, so there is none yet; a step gets the tree of all members but the samples.
 */
struct migration {
	long from;
	int (*step)(json_t *root, struct error *e);
};
static const struct migration migrations[] = {{0, NULL}};

static int migrate(json_t *root, long major, const char *path, struct error *e)
{
	while (major < RECORD_SCHEMA_MAJOR) {
		const struct migration *m = migrations;

		while (m->step != NULL && m->from != major)
			m++;
		if (m->step == NULL)
			return error_set(
				e, EXIT_CANNOT, "%s: schema flagstone.record/%ld never existed", path, major);
		if (m->step(root, e) != 0)
			return -1;
		major++;
	}
	return 0;
}

static int not_a_record(const struct reading *r)
{
	return error_set(r->e, EXIT_CANNOT,
		"%s: not a flagstone record: it does not start with " SCHEMA_START "N" ID_START
		"<64 hex digits>\",",
		r->path);
}

static bool skip(const char **at, const char *text)
{
	if (strncmp(*at, text, strlen(text)) != 0)
		return false;
	*at += strlen(text);
	return true;
}

static int read_start(struct reading *r)
{
	const char *at = r->scan.at;
	char *end;

	if (!skip(&at, SCHEMA_START) || *at < '0' || *at > '9')
		return not_a_record(r);
	r->major = strtol(at, &end, 10);
	if (*end == '"' && r->major > RECORD_SCHEMA_MAJOR)
		return error_set(r->e, EXIT_CANNOT,
			"%s: written by a newer flagstone (schema flagstone.record/%ld; this one reads up to "
			"%d); "
			"use a newer flagstone",
			r->path, r->major, RECORD_SCHEMA_MAJOR);
	at = end;
	if (!skip(&at, ID_START) || strspn(at, "0123456789abcdef") != ID_DIGITS)
		return not_a_record(r);
	memcpy(r->record->id, at, ID_DIGITS);
	r->record->id[ID_DIGITS] = '\0';
	end += strlen(ID_START);
	at += ID_DIGITS;
	if (!skip(&at, "\","))
		return not_a_record(r);
	/* the id is that of the document with zeros in its place */
	memset(end, '0', ID_DIGITS);
	hash_init(&r->scan.hash);
	hash_add(&r->scan.hash, r->scan.at, (size_t)(r->scan.end - r->scan.at));
	r->scan.hashing = !r->head_only;
	r->scan.at += at - r->scan.at;
	return 0;
}

/* The tree of what was collected so far. */
static json_t *parse_rest(struct reading *r, struct error *e)
{
	json_t *root;

	buf_addc(&r->rest, '}');
	root = json_parse(r->rest.data, r->rest.n, r->path, e);
	r->rest.n--;
	return root;
}

/* Says in which cell a column went wrong, where the builds are known already. */
static void name_cell(struct reading *r)
{
	const struct samples *samples = &r->record->samples;
	json_t *root, *cell = NULL;

	if (r->place.column == NULL || r->place.row >= samples->n)
		return;
	root = parse_rest(r, NULL);
	cell = json_array_get(json_object_get(root, "builds"), samples->v[r->place.row].build);
	if (json_text(cell, "cell", NULL) != NULL)
		error_advice(r->e, "the row's cell is %s", json_text(cell, "cell", NULL));
	json_decref(root);
}

static int read_samples(struct reading *r)
{
	if (r->has_samples)
		return error_set(r->e, EXIT_CANNOT, "%s: \"samples\" is given twice", r->path);
	r->has_samples = true;
	if (r->head_only)
		return 0;
	if (rows_read(&r->scan, &r->record->samples, r->limits.samples, r->sample_count, &r->place, r->e) ==
		0)
		return 0;
	name_cell(r);
	return -1;
}

static int read_member(struct reading *r)
{
	char key[129];
	size_t start;

	if (scan_key(&r->scan, key, r->e) != 0 || scan_expect(&r->scan, ':', r->e) != 0)
		return -1;
	if (strcmp(key, "samples") == 0)
		return read_samples(r);
	if (r->rest.n > 1)
		buf_addc(&r->rest, ',');
	buf_addf(&r->rest, "\"%s\":", key);
	start = r->rest.n;
	if (scan_value(&r->scan, &r->rest, r->limits.text, r->limits.values, r->e) != 0)
		return -1;
	if (strcmp(key, "sample_count") == 0)
		r->sample_count = strtoull(r->rest.data + start, NULL, 10);
	return 0;
}

static int read_members(struct reading *r)
{
	bool more = true;

	buf_addc(&r->rest, '{');
	while (more) {
		if (read_member(r) != 0)
			return -1;
		if (r->head_only && r->has_samples)
			return 0;
		if (scan_more(&r->scan, '}', &more, r->e) != 0)
			return -1;
	}
	return 0;
}

/* Nothing may stand behind the document, and the id must be its own. */
static int read_end(struct reading *r)
{
	char c, id[HASH_HEX];

	if (r->head_only)
		return 0;
	if (scan_peek(&r->scan, &c, r->e) != 0)
		return -1;
	if (r->scan.at != r->scan.end)
		return error_set(
			r->e, EXIT_CANNOT, "%s: there is something behind the end of the document", r->path);
	hash_final_hex(&r->scan.hash, id);
	if (strcmp(id, r->record->id) != 0)
		return error_set(r->e, EXIT_CANNOT,
			"%s: its id is %.12s..., but its content has the id %.12s...: it was changed after "
			"it was written",
			r->path, r->record->id, id);
	return 0;
}

static int check_counts(const struct reading *r, const json_t *root)
{
	const json_t *count = json_object_get(root, "sample_count");

	if (!r->has_samples)
		return error_set(r->e, EXIT_CANNOT, "%s: has no \"samples\"", r->path);
	if (!json_is_integer(count))
		return error_set(
			r->e, EXIT_CANNOT, "%s: has no \"sample_count\" that is an integer", r->path);
	if (!r->head_only && (uint64_t)json_integer_value(count) != r->record->samples.n)
		return error_set(r->e, EXIT_CANNOT, "%s: sample_count is %lld, but there are %zu samples",
			r->path, (long long)json_integer_value(count), r->record->samples.n);
	return 0;
}

static int convert(struct reading *r)
{
	json_t *root = parse_rest(r, r->e);
	int result;

	if (root == NULL)
		return -1;
	if (r->head_only) { /* they stand behind the samples */
		json_object_set_new(root, "failures", json_array());
		json_object_set_new(root, "notes", json_array());
	}
	result = check_counts(r, root);
	if (result == 0)
		result = migrate(root, r->major, r->path, r->e);
	if (result == 0)
		result = members_from_json(r->record, root, r->path, r->e);
	json_decref(root);
	return result == 0 ? record_check(r->record, r->path, r->e) : -1;
}

static int read_document(struct reading *r, int fd)
{
	struct gzip_reader *gzip = gzip_reader_new(fd, r->path, r->limits.bytes);
	int result = scan_open(&r->scan, gzip, r->path, r->e);

	if (result == 0)
		result = read_start(r);
	if (result == 0)
		result = read_members(r);
	if (result == 0)
		result = read_end(r);
	scan_release(&r->scan);
	gzip_reader_free(gzip);
	if (result == 0)
		result = convert(r);
	buf_release(&r->rest);
	if (result != 0)
		record_release(r->record);
	return result;
}

int record_read(int fd, const char *path, const struct record_limits *limits, struct arena *arena,
	struct record **out, struct error *e)
{
	struct reading r = {.path = path, .limits = limits != NULL ? *limits : record_default_limits, .e = e};

	r.record = record_new(arena);
	if (read_document(&r, fd) != 0)
		return -1;
	*out = r.record;
	return 0;
}

int record_read_head(int fd, const char *path, struct arena *arena, struct record **out,
	uint64_t *sample_count, struct error *e)
{
	struct reading r = {.path = path, .limits = record_default_limits, .head_only = true, .e = e};

	r.record = record_new(arena);
	if (read_document(&r, fd) != 0)
		return -1;
	*out = r.record;
	*sample_count = r.sample_count;
	return 0;
}

static int open_regular(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not waiting for a pipe's other end */
	struct stat st;

	if (fd < 0)
		return error_errno(e, errno, "reading %s", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, EXIT_CANNOT, "reading %s: it is not a regular file", path);
	}
	return fd;
}

int record_read_file(const char *path, const struct record_limits *limits, struct arena *arena,
	struct record **out, struct error *e)
{
	int fd = open_regular(path, e);
	int result;

	if (fd < 0)
		return -1;
	result = record_read(fd, path, limits, arena, out, e);
	close(fd);
	return result;
}

int record_read_head_file(
	const char *path, struct arena *arena, struct record **out, uint64_t *sample_count, struct error *e)
{
	int fd = open_regular(path, e);
	int result;

	if (fd < 0)
		return -1;
	result = record_read_head(fd, path, arena, out, sample_count, e);
	close(fd);
	return result;
}
