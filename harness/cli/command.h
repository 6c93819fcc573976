/*
 * command.h - what a command is. One const table (commands.c) names them all: dispatch, help, the manual and the
 * tests walk it. Each cmd_NAME.c holds one command: it parses, calls, prints, and returns an exit code.
 */
#ifndef FLAGSTONE_CLI_COMMAND_H
#define FLAGSTONE_CLI_COMMAND_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"

struct command;

/* One call of the program. */
struct cli {
	const struct command *command;
	struct arguments args;
	struct arena arena;
};

struct command {
	const char *name;
	const char *words;     /* what it takes beside options, as help writes it; "" for nothing */
	size_t words_max;      /* SIZE_MAX: any number */
	const char *no_dashes; /* why words behind `--` are refused; NULL: they are words like others */
	const char *title;     /* a few words, in the list of commands */
	const char *text;      /* paragraphs, parted by an empty line */
	const char *example;   /* lines of a shell, each "COMMAND"; NULL: none */
	struct option_table options;
	enum exit_code (*run)(struct cli *cli);
};

extern const struct command cmd_run, cmd_build, cmd_plan, cmd_list, cmd_show, cmd_compare, cmd_exec,
	cmd_reproduce, cmd_archive, cmd_inspect, cmd_doctor, cmd_tune, cmd_restore, cmd_version, cmd_help;

/* All commands, NULL at the end, in the order in which help lists them. */
extern const struct command *const commands[];

/* The command, or NULL with the nearest one and the list in the error (EXIT_USAGE). */
const struct command *command_find(const char *name, struct arena *arena, struct error *e);

#endif
