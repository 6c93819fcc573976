#include "archive/archive.h"

#include <string.h>
#include <unistd.h>

#include "archive/journal.h"
#include "archive/walk.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/json.h"

static const char *const state_texts[] = {
	[ARCHIVE_INTACT] = "intact",
	[ARCHIVE_DAMAGED] = "damaged",
	[ARCHIVE_MISPLACED] = "misplaced",
	[ARCHIVE_NEWER] = "newer",
	[ARCHIVE_LINK] = "link",
	[ARCHIVE_UNREADABLE] = "unreadable",
	[ARCHIVE_JOURNAL_LIVE] = "live journal",
	[ARCHIVE_JOURNAL_DEAD] = "dead journal",
	[ARCHIVE_TEMPORARY] = "temporary",
	[ARCHIVE_FOREIGN] = "foreign",
};

const char *archive_state_text(enum archive_state state)
{
	return state_texts[state];
}

bool archive_state_is_bad(enum archive_state state)
{
	return state == ARCHIVE_DAMAGED || state == ARCHIVE_MISPLACED || state == ARCHIVE_LINK ||
	       state == ARCHIVE_UNREADABLE;
}

struct verifying {
	struct arena *arena;
	VEC(struct archive_verdict) found;
};

/* Does the name agree with the content? Returns what disagrees, or NULL. */
static const char *name_fault(
	const struct record *record, const char *path, const char *folder, struct arena *arena)
{
	const char *name = file_name(path), *want;
	char stamp[17];

	if (!archive_stamp(record->started, stamp))
		return arena_printf(arena, "its start \"%s\" is no UTC stamp", record->started);
	want = arena_printf(arena, "%s-%.12s.json.gz", stamp, record->id);
	if (strcmp(name, want) != 0)
		return arena_printf(arena, "its content belongs under the name %s", want);
	want = arena_printf(arena, "%s/%.4s/%.2s", record->host_name, stamp, stamp + 4);
	if (folder != NULL && strcmp(folder, want) != 0)
		return arena_printf(arena, "its content belongs into the folder %s", want);
	return NULL;
}

static enum archive_state state_of_error(const char *text)
{
	return strstr(text, "written by a newer flagstone") != NULL ? ARCHIVE_NEWER : ARCHIVE_DAMAGED;
}

/* folder: HOST/YYYY/MM where the file lies in an archive, else NULL: then only a name of the form is compared. */
static struct archive_verdict judge(struct arena *arena, const char *path, const char *folder)
{
	struct archive_verdict verdict = {.path = path, .state = ARCHIVE_INTACT};
	struct arena scratch = {0};
	struct record *record;
	struct error e = {0};
	int fd = walk_open(path, &e);

	if (fd < 0) {
		verdict.state = ARCHIVE_UNREADABLE;
		verdict.reason = arena_strdup(arena, e.text);
		return verdict;
	}
	if (record_read(fd, path, NULL, &scratch, &record, &e) != 0) {
		verdict.state = state_of_error(e.text);
		verdict.reason = arena_strdup(arena, e.text);
	} else {
		if (folder != NULL || walk_name_has_form(file_name(path), ".json.gz"))
			verdict.reason = name_fault(record, path, folder, arena);
		if (verdict.reason != NULL)
			verdict.state = ARCHIVE_MISPLACED;
		record_release(record);
	}
	close(fd);
	arena_release(&scratch);
	return verdict;
}

struct archive_verdict archive_verify_file(const struct archive *archive, const char *path)
{
	return judge(archive->arena, arena_strdup(archive->arena, path), NULL);
}

static void judge_journal(struct archive_verdict *verdict, const struct walk_item *item, struct arena *arena)
{
	struct arena scratch = {0};
	struct journal_state state;
	struct record *record;
	struct error e = {0};

	verdict->state = journal_is_alive(item->path) ? ARCHIVE_JOURNAL_LIVE : ARCHIVE_JOURNAL_DEAD;
	if (verdict->state == ARCHIVE_JOURNAL_LIVE) {
		verdict->reason = "a run goes on";
		return;
	}
	if (journal_read(item->path, &scratch, &record, &state, &e) != 0) {
		verdict->reason = arena_printf(
			arena, "a run was cut off, and its journal holds nothing usable: %s", e.text);
	} else {
		verdict->reason =
			arena_printf(arena, "a run was cut off: %zu samples of %u rounds can be kept%s%s",
				record->samples.n, state.rounds, state.damage != NULL ? "; " : "",
				state.damage != NULL ? state.damage : "");
		record_release(record);
	}
	arena_release(&scratch);
}

static int visit(void *context, const struct walk_item *item, struct error *e)
{
	struct verifying *v = context;
	struct archive_verdict verdict = {.path = item->path, .reason = item->reason};

	(void)e;
	switch (item->kind) {
	case WALK_RECORD:
		verdict = judge(v->arena, item->path, item->folder);
		break;
	case WALK_JOURNAL:
		judge_journal(&verdict, item, v->arena);
		break;
	case WALK_TEMPORARY:
		verdict.state = ARCHIVE_TEMPORARY;
		verdict.reason = "left by a write that was cut off; can be deleted";
		break;
	case WALK_LINK:
		verdict.state = ARCHIVE_LINK;
		verdict.reason = "a symbolic link: an archive holds files, as a link could lead out of it";
		break;
	case WALK_UNREADABLE:
		verdict.state = ARCHIVE_UNREADABLE;
		break;
	case WALK_FOREIGN:
		verdict.state = ARCHIVE_FOREIGN;
		verdict.reason = "not an archive's: no reader looks at it";
		break;
	}
	vec_push(&v->found, verdict);
	return 0;
}

int archive_verify(const struct archive *archive, struct archive_verdicts *verdicts, struct error *e)
{
	struct verifying v = {.arena = archive->arena};
	int result = walk_archive(archive, visit, &v, e);

	if (result == 0) {
		memset(verdicts, 0, sizeof(*verdicts));
		verdicts->v = arena_array(archive->arena, v.found.n, sizeof(*v.found.v));
		verdicts->n = v.found.n;
		for (size_t i = 0; i < v.found.n; i++) {
			verdicts->v[i] = v.found.v[i];
			verdicts->intact += v.found.v[i].state == ARCHIVE_INTACT;
			verdicts->bad += archive_state_is_bad(v.found.v[i].state);
		}
	}
	vec_release(&v.found);
	return result;
}
