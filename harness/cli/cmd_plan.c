#include "cli/command.h"
#include "cli/common.h"
#include "cli/plan_print.h"
#include "cli/run_options.h"

static const struct cli_option options[] = {OPTION_ONLY, OPTION_ROUNDS, OPTION_LAYOUTS, OPTION_SAMPLE,
	OPTION_BUDGET, OPTION_BUILD_BUDGET, OPTION_CPUS, OPTION_JOBS, OPTION_JSON};

static enum exit_code plan(struct cli *cli)
{
	const char *matrix = cli->args.words.n > 0 ? cli->args.words.v[0] : "quick";
	struct session session;
	enum exit_code code = EXIT_YES;

	if (common_open(cli, matrix, true, NULL, &session, &code) != 0)
		return code;
	code = plan_print(cli, &session);
	session_close(&session);
	return code;
}

const struct command cmd_plan = {
	.name = "plan",
	.words = "[MATRIX]",
	.words_max = 1,
	.title = "what would run, what can't and why, how long it takes",
	.text = "Lists the cells of a matrix (default: quick), those that cannot exist here with the reason, "
		"what the "
		"toolchains' names mean, and an estimate of the time. Nothing is built or measured; "
		"compilers are asked "
		"what they take.",
	.example = "flagstone plan\nflagstone plan flags --only dhrystone --json",
	.options = OPTION_TABLE(options),
	.run = plan,
};
