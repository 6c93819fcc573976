/*
 * terminal.h - standard output and error: what they can show, and whether what was written arrived.
 */
#ifndef FLAGSTONE_CLI_TERMINAL_H
#define FLAGSTONE_CLI_TERMINAL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

struct terminal {
	bool is_terminal;
	bool colour;	/* a terminal that knows colours, and NO_COLOR is not set */
	bool unicode;	/* the locale's name says UTF-8 */
	unsigned width; /* of the terminal, else COLUMNS, else 100; 20 ... 1000 */
};

/* Asks the terminal behind a descriptor and the environment. */
struct terminal terminal_of(int fd);

/*
 * First thing in the program: makes the descriptors 0, 1, 2 exist, so that no file that is opened later takes
 * their place and gets what is printed; and keeps a closed pipe from ending a run (writing then fails).
 */
void terminal_prepare(void);

/* Writes a result to standard output. Whether it arrived is known at terminal_finish(). */
void terminal_print(const struct buf *text);

/*
 * Last thing: was everything written? Gives the code that the program ends with: `code`, or what writing failed
 * with (EXIT_CANNOT, said on standard error) if that weighs more. A reader that closed the pipe is no error.
 */
enum exit_code terminal_finish(enum exit_code code);

/* Which of two exit codes stands when both apply: 130, 143, 2, 3, 1, 6, 4, 5, 0 in this order. */
enum exit_code exit_combine(enum exit_code a, enum exit_code b);

/*
 * Prints an error on standard error, "flagstone: " in front and made safe for a terminal, and returns its code.
 * Errors of a file that say where (FILE:LINE:COLUMN: ...) stand one a line as they are.
 */
enum exit_code error_print(const struct error *e);

/* One line of remark, like an error but without one. */
void remark_print(const char *text);

#endif
