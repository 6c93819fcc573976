#include "spec/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Keys of include and exclude: an axis of that name could not be named there. */
static bool is_reserved(const char *name)
{
	static const char *const reserved[] = {
		"workload", "toolchain", "variant", "copies", "args", "cflags", "ldflags"};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

/* With + inside a value's name, a joined name could be read in two ways. */
static void refuse_plus(struct reader *reader, const struct spec_axis *axis)
{
	for (size_t i = 0; i < axis->value_count; i++)
		if (strchr(axis->values[i].name, '+') != NULL)
			spec_error(reader->errors, axis->values[i].place,
				"the value `%s` of an axis has a + in its name, which joins the names of "
				"values; rename it",
				axis->values[i].name);
}

void matrix_read_axes(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	struct spec_matrix *m = matrix;

	if (node->kind != NODE_MAP || node->n == 0) {
		read_expected(
			reader, key->name, node, node->kind == NODE_MAP ? "at least one axis" : key->form);
		return;
	}
	m->axes = arena_array(reader->arena, node->n, sizeof(*m->axes));
	for (size_t i = 0; i < node->n; i++) {
		struct spec_axis *axis = &m->axes[m->axis_count];
		const struct node *values = node->items[i];

		axis->name = read_name(reader, node->keys[i], "the name of an axis");
		if (axis->name != NULL && is_reserved(axis->name))
			spec_error(reader->errors, node->keys[i]->place,
				"an axis cannot be called `%s`, which is a key of include and exclude; "
				"rename it",
				axis->name);
		if (values->kind != NODE_MAP || values->n == 0) {
			read_expected(reader, node->keys[i]->text, values,
				"a mapping of values, such as {O2: {cflags: -O2}}");
			continue;
		}
		axis->values = matrix_read_flag_sets(reader, values, "value of an axis", &axis->value_count);
		refuse_plus(reader, axis);
		m->axis_count += axis->name != NULL && axis->value_count > 0;
	}
	read_refuse_case_twins(reader, node);
}

/* The same words without room behind them, so that adding to one holder's list cannot write into another's. */
static struct words shared(const struct words *words)
{
	return (struct words){words->v, words->n, words->v != NULL ? words->n + 1 : 0};
}

/* a, b joined by sharing their texts: a product has 100,000 variants whose flags are the same few. */
static struct words joined(struct arena *arena, const struct words *a, const struct words *b)
{
	struct words both = {0};

	if (b->v == NULL || a->v == NULL)
		return shared(b->v == NULL ? a : b);
	both.n = a->n + b->n;
	both.cap = both.n + 1;
	both.v = arena_array(arena, both.cap, sizeof(*both.v));
	memcpy(both.v, a->v, a->n * sizeof(*both.v));
	memcpy(both.v + a->n, b->v, b->n * sizeof(*both.v));
	return both;
}

/* A variable set by two axes has the value of the later one. */
static struct words joined_env(struct arena *arena, const struct words *a, const struct words *b)
{
	struct words both = {0};

	if (a->n == 0 || b->n == 0)
		return joined(arena, a, b);
	for (size_t i = 0; i < a->n; i++) {
		size_t name = strcspn(a->v[i], "=") + 1;
		bool again = false;

		for (size_t k = 0; k < b->n; k++)
			again |= strncmp(a->v[i], b->v[k], name) == 0;
		if (!again)
			words_add(&both, arena, a->v[i]);
	}
	words_add_all(&both, arena, b);
	return both;
}

/* What both are for; where nothing is left it is for `none`, a name that no slot and no family has. */
static struct spec_words common(struct arena *arena, const struct spec_words *a, const struct spec_words *b)
{
	struct spec_words both = {0};

	if (a->n == 0 || b->n == 0)
		return a->n == 0 ? *b : *a;
	both.v = arena_array(arena, a->n + 1, sizeof(*both.v));
	for (size_t i = 0; i < a->n; i++) {
		size_t k = 0;

		while (k < b->n && strcmp(a->v[i].text, b->v[k].text) != 0)
			k++;
		if (k < b->n)
			both.v[both.n++] = a->v[i];
	}
	if (both.n == 0)
		both.v[both.n++] = (struct spec_word){"none", a->v[0].place};
	return both;
}

static void add_value(struct arena *arena, struct spec_variant *variant, const struct spec_variant *value)
{
	variant->cflags = joined(arena, &variant->cflags, &value->cflags);
	variant->cxxflags = joined(arena, &variant->cxxflags, &value->cxxflags);
	variant->ldflags = joined(arena, &variant->ldflags, &value->ldflags);
	variant->env = joined_env(arena, &variant->env, &value->env);
	variant->only = common(arena, &variant->only, &value->only);
	if (variant->arch == NULL)
		variant->arch = value->arch;
	else if (value->arch != NULL && strcmp(variant->arch, value->arch) != 0)
		variant->arch =
			arena_printf(arena, "%s+%s", variant->arch, value->arch); /* no machine is both */
	if (value->check_rel > variant->check_rel)
		variant->check_rel = value->check_rel;
}

/* Variant `at` of the product: the last axis turns fastest. */
static void multiply_one(struct reader *reader, const struct spec_matrix *matrix, size_t at, struct buf *name,
	struct spec_variant *variant)
{
	size_t weight = matrix->variant_count;

	*variant = (struct spec_variant){.check_rel = -1};
	buf_clear(name);
	for (size_t i = 0; i < matrix->axis_count; i++) {
		const struct spec_axis *axis = &matrix->axes[i];
		const struct spec_variant *value;

		weight /= axis->value_count;
		value = &axis->values[at / weight % axis->value_count];
		if (i > 0)
			buf_addc(name, '+');
		buf_adds(name, value->name);
		if (i == 0)
			variant->place = value->place;
		add_value(reader->arena, variant, value);
	}
	variant->name = arena_strdup(reader->arena, buf_text(name));
}

void matrix_multiply_axes(struct reader *reader, struct spec_place place, struct spec_matrix *matrix)
{
	size_t count = 1;
	struct buf name = {0};

	for (size_t i = 0; i < matrix->axis_count; i++) {
		if (matrix->axes[i].value_count > PRODUCT_MAX / count) {
			spec_error(reader->errors, place,
				"the product of the axes has more than %d variants; take values away",
				PRODUCT_MAX);
			return;
		}
		count *= matrix->axes[i].value_count;
	}
	matrix->variants = arena_array(reader->arena, count, sizeof(*matrix->variants));
	matrix->variant_count = count;
	for (size_t i = 0; i < count; i++)
		multiply_one(reader, matrix, i, &name, &matrix->variants[i]);
	for (size_t i = 0; i < count; i++) {
		if (text_is_name(matrix->variants[i].name))
			continue;
		spec_error(reader->errors, place,
			"the variant `%s` has %zu letters in its joined name, more than 64; shorten the "
			"names of values",
			matrix->variants[i].name, strlen(matrix->variants[i].name));
		break;
	}
	buf_release(&name);
}

const char *matrix_axis_value(struct reader *reader, const struct spec_axis *axis, const struct node *node)
{
	const char **names = arena_array(reader->arena, axis->value_count + 1, sizeof(*names));
	const char *text = node->kind == NODE_TEXT && !node_is_null(node) ? node->text : NULL;

	for (size_t i = 0; i < axis->value_count; i++) {
		names[i] = axis->values[i].name;
		if (text != NULL && text_glob(text, names[i]))
			return text;
	}
	if (text == NULL)
		read_expected(reader, axis->name, node, "a value of this axis");
	else
		read_unknown(reader, node->place,
			arena_printf(reader->arena, "value of the axis `%s`:", axis->name), text, names,
			axis->value_count);
	return NULL;
}
