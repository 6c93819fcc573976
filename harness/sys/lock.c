#include "sys/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "sys/child.h"
#include "sys/process.h"

#define HELD_NAME "FLAGSTONE_LOCK_HELD"

enum { HOLDER_SIZE = 512, TRY_EVERY_NS = 20000000 };

/*
 * In a sticky folder that all may write to, the kernel (fs.protected_regular) refuses O_CREAT on a file of
 * somebody else's, so what exists is opened without. Whoever may not write to it can still lock it.
 */
static int open_lock_file(const char *path)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

	for (int tries = 0; tries < 3; tries++) {
		int fd = open(path, O_RDWR | flags);

		if (fd < 0 && (errno == EACCES || errno == EROFS))
			fd = open(path, O_RDONLY | flags);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0666);
		if (fd >= 0)
			fchmod(fd, 0666); /* for other users, whatever the umask */
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static int open_in(const char *folder, struct arena *arena, char **path)
{
	struct stat st;
	int fd;

	*path = file_join(arena, folder, "flagstone.lock");
	fd = open_lock_file(*path);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static int open_lock(struct arena *arena, char **path, struct error *e)
{
	const char *set = getenv("FLAGSTONE_LOCK_FOLDER");
	int fd;

	if (set != NULL && set[0] != '\0')
		fd = open_in(set, arena, path);
	else if ((fd = open_in("/run/lock", arena, path)) < 0)
		fd = open_in("/tmp", arena, path);
	if (fd < 0) {
		error_errno(e, errno, "opening the lock file %s", *path);
		error_advice(e, "FLAGSTONE_LOCK_FOLDER names another folder for it");
	}
	return fd;
}

/* The holder's line, "" if there is none (yet). */
static void read_holder(int fd, char text[HOLDER_SIZE])
{
	ssize_t got = pread(fd, text, HOLDER_SIZE - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static void write_holder(int fd, const char *what)
{
	char stamp[CLOCK_STAMP_SIZE], text[HOLDER_SIZE], pid[24];
	int n;

	clock_stamp(stamp);
	n = snprintf(text, sizeof(text) - 1, "process %ld since %s: %s", (long)getpid(), stamp, what);
	if (n > (int)sizeof(text) - 2)
		n = (int)sizeof(text) - 2;
	for (int i = 0; i < n; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	text[n++] = '\n';
	/* only for others to read: a lock that cannot be written into is one all the same */
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)n, 0);
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	setenv(HELD_NAME, pid, 1);
}

/* Is it this process or one that it descends from, which HELD_NAME names, that holds the lock? */
static bool held_by_ancestor(const char *holder)
{
	const char *held = getenv(HELD_NAME);
	long pid = getpid(), holding, named;
	char *end;

	if (held == NULL || sscanf(holder, "process %ld ", &holding) != 1)
		return false;
	named = strtol(held, &end, 10);
	if (*end != '\0' || named != holding || named <= 1)
		return false;
	while (pid > 1 && pid != named) {
		char text[24];

		snprintf(text, sizeof(text), "%ld", pid);
		pid = child_parent_of(text);
	}
	return pid == named;
}

static int not_had(const char *path, const char *holder, int errnum, struct error *e)
{
	if (errnum != EWOULDBLOCK)
		return error_errno(e, errnum, "locking %s", path);
	return error_set(e, EXIT_CANNOT,
		"another flagstone is measuring on this machine (%s; lock %s): two at once would disturb "
		"each other; wait for it or end it",
		holder[0] != '\0' ? holder : "it has not said which", path);
}

int lock_take(struct lock *lock, const char *what, int64_t wait_ns, struct error *e)
{
	int64_t until_ns = clock_ns() + wait_ns;
	struct arena arena = {0};
	char holder[HOLDER_SIZE];
	int result = -1;
	char *path;
	int fd = open_lock(&arena, &path, e);

	if (fd < 0)
		goto out;
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int errnum = errno;

		read_holder(fd, holder);
		if (errnum == EWOULDBLOCK && held_by_ancestor(holder)) {
			lock->fd = -1;
			result = 0;
			goto close;
		}
		if (process_interrupted()) {
			error_set(e, EXIT_INTERRUPTED, "waiting for the lock %s: interrupted", path);
			goto close;
		}
		if (errnum == EINTR)
			continue;
		if (errnum != EWOULDBLOCK || clock_ns() >= until_ns) {
			not_had(path, holder, errnum, e);
			goto close;
		}
		clock_sleep_ns(TRY_EVERY_NS);
	}
	write_holder(fd, what);
	lock->fd = fd;
	result = 0;
	goto out;
close:
	close(fd);
out:
	arena_release(&arena);
	return result;
}

void lock_release(struct lock *lock)
{
	if (lock->fd < 0)
		return;
	(void)!ftruncate(lock->fd, 0);
	unsetenv(HELD_NAME);
	close(lock->fd);
	lock->fd = -1;
}
