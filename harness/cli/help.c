#include "cli/help.h"

#include <string.h>

enum { TERM_COLUMN = 26, TERM_COLUMN_NARROW = 8, NARROW = 60, COMMAND_COLUMN = 13 };

static void pad(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

/* Appends words broken at `width`; the line is at column `at` already, later ones begin at `indent`. */
static void add_wrapped(struct buf *out, const char *text, size_t at, size_t indent, size_t width)
{
	bool begun = false;

	while (*text != '\0') {
		size_t n = strcspn(text, " \n");

		if (begun && at + 1 + n > width) {
			buf_addc(out, '\n');
			pad(out, indent);
			at = indent;
		} else if (begun) {
			buf_addc(out, ' ');
			at++;
		}
		buf_add(out, text, n);
		at += n;
		begun = true;
		if (text[n] == '\n') { /* an empty line parts paragraphs */
			buf_adds(out, "\n\n");
			pad(out, indent);
			at = indent;
			begun = false;
		}
		text += n + strspn(text + n, " \n");
	}
	buf_addc(out, '\n');
}

/* A term and what it means beside it, or below where the term is long or the terminal narrow. */
static void add_term(struct buf *out, const char *term, const char *text, size_t column, size_t width)
{
	size_t n = strlen(term) + 2;

	if (width < NARROW && column > TERM_COLUMN_NARROW)
		column = TERM_COLUMN_NARROW;
	buf_addf(out, "  %s", term);
	if (n + 2 > column) {
		buf_addc(out, '\n');
		n = 0;
	}
	pad(out, column - n);
	add_wrapped(out, text, column, column, width);
}

static void add_options(struct buf *out, const struct option_table *table, size_t width)
{
	struct arena arena = {0};

	for (size_t i = 0; i < table->n; i++)
		add_term(out, option_usage(&table->v[i], &arena), table->v[i].help, TERM_COLUMN, width);
	arena_release(&arena);
}

void help_overview(unsigned width, struct buf *out)
{
	buf_adds(out, "usage: flagstone COMMAND [OPTION]... [WORD]...\n\n");
	add_wrapped(out,
		"Builds workloads under a matrix of compilers and flags, measures every build side by side, "
		"and "
		"archives what it saw.",
		0, 0, width);
	buf_adds(out, "\ncommands:\n");
	for (size_t i = 0; commands[i] != NULL; i++)
		add_term(out, commands[i]->name, commands[i]->title, COMMAND_COLUMN, width);
	buf_adds(out, "\nevery command takes:\n");
	add_options(out, &options_everywhere, width);
	buf_adds(out, "\nflagstone help COMMAND says more; flagstone run is a good start.\n");
}

void help_command(const struct command *command, unsigned width, struct buf *out)
{
	buf_addf(out, "usage: flagstone %s [OPTION]...%s%s\n\n", command->name,
		command->words[0] != '\0' ? " " : "", command->words);
	add_wrapped(out, command->text, 0, 0, width);
	if (command->options.n > 0)
		buf_adds(out, "\noptions:\n");
	add_options(out, &command->options, width);
	buf_adds(out, "\nevery command takes:\n");
	add_options(out, &options_everywhere, width);
	if (command->example == NULL)
		return;
	buf_adds(out, "\nexamples:\n");
	for (const char *line = command->example; *line != '\0'; line += strspn(line, "\n")) {
		int n = (int)strcspn(line, "\n");

		buf_addf(out, "  %.*s\n", n, line);
		line += n;
	}
}
