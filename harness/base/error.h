/*
 * error.h - one error object: what was tried, on which file, line or command, why it failed, what to do now.
 *
 * A function that can fail returns int, 0 or -1 (or NULL), takes `struct error *` last and sets it once, where
 * the cause is known; its outputs stay untouched on failure. Callers add context in front with
 * error_context(). `e` may be NULL everywhere: then the text is lost.
 *
 *	if (file_read(path, limit, &buf, e) != 0)
 *		return error_context(e, "reading the matrix");
 *
 * Foreign bytes may stand in the text as they are; who prints it escapes it (text.h).
 */
#ifndef FLAGSTONE_BASE_ERROR_H
#define FLAGSTONE_BASE_ERROR_H

/* The program's exit codes (DESIGN.md, "The command line"); an error carries the one it leads to. */
enum exit_code {
	EXIT_YES = 0,
	EXIT_NO = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT = 3,
	EXIT_NOTHING = 4,
	EXIT_UNDECIDED = 5,
	EXIT_CELL_FAILED = 6,
	EXIT_INTERRUPTED = 130,
	EXIT_TERMINATED = 143
};

struct error {
	enum exit_code code; /* EXIT_YES: none set */
	char text[3072];     /* cut with "..." when longer */
};

/* Sets code and text. Returns -1, so that `return error_set(...)` works. */
int error_set(struct error *e, enum exit_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like error_set with EXIT_CANNOT and ": " + strerror(errnum) at the end. */
int error_errno(struct error *e, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts "<text>: " in front of what is set. Returns -1. */
int error_context(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds "; <text>" behind what is set: the advice. Returns -1. */
int error_advice(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
