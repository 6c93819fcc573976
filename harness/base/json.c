#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool too_deep(const char *bytes, size_t count)
{
	size_t depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < count; i++) {
		char c = bytes[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			if (++depth > JSON_MAX_DEPTH)
				return true;
		} else if ((c == '}' || c == ']') && depth > 0) {
			depth--;
		}
	}
	return false;
}

json_t *json_parse(const char *bytes, size_t count, const char *name, struct error *e)
{
	json_error_t why;
	json_t *value;

	if (too_deep(bytes, count)) {
		error_set(e, EXIT_CANNOT, "%s: JSON nested deeper than %d levels is refused", name,
			JSON_MAX_DEPTH);
		return NULL;
	}
	value = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, &why);
	if (value == NULL)
		error_set(e, EXIT_CANNOT, "%s: not valid JSON: line %d, column %d: %s", name, why.line,
			why.column, why.text);
	return value;
}

const char *json_text(const json_t *object, const char *key, const char *fallback)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) ? json_string_value(value) : fallback;
}

int64_t json_int(const json_t *object, const char *key, int64_t fallback)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : fallback;
}

double json_num(const json_t *object, const char *key, double fallback)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : fallback;
}

bool json_flag(const json_t *object, const char *key, bool fallback)
{
	const json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : fallback;
}

/* Bytes of the valid UTF-8 sequence at p, 0 if there is none (RFC 3629). */
static size_t valid_utf8(const unsigned char *p)
{
	size_t length = p[0] < 0x80   ? 1
			: p[0] < 0xc2 ? 0
			: p[0] < 0xe0 ? 2
			: p[0] < 0xf0 ? 3
			: p[0] < 0xf5 ? 4
				      : 0;

	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (length == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)))
		return 0;
	if (length == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)))
		return 0;
	return length;
}

/* Appends text with each invalid byte replaced by U+FFFD. */
static void add_valid(struct buf *out, const char *text)
{
	while (*text != '\0') {
		size_t length = valid_utf8((const unsigned char *)text);

		if (length == 0)
			buf_adds(out, "\xef\xbf\xbd");
		else
			buf_add(out, text, length);
		text += length > 0 ? length : 1;
	}
}

json_t *json_safe_string(const char *text)
{
	struct buf valid = {0};
	json_t *value;

	if (text == NULL)
		return json_null();
	value = json_string(text);
	if (value != NULL)
		return value;
	add_valid(&valid, text);
	value = json_string(buf_text(&valid));
	buf_release(&valid);
	return value;
}

json_t *json_safe_words(const struct words *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(list, json_safe_string(words->v[i]));
	return list;
}

json_t *json_safe_real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

void json_add_string(struct buf *out, const char *text)
{
	struct buf valid = {0};

	if (text == NULL) {
		buf_adds(out, "null");
		return;
	}
	add_valid(&valid, text);
	buf_addc(out, '"');
	for (const char *p = buf_text(&valid); *p != '\0'; p++) {
		if (*p == '"' || *p == '\\')
			buf_addf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_adds(out, "\\n");
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			buf_addf(out, "\\u%04x", (unsigned)*p);
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '"');
	buf_release(&valid);
}

void json_add_double(struct buf *out, double x)
{
	char text[40];

	if (!isfinite(x)) {
		buf_adds(out, "null");
		return;
	}
	if (x == 0 && signbit(x)) { /* "-0" would be read as the integer 0 */
		buf_adds(out, "-0.0");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x) /* the shortest that reads back the same */
			break;
	}
	buf_adds(out, text);
}

static int append(const char *bytes, size_t count, void *out)
{
	buf_add(out, bytes, count);
	return 0;
}

void json_add_tree(struct buf *out, const json_t *value, bool indent)
{
	json_dump_callback(value, append, out,
		(indent ? JSON_INDENT(2) : JSON_COMPACT) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
}
