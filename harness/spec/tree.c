#include "spec/tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/file.h"
#include "spec/syntax.h"

enum { FILE_MAX = 1024 * 1024, DEPTH_MAX = 32 };

struct parse {
	yaml_parser_t parser;
	yaml_event_t event; /* the one that is being looked at; owned */
	bool have_event;
	const char *bytes, *path;
	size_t count;
	struct arena *arena;
	struct spec_errors *errors;
};

static struct spec_place place_of(const struct parse *p, yaml_mark_t mark)
{
	return (struct spec_place){p->path, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

static bool next(struct parse *p)
{
	if (p->have_event)
		yaml_event_delete(&p->event);
	p->have_event = yaml_parser_parse(&p->parser, &p->event) != 0;
	if (!p->have_event)
		syntax_error(&p->parser, p->bytes, p->count, p->path, p->errors);
	return p->have_event;
}

static void push(struct arena *arena, struct node *parent, struct node *key, struct node *item)
{
	if (parent->n == parent->cap) {
		size_t cap = parent->cap > 0 ? 2 * parent->cap : 4;
		struct node **items = arena_array(arena, cap, sizeof(*items));
		struct node **keys = arena_array(arena, cap, sizeof(*keys));

		if (parent->n > 0) {
			memcpy(items, parent->items, parent->n * sizeof(*items));
			memcpy(keys, parent->keys, parent->n * sizeof(*keys));
		}
		parent->items = items;
		parent->keys = keys;
		parent->cap = cap;
	}
	parent->keys[parent->n] = key;
	parent->items[parent->n++] = item;
}

/* Refuses what only YAML's fuller form has. */
static void refuse_extras(struct parse *p, struct spec_place place, const void *anchor, const void *tag)
{
	if (anchor != NULL)
		spec_error(p->errors, place,
			"anchors (&%s) are not used here; put the text in quotes if the & belongs to it",
			(const char *)anchor);
	if (tag != NULL)
		spec_error(p->errors, place,
			"tags (%s) are not used here; put the text in quotes if the ! belongs to it",
			(const char *)tag);
}

static struct node *parse_node(struct parse *p, int depth);

static struct node *parse_text(struct parse *p, struct node *node)
{
	const char *value = (const char *)p->event.data.scalar.value;
	size_t length = p->event.data.scalar.length;

	refuse_extras(p, node->place, p->event.data.scalar.anchor, p->event.data.scalar.tag);
	if (memchr(value, '\0', length) != NULL) {
		spec_error(p->errors, node->place, "a text cannot hold the character NUL (\\0)");
		length = strlen(value);
	}
	node->text = arena_strndup(p->arena, value, length);
	node->quoted = p->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return node;
}

static int by_text(const void *a, const void *b)
{
	const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
	int order = strcmp(p->text, q->text);

	if (order == 0)
		order = (p->place.line > q->place.line) - (p->place.line < q->place.line);
	return order != 0 ? order : (p->place.column > q->place.column) - (p->place.column < q->place.column);
}

/*
 * Complains about keys given again and takes them out, so that a reader sees each once. Sorted, since a hostile
 * file has a hundred thousand keys.
 */
static void drop_duplicates(struct parse *p, struct node *map)
{
	struct node **sorted, *first;
	size_t kept = 0;

	if (map->n < 2)
		return;
	sorted = arena_array(p->arena, map->n, sizeof(struct node *));
	memcpy(sorted, map->keys, map->n * sizeof(struct node *));
	qsort(sorted, map->n, sizeof(struct node *), by_text);
	first = sorted[0];
	for (size_t i = 1; i < map->n; i++) {
		if (strcmp(first->text, sorted[i]->text) != 0) {
			first = sorted[i];
			continue;
		}
		spec_error(p->errors, sorted[i]->place,
			"the key `%s` is given twice; the first is at line %u, column %u", first->text,
			first->place.line, first->place.column);
		sorted[i]->text = NULL;
	}
	for (size_t i = 0; i < map->n; i++) {
		if (map->keys[i]->text == NULL)
			continue;
		map->keys[kept] = map->keys[i];
		map->items[kept++] = map->items[i];
	}
	map->n = kept;
}

static struct node *parse_list(struct parse *p, struct node *list, int depth)
{
	list->kind = NODE_LIST;
	refuse_extras(p, list->place, p->event.data.sequence_start.anchor, p->event.data.sequence_start.tag);
	for (;;) {
		struct node *item;

		if (!next(p))
			return NULL;
		if (p->event.type == YAML_SEQUENCE_END_EVENT)
			return list;
		item = parse_node(p, depth + 1);
		if (item == NULL)
			return NULL;
		push(p->arena, list, NULL, item);
	}
}

static struct node *parse_map(struct parse *p, struct node *map, int depth)
{
	map->kind = NODE_MAP;
	refuse_extras(p, map->place, p->event.data.mapping_start.anchor, p->event.data.mapping_start.tag);
	for (;;) {
		struct node *key, *value;

		if (!next(p))
			return NULL;
		if (p->event.type == YAML_MAPPING_END_EVENT)
			break;
		key = parse_node(p, depth + 1);
		if (key == NULL || !next(p))
			return NULL;
		value = parse_node(p, depth + 1);
		if (value == NULL)
			return NULL;
		if (key->kind == NODE_TEXT)
			push(p->arena, map, key, value);
		else
			spec_error(p->errors, key->place, "a key must be a text, found %s",
				node_what(key, p->arena));
	}
	drop_duplicates(p, map);
	return map;
}

static struct node *parse_node(struct parse *p, int depth)
{
	struct node *node = arena_new(p->arena, struct node);

	node->place = place_of(p, p->event.start_mark);
	if (depth > DEPTH_MAX) {
		spec_error(p->errors, node->place, "nested deeper than %d levels", DEPTH_MAX);
		return NULL;
	}
	switch (p->event.type) {
	case YAML_SEQUENCE_START_EVENT:
		return parse_list(p, node, depth);
	case YAML_MAPPING_START_EVENT:
		return parse_map(p, node, depth);
	case YAML_SCALAR_EVENT:
		return parse_text(p, node);
	default: /* an alias: nothing else can stand where a node is expected */
		spec_error(p->errors, node->place,
			"a text that starts with * must be in quotes (YAML takes it for an alias, and "
			"aliases are not "
			"used here)");
		node->text = "*"; /* most likely meant */
		node->quoted = true;
		return node;
	}
}

static struct node *parse_file(struct parse *p)
{
	struct node *root;

	for (int i = 0; i < 2; i++) /* the stream's start and the first document's */
		if (!next(p))
			return NULL;
	if (p->event.type == YAML_STREAM_END_EVENT) {
		spec_error(p->errors, (struct spec_place){p->path, 1, 1}, "the file is empty");
		return NULL;
	}
	if (!next(p))
		return NULL;
	root = parse_node(p, 1);
	if (root == NULL || !next(p) || !next(p)) /* the document's end and what follows */
		return NULL;
	if (p->event.type != YAML_STREAM_END_EVENT) {
		spec_error(p->errors, place_of(p, p->event.start_mark),
			"a second document begins here; a file holds one: remove the `---`");
		return NULL;
	}
	if (node_is_null(root)) {
		spec_error(p->errors, (struct spec_place){p->path, 1, 1}, "the file is empty");
		return NULL;
	}
	return root;
}

struct node *tree_parse(
	const char *bytes, size_t count, const char *path, struct arena *arena, struct spec_errors *errors)
{
	struct parse p = {.path = path, .arena = arena, .errors = errors};
	struct node *root = NULL;

	if (count > FILE_MAX) {
		spec_error(errors, (struct spec_place){path, 0, 0}, "longer than the %d bytes allowed",
			FILE_MAX);
		return NULL;
	}
	if (count >= 3 &&
		memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark would shift the columns */
		bytes += 3;
		count -= 3;
	}
	p.bytes = count > 0 ? bytes : "";
	p.count = count;
	if (!yaml_parser_initialize(&p.parser)) {
		spec_error(errors, (struct spec_place){path, 0, 0}, "no memory for the YAML parser");
		return NULL;
	}
	yaml_parser_set_encoding(&p.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p.parser, (const unsigned char *)p.bytes, count);
	root = parse_file(&p);
	if (p.have_event)
		yaml_event_delete(&p.event);
	yaml_parser_delete(&p.parser);
	return root;
}

struct node *tree_read(const char *path, struct arena *arena, struct spec_errors *errors, const char **text)
{
	struct spec_place whole = {arena_strdup(arena, path), 0, 0};
	struct error e = {0};
	struct buf bytes = {0};
	struct node *root = NULL;
	struct stat st;

	/* opening a pipe would wait for its writer */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		spec_error(errors, whole, "not a regular file");
		return NULL;
	}
	if (file_read(path, FILE_MAX, &bytes, &e) != 0) {
		/* the place names the file: "reading FILE: " would name it again */
		spec_error(
			errors, whole, "cannot be read: %s", e.text + strlen("reading ") + strlen(path) + 2);
		return NULL;
	}
	root = tree_parse(bytes.data, bytes.n, whole.file, arena, errors);
	if (root != NULL && text != NULL)
		*text = arena_strndup(arena, bytes.data, bytes.n);
	buf_release(&bytes);
	return root;
}

const struct node *node_get(const struct node *map, const char *key)
{
	for (size_t i = 0; map->kind == NODE_MAP && i < map->n; i++)
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->items[i];
	return NULL;
}

bool node_is_null(const struct node *node)
{
	return node->kind == NODE_TEXT && !node->quoted &&
	       (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *node_what(const struct node *node, struct arena *arena)
{
	enum { SHOWN = 60 };

	if (node->kind == NODE_MAP)
		return node->n > 0 ? "a mapping" : "an empty mapping";
	if (node->kind == NODE_LIST)
		return node->n > 0 ? "a list" : "an empty list";
	if (node_is_null(node))
		return "nothing";
	if (strlen(node->text) > SHOWN)
		return arena_printf(arena, "the text `%.*s...`", SHOWN, node->text);
	return arena_printf(arena, "the text `%s`", node->text);
}
