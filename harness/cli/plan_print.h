/*
 * plan_print.h - a plan in words or JSON, for `plan` and `run --dry-run`.
 */
#ifndef FLAGSTONE_CLI_PLAN_PRINT_H
#define FLAGSTONE_CLI_PLAN_PRINT_H

#include "cli/command.h"

/*
 * Prints the plan of an opened session to standard output. EXIT_CANNOT where no cell can exist here, which standard
 * error says.
 */
enum exit_code plan_print(struct cli *cli, const struct session *session);
/* Says on standard error that none of the plan's cells can exist here, and why; EXIT_CANNOT. */
enum exit_code plan_impossible(const struct session *session);

#endif
