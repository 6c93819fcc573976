#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/plan_print.h"
#include "cli/progress.h"
#include "cli/repeats.h"
#include "cli/result_print.h"
#include "cli/run_options.h"
#include "cli/tuning.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	OPTION_ONLY,
	OPTION_ROUNDS,
	OPTION_LAYOUTS,
	OPTION_SAMPLE,
	OPTION_BUDGET,
	OPTION_BUILD_BUDGET,
	OPTION_PRECISION,
	OPTION_MATTERS,
	{.name = "repeat",
		.kind = OPTION_COUNT,
		.offset = OPTION_AT(repeat),
		.value = "N",
		.min = 1,
		.max = 100,
		.allowed = "a number from 1 to 100",
		.help = "Run N times, make N records, and say how far their medians lie apart"},
	{.name = "pause",
		.kind = OPTION_DURATION,
		.offset = OPTION_AT(pause_ns),
		.value = "TIME",
		.min = 0,
		.max = 7 * 86400e9,
		.allowed = "a duration up to 7 days, such as 3m",
		.help = "Time between the repeats"},
	{.name = "seed",
		.kind = OPTION_HEX,
		.offset = OPTION_AT(session.seed),
		.value = "HEX",
		.max = 32,
		.allowed = "32 hex digits in small letters, as a record's plan.seed has them",
		.help = "Draw the order of cells, the order of layouts and the sizes of environments from "
			"this "
			"seed, which a record states, instead of a fresh one; what a layout looks like "
			"depends "
			"on the build alone"},
	OPTION_CPUS,
	OPTION_JOBS,
	{.name = "host",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.host),
		.value = "NAME",
		.help = "The machine's name in the archive, or that of a pool of equal machines"},
	OPTION_AA,
	OPTION_FRESH,
	{.name = "resume",
		.kind = OPTION_OPTIONAL,
		.offset = OPTION_AT(resume),
		.value = "RECORD",
		.help = "Go on with an interrupted run, with its settings: the newest one, or the one named "
			"(also as a word of its own)"},
	{.name = "bundle",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.bundle),
		.value = "FILE",
		.help = "Measure the programs of this bundle, which `flagstone build --bundle FILE` packed "
			"on another "
			"machine, or of the folder that one was unpacked to: no compiler, library or project "
			"is needed"},
	{.name = "dry-run",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(dry_run),
		.help = "Print the plan and stop, like flagstone plan"},
	{.name = "tune",
		.kind = OPTION_OPTIONAL,
		.offset = OPTION_AT(tune),
		.value = "as-used|steady",
		.help = "Tune this machine for the run and put it back at its end, as `flagstone tune` and "
			"`flagstone restore` "
			"do (root); as-used, if no profile is named. A profile that is in force already is "
			"kept"},
	OPTION_TUNE_ROOT,
	OPTION_WAIT,
	OPTION_TIMEOUT,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_MARKDOWN,
};

/* What one call of `run` holds together. */
struct call {
	struct cli *cli;
	enum format format;
	struct progress progress;
	struct session session;
	struct repeats repeats;
	char group[33];
	struct buf json; /* results of the repeats so far */
};

static bool repeating(const struct call *call)
{
	return call->cli->args.repeat > 1;
}

/* An option whose value would be ignored, since a run that is resumed has its own; NULL: none was given. */
static const char *settled_by_record(const struct arguments *args)
{
	const struct session_options *s = &args->session;
	const struct {
		const char *name;
		bool given;
	} settled[] = {{"--only", s->only.n > 0}, {"--rounds", s->rounds_min > 0},
		{"--layouts", s->layouts > 0}, {"--sample", s->sample_ns > 0}, {"--budget", s->budget_ns > 0},
		{"--build-budget", s->build_budget_ns > 0}, {"--precision", s->precision > 0},
		{"--matters", s->matters > 0}, {"--seed", s->seed != NULL}, {"--cpus", s->cpus != NULL},
		{"--aa", s->aa}, {"--timeout", s->timeout_ns > 0}, {"--dry-run", args->dry_run}};

	for (size_t i = 0; i < sizeof(settled) / sizeof(settled[0]); i++)
		if (settled[i].given)
			return settled[i].name;
	return NULL;
}

static int check_resume(const struct arguments *args, struct error *e)
{
	const char *settled = settled_by_record(args);

	if (args->repeat > 1)
		return error_set(e, EXIT_USAGE,
			"--resume goes on with one run and cannot be repeated: leave --repeat out");
	if (settled != NULL)
		return error_set(e, EXIT_USAGE,
			"--resume goes on with the settings of its record; leave %s out", settled);
	if (args->resume[0] != '\0' && args->words.n > 0)
		return error_set(e, EXIT_USAGE, "--resume=%s names the record already; what is \"%s\"?",
			args->resume, args->words.v[0]);
	return 0;
}

/* An option that is about building, which a bundle needs no more; NULL: none was given. */
static const char *settled_by_bundle(const struct arguments *args)
{
	return args->session.fresh		   ? "--fresh"
	       : args->session.jobs > 0		   ? "--jobs"
	       : args->session.build_budget_ns > 0 ? "--build-budget"
						   : NULL;
}

static int check_bundle(const struct arguments *args, struct error *e)
{
	if (args->words.n > 0 && args->resume == NULL)
		return error_set(e, EXIT_USAGE,
			"--bundle brings its matrix along; leave \"%s\" out (--only CELL takes some of its "
			"cells)",
			args->words.v[0]);
	if (settled_by_bundle(args) != NULL)
		return error_set(e, EXIT_USAGE,
			"--bundle brings its programs along, nothing is built; leave %s out",
			settled_by_bundle(args));
	return 0;
}

static int check_tune(const struct arguments *args, struct error *e)
{
	struct tune_options unused;

	if (args->tune == NULL)
		return 0;
	if (args->dry_run)
		return error_set(e, EXIT_USAGE,
			"--dry-run sets nothing; leave --tune out (`flagstone tune --dry-run` lists what it "
			"would set)");
	return tuning_options(args, args->tune, &unused, e);
}

static int check_arguments(struct call *call, struct error *e)
{
	const struct arguments *args = &call->cli->args;

	if (common_format(args, &call->format, e) != 0)
		return -1;
	if (plan_check_layouts(args, e) != 0)
		return -1;
	if (args->pause_ns > 0 && args->repeat < 2)
		return error_set(
			e, EXIT_USAGE, "--pause is the time between repeats: it needs --repeat 2 or more");
	if (args->resume != NULL && check_resume(args, e) != 0)
		return -1;
	if (args->session.bundle != NULL && check_bundle(args, e) != 0)
		return -1;
	if (check_tune(args, e) != 0)
		return -1;
	if (args->dry_run && (args->csv || args->markdown))
		return error_set(e, EXIT_USAGE, "a plan is printed as text or with --json only");
	return 0;
}

/* Prints what the run found; returns what that comes to. */
static enum exit_code print_result(struct call *call, const struct session_outcome *outcome)
{
	struct result result = {0};
	struct buf out = {0};

	progress_clear(&call->progress);
	result_add(call->cli, outcome->record, outcome->path, call->format, &result, &out);
	if (repeating(call))
		repeats_add(&call->repeats, outcome->record, &result);
	if (repeating(call) && call->format == FORMAT_JSON) {
		/* one document for all of them, at the end */
		buf_adds(&call->json, call->repeats.done > 1 ? ",\n" : "\n");
		buf_add(&call->json, out.data, out.n);
	} else {
		terminal_print(&out);
	}
	buf_release(&out);
	return effect_exit(&result);
}

/* An interrupted run's user wants to know what is left of it, and how it goes on. */
static void say_incomplete(struct call *call, const struct session_outcome *outcome)
{
	const struct record *record = outcome->record;
	struct arena *arena = &call->cli->arena;
	const char *bundle = call->cli->args.session.bundle;
	struct error e = {.code = outcome->code};
	struct words of = {0};

	if (record->complete)
		return;
	progress_clear(&call->progress);
	if (bundle != NULL)
		words_add(&of, arena, bundle);
	snprintf(e.text, sizeof(e.text),
		"%s: %u finished round%s of all cells are archived, marked incomplete, in %s; `flagstone run "
		"%s%s%s--resume%s` goes on",
		record->incomplete_reason != NULL ? record->incomplete_reason : "interrupted",
		record->plan.last_look, text_plural(record->plan.last_look), outcome->path,
		bundle != NULL ? "--bundle " : "", bundle != NULL ? words_join(&of, arena) : "",
		bundle != NULL ? " " : "", common_where(call->cli, arena));
	error_print(&e);
}

/* Prints what became of a run and gives its exit code. */
static enum exit_code conclude(
	struct call *call, int result, const struct session_outcome *outcome, const struct error *e)
{
	enum exit_code code;

	progress_clear(&call->progress);
	if (result != 0) {
		if (outcome->record != NULL)
			record_release(outcome->record);
		return error_print(e);
	}
	if (outcome->record == NULL)
		return outcome->code;
	code = exit_combine(outcome->code, print_result(call, outcome));
	say_incomplete(call, outcome);
	record_release(outcome->record);
	return code;
}

/* The table has each cell's reason; why that makes the exit code 3 is no result. */
static enum exit_code explained(enum exit_code code, const struct session_outcome *outcome)
{
	if (outcome->reason != NULL)
		remark_print(outcome->reason);
	return code;
}

static bool interrupted(enum exit_code code)
{
	return code == EXIT_INTERRUPTED || code == EXIT_TERMINATED;
}

static enum exit_code interrupt_code(void)
{
	return process_interrupted() == 0	  ? EXIT_YES
	       : process_interrupted() == SIGTERM ? EXIT_TERMINATED
						  : EXIT_INTERRUPTED;
}

/* Sleeps between repeats, with the time left shown. */
static enum exit_code pause_between(struct call *call)
{
	int64_t end = clock_ns() + call->cli->args.pause_ns;
	struct pollfd wake = {.fd = process_interrupt_fd(), .events = POLLIN};

	for (int64_t left = end - clock_ns(); left > 0 && process_interrupted() == 0;
		left = end - clock_ns()) {
		struct session_progress progress = {.what = "pause",
			.done = call->repeats.done,
			.total = call->repeats.wanted,
			.left_ns = left};

		progress_tell(&call->progress, &progress);
		poll(&wake, 1, left > 1000000000 ? 1000 : (int)(left / 1000000) + 1);
	}
	if (process_interrupted() != 0) {
		progress_clear(&call->progress);
		remark_print("interrupted between two repeats: those that are done are archived");
	}
	return interrupt_code();
}

static enum exit_code one_run(struct call *call, uint32_t index)
{
	struct session_repeat repeat = {
		.group = call->group, .index = index, .count = call->cli->args.repeat};
	struct session_outcome outcome = {0};
	struct error e = {0};
	int result = session_run(&call->session, repeating(call) ? &repeat : NULL, &outcome, &e);

	return explained(conclude(call, result, &outcome, &e), &outcome);
}

static void print_repeats(struct call *call)
{
	struct buf out = {0};

	if (call->repeats.done == 0)
		return;
	if (call->format == FORMAT_JSON) {
		json_t *cells = repeats_json(&call->repeats);

		buf_addf(&out, "{\"schema\": \"flagstone.repeats/1\",\n\"group\": \"%s\",\n\"results\": [",
			call->group);
		buf_add(&out, call->json.data, call->json.n);
		buf_adds(&out, "],\n\"cells\": ");
		json_add_tree(&out, cells, true);
		buf_adds(&out, "}\n");
		json_decref(cells);
		terminal_print(&out);
	} else if (call->format == FORMAT_TERMINAL) {
		repeats_print(&call->repeats, &out);
		terminal_print(&out);
	}
	buf_release(&out);
}

static enum exit_code all_runs(struct call *call)
{
	uint32_t count = repeating(call) ? call->cli->args.repeat : 1;
	enum exit_code code = EXIT_YES;

	for (uint32_t i = 0; i < count && !interrupted(code); i++) {
		if (i > 0 && call->cli->args.pause_ns > 0)
			code = exit_combine(code, pause_between(call));
		if (!interrupted(code))
			code = exit_combine(code, one_run(call, i));
		if (code == EXIT_USAGE || code == EXIT_CANNOT)
			break; /* what could not be done once cannot be done again */
	}
	if (repeating(call))
		print_repeats(call);
	return code;
}

static enum exit_code resume(struct call *call, const char *what)
{
	struct session_outcome outcome = {0};
	struct error e = {0};
	int result = session_resume(&call->session, what, &outcome, &e);

	return explained(conclude(call, result, &outcome, &e), &outcome);
}

/* The record that --resume names: behind `=` or as a word; "" for the newest. */
static const char *resumed(const struct arguments *args)
{
	if (args->resume == NULL || args->resume[0] != '\0' || args->words.n == 0)
		return args->resume;
	return args->words.v[0];
}

/* The matrix to run; NULL with the error printed. */
static const char *matrix_of(struct call *call, enum exit_code *code)
{
	struct cli *cli = call->cli;
	const char *what = resumed(&cli->args);
	struct session_options *of = &cli->args.session;
	struct error e = {0};

	if (what == NULL && of->bundle != NULL)
		return ""; /* the bundle's */
	if (what == NULL)
		return cli->args.words.n > 0 ? cli->args.words.v[0] : "quick";
	of->installed = common_installed(&cli->arena, &of->source_tree);
	if (session_resume_options(of, what, &cli->arena, &e) == 0)
		return of->matrix;
	*code = error_print(&e);
	return NULL;
}

/* All but what stands around it. */
static enum exit_code open_and_run(struct call *call)
{
	struct cli *cli = call->cli;
	struct session_events events = progress_events(&call->progress);
	enum exit_code code = EXIT_YES;
	const char *matrix;

	/* what is unpacked is removed again, whatever happens */
	if (cli->args.session.bundle != NULL)
		process_catch_signals();
	matrix = matrix_of(call, &code);
	if (matrix == NULL || common_open(cli, matrix, true, &events, &call->session, &code) != 0)
		return code;
	rng_fresh_hex(call->group);
	/* not before: nothing of what was asked so far is worth keeping */
	process_catch_signals();
	if (cli->args.dry_run)
		code = plan_print(cli, &call->session);
	else
		code = cli->args.resume != NULL ? resume(call, resumed(&cli->args)) : all_runs(call);
	session_close(&call->session);
	buf_release(&call->json);
	return code;
}

static enum exit_code run(struct cli *cli)
{
	struct call call = {.cli = cli, .repeats = {.arena = &cli->arena, .wanted = cli->args.repeat}};
	struct tuning_run around;
	enum exit_code code = EXIT_YES;
	struct error e = {0};

	if (check_arguments(&call, &e) != 0)
		return error_print(&e);
	progress_init(&call.progress, cli->args.quiet, cli->args.verbose);
	if (tuning_run_begin(cli, &around, &code) != 0)
		return code;
	return tuning_run_end(cli, &around, open_and_run(&call));
}

const struct command cmd_run = {
	.name = "run",
	.words = "[MATRIX]",
	.words_max = 1,
	.no_dashes = "measuring any command (run -- COMMAND) is not there yet: what can be measured are "
		     "workloads, see "
		     "`flagstone list workloads`",
	.title = "build, measure, archive, print the table",
	.text = "Builds the cells of a matrix (default: quick), measures them side by side, archives one "
		"record, and prints "
		"the table of what is faster and what is not. What can't be built or can't exist here is "
		"listed below the "
		"table with its reason.\n\n"
		"Rounds are measured until each comparison is settled at one of the planned looks (narrow "
		"enough for --precision, or faster or slower by what matters), or the budget is used up. "
		"Where "
		"code placement dominates the noise at a look, more layouts are linked, up to the maximum of "
		"--layouts, instead of more rounds on the same; --verbose tells how that was decided.\n\n"
		"Options win over what the matrix says. Ctrl-C ends a run early: finished rounds are "
		"archived, marked "
		"incomplete, and --resume goes on with them. A second Ctrl-C ends the program at once; "
		"finished rounds are "
		"in the journal, which --resume takes too.\n\n"
		"With --bundle FILE the programs of another machine are measured here. What they need is "
		"looked at "
		"before: a cell whose C library, runner or instruction set this machine does not have is "
		"listed "
		"below the table with the reason. The record says which bundle it was, and has the hash of "
		"each program, "
		"so that compare sees that the same files ran. They are unpacked to a folder of their own in "
		"TMPDIR, "
		"which is removed at the end.\n\n"
		"With --tune the machine is tuned before anything is built and put back at the end, also "
		"after Ctrl-C; the "
		"record keeps the profile. Where flagstone is killed, the next one says what is left in "
		"force, and "
		"`flagstone restore` puts it back.\n\n"
		"Ends with 0; with 6 when a cell failed to build, run or check; with 5 when none of the "
		"comparisons "
		"was decided; "
		"with 4 when none could be made. A slower variant is a result, no failure.",
	.example = "flagstone run\nflagstone run quick --only matmul/gcc --rounds 256\n"
		   "flagstone run flags --repeat 3 --pause 3m\nflagstone run --resume\n"
		   "flagstone run --bundle quick.tar.gz",
	.options = OPTION_TABLE(options),
	.run = run,
};
