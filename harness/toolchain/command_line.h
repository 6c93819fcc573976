/*
 * command_line.h - the compiler proper's own options, from what -### prints: what the driver made of the flags.
 */
#ifndef FLAGSTONE_TOOLCHAIN_COMMAND_LINE_H
#define FLAGSTONE_TOOLCHAIN_COMMAND_LINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

struct command_line {
	struct words options;  /* canonical: no program, file names, folders of headers; one -O */
	struct words features; /* clang's -target-feature, each once as it ends up, sorted by name */
	struct words params;   /* --param: cache sizes of gcc's native */
	const char *cpu;       /* clang's -target-cpu, NULL: none */
	const char *tune;      /* clang's -tune-cpu */
};

/* Finds gcc's cc1 or clang's -cc1 line in the text. false: there is none that can be read. */
bool command_line_parse(struct arena *arena, const char *text, struct command_line *line);

#endif
