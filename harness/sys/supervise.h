/*
 * supervise.h - the small process between flagstone and a program that it starts (internal to sys/process).
 *
 * A fork of flagstone that does nothing but wait: it is the child subreaper of what it starts, so it can end
 * all of it, also what left the group and the session, at the timeout, when the program itself has ended, or when
 * flagstone is gone (its end of the socket is closed, kill -9 included). It has a session of its own, so that ^C
 * on the terminal reaches flagstone alone.
 *
 * Messages on a SOCK_SEQPACKET pair, to flagstone only: first one struct supervise_report with `started`, or
 * with stage and errnum; later, when nothing is left running, one with the rest filled.
 */
#ifndef FLAGSTONE_SYS_SUPERVISE_H
#define FLAGSTONE_SYS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/child.h"

struct supervise_plan {
	struct child_plan child; /* `parent` is filled here */
	int64_t timeout_ns;	 /* 0: none */
	int64_t grace_ns;
};

struct supervise_report {
	enum child_stage stage;
	int errnum;
	int status; /* as wait gives it */
	bool timed_out, left_children, oom_kill;
	int64_t wall_ns, user_ns, system_ns;
	int64_t peak_kib; /* -1: not above what it inherited from flagstone */
};

/*
 * Forks the supervisor; *socket is flagstone's end (owned by the caller; closing it ends everything). Its process
 * id, to be waited for; -1 with errno.
 */
pid_t supervise_start(const struct supervise_plan *plan, int *socket);

#endif
