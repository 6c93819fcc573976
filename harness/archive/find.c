#include "archive/archive.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/num.h"

enum { PREFIX_MIN = 4, ID_DIGITS = 64, SHOWN = 8 /* of several matches */ };

static int find_path(const struct archive *archive, const char *text, const char **path, struct error *e)
{
	struct stat st;

	if (stat(text, &st) != 0)
		return error_set(
			e, EXIT_USAGE, "there is no record at the path %s: %s", text, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(e, EXIT_USAGE, "%s is not a record's file", text);
	*path = arena_strdup(archive->arena, text);
	return 0;
}

/* "latest" or "latest~N"; false when it is neither. */
static bool parse_latest(const char *text, uint64_t *back)
{
	*back = 0;
	if (!text_starts(text, "latest"))
		return false;
	text += strlen("latest");
	return *text == '\0' || (*text == '~' && num_parse_u64(text + 1, back));
}

/* How many records could not be read, as the end of a sentence, since one of them may be the one meant. */
static int say_skipped(const struct archive_entries *entries, struct error *e)
{
	if (entries->warnings.n > 0)
		error_advice(e, "%zu of the archive's files cannot be read: see `flagstone archive verify`",
			entries->warnings.n);
	return -1;
}

static int find_latest(const struct archive *archive, const struct archive_entries *entries, uint64_t back,
	const char **path, struct error *e)
{
	uint64_t seen = 0;

	for (size_t i = entries->n; i-- > 0;) {
		const struct archive_entry *entry = &entries->v[i];

		if (entry->superseded || strcmp(entry->kind, "run") != 0)
			continue;
		if (seen++ == back) {
			*path = entry->path;
			return 0;
		}
	}
	if (seen == 0)
		error_set(e, EXIT_NOTHING, "there is no record of a run in the archive %s", archive->root);
	else
		error_set(e, EXIT_USAGE, "latest~%llu goes back too far: the archive %s holds %llu runs",
			(unsigned long long)back, archive->root, (unsigned long long)seen);
	return say_skipped(entries, e);
}

static bool is_prefix(const char *text)
{
	size_t n = strlen(text);

	return n >= PREFIX_MIN && n <= ID_DIGITS && strspn(text, "0123456789abcdef") == n;
}

static int not_found(const struct archive *archive, const struct archive_entries *entries, const char *text,
	struct error *e)
{
	VEC(const char *) candidates = {0};
	size_t digits = strlen(text);
	const char *nearest;

	vec_push(&candidates, "latest");
	for (size_t i = 0; i < entries->n; i++)
		vec_push(&candidates,
			arena_strndup(archive->arena, entries->v[i].id, digits < 64 ? digits : 64));
	nearest = text_nearest(text, candidates.v, candidates.n);
	vec_release(&candidates);
	error_set(e, EXIT_USAGE, "there is no record \"%s\" in the archive %s", text, archive->root);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	else
		error_advice(
			e, "a record is a path, four or more first digits of its id, latest, or latest~N");
	return say_skipped(entries, e);
}

static int ambiguous(const struct archive_entries *entries, const char *text, struct error *e)
{
	struct buf list = {0};
	size_t matches = 0;

	for (size_t i = 0; i < entries->n; i++) {
		if (!text_starts(entries->v[i].id, text))
			continue;
		if (matches++ < SHOWN)
			buf_addf(&list, "\n  %.16s  %s  %s", entries->v[i].id, entries->v[i].started,
				entries->v[i].host);
	}
	if (matches > SHOWN)
		buf_addf(&list, "\n  and %zu more", matches - SHOWN);
	error_set(e, EXIT_USAGE, "the id %s is the beginning of %zu records; give more digits:%s", text,
		matches, buf_text(&list));
	buf_release(&list);
	return -1;
}

static int find_id(const struct archive *archive, const struct archive_entries *entries, const char *text,
	const char **path, struct error *e)
{
	const struct archive_entry *match = NULL;

	for (size_t i = 0; i < entries->n; i++) {
		const struct archive_entry *entry = &entries->v[i];

		if (!text_starts(entry->id, text))
			continue;
		if (match != NULL && strcmp(match->id, entry->id) != 0)
			return ambiguous(entries, text, e);
		match = match != NULL ? match : entry; /* a copy of the same record is the same record */
	}
	if (match == NULL)
		return not_found(archive, entries, text, e);
	*path = match->path;
	return 0;
}

int archive_find(const struct archive *archive, const char *record, const char **path, struct error *e)
{
	struct archive_entries entries = {0};
	uint64_t back;

	if (strchr(record, '/') != NULL || text_ends(record, ".json.gz"))
		return find_path(archive, record, path, e);
	if (archive_list(archive, &entries, e) != 0)
		return -1;
	if (parse_latest(record, &back))
		return find_latest(archive, &entries, back, path, e);
	if (!is_prefix(record))
		return not_found(archive, &entries, record, e);
	return find_id(archive, &entries, record, path, e);
}
