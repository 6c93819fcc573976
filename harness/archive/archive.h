/*
 * archive.h - the store of records: archive/HOST/YYYY/MM/STARTED-ID12.json.gz, specified in archive/README.md.
 *
 * Records are added and never changed. Two archives merge by copying. Readers enter only folders whose name has
 * HOST's form (record/host_name.h), then YYYY, then MM, follow no symbolic link below the archive's own folder,
 * and take only files whose name has the form; so baselines/, lost+found/ and whatever else lies in the folder
 * are left alone. A folder that cannot be read is an error, never "no data"; a file that cannot be is a
 * warning, and reading goes on.
 *
 *	struct archive archive;
 *	if (archive_open(&archive, &arena, dir, true, &e) == 0 && archive_write(&archive, record, &path, &e) == 0)
 *		...
 */
#ifndef FLAGSTONE_ARCHIVE_ARCHIVE_H
#define FLAGSTONE_ARCHIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

struct archive {
	const char *root;    /* the folder */
	struct arena *arena; /* borrowed; all paths and lists given out live there */
};

/*
 * Checks that the folder is there and can be read; with `create` it is made (with its parents) when missing.
 * Errors (EXIT_CANNOT): missing, no folder, no permission.
 */
int archive_open(
	struct archive *archive, struct arena *arena, const char *root, bool create, struct error *e);

/*
 * Adds a record, for ever: temporary file in its folder, synced, linked into place without overwriting, folder
 * synced. Sets record->id and *path. On failure (disk full, ...) the temporary file is removed and the archive is
 * as before. record->started must be a UTC stamp, record->host_name have HOST's form.
 */
int archive_write(const struct archive *archive, struct record *record, const char **path, struct error *e);

/* What a list says of a record: its head. */
struct archive_entry {
	const char *path;
	const char *id;			     /* taken on trust: archive_verify() checks it */
	const char *run, *continues, *group; /* continues, group: NULL when none */
	const char *kind;
	const char *started, *finished; /* UTC stamps; finished NULL when unknown */
	const char *host;
	const char *matrix; /* NULL when none */
	bool complete;
	bool superseded; /* another record of the archive continues this one */
	size_t chain;	 /* how many of the archive's records this one continues, one after the other */
	size_t cells, measured; /* builds, and those of them with status "measured" */
	uint64_t samples;
};

struct archive_entries {
	struct archive_entry *v;
	size_t n;
	struct words warnings; /* a sentence for each record that could not be read */
};

/*
 * All records, by started, then those that others continue before these, then id: the same order wherever the files
 * came from. It is only as good as the clocks were (archive_clock_went_back()).
 */
int archive_list(const struct archive *archive, struct archive_entries *entries, struct error *e);

/*
 * The path of a RECORD as people write it: a path (with a slash, or ending in .json.gz), `latest`, `latest~N`
 * (N before it), or four or more first digits of an id. `latest` counts records of kind "run" that no other one
 * continues, of all hosts, complete or not. Errors (EXIT_USAGE): no such record, with the nearest; several, listed;
 * (EXIT_NOTHING) latest of an archive without any.
 */
int archive_find(const struct archive *archive, const char *record, const char **path, struct error *e);

enum archive_state {
	ARCHIVE_INTACT,
	ARCHIVE_DAMAGED,   /* cannot be read as a whole: gzip, JSON, id, types, ranges */
	ARCHIVE_MISPLACED, /* intact, but its folder or name does not agree with its content */
	ARCHIVE_NEWER,	   /* written by a newer flagstone: cannot be judged */
	ARCHIVE_LINK,	   /* a symbolic link: refused */
	ARCHIVE_UNREADABLE,
	ARCHIVE_JOURNAL_LIVE, /* of a run that goes on now */
	ARCHIVE_JOURNAL_DEAD, /* of a run that was cut off: finish it */
	ARCHIVE_TEMPORARY,    /* of a write that was cut off: can be deleted */
	ARCHIVE_FOREIGN	      /* nothing of an archive's */
};

struct archive_verdict {
	const char *path;
	enum archive_state state;
	const char *reason; /* a sentence; NULL when intact */
};

struct archive_verdicts {
	struct archive_verdict *v;
	size_t n;
	size_t intact, bad; /* records that are as written; things that are wrong (archive_state_is_bad) */
};

/* "intact", "damaged", "misplaced", "newer", "link", "unreadable", "live journal", "dead journal", "temporary", "foreign" */
const char *archive_state_text(enum archive_state state);
/* Must it be repaired? True for damaged, misplaced, link, unreadable. */
bool archive_state_is_bad(enum archive_state state);
/*
 * Reads every file as a whole and holds it against itself; needs nothing but the files. The verdicts are in the
 * order of the paths.
 */
int archive_verify(const struct archive *archive, struct archive_verdicts *verdicts, struct error *e);
/* The verdict on one record's file, wherever it lies; its name is compared where it has a record's form. */
struct archive_verdict archive_verify_file(const struct archive *archive, const char *path);

/* Was the clock set back while this run went on? True where it ended before it began. */
bool archive_clock_went_back(const struct archive_entry *entry);
/* "2026-03-01T12:34:56Z" as "20260301T123456Z"; false when it is not a stamp of this form. */
bool archive_stamp(const char *started, char stamp[17]);

#endif
