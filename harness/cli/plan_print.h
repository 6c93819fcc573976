/*
 * plan_print.h - a plan in words or JSON, for `plan` and `run --dry-run`.
 */
#ifndef FLAGSTONE_CLI_PLAN_PRINT_H
#define FLAGSTONE_CLI_PLAN_PRINT_H

#include "cli/command.h"

/* Prints the plan of an opened session to standard output. */
void plan_print(struct cli *cli, const struct session *session);

#endif
