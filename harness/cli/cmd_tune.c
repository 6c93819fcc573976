#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/run_options.h"
#include "cli/tuning.h"
#include "sys/lock.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "profile",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(profile),
		.value = "as-used|steady",
		.help = "as-used, if it is not given: turbo as it is; steady: turbo off, one limit for all "
			"CPUs, no deep idle "
			"states"},
	{.name = "cpus",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.cpus),
		.value = "LIST",
		.help = "Reserve these CPUs, such as 2,4-7, for who measures: everything else, interrupts "
			"and the kernel's "
			"background work included, moves to the others; what is bound to a CPU stays and is "
			"said"},
	{.name = "counters",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(counters),
		.help = "Also let every user have the events of their programs counted (perf_event_paranoid "
			"1)"},
	{.name = "dry-run",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(dry_run),
		.help = "Only list what would be set, from which value to which, and why; needs no root"},
	OPTION_TUNE_ROOT,
	OPTION_WAIT,
	OPTION_JSON,
};

/* One call of tune. */
struct call {
	struct cli *cli;
	struct tune_options options;
	struct tune tune;
	const char *state; /* "planned", "set", "in force already" */
	bool unicode;
};

static void print_json(const struct call *call)
{
	const struct tune *tune = &call->tune;
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("flagstone.tune/1"));
	json_object_set_new(root, "state", json_string(call->state));
	json_object_set_new(root, "profile", json_string(tune_profile_name(tune->profile)));
	json_object_set_new(root, "cpus", json_safe_string(tune->cpus));
	json_object_set_new(root, "group", json_safe_string(tune->group));
	json_object_set_new(root, "root", json_safe_string(tune->root));
	json_object_set_new(root, "state_file", json_string(TUNE_STATE));
	json_object_set_new(root, "in_force", json_safe_string(tune_summary(tune)));
	json_object_set_new(root, "changes", tuning_json(tune));
	json_object_set_new(root, "left_alone", json_safe_words(&tune->left));
	json_object_set_new(root, "notes", json_safe_words(&tune->notes));
	common_print_json(root);
}

static void add_words(const struct words *words, const char *before, struct arena *arena, struct buf *out)
{
	for (size_t i = 0; i < words->n; i++)
		buf_addf(out, "  %s%s\n", before, text_safe(arena, words->v[i]));
}

static void print_text(const struct call *call)
{
	const struct tune *tune = &call->tune;
	struct arena *arena = &call->cli->arena;
	bool dry = call->cli->args.dry_run, verbose = call->cli->args.verbose;
	struct buf out = {0};

	buf_addf(&out, "profile %s, %s%s%s\n", tune_profile_name(tune->profile), call->state,
		tune->root[0] != '\0' ? " below " : "", text_safe(arena, tune->root));
	if (dry && !tune_changes_something(tune))
		buf_adds(&out, "  nothing: this machine is set like that already, as far as it can be\n");
	tuning_lines(tune, verbose, dry || verbose, call->unicode, &out);
	add_words(&tune->notes, "", arena, &out);
	if (dry || verbose)
		add_words(&tune->left, "left alone: ", arena, &out);
	if (!dry)
		buf_addf(&out,
			"in force: %s\n`flagstone restore` puts back what was before; it stands in %s%s\n",
			text_safe(arena, tune_summary(tune)), text_safe(arena, tune->root), TUNE_STATE);
	if (!dry && tune->group != NULL)
		buf_addf(&out,
			"to measure on CPUs %s, move a shell there, and what it starts: echo $$ | sudo tee "
			"%s/cgroup.procs\n",
			tune->cpus, text_safe(arena, tune->group));
	terminal_print(&out);
	buf_release(&out);
}

static enum exit_code print(const struct call *call)
{
	if (call->cli->args.json)
		print_json(call);
	else
		print_text(call);
	return EXIT_YES;
}

static enum exit_code dry_run(struct call *call)
{
	struct tune standing;
	struct error e = {0};

	if (tune_load(&standing, &call->options, &call->cli->arena, &e) != 0)
		return error_print(&e);
	if (standing.found && !standing.rebooted && standing.phase != TUNE_LEFT_OVER)
		remark_print(arena_printf(&call->cli->arena,
			"this machine is tuned already, by %s: what follows starts from there, not from what "
			"was before",
			tuning_who(&standing, &call->cli->arena)));
	if (tune_plan(&call->tune, &call->options, &call->cli->arena, &e) != 0)
		return error_print(&e);
	call->state = "planned";
	return print(call);
}

static enum exit_code tune_now(struct call *call)
{
	struct error e = {0};

	switch (tuning_make_way(call->cli, &call->options, &call->tune, &e)) {
	case TUNING_BLOCKED:
		return error_print(&e);
	case TUNING_IN_FORCE:
		call->state = "in force already";
		return print(call);
	case TUNING_FREE:
		break;
	}
	if (tune_plan(&call->tune, &call->options, &call->cli->arena, &e) != 0 ||
		tune_apply(&call->tune, &e) != 0)
		return error_print(&e);
	call->state = "set";
	return print(call);
}

/* Says what it would take, before anything else is tried. */
static int need_root(struct call *call, struct error *e)
{
	size_t files = 0;

	if (call->options.root[0] != '\0' || geteuid() == 0)
		return 0;
	if (tune_plan(&call->tune, &call->options, &call->cli->arena, e) != 0)
		return -1;
	for (size_t i = 0; i < call->tune.n; i++)
		files += call->tune.v[i].kind != TUNE_WATCH;
	return error_set(e, EXIT_CANNOT,
		"tuning this machine takes root: nothing was changed, and %zu file%s would be; run "
		"`flagstone tune` "
		"with sudo, or see what it would do with --dry-run",
		files, text_plural(files));
}

static enum exit_code run(struct cli *cli)
{
	struct call call = {.cli = cli, .unicode = terminal_of(STDOUT_FILENO).unicode};
	struct lock lock;
	enum exit_code code;
	struct error e = {0};

	if (tuning_options(&cli->args, cli->args.profile, &call.options, &e) != 0)
		return error_print(&e);
	call.options.cpus = cli->args.session.cpus;
	if (cli->args.dry_run)
		return dry_run(&call);
	if (need_root(&call, &e) != 0)
		return error_print(&e);
	process_catch_signals();
	if (lock_take(&lock, "tune", cli->args.session.lock_wait_ns, &e) != 0)
		return error_print(&e);
	code = tune_now(&call);
	lock_release(&lock);
	return code;
}

const struct command cmd_tune = {
	.name = "tune",
	.words = "",
	.words_max = 0,
	.title = "set governor, turbo and the like so that this machine measures steadily (root)",
	.text = "Sets what makes samples differ for reasons that are not the program's, and nothing that it "
		"cannot put back: "
		"the old values are on disk before the first one is changed, each write is read back, and "
		"where one fails "
		"or is ignored, all are undone. `flagstone restore` puts them back, also after a crash, a "
		"kill or a reboot.\n\n"
		"Both profiles: frequency governor (and, where the driver has it, the CPU's own preference) "
		"to performance, "
		"because a sample of some milliseconds ends before a governor has seen it; automatic NUMA "
		"balancing off, "
		"which makes page faults in running programs; the NMI watchdog off, which takes one of the "
		"CPU's counters. "
		"as-used leaves turbo alone: figures are those that a user of this machine sees, heat and "
		"neighbours "
		"included. steady switches turbo off, limits all CPUs to the highest frequency that each can "
		"hold for "
		"ever, and forbids idle states that take more than 10 us to leave: slower, and the same in "
		"the afternoon. "
		"--dry-run tells how far apart these frequencies are here. Left alone: address space "
		"randomisation, "
		"which flagstone averages over, and huge pages, SMT and mitigations, which change what is "
		"measured.\n\n"
		"A record keeps the profile it was measured under, and results under different ones are "
		"compared with a "
		"caveat only. `flagstone run --tune` tunes for one run.\n\n"
		"Ends with 3, and nothing changed, without root, where a file cannot be written, and where "
		"the machine "
		"cannot have the profile, as in most virtual machines, whose host governs the frequency.",
	.example =
		"flagstone tune --dry-run --profile steady\nsudo flagstone tune --profile steady --cpus 2-3\n"
		"sudo flagstone restore",
	.options = OPTION_TABLE(options),
	.run = run,
};
