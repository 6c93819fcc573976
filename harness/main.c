/*
 * main.c - the map of the program, then dispatch.
 *
 * How data flows, a folder after the other:
 *
 *	spec		workloads/, toolchains/, matrices/: YAML is read and checked, errors say line and column
 *	toolchain	compilers of this machine are found, identified by what they are, asked what options mean
 *	plan		the matrix becomes cells; those that cannot exist here keep their reason
 *	build		cells become programs: compiled, linked in many layouts, cached by content
 *	code		what machine code came out: hashes, sections, notes
 *	host		what this machine is, as facts with their sources
 *	session		a run: lock, builds, rounds and looks, the journal after each round, resume
 *	measure		one block of samples: processes, canaries, marks
 *	archive		one compressed record a run, for ever
 *	compare		what a record's samples say: effects and verdicts, computed anew each time
 *	report		one document of it, and one renderer a format
 *	cli		one file a command: parses, calls, prints, gives an exit code
 *
 * Beneath them: base (memory, errors, files, hashes, JSON, numbers), sys (processes, CPUs, lock, canary, git),
 * stats (pure functions), record (the types that build, measure and archive meet in). helpers/ are two tiny
 * programs of their own, through which samples are started.
 *
 * An include goes to a lower layer only: base < sys, stats < record < spec, code, host < toolchain < archive <
 * plan < build, measure < compare < session < report < cli. Only cli prints.
 */
#include <signal.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "sys/process.h"

/* Without a command: help, and a usage error unless help was what was asked for. */
static enum exit_code no_command(const struct cli *cli)
{
	struct buf out = {0};

	help_overview(terminal_of(STDOUT_FILENO).width, &out);
	if (cli->args.help)
		terminal_print(&out);
	else
		(void)!write(STDERR_FILENO, out.data, out.n);
	buf_release(&out);
	return cli->args.help ? EXIT_YES : EXIT_USAGE;
}

static enum exit_code command_help(const struct command *command)
{
	struct buf out = {0};

	help_command(command, terminal_of(STDOUT_FILENO).width, &out);
	terminal_print(&out);
	buf_release(&out);
	return EXIT_YES;
}

static enum exit_code usage_error(const struct cli *cli, struct error *e)
{
	if (cli->command != NULL)
		error_advice(e, "`flagstone help %s` lists what it takes", cli->command->name);
	else
		error_advice(e, "`flagstone help` lists what there is");
	return error_print(e);
}

static enum exit_code run_command(struct cli *cli, int argc, char **argv, int at)
{
	struct error e = {0};

	if (options_parse(&cli->command->options, argc, argv, &at, false, &cli->arena, &cli->args, &e) != 0)
		return usage_error(cli, &e);
	if (cli->args.help)
		return command_help(cli->command);
	if (cli->args.after_dashes > 0 && cli->command->no_dashes != NULL) {
		error_set(&e, EXIT_USAGE, "%s", cli->command->no_dashes);
		return usage_error(cli, &e);
	}
	if (cli->args.words.n > cli->command->words_max) {
		error_set(&e, EXIT_USAGE, "%s takes %s, found one more: \"%s\"", cli->command->name,
			cli->command->words_max > 0 ? cli->command->words : "options only",
			cli->args.words.v[cli->command->words_max]);
		return usage_error(cli, &e);
	}
	return cli->command->run(cli);
}

static enum exit_code dispatch(struct cli *cli, int argc, char **argv)
{
	struct error e = {0};
	int at = 1;

	if (options_parse(&options_before, argc, argv, &at, true, &cli->arena, &cli->args, &e) != 0)
		return usage_error(cli, &e);
	if (cli->args.show_version)
		cli->command = &cmd_version;
	else if (at >= argc)
		return no_command(cli);
	else
		cli->command = command_find(argv[at++], &cli->arena, &e);
	if (cli->command == NULL)
		return error_print(&e);
	return run_command(cli, argc, argv, at);
}

/* What was cut short says that it was interrupted, not by which signal: that is known here. */
static enum exit_code of_signal(enum exit_code code)
{
	return code == EXIT_INTERRUPTED && process_interrupted() == SIGTERM ? EXIT_TERMINATED : code;
}

int main(int argc, char **argv)
{
	struct cli cli = {0};
	enum exit_code code;

	terminal_prepare();
	code = terminal_finish(of_signal(dispatch(&cli, argc, argv)));
	arena_release(&cli.arena);
	return (int)code;
}
