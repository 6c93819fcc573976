/*
 * lock.h - one run at a time on a host. flock on a file that is never removed, in /run/lock, else in the
 * temporary folder (opened without O_CREAT first, then O_CREAT|O_EXCL, as the folder is sticky), so that no
 * lock can be stale. Containers do not share it: that is said by the host facts.
 */
#ifndef FLAGSTONE_SYS_LOCK_H
#define FLAGSTONE_SYS_LOCK_H

#include <stdint.h>

#include "base/error.h"

struct lock {
	int fd; /* -1: not held, or held by an ancestor */
};

/*
 * Takes the lock and writes who holds it (process id, start, what) into the file. `what` is one line for
 * others to read. wait_ns: how long to wait for another holder, 0: not. Error (EXIT_CANNOT): who holds it since when.
 * FLAGSTONE_LOCK_FOLDER in the environment names another folder. Who holds it is free text of another process.
 * lock_take puts FLAGSTONE_LOCK_HELD into this program's environment; who builds an environment for a program that
 * may call flagstone hands it on.
 * A child of the holder (nested call; environment FLAGSTONE_LOCK_HELD=PID of a living ancestor) gets it without blocking itself.
 */
int lock_take(struct lock *lock, const char *what, int64_t wait_ns, struct error *e);
void lock_release(struct lock *lock);

#endif
