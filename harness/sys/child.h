/*
 * child.h - from "start this" to a running program, and to nothing left of it: the few functions that
 * sys/supervise and helpers/spawner.c have in common. Header-only, because the helper links base alone.
 *
 * The caller is a child subreaper with all signals blocked and default handlers, whose own descriptors lie at
 * CHILD_FIRST_FD or above and are close-on-exec, so that the numbers below are free for the child's.
 *
 * child_start() uses vfork: the child borrows the caller's memory until exec, so that starting costs the same
 * however large the caller is, and the child can leave the reason of a failure where the caller finds it.
 */
#ifndef FLAGSTONE_SYS_CHILD_H
#define FLAGSTONE_SYS_CHILD_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	CHILD_FIRST_FD = 10,
	CHILD_CPU_LIMIT = 65536,
	CHILD_KILL_TRIES = 2000 /* rounds of child_kill_children(), 5 ms apart, until the rest is given up */
};

/* Where a start failed. */
enum child_stage {
	CHILD_STARTED,
	CHILD_FORK,
	CHILD_FILES, /* pipes, moving descriptors */
	CHILD_STDIN,
	CHILD_FOLDER,
	CHILD_LIMITS,
	CHILD_PIN,
	CHILD_EXEC
};

struct child_plan {
	const char *path; /* what is executed */
	char *const *argv;
	char *const *env;
	const char *folder;	/* NULL: the caller's */
	const char *stdin_path; /* NULL: stdin_fd */
	int stdin_fd, out_fd, err_fd;
	int result_fd, barrier_fd;		/* become 3 and 4; -1: none */
	int cpu;				/* -1: not pinned */
	uint64_t memory_limit, file_size_limit; /* 0: none */
	const struct rlimit *open_files;	/* NULL: the caller's */
	pid_t parent;				/* the caller's process id */
};

struct child_report {
	enum child_stage stage;
	int errnum;
	int64_t start_ns; /* clock_ns() right before exec */
};

/* The raw call, as C libraries do not agree on the type of `resource`. */
static inline int child_limit(int resource, uint64_t bytes)
{
	struct {
		uint64_t soft, hard;
	} old, limit = {bytes, bytes};

	if (syscall(SYS_prlimit64, 0, resource, NULL, &old) == 0 && old.hard < bytes)
		return 0; /* already stricter */
	return (int)syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

static inline int child_limits(const struct child_plan *plan)
{
	if (plan->memory_limit != 0 && child_limit(RLIMIT_AS, plan->memory_limit) != 0)
		return -1;
	if (plan->file_size_limit != 0 && child_limit(RLIMIT_FSIZE, plan->file_size_limit) != 0)
		return -1;
	return plan->open_files != NULL ? setrlimit(RLIMIT_NOFILE, plan->open_files) : 0;
}

static inline int child_pin(int cpu)
{
	unsigned long mask[CHILD_CPU_LIMIT / (8 * sizeof(unsigned long))];
	size_t bits = 8 * sizeof(unsigned long);
	size_t words = (size_t)cpu / bits + 1;

	if (cpu >= CHILD_CPU_LIMIT) {
		errno = EINVAL;
		return -1;
	}
	memset(mask, 0, words * sizeof(mask[0]));
	mask[words - 1] = 1UL << ((size_t)cpu % bits);
	return (int)syscall(SYS_sched_setaffinity, 0, words * sizeof(mask[0]), mask);
}

static inline int child_files(const struct child_plan *plan)
{
	if (dup2(plan->out_fd, 1) < 0 || dup2(plan->err_fd, 2) < 0)
		return -1;
	if (plan->result_fd >= 0 && dup2(plan->result_fd, 3) < 0)
		return -1;
	return plan->barrier_fd >= 0 ? dup2(plan->barrier_fd, 4) : 0;
}

static inline int child_stdin(const struct child_plan *plan)
{
	int fd = plan->stdin_fd;

	/* a file is opened by each child, so that copies do not share an offset */
	if (plan->stdin_path != NULL)
		fd = open(plan->stdin_path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -1 : dup2(fd, 0);
}

/* In the child, with the parent's memory: nothing here may allocate or change what the parent relies on. */
static _Noreturn inline void child_exec(const struct child_plan *plan, struct child_report *report)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != plan->parent)
		_exit(127); /* it died before we asked to be told */
	setpgid(0, 0);
	report->stage = CHILD_STDIN;
	if (child_stdin(plan) < 0)
		goto failed;
	report->stage = CHILD_FILES;
	if (child_files(plan) < 0)
		goto failed;
	report->stage = CHILD_FOLDER;
	if (plan->folder != NULL && chdir(plan->folder) != 0)
		goto failed;
	report->stage = CHILD_PIN;
	if (plan->cpu >= 0 && child_pin(plan->cpu) != 0)
		goto failed;
	report->stage = CHILD_LIMITS;
	if (child_limits(plan) != 0)
		goto failed;
	report->stage = CHILD_EXEC;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	report->start_ns = clock_ns();
	execve(plan->path, plan->argv, plan->env);
failed:
	report->errnum = errno;
	_exit(127);
}

/*
 * Starts it. The process id; or -1 with stage and errnum in the report (and nothing left to wait for).
 * Not inlined: vfork returns twice.
 */
static __attribute__((noinline, unused)) pid_t child_start(
	const struct child_plan *plan, struct child_report *report)
{
	pid_t pid;

	*report = (struct child_report){.stage = CHILD_FORK};
	pid = vfork();
	if (pid == 0)
		child_exec(plan, report);
	if (pid < 0)
		report->errnum = errno;
	if (report->errnum == 0) {
		report->stage = CHILD_STARTED;
		return pid;
	}
	if (pid > 0)
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	return -1;
}

/* Moves a descriptor to where it is in no child's way; -1 stays. */
static inline int child_move_up(int fd)
{
	int moved;

	if (fd < 0 || fd >= CHILD_FIRST_FD)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FD);
	close(fd);
	return moved;
}

/* Closes the descriptors first to last. */
static inline void child_close_range(unsigned first, unsigned last)
{
	struct rlimit limit = {1024, 1024};

	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; fd++)
		close((int)fd);
}

static inline int child_pipe(int pair[2])
{
	if (pipe2(pair, O_CLOEXEC) != 0) {
		pair[0] = pair[1] = -1;
		return -1;
	}
	pair[0] = child_move_up(pair[0]);
	pair[1] = child_move_up(pair[1]);
	return pair[0] < 0 || pair[1] < 0 ? -1 : fcntl(pair[0], F_SETFL, O_NONBLOCK);
}

/* Milliseconds to sleep in poll until the deadline; -1 without one (0). */
static inline int child_poll_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_ns();

	if (deadline_ns == 0)
		return -1;
	if (left <= 0)
		return 0;
	return left / 1000000 >= 1000000 ? 1000000 : (int)(left / 1000000) + 1;
}

/* The parent of a process as /proc has it; -1: gone or unreadable. */
static inline long child_parent_of(const char *pid_text)
{
	char path[64], text[512];
	const char *end;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid_text);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	/* "PID (NAME) STATE PPID ...": the name may hold anything, also ")" */
	end = strrchr(text, ')');
	return end != NULL && strlen(end) > 4 ? strtol(end + 4, NULL, 10) : -1;
}

/*
 * Sends KILL to each child of the caller. Children of these become the caller's (it is a subreaper), so that
 * wait, this, and wait again until there are none ends them all, also those that left group and session. Only
 * children are killed, as their ids cannot be given to anybody else before the caller has waited for them.
 */
static inline void child_kill_children(void)
{
	DIR *proc = opendir("/proc");
	long self = (long)getpid();
	struct dirent *entry;

	if (proc == NULL)
		return;
	while ((entry = readdir(proc)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if (child_parent_of(entry->d_name) == self)
			kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
	}
	closedir(proc);
}

/* All signals blocked and with default handlers, what was ignored included: exec would hand that on. */
static inline void child_reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 1; i < NSIG; i++) {
		action.sa_flags = i == SIGCHLD ? SA_NOCLDSTOP : 0;
		sigaction(i, &action, NULL);
	}
}

/* The kernel's count of processes killed for want of memory, on this system or in a control group; -1 unknown. */
static inline int64_t child_oom_kills(void)
{
	char text[16384];
	size_t n = 0;
	ssize_t got;
	const char *line;
	int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	while (n < sizeof(text) - 1 && (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	line = strstr(text, "\noom_kill ");
	return line != NULL ? strtoll(line + 10, NULL, 10) : -1;
}

static inline int64_t child_timeval_ns(const struct timeval *time)
{
	return (int64_t)time->tv_sec * 1000000000 + (int64_t)time->tv_usec * 1000;
}

#endif
