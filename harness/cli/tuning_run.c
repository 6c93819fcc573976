#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/terminal.h"
#include "cli/tuning.h"
#include "sys/process.h"

/* Moves to the reserved CPUs; who may not is told how. */
static void join(struct tuning_run *around)
{
	struct error e = {0};

	if (around->tune.group == NULL || tune_join(&around->tune, &around->from, &e) == 0)
		return;
	remark_print(arena_printf(around->arena,
		"tune reserved CPUs %s, and this run is not on them (%s); `echo $$ | sudo tee "
		"%s/cgroup.procs` moves the "
		"shell there, and what it starts",
		around->tune.cpus, e.text, around->tune.group));
}

/* What another one set, and may have forgotten. */
static void look(struct cli *cli, struct tuning_run *around)
{
	const struct tune_options where = {.root = cli->args.root != NULL ? cli->args.root : ""};
	struct tune *tune = &around->tune;
	struct error e = {0};
	const char *who;

	if (tune_load(tune, &where, around->arena, &e) != 0) {
		remark_print(e.text);
		return;
	}
	if (!tune->found || tune->rebooted || tune->phase == TUNE_LEFT_OVER)
		return;
	/* one that is at it still holds the lock, which says more than this can */
	if (file_exists(arena_printf(around->arena, "/proc/%ld", tune->pid)) &&
		(tune->phase != TUNE_IN_FORCE || strcmp(tune->owner, "run") == 0))
		return;
	who = tuning_who(tune, around->arena);
	if (tune->phase != TUNE_IN_FORCE)
		remark_print(arena_printf(around->arena,
			"%s of %s was cut off half way: the machine is neither tuned nor as it was; "
			"`flagstone restore` puts "
			"it back",
			tune->phase == TUNE_PLANNED ? "tune" : "restore", who));
	else if (strcmp(tune->owner, "run") == 0)
		remark_print(arena_printf(around->arena,
			"%s tuned this machine for a run that ended without putting it back; `flagstone "
			"restore` does",
			who));
	else
		join(around);
}

/* Beside the progress, as standard output is the run's. */
static void say(const struct tuning_run *around)
{
	struct buf lines = {0};
	char *save = NULL;

	tuning_lines(&around->tune, false, false, terminal_of(STDERR_FILENO).unicode, &lines);
	for (char *line = lines.data != NULL ? strtok_r(lines.data, "\n", &save) : NULL; line != NULL;
		line = strtok_r(NULL, "\n", &save))
		remark_print(line + strspn(line, " "));
	buf_release(&lines);
}

static int tune_it(struct cli *cli, struct tuning_run *around, struct error *e)
{
	struct tune_options options;

	if (tuning_options(&cli->args, cli->args.tune, &options, e) != 0)
		return -1;
	options.owner = "run";
	if (options.root[0] == '\0' && geteuid() != 0)
		return error_set(e, EXIT_CANNOT,
			"--tune takes root: nothing was changed, and nothing measured; or keep the run your "
			"own with "
			"`sudo flagstone tune` before it and `sudo flagstone restore` behind it");
	if (lock_take(&around->lock, "run --tune", cli->args.session.lock_wait_ns, e) != 0)
		return -1;
	around->locked = true;
	switch (tuning_make_way(cli, &options, &around->tune, e)) {
	case TUNING_BLOCKED:
		return -1;
	case TUNING_IN_FORCE:
		join(around);
		return 0;
	case TUNING_FREE:
		break;
	}
	if (tune_plan(&around->tune, &options, around->arena, e) != 0 || tune_apply(&around->tune, e) != 0)
		return -1;
	around->ours = true;
	if (cli->args.quiet)
		return 0;
	say(around);
	remark_print(arena_printf(around->arena, "tuned for this run%s%s, profile %s: %s",
		options.root[0] != '\0' ? " below " : "", options.root, tune_profile_name(options.profile),
		tune_summary(&around->tune)));
	return 0;
}

int tuning_run_begin(struct cli *cli, struct tuning_run *around, enum exit_code *code)
{
	struct error e = {0};

	*around = (struct tuning_run){.arena = &cli->arena, .lock.fd = -1};
	if (cli->args.tune == NULL) {
		if (!cli->args.dry_run)
			look(cli, around);
		return 0;
	}
	/* from here on there is something to be put back */
	process_catch_signals();
	if (tune_it(cli, around, &e) == 0)
		return 0;
	if (around->locked)
		lock_release(&around->lock);
	*code = error_print(&e);
	return -1;
}

static enum exit_code put_back(struct tuning_run *around, bool quiet)
{
	struct tune_counts counts;
	struct error e = {0};

	if (tune_restore(&around->tune, false, &counts, &e) != 0)
		return error_print(&e);
	if (counts.left > 0)
		remark_print(arena_printf(around->arena,
			"%zu value%s that --tune had set %s changed by somebody else during the run, "
			"and "
			"left; `flagstone "
			"restore` lists them, and with --force puts them back",
			counts.left, text_plural(counts.left), counts.left == 1 ? "was" : "were"));
	else if (!quiet)
		remark_print(arena_printf(around->arena,
			"the machine is as it was before --tune (%zu value%s put back)", counts.restored,
			text_plural(counts.restored)));
	return EXIT_YES;
}

enum exit_code tuning_run_end(struct cli *cli, struct tuning_run *around, enum exit_code code)
{
	struct error e = {0};

	if (tune_leave(&around->tune, around->from, &e) != 0)
		remark_print(e.text);
	if (around->ours)
		code = exit_combine(code, put_back(around, cli->args.quiet));
	if (around->locked)
		lock_release(&around->lock);
	return code;
}
