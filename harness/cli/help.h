/*
 * help.h - help texts and the manual, both made from the tables of commands and options.
 */
#ifndef FLAGSTONE_CLI_HELP_H
#define FLAGSTONE_CLI_HELP_H

#include "base/buf.h"
#include "cli/command.h"

/* The list of commands. */
void help_overview(unsigned width, struct buf *out);
/* One command: what it does, its options, examples. */
void help_command(const struct command *command, unsigned width, struct buf *out);
/* The whole manual page in roff (man macros). */
void help_manual(struct buf *out);

/* What help and manual say of exit codes, the environment and files. */
struct help_entry {
	const char *term;
	const char *text;
};
struct help_list {
	const struct help_entry *v;
	size_t n;
};
extern const struct help_list help_exit_codes, help_environment, help_files, help_words;

#endif
