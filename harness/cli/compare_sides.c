#include "cli/compare_sides.h"

#include <string.h>

#include "base/file.h"
#include "cli/common.h"
#include "compare/elsewhere.h"
#include "compare/sources_cells.h"
#include "record/json.h"

/* Files of a side, before they are read as a whole. */
struct side_paths {
	struct words paths;
	const char *group; /* of the only record named, if it was not named by a path; else NULL */
};

static bool is_path(const char *word)
{
	return strchr(word, '/') != NULL || text_ends(word, ".json.gz");
}

static int find_path(struct cli *cli, const char *word, struct words *paths, struct error *e)
{
	struct archive archive = {.root = ".", .arena = &cli->arena};
	const char *path;

	if (!is_path(word) && common_archive(cli, &archive, e) != 0)
		return -1;
	if (archive_find(&archive, word, &path, e) != 0)
		return -1;
	words_add(paths, &cli->arena, path);
	return 0;
}

/* "a,b,c": a name holds no comma, and a path that does is there as a whole. */
static int split_word(struct cli *cli, const char *word, struct words *paths, struct error *e)
{
	if (strchr(word, ',') == NULL || (is_path(word) && file_exists(word)))
		return find_path(cli, word, paths, e);
	while (*word != '\0') {
		size_t n = strcspn(word, ",");

		if (n == 0)
			return error_set(e, EXIT_USAGE, "there is an empty name between commas");
		if (find_path(cli, arena_strndup(&cli->arena, word, n), paths, e) != 0)
			return -1;
		word += n + (word[n] == ',');
	}
	return 0;
}

static const struct archive_entry *entry_of(const struct archive_entries *entries, const char *path)
{
	for (size_t i = 0; i < entries->n; i++)
		if (strcmp(entries->v[i].path, path) == 0)
			return &entries->v[i];
	return NULL;
}

/* A single run of a group stands for the group. */
static int find_groups(
	struct cli *cli, struct side_paths *sides, size_t n, struct archive_entries *entries, struct error *e)
{
	struct archive archive;
	bool any = false;

	for (size_t s = 0; s < n; s++)
		any = any || (sides[s].paths.n == 1 && !is_path(cli->args.words.v[s]));
	if (!any)
		return 0;
	if (common_archive(cli, &archive, e) != 0 || archive_list(&archive, entries, e) != 0)
		return -1;
	for (size_t s = 0; s < n; s++) {
		const struct archive_entry *entry = entry_of(entries, sides[s].paths.v[0]);

		if (sides[s].paths.n == 1 && !is_path(cli->args.words.v[s]) && entry != NULL)
			sides[s].group = entry->group;
	}
	return 0;
}

/* Has any other side a run of this group? Then both are the single runs that they name. */
static bool is_shared(
	const struct archive_entries *entries, const struct side_paths *sides, size_t n, size_t own)
{
	for (size_t s = 0; s < n; s++) {
		for (size_t i = 0; i < sides[s].paths.n && s != own; i++) {
			const struct archive_entry *entry = entry_of(entries, sides[s].paths.v[i]);

			if (entry != NULL && entry->group != NULL &&
				strcmp(entry->group, sides[own].group) == 0)
				return true;
		}
	}
	return false;
}

static void expand_groups(
	struct cli *cli, struct side_paths *sides, size_t n, const struct archive_entries *entries)
{
	for (size_t s = 0; s < n; s++) {
		struct words all = {0};

		if (sides[s].group == NULL || is_shared(entries, sides, n, s))
			continue;
		for (size_t i = 0; i < entries->n; i++)
			if (entries->v[i].group != NULL && !entries->v[i].superseded &&
				strcmp(entries->v[i].group, sides[s].group) == 0)
				words_add(&all, &cli->arena, entries->v[i].path);
		if (words_have(&all, sides[s].paths.v[0]))
			sides[s].paths = all;
	}
}

/* The samples are let go at once, but those of a cell to be explained: a side of many runs would fill the memory. */
static int read_run(struct cli *cli, const char *path, struct between_run *run, struct error *e)
{
	struct effect_options none = {0};
	struct result *result = arena_new(&cli->arena, struct result);
	struct record *record;

	if (record_read_file(path, NULL, &cli->arena, &record, e) != 0)
		return -1;
	effect_of_record(record, &none, &cli->arena, result);
	if (cli->args.explain != NULL)
		sources_keep_samples(record, cli->args.explain, &cli->arena);
	else
		record_release(record);
	*run = (struct between_run){record, result};
	return 0;
}

/* One run on two sides would be held against itself; twice on one it would count as two draws. */
static int check_once(const struct between_side *sides, size_t n, struct error *e)
{
	for (size_t s = 0; s < n; s++)
		for (size_t r = 0; r < sides[s].run_count; r++)
			for (size_t t = s; t < n; t++)
				for (size_t k = t == s ? r + 1 : 0; k < sides[t].run_count; k++)
					if (strcmp(sides[s].runs[r].record->id,
						    sides[t].runs[k].record->id) == 0)
						return error_set(e, EXIT_USAGE,
							"the record %.12s is given twice (%s, %s): a run "
							"counts once",
							sides[s].runs[r].record->id, sides[s].name,
							sides[t].name);
	return 0;
}

static int read_side(struct cli *cli, const char *name, const struct words *paths, struct between_side *side,
	struct error *e)
{
	struct between_run *runs = arena_array(&cli->arena, paths->n, sizeof(*runs));

	for (size_t r = 0; r < paths->n; r++)
		if (read_run(cli, paths->v[r], &runs[r], e) != 0)
			return -1;
	*side = (struct between_side){name, runs, paths->n};
	return 0;
}

int compare_sides(struct cli *cli, struct between_side **sides, struct error *e)
{
	size_t n = cli->args.words.n;
	struct side_paths *found = arena_array(&cli->arena, n, sizeof(*found));
	struct archive_entries entries = {0};

	*sides = arena_array(&cli->arena, n, sizeof(**sides));
	for (size_t s = 0; s < n; s++)
		if (split_word(cli, cli->args.words.v[s], &found[s].paths, e) != 0)
			return -1;
	if (find_groups(cli, found, n, &entries, e) != 0)
		return -1;
	expand_groups(cli, found, n, &entries);
	for (size_t s = 0; s < n; s++)
		if (read_side(cli, cli->args.words.v[s], &found[s].paths, &(*sides)[s], e) != 0)
			return -1;
	return check_once(*sides, n, e);
}

int compare_baseline(const struct arguments *args, size_t *index, struct error *e)
{
	*index = 0;
	if (args->baseline == NULL)
		return 0;
	for (size_t i = 0; i < args->words.n; i++)
		if (strcmp(args->words.v[i], args->baseline) == 0) {
			*index = i;
			return 0;
		}
	return error_set(e, EXIT_USAGE, "--baseline: \"%s\" is none of the records given", args->baseline);
}

const struct words *compare_elsewhere(struct cli *cli, const struct between *between)
{
	struct words *found = arena_array(&cli->arena, between->side_count, sizeof(*found));
	struct archive archive;
	struct error e = {0};
	bool is_there = common_archive(cli, &archive, &e) == 0;

	for (size_t s = 0; s < between->side_count && s < 3; s++)
		if (s != between->baseline &&
			(!is_there || elsewhere_find(&archive, between, s, &cli->arena, &found[s], &e) != 0))
			words_addf(&found[s], &cli->arena, "no archive was searched: %s", e.text);
	return found;
}

bool compare_any(const struct between *between)
{
	for (size_t s = 0; s < between->side_count; s++)
		if (s != between->baseline &&
			comparable_verdict(&between->comparable[s], &between->counts[s]) != INCOMPARABLE)
			return true;
	return false;
}
