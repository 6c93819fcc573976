#include "archive/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/journal_entry.h"
#include "archive/walk.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/json.h"
#include "record/members.h"
#include "record/rows.h"

enum { ALIVE_WITHOUT_LOCKS_S = 3600 };

struct entry {
	char kind[JOURNAL_KIND_SIZE];
	char *json; /* length bytes and a NUL, in memory of its own */
	size_t length;
};

struct reading {
	const char *path;
	FILE *file;
	off_t size, at; /* of the file; of the next entry */
	uint64_t number;
	json_t *root; /* members so far */
	struct samples samples;
	struct buf damage; /* empty: none */
	struct error *e;
};

static bool fault(struct reading *r, const char *why)
{
	buf_addf(&r->damage, "entry %" PRIu64 " at byte %lld %s; the last %lld bytes are ignored", r->number,
		(long long)r->at, why, (long long)(r->size - r->at));
	return false;
}

/* Takes the text up to the next blank. */
static bool take_word(FILE *file, char *word, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = getc(file)) != EOF && c != ' ' && c != '\n' && n + 1 < size)
		word[n++] = (char)c;
	word[n] = '\0';
	return c == ' ' && n > 0;
}

/* Reads one entry whole; false when it is not, with the reason in damage. Leaves entry->json owned by the caller. */
static bool read_entry(struct reading *r, struct entry *entry)
{
	char number[24], length[24], given[JOURNAL_CHECK + 2], check[HASH_HEX];
	char *end;

	if (!take_word(r->file, number, sizeof(number)) ||
		!take_word(r->file, entry->kind, sizeof(entry->kind)) ||
		!take_word(r->file, length, sizeof(length)) || !take_word(r->file, given, sizeof(given)))
		return fault(r, "is cut or malformed");
	if (strtoull(number, &end, 10) != r->number || *end != '\0')
		return fault(r, "has another number");
	entry->length = strtoull(length, &end, 10);
	if (*end != '\0' || entry->length > (uint64_t)(r->size - r->at)) /* before memory is asked for */
		return fault(r, "is cut");
	entry->json = mem_alloc(entry->length + 1);
	if (fread(entry->json, 1, entry->length, r->file) != entry->length || getc(r->file) != '\n')
		return fault(r, "is cut");
	journal_checksum(r->number, entry->kind, entry->json, entry->length, check);
	if (strcmp(check, given) != 0)
		return fault(r, "does not have its checksum");
	return true;
}

/* A tree of bounded size. */
static json_t *parse(struct reading *r, const struct entry *entry, struct error *e)
{
	struct scan s;

	scan_memory(&s, entry->json, entry->length, r->path);
	entry->json[entry->length] = ','; /* ends the value for the scanner; the NUL comes back below */
	s.end++;
	if (entry->length > record_default_limits.text) {
		error_set(e, EXIT_CANNOT, "%s: an entry is longer than allowed", r->path);
		return NULL;
	}
	if (scan_value(&s, NULL, 0, record_default_limits.values, e) != 0)
		return NULL;
	entry->json[entry->length] = '\0';
	return json_parse(entry->json, entry->length, r->path, e);
}

static bool apply_build(struct reading *r, const json_t *tree)
{
	json_t *builds = json_object_get(r->root, "builds");
	json_t *build = json_object_get(tree, "build");
	int64_t index = json_int(tree, "index", -1);

	if (!json_is_array(builds) || build == NULL || index < 0 || (size_t)index > json_array_size(builds))
		return fault(r, "is of no build");
	if ((size_t)index == json_array_size(builds))
		json_array_append(builds, build);
	else
		json_array_set(builds, (size_t)index, build);
	return true;
}

static bool apply_tree(struct reading *r, const struct entry *entry)
{
	struct error why = {0};
	json_t *tree = parse(r, entry, &why);
	bool ok = true;

	if (tree == NULL)
		return fault(r, "is no JSON");
	if (strcmp(entry->kind, "set") == 0)
		json_object_update(r->root, tree);
	else
		ok = apply_build(r, tree);
	json_decref(tree);
	return ok;
}

static bool apply_rows(struct reading *r, const struct entry *entry)
{
	struct rows_place place;
	struct error why = {0};
	struct scan s;
	size_t before = r->samples.n;

	scan_memory(&s, entry->json, entry->length, r->path);
	if (rows_read(&s, &r->samples, record_default_limits.samples, 0, &place, &why) == 0)
		return true;
	r->samples.n = before;
	return fault(r, "holds no rows of samples");
}

static int read_head(struct reading *r)
{
	struct entry entry = {0};
	json_t *tree = NULL;
	const char *schema;
	int result = -1;

	if (!read_entry(r, &entry) || strcmp(entry.kind, "head") != 0) {
		error_set(r->e, EXIT_CANNOT, "%s: holds nothing usable: %s", r->path,
			r->damage.n > 0 ? r->damage.data : "it does not begin with a head");
		goto out;
	}
	tree = parse(r, &entry, r->e);
	if (tree == NULL)
		goto out;
	schema = json_text(tree, "schema", "");
	if (strcmp(schema, JOURNAL_SCHEMA) != 0) {
		error_set(r->e, EXIT_CANNOT,
			text_starts(schema, JOURNAL_SCHEMA_START)
				? "%s: written by another version of flagstone (schema %s); finish it with "
				  "that one"
				: "%s: not a journal (schema \"%s\")",
			r->path, schema);
		goto out;
	}
	r->root = json_incref(json_object_get(tree, "record"));
	result = 0;
out:
	json_decref(tree);
	mem_free(entry.json);
	return result;
}

/* Reads entries until the end or the first that is not whole. */
static void read_rest(struct reading *r)
{
	bool ok = true;

	while (ok) {
		struct entry entry = {0};

		r->at = ftello(r->file);
		r->number++;
		if (r->at >= r->size)
			return;
		ok = read_entry(r, &entry);
		if (ok && strcmp(entry.kind, "rows") == 0)
			ok = apply_rows(r, &entry);
		else if (ok && (strcmp(entry.kind, "set") == 0 || strcmp(entry.kind, "build") == 0))
			ok = apply_tree(r, &entry);
		else if (ok)
			ok = fault(r, "is of a kind that this version does not know");
		mem_free(entry.json);
	}
}

/* Failures of rows that did not get here. */
static void drop_lost_failures(struct record *record)
{
	size_t kept = 0;

	for (size_t i = 0; i < record->failure_count; i++)
		if (record->failures[i].sample < (int64_t)record->samples.n)
			record->failures[kept++] = record->failures[i];
	record->failure_count = kept;
}

static int finish(struct reading *r, struct record *record, struct journal_state *state)
{
	if (members_from_json(record, r->root, r->path, r->e) != 0)
		return -1;
	record->samples = r->samples;
	memset(&r->samples, 0, sizeof(r->samples));
	record->complete = false;
	record->incomplete_reason = "the run was cut off before its end; this is what its journal holds";
	record->finished = NULL;
	drop_lost_failures(record);
	state->rounds = 0;
	for (size_t i = 0; i < record->samples.n; i++)
		if (record->samples.v[i].round >= state->rounds)
			state->rounds = record->samples.v[i].round + 1;
	state->damage = r->damage.n > 0 ? arena_strdup(record->arena, r->damage.data) : NULL;
	return record_check(record, r->path, r->e);
}

/* fd is taken over. */
static int read_journal(int fd, const char *path, struct arena *arena, struct record **out,
	struct journal_state *state, struct error *e)
{
	struct reading r = {.path = path, .e = e, .file = fdopen(fd, "r")};
	struct record *record = record_new(arena);
	struct stat st;
	int result = -1;

	if (r.file == NULL || fstat(fd, &st) != 0) {
		error_errno(e, errno, "reading %s", path);
		if (r.file == NULL)
			close(fd);
		goto out;
	}
	r.size = st.st_size;
	if (r.size > (off_t)record_default_limits.bytes) {
		error_set(e, EXIT_CANNOT, "reading %s: it is longer than the %" PRIu64 " bytes allowed", path,
			record_default_limits.bytes);
		goto out;
	}
	result = read_head(&r);
	if (result == 0) {
		read_rest(&r);
		result = finish(&r, record, state);
	}
out:
	if (r.file != NULL)
		fclose(r.file);
	json_decref(r.root);
	samples_release(&r.samples);
	buf_release(&r.damage);
	if (result == 0)
		*out = record;
	else
		record_release(record);
	return result;
}

int journal_read(const char *path, struct arena *arena, struct record **out, struct journal_state *state,
	struct error *e)
{
	int fd = walk_open(path, e);

	if (fd < 0)
		return -1;
	state->alive = journal_is_alive(path);
	return read_journal(fd, path, arena, out, state, e);
}

/* Takes the lock if nobody has it; false when the run is alive. */
static bool try_lock(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &st) == 0 && st.st_mtime + ALIVE_WITHOUT_LOCKS_S < time(NULL);
}

bool journal_is_alive(const char *path)
{
	int fd = walk_open(path, NULL);
	bool alive;

	if (fd < 0)
		return false;
	alive = !try_lock(fd);
	close(fd);
	return alive;
}

/* Other readers hold the lock for an instant, to see whether it is free. */
static bool lock_soon(int fd)
{
	for (int tries = 0; tries < 5; tries++) {
		if (try_lock(fd))
			return true;
		clock_sleep_ns(20000000);
	}
	return false;
}

/* The path of a record that holds all of this run already, or NULL. */
static const char *find_archived(
	const struct archive *archive, const struct record *record, struct error *e, int *result)
{
	struct archive_entries entries = {0};

	*result = archive_list(archive, &entries, e);
	for (size_t i = 0; *result == 0 && i < entries.n; i++)
		if (strcmp(entries.v[i].run, record->run) == 0 && entries.v[i].samples >= record->samples.n)
			return entries.v[i].path;
	return NULL;
}

static int delete_journal(const char *journal, struct error *e)
{
	struct arena arena = {0};
	int result;

	if (unlink(journal) != 0)
		result = error_errno(e, errno, "deleting the journal %s", journal);
	else
		result = file_sync_folder(file_folder(&arena, journal), e);
	arena_release(&arena);
	return result;
}

static int keep(
	const struct archive *archive, const char *journal, int fd, const char **path, struct error *e)
{
	struct journal_state state = {0};
	struct record *record;
	struct stat st;
	char stamp[CLOCK_STAMP_SIZE];
	const char *existing;
	int copy = dup(fd), result = 0;

	if (copy < 0 || fstat(fd, &st) != 0)
		return error_errno(e, errno, "reading %s", journal);
	if (read_journal(copy, journal, archive->arena, &record, &state, e) != 0)
		return -1;
	existing = find_archived(archive, record, e, &result);
	if (result == 0 && existing == NULL) {
		clock_stamp_of(st.st_mtime, stamp); /* of its last entry */
		record->finished = arena_strdup(archive->arena, stamp);
		if (state.damage != NULL)
			record_note(record, "the journal that this record was made from was damaged: %s",
				state.damage);
		result = archive_write(archive, record, &existing, e);
	}
	record_release(record);
	if (result == 0)
		result = delete_journal(journal, e);
	if (result == 0)
		*path = existing;
	return result;
}

int archive_finish_journal(
	const struct archive *archive, const char *journal, const char **path, struct error *e)
{
	int fd = walk_open(journal, e);
	int result;

	if (fd < 0)
		return -1;
	if (lock_soon(fd))
		result = keep(archive, journal, fd, path, e);
	else
		result = error_set(e, EXIT_CANNOT,
			"%s belongs to a run that goes on now; wait for it, or stop it", journal);
	close(fd);
	return result;
}
