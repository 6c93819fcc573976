#include "compare/decompose_design.h"

#include <string.h>

#include "base/buf.h"
#include "spec/spec.h"

#define EXAMPLE                                                                                              \
	"axes: {opt: {O2: {cflags: -O2}, O3: {cflags: -O3}}, link: {plain: {}, lto: {cflags: -flto, "        \
	"ldflags: "                                                                                          \
	"-flto}}}, with baseline: O2+plain"

static int no_axes(const struct record *record, struct error *e)
{
	const char *name = record->plan.matrix_name;

	if (record->plan.matrix_text == NULL || record->plan.matrix_text[0] == '\0')
		return error_set(e, EXIT_USAGE,
			"--decompose: the record keeps no matrix, so that it is not known which flags its "
			"cells "
			"share; a run of a matrix with `axes:` can be taken apart");
	return error_set(e, EXIT_USAGE,
		"--decompose: the matrix %s of this record has no axes: it lists variants, and what two of "
		"them "
		"share is not known. Write its flags as axes instead of variants, run it, and ask again; an "
		"example: %s",
		name != NULL ? name : "", EXAMPLE);
}

static int read_matrix(
	const struct record *record, struct arena *arena, struct spec_matrix *matrix, struct error *e)
{
	struct spec_errors errors = {.arena = arena};
	const char *text = record->plan.matrix_text;

	if (text == NULL || text[0] == '\0')
		return no_axes(record, e);
	if (spec_read_matrix_bytes(text, strlen(text), "the record's matrix", arena, matrix, &errors) != 0) {
		spec_errors_to_error(&errors, e);
		return error_context(e, "--decompose: the matrix that the record keeps cannot be read");
	}
	return matrix->axis_count > 0 ? 0 : no_axes(record, e);
}

static void add_flags(struct buf *out, const char *before, const struct words *flags, struct arena *arena)
{
	if (flags->n > 0)
		buf_addf(out, "%s%s%s", out->n > 0 ? "; " : "", before, words_join(flags, arena));
}

static const char *flags_of(const struct spec_variant *value, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	add_flags(&out, "", &value->cflags, arena);
	add_flags(&out, "C++: ", &value->cxxflags, arena);
	add_flags(&out, "link: ", &value->ldflags, arena);
	add_flags(&out, "environment: ", &value->env, arena);
	text = arena_strdup(arena, out.n > 0 ? buf_text(&out) : "(none)");
	buf_release(&out);
	return text;
}

static bool name_is_unique(const struct spec_matrix *matrix, const char *name)
{
	size_t seen = 0;

	for (size_t i = 0; i < matrix->axis_count; i++)
		for (size_t k = 0; k < matrix->axes[i].value_count; k++)
			seen += strcmp(matrix->axes[i].values[k].name, name) == 0;
	return seen == 1;
}

static void copy_axes(const struct spec_matrix *matrix, struct arena *arena, struct design *design)
{
	design->axis_count = matrix->axis_count;
	design->axes = arena_array(arena, matrix->axis_count, sizeof(*design->axes));
	design->combinations = 1;
	for (size_t i = matrix->axis_count; i-- > 0;) {
		const struct spec_axis *from = &matrix->axes[i];
		struct design_axis *axis = &design->axes[i];

		*axis = (struct design_axis){.name = from->name,
			.values = arena_array(arena, from->value_count, sizeof(*axis->values)),
			.value_count = from->value_count,
			.stride = design->combinations};
		design->combinations *= from->value_count;
		for (size_t k = 0; k < from->value_count; k++) {
			const char *name = from->values[k].name;

			axis->values[k] = (struct design_value){name,
				name_is_unique(matrix, name) ? name
							     : arena_printf(arena, "%s=%s", from->name, name),
				flags_of(&from->values[k], arena)};
		}
	}
}

size_t design_value(const struct design *design, size_t combination, size_t axis)
{
	return combination / design->axes[axis].stride % design->axes[axis].value_count;
}

size_t design_with(const struct design *design, size_t combination, size_t axis, size_t value)
{
	size_t stride = design->axes[axis].stride;

	return combination - design_value(design, combination, axis) * stride + value * stride;
}

char *design_name(const struct design *design, size_t combination, struct arena *arena)
{
	struct buf out = {0};
	char *name;

	for (size_t i = 0; i < design->axis_count; i++)
		buf_addf(&out, "%s%s", i > 0 ? "+" : "",
			design->axes[i].values[design_value(design, combination, i)].name);
	name = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return name;
}

/* The axis' value whose name is the n letters at `name`, or value_count. */
static size_t find_value(const struct design_axis *axis, const char *name, size_t n)
{
	size_t k = 0;

	while (k < axis->value_count &&
		(strncmp(axis->values[k].name, name, n) != 0 || axis->values[k].name[n] != '\0'))
		k++;
	return k;
}

int64_t design_find(const struct design *design, const char *variant)
{
	size_t combination = 0;

	for (size_t i = 0; i < design->axis_count; i++) {
		const struct design_axis *axis = &design->axes[i];
		size_t n = strcspn(variant, "+"), value = find_value(axis, variant, n);
		bool last = i + 1 == design->axis_count;

		if (value == axis->value_count || (variant[n] == '\0') != last)
			return -1;
		combination += value * axis->stride;
		variant += n + !last;
	}
	return (int64_t)combination;
}

/* An entry with a variant of its own makes one that is on no axis; all others act on combinations. */
static bool acts_on_axes(const struct design *design, const struct spec_filter *entry)
{
	bool adds = entry->cflags.n > 0 || entry->ldflags.n > 0;

	return adds && (entry->variant == NULL || strpbrk(entry->variant, "*?[") != NULL ||
			       design_find(design, entry->variant) >= 0);
}

static int unknown_variant(const struct design *design, const char *option, const char *variant,
	struct arena *arena, struct error *e)
{
	const char **names = arena_array(arena, design->combinations, sizeof(*names));
	const char *nearest;

	for (size_t i = 0; i < design->combinations; i++)
		names[i] = design_name(design, i, arena);
	nearest = text_nearest(variant, names, design->combinations);
	error_set(e, EXIT_USAGE,
		"%s: \"%s\" is no combination of the matrix' axes, which are values of all of them, in their "
		"order, joined by +",
		option, variant);
	return error_advice(e, "%s %s", nearest != NULL ? "did you mean" : "such as",
		nearest != NULL ? arena_printf(arena, "%s?", nearest) : names[design->combinations - 1]);
}

/* The combination of the option's variant, or the fallback without one. */
static int choose(const struct design *design, const char *option, const char *variant, size_t fallback,
	struct arena *arena, size_t *combination, struct error *e)
{
	int64_t found = variant != NULL ? design_find(design, variant) : (int64_t)fallback;

	if (found < 0)
		return unknown_variant(design, option, variant, arena, e);
	*combination = (size_t)found;
	return 0;
}

int design_of_record(const struct record *record, const char *reference, const char *target,
	struct arena *arena, struct design *design, struct error *e)
{
	struct spec_matrix matrix = {0};

	*design = (struct design){0};
	if (read_matrix(record, arena, &matrix, e) != 0)
		return -1;
	copy_axes(&matrix, arena, design);
	for (size_t i = 0; i < matrix.include_count; i++)
		design->included = design->included || acts_on_axes(design, &matrix.include[i]);
	if (design->combinations < 2)
		return error_set(e, EXIT_NOTHING,
			"--decompose: every axis of the matrix has one value: no flag differs, so that there "
			"is "
			"nothing to compare");
	if (choose(design, "--baseline", reference != NULL ? reference : matrix.baseline.text, 0, arena,
		    &design->reference, e) != 0 ||
		choose(design, "--decompose", target, design->combinations - 1, arena, &design->target, e) !=
			0)
		return -1;
	design->reference_name = design_name(design, design->reference, arena);
	design->target_name = design_name(design, design->target, arena);
	if (design->target == design->reference)
		return error_set(e, EXIT_USAGE,
			"--decompose: %s is the baseline itself; name another combination, such as "
			"--decompose=%s",
			design->target_name,
			design_name(design, design->reference == 0 ? design->combinations - 1 : 0, arena));
	for (size_t i = 0; i < design->axis_count; i++) {
		design->axes[i].reference = design_value(design, design->reference, i);
		design->axes[i].target = design_value(design, design->target, i);
	}
	return 0;
}
