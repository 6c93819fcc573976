#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "host/tune_work.h"

/* Putting back. */

enum { PASSES = 2, REMOVE_TRIES = 50, REMOVE_EVERY_NS = 20000000 };

static const char *shown(const char *text)
{
	return text[0] != '\0' ? text : "(empty)";
}

/* Does it read as tune left it, as far as that is known? */
static bool reads_as_set(const struct tune *tune, const struct tune_change *change, const char *now)
{
	if (change->after != NULL)
		return tune_match(change->match, now, change->after, tune->arena);
	return change->want != NULL && tune_match(change->match, now, change->want, tune->arena);
}

/* Nothing of tune's: it was not set, or only looked at and not moved by what was set. */
static bool untouched(const struct tune *tune, const struct tune_change *change)
{
	if (change->kind == TUNE_WRITE)
		return tune->complete && change->after == NULL;
	return change->kind == TUNE_WATCH && (!change->follows || text_same(change->after, change->old));
}

/*
 * Who changed it? To be found out before anything is undone, as that moves what follows. Where tune or restore was cut
 * off half way it is not known what the followers read; theirs are taken for ours.
 */
static void find_foreign(const struct tune *tune, struct tune_change *change)
{
	bool cut_off = tune->phase == TUNE_PLANNED || tune->phase == TUNE_RESTORING;
	bool file = change->kind == TUNE_WRITE || change->kind == TUNE_WATCH;
	const char *now = file ? tune_read(tune, change->path, NULL) : NULL;

	change->now = now;
	if (change->foreign && tune->phase == TUNE_RESTORING)
		return; /* found out when it began */
	change->foreign = false;
	if (!file || now == NULL || strcmp(now, change->old) == 0 || reads_as_set(tune, change, now))
		return;
	change->foreign = !cut_off || !change->follows || tune->rebooted;
}

/* Numbers of interrupts and control groups mean something else after a reboot. */
static bool gone_with_reboot(const struct tune *tune, const struct tune_change *change)
{
	return tune->rebooted &&
	       (change->kind == TUNE_FOLDER || change->kind == TUNE_OWN || change->kind == TUNE_TASKS ||
		       change->kind == TUNE_CONTROLLER || text_starts(change->path, "/proc/irq/") ||
		       strstr(change->path, "/cgroup") != NULL);
}

static void undo_file(const struct tune *tune, struct tune_change *change, bool force)
{
	const char *reason = NULL;
	const char *now = tune_read(tune, change->path, &reason);
	int errnum;

	if (change->kind == TUNE_WRITE && untouched(tune, change)) {
		change->outcome = TUNE_AS_BEFORE;
		return;
	}
	if (now == NULL) {
		/* in the second pass the controller whose file it was may be off again */
		if (change->outcome == TUNE_RESTORED || change->outcome == TUNE_AS_BEFORE)
			return;
		change->outcome = TUNE_GONE;
		change->remark = reason;
		return;
	}
	if (strcmp(now, change->old) == 0) {
		if (change->outcome != TUNE_RESTORED)
			change->outcome = change->outcome == TUNE_FAILED ? TUNE_RESTORED : TUNE_AS_BEFORE;
		return;
	}
	if (change->foreign && (!force || untouched(tune, change))) {
		change->outcome = untouched(tune, change) ? TUNE_AS_BEFORE : TUNE_LEFT;
		return;
	}
	errnum = tune_write(tune, change->path, change->old);
	now = tune_read(tune, change->path, &reason);
	if (now != NULL && tune_match(change->match == TUNE_LIMIT ? TUNE_EXACT : change->match, now,
				   change->old, tune->arena)) {
		change->outcome = TUNE_RESTORED;
		return;
	}
	change->outcome = TUNE_FAILED;
	change->remark = errnum != 0 ? arena_strdup(tune->arena, strerror(errnum))
				     : arena_printf(tune->arena, "it reads %s after %s was written",
					       now != NULL ? shown(now) : reason, shown(change->old));
}

/* The group's processes go to the group above it; it then takes the kernel a moment to let go of it. */
static void undo_folder(const struct tune *tune, struct tune_change *change)
{
	struct probe probe = tune_probe(tune);
	const char *above = file_folder(tune->arena, change->path);
	size_t moved = 0, stayed = 0;
	int errnum = 0;

	if (!probe_exists(&probe, change->path)) {
		if (change->outcome != TUNE_RESTORED)
			change->outcome = TUNE_AS_BEFORE;
		return;
	}
	for (int try = 0; try < REMOVE_TRIES; try++) {
		tune_move_tasks(tune, change->path, above, &moved, &stayed);
		errnum = tune_remove_folder(tune, change->path);
		if (errnum != EBUSY)
			break;
		clock_sleep_ns(REMOVE_EVERY_NS);
	}
	change->outcome = errnum == 0 ? TUNE_RESTORED : TUNE_FAILED;
	if (errnum != 0)
		change->remark = arena_printf(tune->arena, "removing it: %s", strerror(errnum));
	else if (moved > 0)
		change->remark = arena_printf(
			tune->arena, "%zu process%s in it went to %s", moved, moved == 1 ? "" : "es", above);
}

static void undo_tasks(const struct tune *tune, struct tune_change *change)
{
	struct probe probe = tune_probe(tune);
	size_t moved = 0, stayed = 0;

	if (!probe_exists(&probe, change->path)) {
		if (change->outcome != TUNE_RESTORED)
			change->outcome = TUNE_AS_BEFORE;
		return;
	}
	/* what they started meanwhile is in their group */
	for (int pass = 0; pass < 10; pass++) {
		size_t now = 0;

		stayed = 0;
		if (tune_move_tasks(tune, change->path, change->old, &now, &stayed) != 0)
			break;
		moved += now;
		if (now == 0)
			break;
	}
	change->outcome = stayed == 0 ? TUNE_RESTORED : TUNE_FAILED;
	change->remark =
		arena_printf(tune->arena, "%zu went back to %s, %zu stay", moved, change->old, stayed);
}

/* Does a group at the top say on which CPUs it may run? Then somebody else needs the controller by now. */
static bool controller_used(const struct tune *tune, const char *mount)
{
	struct probe probe = tune_probe(tune);
	struct words names = {0};

	probe_list(&probe, mount, &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		const char *cpus = tune_read(
			tune, arena_printf(tune->arena, "%s/%s/cpuset.cpus", mount, names.v[i]), NULL);

		if (cpus != NULL && cpus[0] != '\0')
			return true;
	}
	return false;
}

static void undo_controller(const struct tune *tune, struct tune_change *change)
{
	const char *now = tune_read(tune, change->path, NULL);
	const char *word = change->want + 1;
	int errnum;

	if (now == NULL || strstr(now, word) == NULL) {
		if (change->outcome != TUNE_RESTORED)
			change->outcome = now == NULL ? TUNE_GONE : TUNE_AS_BEFORE;
		return;
	}
	if (controller_used(tune, file_folder(tune->arena, change->path))) {
		change->outcome = TUNE_LEFT;
		change->now = now;
		change->remark = "another group uses this controller by now";
		return;
	}
	errnum = tune_write(tune, change->path, arena_printf(tune->arena, "-%s", word));
	now = tune_read(tune, change->path, NULL);
	change->outcome =
		errnum == 0 && (now == NULL || strstr(now, word) == NULL) ? TUNE_RESTORED : TUNE_FAILED;
	if (change->outcome == TUNE_FAILED)
		change->remark = errnum != 0 ? arena_strdup(tune->arena, strerror(errnum))
					     : "the kernel took the word and did not obey";
}

void tune_undo(struct tune *tune, struct tune_change *change, bool force)
{
	if (gone_with_reboot(tune, change)) {
		change->outcome = TUNE_GONE;
		change->remark = "gone with the reboot";
		return;
	}
	switch (change->kind) {
	case TUNE_WRITE:
	case TUNE_WATCH:
		undo_file(tune, change, force);
		return;
	case TUNE_FOLDER:
		undo_folder(tune, change);
		return;
	case TUNE_OWN:
		change->outcome = TUNE_AS_BEFORE; /* it goes with its group */
		return;
	case TUNE_TASKS:
		undo_tasks(tune, change);
		return;
	case TUNE_CONTROLLER:
		undo_controller(tune, change);
		return;
	}
}

static void count(const struct tune *tune, struct tune_counts *counts)
{
	*counts = (struct tune_counts){0};
	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];

		if (change->kind == TUNE_OWN ||
			(change->kind == TUNE_WATCH && change->outcome == TUNE_AS_BEFORE))
			continue;
		counts->restored += change->outcome == TUNE_RESTORED;
		counts->as_before += change->outcome == TUNE_AS_BEFORE;
		counts->gone += change->outcome == TUNE_GONE;
		counts->left += change->outcome == TUNE_LEFT;
		counts->failed += change->outcome == TUNE_FAILED;
	}
}

static int some_failed(const struct tune *tune, size_t failed, struct error *e)
{
	for (size_t i = 0; i < tune->n; i++) {
		const struct tune_change *change = &tune->v[i];

		if (change->outcome != TUNE_FAILED)
			continue;
		error_set(e, EXIT_CANNOT, "putting back %s to %s: %s%s", change->path,
			change->old != NULL ? shown(change->old) : "what it was", change->remark,
			failed > 1 ? arena_printf(tune->arena, ", and %zu more", failed - 1) : "");
		return error_advice(e, "%s%s keeps what was before; run `flagstone restore` again, or reboot",
			tune->root, TUNE_STATE);
	}
	return 0;
}

int tune_restore(struct tune *tune, bool force, struct tune_counts *counts, struct error *e)
{
	for (size_t i = 0; i < tune->n; i++)
		find_foreign(tune, &tune->v[i]);
	for (size_t i = 0; i < tune->n; i++)
		tune->v[i].outcome = TUNE_PENDING;
	if (tune->phase == TUNE_PLANNED || tune->phase == TUNE_IN_FORCE) {
		tune->phase = TUNE_RESTORING;
		/* on a full disk the file as it is has all old values, too */
		tune_save(tune, false, NULL);
	}
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = tune->n; i > 0; i--)
			tune_undo(tune, &tune->v[i - 1], force);
	count(tune, counts);
	if (counts->failed > 0)
		return some_failed(tune, counts->failed, e);
	if (counts->left == 0)
		return tune_forget(tune, e);
	tune->phase = TUNE_LEFT_OVER;
	return tune_save(tune, true, e);
}
