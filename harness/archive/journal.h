/*
 * journal.h - what a run has so far, on disk after every round, so that a crash loses one round at most.
 *
 *	journal = journal_create(&archive, record, &e);       once everything known at the start is in the record
 *	for each round { measure...; journal_round(journal, record, &e); }
 *	archive_write(&archive, record, &path, &e);
 *	journal_close_remove(journal, &e);
 *
 * The file stands where the record will: archive/HOST/YYYY/MM/STARTED-RUN12.journal, RUN12 being the first 12
 * digits of record->run. It is a list of entries, one a line, each with its length and checksum, so that a file
 * that was cut at any byte is readable up to the last whole entry (form: archive/README.md). Never call these
 * functions inside a block: they write and sync.
 *
 * As long as it is open it is locked (flock), which is how readers know that the run is alive. On a file system
 * without such locks a journal counts as alive for an hour after its last entry.
 */
#ifndef FLAGSTONE_ARCHIVE_JOURNAL_H
#define FLAGSTONE_ARCHIVE_JOURNAL_H

#include "archive/archive.h"

struct journal;

/*
 * Makes the file, locks it and writes the record's head and any samples it has (of a run that it resumes).
 * NULL with the error set: it exists, disk full, host or start malformed, no run id.
 */
struct journal *journal_create(const struct archive *archive, const struct record *record, struct error *e);
/* The path; borrowed, valid until it is closed. */
const char *journal_path(const struct journal *journal);
/*
 * Appends every sample since the last call, as one entry, and with it all else in the record that changed:
 * builds, plan, sessions, workloads, failures, notes, ...; then syncs. A round that is not over must not be in
 * record->samples yet. On failure the file is cut back to its last good entry.
 */
int journal_round(struct journal *journal, const struct record *record, struct error *e);
/* Appends only what changed beside the samples: a cell that failed, a look, a note. Nothing when nothing did. */
int journal_event(struct journal *journal, const struct record *record, struct error *e);
/* Unlocks and leaves the file. Frees. */
void journal_close(struct journal *journal);
/* Deletes the file and frees; for when the record is archived. Freed also on error. */
int journal_close_remove(struct journal *journal, struct error *e);

struct journal_state {
	bool alive;
	uint32_t rounds;    /* whole ones that were read: the highest round of a sample + 1 */
	const char *damage; /* what of the end is ignored, and why; NULL when nothing is. In the arena */
};

/*
 * Reads a journal, alive or dead, as the record it would be: complete false with a reason, finished NULL, id "".
 * Failures of samples that were lost are left out. Error: nothing usable (its head is damaged).
 */
int journal_read(const char *path, struct arena *arena, struct record **out, struct journal_state *state,
	struct error *e);
bool journal_is_alive(const char *path);

struct journal_entry {
	const char *path;
	const char *host;
	bool alive;
};
struct journal_entries {
	struct journal_entry *v;
	size_t n;
};
/* All journals of the archive, in the order of their paths; their content is not looked at. */
int journal_list(const struct archive *archive, struct journal_entries *entries, struct error *e);

/*
 * Turns a dead journal into an incomplete record and deletes it. *path: the record's. If a record of the same run
 * with as many samples is there already (the program died between archiving and deleting), the journal is only
 * deleted; so a resumed run needs a run id of its own.
 * Errors: the run goes on; nothing usable in it; writing failed (the journal stays).
 */
int archive_finish_journal(
	const struct archive *archive, const char *journal, const char **path, struct error *e);

#endif
