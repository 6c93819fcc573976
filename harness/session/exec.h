/*
 * exec.h - one cell exactly as a run measures it: the same link, CPU, environment and words, for a debugger or a
 * profiler to look at.
 *
 *	session_open()    with options.matrix, and options.only = { the cell }
 *	session_exec()    builds, links, finds the units of work; then the caller starts it
 */
#ifndef FLAGSTONE_SESSION_EXEC_H
#define FLAGSTONE_SESSION_EXEC_H

#include "session/session.h"

struct session_exec_options {
	const char *cell;   /* as --only takes it; one cell must match */
	const char *layout; /* "0" ... "1023", a layout's seed of a record, or "canonical"; NULL: "0" */
	uint64_t units;	    /* 0: as a run would do it */
};

/* What a run would start. Texts live in the session's arena. */
struct session_exec {
	const struct plan_cell *cell;
	const char *layout;	/* "layout 0", "layout 3 of arm 1", "canonical link" */
	const char *seed;	/* NULL: of the canonical link, which has none */
	const char *program;	/* absolute path */
	struct words arguments; /* runner, program, its words */
	struct words env;
	const char *stdin_path; /* NULL: /dev/null */
	int cpu;		/* of the first copy */
	const int *
		closed; /* descriptors that it must not have, so that its result line goes to standard output; -1 at the end */
	uint64_t units;
	const char *
		units_from; /* id of the record of this host that they are from; NULL: given, or found here */
};

/*
 * Takes the lock that lets one run at a time measure on a machine (options.lock_wait_ns) while it builds and
 * calibrates, and gives it back. Units: those of the newest record of this host, if they still fit; else found with
 * this cell alone, where a run takes those of its fastest cell. What a run draws at random for each start (size of the
 * environment, places of stack and heap) is 0, which it may draw, too. A cell of several copies: what its first copy would be, without the others and the barrier.
 *
 * Errors: (EXIT_USAGE) several cells match, listed; no such layout. (EXIT_CANNOT) the cell cannot exist here, or its
 * build, link or calibration failed, with the reason; another run is measuring. (EXIT_INTERRUPTED, EXIT_TERMINATED)
 */
int session_exec(struct session *session, const struct session_exec_options *options,
	struct session_exec *out, struct error *e);

#endif
