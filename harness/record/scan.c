#include "record/scan.h"

#include <string.h>

#include "base/mem.h"

/* Moves what is left to the front and fills the window up. */
static int refill(struct scan *s, struct error *e)
{
	size_t left = (size_t)(s->end - s->at);

	if (s->ended)
		return 0;
	memmove(s->window, s->at, left);
	s->at = s->window;
	s->end = s->window + left;
	while (s->end < s->window + SCAN_WINDOW) {
		size_t got;

		if (gzip_read(s->gzip, s->end, (size_t)(s->window + SCAN_WINDOW - s->end), &got, e) != 0)
			return -1;
		if (s->hashing)
			hash_add(&s->hash, s->end, got);
		s->end += got;
		if (got == 0) {
			s->ended = true;
			break;
		}
	}
	*s->end = '\0';
	return 0;
}

int scan_open(struct scan *s, struct gzip_reader *gzip, const char *name, struct error *e)
{
	memset(s, 0, sizeof(*s));
	s->gzip = gzip;
	s->name = name;
	s->window = mem_alloc(SCAN_WINDOW + 1);
	s->at = s->end = s->window;
	return refill(s, e);
}

void scan_memory(struct scan *s, char *bytes, size_t count, const char *name)
{
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->at = bytes;
	s->end = bytes + count;
	s->ended = true;
}

void scan_release(struct scan *s)
{
	mem_free(s->window);
	s->window = NULL;
}

int scan_have(struct scan *s, size_t want, struct error *e)
{
	return (size_t)(s->end - s->at) >= want ? 0 : refill(s, e);
}

int scan_peek(struct scan *s, char *c, struct error *e)
{
	for (;;) {
		while (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r')
			s->at++;
		*c = *s->at;
		if (s->at < s->end || s->ended)
			return 0;
		if (refill(s, e) != 0)
			return -1;
	}
}

static int unexpected(struct scan *s, const char *want, struct error *e)
{
	if (s->at == s->end)
		return error_set(
			e, EXIT_CANNOT, "%s: the document ends where %s should stand", s->name, want);
	return error_set(e, EXIT_CANNOT, "%s: not valid JSON: byte 0x%02x stands where %s should", s->name,
		(unsigned char)*s->at, want);
}

int scan_expect(struct scan *s, char want, struct error *e)
{
	char text[4] = {'\'', want, '\'', '\0'};
	char c;

	if (scan_peek(s, &c, e) != 0)
		return -1;
	if (c != want)
		return unexpected(s, text, e);
	s->at++;
	return 0;
}

int scan_more(struct scan *s, char close, bool *more, struct error *e)
{
	char text[] = {'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', close, '\'', '\0'};
	char c;

	if (scan_peek(s, &c, e) != 0)
		return -1;
	if (c != ',' && c != close)
		return unexpected(s, text, e);
	s->at++;
	*more = c == ',';
	return 0;
}

int scan_key(struct scan *s, char key[129], struct error *e)
{
	size_t n = 0;

	if (scan_expect(s, '"', e) != 0)
		return -1;
	for (;;) {
		if (scan_have(s, 2, e) != 0)
			return -1;
		if (s->at == s->end)
			return unexpected(s, "the end of a name", e);
		if (*s->at == '"')
			break;
		if (n + 2 > 128)
			return error_set(
				e, EXIT_CANNOT, "%s: a member's name is longer than 128 bytes", s->name);
		if (*s->at == '\\')
			key[n++] = *s->at++;
		key[n++] = *s->at++;
	}
	s->at++;
	key[n] = '\0';
	return 0;
}

/* Where copying of a value stands. */
struct copying {
	size_t depth;
	bool in_string, escaped;
};

/* Takes bytes from the window up to the end of the value or of the window. Returns true at the value's end. */
static bool take(struct copying *state, struct scan *s, const char **stop)
{
	const char *p = s->at;

	for (; p < s->end; p++) {
		if (state->in_string) {
			if (state->escaped)
				state->escaped = false;
			else if (*p == '\\')
				state->escaped = true;
			else if (*p == '"')
				state->in_string = false;
			continue;
		}
		if (state->depth == 0 && (*p == ',' || *p == '}' || *p == ']')) {
			*stop = p;
			return true;
		}
		state->in_string = *p == '"';
		s->values += *p == ',' || *p == '{' || *p == '[';
		if (*p == '{' || *p == '[')
			state->depth++;
		else if (*p == '}' || *p == ']')
			state->depth--;
	}
	*stop = p;
	return false;
}

int scan_value(struct scan *s, struct buf *out, uint64_t limit, uint64_t max_values, struct error *e)
{
	struct copying state = {0};
	bool done;

	do {
		const char *stop;

		if (scan_have(s, 1, e) != 0)
			return -1;
		if (s->at == s->end)
			return unexpected(s, "the rest of a value", e);
		done = take(&state, s, &stop);
		if (out != NULL && out->n + (size_t)(stop - s->at) > limit)
			return error_set(e, EXIT_CANNOT,
				"%s: holds more than the %llu bytes of text allowed beside its samples",
				s->name, (unsigned long long)limit);
		if (s->values > max_values)
			return error_set(e, EXIT_CANNOT,
				"%s: holds more than the %llu values allowed beside its samples", s->name,
				(unsigned long long)max_values);
		if (out != NULL)
			buf_add(out, s->at, (size_t)(stop - s->at));
		s->at += stop - s->at;
	} while (!done);
	return 0;
}
