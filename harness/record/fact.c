#include "record/fact.h"

#include <string.h>

#include "base/mem.h"

static struct fact *find(const struct facts *facts, const char *key)
{
	for (size_t i = 0; i < facts->n; i++)
		if (strcmp(facts->v[i].key, key) == 0)
			return &facts->v[i];
	return NULL;
}

static struct fact *append(struct facts *facts)
{
	if (facts->n == facts->cap) {
		size_t cap = mem_grown(facts->cap, facts->n + 16);
		struct fact *v = arena_array(facts->arena, cap, sizeof(*v));

		if (facts->n > 0)
			memcpy(v, facts->v, facts->n * sizeof(*v));
		facts->v = v;
		facts->cap = cap;
	}
	return &facts->v[facts->n++];
}

static const char *copy(const struct facts *facts, const char *text)
{
	return text != NULL ? arena_strdup(facts->arena, text) : NULL;
}

/* All texts are copied before the entry changes, so that they may come from the entry itself. */
static void put(
	struct facts *facts, const char *key, const char *value, const char *source, const char *reason)
{
	struct fact *fact = find(facts, key);
	const struct fact made = {
		.key = fact != NULL ? fact->key : arena_strdup(facts->arena, key),
		.value = copy(facts, value),
		.source = copy(facts, source),
		.reason = value == NULL ? copy(facts, reason != NULL ? reason : "not given") : NULL,
	};

	if (fact == NULL)
		fact = append(facts);
	*fact = made;
}

void facts_set(struct facts *facts, const char *key, const char *value, const char *source)
{
	put(facts, key, value, source, NULL);
}

void facts_setf(struct facts *facts, const char *key, const char *source, const char *fmt, ...)
{
	va_list ap;
	char *value;

	va_start(ap, fmt);
	value = arena_vprintf(facts->arena, fmt, ap);
	va_end(ap);
	put(facts, key, value, source, NULL);
}

void facts_unknown(struct facts *facts, const char *key, const char *source, const char *reason)
{
	put(facts, key, NULL, source, reason);
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
	return find(facts, key);
}

const char *facts_value(const struct facts *facts, const char *key)
{
	const struct fact *fact = find(facts, key);

	return fact != NULL ? fact->value : NULL;
}

void facts_copy(struct facts *into, const struct facts *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct fact fact = from->v[i];

		put(into, fact.key, fact.value, fact.source, fact.reason);
	}
}

json_t *facts_to_json(const struct facts *facts)
{
	json_t *object = json_object();

	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *fact = &facts->v[i];
		json_t *entry = json_object();

		if (fact->value != NULL)
			json_object_set_new(entry, "value", json_safe_string(fact->value));
		else
			json_object_set_new(entry, "unknown", json_safe_string(fact->reason));
		if (fact->source != NULL)
			json_object_set_new(entry, "source", json_safe_string(fact->source));
		json_object_set_new(object, fact->key, entry);
	}
	return object;
}

/* What is wrong with one entry, NULL when nothing is. */
static const char *entry_fault(const json_t *entry)
{
	const json_t *value = json_object_get(entry, "value");
	const json_t *unknown = json_object_get(entry, "unknown");
	const json_t *source = json_object_get(entry, "source");

	if (!json_is_object(entry))
		return "it is not an object";
	if (value == NULL && unknown == NULL)
		return "it has neither \"value\" nor \"unknown\"";
	if (value != NULL && unknown != NULL)
		return "it has both \"value\" and \"unknown\"";
	if (value != NULL && !json_is_string(value))
		return "its \"value\" is not a string";
	if (unknown != NULL && !json_is_string(unknown))
		return "its \"unknown\" is not a string";
	if (source != NULL && !json_is_string(source))
		return "its \"source\" is not a string";
	return NULL;
}

int facts_from_json(struct facts *facts, const json_t *object, const char *name, struct error *e)
{
	/* jansson's iterators take no const, but only look */
	const union {
		const json_t *given;
		json_t *taken;
	} both = {object};
	json_t *members = both.taken;

	if (!json_is_object(object))
		return error_set(e, EXIT_CANNOT, "%s: the list of facts is not a JSON object", name);
	for (void *at = json_object_iter(members); at != NULL; at = json_object_iter_next(members, at)) {
		const char *fault = entry_fault(json_object_iter_value(at));

		if (fault != NULL)
			return error_set(e, EXIT_CANNOT, "%s: the fact \"%s\" is malformed: %s", name,
				json_object_iter_key(at), fault);
	}
	for (void *at = json_object_iter(members); at != NULL; at = json_object_iter_next(members, at)) {
		const json_t *entry = json_object_iter_value(at);

		put(facts, json_object_iter_key(at), json_text(entry, "value", NULL),
			json_text(entry, "source", NULL), json_text(entry, "unknown", NULL));
	}
	return 0;
}
