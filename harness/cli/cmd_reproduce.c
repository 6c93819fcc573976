#include <string.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/reproduce_print.h"
#include "cli/run_options.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "no-measure",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(no_measure),
		.help = "Only build and compare; measure nothing and archive nothing"},
	OPTION_ONLY,
	OPTION_CPUS,
	OPTION_JOBS,
	{.name = "host",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.host),
		.value = "NAME",
		.help = "The machine's name in the archive, or that of a pool of equal machines"},
	OPTION_WAIT,
	OPTION_JSON,
};

/* What the hashes say; measuring adds only what kept it from being done. */
static enum exit_code code_of(const struct reproduction *done)
{
	enum exit_code code = EXIT_YES, run = done->run.code;

	if (done->count[REPRODUCE_OTHER_CODE] > 0)
		code = exit_combine(code, EXIT_NO);
	if (done->count[REPRODUCE_COULD_NOT] > 0 || !done->built)
		code = exit_combine(code, EXIT_CANNOT);
	if (run == EXIT_CANNOT || run == EXIT_CELL_FAILED || run == EXIT_INTERRUPTED ||
		run == EXIT_TERMINATED)
		code = exit_combine(code, run);
	return code;
}

static enum exit_code show(struct cli *cli, const char *path, struct reproduction *done)
{
	enum exit_code code = code_of(done);

	if (cli->args.json)
		common_print_json(reproduce_json(path, done));
	else
		reproduce_print(cli, path, done);
	if (done->run.reason != NULL)
		remark_print(done->run.reason);
	if (done->run.record != NULL)
		record_release(done->run.record);
	return code;
}

static enum exit_code reproduce(struct cli *cli)
{
	struct session_options session = common_options(cli);
	struct reproduce_options wanted = {.session = &session, .measure = !cli->args.no_measure};
	struct progress progress;
	struct session_events events = progress_events(&progress);
	struct reproduction done;
	struct spec_errors errors = {0};
	struct record *record;
	const char *path;
	struct error e = {0};
	enum exit_code code;

	if (cli->args.words.n == 0) {
		error_set(&e, EXIT_USAGE,
			"reproduce needs a record: latest, the beginning of an id, or a path; `flagstone "
			"archive list` "
			"lists them");
		return error_print(&e);
	}
	progress_init(&progress, cli->args.quiet, cli->args.verbose);
	if (common_record(cli, cli->args.words.v[0], &path, &record, &e) != 0)
		return error_print(&e);
	process_catch_signals();
	wanted.record = record;
	if (session_reproduce(&wanted, &events, &cli->arena, &done, &errors, &e) == 0) {
		progress_clear(&progress);
		code = show(cli, path, &done);
	} else {
		progress_clear(&progress);
		code = errors.n > 0 ? common_spec_errors(&errors) : error_print(&e);
	}
	record_release(record);
	return code;
}

const struct command cmd_reproduce = {
	.name = "reproduce",
	.words = "RECORD",
	.words_max = 1,
	.title = "build again from a record, say hash by hash what came out the same, measure",
	.text = "Builds the cells of a record again, from nothing: sources of its commit (the work tree, "
		"where it is "
		"at that commit with the same changes; else the commit's files, exported beside it), its "
		"matrix, and "
		"the compilers that it was built with, found by the hashes of their files whatever they are "
		"called here. "
		"Says what is different, and for each cell whether every layout came out as the same file, "
		"as other "
		"files with the same code, or with other code, and then in which functions. Then measures "
		"them with the "
		"record's seed and settings, and archives that as a record of its own, which `flagstone "
		"compare` "
		"holds against the first.\n\n"
		"Everything is built in a folder of its own in TMPDIR, which is removed at the end; work "
		"tree, repository "
		"and cache stay as they are.\n\n"
		"Ends with 0 when all cells came out as the same file or the same code, with 1 when any has "
		"other code, "
		"with 3 when any could not be built here.",
	.example = "flagstone reproduce latest --no-measure\nflagstone reproduce 3f2a91 --only matmul/gcc",
	.options = OPTION_TABLE(options),
	.run = reproduce,
};
