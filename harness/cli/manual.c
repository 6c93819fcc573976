#include "cli/help.h"

#include <string.h>

static const struct help_entry exit_codes[] = {
	{"0", "Done; the answer is yes: intact, the same"},
	{"1", "The answer is no: damaged, differs, slower than --gate allows"},
	{"2", "The command line or an input file is wrong"},
	{"3", "Could not do it: nothing built, no permission, disk full"},
	{"4", "Nothing there to show or compare"},
	{"5", "Could not decide: no cell was decided; with --strict: a cell was not, or is missing"},
	{"6", "Finished, but a cell that could exist here failed to build, run or check"},
	{"130, 143", "Interrupted, terminated; what was measured is archived and marked incomplete"},
};
const struct help_list help_exit_codes = {exit_codes, sizeof(exit_codes) / sizeof(exit_codes[0])};

static const struct help_entry environment[] = {
	{"FLAGSTONE_HOST",
		"The machine's name in the archive, or that of a pool of equal machines; --host wins"},
	{"FLAGSTONE_LIBEXEC", "The folder of flagstone's helper programs"},
	{"FLAGSTONE_LOCK_FOLDER", "The folder of the lock that lets one run at a time measure on a machine"},
	{"FLAGSTONE_SETTLE",
		"The longest that a run waits after builds until the machine is as it was at rest; else 10s"},
	{"NO_COLOR", "Not empty: no colours"},
	{"COLUMNS", "The width of what is printed, where standard output is not a terminal"},
	{"XDG_CACHE_HOME", "Builds are kept in its folder flagstone; else in ~/.cache/flagstone"},
	{"XDG_CONFIG_HOME",
		"Its file flagstone/config.yaml has a user's settings; else ~/.config/flagstone/config.yaml"},
	{"XDG_DATA_HOME",
		"Holds flagstone/archive where the project is the installed data; else ~/.local/share"},
};
const struct help_list help_environment = {environment, sizeof(environment) / sizeof(environment[0])};

static const struct help_entry files[] = {
	{"workloads/NAME/workload.yaml", "A workload, beside its sources"},
	{"toolchains/NAME.yaml", "A family of compilers, or one compiler that is named"},
	{"matrices/NAME.yaml", "Which workloads, compilers and flags, and how to measure"},
	{"archive/HOST/YYYY/MM/*.json.gz", "The records: read them with zcat and jq"},
	{".flagstone.yaml", "Settings of the project"},
	{"/var/lib/flagstone/tune.json", "What tune changed and what was before; only while it is in force"},
};
const struct help_list help_files = {files, sizeof(files) / sizeof(files[0])};

static const struct help_entry words[] = {
	{"MATRIX", "The name of a file in matrices/ without .yaml, or a path"},
	{"RECORD", "A path, four or more first digits of a record's id, latest, or latest~N (N before the "
		   "latest)"},
	{"CELL", "WORKLOAD/SLOT/VARIANT/COPIES/ARGS; trailing parts may be left out"},
	{"TIME", "A number with its unit: 300us, 5ms, 90s, 20m, 2h"},
	{"P", "A number with its sign: 0.5%"},
};
const struct help_list help_words = {words, sizeof(words) / sizeof(words[0])};

/* Text as roff takes it: backslashes and dashes are escaped, and a line never begins with a dot or an apostrophe. */
static void add_roff(struct buf *out, const char *text)
{
	bool line_start = true;

	for (const char *p = text; *p != '\0'; p++) {
		if (line_start && (*p == '.' || *p == '\''))
			buf_adds(out, "\\&");
		if (*p == '\\')
			buf_adds(out, "\\e");
		else if (*p == '-')
			buf_adds(out, "\\-");
		else
			buf_addc(out, *p);
		line_start = *p == '\n';
	}
}

static void add_paragraphs(struct buf *out, const char *text)
{
	while (*text != '\0') {
		const char *end = strstr(text, "\n\n");
		size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
		struct arena arena = {0};

		add_roff(out, arena_strndup(&arena, text, n));
		arena_release(&arena);
		buf_addc(out, '\n');
		text += n;
		if (end == NULL)
			break;
		buf_adds(out, ".PP\n");
		text += 2;
	}
}

static void add_entry(struct buf *out, const char *term, const char *text)
{
	buf_adds(out, ".TP\n.B ");
	add_roff(out, term);
	buf_addc(out, '\n');
	add_roff(out, text);
	buf_adds(out, ".\n");
}

static void add_options(struct buf *out, const struct option_table *table)
{
	struct arena arena = {0};

	for (size_t i = 0; i < table->n; i++)
		add_entry(out, option_usage(&table->v[i], &arena), table->v[i].help);
	arena_release(&arena);
}

static void add_list(struct buf *out, const char *heading, const struct help_list *list)
{
	buf_addf(out, ".SH %s\n", heading);
	for (size_t i = 0; i < list->n; i++)
		add_entry(out, list->v[i].term, list->v[i].text);
}

static void add_command(struct buf *out, const struct command *command)
{
	buf_addf(out, ".SS \"flagstone %s [OPTION]...%s%s\"\n", command->name,
		command->words[0] != '\0' ? " " : "", command->words);
	add_paragraphs(out, command->text);
	add_options(out, &command->options);
}

static void add_examples(struct buf *out)
{
	buf_adds(out, ".SH EXAMPLES\n.nf\n");
	for (size_t i = 0; commands[i] != NULL; i++) {
		if (commands[i]->example == NULL)
			continue;
		add_roff(out, commands[i]->example);
		buf_addc(out, '\n');
	}
	buf_adds(out, ".fi\n");
}

void help_manual(struct buf *out)
{
	buf_adds(out,
		".\\\" Made from the tables of commands and options: flagstone help --man\n"
		".TH FLAGSTONE 1 \"\" \"flagstone\" \"User Commands\"\n"
		".SH NAME\nflagstone \\- measure what compilers and flags do to speed\n"
		".SH SYNOPSIS\n.B flagstone\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIWORD\\fR]...\n"
		".SH DESCRIPTION\n"
		"Builds workloads under a matrix of compilers and flags, measures every build side by side, "
		"and "
		"archives\nwhat it saw together with everything one needs to know whether two numbers may be "
		"compared.\nResults go to standard output, all else to standard error.\n.SH COMMANDS\n");
	for (size_t i = 0; commands[i] != NULL; i++)
		add_command(out, commands[i]);
	buf_adds(out, ".SH OPTIONS OF EVERY COMMAND\n");
	add_options(out, &options_everywhere);
	add_options(out, &options_before);
	add_list(out, "WORDS", &help_words);
	add_list(out, "EXIT STATUS", &help_exit_codes);
	add_list(out, "ENVIRONMENT", &help_environment);
	add_list(out, "FILES", &help_files);
	add_examples(out);
	buf_adds(out, ".SH SEE ALSO\n.BR flagstone\\-json (7)\n");
}
