#include "spec/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* What is read before it is checked: targets that the struct has no fitting place for. */
struct draft {
	struct spec_workload w;
	const char *kind, *better, *input;
};

static const char *const kinds[] = {"built-in", NULL};
static const char *const betters[] = {"higher", "lower", NULL};
static const char *const languages[] = {"c", "c++", NULL};

static void read_kind(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
	if (node->kind == NODE_TEXT && strcmp(node->text, "command") == 0)
		spec_error(reader->errors, node->place,
			"`kind: command` is not known to this version; it knows `kind: built-in` (the "
			"default)");
	else
		read_value(reader, &(struct key){key->name, KEY_CHOICE, .choices = kinds, .form = "built-in"},
			node, &((struct draft *)target)->kind);
}

/* Cells name parameters as n=4,m=2 behind a slash: nothing that parts these may stand in a value. */
static bool is_parameter_value(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";

	return text[0] != '\0' && strlen(text) <= 64 && text[strspn(text, allowed)] == '\0';
}

static void read_parameters(
	struct reader *reader, const struct key *key, const struct node *node, void *target)
{
	struct spec_workload *w = &((struct draft *)target)->w;

	if (node->kind != NODE_MAP) {
		read_expected(reader, key->name, node, "a mapping such as {n: 4}");
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		const char *name = read_name(reader, node->keys[i], "the name of a parameter");
		const struct node *value = node->items[i];

		if (value->kind != NODE_TEXT || node_is_null(value) || !is_parameter_value(value->text)) {
			spec_error(reader->errors, value->place,
				"`%s`: expected the default of a parameter (1 to 64 of A-Z a-z 0-9 . _ + -), "
				"found %s",
				key->name, node_what(value, reader->arena));
		} else if (name != NULL) {
			words_add(&w->parameter_names, reader->arena, name);
			words_add(&w->parameter_values, reader->arena, value->text);
		}
	}
}

static const struct key metric_keys[] = {
	{.name = "unit", .type = KEY_TEXT, .offset = offsetof(struct draft, w.unit), .required = true},
	{.name = "better",
		.type = KEY_CHOICE,
		.offset = offsetof(struct draft, better),
		.required = true,
		.choices = betters,
		.form = "higher or lower"},
};

static const struct key index_keys[] = {
	{.name = "suite", .type = KEY_NAME, .offset = offsetof(struct draft, w.suite), .required = true},
	{.name = "baseline",
		.type = KEY_DOUBLE,
		.offset = offsetof(struct draft, w.suite_baseline),
		.required = true,
		.min = 1e-12,
		.max = 1e18},
};

static const struct key check_keys[] = {
	{.name = "units",
		.type = KEY_U64,
		.offset = offsetof(struct draft, w.check_units),
		.required = true,
		.min = 1,
		.max = 0x1p53},
	{.name = "value",
		.type = KEY_VERBATIM,
		.offset = offsetof(struct draft, w.check_value),
		.required = true,
		.form = "the result as a text or a number"},
	{.name = "rel",
		.type = KEY_DOUBLE,
		.offset = offsetof(struct draft, w.check_rel),
		.min = 0,
		.max = 1},
};

static const struct key workload_keys[] = {
	{.name = "name", .type = KEY_NAME, .offset = offsetof(struct draft, w.name), .required = true},
	{.name = "kind", .type = KEY_READ, .read = read_kind},
	{.name = "title", .type = KEY_TEXT, .offset = offsetof(struct draft, w.title)},
	{.name = "description", .type = KEY_TEXT, .offset = offsetof(struct draft, w.description)},
	{.name = "tags",
		.type = KEY_NAMES,
		.offset = offsetof(struct draft, w.tags),
		.form = "a list of names"},
	{.name = "sources",
		.type = KEY_PLACED,
		.offset = offsetof(struct draft, w.sources),
		.required = true,
		.form = "a list of source files"},
	{.name = "includes",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, w.includes),
		.form = "a list of folders"},
	{.name = "defines",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, w.defines),
		.form = "a list of NAME or NAME=VALUE"},
	{.name = "cflags", .type = KEY_FLAGS, .offset = offsetof(struct draft, w.cflags)},
	{.name = "cxxflags", .type = KEY_FLAGS, .offset = offsetof(struct draft, w.cxxflags)},
	{.name = "ldflags", .type = KEY_FLAGS, .offset = offsetof(struct draft, w.ldflags)},
	{.name = "ldlibs", .type = KEY_FLAGS, .offset = offsetof(struct draft, w.ldlibs)},
	{.name = "language",
		.type = KEY_CHOICE,
		.offset = offsetof(struct draft, w.language),
		.choices = languages,
		.form = "c or c++"},
	{.name = "stdin", .type = KEY_TEXT, .offset = offsetof(struct draft, input)},
	{.name = "metric", .type = KEY_MAP, .required = true, .keys = metric_keys, .key_count = 2},
	{.name = "index", .type = KEY_MAP, .keys = index_keys, .key_count = 2},
	{.name = "check", .type = KEY_MAP, .keys = check_keys, .key_count = 3},
	{.name = "small",
		.type = KEY_U64,
		.offset = offsetof(struct draft, w.small),
		.min = 1,
		.max = 0x1p53},
	{.name = "timeout",
		.type = KEY_DURATION,
		.offset = offsetof(struct draft, w.timeout_ns),
		.min = 1e6,
		.max = 86400e9},
	{.name = "cpus", .type = KEY_U32, .offset = offsetof(struct draft, w.cpus), .min = 1, .max = 4096},
	{.name = "parameters", .type = KEY_READ, .read = read_parameters},
};

/* Where a path of the file leads to, if it is inside the folder; else NULL with the error added. */
static const char *inside(struct reader *reader, const char *folder, const char *what,
	struct spec_place place, const char *path)
{
	struct error e = {0};
	char *root = file_real(reader->arena, folder, NULL);
	char *real;

	if (path[0] == '/') {
		spec_error(reader->errors, place,
			"%s `%s` is an absolute path; write it relative to the workload's folder", what,
			path);
		return NULL;
	}
	real = file_real(reader->arena, file_join(reader->arena, folder, path), &e);
	if (real == NULL) {
		spec_error(reader->errors, place, "%s `%s` does not exist in the folder of workload.yaml",
			what, path);
		return NULL;
	}
	if (root == NULL || !text_starts(real, root) ||
		(real[strlen(root)] != '/' && real[strlen(root)] != '\0')) {
		spec_error(reader->errors, place,
			"%s `%s` leads out of the workload's folder; everything that is built must stand "
			"inside",
			what, path);
		return NULL;
	}
	return real;
}

static bool known_suffix(const char *path)
{
	static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".s", ".S"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (text_ends(path, suffixes[i]))
			return true;
	return false;
}

static void check_source(struct reader *reader, const struct spec_workload *w, const struct spec_word *source)
{
	const char *real = inside(reader, w->folder, "the source", source->place, source->text);

	if (real == NULL)
		return;
	if (file_is_folder(real))
		spec_error(reader->errors, source->place, "the source `%s` is a folder", source->text);
	else if (w->language == NULL && !known_suffix(source->text))
		spec_error(reader->errors, source->place,
			"the source `%s` has none of the suffixes .c .cc .cpp .cxx .c++ .C .s .S; rename it, "
			"or give "
			"`language: c` or `language: c++`",
			source->text);
}

static void check_input(
	struct reader *reader, struct spec_workload *w, const struct node *root, const char *input)
{
	const struct node *node = node_get(root, "stdin");
	const char *real =
		input != NULL ? inside(reader, w->folder, "the file for standard input", node->place, input)
			      : NULL;

	if (real != NULL && file_is_folder(real))
		spec_error(reader->errors, node->place, "`stdin`: `%s` is a folder", input);
	else
		w->stdin_path = real;
}

static bool is_define(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	size_t n = strspn(text, allowed);

	return n > 0 && (text[0] < '0' || text[0] > '9') && (text[n] == '\0' || text[n] == '=');
}

static void check_workload(struct reader *reader, struct spec_workload *w, const struct node *root)
{
	const struct node *node = node_get(root, "includes");

	for (size_t i = 0; i < w->sources.n; i++)
		check_source(reader, w, &w->sources.v[i]);
	for (size_t i = 0; i < w->includes.n; i++) {
		const char *real = inside(reader, w->folder, "the folder", node->place, w->includes.v[i]);

		if (real != NULL && !file_is_folder(real))
			spec_error(reader->errors, node->place, "`includes`: `%s` is not a folder",
				w->includes.v[i]);
	}
	for (size_t i = 0; i < w->defines.n; i++)
		if (!is_define(w->defines.v[i]))
			spec_error(reader->errors, node_get(root, "defines")->place,
				"`defines`: expected NAME or NAME=VALUE, found `%s`", w->defines.v[i]);
	node = node_get(root, "metric");
	if (w->unit != NULL && (w->unit[0] == '\0' || strlen(w->unit) > 32))
		spec_error(reader->errors, node->place,
			"`unit`: expected 1 to 32 letters, such as lps or run/s");
}

int spec_read_workload(
	const char *path, struct arena *arena, struct spec_workload *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	struct draft draft = {0};
	size_t before = errors->n;
	const struct node *root = tree_read(path, arena, errors, NULL);

	if (root == NULL)
		return -1;
	draft.w.folder = file_folder(arena, path);
	draft.w.place = root->place;
	read_map(&reader, root, "a workload", KEYS(workload_keys), &draft);
	if (root->kind == NODE_MAP)
		check_workload(&reader, &draft.w, root);
	if (root->kind == NODE_MAP)
		check_input(&reader, &draft.w, root, draft.input);
	draft.w.lower_is_better = draft.better != NULL && strcmp(draft.better, "lower") == 0;
	if (draft.w.title == NULL)
		draft.w.title = draft.w.name;
	*out = draft.w;
	return errors->n == before ? 0 : -1;
}
