#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "session/exec.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "matrix",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.matrix),
		.value = "MATRIX",
		.help = "The matrix that the cell is of; quick if it is not given"},
	{.name = "layout",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(layout),
		.value = "K|SEED",
		.help = "Which link of the build: its number, 0 if it is not given, or its seed as a record "
			"states it; "
			"canonical: the link without any shuffling, which runs check but do not measure"},
	{.name = "units",
		.kind = OPTION_COUNT,
		.offset = OPTION_AT(units),
		.value = "N",
		.min = 1,
		.max = 4294967295.0,
		.allowed = "a number from 1 to 4294967295",
		.help = "Units of work; else those of the newest record of this machine, as a run would "
			"take them, or "
			"else as many as fill a sample"},
	{.name = "print",
		.letter = 'n',
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(print),
		.help = "Build it, print the command line with environment and CPU as a shell takes it, and "
			"start nothing"},
	OPTION_SAMPLE,
	OPTION_CPUS,
	OPTION_JOBS,
	OPTION_FRESH,
	OPTION_WAIT,
	OPTION_TIMEOUT,
	OPTION_JSON,
};

/* One start: the cell alone, or a tool with it. */
struct start {
	struct words argv, env;
	const char *folder;	/* NULL: the caller's */
	const char *stdin_path; /* NULL: the terminal */
};

static int check_arguments(const struct arguments *args, struct error *e)
{
	size_t words = args->words.n - args->after_dashes;

	if (words == 0)
		return error_set(e, EXIT_USAGE,
			"exec needs a cell: `flagstone exec WORKLOAD/SLOT/VARIANT`, then -- and a tool");
	if (words > 1)
		return error_set(e, EXIT_USAGE,
			"exec takes one cell, found one more word: \"%s\"; a tool stands behind --, as in "
			"`flagstone exec CELL -- perf record`",
			args->words.v[1]);
	if (args->json && !args->print)
		return error_set(e, EXIT_USAGE, "--json is for --print: without it the output is the cell's");
	return 0;
}

/*
 * A tool has a terminal to draw on and settings of its own. What the cell inherits by that it does not read, and the
 * size of the environment is drawn anew for each sample of a run, too.
 */
static void add_tool_environment(struct words *env, struct arena *arena)
{
	static const char *const names[] = {"HOME", "TERM", "COLORTERM", "DISPLAY", "XAUTHORITY",
		"WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DEBUGINFOD_URLS"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]) != NULL)
			words_addf(env, arena, "%s=%s", names[i], getenv(names[i]));
}

static int make_start(struct cli *cli, const struct session_exec *exec, struct start *start, struct error *e)
{
	const struct arguments *args = &cli->args;
	const char *tool;

	*start = (struct start){.folder = "/", .stdin_path = exec->stdin_path}; /* as in a run */
	if (start->stdin_path == NULL)
		start->stdin_path = "/dev/null";
	words_add_all(&start->env, &cli->arena, &exec->env);
	if (args->after_dashes > 0) {
		tool = args->words.v[args->words.n - args->after_dashes];
		words_add(&start->argv, &cli->arena, tool);
		if (strchr(tool, '/') == NULL)
			start->argv.v[0] = file_find_program(&cli->arena, tool, NULL);
		if (start->argv.v[0] == NULL)
			return error_set(e, EXIT_CANNOT,
				"there is no program %s in PATH; install it, or give its full path", tool);
		for (size_t i = args->words.n - args->after_dashes + 1; i < args->words.n; i++)
			words_add(&start->argv, &cli->arena, args->words.v[i]);
		/* what a tool writes belongs to where it was called */
		start->folder = start->stdin_path = NULL;
		add_tool_environment(&start->env, &cli->arena);
	}
	words_add_all(&start->argv, &cli->arena, &exec->arguments);
	return 0;
}

/* A line for a shell that does the same. */
static char *command_line(const struct session_exec *exec, const struct start *start, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	if (start->folder != NULL) {
		buf_adds(&out, "cd ");
		text_quote(&out, start->folder);
		buf_adds(&out, " && ");
	}
	buf_addf(&out, "env -i %s taskset -c %d %s", words_join(&start->env, arena), exec->cpu,
		words_join(&start->argv, arena));
	if (start->stdin_path != NULL) {
		buf_adds(&out, " <");
		text_quote(&out, start->stdin_path);
	}
	for (const int *fd = exec->closed; *fd >= 0; fd++)
		buf_addf(&out, " %d>&-", *fd);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static void print_json(const struct session_exec *exec, const struct start *start, const char *line)
{
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("flagstone.exec/1"));
	json_object_set_new(root, "cell", json_safe_string(exec->cell->name));
	json_object_set_new(root, "layout", json_safe_string(exec->layout));
	json_object_set_new(root, "seed", json_safe_string(exec->seed));
	json_object_set_new(root, "program", json_safe_string(exec->program));
	json_object_set_new(root, "argv", json_safe_words(&start->argv));
	json_object_set_new(root, "env", json_safe_words(&start->env));
	json_object_set_new(root, "folder", json_safe_string(start->folder));
	json_object_set_new(root, "stdin", json_safe_string(start->stdin_path));
	json_object_set_new(root, "cpu", json_integer(exec->cpu));
	json_object_set_new(root, "copies", json_integer(exec->cell->copies));
	json_object_set_new(root, "units", json_integer((json_int_t)exec->units));
	json_object_set_new(root, "units_from", json_safe_string(exec->units_from));
	json_object_set_new(root, "command", json_safe_string(line));
	common_print_json(root);
}

static enum exit_code print(struct cli *cli, const struct session_exec *exec, const struct start *start)
{
	char *line = command_line(exec, start, &cli->arena);
	struct buf out = {0};

	if (cli->args.json) {
		print_json(exec, start, line);
		return EXIT_YES;
	}
	buf_addf(&out, "%s\n", text_safe(&cli->arena, line));
	terminal_print(&out);
	buf_release(&out);
	return EXIT_YES;
}

/* What is started, and where its work comes from, in a line that stays above the output. */
static void say(const struct cli *cli, const struct session_exec *exec, struct arena *arena)
{
	const char *from = exec->units_from != NULL
				   ? arena_printf(arena, "as in record %.12s", exec->units_from)
			   : cli->args.units > 0 ? "as given"
						 : "found with this cell alone, as no record of this machine "
						   "has any";

	if (cli->args.quiet)
		return;
	remark_print(arena_printf(arena, "%s: %s, CPU %d, %llu unit%s of work, %s", exec->cell->name,
		exec->layout, exec->cpu, (unsigned long long)exec->units, exec->units == 1 ? "" : "s", from));
	if (exec->cell->copies > 1)
		remark_print(arena_printf(arena,
			"a run measures %u copies of it at once; this is the first one of them, alone",
			exec->cell->copies));
}

static enum exit_code start_it(const struct session_exec *exec, const struct start *start)
{
	struct process_replacement become = {.argv = start->argv.v,
		.env = start->env.v,
		.folder = start->folder,
		.stdin_path = start->stdin_path,
		.closed = exec->closed,
		.cpu = exec->cpu};
	struct error e = {0};

	process_replace(&become, &e);
	return error_print(&e);
}

static enum exit_code execute(struct cli *cli)
{
	struct session_exec_options wanted = {.layout = cli->args.layout, .units = cli->args.units};
	const char *matrix = cli->args.session.matrix != NULL ? cli->args.session.matrix : "quick";
	struct progress progress;
	struct session_events events = progress_events(&progress);
	struct session session;
	struct session_exec found;
	struct start start;
	enum exit_code code = EXIT_YES;
	struct error e = {0};

	if (check_arguments(&cli->args, &e) != 0)
		return error_print(&e);
	wanted.cell = cli->args.words.v[0];
	words_add(&cli->args.session.only, &cli->arena, wanted.cell);
	progress_init(&progress, cli->args.quiet, cli->args.verbose);
	if (common_open(cli, matrix, true, &events, &session, &code) != 0)
		return code;
	process_catch_signals();
	if (session_exec(&session, &wanted, &found, &e) == 0 && make_start(cli, &found, &start, &e) == 0) {
		progress_clear(&progress);
		say(cli, &found, &cli->arena);
		code = cli->args.print ? print(cli, &found, &start) : start_it(&found, &start);
	} else {
		progress_clear(&progress);
		code = error_print(&e);
	}
	session_close(&session);
	return code;
}

const struct command cmd_exec = {
	.name = "exec",
	.words = "CELL [-- TOOL [ARG...]]",
	.words_max = SIZE_MAX,
	.title = "one cell as it is measured, alone or under a tool such as perf or gdb",
	.text = "Builds one cell and becomes what a run would start for it: the same link, pinned to the "
		"same CPU, with the "
		"same environment and the same amount of work. With a tool behind -- it becomes the tool, "
		"with the cell's "
		"program and its words at the end of its command line: `flagstone exec matmul/gcc/O3 -- perf "
		"record` is perf "
		"record PROGRAM units=N. A tool that wants them elsewhere can be called by sh -c, where they "
		"are $0 and $@.\n\n"
		"The result line goes to standard output. Alone, the cell runs in / with no input, as in a "
		"run. A tool keeps "
		"the caller's folder and terminal, and has HOME, TERM and what else it needs to draw; the "
		"cell inherits "
		"that. Of several copies it is the first one, alone. The program is not checked: a wrong one "
		"is what a "
		"debugger is for.\n\n"
		"Signals and the exit code are those of what was started. 3 where it could not be: the cell "
		"cannot exist here, "
		"or failed to build.",
	.example = "flagstone exec matmul/gcc/O3 -- perf record\n"
		   "flagstone exec dhrystone/clang/O2 -- gdb --args\n"
		   "flagstone exec --matrix flags lz77/gcc/lto --layout 3 --print",
	.options = OPTION_TABLE(options),
	.run = execute,
};
