/*
 * plan_print.h - a plan in words or JSON, for `plan` and `run --dry-run`.
 */
#ifndef FLAGSTONE_CLI_PLAN_PRINT_H
#define FLAGSTONE_CLI_PLAN_PRINT_H

#include "cli/command.h"

/* Error (EXIT_USAGE): --layouts of 2 to 7, of which nothing could be said. */
int plan_check_layouts(const struct arguments *args, struct error *e);
/*
 * Prints the plan of an opened session to standard output. EXIT_CANNOT where no cell can exist here, which standard
 * error says.
 */
enum exit_code plan_print(struct cli *cli, struct session *session);
/* Says on standard error that none of the plan's cells can exist here, and why; EXIT_CANNOT. */
enum exit_code plan_impossible(const struct session *session);

#endif
