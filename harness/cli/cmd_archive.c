#include <string.h>

#include "archive/journal.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/run_options.h"
#include "cli/table.h"

static const struct cli_option options[] = {OPTION_JSON};

static const char *entry_remark(const struct archive_entry *entry, struct arena *arena)
{
	const char *remark = entry->superseded ? "continued by a later one"
			     : entry->complete ? ""
					       : "incomplete";

	if (!archive_clock_went_back(entry))
		return remark;
	return arena_printf(arena, "%s%sthe clock was set back during the run, which ended at %s", remark,
		remark[0] != '\0' ? "; " : "", entry->finished);
}

static void list_text(struct cli *cli, const struct archive *archive, const struct archive_entries *entries,
	const struct journal_entries *journals)
{
	struct table table;
	struct buf out = {0};

	table_init(&table, &cli->arena, 7);
	table.right[4] = table.right[5] = true;
	for (size_t i = 0; i < entries->n; i++) {
		const struct archive_entry *entry = &entries->v[i];

		table_addf(&table, "%.12s", entry->id);
		table_add(&table, entry->started);
		table_add(&table, entry->host);
		table_add(&table, entry->matrix != NULL ? entry->matrix : entry->kind);
		table_addf(
			&table, "%zu/%zu cell%s", entry->measured, entry->cells, text_plural(entry->cells));
		table_addf(&table, "%llu sample%s", (unsigned long long)entry->samples,
			text_plural((size_t)entry->samples));
		table_add(&table, entry_remark(entry, &cli->arena));
	}
	table_write(&table, &out);
	for (size_t i = 0; i < journals->n; i++)
		buf_addf(&out, "%s: %s\n", text_safe(&cli->arena, journals->v[i].path),
			journals->v[i].alive ? "a run that goes on now"
					     : "a run that was cut off; `flagstone run --resume` goes on "
					       "with it, `flagstone archive finish` keeps "
					       "what it has");
	if (entries->n == 0 && journals->n == 0)
		buf_addf(&out, "no records in %s\n", text_safe(&cli->arena, archive->root));
	terminal_print(&out);
	buf_release(&out);
}

static json_t *entry_json(const struct archive_entry *entry)
{
	json_t *object = json_object();

	json_object_set_new(object, "id", json_safe_string(entry->id));
	json_object_set_new(object, "path", json_safe_string(entry->path));
	json_object_set_new(object, "kind", json_safe_string(entry->kind));
	json_object_set_new(object, "run", json_safe_string(entry->run));
	json_object_set_new(object, "group", json_safe_string(entry->group));
	json_object_set_new(object, "continues", json_safe_string(entry->continues));
	json_object_set_new(object, "started", json_safe_string(entry->started));
	json_object_set_new(object, "finished", json_safe_string(entry->finished));
	json_object_set_new(object, "host", json_safe_string(entry->host));
	json_object_set_new(object, "matrix", json_safe_string(entry->matrix));
	json_object_set_new(object, "complete", json_boolean(entry->complete));
	json_object_set_new(object, "superseded", json_boolean(entry->superseded));
	json_object_set_new(object, "clock_went_back", json_boolean(archive_clock_went_back(entry)));
	json_object_set_new(object, "cells", json_integer((json_int_t)entry->cells));
	json_object_set_new(object, "measured", json_integer((json_int_t)entry->measured));
	json_object_set_new(object, "samples", json_integer((json_int_t)entry->samples));
	return object;
}

static void list_json(const struct archive *archive, const struct archive_entries *entries,
	const struct journal_entries *journals)
{
	json_t *root = json_object(), *records = json_array(), *unfinished = json_array();

	for (size_t i = 0; i < entries->n; i++)
		json_array_append_new(records, entry_json(&entries->v[i]));
	for (size_t i = 0; i < journals->n; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "path", json_safe_string(journals->v[i].path));
		json_object_set_new(object, "host", json_safe_string(journals->v[i].host));
		json_object_set_new(object, "alive", json_boolean(journals->v[i].alive));
		json_array_append_new(unfinished, object);
	}
	json_object_set_new(root, "schema", json_string("flagstone.archive-list/1"));
	json_object_set_new(root, "archive", json_safe_string(archive->root));
	json_object_set_new(root, "records", records);
	json_object_set_new(root, "journals", unfinished);
	json_object_set_new(root, "warnings", json_safe_words(&entries->warnings));
	common_print_json(root);
}

static enum exit_code list(struct cli *cli)
{
	struct archive archive;
	struct archive_entries entries = {0};
	struct journal_entries journals = {0};
	struct error e = {0};

	if (cli->args.words.n > 1) {
		error_set(&e, EXIT_USAGE,
			"archive list takes no more words, found \"%s\"; --archive DIR names the archive",
			cli->args.words.v[1]);
		return error_print(&e);
	}
	if (common_archive(cli, &archive, &e) != 0 || archive_list(&archive, &entries, &e) != 0 ||
		journal_list(&archive, &journals, &e) != 0)
		return error_print(&e);
	if (cli->args.json)
		list_json(&archive, &entries, &journals);
	else
		list_text(cli, &archive, &entries, &journals);
	for (size_t i = 0; i < entries.warnings.n; i++)
		remark_print(entries.warnings.v[i]);
	return EXIT_YES;
}

/* Verdicts on the files that the command line names. */
static int verify_files(struct cli *cli, struct archive_verdicts *verdicts, struct error *e)
{
	struct archive archive = {.root = ".", .arena = &cli->arena};
	const struct words *words = &cli->args.words;

	verdicts->v = arena_array(&cli->arena, words->n, sizeof(*verdicts->v));
	for (size_t i = 1; i < words->n; i++) {
		struct archive_verdict *verdict = &verdicts->v[verdicts->n];

		if (!file_exists(words->v[i]))
			return error_set(e, EXIT_USAGE, "there is no file %s", words->v[i]);
		*verdict = archive_verify_file(&archive, words->v[i]);
		verdicts->n++;
		verdicts->intact += verdict->state == ARCHIVE_INTACT;
		verdicts->bad += archive_state_is_bad(verdict->state);
	}
	return 0;
}

static void verify_text(struct cli *cli, const struct archive_verdicts *verdicts)
{
	struct buf out = {0};
	size_t others = 0;

	for (size_t i = 0; i < verdicts->n; i++) {
		const struct archive_verdict *verdict = &verdicts->v[i];

		others += verdict->state != ARCHIVE_INTACT && !archive_state_is_bad(verdict->state);
		if (verdict->state == ARCHIVE_INTACT && !cli->args.verbose)
			continue;
		buf_addf(&out, "%s: %s%s%s\n", archive_state_text(verdict->state),
			text_safe(&cli->arena, verdict->path), verdict->reason != NULL ? ": " : "",
			verdict->reason != NULL ? text_safe(&cli->arena, verdict->reason) : "");
	}
	buf_addf(&out, "%zu record%s intact, %zu wrong", verdicts->intact, text_plural(verdicts->intact),
		verdicts->bad);
	if (others > 0)
		buf_addf(&out, ", %zu other file%s", others, text_plural(others));
	buf_addc(&out, '\n');
	terminal_print(&out);
	buf_release(&out);
}

static void verify_json(const struct archive_verdicts *verdicts)
{
	json_t *root = json_object(), *files = json_array();

	for (size_t i = 0; i < verdicts->n; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "path", json_safe_string(verdicts->v[i].path));
		json_object_set_new(object, "state", json_string(archive_state_text(verdicts->v[i].state)));
		json_object_set_new(object, "bad", json_boolean(archive_state_is_bad(verdicts->v[i].state)));
		json_object_set_new(object, "reason", json_safe_string(verdicts->v[i].reason));
		json_array_append_new(files, object);
	}
	json_object_set_new(root, "schema", json_string("flagstone.archive-verify/1"));
	json_object_set_new(root, "intact", json_integer((json_int_t)verdicts->intact));
	json_object_set_new(root, "bad", json_integer((json_int_t)verdicts->bad));
	json_object_set_new(root, "files", files);
	common_print_json(root);
}

static enum exit_code verify(struct cli *cli)
{
	struct archive archive;
	struct archive_verdicts verdicts = {0};
	struct error e = {0};
	int result;

	if (cli->args.words.n > 1)
		result = verify_files(cli, &verdicts, &e);
	else
		result =
			common_archive(cli, &archive, &e) != 0 ? -1 : archive_verify(&archive, &verdicts, &e);
	if (result != 0)
		return error_print(&e);
	if (cli->args.json)
		verify_json(&verdicts);
	else
		verify_text(cli, &verdicts);
	return verdicts.bad > 0 ? EXIT_NO : EXIT_YES;
}

/* Runs that were cut off become incomplete records. */
static enum exit_code finish(struct cli *cli)
{
	struct archive archive;
	struct journal_entries journals = {0};
	struct buf out = {0};
	struct error e = {0};
	enum exit_code code = EXIT_YES;
	size_t finished = 0;

	if (common_archive(cli, &archive, &e) != 0 || journal_list(&archive, &journals, &e) != 0)
		return error_print(&e);
	for (size_t i = 0; i < journals.n; i++) {
		const char *path;

		if (journals.v[i].alive)
			continue;
		if (archive_finish_journal(&archive, journals.v[i].path, &path, &e) != 0) {
			code = error_print(&e);
			continue;
		}
		buf_addf(&out, "incomplete: %s\n", text_safe(&cli->arena, path));
		finished++;
	}
	buf_addf(&out, "%zu run%s finished\n", finished, text_plural(finished));
	terminal_print(&out);
	buf_release(&out);
	return code;
}

static enum exit_code archive(struct cli *cli)
{
	const char *names[] = {"list", "verify", "finish"};
	const char *name = cli->args.words.n > 0 ? cli->args.words.v[0] : "";
	const char *nearest = text_nearest(name, names, 3);
	struct error e = {0};

	if (strcmp(name, "list") == 0)
		return list(cli);
	if (strcmp(name, "verify") == 0)
		return verify(cli);
	if (strcmp(name, "finish") == 0)
		return finish(cli);
	if (name[0] == '\0')
		error_set(&e, EXIT_USAGE, "archive takes what to do: list, verify, or finish");
	else
		error_set(&e, EXIT_USAGE, "archive cannot \"%s\"; allowed: list, verify, finish", name);
	if (nearest != NULL)
		error_advice(&e, "did you mean %s?", nearest);
	return error_print(&e);
}

const struct command cmd_archive = {
	.name = "archive",
	.words = "list|verify|finish [FILE]...",
	.words_max = SIZE_MAX,
	.title = "what the archive holds, and whether it is intact",
	.text = "list: the records of the archive, oldest first by their time stamps, and runs that are not "
		"finished.\n\n"
		"verify: reads the whole archive, or the files that are named, and holds each record against "
		"itself: its "
		"checksum, its id, every type and range. Exit code 1 if anything is wrong. With --verbose "
		"intact records are "
		"listed too.\n\n"
		"finish: a run that was cut off (killed, power lost) left a journal; this makes an "
		"incomplete record "
		"of its finished rounds. `flagstone run --resume` would go on with it instead.",
	.example = "flagstone archive list\nflagstone archive verify --archive /mnt/archive",
	.options = OPTION_TABLE(options),
	.run = archive,
};
