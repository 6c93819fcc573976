#include "spec/reader.h"

#include <string.h>

struct draft {
	struct spec_family f;
	const char *style;
};

static const char *const styles[] = {
	"gcc", "clang", "tcc", NULL}; /* in the order of enum spec_family_style */

static const struct key family_keys[] = {
	{.name = "name", .type = KEY_NAME, .offset = offsetof(struct draft, f.name), .required = true},
	{.name = "style",
		.type = KEY_CHOICE,
		.offset = offsetof(struct draft, style),
		.required = true,
		.choices = styles,
		.form = "gcc, clang or tcc"},
	{.name = "find",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, f.find),
		.required = true,
		.form = "a list of program names (* and ? allowed)"},
	{.name = "exclude",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, f.exclude),
		.form = "a list of program names (* and ? allowed)"},
	{.name = "abi_flags",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, f.abi_flags),
		.form = "a list of flags (* and ? allowed)"},
	{.name = "lto_flags",
		.type = KEY_TEXTS,
		.offset = offsetof(struct draft, f.lto_flags),
		.form = "a list of flags (* and ? allowed)"},
	{.name = "cross", .type = KEY_BOOL, .offset = offsetof(struct draft, f.cross)},
};

static const struct key toolchain_keys[] = {
	{.name = "name", .type = KEY_NAME, .offset = offsetof(struct spec_toolchain, name), .required = true},
	{.name = "family",
		.type = KEY_WORD,
		.offset = offsetof(struct spec_toolchain, family),
		.required = true},
	{.name = "cc", .type = KEY_COMMAND, .offset = offsetof(struct spec_toolchain, cc), .required = true},
	{.name = "cxx", .type = KEY_COMMAND, .offset = offsetof(struct spec_toolchain, cxx)},
	{.name = "env", .type = KEY_ENV, .offset = offsetof(struct spec_toolchain, env)},
	{.name = "runner", .type = KEY_COMMAND, .offset = offsetof(struct spec_toolchain, runner)},
};

/* Programs are looked for in the folders of PATH by name: a slash would match nothing. */
static void check_find(struct reader *reader, const struct node *root)
{
	const struct node *find = node_get(root, "find");

	for (size_t i = 0; find != NULL && find->kind == NODE_LIST && i < find->n; i++)
		if (find->items[i]->kind == NODE_TEXT && strchr(find->items[i]->text, '/') != NULL)
			spec_error(reader->errors, find->items[i]->place,
				"`find`: `%s` is a path; families are found by program names in PATH (a "
				"compiler at a "
				"path is a file with `cc`)",
				find->items[i]->text);
}

static void check_flags(struct reader *reader, const struct node *root, const char *key)
{
	const struct node *list = node_get(root, key);

	for (size_t i = 0; list != NULL && list->kind == NODE_LIST && i < list->n; i++)
		if (list->items[i]->kind == NODE_TEXT && list->items[i]->text[0] != '-')
			spec_error(reader->errors, list->items[i]->place,
				"`%s`: expected a flag that begins with -, found %s", key,
				node_what(list->items[i], reader->arena));
}

int spec_read_family(
	const char *path, struct arena *arena, struct spec_family *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	struct draft draft = {0};
	size_t before = errors->n;
	const struct node *root = tree_read(path, arena, errors, NULL);

	if (root == NULL)
		return -1;
	draft.f.place = root->place;
	read_map(&reader, root, "a family of compilers", KEYS(family_keys), &draft);
	check_find(&reader, root);
	check_flags(&reader, root, "abi_flags");
	check_flags(&reader, root, "lto_flags");
	for (int i = 0; styles[i] != NULL; i++)
		if (draft.style == styles[i])
			draft.f.style = (enum spec_family_style)i;
	*out = draft.f;
	return errors->n == before ? 0 : -1;
}

int spec_read_toolchain(
	const char *path, struct arena *arena, struct spec_toolchain *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	struct spec_toolchain toolchain = {0};
	size_t before = errors->n;
	const struct node *root = tree_read(path, arena, errors, NULL);

	if (root == NULL)
		return -1;
	toolchain.place = root->place;
	read_map(&reader, root, "a toolchain", KEYS(toolchain_keys), &toolchain);
	*out = toolchain;
	return errors->n == before ? 0 : -1;
}

int spec_toolchain_file_is_family(
	const char *path, struct arena *arena, bool *family, struct spec_errors *errors)
{
	const struct node *root = tree_read(path, arena, errors, NULL);
	const struct node *find, *cc;

	if (root == NULL)
		return -1;
	find = node_get(root, "find");
	cc = node_get(root, "cc");
	if ((find != NULL) != (cc != NULL)) {
		*family = find != NULL;
		return 0;
	}
	spec_error(errors, root->place,
		find != NULL ? "both `find` and `cc` stand here; a family of compilers has `find`, one "
			       "toolchain has `cc`"
			     : "expected `cc` (one toolchain) or `find` (a family of compilers); neither "
			       "stands here");
	return -1;
}
