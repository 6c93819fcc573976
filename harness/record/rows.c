#include "record/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "record/digits.h"

enum { BLOCK = 64 * 1024 };
#define INTEGER_END (UINT64_C(1) << 53)

/* A block of text on its way to the sink. */
struct out {
	rows_sink *put;
	void *context;
	struct error *e;
	char *at;
	char block[BLOCK];
};

static int flush(struct out *out)
{
	size_t n = (size_t)(out->at - out->block);

	out->at = out->block;
	return out->put(out->context, out->block, n, out->e);
}

static char *put_null(char *at)
{
	static const char text[4] = {'n', 'u', 'l', 'l'};

	memcpy(at, text, sizeof(text));
	return at + sizeof(text);
}

static inline char *put_cell(char *at, const struct column *column, const void *cell)
{
	switch (column->type) {
	case COLUMN_DOUBLE:
		return isfinite(*(const double *)cell) ? digits_double(at, *(const double *)cell)
						       : put_null(at);
	case COLUMN_U64:
		return digits_u64(at, *(const uint64_t *)cell);
	case COLUMN_I64:
		if (column->nullable && *(const int64_t *)cell < 0)
			return put_null(at);
		return digits_i64(at, *(const int64_t *)cell);
	case COLUMN_U32:
		if (column->nullable && *(const uint32_t *)cell == SAMPLE_NONE)
			return put_null(at);
		return digits_u64(at, *(const uint32_t *)cell);
	}
	return at;
}

static bool is_null(const struct column *column, const void *cell)
{
	switch (column->type) {
	case COLUMN_DOUBLE:
		return !isfinite(*(const double *)cell);
	case COLUMN_I64:
		return *(const int64_t *)cell < 0;
	case COLUMN_U32:
		return *(const uint32_t *)cell == SAMPLE_NONE;
	case COLUMN_U64:
		break;
	}
	return false;
}

/* Older versions have no such column, and most machines no such counter: then it takes no room. */
static bool left_out(const struct column *column, const struct sample *v, size_t from, size_t to)
{
	if (!column->added)
		return false;
	for (size_t i = from; i < to; i++)
		if (!is_null(column, (const char *)&v[i] + column->offset))
			return false;
	return true;
}

static int put_column(
	struct out *out, const struct column *column, const struct sample *v, size_t from, size_t to)
{
	out->at += sprintf(out->at, "\"%s\":[", column->name);
	for (size_t i = from; i < to; i++) {
		if (out->block + BLOCK - out->at < DIGITS_SIZE + 2 && flush(out) != 0)
			return -1;
		if (i > from)
			*out->at++ = ',';
		out->at = put_cell(out->at, column, (const char *)&v[i] + column->offset);
	}
	*out->at++ = ']';
	return flush(out);
}

int rows_write(
	const struct samples *samples, size_t from, size_t to, rows_sink *put, void *context, struct error *e)
{
	struct out *out = mem_alloc(sizeof(*out));
	int result = 0;

	out->put = put;
	out->context = context;
	out->e = e;
	out->at = out->block;
	*out->at++ = '{';
	for (size_t c = 0; c < sample_column_count && result == 0; c++) {
		if (left_out(&sample_columns[c], samples->v, from, to))
			continue;
		if (c > 0)
			*out->at++ = ',';
		result = put_column(out, &sample_columns[c], samples->v, from, to);
	}
	*out->at++ = '}';
	if (result == 0)
		result = flush(out);
	mem_free(out);
	return result;
}

static int put_buf(void *context, const void *bytes, size_t count, struct error *e)
{
	(void)e;
	buf_add(context, bytes, count);
	return 0;
}

void rows_add(struct buf *out, const struct samples *samples, size_t from, size_t to)
{
	rows_write(samples, from, to, put_buf, out, NULL);
}

/* One column being read. */
struct reading {
	struct scan *s;
	struct samples *samples;
	size_t base;  /* rows that were there before */
	size_t limit; /* most rows in all */
	bool first;   /* this column decides how many rows there are */
	const struct column *column;
	struct rows_place *place;
	struct error *e;
};

static int bad(const struct reading *r, const char *why)
{
	char token[25];
	size_t n = strcspn(r->s->at, ",]} \n\t\r");

	snprintf(token, sizeof(token), "%.*s", (int)n, r->s->at);
	return error_set(r->e, EXIT_CANNOT, "%s: samples: column %s, row %zu: \"%s\" %s", r->s->name,
		r->column->name, r->place->row, token, why);
}

/* Reads digits as an integer below 2^53 in size. Returns what is wrong, or NULL. */
static inline const char *read_integer(const char **at, bool *negative, uint64_t *x)
{
	const char *p = *at;
	uint64_t value = 0;

	*negative = *p == '-';
	p += *negative;
	if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
		return "is not an integer";
	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (uint64_t)(*p - '0');
		if (value >= INTEGER_END)
			return "is out of range: integers stay below 2^53";
	}
	if (*p == '.' || *p == 'e' || *p == 'E')
		return "is not an integer";
	*at = p;
	*x = value;
	return NULL;
}

static const char *read_double(const char **at, double *x)
{
	const char *end = digits_read_double(*at, x);

	if (end == NULL)
		return "is not a number that a double can hold";
	*at = end;
	return NULL;
}

/* Reads one cell into the row. Returns what is wrong, or NULL. */
static inline const char *read_cell(const struct column *column, void *cell, const char **at)
{
	const char *fault;
	bool negative;
	uint64_t x;

	if (**at == 'n' && strncmp(*at, "null", 4) == 0) {
		*at += 4;
		return column->nullable ? NULL
					: "is not allowed in this column"; /* the row began with nulls */
	}
	if (column->type == COLUMN_DOUBLE)
		return read_double(at, cell);
	fault = read_integer(at, &negative, &x);
	if (fault != NULL)
		return fault;
	if (negative && (column->type != COLUMN_I64 || column->nullable))
		return "is negative";
	if (column->type == COLUMN_U32) {
		if (x >= SAMPLE_NONE)
			return "is out of range: this column's numbers stay below 2^32 - 1";
		*(uint32_t *)cell = (uint32_t)x;
	} else if (column->type == COLUMN_U64) {
		*(uint64_t *)cell = x;
	} else {
		*(int64_t *)cell = negative ? -(int64_t)x : (int64_t)x;
	}
	return NULL;
}

static int add_row(const struct reading *r)
{
	struct sample row;

	if (r->samples->n >= r->limit)
		return error_set(r->e, EXIT_CANNOT, "%s: holds more than the %zu samples allowed", r->s->name,
			r->limit);
	sample_init(&row);
	samples_add(r->samples, &row);
	return 0;
}

static int read_one(struct reading *r)
{
	size_t row = r->base + r->place->row;
	const char *at, *fault;
	char c;

	if (scan_peek(r->s, &c, r->e) != 0 || scan_have(r->s, SCAN_TOKEN, r->e) != 0)
		return -1;
	if (r->first && add_row(r) != 0)
		return -1;
	if (row >= r->samples->n)
		return error_set(r->e, EXIT_CANNOT,
			"%s: samples: column %s has more than the %zu rows of the columns before it",
			r->s->name, r->column->name, r->samples->n - r->base);
	at = r->s->at;
	fault = read_cell(r->column, (char *)&r->samples->v[row] + r->column->offset, &at);
	if (fault != NULL)
		return bad(r, fault);
	r->s->at += at - r->s->at;
	r->place->row++;
	return 0;
}

static int read_column(struct reading *r)
{
	bool more = true;
	char c;

	r->place->column = r->column->name;
	r->place->row = 0;
	if (scan_expect(r->s, '[', r->e) != 0 || scan_peek(r->s, &c, r->e) != 0)
		return -1;
	if (c == ']') {
		r->s->at++;
		more = false;
	}
	while (more)
		if (read_one(r) != 0 || scan_more(r->s, ']', &more, r->e) != 0)
			return -1;
	if (r->base + r->place->row != r->samples->n)
		return error_set(r->e, EXIT_CANNOT,
			"%s: samples: column %s has %zu rows, the columns before it %zu", r->s->name,
			r->column->name, r->place->row, r->samples->n - r->base);
	r->place->column = NULL;
	return 0;
}

/* Index in sample_columns, or its count. */
static int read_member(struct reading *r, uint64_t *seen)
{
	const struct column *column;
	char key[129];
	size_t c;

	if (scan_key(r->s, key, r->e) != 0 || scan_expect(r->s, ':', r->e) != 0)
		return -1;
	column = sample_column(key);
	if (column == NULL)
		return scan_value(r->s, NULL, 0, UINT64_MAX, r->e);
	c = (size_t)(column - sample_columns);
	if (*seen >> c & 1)
		return error_set(r->e, EXIT_CANNOT, "%s: samples: column %s is given twice", r->s->name, key);
	r->column = column;
	r->first = *seen == 0;
	*seen |= UINT64_C(1) << c;
	return read_column(r);
}

static int check_missing(const struct reading *r, uint64_t seen)
{
	for (size_t c = 0; c < sample_column_count; c++)
		if (!(seen >> c & 1) && !sample_columns[c].nullable)
			return error_set(r->e, EXIT_CANNOT, "%s: samples: column %s is missing", r->s->name,
				sample_columns[c].name);
	return 0;
}

int rows_read(struct scan *s, struct samples *samples, size_t limit, size_t expected,
	struct rows_place *place, struct error *e)
{
	struct reading r = {
		.s = s, .samples = samples, .base = samples->n, .limit = limit, .place = place, .e = e};
	uint64_t seen = 0;
	bool more = true;
	char c;

	place->column = NULL;
	if (expected <= limit && expected > samples->cap) { /* exactly: doubling would waste up to half */
		samples->v = mem_resize(samples->v, expected, sizeof(*samples->v));
		samples->cap = expected;
	}
	if (scan_expect(s, '{', e) != 0 || scan_peek(s, &c, e) != 0)
		return -1;
	if (c == '}') {
		s->at++;
		more = false;
	}
	while (more)
		if (read_member(&r, &seen) != 0 || scan_more(s, '}', &more, e) != 0)
			return -1;
	return check_missing(&r, seen);
}
