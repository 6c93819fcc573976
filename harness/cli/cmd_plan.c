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
	struct error e = {0};

	if (plan_check_layouts(&cli->args, &e) != 0)
		return error_print(&e);
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
		"what the toolchains' names mean, and what a run would take: from the shortest, where the "
		"first look "
		"settles all, to the longest, where the budget is used up. Builds in the cache cost nothing; "
		"others cost what they took in earlier runs on this host, or, where no record says, a rough "
		"figure, which is said to be rough. A run ends between the two times printed last; what is "
		"estimated has a quarter of room in them, and the longest has 10 s for a busy machine to "
		"come "
		"to "
		"rest. Nothing is built or measured; compilers are asked what they take.",
	.example = "flagstone plan\nflagstone plan flags --only dhrystone --json",
	.options = OPTION_TABLE(options),
	.run = plan,
};
