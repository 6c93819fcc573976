/*
 * reproduce_work.h - the parts of reproduce.c, in the order of their calls.
 */
#ifndef FLAGSTONE_SESSION_REPRODUCE_WORK_H
#define FLAGSTONE_SESSION_REPRODUCE_WORK_H

#include "session/reproduce.h"
#include "session/run.h"

struct reproducing {
	const struct reproduce_options *options;
	const struct record *record;
	struct reproduction *out;
	struct session *session;
	struct session_options open; /* what the session is opened with */
	const char *folder;	     /* of our own: source/, cache/ */
	struct arena *arena;
};

/* reproduce_sources.c: work tree or export; sets open.project, .archive, .host, .exported_commit. */
int reproduce_find_sources(struct reproducing *r, struct error *e);
/* After the session is open: which workloads are other ones. */
void reproduce_compare_sources(struct reproducing *r);

/* reproduce_toolchains.c: gives each slot of the record the toolchain that it was, as far as it is here. */
void reproduce_find_toolchains(struct reproducing *r);

/* reproduce_cells.c: builds, links the record's layouts, compares. */
int reproduce_cells(struct reproducing *r, struct error *e);

#endif
