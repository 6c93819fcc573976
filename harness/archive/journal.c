#include "archive/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/folder.h"
#include "archive/journal_entry.h"
#include "archive/place.h"
#include "archive/walk.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/members.h"
#include "record/rows.h"

enum { RUN_DIGITS = 12 };

struct digest {
	uint8_t bytes[HASH_SIZE];
};
typedef VEC(struct digest) digest_vec;

struct journal {
	int fd;
	char *path;
	uint64_t entries;	    /* written */
	off_t size;		    /* of all good entries */
	size_t rows;		    /* samples written */
	digest_vec members, builds; /* what was last written of each, to see what changed */
	struct buf out;
};

void journal_checksum(
	uint64_t number, const char *kind, const void *json, size_t length, char check[HASH_HEX])
{
	char start[JOURNAL_START_MAX];
	struct hash hash;

	snprintf(start, sizeof(start), "%llu %s %zu ", (unsigned long long)number, kind, length);
	hash_init(&hash);
	hash_add(&hash, start, strlen(start));
	hash_add(&hash, json, length);
	hash_final_hex(&hash, check);
	check[JOURNAL_CHECK] = '\0';
}

void journal_add_entry(struct buf *out, uint64_t number, const char *kind, const struct buf *json)
{
	char check[HASH_HEX];

	journal_checksum(number, kind, buf_text(json), json->n, check);
	buf_addf(out, "%llu %s %zu %s ", (unsigned long long)number, kind, json->n, check);
	buf_add(out, buf_text(json), json->n);
	buf_addc(out, '\n');
}

static void add_entry(struct journal *journal, const char *kind, const struct buf *json, uint64_t *number)
{
	journal_add_entry(&journal->out, (*number)++, kind, json);
}

/* Was this part written before as it is now? Remembers it. */
static bool changed(digest_vec *seen, size_t index, const json_t *value)
{
	struct buf text = {0};
	struct digest now = {{0}};
	bool differs;

	json_add_tree(&text, value, false);
	hash_bytes(buf_text(&text), text.n, now.bytes);
	buf_release(&text);
	if (index == seen->n) {
		vec_push(seen, now);
		return true;
	}
	differs = memcmp(&seen->v[index], &now, sizeof(now)) != 0;
	seen->v[index] = now;
	return differs;
}

static void add_builds(struct journal *journal, const json_t *builds, uint64_t *number)
{
	struct buf json = {0};
	json_t *build;
	size_t i;

	json_array_foreach(builds, i, build)
	{
		if (!changed(&journal->builds, i, build))
			continue;
		buf_clear(&json);
		buf_addf(&json, "{\"index\":%zu,\"build\":", i);
		json_add_tree(&json, build, false);
		buf_addc(&json, '}');
		add_entry(journal, "build", &json, number);
	}
	buf_release(&json);
}

/* Entries for all members that changed since the last call. */
static void add_changes(struct journal *journal, const struct record *record, uint64_t *number)
{
	json_t *members = members_to_json(record), *set = json_object(), *value;
	struct buf json = {0};
	const char *key;
	size_t index = 0;

	json_object_foreach(members, key, value)
	{
		if (strcmp(key, "builds") == 0)
			add_builds(journal, value, number);
		else if (changed(&journal->members, index++, value))
			json_object_set(set, key, value);
	}
	if (json_object_size(set) > 0) {
		json_add_tree(&json, set, false);
		add_entry(journal, "set", &json, number);
	}
	buf_release(&json);
	json_decref(set);
	json_decref(members);
}

static void add_rows(struct journal *journal, const struct record *record, uint64_t *number)
{
	struct buf json = {0};

	if (record->samples.n == journal->rows)
		return;
	rows_add(&json, &record->samples, journal->rows, record->samples.n);
	add_entry(journal, "rows", &json, number);
	buf_release(&json);
}

static void add_head(struct journal *journal, const struct record *record, uint64_t *number)
{
	json_t *members = members_to_json(record), *value;
	struct buf json = {0};
	const char *key;
	size_t index = 0;

	json_object_foreach(members, key, value)
	{
		if (strcmp(key, "builds") != 0)
			changed(&journal->members, index++, value);
		for (size_t i = 0; strcmp(key, "builds") == 0 && i < json_array_size(value); i++)
			changed(&journal->builds, i, json_array_get(value, i));
	}
	buf_adds(&json, "{\"schema\":\"" JOURNAL_SCHEMA "\",\"record\":");
	json_add_tree(&json, members, false);
	buf_addc(&json, '}');
	add_entry(journal, "head", &json, number);
	buf_release(&json);
	json_decref(members);
}

/* Writes and syncs what was gathered. After a failure the next call says everything again. */
static int commit(struct journal *journal, uint64_t entries, size_t rows, struct error *e)
{
	int result = 0;

	if (journal->out.n > 0) {
		result = file_write_all(journal->fd, journal->out.data, journal->out.n, journal->path, e);
		if (result == 0 && fdatasync(journal->fd) != 0)
			result = error_errno(e, errno, "syncing %s", journal->path);
	}
	if (result == 0) {
		journal->size += (off_t)journal->out.n;
		journal->entries = entries;
		journal->rows = rows;
	} else {
		/* cutting back needs no room on the disk; if it fails too, readers stop at the half entry */
		if (ftruncate(journal->fd, journal->size) == 0)
			lseek(journal->fd, journal->size, SEEK_SET);
		memset(journal->members.v, 0, journal->members.n * sizeof(*journal->members.v));
		if (journal->builds.n > 0)
			memset(journal->builds.v, 0, journal->builds.n * sizeof(*journal->builds.v));
		error_context(e, "writing the run's journal");
	}
	buf_clear(&journal->out);
	return result;
}

/* Opens a file for the journal, under a name that no reader looks at, and takes its lock. */
static int create(char *temporary, struct error *e)
{
	int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return error_errno(e, errno, "creating the run's journal %s", temporary);
	if (fchmod(fd, 0644) != 0) {
		error_errno(e, errno, "setting the mode of the run's journal %s", temporary);
		unlink(temporary);
		close(fd);
		return -1;
	}
	/* no locks at all is fine, too */
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	return fd;
}

/* It gets its name with its head in it, so that a journal always holds a run, whenever the program dies. */
static int begin(struct journal *journal, const struct record *record, const char *temporary, struct error *e)
{
	uint64_t entries = 0;

	add_head(journal, record, &entries);
	add_rows(journal, record, &entries);
	if (commit(journal, entries, record->samples.n, e) != 0)
		return -1;
	if (place_file(temporary, journal->path, PLACE_BEST, e) != 0)
		return error_context(e, "beginning the run's journal");
	return 0;
}

struct journal *journal_create(const struct archive *archive, const struct record *record, struct error *e)
{
	struct journal *journal;
	const char *folder;
	char *temporary;
	char stamp[17];
	int fd;

	if (record->run == NULL || strspn(record->run, "0123456789abcdef") < RUN_DIGITS) {
		error_set(e, EXIT_CANNOT, "the run has no id of %d or more hex digits", RUN_DIGITS);
		return NULL;
	}
	if (folder_make(archive, record, &folder, stamp, e) != 0)
		return NULL;
	temporary = arena_printf(archive->arena, "%s/" PLACE_TEMPORARY "XXXXXX", folder);
	fd = create(temporary, e);
	if (fd < 0)
		return NULL;
	journal = mem_alloc(sizeof(*journal));
	journal->fd = fd;
	journal->path =
		mem_strdup(arena_printf(archive->arena, "%s/%s-%.12s.journal", folder, stamp, record->run));
	if (begin(journal, record, temporary, e) != 0) {
		unlink(temporary);
		journal_close(journal);
		return NULL;
	}
	if (file_sync_folder(folder, e) != 0) {
		journal_close_remove(journal, NULL);
		return NULL;
	}
	return journal;
}

const char *journal_path(const struct journal *journal)
{
	return journal->path;
}

int journal_round(struct journal *journal, const struct record *record, struct error *e)
{
	uint64_t entries = journal->entries;

	/* first what the rows point at: a journal cut between the two must make sense */
	add_changes(journal, record, &entries);
	add_rows(journal, record, &entries);
	return commit(journal, entries, record->samples.n, e);
}

int journal_event(struct journal *journal, const struct record *record, struct error *e)
{
	uint64_t entries = journal->entries;

	add_changes(journal, record, &entries);
	return commit(journal, entries, journal->rows, e);
}

void journal_close(struct journal *journal)
{
	if (journal == NULL)
		return;
	close(journal->fd);
	mem_free(journal->path);
	vec_release(&journal->members);
	vec_release(&journal->builds);
	buf_release(&journal->out);
	mem_free(journal);
}

int journal_close_remove(struct journal *journal, struct error *e)
{
	struct arena arena = {0};
	int result = 0;

	if (unlink(journal->path) != 0)
		result = error_errno(e, errno, "deleting the run's journal %s", journal->path);
	else
		result = file_sync_folder(file_folder(&arena, journal->path), e);
	journal_close(journal);
	arena_release(&arena);
	return result;
}

struct listing {
	VEC(struct journal_entry) found;
};

static int visit(void *context, const struct walk_item *item, struct error *e)
{
	struct listing *listing = context;

	if (item->kind == WALK_UNREADABLE)
		return error_set(e, EXIT_CANNOT, "%s", item->reason);
	if (item->kind == WALK_JOURNAL)
		vec_push(&listing->found,
			(struct journal_entry){item->path, item->host, journal_is_alive(item->path)});
	return 0;
}

int journal_list(const struct archive *archive, struct journal_entries *entries, struct error *e)
{
	struct listing listing = {0};
	int result = walk_archive(archive, visit, &listing, e);

	if (result == 0) {
		entries->n = listing.found.n;
		entries->v = arena_array(archive->arena, entries->n, sizeof(*entries->v));
		for (size_t i = 0; i < entries->n; i++)
			entries->v[i] = listing.found.v[i];
	}
	vec_release(&listing.found);
	return result;
}
