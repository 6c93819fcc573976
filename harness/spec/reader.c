#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

void read_expected(struct reader *reader, const char *key, const struct node *node, const char *form)
{
	spec_error(reader->errors, node->place, "`%s`: expected %s, found %s", key, form,
		node_what(node, reader->arena));
}

void read_unknown(struct reader *reader, struct spec_place place, const char *what, const char *word,
	const char *const *allowed, size_t count)
{
	enum { SHOWN = 40 };
	const char *nearest = text_nearest(word, allowed, count);
	struct buf list = {0};

	for (size_t i = 0; i < count && i < SHOWN; i++)
		buf_addf(&list, "%s%s", i > 0 ? ", " : "", allowed[i]);
	if (count > SHOWN)
		buf_addf(&list, " and %zu more", count - SHOWN);
	if (nearest != NULL)
		buf_addf(&list, "; did you mean `%s`?", nearest);
	spec_error(
		reader->errors, place, "unknown %s `%.80s`; allowed here: %s", what, word, buf_text(&list));
	buf_release(&list);
}

static void unknown_key(struct reader *reader, const struct node *at, const struct key *keys, size_t count)
{
	const char **names = arena_array(reader->arena, count + 1, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = keys[i].name;
	read_unknown(reader, at->place, "key", at->text, names, count);
}

static const struct key *find_key(const char *name, const struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

void read_map(struct reader *reader, const struct node *node, const char *what, const struct key *keys,
	size_t count, void *target)
{
	if (node->kind != NODE_MAP) {
		spec_error(reader->errors, node->place, "expected %s as a mapping (key: value), found %s",
			what, node_what(node, reader->arena));
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		const struct key *key = find_key(node->keys[i]->text, keys, count);

		if (key == NULL)
			unknown_key(reader, node->keys[i], keys, count);
		else if (key->type == KEY_READ)
			key->read(reader, key, node->items[i], target);
		else
			read_value(reader, key, node->items[i], (char *)target + key->offset);
	}
	for (size_t i = 0; i < count; i++)
		if (keys[i].required && node_get(node, keys[i].name) == NULL)
			spec_error(reader->errors, node->place, "the key `%s` is missing; %s needs it",
				keys[i].name, what);
}

const char *read_text(struct reader *reader, const struct key *key, const struct node *node)
{
	if (node->kind == NODE_TEXT && !node_is_null(node))
		return node->text;
	read_expected(reader, key->name, node, key->form != NULL ? key->form : "a text");
	return NULL;
}

bool read_is_list(struct reader *reader, const struct key *key, const struct node *node)
{
	const char *form = key->form != NULL ? key->form : "a list of texts";

	if (node->kind == NODE_LIST && node->n > 0)
		return true;
	if (node->kind == NODE_TEXT && !node_is_null(node))
		spec_error(reader->errors, node->place, "`%s`: expected %s, found %s; write [%s]", key->name,
			form, node_what(node, reader->arena), node->text);
	else
		read_expected(reader, key->name, node, form);
	return false;
}

const char *read_name(struct reader *reader, const struct node *node, const char *what)
{
	if (node->kind == NODE_TEXT && !node_is_null(node) && text_is_name(node->text))
		return node->text;
	spec_error(reader->errors, node->place,
		"expected %s, found %s; a name has 1 to 64 of A-Z a-z 0-9 . _ + - and begins with a letter "
		"or digit",
		what, node_what(node, reader->arena));
	return NULL;
}

static void read_plain_text(
	struct reader *reader, const struct key *key, const struct node *node, const char **field)
{
	const char *text = read_text(reader, key, node);

	if (text == NULL)
		return;
	for (const char *p = text; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x20 && *p != 0x7f)
			continue;
		if (*p == '\n' && p[1] == '\0') /* the end of a block text */
			continue;
		spec_error(reader->errors, node->place,
			"`%s`: the text holds the control character 0x%02x; it must be one line", key->name,
			(unsigned)(unsigned char)*p);
		return;
	}
	*field = arena_strndup(reader->arena, text, strcspn(text, "\n"));
}

static void read_choice(
	struct reader *reader, const struct key *key, const struct node *node, const char **field)
{
	const char *text = read_text(reader, key, node);
	size_t count = 0;

	if (text == NULL)
		return;
	for (; key->choices[count] != NULL; count++) {
		if (strcmp(key->choices[count], text) == 0) {
			*field = key->choices[count];
			return;
		}
	}
	read_unknown(reader, node->place, arena_printf(reader->arena, "value of `%s`:", key->name), text,
		key->choices, count);
}

static void read_bool(struct reader *reader, const struct key *key, const struct node *node, bool *field)
{
	const char *text = node->kind == NODE_TEXT ? node->text : "";

	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		*field = text[0] == 't';
	else
		read_expected(reader, key->name, node, "true or false");
}

void read_value(struct reader *reader, const struct key *key, const struct node *node, void *field)
{
	const char **text = field;
	struct spec_word *word = field;
	const char *name;

	switch (key->type) {
	case KEY_TEXT:
		read_plain_text(reader, key, node, text);
		break;
	case KEY_VERBATIM:
		name = read_text(reader, key, node);
		if (name != NULL)
			*text = name;
		break;
	case KEY_NAME:
		name = read_name(reader, node, arena_printf(reader->arena, "a name for `%s`", key->name));
		if (name != NULL)
			*text = name;
		break;
	case KEY_WORD:
		name = read_name(reader, node, arena_printf(reader->arena, "a name for `%s`", key->name));
		if (name != NULL)
			*word = (struct spec_word){name, node->place};
		break;
	case KEY_CHOICE:
		read_choice(reader, key, node, text);
		break;
	case KEY_BOOL:
		read_bool(reader, key, node, field);
		break;
	case KEY_MAP:
		read_map(reader, node, arena_printf(reader->arena, "`%s`", key->name), key->keys,
			key->key_count, field);
		break;
	case KEY_READ:
		key->read(reader, key, node, field);
		break;
	case KEY_U64:
	case KEY_U32:
	case KEY_DOUBLE:
	case KEY_DURATION:
	case KEY_PERCENT:
	case KEY_SIZE:
	case KEY_RANGE:
		read_number(reader, key, node, field);
		break;
	case KEY_FLAGS:
	case KEY_COMMAND:
	case KEY_NAMES:
	case KEY_TEXTS:
	case KEY_PLACED:
	case KEY_ENV:
		read_words(reader, key, node, field);
		break;
	}
}

static int by_lower(const void *a, const void *b)
{
	const struct node *p = *(const struct node *const *)a, *q = *(const struct node *const *)b;
	int order = strcasecmp(p->text, q->text);

	if (order == 0)
		order = (p->place.line > q->place.line) - (p->place.line < q->place.line);
	return order != 0 ? order : (p->place.column > q->place.column) - (p->place.column < q->place.column);
}

void read_refuse_case_twins(struct reader *reader, const struct node *map)
{
	const struct node **sorted;

	if (map->n < 2)
		return;
	sorted = arena_array(reader->arena, map->n, sizeof(*sorted));
	for (size_t i = 0; i < map->n; i++)
		sorted[i] = map->keys[i];
	qsort(sorted, map->n, sizeof(*sorted), by_lower);
	for (size_t i = 1; i < map->n; i++)
		if (strcasecmp(sorted[i - 1]->text, sorted[i]->text) == 0 &&
			strcmp(sorted[i - 1]->text, sorted[i]->text) != 0)
			spec_error(reader->errors, sorted[i]->place,
				"the names `%s` and `%s` (line %u) differ only in case; rename one",
				sorted[i]->text, sorted[i - 1]->text, sorted[i - 1]->place.line);
}
