#include "spec/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

static bool is_pattern(const char *text)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-*?[]!";

	return text[0] != '\0' && strlen(text) <= 128 && text[strspn(text, allowed)] == '\0';
}

void matrix_read_workloads(
	struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	const struct key list = {key->name, KEY_PLACED, .form = key->form};
	struct spec_words *words = &((struct spec_matrix *)matrix)->workloads;

	read_value(reader, &list, node, words);
	for (size_t i = 0; i < words->n; i++) {
		const char *text = words->v[i].text;

		if (text_starts(text, "tag:") ? !text_is_name(text + 4) : !is_pattern(text))
			spec_error(reader->errors, words->v[i].place,
				"`workloads`: expected a name, a pattern such as \"sort*\" or tag:NAME, "
				"found the text `%s`",
				text);
	}
}

void matrix_read_slots(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	const struct key list = {key->name, KEY_PLACED, .form = key->form};
	struct spec_words *words = &((struct spec_matrix *)matrix)->slots;

	read_value(reader, &list, node, words);
	for (size_t i = 0; i < words->n; i++) {
		const char *text = words->v[i].text;

		if (strcmp(text, "all") == 0)
			spec_error(reader->errors, words->v[i].place,
				"`slots`: `all` is not a slot; write `toolchains: [all]` instead of `slots`");
		else if (strcmp(text, "none") == 0)
			spec_error(reader->errors, words->v[i].place,
				"`slots`: the name `none` is reserved for cells on which flags do not act");
		else if (!text_is_name(text))
			spec_error(reader->errors, words->v[i].place,
				"`slots`: expected the name of a slot, such as gcc or clang-14, found the "
				"text `%s`",
				text);
	}
}

void matrix_read_toolchains(
	struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	const struct node *only = node->kind == NODE_LIST && node->n == 1 ? node->items[0] : node;

	if (only->kind == NODE_TEXT && strcmp(only->text, "all") == 0 && node->kind == NODE_LIST)
		((struct spec_matrix *)matrix)->all_toolchains = true;
	else
		spec_error(reader->errors, only->place,
			"`%s`: expected %s, found %s; name the ones you want with `slots: [gcc, clang-14]`",
			key->name, key->form, node_what(only, reader->arena));
}

bool matrix_parse_copies(const char *text, struct spec_copies *copies)
{
	uint64_t number = 0;

	copies->number = 0;
	if (strcmp(text, "cores") == 0) {
		copies->kind = COPIES_CORES;
	} else if (strcmp(text, "cpus") == 0) {
		copies->kind = COPIES_CPUS;
	} else if (num_parse_u64(text, &number) && number >= 1 && number <= 65536) {
		copies->kind = COPIES_NUMBER;
		copies->number = (uint32_t)number;
	} else {
		return false;
	}
	return true;
}

/* Each entry multiplies the cells; a thousand of them is a slip or an attack. */
static bool few_enough(struct reader *reader, const struct key *key, const struct node *list)
{
	enum { ENTRIES_MAX = 1000 };

	if (list->n > ENTRIES_MAX)
		spec_error(reader->errors, list->place, "`%s`: %zu entries are more than the %d allowed",
			key->name, list->n, ENTRIES_MAX);
	return list->n <= ENTRIES_MAX;
}

static bool same_copies(const struct spec_copies *a, const struct spec_copies *b)
{
	return a->kind == b->kind && a->number == b->number;
}

void matrix_read_copies(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	struct spec_matrix *m = matrix;

	if (!read_is_list(reader, key, node) || !few_enough(reader, key, node))
		return;
	m->copies = arena_array(reader->arena, node->n, sizeof(*m->copies));
	for (size_t i = 0; i < node->n; i++) {
		struct spec_copies *copies = &m->copies[m->copies_count];
		const struct node *item = node->items[i];
		size_t first = 0;

		copies->place = item->place;
		if (item->kind != NODE_TEXT || !matrix_parse_copies(item->text, copies)) {
			read_expected(reader, key->name, item, "a number from 1 to 65536, `cores` or `cpus`");
			continue;
		}
		while (!same_copies(&m->copies[first], copies))
			first++;
		if (first < m->copies_count)
			spec_error(reader->errors, item->place,
				"`%s`: `%s` stands in the list twice; the first is at line %u, column %u",
				key->name, item->text, m->copies[first].place.line,
				m->copies[first].place.column);
		else
			m->copies_count++;
	}
}

/* By name: bytes alone would put n2=1 before n=1. */
static int by_name(const void *a, const void *b)
{
	const char *p = *(char *const *)a, *q = *(char *const *)b;
	size_t n = strcspn(p, "="), m = strcspn(q, "=");
	int order = memcmp(p, q, n < m ? n : m);

	return order != 0 ? order : (n > m) - (n < m);
}

static bool is_assignment(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
	size_t name = strspn(text, allowed), value;

	if (name == 0 || name > 64 || text[name] != '=' || strchr("._+-", text[0]) != NULL)
		return false;
	value = strspn(text + name + 1, allowed);
	return value > 0 && value <= 64 && text[name + 1 + value] == '\0';
}

/* The parts of "n=4,m=2" or of {n: 4, m: 2} as NAME=VALUE. */
static void split_args(struct arena *arena, const struct node *node, struct words *parts)
{
	const char *p = node->kind == NODE_TEXT ? node->text : "";

	for (size_t i = 0; node->kind == NODE_MAP && i < node->n; i++)
		words_addf(parts, arena, "%s=%s", node->keys[i]->text,
			node->items[i]->kind == NODE_TEXT ? node->items[i]->text : "");
	while (node->kind == NODE_TEXT) {
		size_t n = strcspn(p, ",");

		words_addf(parts, arena, "%.*s", (int)n, p);
		if (p[n] == '\0')
			break;
		p += n + 1;
	}
}

const char *matrix_sorted_args(struct reader *reader, const struct node *node)
{
	struct words parts = {0};
	struct buf joined = {0};
	const char *text = NULL;

	split_args(reader->arena, node, &parts);
	for (size_t i = 0; i < parts.n || i == 0; i++) {
		if (parts.n > 0 && is_assignment(parts.v[i]))
			continue;
		read_expected(reader, "args", node, "parameters such as {n: 4, m: 2} or \"n=4,m=2\"");
		return NULL;
	}
	qsort(parts.v, parts.n, sizeof(*parts.v), by_name);
	for (size_t i = 0; i < parts.n; i++) {
		size_t name = strcspn(parts.v[i], "=") + 1;

		if (i > 0 && strncmp(parts.v[i - 1], parts.v[i], name) == 0)
			spec_error(reader->errors, node->place, "`args`: the parameter `%.*s` is given twice",
				(int)name - 1, parts.v[i]);
		buf_addf(&joined, "%s%s", i > 0 ? "," : "", parts.v[i]);
	}
	text = arena_strdup(reader->arena, buf_text(&joined));
	buf_release(&joined);
	return text;
}

void matrix_read_args(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	struct spec_words *args = &((struct spec_matrix *)matrix)->args;

	if (!read_is_list(reader, key, node) || !few_enough(reader, key, node))
		return;
	args->v = arena_array(reader->arena, node->n, sizeof(*args->v));
	for (size_t i = 0; i < node->n; i++) {
		const char *text = matrix_sorted_args(reader, node->items[i]);
		bool again = false;

		for (size_t k = 0; text != NULL && k < args->n; k++)
			again |= strcmp(args->v[k].text, text) == 0;
		if (again)
			spec_error(reader->errors, node->items[i]->place,
				"`args`: `%s` stands in the list twice", text);
		else if (text != NULL)
			args->v[args->n++] = (struct spec_word){text, node->items[i]->place};
	}
}

/* {opt: O2, lto: off} as the joined name, or NULL with the errors added. */
static const char *joined_baseline(
	struct reader *reader, const struct node *node, const struct spec_matrix *matrix)
{
	const char **axes = arena_array(reader->arena, matrix->axis_count + 1, sizeof(*axes));
	struct buf joined = {0};
	size_t before = reader->errors->n;
	const char *text;

	for (size_t i = 0; i < matrix->axis_count; i++) {
		const struct node *value = node_get(node, matrix->axes[i].name);
		const char *name = value != NULL ? matrix_axis_value(reader, &matrix->axes[i], value) : NULL;

		axes[i] = matrix->axes[i].name;
		if (value == NULL)
			spec_error(reader->errors, node->place,
				"`baseline`: the axis `%s` is missing; give its value", axes[i]);
		buf_addf(&joined, "%s%s", i > 0 ? "+" : "", name != NULL ? name : "");
	}
	for (size_t i = 0; i < node->n; i++) {
		bool known = false;

		for (size_t k = 0; k < matrix->axis_count; k++)
			known |= strcmp(axes[k], node->keys[i]->text) == 0;
		if (!known)
			read_unknown(reader, node->keys[i]->place, "axis", node->keys[i]->text, axes,
				matrix->axis_count);
	}
	text = reader->errors->n == before ? arena_strdup(reader->arena, buf_text(&joined)) : NULL;
	buf_release(&joined);
	return text;
}

static const char *baseline_text(
	struct reader *reader, const struct node *node, const struct spec_matrix *matrix)
{
	if (node->kind == NODE_TEXT && !node_is_null(node))
		return node->text;
	if (node->kind == NODE_MAP && matrix->axis_count > 0)
		return joined_baseline(reader, node, matrix);
	read_expected(reader, "baseline", node, "the name of a variant");
	return NULL;
}

void matrix_read_baseline(
	struct reader *reader, const struct node *node, struct spec_place root, struct spec_matrix *matrix)
{
	const char **names = arena_array(reader->arena, matrix->variant_count, sizeof(*names));
	const char *text;

	if (node == NULL && matrix->variant_count == 1) { /* there is but one choice */
		matrix->baseline = (struct spec_word){matrix->variants[0].name, matrix->variants[0].place};
		return;
	}
	if (node == NULL) {
		spec_error(reader->errors, root,
			"the key `baseline` is missing; it names the variant that effects are relative to");
		return;
	}
	text = baseline_text(reader, node, matrix);
	for (size_t i = 0; text != NULL && i < matrix->variant_count; i++) {
		names[i] = matrix->variants[i].name;
		if (strcmp(names[i], text) == 0) {
			matrix->baseline = (struct spec_word){names[i], node->place};
			return;
		}
	}
	if (text != NULL)
		read_unknown(
			reader, node->place, "variant in `baseline`:", text, names, matrix->variant_count);
}
