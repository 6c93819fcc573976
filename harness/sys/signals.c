#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sys/process.h"

/* signal handlers reach nothing but globals */
static volatile sig_atomic_t interrupted;
static int wake_fd = -1;

static void on_signal(int number)
{
	const uint64_t one = 1;
	int errnum = errno;

	if (interrupted != 0 && number == SIGINT) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT); /* taken when this handler returns */
	}
	if (interrupted == 0)
		interrupted = number == SIGHUP ? SIGTERM : number;
	(void)!write(wake_fd, &one, sizeof(one));
	errno = errnum;
}

void process_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal}, before;

	if (wake_fd < 0)
		wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* under nohup it is ignored, and stays so */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

int process_interrupted(void)
{
	return interrupted;
}

int process_interrupt_fd(void)
{
	return wake_fd;
}

const char *process_signal_name(int number)
{
	static char other[32];
	static const struct {
		int number;
		const char *name;
	} names[] = {{SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
		{SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},
		{SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
		{SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGCHLD, "SIGCHLD"},
		{SIGCONT, "SIGCONT"}, {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},
		{SIGTTOU, "SIGTTOU"}, {SIGURG, "SIGURG"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
		{SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGIO, "SIGIO"},
#ifdef SIGSTKFLT
		{SIGSTKFLT, "SIGSTKFLT"},
#endif
#ifdef SIGPWR
		{SIGPWR, "SIGPWR"},
#endif
		{SIGSYS, "SIGSYS"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(other, sizeof(other), "signal %d", number);
	return other;
}
