#include "host/tune.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "host/tune_work.h"
#include "sys/process.h"

/* Changing, and undoing what was changed when it does not go through. */

/* All files that cannot be written, at once, before the first is. */
static int check_writable(const struct tune *tune, struct error *e)
{
	struct buf list = {0};
	size_t count = 0;

	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];
		bool file = change->kind == TUNE_WRITE || change->kind == TUNE_CONTROLLER;
		int errnum = file && !change->may_fail ? tune_writable(tune, change->path) : 0;

		/* a file of a controller that is not there yet */
		if (errnum == 0 || (errnum == ENOENT && change->instead))
			continue;
		if (++count <= 3)
			buf_addf(&list, "%s%s: %s", count > 1 ? ", " : "", change->path, strerror(errnum));
	}
	if (count > 3)
		buf_addf(&list, " and %zu more", count - 3);
	if (count > 0) {
		error_set(e, EXIT_CANNOT,
			"tuning this machine: nothing was changed, since %zu file%s cannot be written (%s)",
			count, text_plural(count), buf_text(&list));
		error_advice(e, "it takes root, and in a container a host that lets it");
	}
	buf_release(&list);
	return count > 0 ? -1 : 0;
}

static int not_set(struct tune_change *change, const char *remark, struct error *e)
{
	change->remark = remark;
	change->outcome = TUNE_NOT_SET;
	if (change->may_fail)
		return 0;
	return error_set(e, EXIT_CANNOT, "setting %s from %s to %s: %s", change->path,
		change->old[0] != '\0' ? change->old : "nothing", change->want, remark);
}

static int set_file(struct tune *tune, struct tune_change *change, struct error *e)
{
	const char *reason = NULL;
	const char *before = tune_read(tune, change->path, NULL);
	int errnum;

	if (before != NULL && change->match != TUNE_LIMIT &&
		tune_match(change->match, before, change->want, tune->arena)) {
		change->after = before; /* an earlier change took it along */
		change->outcome = TUNE_HAD;
		return 0;
	}
	errnum = tune_write(tune, change->path, change->want);
	change->now = tune_read(tune, change->path, &reason);
	if (errnum != 0)
		return not_set(change, arena_strdup(tune->arena, strerror(errnum)), e);
	if (change->now == NULL)
		return not_set(change, arena_printf(tune->arena, "reading it back: %s", reason), e);
	if (!tune_match(change->match, change->now, change->want, tune->arena)) {
		const char *remark = arena_printf(tune->arena,
			"the kernel took the value and did not keep it: it reads %s", change->now);

		if (change->may_fail && strcmp(change->now, change->old) != 0)
			tune_write(tune, change->path, change->old);
		return not_set(change, remark, e);
	}
	change->after = change->now;
	change->outcome = TUNE_SET;
	return 0;
}

static int set_folder(struct tune *tune, struct tune_change *change, struct error *e)
{
	int errnum = tune_make_folder(tune, change->path);

	if (errnum != 0)
		return error_errno(e, errnum, "making the control group %s", change->path);
	change->outcome = TUNE_SET;
	return 0;
}

static int set_controller(struct tune *tune, struct tune_change *change, struct error *e)
{
	int errnum = tune_write(tune, change->path, change->want);
	const char *now = tune_read(tune, change->path, NULL);

	change->now = now;
	if (errnum != 0)
		return not_set(change, arena_strdup(tune->arena, strerror(errnum)), e);
	if (now == NULL || strstr(now, change->want + 1) == NULL)
		return not_set(change, "the kernel took the word and did not obey", e);
	change->after = now;
	change->outcome = TUNE_SET;
	return 0;
}

static int set_tasks(struct tune *tune, struct tune_change *change, struct error *e)
{
	size_t moved = 0, stayed = 0;
	int errnum = tune_move_tasks(tune, change->old, change->path, &moved, &stayed);

	if (errnum != 0)
		return error_errno(e, errnum, "moving tasks from %s to %s", change->old, change->path);
	change->remark = arena_printf(tune->arena,
		"%zu moved, %zu could not be: the kernel's own, bound to their CPU", moved, stayed);
	change->after = "";
	change->outcome = TUNE_SET;
	return 0;
}

/* `refused`: the kernel did not make the partition before it. */
static int set_one(struct tune *tune, struct tune_change *change, bool refused, struct error *e)
{
	if (change->instead && !refused) {
		change->outcome = TUNE_HAD;
		return 0;
	}
	switch (change->kind) {
	case TUNE_WATCH:
		return 0;
	case TUNE_WRITE:
	case TUNE_OWN:
		return set_file(tune, change, e);
	case TUNE_FOLDER:
		return set_folder(tune, change, e);
	case TUNE_TASKS:
		return set_tasks(tune, change, e);
	case TUNE_CONTROLLER:
		return set_controller(tune, change, e);
	}
	return 0;
}

/* What follows others is noted as it reads now, to be told from what somebody else does to it later. */
static int look_at(struct tune *tune, struct tune_change *change, struct error *e)
{
	const char *reason = NULL;
	const char *now = tune_read(tune, change->path, &reason);
	bool kept = now != NULL &&
		    (change->want == NULL || tune_match(change->match, now, change->want, tune->arena));

	change->now = change->after = now;
	if (change->kind == TUNE_WATCH && kept) {
		change->outcome = strcmp(now, change->old) != 0 ? TUNE_SET : TUNE_HAD;
		return 0;
	}
	if (kept)
		return 0;
	change->after = NULL;
	return not_set(change,
		arena_printf(tune->arena, "it took the value, and reads %s now that the rest is set",
			now != NULL ? now : reason),
		e);
}

/* Later writes may have moved what earlier ones set. */
static int look_again(struct tune *tune, struct error *e)
{
	for (size_t i = 0; i < tune->n; i++) {
		struct tune_change *change = &tune->v[i];
		bool set = change->kind == TUNE_WRITE && change->after != NULL;

		if ((set || change->kind == TUNE_WATCH) && look_at(tune, change, e) != 0)
			return -1;
	}
	return 0;
}

static int set_all(struct tune *tune, struct error *e)
{
	bool refused = false;

	for (size_t i = 0; i < tune->n; i++) {
		struct tune_change *change = &tune->v[i];

		if (process_interrupted() != 0)
			return error_set(e, EXIT_INTERRUPTED, "tuning this machine: interrupted");
		if (set_one(tune, change, refused, e) != 0)
			return -1;
		if (strcmp(change->setting, "partition") == 0)
			refused = change->outcome == TUNE_NOT_SET;
	}
	return look_again(tune, e);
}

/* What was asked for did not go through: everything as it was. */
static void take_back(struct tune *tune, struct error *e)
{
	struct tune_counts counts;
	struct error why = {0};

	if (tune_restore(tune, true, &counts, &why) == 0)
		error_advice(e, "what had been set until then is as it was before");
	else
		error_advice(e, "and not all that had been set could be put back (%s)", why.text);
}

int tune_apply(struct tune *tune, struct error *e)
{
	if (tune->root[0] == '\0' && geteuid() != 0)
		return error_set(e, EXIT_CANNOT,
			"tuning this machine takes root, and nothing was changed; run it with sudo");
	if (check_writable(tune, e) != 0)
		return -1;
	tune->phase = TUNE_PLANNED;
	if (tune_save(tune, false, e) != 0)
		return -1;
	tune->found = true;
	if (set_all(tune, e) != 0) {
		take_back(tune, e);
		return -1;
	}
	tune->phase = TUNE_IN_FORCE;
	tune->complete = true;
	if (tune_save(tune, false, e) != 0) {
		take_back(tune, e);
		return -1;
	}
	return 0;
}
