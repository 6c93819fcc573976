/*
 * reproduce_print.h - what `reproduce` found, as text and as JSON.
 */
#ifndef FLAGSTONE_CLI_REPRODUCE_PRINT_H
#define FLAGSTONE_CLI_REPRODUCE_PRINT_H

#include "base/json.h"
#include "cli/command.h"
#include "session/reproduce.h"

/* path: of the record that was reproduced. */
void reproduce_print(struct cli *cli, const char *path, const struct reproduction *done);
/* flagstone.reproduction/1. New reference. */
json_t *reproduce_json(const char *path, const struct reproduction *done);

#endif
