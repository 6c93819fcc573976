#include "spec/matrix.h"

#include <string.h>

#include "base/file.h"

static void ignore(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	/* baseline, include and exclude are read last, whatever the order in the file: they name variants */
	(void)reader, (void)key, (void)node, (void)matrix;
}

static const struct key matrix_keys[] = {
	{.name = "title", .type = KEY_TEXT, .offset = offsetof(struct spec_matrix, title)},
	{.name = "workloads",
		.type = KEY_READ,
		.required = true,
		.read = matrix_read_workloads,
		.form = "a list of workloads: names, patterns, tag:NAME"},
	{.name = "toolchains", .type = KEY_READ, .read = matrix_read_toolchains, .form = "[all]"},
	{.name = "slots",
		.type = KEY_READ,
		.read = matrix_read_slots,
		.form = "a list of names, such as [gcc, clang-14]"},
	{.name = "baseline", .type = KEY_READ, .read = ignore},
	{.name = "variants",
		.type = KEY_READ,
		.read = matrix_read_variants,
		.form = "a mapping such as {O2: {cflags: -O2}}"},
	{.name = "axes",
		.type = KEY_READ,
		.read = matrix_read_axes,
		.form = "a mapping such as {opt: {O2: {cflags: -O2}, O3: {cflags: -O3}}}"},
	{.name = "include", .type = KEY_READ, .read = ignore},
	{.name = "exclude", .type = KEY_READ, .read = ignore},
	{.name = "copies",
		.type = KEY_READ,
		.read = matrix_read_copies,
		.form = "a list such as [1, cores, cpus]"},
	{.name = "args",
		.type = KEY_READ,
		.read = matrix_read_args,
		.form = "a list of parameters such as [{n: 4, m: 2}]"},
	{.name = "measure", .type = KEY_READ, .read = matrix_read_measure},
};

/* One of two keys, not both. */
static void exactly_one(struct reader *reader, const struct node *root, const char *a, const char *b)
{
	bool have_a = node_get(root, a) != NULL, have_b = node_get(root, b) != NULL;

	if (!have_a && !have_b)
		spec_error(reader->errors, root->place,
			"the key `%s` or `%s` is missing; a matrix needs one of them", a, b);
	else if (have_a && have_b)
		spec_error(reader->errors, node_get(root, b)->place,
			"`%s` and `%s` cannot stand in one matrix; remove one", a, b);
}

static void read_root(struct reader *reader, const struct node *root, struct spec_matrix *matrix)
{
	static const struct spec_copies one = {COPIES_NUMBER, 1, {0}};

	read_map(reader, root, "a matrix", KEYS(matrix_keys), matrix);
	if (root->kind != NODE_MAP)
		return;
	exactly_one(reader, root, "variants", "axes");
	exactly_one(reader, root, "slots", "toolchains");
	if (matrix->axis_count > 0 && matrix->variant_count == 0)
		matrix_multiply_axes(reader, node_get(root, "axes")->place, matrix);
	if (matrix->variant_count > 0) { /* else they would be complained about for nothing of theirs */
		matrix_read_filters(reader, node_get(root, "include"), true, matrix);
		matrix_read_filters(reader, node_get(root, "exclude"), false, matrix);
		matrix_read_baseline(reader, node_get(root, "baseline"), root->place, matrix);
	}
	if (matrix->copies_count == 0) {
		matrix->copies = arena_new(reader->arena, struct spec_copies);
		matrix->copies[0] = one;
		matrix->copies_count = 1;
	}
}

static const char *name_of(struct arena *arena, const char *path)
{
	const char *file = file_name(path);

	return text_ends(file, ".yaml") ? arena_strndup(arena, file, strlen(file) - 5)
					: arena_strdup(arena, file);
}

static int read_tree(const struct node *root, const char *path, const char *text, struct reader *reader,
	struct spec_matrix *out, size_t errors_before)
{
	struct spec_matrix matrix = {.measure = spec_measure_defaults()};

	if (root == NULL)
		return -1;
	matrix.place = root->place;
	matrix.name = name_of(reader->arena, path);
	matrix.text = text;
	read_root(reader, root, &matrix);
	if (matrix.title == NULL)
		matrix.title = matrix.name;
	*out = matrix;
	return reader->errors->n == errors_before ? 0 : -1;
}

int spec_read_matrix(
	const char *path, struct arena *arena, struct spec_matrix *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	size_t before = errors->n;
	const char *text = NULL;
	const struct node *root = tree_read(path, arena, errors, &text);

	return read_tree(root, path, text, &reader, out, before);
}

int spec_read_matrix_bytes(const char *bytes, size_t count, const char *path, struct arena *arena,
	struct spec_matrix *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	size_t before = errors->n;
	char *file = arena_strdup(arena, path);
	const struct node *root = tree_parse(bytes, count, file, arena, errors);

	return read_tree(
		root, file, root != NULL ? arena_strndup(arena, bytes, count) : NULL, &reader, out, before);
}
