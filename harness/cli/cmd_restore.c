#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/run_options.h"
#include "cli/tuning.h"
#include "sys/lock.h"

static const struct cli_option options[] = {
	{.name = "force",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(force),
		.help = "Put the old values back also where somebody else has changed them since tune"},
	OPTION_TUNE_ROOT,
	OPTION_WAIT,
	OPTION_JSON,
};

static void print_json(const struct tune *tune, bool found, bool cut_off, const struct tune_counts *counts)
{
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("flagstone.restore/1"));
	json_object_set_new(root, "found", json_boolean(found));
	json_object_set_new(
		root, "profile", found ? json_string(tune_profile_name(tune->profile)) : json_null());
	json_object_set_new(root, "tuned", found ? json_safe_string(tune->started) : json_null());
	json_object_set_new(root, "rebooted", json_boolean(tune->rebooted));
	json_object_set_new(root, "cut_off", json_boolean(cut_off));
	json_object_set_new(root, "restored", json_integer((json_int_t)counts->restored));
	json_object_set_new(root, "as_before", json_integer((json_int_t)counts->as_before));
	json_object_set_new(root, "gone", json_integer((json_int_t)counts->gone));
	json_object_set_new(root, "left", json_integer((json_int_t)counts->left));
	json_object_set_new(root, "failed", json_integer((json_int_t)counts->failed));
	json_object_set_new(root, "changes", tuning_json(tune));
	common_print_json(root);
}

static void print_text(
	struct cli *cli, const struct tune *tune, bool cut_off, const struct tune_counts *counts)
{
	struct arena *arena = &cli->arena;
	struct buf out = {0};

	buf_addf(&out, "tuned by %s%s\n", text_safe(arena, tuning_who(tune, arena)),
		cut_off ? ", and cut off half way" : "");
	if (tune->rebooted)
		buf_adds(
			&out, "this machine was rebooted since, which brings the kernel's own values back\n");
	tuning_lines(tune, cli->args.verbose, false, terminal_of(STDOUT_FILENO).unicode, &out);
	buf_addf(&out,
		"%zu restored, %zu as before already, %zu gone, %zu left to somebody else, %zu failed\n",
		counts->restored, counts->as_before, counts->gone, counts->left, counts->failed);
	if (counts->left > 0)
		buf_adds(&out, "`flagstone restore --force` puts back what was left, too\n");
	terminal_print(&out);
	buf_release(&out);
}

static enum exit_code nothing(struct cli *cli, const struct tune *tune)
{
	struct tune_counts counts = {0};

	if (cli->args.json)
		print_json(tune, false, false, &counts);
	else if (!cli->args.quiet)
		remark_print(arena_printf(&cli->arena,
			"nothing to restore: there is no %s%s, so that nothing set by tune is in force",
			tune->root, TUNE_STATE));
	return EXIT_YES;
}

static enum exit_code restore(struct cli *cli, const struct tune_options *wanted)
{
	struct tune_counts counts = {0};
	struct tune tune;
	enum exit_code code;
	struct error e = {0};
	bool cut_off;
	int result;

	if (tune_load(&tune, wanted, &cli->arena, &e) != 0)
		return error_print(&e);
	if (!tune.found)
		return nothing(cli, &tune);
	if (tune.root[0] == '\0' && geteuid() != 0) {
		error_set(&e, EXIT_CANNOT,
			"putting back what %s set takes root: nothing was changed; run `flagstone restore` "
			"with sudo",
			tuning_who(&tune, &cli->arena));
		return error_print(&e);
	}
	cut_off = tune.phase == TUNE_PLANNED || tune.phase == TUNE_RESTORING;
	result = tune_restore(&tune, cli->args.force, &counts, &e);
	if (cli->args.json)
		print_json(&tune, true, cut_off, &counts);
	else
		print_text(cli, &tune, cut_off, &counts);
	code = result != 0 ? error_print(&e) : EXIT_YES;
	return exit_combine(code, counts.left > 0 ? EXIT_NO : EXIT_YES);
}

static enum exit_code run(struct cli *cli)
{
	struct tune_options wanted;
	struct tune tune;
	struct lock lock;
	enum exit_code code;
	struct error e = {0};

	if (tuning_options(&cli->args, NULL, &wanted, &e) != 0 ||
		tune_load(&tune, &wanted, &cli->arena, &e) != 0)
		return error_print(&e);
	/* that needs nobody to wait for a run that goes on */
	if (!tune.found)
		return nothing(cli, &tune);
	if (lock_take(&lock, "restore", cli->args.session.lock_wait_ns, &e) != 0)
		return error_print(&e);
	code = restore(cli, &wanted);
	lock_release(&lock);
	return code;
}

const struct command cmd_restore = {
	.name = "restore",
	.words = "",
	.words_max = 0,
	.title = "put back what tune set (root)",
	.text = "Puts back every value that `flagstone tune` or `flagstone run --tune` changed, in reverse "
		"order, from what "
		"was written to disk before the first change: also when that program was killed half way, or "
		"another "
		"one's restore was. Calling it twice does no harm.\n\n"
		"A value that somebody else changed since (a power daemon, an administrator) is left and "
		"listed; --force "
		"puts it back, too. After a reboot the kernel's own values are in force: what differs from "
		"the time before "
		"tune is listed, and only what still reads as tune set it is written.\n\n"
		"Ends with 0 when all is as before, also when there was nothing to do; with 1 when something "
		"was left to "
		"somebody else; with 3 without root, or when a value could not be put back: which, and why, "
		"is said, and "
		"the file with the old values stays.",
	.example = "sudo flagstone restore\nsudo flagstone restore --force",
	.options = OPTION_TABLE(options),
	.run = run,
};
