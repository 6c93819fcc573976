#include "base/text.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

void words_add(struct words *words, struct arena *arena, const char *word)
{
	if (words->n + 1 >= words->cap) {
		size_t cap = mem_grown(words->cap, words->n + 2);
		char **v = arena_array(arena, cap, sizeof(*v));

		if (words->n > 0)
			memcpy(v, words->v, words->n * sizeof(*v));
		words->v = v;
		words->cap = cap;
	}
	words->v[words->n++] = arena_strdup(arena, word);
	words->v[words->n] = NULL;
}

void words_addf(struct words *words, struct arena *arena, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	words_add(words, arena, arena_vprintf(arena, fmt, ap));
	va_end(ap);
}

void words_add_all(struct words *words, struct arena *arena, const struct words *more)
{
	for (size_t i = 0; i < more->n; i++)
		words_add(words, arena, more->v[i]);
}

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->v[i], word) == 0)
			return true;
	return false;
}

/* Copies the inside of a quote that opened at p[-1]; returns behind its end, or NULL when it stays open. */
static const char *quoted(const char *p, char quote, struct buf *word)
{
	for (; *p != '\0' && *p != quote; p++) {
		if (quote == '"' && p[0] == '\\' && p[1] == '\n') { /* the line goes on */
			p++;
			continue;
		}
		if (quote == '"' && *p == '\\' && p[1] != '\0' && strchr("\"\\$`", p[1]) != NULL)
			p++;
		buf_addc(word, *p);
	}
	return *p == quote ? p + 1 : NULL;
}

static const char *one_word(const char *p, struct buf *word)
{
	while (*p != '\0' && strchr(" \t\n\r", *p) == NULL) {
		if (*p == '\'' || *p == '"') {
			p = quoted(p + 1, *p, word);
			if (p == NULL)
				return NULL;
		} else if (*p == '\\' && p[1] != '\0') {
			if (p[1] != '\n') /* at the end of a line: the line goes on */
				buf_addc(word, p[1]);
			p += 2;
		} else {
			buf_addc(word, *p++);
		}
	}
	return p;
}

int words_split(struct words *words, struct arena *arena, const char *text, size_t *column, struct error *e)
{
	struct words found = {0};
	struct buf word = {0};
	const char *p = text;
	int result = 0;

	for (;;) {
		const char *start;

		while (*p != '\0' && (strchr(" \t\n\r", *p) != NULL || (p[0] == '\\' && p[1] == '\n')))
			p += *p == '\\' ? 2 : 1;
		if (*p == '\0')
			break;
		start = p;
		buf_clear(&word);
		p = one_word(p, &word);
		if (p == NULL || *start == '~') {
			if (column != NULL)
				*column = (size_t)(start - text) + 1;
			result = p == NULL
					 ? error_set(e, EXIT_USAGE,
						   "the quote in \"%s\" (column %zu) is never closed", start,
						   (size_t)(start - text) + 1)
					 : error_set(e, EXIT_USAGE,
						   "\"%s\" starts with ~, which only a shell expands, and no "
						   "shell is used here; write the whole path",
						   buf_text(&word));
			break;
		}
		words_add(&found, arena, buf_text(&word));
	}
	if (result == 0)
		words_add_all(words, arena, &found);
	buf_release(&word);
	return result;
}

void text_quote(struct buf *out, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		buf_adds(out, word);
		return;
	}
	buf_addc(out, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *word);
	}
	buf_addc(out, '\'');
}

int text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *words_between(const struct words *words, const char *between, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < words->n; i++)
		buf_addf(&out, "%s%s", i > 0 ? between : "", words->v[i]);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

char *words_join(const struct words *words, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < words->n; i++) {
		if (i > 0)
			buf_addc(&out, ' ');
		text_quote(&out, words->v[i]);
	}
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

/*
 * Decodes one code point of UTF-8 (RFC 3629: no overlong forms, no surrogates). Returns its bytes, 0 if invalid.
 */
static size_t utf8_decode(const unsigned char *p, size_t count, uint32_t *code)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] < 0x80   ? 1
			: p[0] < 0xc2 ? 0
			: p[0] < 0xe0 ? 2
			: p[0] < 0xf0 ? 3
			: p[0] < 0xf5 ? 4
				      : 0;

	if (length == 0 || length > count)
		return 0;
	*code = length == 1 ? p[0] : p[0] & (0x7fU >> length);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3fU);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* Code points that could hide or reorder what stands beside them. */
static bool unsafe_code(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xe0000 && code <= 0xe007f);
}

static void escape_byte(struct buf *out, unsigned char c)
{
	switch (c) {
	case '\n':
		buf_adds(out, "\\n");
		break;
	case '\t':
		buf_adds(out, "\\t");
		break;
	case '\r':
		buf_adds(out, "\\r");
		break;
	default:
		buf_addf(out, "\\x%02x", c);
	}
}

void text_escape(struct buf *out, const char *bytes, size_t count, bool keep_newlines)
{
	const unsigned char *p = (const unsigned char *)bytes;

	for (size_t i = 0; i < count;) {
		uint32_t code = 0;
		size_t length = utf8_decode(p + i, count - i, &code);

		if (keep_newlines && (p[i] == '\n' || p[i] == '\t')) {
			buf_addc(out, bytes[i++]);
		} else if (length == 0 || unsafe_code(code)) {
			for (size_t k = 0; k < (length > 0 ? length : 1); k++)
				escape_byte(out, p[i + k]);
			i += length > 0 ? length : 1;
		} else {
			buf_add(out, bytes + i, length);
			i += length;
		}
	}
}

char *text_safe(struct arena *arena, const char *text)
{
	struct buf out = {0};
	char *safe;

	text_escape(&out, text, strlen(text), false);
	safe = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return safe;
}

size_t text_width(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), width = 0;

	while (left > 0) {
		uint32_t code = 0;
		size_t length = utf8_decode(p, left, &code);

		if (length == 0)
			length = 1;
		width += !(code >= 0x300 && code < 0x370);
		p += length;
		left -= length;
	}
	return width;
}

/* Matches the set at p (behind '['); *end is set behind its ']'. An unclosed set matches nothing. */
static bool set_matches(const char *p, char c, const char **end)
{
	bool negate = *p == '!' || *p == '^';
	bool found = false;
	const char *first = p += negate;

	for (; *p != '\0' && (*p != ']' || p == first); p++) {
		if (p[1] == '-' && p[2] != ']' && p[2] != '\0') {
			found |= (unsigned char)c >= (unsigned char)p[0] &&
				 (unsigned char)c <= (unsigned char)p[2];
			p += 2;
		} else {
			found |= *p == c;
		}
	}
	*end = *p == ']' ? p + 1 : p;
	return *p == ']' && found != negate;
}

bool text_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		const char *next = pattern + 1;
		bool ok;

		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
			continue;
		}
		if (*text == '\0' && *pattern == '\0')
			return true;
		if (*text == '\0')
			return false;
		if (*pattern == '[') {
			ok = set_matches(pattern + 1, *text, &next);
		} else if (*pattern == '\\' && pattern[1] != '\0') {
			ok = pattern[1] == *text;
			next = pattern + 2;
		} else {
			ok = *pattern == '?' || (*pattern != '\0' && *pattern == *text);
		}
		if (ok) {
			pattern = next;
			text++;
		} else if (star != NULL) { /* let the last star take one more */
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
}

enum { NEAREST_MAX = 64 };

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment distance (Damerau 1964, in the restricted form), case ignored. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAREST_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t differs = lower(a[i - 1]) != lower(b[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + differs);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && above2[j - 2] + 1 < row[j])
				row[j] = above2[j - 2] + 1;
		}
	}
	return rows[na % 3][nb];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t n = strlen(word), best = n / 3 > 1 ? n / 3 : 1;
	const char *nearest = NULL;

	if (n == 0 || n > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t m = strlen(candidates[i]), d;

		if (m > NEAREST_MAX)
			continue;
		d = distance(word, n, candidates[i], m);
		if (d <= best && (nearest == NULL || d < best) && d < (n > m ? n : m)) {
			nearest = candidates[i];
			best = d;
		}
	}
	return nearest;
}

bool text_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

static bool alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

const char *text_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

bool text_is_name(const char *text)
{
	size_t n = strlen(text);

	if (n == 0 || n > 64 || !alnum(text[0]))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!alnum(text[i]) && strchr("._+-", text[i]) == NULL)
			return false;
	return true;
}
