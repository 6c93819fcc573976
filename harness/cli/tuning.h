/*
 * tuning.h - what tune, restore and run --tune do alike: reading options, dealing with what an earlier one left,
 * showing changes.
 */
#ifndef FLAGSTONE_CLI_TUNING_H
#define FLAGSTONE_CLI_TUNING_H

#include <stdbool.h>

#include "base/json.h"
#include "cli/command.h"
#include "host/tune.h"
#include "sys/lock.h"

/* Error (EXIT_USAGE): no such profile. name NULL or "": as-used. */
int tuning_options(
	const struct arguments *args, const char *name, struct tune_options *options, struct error *e);

/* What stands in the way of a new tune. */
enum tuning_way {
	TUNING_FREE,
	TUNING_IN_FORCE, /* the same is in force, and holds: *tune is it */
	TUNING_BLOCKED	 /* and why, in the error */
};
/*
 * Looks at what an earlier tune left. What was cut off, or was for a run that is gone, is put back first, and said.
 * The caller holds the lock.
 */
enum tuning_way tuning_make_way(
	struct cli *cli, const struct tune_options *options, struct tune *tune, struct error *e);

/* Who tuned, in words: "process 4711 since 2026-03-01T12:34:56Z (profile steady)". In the arena. */
char *tuning_who(const struct tune *tune, struct arena *arena);

/* tuning_print.c: the changes as lines; those alike but for a number are one. all: also those that need nothing. */
void tuning_lines(const struct tune *tune, bool all, bool why, bool unicode, struct buf *out);
/* The same as JSON, each for itself. New reference. */
json_t *tuning_json(const struct tune *tune);

/* tuning_run.c: around a run. */
struct tuning_run {
	struct lock lock;
	struct arena *arena;
	struct tune tune;
	bool locked;
	bool ours;	  /* to be put back at the end */
	const char *from; /* the control group to go back to; NULL: it did not move */
};
/*
 * With --tune: tunes, or takes what is in force already. Without: says what an earlier run left in force. In both cases
 * moves to the CPUs that tune reserved, if there are any. -1: *code says how to end; nothing is changed then.
 */
int tuning_run_begin(struct cli *cli, struct tuning_run *around, enum exit_code *code);
/* Puts back what tuning_run_begin() set. Gives the code to end with. */
enum exit_code tuning_run_end(struct cli *cli, struct tuning_run *around, enum exit_code code);

#endif
