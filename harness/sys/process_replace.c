#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "sys/cpu.h"
#include "sys/process.h"

static int set_input(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int result = 0;

	if (fd < 0)
		return error_errno(e, errno, "opening %s as standard input", path);
	if (dup2(fd, STDIN_FILENO) < 0)
		result = error_errno(e, errno, "making %s the standard input", path);
	if (fd != STDIN_FILENO)
		close(fd);
	return result;
}

int process_replace(const struct process_replacement *r, struct error *e)
{
	/* from here on a signal ends this program itself: one that came later could be lost in the handler */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	if (process_interrupted())
		return error_set(e, process_interrupted() == SIGTERM ? EXIT_TERMINATED : EXIT_INTERRUPTED,
			"interrupted before %s was started", r->argv[0]);
	if (r->cpu >= 0 && cpu_pin_self(r->cpu, e) != 0)
		return error_context(e, "starting %s", r->argv[0]);
	if (r->stdin_path != NULL && set_input(r->stdin_path, e) != 0)
		return error_context(e, "starting %s", r->argv[0]);
	if (r->folder != NULL && chdir(r->folder) != 0)
		return error_errno(e, errno, "starting %s in the folder %s", r->argv[0], r->folder);
	for (const int *fd = r->closed; fd != NULL && *fd >= 0; fd++)
		close(*fd);
	execve(r->argv[0], r->argv, r->env);
	return process_exec_error(r->argv[0], r->argv[0][0] == '/' ? NULL : r->folder, errno, e);
}
