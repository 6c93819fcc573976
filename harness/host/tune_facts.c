#include <string.h>

#include "base/buf.h"
#include "host/tune_work.h"

/* What is in force, for the record of who measures under it. */

/* Is it a value that the profile promises? What may fail is no part of it, but for a partition that was had. */
static bool promised(const struct tune_change *change)
{
	bool own = change->kind == TUNE_OWN;

	if (change->want == NULL || change->after == NULL)
		return false;
	return own || ((change->kind == TUNE_WRITE || change->kind == TUNE_WATCH) && !change->may_fail);
}

bool tune_holds(struct tune *tune, const char **why)
{
	for (size_t i = 0; i < tune->n; i++) {
		struct tune_change *change = &tune->v[i];
		const char *reason = NULL;
		const char *now;

		if (!promised(change))
			continue;
		now = tune_read(tune, change->path, &reason);
		if (now != NULL && tune_match(change->match, now, change->want, tune->arena))
			continue;
		if (now != NULL)
			*why = arena_printf(tune->arena, "%s was set to %s and reads %s now", change->path,
				change->want, now);
		else
			*why = arena_printf(tune->arena, "%s was set to %s and cannot be read now: %s",
				change->path, change->want, reason);
		return false;
	}
	return true;
}

static bool said_already(const struct tune *tune, size_t index)
{
	const struct tune_change *change = &tune->v[index];

	for (size_t i = 0; i < index; i++)
		if (promised(&tune->v[i]) && tune->v[i].means != NULL &&
			strcmp(tune->v[i].setting, change->setting) == 0 &&
			strcmp(tune->v[i].means, change->means) == 0)
			return true;
	return false;
}

char *tune_summary(const struct tune *tune)
{
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];

		if (promised(change) && change->means != NULL && !said_already(tune, i))
			buf_addf(&out, "%s%s=%s", out.n > 0 ? " " : "", change->setting, change->means);
	}
	text = arena_strdup(tune->arena, out.n > 0 ? buf_text(&out) : "none");
	buf_release(&out);
	return text;
}

static const char *const keys[] = {"tune.profile", "tune.changes", "tune.cpus"};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static void all_unknown(struct facts *facts, const char *source, const char *reason)
{
	for (size_t i = 0; i < KEYS; i++)
		facts_unknown(facts, keys[i], source, reason);
}

/* Nothing that tune set is in force, as far as can be seen. */
static void none(struct tune *tune, struct facts *facts, const char *source)
{
	const char *boot_id = "/proc/sys/kernel/random/boot_id", *reason = NULL;
	const char *container = facts_value(facts, "container.kind");

	if (container != NULL && strcmp(container, "none") != 0) {
		all_unknown(facts, source,
			"in a container it is not seen whether the machine around it is tuned");
		return;
	}
	/* where not even this can be read, a missing file says nothing */
	if (tune_read(tune, boot_id, &reason) == NULL) {
		all_unknown(facts, boot_id, reason);
		return;
	}
	for (size_t i = 0; i < KEYS; i++)
		facts_set(facts, keys[i], "none", source);
}

static void set(struct tune *tune, struct facts *facts, const char *source)
{
	const char *why = NULL;

	if (!tune->found || tune->rebooted || tune->phase == TUNE_LEFT_OVER) {
		none(tune, facts, source);
	} else if (tune->phase != TUNE_IN_FORCE) {
		all_unknown(facts, source,
			tune->phase == TUNE_PLANNED
				? "tune was cut off half way; `flagstone restore` puts back what it set"
				: "restore was cut off half way; `flagstone restore` goes on");
	} else if (!tune_holds(tune, &why)) {
		all_unknown(facts, source,
			arena_printf(tune->arena, "the profile %s was set, and somebody else changed it: %s",
				tune_profile_name(tune->profile), why));
	} else {
		facts_set(facts, keys[0], tune_profile_name(tune->profile), source);
		facts_set(facts, keys[1], tune_summary(tune), source);
		facts_set(facts, keys[2], tune->cpus != NULL ? tune->cpus : "none", source);
	}
}

void tune_facts(const char *root, struct facts *facts)
{
	struct arena arena = {0};
	struct tune tune;
	struct error e = {0};

	if (tune_load(&tune, &(struct tune_options){.root = root}, &arena, &e) == 0)
		set(&tune, facts, TUNE_STATE);
	else
		all_unknown(facts, TUNE_STATE, e.text);
	arena_release(&arena);
}
