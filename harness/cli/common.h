/*
 * common.h - what several commands do alike: data beside the program, archive and record by name, formats, JSON.
 */
#ifndef FLAGSTONE_CLI_COMMON_H
#define FLAGSTONE_CLI_COMMON_H

#include <stdbool.h>

#include "archive/archive.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "record/record.h"

enum format { FORMAT_TERMINAL, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };

/* What --json, --csv, --markdown ask for. Error (EXIT_USAGE): more than one. */
int common_format(const struct arguments *args, enum format *format, struct error *e);

/*
 * ../share/flagstone beside the program's real file; or the source tree (*source_tree is then set), where the program is
 * TREE/.build/HASH/flagstone; else NULL. source_tree may be NULL.
 */
const char *common_installed(struct arena *arena, bool *source_tree);
/* The session options of the command line, with the installed data in them. */
struct session_options common_options(struct cli *cli);
/* Prints all that is wrong in files, a line each, and gives the exit code. There is at least one. */
enum exit_code common_spec_errors(const struct spec_errors *errors);

/*
 * Opens a session with a plan for a matrix (NULL: none). It probes toolchains as the plan needs.
 * -1: the error is printed, *code what to end with.
 */
int common_open(struct cli *cli, const char *matrix, bool probe, const struct session_events *events,
	struct session *session, enum exit_code *code);

/* Opens the archive that --archive, the settings or the project name, for reading. No toolchain is looked for. */
int common_archive(struct cli *cli, struct archive *archive, struct error *e);

/*
 * Reads a record: a path, an id's beginning, latest, latest~N. *path is where it is. record_release() frees its
 * samples.
 */
int common_record(
	struct cli *cli, const char *name, const char **path, struct record **record, struct error *e);

/* The program called again as it was: " -C DIR --archive DIR" as far as given, quoted. In the arena. */
const char *common_where(const struct cli *cli, struct arena *arena);

/* Prints a JSON document with a line's end, safe for terminals, and releases it. */
void common_print_json(json_t *root);

#endif
