/*
 * progress.h - how far a command is, on standard error: on a terminal one line that is drawn again, at most ten
 * times a second; elsewhere a line where the phase or the number of undecided cells changes, and every ten seconds.
 * With --quiet nothing.
 */
#ifndef FLAGSTONE_CLI_PROGRESS_H
#define FLAGSTONE_CLI_PROGRESS_H

#include "cli/terminal.h"
#include "session/session.h"

struct progress {
	bool quiet;
	bool verbose; /* every step a line, where there is no terminal to draw on */
	struct terminal terminal;
	char phase[24];	  /* the last one that was shown */
	size_t undecided; /* that was shown */
	int64_t shown_ns; /* clock_ns() of the last drawing */
	bool drawn;	  /* the terminal's line holds something of ours */
};

void progress_init(struct progress *progress, bool quiet, bool verbose);
/* For session_events: context is the struct progress. Cheap where nothing is to be drawn. */
void progress_tell(void *context, const struct session_progress *what);
/* For session_events: a line for the user that stays; not with --quiet. */
void progress_message(void *context, const char *text);
/* The same with --verbose only. */
void progress_detail(void *context, const char *text);
/* Takes the line away. Needed before anything else is printed. */
void progress_clear(struct progress *progress);
struct session_events progress_events(struct progress *progress);

#endif
