#include "record/shape.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "record/record.h"

static const void *at(const struct field *field, const void *base)
{
	return (const char *)base + field->offset;
}

static void *place(const struct field *field, void *base)
{
	return (char *)base + field->offset;
}

static size_t count_of(const struct field *field, const void *base)
{
	return *(const size_t *)(const void *)((const char *)base + field->count_offset);
}

static json_t *list_to_json(const struct field *field, const void *base)
{
	const char *items = *(const char *const *)at(field, base);
	json_t *array = json_array();

	for (size_t i = 0; i < count_of(field, base); i++)
		json_array_append_new(array, shape_to_json(field->shape, items + i * field->shape->size));
	return array;
}

static json_t *u32s_to_json(const struct field *field, const void *base)
{
	const uint32_t *numbers = at(field, base);
	json_t *array = json_array();

	for (size_t i = 0; i < count_of(field, base); i++)
		json_array_append_new(array, json_integer(numbers[i]));
	return array;
}

static json_t *field_to_json(const struct field *field, const void *base)
{
	const void *p = at(field, base);

	switch (field->type) {
	case FIELD_TEXT:
		return json_safe_string(*(const char *const *)p);
	case FIELD_BOOL:
		return json_boolean(*(const bool *)p);
	case FIELD_U32:
		return json_integer(*(const uint32_t *)p);
	case FIELD_U64:
		return json_integer((json_int_t) * (const uint64_t *)p);
	case FIELD_I64:
		return json_integer(*(const int64_t *)p);
	case FIELD_DOUBLE:
		return json_safe_real(*(const double *)p);
	case FIELD_ROW:
		return *(const int64_t *)p < 0 ? json_null() : json_integer(*(const int64_t *)p);
	case FIELD_INDEX:
		return *(const uint32_t *)p == UINT32_MAX ? json_null() : json_integer(*(const uint32_t *)p);
	case FIELD_WORDS:
		return json_safe_words(p);
	case FIELD_FACTS:
		return facts_to_json(p);
	case FIELD_STATUS:
		return json_string(cell_status_text(*(const enum cell_status *)p));
	case FIELD_U32S:
		return u32s_to_json(field, base);
	case FIELD_OBJECT:
		return shape_to_json(field->shape, p);
	case FIELD_LIST:
		return list_to_json(field, base);
	}
	return NULL;
}

json_t *shape_to_json(const struct shape *shape, const void *from)
{
	json_t *object = json_object();

	for (size_t i = 0; i < shape->count; i++)
		json_object_set_new(object, shape->fields[i].name, field_to_json(&shape->fields[i], from));
	return object;
}

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a number with a fraction";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		return "null";
	}
	return "something else";
}

static int wrong(const char *where, const char *want, const json_t *value, struct error *e)
{
	return error_set(e, EXIT_CANNOT, "%s: must be %s, but is %s", where, want, type_name(value));
}

static int read_integer(
	const json_t *value, int64_t low, int64_t high, const char *where, int64_t *out, struct error *e)
{
	json_int_t x;

	if (!json_is_integer(value))
		return wrong(where, "an integer", value, e);
	x = json_integer_value(value);
	if (x < low || x > high)
		return error_set(e, EXIT_CANNOT, "%s: %lld is not between %lld and %lld", where, (long long)x,
			(long long)low, (long long)high);
	*out = x;
	return 0;
}

static int read_u32(const json_t *value, const char *where, uint32_t *out, struct error *e)
{
	int64_t x = 0;

	if (read_integer(value, 0, UINT32_MAX - 1, where, &x, e) != 0)
		return -1;
	*out = (uint32_t)x;
	return 0;
}

static int read_text(const struct field *field, const char **out, const json_t *value, struct arena *arena,
	const char *where, struct error *e)
{
	if (json_is_null(value) && !field->required) {
		*out = NULL;
		return 0;
	}
	if (!json_is_string(value))
		return wrong(where, field->required ? "a string" : "a string or null", value, e);
	*out = arena_strndup(arena, json_string_value(value), json_string_length(value));
	return 0;
}

static int read_words(
	struct words *words, const json_t *value, struct arena *arena, const char *where, struct error *e)
{
	size_t i;
	json_t *item;

	if (!json_is_array(value))
		return wrong(where, "an array of strings", value, e);
	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			return error_set(e, EXIT_CANNOT, "%s[%zu]: must be a string, but is %s", where, i,
				type_name(item));
		words_add(words, arena, json_string_value(item));
	}
	return 0;
}

static int read_object(const struct shape *shape, void *into, const json_t *object, struct arena *arena,
	struct buf *where, struct error *e);

static int read_list(const struct field *field, void *base, const json_t *value, struct arena *arena,
	struct buf *where, struct error *e)
{
	size_t count = json_array_size(value), size = field->shape->size, length = where->n;
	char *items;

	if (!json_is_array(value))
		return wrong(buf_text(where), "an array", value, e);
	items = arena_array(arena, count, size);
	for (size_t i = 0; i < count; i++) {
		buf_addf(where, "[%zu]", i);
		if (read_object(field->shape, items + i * size, json_array_get(value, i), arena, where, e) !=
			0)
			return -1;
		buf_cut(where, length);
	}
	*(void **)place(field, base) = items;
	*(size_t *)(void *)((char *)base + field->count_offset) = count;
	return 0;
}

static int read_u32s(
	const struct field *field, void *base, const json_t *value, const char *where, struct error *e)
{
	uint32_t *numbers = place(field, base);
	size_t count = json_array_size(value);

	if (!json_is_array(value))
		return wrong(where, "an array of integers", value, e);
	if (count > field->limit)
		return error_set(e, EXIT_CANNOT, "%s: has %zu elements; at most %zu are allowed", where,
			count, field->limit);
	for (size_t i = 0; i < count; i++)
		if (read_u32(json_array_get(value, i), where, &numbers[i], e) != 0)
			return -1;
	*(size_t *)(void *)((char *)base + field->count_offset) = count;
	return 0;
}

static int read_double(double *out, const json_t *value, const char *where, struct error *e)
{
	if (!json_is_number(value) && !json_is_null(value))
		return wrong(where, "a number or null", value, e);
	*out = json_is_null(value) ? NAN : json_number_value(value);
	return 0;
}

static int read_status(enum cell_status *out, const json_t *value, const char *where, struct error *e)
{
	int status = json_is_string(value) ? cell_status_of(json_string_value(value)) : -1;

	if (!json_is_string(value))
		return wrong(where, "a string", value, e);
	if (status < 0)
		return error_set(
			e, EXIT_CANNOT, "%s: \"%s\" is no status of a cell", where, json_string_value(value));
	*out = (enum cell_status)status;
	return 0;
}

/* `path` grows by the name of what is read and is what it was afterwards; only an error looks at it. */
static int field_from_json(const struct field *field, void *base, const json_t *value, struct arena *arena,
	struct buf *path, struct error *e)
{
	void *p = place(field, base);
	const char *where = buf_text(path);
	int64_t x = 0;

	switch (field->type) {
	case FIELD_TEXT:
		return read_text(field, p, value, arena, where, e);
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return wrong(where, "true or false", value, e);
		*(bool *)p = json_is_true(value);
		return 0;
	case FIELD_U32:
		return read_u32(value, where, p, e);
	case FIELD_U64:
		if (read_integer(value, 0, SHAPE_INTEGER_END - 1, where, &x, e) != 0)
			return -1;
		*(uint64_t *)p = (uint64_t)x;
		return 0;
	case FIELD_I64:
		return read_integer(value, 1 - SHAPE_INTEGER_END, SHAPE_INTEGER_END - 1, where, p, e);
	case FIELD_DOUBLE:
		return read_double(p, value, where, e);
	case FIELD_ROW:
		*(int64_t *)p = -1;
		return json_is_null(value) ? 0 : read_integer(value, 0, UINT32_MAX - 1, where, p, e);
	case FIELD_INDEX:
		*(uint32_t *)p = UINT32_MAX;
		return json_is_null(value) ? 0 : read_u32(value, where, p, e);
	case FIELD_WORDS:
		return read_words(p, value, arena, where, e);
	case FIELD_FACTS:
		((struct facts *)p)->arena = arena;
		return facts_from_json(p, value, where, e);
	case FIELD_STATUS:
		return read_status(p, value, where, e);
	case FIELD_U32S:
		return read_u32s(field, base, value, where, e);
	case FIELD_OBJECT:
		return read_object(field->shape, p, value, arena, path, e);
	case FIELD_LIST:
		return read_list(field, base, value, arena, path, e);
	}
	return -1;
}

static int read_object(const struct shape *shape, void *into, const json_t *object, struct arena *arena,
	struct buf *where, struct error *e)
{
	size_t length = where->n;

	if (!json_is_object(object))
		return wrong(buf_text(where), "an object", object, e);
	for (size_t i = 0; i < shape->count; i++) {
		const struct field *field = &shape->fields[i];
		const json_t *value = json_object_get(object, field->name);

		if (value == NULL && field->added)
			continue;
		if (value == NULL)
			return error_set(e, EXIT_CANNOT, "%s: has no \"%s\"", buf_text(where), field->name);
		buf_addf(where, ".%s", field->name);
		if (field_from_json(field, into, value, arena, where, e) != 0)
			return -1;
		buf_cut(where, length);
	}
	return 0;
}

int shape_from_json(const struct shape *shape, void *into, const json_t *object, struct arena *arena,
	const char *where, struct error *e)
{
	struct buf path = {0};
	int result;

	buf_adds(&path, where);
	result = read_object(shape, into, object, arena, &path, e);
	buf_release(&path);
	return result;
}
