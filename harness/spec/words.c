#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

/* A list without words is told from none at all: v is set though n is 0. */
static void make_given(struct words *words, struct arena *arena)
{
	words_add(words, arena, "");
	words->v[--words->n] = NULL;
}

/* A list: each entry is one argument, as it is. */
static void read_arguments(
	struct reader *reader, const struct key *key, const struct node *list, struct words *found)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *text = read_text(reader, key, list->items[i]);

		if (text != NULL)
			words_add(found, reader->arena, text);
	}
}

/* A program is found through PATH or by its whole path: what "./gcc" is relative to would be anyone's guess. */
static void check_program(
	struct reader *reader, const struct key *key, const struct node *node, const struct words *command)
{
	if (command->n == 0 || command->v[0][0] == '\0')
		spec_error(reader->errors, node->place, "`%s`: expected a command, found an empty one",
			key->name);
	else if (command->v[0][0] == '~')
		spec_error(reader->errors, node->place,
			"`%s`: \"%s\" starts with ~, which only a shell expands, and no shell is used here; "
			"write the "
			"whole path",
			key->name, command->v[0]);
	else if (command->v[0][0] != '/' && strchr(command->v[0], '/') != NULL)
		spec_error(reader->errors, node->place,
			"`%s`: \"%s\" is a relative path; write the whole path, or a bare name to be looked "
			"for in PATH",
			key->name, command->v[0]);
}

static void read_flags(
	struct reader *reader, const struct key *key, const struct node *node, struct words *field)
{
	struct words found = {0};
	struct error e = {0};
	const char *form = key->type == KEY_FLAGS ? "flags as one text or a list of texts (\"\" for none)"
						  : "a command as one text or a list of texts";

	make_given(&found, reader->arena);
	if (node->kind == NODE_LIST) {
		read_arguments(reader, key, node, &found);
	} else if (node->kind == NODE_MAP || node_is_null(node)) {
		read_expected(reader, key->name, node, form);
		return;
	} else if (words_split(&found, reader->arena, node->text, NULL, &e) != 0) {
		spec_error(reader->errors, node->place, "`%s`: %s", key->name, e.text);
		return;
	}
	if (key->type == KEY_COMMAND)
		check_program(reader, key, node, &found);
	*field = found;
}

static int by_text(const void *a, const void *b)
{
	const struct node *p = *(const struct node *const *)a, *q = *(const struct node *const *)b;
	int order = strcmp(p->text, q->text);

	if (order == 0)
		order = (p->place.line > q->place.line) - (p->place.line < q->place.line);
	return order != 0 ? order : (p->place.column > q->place.column) - (p->place.column < q->place.column);
}

static void refuse_twice(
	struct reader *reader, const struct key *key, const struct node **entries, size_t count)
{
	if (count > 1)
		qsort(entries, count, sizeof(*entries), by_text);
	for (size_t i = 1; i < count; i++)
		if (strcmp(entries[i - 1]->text, entries[i]->text) == 0)
			spec_error(reader->errors, entries[i]->place,
				"`%s`: `%s` stands in the list twice; the first is at line %u, column %u",
				key->name, entries[i]->text, entries[i - 1]->place.line,
				entries[i - 1]->place.column);
}

/* The entries of a list that are texts (names, for KEY_NAMES); *count of them. None twice. */
static const struct node **entries_of(
	struct reader *reader, const struct key *key, const struct node *list, size_t *count)
{
	const struct node **entries = arena_array(reader->arena, list->n, sizeof(*entries));
	const struct node **sorted = arena_array(reader->arena, list->n, sizeof(*sorted));
	const char *entry = arena_printf(reader->arena, "a name in `%s`", key->name);

	*count = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct node *item = list->items[i];

		if (key->type == KEY_NAMES) {
			if (read_name(reader, item, entry) == NULL)
				continue;
		} else if (item->kind != NODE_TEXT || node_is_null(item)) {
			spec_error(reader->errors, item->place, "expected a text in `%s`, found %s",
				key->name, node_what(item, reader->arena));
			continue;
		}
		entries[(*count)++] = item;
	}
	if (*count > 0)
		memcpy(sorted, entries, *count * sizeof(*entries));
	refuse_twice(reader, key, sorted, *count);
	return entries;
}

static void read_list(struct reader *reader, const struct key *key, const struct node *node, void *field)
{
	struct spec_words *placed = field;
	struct words *words = field;
	const struct node **entries;
	size_t count;

	if (!read_is_list(reader, key, node))
		return;
	entries = entries_of(reader, key, node, &count);
	if (key->type == KEY_PLACED) {
		placed->v = arena_array(reader->arena, count, sizeof(*placed->v));
		placed->n = count;
	}
	for (size_t i = 0; i < count; i++) {
		if (key->type == KEY_PLACED)
			placed->v[i] = (struct spec_word){entries[i]->text, entries[i]->place};
		else
			words_add(words, reader->arena, entries[i]->text);
	}
}

static bool is_variable(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	return name[0] != '\0' && (name[0] < '0' || name[0] > '9') && name[strspn(name, allowed)] == '\0';
}

static void read_env(
	struct reader *reader, const struct key *key, const struct node *node, struct words *field)
{
	if (node->kind != NODE_MAP) {
		read_expected(reader, key->name, node, "a mapping such as {NAME: value}");
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		const struct node *name = node->keys[i], *value = node->items[i];

		if (!is_variable(name->text))
			spec_error(reader->errors, name->place,
				"`%s`: expected the name of a variable (A-Z a-z 0-9 _), found %s", key->name,
				node_what(name, reader->arena));
		else if (value->kind != NODE_TEXT || node_is_null(value))
			spec_error(reader->errors, value->place,
				"`%s`: expected the value of %s, found %s (\"\" for empty)", key->name,
				name->text, node_what(value, reader->arena));
		else
			words_addf(field, reader->arena, "%s=%s", name->text, value->text);
	}
}

void read_words(struct reader *reader, const struct key *key, const struct node *node, void *field)
{
	switch (key->type) {
	case KEY_FLAGS:
	case KEY_COMMAND:
		read_flags(reader, key, node, field);
		break;
	case KEY_ENV:
		read_env(reader, key, node, field);
		break;
	default:
		read_list(reader, key, node, field);
	}
}
