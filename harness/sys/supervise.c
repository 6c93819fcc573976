#include "sys/supervise.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { SETTLE_MS = 100 };

struct supervisor {
	const struct supervise_plan *plan;
	int socket, signals;
	pid_t child;
	int64_t start_ns, deadline_ns; /* deadline 0: none */
	int64_t inherited_kib;	       /* peak memory that the kernel hands on at exec */
	int64_t oom_kills;
	bool child_ended, terminated;
	struct supervise_report report;
};

/* The sockets of other supervisors above all: held open here, they would never see flagstone's end. */
static void close_all_but(const int *keep, size_t count)
{
	unsigned first = 3;

	for (;;) {
		unsigned next = UINT32_MAX;

		for (size_t i = 0; i < count; i++)
			if (keep[i] >= (int)first && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next == UINT32_MAX)
			break;
		if (next > first)
			child_close_range(first, next - 1);
		first = next + 1;
	}
	child_close_range(first, UINT32_MAX);
}

static void child_has_ended(struct supervisor *s, int status, const struct rusage *usage)
{
	struct supervise_report *r = &s->report;

	s->child_ended = true;
	r->status = status;
	r->wall_ns = clock_ns() - s->start_ns;
	r->user_ns = child_timeval_ns(&usage->ru_utime);
	r->system_ns = child_timeval_ns(&usage->ru_stime);
	r->peak_kib = usage->ru_maxrss > s->inherited_kib ? usage->ru_maxrss : -1;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		r->oom_kill = s->oom_kills >= 0 && child_oom_kills() > s->oom_kills;
}

/* Waits for what has ended. Are there children left? */
static bool reap(struct supervisor *s)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
		if (pid == s->child)
			child_has_ended(s, status, &usage);
	return pid == 0;
}

/* Sleeps until a child ends, flagstone goes (false), or timeout_ms are over. */
static bool sleep_until_event(struct supervisor *s, int timeout_ms)
{
	struct pollfd fds[2] = {{.fd = s->signals, .events = POLLIN}, {.fd = s->socket, .events = POLLIN}};
	struct signalfd_siginfo info;

	poll(fds, 2, timeout_ms);
	if (fds[0].revents != 0)
		(void)!read(s->signals, &info, sizeof(info));
	return fds[1].revents == 0;
}

static void kill_everything(struct supervisor *s)
{
	if (!s->child_ended)
		kill(-s->child, SIGKILL);
	for (int tries = 0; tries < CHILD_KILL_TRIES && reap(s); tries++) {
		child_kill_children();
		sleep_until_event(s, 5);
	}
}

static void at_deadline(struct supervisor *s)
{
	s->report.timed_out = true;
	if (s->terminated) {
		s->deadline_ns = 0;
		kill(-s->child, SIGKILL);
		kill(s->child, SIGKILL); /* if it went to another group */
		return;
	}
	s->terminated = true;
	s->deadline_ns = clock_ns() + s->plan->grace_ns;
	kill(-s->child, SIGTERM);
	/* what is stopped would take the signal only when it goes on */
	kill(-s->child, SIGCONT);
}

/*
 * Are there descendants that outlived the program? After a timeout all of its group got the signal at the same time
 * and some die a moment later than others: they are waited for.
 */
static bool left_children(struct supervisor *s)
{
	int64_t until_ns = clock_ns() + (int64_t)SETTLE_MS * 1000000;

	while (reap(s)) {
		if (!s->report.timed_out || clock_ns() >= until_ns || !sleep_until_event(s, 1))
			return true;
	}
	return false;
}

static void watch(struct supervisor *s)
{
	while (reap(s) && !s->child_ended) {
		if (s->deadline_ns != 0 && clock_ns() >= s->deadline_ns)
			at_deadline(s);
		else if (!sleep_until_event(s, child_poll_ms(s->deadline_ns)))
			break;
	}
	s->report.left_children = s->child_ended && left_children(s);
	kill_everything(s);
}

static _Noreturn void supervise(struct supervisor *s)
{
	struct child_plan child = s->plan->child;
	const int keep[] = {s->socket, child.stdin_fd, child.out_fd, child.err_fd};
	struct child_report started;
	struct rusage own;
	sigset_t chld;

	child_reset_signals();
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	close_all_but(keep, sizeof(keep) / sizeof(keep[0]));
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	s->signals = fcntl(signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK), F_DUPFD_CLOEXEC, CHILD_FIRST_FD);
	s->oom_kills = child_oom_kills();
	child.parent = getpid();
	s->child = child_start(&child, &started);
	getrusage(RUSAGE_SELF, &own);
	s->inherited_kib = own.ru_maxrss;
	s->start_ns = started.start_ns;
	s->report.stage = started.stage;
	s->report.errnum = started.errnum;
	send(s->socket, &s->report, sizeof(s->report), MSG_NOSIGNAL);
	if (s->child < 0)
		_exit(0);
	/* only the program holds its outputs now: they end when it does */
	close(child.out_fd);
	close(child.err_fd);
	s->deadline_ns = s->plan->timeout_ns > 0 ? s->start_ns + s->plan->timeout_ns : 0;
	watch(s);
	send(s->socket, &s->report, sizeof(s->report), MSG_NOSIGNAL);
	_exit(0);
}

pid_t supervise_start(const struct supervise_plan *plan, int *socket)
{
	struct supervisor s = {.plan = plan};
	sigset_t all, old;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	s.socket = fcntl(pair[1], F_DUPFD_CLOEXEC, CHILD_FIRST_FD);
	/* a handler of flagstone's must not run in the fork */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = s.socket < 0 ? -1 : fork();
	if (pid == 0)
		supervise(&s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	if (s.socket >= 0)
		close(s.socket);
	if (pid < 0)
		close(pair[0]);
	else
		*socket = pair[0];
	return pid;
}
