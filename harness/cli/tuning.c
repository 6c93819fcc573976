#include "cli/tuning.h"

#include <string.h>

#include "cli/terminal.h"

int tuning_options(
	const struct arguments *args, const char *name, struct tune_options *options, struct error *e)
{
	static const char *const names[] = {"as-used", "steady"};
	const char *nearest;

	*options = (struct tune_options){.root = args->root != NULL ? args->root : "",
		.profile = TUNE_AS_USED,
		.counters = args->counters,
		.owner = "tune"};
	if (name == NULL || name[0] == '\0' || tune_profile_parse(name, &options->profile))
		return 0;
	nearest = text_nearest(name, names, 2);
	error_set(e, EXIT_USAGE, "there is no profile \"%s\"", name);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	return error_advice(e, "there are: as-used, steady");
}

char *tuning_who(const struct tune *tune, struct arena *arena)
{
	return arena_printf(arena, "process %ld at %s (profile %s)", tune->pid, tune->started,
		tune_profile_name(tune->profile));
}

/* Puts back what nobody else will, and says so. */
static enum tuning_way put_back(struct cli *cli, struct tune *tune, struct error *e)
{
	struct arena *arena = &cli->arena;
	const char *what = tune->rebooted ? "was in force before the machine was rebooted"
			   : tune->phase == TUNE_IN_FORCE
				   ? "was set for a run that ended without putting it back"
				   : "was cut off half way";
	const char *who = tuning_who(tune, arena);
	struct tune_counts counts;

	if (tune_restore(tune, false, &counts, e) != 0) {
		error_context(e, "what %s set %s, and has to be put back first", who, what);
		return TUNING_BLOCKED;
	}
	remark_print(
		arena_printf(arena, "what %s set %s: put back first (%zu restored, %zu as before already)",
			who, what, counts.restored, counts.as_before + counts.gone));
	if (counts.left == 0)
		return TUNING_FREE;
	error_set(e, EXIT_CANNOT,
		"%zu value%s that tune had set %s changed by somebody else since, and left; `flagstone "
		"restore` lists "
		"them, and with --force puts them back",
		counts.left, text_plural(counts.left), counts.left == 1 ? "was" : "were");
	return TUNING_BLOCKED;
}

/* Does what is in force hold all that is asked for? */
static bool covers(const struct tune *tune, const struct tune_options *options)
{
	struct cpu_list wanted = {0};
	bool counters = !options->counters;

	for (size_t i = 0; i < tune->n; i++)
		counters = counters || strcmp(tune->v[i].setting, "perf_event_paranoid") == 0;
	if (tune->profile != options->profile || !counters)
		return false;
	if (options->cpus == NULL)
		return true;
	return cpu_list_parse(options->cpus, tune->arena, &wanted, NULL) == 0 &&
	       text_same(tune->cpus, cpu_list_text(&wanted, tune->arena));
}

enum tuning_way tuning_make_way(
	struct cli *cli, const struct tune_options *options, struct tune *tune, struct error *e)
{
	const char *why = NULL;

	if (tune_load(tune, options, &cli->arena, e) != 0)
		return TUNING_BLOCKED;
	if (!tune->found)
		return TUNING_FREE;
	if (tune->phase == TUNE_LEFT_OVER) {
		remark_print(arena_printf(&cli->arena,
			"%zu value%s that somebody changed under an earlier tune, and restore left, count as "
			"the machine's "
			"own from now on",
			tune->n, text_plural(tune->n)));
		return TUNING_FREE;
	}
	if (tune->rebooted || tune->phase != TUNE_IN_FORCE || strcmp(tune->owner, "run") == 0)
		return put_back(cli, tune, e);
	if (covers(tune, options) && tune_holds(tune, &why)) {
		for (size_t k = 0; k < tune->n; k++)
			tune->v[k].outcome = TUNE_HAD;
		return TUNING_IN_FORCE;
	}
	error_set(e, EXIT_CANNOT, "this machine is tuned already, by %s%s%s%s%s",
		tuning_who(tune, &cli->arena), tune->cpus != NULL ? ", CPUs " : "",
		tune->cpus != NULL ? tune->cpus : "", tune->cpus != NULL ? " reserved" : "",
		why != NULL ? arena_printf(&cli->arena, ", and changed since: %s", why) : "");
	error_advice(e, "`flagstone restore` first, which knows what was before");
	return TUNING_BLOCKED;
}
