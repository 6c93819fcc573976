#include "spec/matrix.h"

#include <string.h>

static void read_copies(struct reader *reader, const struct key *key, const struct node *node, void *filter)
{
	struct spec_copies copies;

	if (node->kind == NODE_TEXT && matrix_parse_copies(node->text, &copies))
		((struct spec_filter *)filter)->copies = node->text;
	else
		read_expected(reader, key->name, node, "a number from 1, `cores` or `cpus`");
}

static void read_args(struct reader *reader, const struct key *key, const struct node *node, void *filter)
{
	(void)key;
	((struct spec_filter *)filter)->args = matrix_sorted_args(reader, node);
}

static const struct key filter_keys[] = {
	{.name = "workload",
		.type = KEY_VERBATIM,
		.offset = offsetof(struct spec_filter, workload),
		.form = "a workload or a pattern"},
	{.name = "toolchain",
		.type = KEY_VERBATIM,
		.offset = offsetof(struct spec_filter, toolchain),
		.form = "a slot, a family or a pattern"},
	{.name = "variant",
		.type = KEY_VERBATIM,
		.offset = offsetof(struct spec_filter, variant),
		.form = "a variant or a pattern"},
	{.name = "copies", .type = KEY_READ, .read = read_copies},
	{.name = "args", .type = KEY_READ, .read = read_args},
	/* the last two are keys of include only */
	{.name = "cflags", .type = KEY_FLAGS, .offset = offsetof(struct spec_filter, cflags)},
	{.name = "ldflags", .type = KEY_FLAGS, .offset = offsetof(struct spec_filter, ldflags)},
};
enum { FILTER_KEYS = sizeof(filter_keys) / sizeof(filter_keys[0]), INCLUDE_ONLY = 2 };

/* A filter while it is read: the axes are found through it. */
struct draft {
	struct spec_filter filter; /* first: the table's offsets count from here */
	const struct spec_matrix *matrix;
};

static void read_axis(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
	struct draft *draft = target;

	for (size_t i = 0; i < draft->matrix->axis_count; i++) {
		const struct spec_axis *axis = &draft->matrix->axes[i];
		const char *value;

		if (strcmp(axis->name, key->name) != 0)
			continue;
		value = matrix_axis_value(reader, axis, node);
		if (value == NULL)
			return;
		words_add(&draft->filter.axis_names, reader->arena, axis->name);
		words_add(&draft->filter.axis_values, reader->arena, value);
	}
}

/* The table above, without what is not for exclude, and one key an axis. */
static const struct key *keys_for(
	struct reader *reader, const struct spec_matrix *matrix, bool is_include, size_t *count)
{
	size_t fixed = is_include ? FILTER_KEYS : FILTER_KEYS - INCLUDE_ONLY;
	struct key *keys = arena_array(reader->arena, fixed + matrix->axis_count, sizeof(*keys));

	memcpy(keys, filter_keys, fixed * sizeof(*keys));
	for (size_t i = 0; i < matrix->axis_count; i++)
		keys[fixed + i] = (struct key){matrix->axes[i].name, KEY_READ, .read = read_axis};
	*count = fixed + matrix->axis_count;
	return keys;
}

static bool matches_variant(const struct spec_matrix *matrix, const char *pattern)
{
	for (size_t i = 0; i < matrix->variant_count; i++)
		if (text_glob(pattern, matrix->variants[i].name))
			return true;
	for (size_t i = 0; i < matrix->include_count; i++) /* an include may have made it */
		if (matrix->include[i].variant != NULL && text_glob(pattern, matrix->include[i].variant))
			return true;
	return false;
}

static void unknown_variant(struct reader *reader, const struct spec_matrix *matrix, const struct node *node)
{
	const char **names = arena_array(reader->arena, matrix->variant_count, sizeof(*names));

	for (size_t i = 0; i < matrix->variant_count; i++)
		names[i] = matrix->variants[i].name;
	read_unknown(reader, node->place, "variant", node->text, names, matrix->variant_count);
}

static bool matches_slot(const struct spec_matrix *matrix, const char *pattern)
{
	for (size_t i = 0; i < matrix->slots.n; i++)
		if (text_glob(pattern, matrix->slots.v[i].text))
			return true;
	return false;
}

static void check_variant(struct reader *reader, const struct node *entry, bool is_include,
	const struct spec_matrix *matrix, const struct spec_filter *filter)
{
	bool adds = filter->cflags.v != NULL || filter->ldflags.v != NULL;

	if (filter->variant != NULL && !matches_variant(matrix, filter->variant)) {
		/* an include may name a new one, but not by a pattern; `none` has another meaning */
		if (!is_include || !text_is_name(filter->variant) || strcmp(filter->variant, "none") == 0)
			unknown_variant(reader, matrix, node_get(entry, "variant"));
	} else if (is_include && !adds) {
		spec_error(reader->errors, entry->place,
			"this entry of include adds nothing; give `cflags` or `ldflags`, or a new `variant`");
	}
}

static void check_filter(struct reader *reader, const struct node *entry, bool is_include,
	const struct spec_matrix *matrix, const struct spec_filter *filter)
{
	bool family = filter->toolchain != NULL && text_is_name(filter->toolchain);

	if (entry->n == 0)
		spec_error(reader->errors, entry->place,
			is_include ? "an empty entry of include adds nothing; remove it"
				   : "an empty entry would exclude every cell; name what to exclude");
	else
		check_variant(reader, entry, is_include, matrix, filter);
	/* a plain name may be a family, which the plan knows; a pattern over the slots must match one */
	if (filter->toolchain != NULL && !family && matrix->slots.n > 0 &&
		!matches_slot(matrix, filter->toolchain))
		spec_error(reader->errors, node_get(entry, "toolchain")->place,
			"the pattern `%s` matches none of the slots of this matrix", filter->toolchain);
}

void matrix_read_filters(
	struct reader *reader, const struct node *list, bool is_include, struct spec_matrix *matrix)
{
	const char *what = is_include ? "include" : "exclude";
	const struct key key = {
		what, KEY_READ, .form = "a list of mappings such as [{toolchain: tcc, variant: lto}]"};
	struct spec_filter *filters;
	const struct key *keys;
	size_t key_count;

	if (list == NULL)
		return;
	if (list->kind != NODE_LIST) {
		read_expected(reader, key.name, list, key.form);
		return;
	}
	keys = keys_for(reader, matrix, is_include, &key_count);
	filters = arena_array(reader->arena, list->n, sizeof(*filters));
	for (size_t i = 0; i < list->n; i++) {
		struct draft draft = {.filter = {.place = list->items[i]->place}, .matrix = matrix};
		size_t before = reader->errors->n;

		read_map(reader, list->items[i], arena_printf(reader->arena, "an entry of `%s`", what), keys,
			key_count, &draft);
		if (reader->errors->n == before) /* else it would be complained about twice */
			check_filter(reader, list->items[i], is_include, matrix, &draft.filter);
		filters[i] = draft.filter;
	}
	*(is_include ? &matrix->include : &matrix->exclude) = filters;
	*(is_include ? &matrix->include_count : &matrix->exclude_count) = list->n;
}
