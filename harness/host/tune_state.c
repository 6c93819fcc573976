#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "host/tune_work.h"

/* The state file: who changed what, and what was before. */

enum { STATE_LIMIT = 16 << 20 };

static const char *const schema = "flagstone.tune-state/1";
static const char *const phases[] = {"planned", "in force", "restoring", "left over"};
static const char *const kinds[TUNE_KINDS] = {"write", "watch", "folder", "own", "tasks", "controller"};
static const char *const matches[] = {"exact", "cpus", "mask", "limit"};
enum { PHASES = sizeof(phases) / sizeof(phases[0]), MATCHES = sizeof(matches) / sizeof(matches[0]) };

const char *tune_profile_name(enum tune_profile profile)
{
	return profile == TUNE_STEADY ? "steady" : "as-used";
}

bool tune_profile_parse(const char *text, enum tune_profile *profile)
{
	for (int p = TUNE_AS_USED; p <= TUNE_STEADY; p++)
		if (strcmp(text, tune_profile_name((enum tune_profile)p)) == 0) {
			*profile = (enum tune_profile)p;
			return true;
		}
	return false;
}

static json_t *change_json(const struct tune_change *change)
{
	json_t *object = json_object();

	json_object_set_new(object, "kind", json_string(kinds[change->kind]));
	json_object_set_new(object, "match", json_string(matches[change->match]));
	json_object_set_new(object, "setting", json_safe_string(change->setting));
	json_object_set_new(object, "path", json_safe_string(change->path));
	json_object_set_new(object, "old", json_safe_string(change->old));
	json_object_set_new(object, "want", json_safe_string(change->want));
	json_object_set_new(object, "after", json_safe_string(change->after));
	json_object_set_new(object, "means", json_safe_string(change->means));
	json_object_set_new(object, "may_fail", json_boolean(change->may_fail));
	json_object_set_new(object, "follows", json_boolean(change->follows));
	json_object_set_new(object, "instead", json_boolean(change->instead));
	json_object_set_new(object, "foreign", json_boolean(change->foreign));
	return object;
}

static json_t *state_json(const struct tune *tune, bool only_left)
{
	json_t *root = json_object(), *changes = json_array();

	json_object_set_new(root, "schema", json_string(schema));
	json_object_set_new(root, "phase", json_string(phases[tune->phase]));
	json_object_set_new(root, "complete", json_boolean(tune->complete));
	json_object_set_new(root, "profile", json_string(tune_profile_name(tune->profile)));
	json_object_set_new(root, "cpus", json_safe_string(tune->cpus));
	json_object_set_new(root, "group", json_safe_string(tune->group));
	json_object_set_new(root, "owner", json_safe_string(tune->owner));
	json_object_set_new(root, "boot_id", json_safe_string(tune->boot_id));
	json_object_set_new(root, "started", json_safe_string(tune->started));
	json_object_set_new(root, "pid", json_integer(tune->pid));
	for (size_t i = 0; i < tune->n; i++)
		if (!only_left || tune->v[i].outcome == TUNE_LEFT)
			json_array_append_new(changes, change_json(&tune->v[i]));
	json_object_set_new(root, "changes", changes);
	return root;
}

int tune_save(struct tune *tune, bool only_left, struct error *e)
{
	const char *folder = arena_printf(tune->arena, "%s%s", tune->root, TUNE_STATE_FOLDER);
	const char *path = arena_printf(tune->arena, "%s%s", tune->root, TUNE_STATE);
	json_t *root;
	struct buf text = {0};
	bool fresh;
	int result;

	tune_step(tune);
	fresh = !file_exists(folder);
	if (file_make_folders(folder, e) != 0)
		return error_context(e, "keeping the old values, without which nothing may be changed");
	/* everybody's runs tell in their records what is in force, whatever root's umask */
	if (fresh)
		chmod(folder, 0755);
	root = state_json(tune, only_left);
	json_add_tree(&text, root, true);
	buf_addc(&text, '\n');
	result = file_write_atomic(path, text.data, text.n, e);
	if (result != 0)
		error_context(e, "keeping the old values, without which nothing may be changed");
	json_decref(root);
	buf_release(&text);
	return result;
}

int tune_forget(struct tune *tune, struct error *e)
{
	const char *folder = arena_printf(tune->arena, "%s%s", tune->root, TUNE_STATE_FOLDER);

	tune_step(tune);
	if (file_remove_tree(arena_printf(tune->arena, "%s%s", tune->root, TUNE_STATE), e) != 0)
		return -1;
	tune->found = false;
	/* best left if something else lives there */
	if (rmdir(folder) != 0)
		return file_sync_folder(folder, e);
	return 0;
}

static bool word_index(const char *word, const char *const *words, size_t count, int *index)
{
	for (size_t i = 0; word != NULL && i < count; i++)
		if (strcmp(word, words[i]) == 0) {
			*index = (int)i;
			return true;
		}
	return false;
}

/* restore writes as root what this file says: nothing but files of the kernel, whoever wrote it. */
static bool path_allowed(const char *path)
{
	static const char *const folders[] = {"/sys/", "/proc/sys/", "/proc/irq/"};

	if (path == NULL || strstr(path, "/../") != NULL || text_ends(path, "/.."))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (text_starts(path, folders[i]))
			return true;
	return false;
}

static const char *copy(const struct tune *tune, const json_t *object, const char *key)
{
	const char *text = json_text(object, key, NULL);

	return text != NULL ? arena_strdup(tune->arena, text) : NULL;
}

static int read_change(struct tune *tune, const json_t *object, size_t index, struct error *e)
{
	struct tune_change change = {.setting = copy(tune, object, "setting"),
		.path = copy(tune, object, "path"),
		.old = copy(tune, object, "old"),
		.want = copy(tune, object, "want"),
		.after = copy(tune, object, "after"),
		.means = copy(tune, object, "means"),
		.may_fail = json_flag(object, "may_fail", false),
		.follows = json_flag(object, "follows", false),
		.instead = json_flag(object, "instead", false),
		.foreign = json_flag(object, "foreign", false)};
	int kind, match;

	if (!word_index(json_text(object, "kind", NULL), kinds, TUNE_KINDS, &kind) ||
		!word_index(json_text(object, "match", NULL), matches, MATCHES, &match) ||
		change.setting == NULL || !path_allowed(change.path))
		return error_set(e, EXIT_CANNOT, "change %zu is malformed", index + 1);
	change.kind = (enum tune_kind)kind;
	change.match = (enum tune_match)match;
	if ((change.old == NULL && change.kind != TUNE_FOLDER) ||
		(change.want == NULL && change.kind != TUNE_WATCH && change.kind != TUNE_FOLDER &&
			change.kind != TUNE_TASKS) ||
		(change.kind == TUNE_TASKS && !path_allowed(change.old)))
		return error_set(e, EXIT_CANNOT, "change %zu lacks a value", index + 1);
	tune_add(tune, &change);
	return 0;
}

static int read_state(struct tune *tune, const json_t *root, struct error *e)
{
	const json_t *changes = json_object_get(root, "changes");
	int phase;

	if (!text_same(json_text(root, "schema", NULL), schema))
		return error_set(e, EXIT_CANNOT, "its schema is %s, this flagstone reads %s",
			json_text(root, "schema", "not named"), schema);
	if (!word_index(json_text(root, "phase", NULL), phases, PHASES, &phase) ||
		!tune_profile_parse(json_text(root, "profile", ""), &tune->profile) ||
		!json_is_array(changes))
		return error_set(e, EXIT_CANNOT, "it has no phase, profile or changes that could be read");
	tune->phase = (enum tune_phase)phase;
	tune->complete = json_flag(root, "complete", false);
	tune->cpus = copy(tune, root, "cpus");
	tune->group = copy(tune, root, "group");
	tune->owner = arena_strdup(tune->arena, json_text(root, "owner", "tune"));
	tune->boot_id = arena_strdup(tune->arena, json_text(root, "boot_id", ""));
	tune->started = arena_strdup(tune->arena, json_text(root, "started", ""));
	tune->pid = (long)json_int(root, "pid", 0);
	if (tune->group != NULL && !path_allowed(tune->group))
		return error_set(e, EXIT_CANNOT, "its group is no folder of the kernel's");
	for (size_t i = 0; i < json_array_size(changes); i++)
		if (read_change(tune, json_array_get(changes, i), i, e) != 0)
			return -1;
	return 0;
}

static int damaged(const char *path, struct error *e)
{
	error_context(e, "reading what tune changed from %s", path);
	return error_advice(e, "a reboot brings the kernel's own values back, and what that file still says "
			       "can be put back by "
			       "hand; remove it then");
}

int tune_load(struct tune *tune, const struct tune_options *options, struct arena *arena, struct error *e)
{
	const char *path = arena_printf(arena, "%s%s", options->root, TUNE_STATE);
	struct buf bytes = {0};
	json_t *root;
	const char *boot_id;
	int result;

	*tune = (struct tune){.arena = arena, .root = options->root, .io = options->io, .owner = "tune"};
	if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (file_read(path, STATE_LIMIT, &bytes, e) != 0) {
		buf_release(&bytes);
		return -1;
	}
	root = json_parse(buf_text(&bytes), bytes.n, path, e);
	result = root != NULL ? read_state(tune, root, e) : -1;
	json_decref(root);
	buf_release(&bytes);
	if (result != 0)
		return damaged(path, e);
	tune->found = true;
	boot_id = tune_read(tune, "/proc/sys/kernel/random/boot_id", NULL);
	tune->rebooted = boot_id != NULL && tune->boot_id[0] != '\0' && strcmp(boot_id, tune->boot_id) != 0;
	return 0;
}
