#include "build/meta.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"

enum { META_LIMIT = 8 * 1024 * 1024 };

static void set(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_safe_string(text));
}

int meta_write(const struct build *build, const char *folder, struct error *e)
{
	struct arena arena = {0};
	struct buf text = {0};
	json_t *object = json_object(), *commands = json_array();
	int result;

	for (size_t i = 0; i < build->commands.n; i++)
		json_array_append_new(commands, json_safe_string(build->commands.v[i]));
	set(object, "schema", "flagstone.cached-build/1");
	set(object, "content_hash", build->content_hash);
	set(object, "code_hash", build->code_hash);
	set(object, "build_id", build->build_id);
	set(object, "log_excerpt", build->log_excerpt);
	json_object_set_new(object, "commands", commands);
	json_object_set_new(object, "facts", facts_to_json(&build->facts));
	json_add_tree(&text, object, true);
	json_decref(object);
	result = file_write_atomic(file_join(&arena, folder, "build.json"), buf_text(&text), text.n, e);
	buf_release(&text);
	arena_release(&arena);
	return result;
}

static const char *get(const json_t *object, const char *key, struct arena *arena)
{
	const char *text = json_text(object, key, NULL);

	return text != NULL ? arena_strdup(arena, text) : NULL;
}

int meta_read(struct build *build, const char *folder, struct arena *arena, struct error *e)
{
	char *path = file_join(arena, folder, "build.json");
	struct buf text = {0};
	json_t *object = NULL;
	const json_t *commands;
	int result = -1;

	if (file_read(path, META_LIMIT, &text, e) != 0)
		goto out;
	object = json_parse(buf_text(&text), text.n, path, e);
	if (object == NULL)
		goto out;
	if (strcmp(json_text(object, "content_hash", ""), build->content_hash) != 0) {
		error_set(e, EXIT_CANNOT, "%s belongs to another build", path);
		goto out;
	}
	build->code_hash = get(object, "code_hash", arena);
	build->build_id = get(object, "build_id", arena);
	build->log_excerpt = get(object, "log_excerpt", arena);
	commands = json_object_get(object, "commands");
	for (size_t i = 0; i < json_array_size(commands); i++) {
		const char *command = json_string_value(json_array_get(commands, i));

		if (command != NULL)
			words_add(&build->commands, arena, command);
	}
	result = facts_from_json(&build->facts, json_object_get(object, "facts"), path, e);
out:
	json_decref(object);
	buf_release(&text);
	return result;
}
