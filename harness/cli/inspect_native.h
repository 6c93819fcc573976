/*
 * inspect_native.h - `inspect --native [CC...]`: what native means here to each toolchain, and the words that say it.
 */
#ifndef FLAGSTONE_CLI_INSPECT_NATIVE_H
#define FLAGSTONE_CLI_INSPECT_NATIVE_H

#include "cli/command.h"

/*
 * Words: slots, program names, or commands ("/opt/gcc/bin/gcc -m32"); none: all toolchains found that make programs for
 * this machine. Prints text or, with --json, the document flagstone.native/1. EXIT_YES; EXIT_CANNOT when a named one is
 * not there, or none answered; EXIT_USAGE for words that are no command.
 */
enum exit_code inspect_native(struct cli *cli);

#endif
