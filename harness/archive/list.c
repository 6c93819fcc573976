#include "archive/archive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/walk.h"
#include "base/mem.h"
#include "record/json.h"

typedef VEC(struct archive_entry) entry_vec;

struct listing {
	struct arena *arena;
	entry_vec found;
	struct words *warnings;
};

static const char *copied(struct arena *arena, const char *text)
{
	return text != NULL ? arena_strdup(arena, text) : NULL;
}

static struct archive_entry make_entry(
	const struct record *record, uint64_t samples, const char *path, struct arena *arena)
{
	struct archive_entry entry = {.path = path,
		.id = arena_strdup(arena, record->id),
		.run = copied(arena, record->run),
		.continues = copied(arena, record->continues),
		.group = copied(arena, record->group),
		.kind = copied(arena, record->kind),
		.started = copied(arena, record->started),
		.finished = copied(arena, record->finished),
		.host = copied(arena, record->host_name),
		.matrix = copied(arena, record->plan.matrix_name),
		.complete = record->complete,
		.cells = record->build_count,
		.samples = samples};

	for (size_t i = 0; i < record->build_count; i++)
		entry.measured += record->builds[i].status == CELL_MEASURED;
	return entry;
}

/* Reads one head into an arena of its own, since a head can be much larger than its entry. */
static int read_entry(struct listing *listing, const char *path, struct error *e)
{
	struct arena scratch = {0};
	struct record *record;
	uint64_t samples;
	int fd = walk_open(path, e);
	int result;

	if (fd < 0)
		return -1;
	result = record_read_head(fd, path, &scratch, &record, &samples, e);
	close(fd);
	if (result == 0) {
		vec_push(&listing->found, make_entry(record, samples, path, listing->arena));
		record_release(record);
	}
	arena_release(&scratch);
	return result;
}

static int visit(void *context, const struct walk_item *item, struct error *e)
{
	struct listing *listing = context;
	struct error why = {0};

	if (item->kind == WALK_UNREADABLE)
		return error_set(e, EXIT_CANNOT, "%s", item->reason);
	if (item->kind == WALK_LINK && item->host != NULL)
		words_addf(
			listing->warnings, listing->arena, "%s: a symbolic link, not followed", item->path);
	if (item->kind == WALK_RECORD && read_entry(listing, item->path, &why) != 0)
		words_addf(listing->warnings, listing->arena, "%s; skipped", why.text);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct archive_entry *x = a, *y = b;
	int order = strcmp(x->started, y->started);

	/* a run that was resumed keeps its start: only the chain tells which of its records is the later one */
	if (order == 0)
		order = (x->chain > y->chain) - (x->chain < y->chain);
	if (order == 0) /* begun in one second: the one that ended first is the older */
		order = strcmp(
			x->finished != NULL ? x->finished : "", y->finished != NULL ? y->finished : "");
	if (order == 0)
		order = strcmp(x->id, y->id);
	return order != 0 ? order : strcmp(x->path, y->path);
}

static struct archive_entry *older_than(struct archive_entry *v, size_t n, const struct archive_entry *entry)
{
	for (size_t i = 0; i < n && entry->continues != NULL; i++)
		if (&v[i] != entry && strcmp(v[i].id, entry->continues) == 0)
			return &v[i];
	return NULL;
}

/* Before sorting. Ids are hashes, so that no chain is a circle; forged ids must not make this endless. */
static void follow_chains(struct archive_entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct archive_entry *older = older_than(v, n, &v[i]);

		for (; older != NULL && v[i].chain < n; older = older_than(v, n, older))
			v[i].chain++;
	}
}

static void mark_superseded(struct archive_entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; v[i].continues != NULL && k < n; k++)
			if (k != i && strcmp(v[k].id, v[i].continues) == 0)
				v[k].superseded = true;
}

int archive_list(const struct archive *archive, struct archive_entries *entries, struct error *e)
{
	struct words warnings = {0};
	struct listing listing = {.arena = archive->arena, .warnings = &warnings};
	size_t n;
	int result = walk_archive(archive, visit, &listing, e);

	n = listing.found.n;
	if (result == 0) {
		entries->v = arena_array(archive->arena, n, sizeof(*entries->v));
		if (n > 0) {
			memcpy(entries->v, listing.found.v, n * sizeof(*entries->v));
			follow_chains(entries->v, n);
			qsort(entries->v, n, sizeof(*entries->v), by_start);
		}
		mark_superseded(entries->v, n);
		entries->n = n;
		entries->warnings = warnings;
	}
	vec_release(&listing.found);
	return result;
}

bool archive_clock_went_back(const struct archive_entry *entry)
{
	char stamp[17];

	/* stamps of one form and time zone: the order of their bytes is that of time; others say nothing */
	return entry->finished != NULL && archive_stamp(entry->finished, stamp) &&
	       archive_stamp(entry->started, stamp) && strcmp(entry->finished, entry->started) < 0;
}
