/*
 * result_print.h - a record's result on standard output in the format asked for, for `run` and `show`.
 */
#ifndef FLAGSTONE_CLI_RESULT_PRINT_H
#define FLAGSTONE_CLI_RESULT_PRINT_H

#include "base/buf.h"
#include "cli/command.h"
#include "cli/common.h"
#include "compare/effect.h"

/* Computes what the record's samples say and appends it as text. path: where the record is, NULL: nowhere. */
void result_add(struct cli *cli, const struct record *record, const char *path, enum format format,
	struct result *result, struct buf *out);

#endif
