/*
 * inspect_print.h - what `inspect` prints: a screen for a file, a line for a member of an archive, or what differs
 * between two.
 */
#ifndef FLAGSTONE_CLI_INSPECT_PRINT_H
#define FLAGSTONE_CLI_INSPECT_PRINT_H

#include "base/json.h"
#include "cli/command.h"
#include "code/inspect.h"
#include "code/inspect_match.h"

/* What was given: a file, or an archive with its objects. */
struct inspected {
	const char *path;
	bool archive;
	struct inspection *v; /* 1, or the objects */
	size_t n;
	size_t others;	     /* members that are no objects */
	struct words broken; /* "MEMBER: why" of members that could not be read */
};

void inspect_print(
	struct cli *cli, const struct inspected *given, const struct inspect_cpu *cpu, struct buf *out);
void inspect_print_match(struct cli *cli, const struct inspection *a, const struct inspection *b,
	const struct match_result *result, struct buf *out);
/* match: NULL when nothing was held against anything. New reference. */
json_t *inspect_json(struct cli *cli, const struct inspected *given, size_t count,
	const struct inspect_cpu *cpu, const struct match_result *match);

#endif
