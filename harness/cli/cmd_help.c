#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/help.h"

static const struct cli_option options[] = {
	{.name = "man",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(manual),
		.help = "Print the whole manual page in roff, such as for man -l -"},
};

static enum exit_code help(struct cli *cli)
{
	unsigned width = terminal_of(STDOUT_FILENO).width;
	const struct command *command = NULL;
	struct error e = {0};
	struct buf out = {0};

	if (cli->args.words.n > 0) {
		command = command_find(cli->args.words.v[0], &cli->arena, &e);
		if (command == NULL)
			return error_print(&e);
	}
	if (cli->args.manual)
		help_manual(&out);
	else if (command != NULL)
		help_command(command, width, &out);
	else
		help_overview(width, &out);
	terminal_print(&out);
	buf_release(&out);
	return EXIT_YES;
}

const struct command cmd_help = {
	.name = "help",
	.words = "[COMMAND]",
	.words_max = 1,
	.title = "what there is, or what a command does",
	.text = "Lists the commands, or says what one of them does and which options it has.",
	.example = "flagstone help run\nflagstone help --man | man -l -",
	.options = OPTION_TABLE(options),
	.run = help,
};
