#include "spec/reader.h"

#include <string.h>

#include "base/file.h"

static const struct key settings_keys[] = {
	{.name = "host", .type = KEY_NAME, .offset = offsetof(struct spec_settings, host)},
	{.name = "archive", .type = KEY_TEXT, .offset = offsetof(struct spec_settings, archive)},
	{.name = "cache", .type = KEY_TEXT, .offset = offsetof(struct spec_settings, cache)},
	{.name = "cache_limit",
		.type = KEY_SIZE,
		.offset = offsetof(struct spec_settings, cache_limit),
		.min = 1024.0 * 1024,
		.max = 0x1p53},
	{.name = "jobs",
		.type = KEY_U32,
		.offset = offsetof(struct spec_settings, jobs),
		.min = 1,
		.max = 4096},
};

/* A relative folder is meant from where the file stands, not from where flagstone was called. */
static void resolve(struct reader *reader, const char *file, const struct node *root, const char *key,
	const char **folder)
{
	if (*folder == NULL)
		return;
	if ((*folder)[0] == '~')
		spec_error(reader->errors, node_get(root, key)->place,
			"`%s`: \"%s\" starts with ~, which only a shell expands, and no shell is used here; "
			"write the "
			"whole path",
			key, *folder);
	else if ((*folder)[0] == '\0')
		spec_error(reader->errors, node_get(root, key)->place,
			"`%s`: expected a folder, found an empty text", key);
	else
		*folder = file_join(reader->arena, file_folder(reader->arena, file), *folder);
}

int spec_read_settings(
	const char *path, struct arena *arena, struct spec_settings *out, struct spec_errors *errors)
{
	struct reader reader = {arena, errors};
	struct spec_settings settings = {0};
	size_t before = errors->n;
	const struct node *root = tree_read(path, arena, errors, NULL);

	if (root == NULL)
		return -1;
	read_map(&reader, root, "the settings", KEYS(settings_keys), &settings);
	resolve(&reader, path, root, "archive", &settings.archive);
	resolve(&reader, path, root, "cache", &settings.cache);
	*out = settings;
	return errors->n == before ? 0 : -1;
}
