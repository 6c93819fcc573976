#include <string.h>

#include "base/mem.h"
#include "cli/tuning.h"

static const char *const outcomes[] = {[TUNE_PENDING] = "pending",
	[TUNE_SET] = "set",
	[TUNE_HAD] = "had it",
	[TUNE_NOT_SET] = "not set",
	[TUNE_RESTORED] = "restored",
	[TUNE_AS_BEFORE] = "as before",
	[TUNE_GONE] = "gone",
	[TUNE_LEFT] = "left",
	[TUNE_FAILED] = "failed"};

json_t *tuning_json(const struct tune *tune)
{
	json_t *list = json_array();

	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];
		json_t *object = json_object();

		json_object_set_new(object, "setting", json_safe_string(change->setting));
		json_object_set_new(object, "path", json_safe_string(change->path));
		json_object_set_new(object, "old", json_safe_string(change->old));
		json_object_set_new(object, "new", json_safe_string(change->want));
		json_object_set_new(object, "now", json_safe_string(change->now));
		json_object_set_new(object, "outcome", json_string(outcomes[change->outcome]));
		json_object_set_new(object, "written", json_boolean(change->kind != TUNE_WATCH));
		json_object_set_new(object, "remark", json_safe_string(change->remark));
		json_object_set_new(object, "why", json_safe_string(change->why));
		json_array_append_new(list, object);
	}
	return list;
}

/* Where the number in a path stands by which files of one kind differ; 0: there is none. */
static size_t number_at(const char *path)
{
	static const char *const before[] = {"/policy", "/cpu", "/irq/"};

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		for (const char *at = path; (at = strstr(at, before[i])) != NULL; at++) {
			const char *digit = at + strlen(before[i]);

			if (*digit >= '0' && *digit <= '9')
				return (size_t)(digit - path);
		}
	return 0;
}

static bool same_but_number(const char *a, const char *b)
{
	size_t at = number_at(a);

	if (at == 0 || at != number_at(b) || strncmp(a, b, at) != 0)
		return false;
	return strcmp(a + at + strspn(a + at, "0123456789"), b + at + strspn(b + at, "0123456789")) == 0;
}

static bool alike(const struct tune_change *a, const struct tune_change *b)
{
	return a->kind == b->kind && a->outcome == b->outcome && strcmp(a->setting, b->setting) == 0 &&
	       text_same(a->old, b->old) && text_same(a->want, b->want) && text_same(a->now, b->now) &&
	       text_same(a->remark, b->remark) && same_but_number(a->path, b->path);
}

/* ".../policy{0-3}/scaling_governor" of all changes like this one from it on, which are then done. */
static char *common_path(const struct tune *tune, size_t first, bool *done, struct arena *arena)
{
	const char *path = tune->v[first].path;
	size_t at = number_at(path);
	struct cpu_list numbers = {.v = arena_array(arena, tune->n - first, sizeof(int))};

	for (size_t i = first; i < tune->n; i++) {
		if (i != first && (done[i] || !alike(&tune->v[first], &tune->v[i])))
			continue;
		done[i] = true;
		if (at != 0)
			numbers.v[numbers.n++] = (int)strtol(tune->v[i].path + at, NULL, 10);
	}
	if (numbers.n < 2)
		return arena_strdup(arena, path);
	return arena_printf(arena, "%.*s{%s}%s", (int)at, path, cpu_list_text(&numbers, arena),
		path + at + strspn(path + at, "0123456789"));
}

static const char *shown(const char *text)
{
	return text == NULL ? "?" : text[0] != '\0' ? text : "(empty)";
}

/* From which value to which. */
static char *step(const struct tune_change *change, const char *arrow, struct arena *arena)
{
	bool back = change->outcome == TUNE_RESTORED || change->outcome == TUNE_FAILED;

	switch (change->kind) {
	case TUNE_FOLDER:
		return arena_strdup(arena, back ? "removed" : "made");
	case TUNE_TASKS:
		return arena_printf(arena, "all tasks %s %s", back ? "back to" : "from", change->old);
	case TUNE_CONTROLLER:
		return arena_printf(arena, "%s%s", back ? "without " : "", change->want + back);
	case TUNE_OWN:
		return arena_printf(arena, "%s", change->want);
	case TUNE_WRITE:
	case TUNE_WATCH:
		break;
	}
	if (back)
		return arena_printf(arena, "%s %s %s", shown(change->now), arrow, shown(change->old));
	if (change->kind == TUNE_WATCH)
		return arena_printf(arena, "%s %s %s", shown(change->old), arrow, shown(change->now));
	return arena_printf(arena, "%s %s %s", shown(change->old), arrow, shown(change->want));
}

/* What is to be said behind it; "": nothing. */
static char *behind(const struct tune_change *change, struct arena *arena)
{
	switch (change->outcome) {
	case TUNE_SET:
		return arena_printf(arena, "%s%s%s", change->kind == TUNE_WATCH ? " (followed)" : "",
			change->remark != NULL ? ": " : "", change->remark != NULL ? change->remark : "");
	case TUNE_HAD:
		return arena_strdup(arena, " (nothing to do)");
	case TUNE_NOT_SET:
		return arena_printf(arena, ": could not be set: %s", change->remark);
	case TUNE_AS_BEFORE:
		return arena_strdup(arena, " (as before already)");
	case TUNE_GONE:
		return arena_printf(arena, ": nothing to put back: %s", shown(change->remark));
	case TUNE_LEFT:
		return arena_printf(arena, ": left, as somebody else changed it: it reads %s%s%s",
			shown(change->now), change->remark != NULL ? "; " : "",
			change->remark != NULL ? change->remark : "");
	case TUNE_FAILED:
		return arena_printf(arena, ": could not be put back: %s", shown(change->remark));
	case TUNE_RESTORED:
		return change->remark != NULL ? arena_printf(arena, ": %s", change->remark)
					      : arena_strdup(arena, "");
	case TUNE_PENDING:
		break;
	}
	return arena_strdup(arena, "");
}

/* Does it stay out of a list that is not to be complete? */
static bool is_quiet(const struct tune_change *change)
{
	switch (change->outcome) {
	case TUNE_PENDING:
		return change->kind == TUNE_WATCH || change->instead;
	case TUNE_HAD:
	case TUNE_AS_BEFORE:
		return true;
	default:
		return false;
	}
}

void tuning_lines(const struct tune *tune, bool all, bool why, bool unicode, struct buf *out)
{
	struct arena arena = {0};
	bool *done = arena_array(&arena, tune->n, sizeof(*done));
	const char *arrow = unicode ? "\xe2\x86\x92" : "->";

	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];
		bool watched = change->kind == TUNE_WATCH && change->want == NULL;

		if (done[i] || (is_quiet(change) && (!all || watched)))
			continue;
		buf_addf(out, "  %s: %s%s\n", text_safe(&arena, common_path(tune, i, done, &arena)),
			text_safe(&arena, step(change, arrow, &arena)),
			text_safe(&arena, behind(change, &arena)));
		if (why && change->why != NULL)
			buf_addf(out, "      %s\n", text_safe(&arena, change->why));
	}
	arena_release(&arena);
}
