#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sys/drain.h"
#include "sys/supervise.h"

enum { OUTPUT_LIMIT = 1 << 20, TURN_BLOCKS = 16, LAST_BLOCKS = 1024 };
static const int64_t grace_default_ns = 2000000000;

struct process {
	pid_t supervisor;
	int socket;
	int fds[2]; /* read ends of standard output and error; -1: none or ended */
	struct drain drains[2];
	int file; /* of output_path; -1 */
	int64_t timeout_ns;
};

/* Descriptors that a start opens; -1: not. */
struct start_files {
	int input, out[2], err[2]; /* pairs: read end, write end */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int make_pipe(int pair[2], struct error *e)
{
	if (child_pipe(pair) != 0)
		return error_errno(e, errno, "making a pipe for the output of a program");
	return 0;
}

static int open_input(const struct process_options *o, int *fd, struct error *e)
{
	const char *path = o->stdin_path != NULL ? o->stdin_path : "/dev/null";

	*fd = child_move_up(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	return *fd >= 0 ? 0
			: error_errno(e, errno, "opening %s as the standard input of %s", path, o->argv[0]);
}

static int open_files(const struct process_options *o, struct start_files *files, struct error *e)
{
	if (open_input(o, &files->input, e) != 0)
		return -1;
	if (o->output_path == NULL)
		return make_pipe(files->out, e) != 0 || (!o->merge && make_pipe(files->err, e) != 0) ? -1 : 0;
	/* two writers, program and its children, append so that none overwrites the other's */
	files->out[1] = child_move_up(
		open(o->output_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
	if (files->out[1] < 0)
		return error_errno(e, errno, "creating %s for the output of %s", o->output_path, o->argv[0]);
	return 0;
}

static const char *env_value(char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env != NULL; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static int find_program(const struct process_options *o, char *const *env, struct arena *arena,
	const char **path, struct error *e)
{
	const char *search = env_value(env, "PATH");

	if (o->argv[0][0] == '\0')
		return error_set(e, EXIT_CANNOT, "starting a program: its name is empty");
	*path = o->argv[0];
	if (strchr(o->argv[0], '/') != NULL)
		return 0;
	if (search == NULL)
		search = "/usr/local/bin:/usr/bin:/bin";
	*path = file_find_program(arena, o->argv[0], search);
	if (*path == NULL)
		return error_set(e, EXIT_CANNOT,
			"starting %s: no such program in PATH (%s); install it or give its full path",
			o->argv[0], search);
	return 0;
}

static int start_error(const struct process_options *o, const char *path,
	const struct supervise_report *report, struct error *e)
{
	switch (report->stage) {
	case CHILD_FOLDER:
		return error_errno(e, report->errnum, "starting %s in the folder %s", path, o->folder);
	case CHILD_PIN:
		error_errno(e, report->errnum, "pinning %s to CPU %d", path, o->cpu);
		return error_advice(
			e, "is it online and allowed (see /proc/self/status, Cpus_allowed_list)?");
	case CHILD_LIMITS:
		return error_errno(e, report->errnum, "setting the limits of %s", path);
	case CHILD_EXEC:
		return process_exec_error(path, o->folder, report->errnum, e);
	case CHILD_STARTED:
	case CHILD_FORK:
	case CHILD_FILES:
	case CHILD_STDIN:
		break;
	}
	return error_errno(e, report->errnum, "starting a process for %s", path);
}

static bool receive(int socket, struct supervise_report *report)
{
	ssize_t got;

	do
		got = recv(socket, report, sizeof(*report), 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(*report);
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void make_plan(
	const struct process_options *o, const struct start_files *files, struct supervise_plan *plan)
{
	plan->timeout_ns = o->timeout_ns;
	plan->grace_ns = o->grace_ns > 0 ? o->grace_ns : grace_default_ns;
	plan->child.argv = o->argv;
	plan->child.folder = o->folder;
	plan->child.stdin_fd = files->input;
	plan->child.out_fd = files->out[1];
	plan->child.err_fd = files->err[1] >= 0 ? files->err[1] : files->out[1];
	plan->child.result_fd = plan->child.barrier_fd = -1;
	plan->child.cpu = o->cpu;
	plan->child.memory_limit = o->memory_limit;
	plan->child.file_size_limit = o->file_size_limit;
}

/* Forks, and hears whether exec went well. */
static int launch(const struct process_options *o, const struct supervise_plan *plan, struct process *process,
	struct error *e)
{
	struct supervise_report report;

	process->supervisor = supervise_start(plan, &process->socket);
	if (process->supervisor < 0)
		return error_errno(e, errno, "starting a process for %s", plan->child.path);
	if (!receive(process->socket, &report))
		error_set(e, EXIT_CANNOT, "starting %s: the process that was to start it was killed",
			plan->child.path);
	else if (report.stage != CHILD_STARTED)
		start_error(o, plan->child.path, &report, e);
	else
		return 0;
	close_fd(&process->socket);
	wait_for(process->supervisor);
	return -1;
}

struct process *process_start(const struct process_options *options, struct error *e)
{
	struct arena arena = {0};
	struct start_files files = {-1, {-1, -1}, {-1, -1}};
	struct supervise_plan plan = {0};
	struct process *process = NULL;
	struct process *made = mem_alloc(sizeof(*made));
	size_t limit = options->output_limit > 1 ? options->output_limit : OUTPUT_LIMIT;

	plan.child.env = options->env != NULL ? options->env : process_clean_env(&arena, NULL);
	made->file = made->socket = -1;
	if (find_program(options, plan.child.env, &arena, &plan.child.path, e) != 0 ||
		open_files(options, &files, e) != 0)
		goto out;
	make_plan(options, &files, &plan);
	if (launch(options, &plan, made, e) != 0)
		goto out;
	process = made;
	made = NULL;
	process->timeout_ns = options->timeout_ns;
	for (int i = 0; i < 2; i++)
		drain_init(&process->drains[i], limit, i == 0);
	process->fds[0] = files.out[0];
	process->fds[1] = files.err[0];
	files.out[0] = files.err[0] = -1;
	if (options->output_path != NULL) {
		process->file = files.out[1];
		files.out[1] = -1;
	}
out:
	close_fd(&files.input);
	for (int i = 0; i < 2; i++) {
		close_fd(&files.out[i]);
		close_fd(&files.err[i]);
	}
	mem_free(made);
	arena_release(&arena);
	return process;
}

static void process_free(struct process *process)
{
	close_fd(&process->socket); /* the supervisor then ends whatever is left */
	wait_for(process->supervisor);
	for (int i = 0; i < 2; i++) {
		close_fd(&process->fds[i]);
		drain_release(&process->drains[i]);
	}
	close_fd(&process->file);
	mem_free(process);
}

void process_kill(struct process *process)
{
	if (process != NULL)
		process_free(process);
}

static void fill_result(const struct supervise_report *report, struct process_result *r)
{
	bool exited = WIFEXITED(report->status);

	r->exit_code = exited ? WEXITSTATUS(report->status) : -1;
	r->signal = exited ? 0 : WTERMSIG(report->status);
	r->core_dumped = !exited && WCOREDUMP(report->status);
	r->timed_out = report->timed_out;
	r->left_children = report->left_children;
	r->oom_kill = report->oom_kill;
	r->wall_ns = report->wall_ns;
	r->user_ns = report->user_ns;
	r->system_ns = report->system_ns;
	r->peak_kib = report->peak_kib;
}

/* The supervisor has reported, so nothing writes any more: takes the rest of the outputs and ends the process. */
static void finish(struct process *process, struct process_result *r)
{
	/* a supervisor that was itself killed takes the program with it (parent-death signal) and says nothing */
	struct supervise_report report = {.status = SIGKILL, .peak_kib = -1};
	char hex[HASH_HEX];
	struct stat st;

	memset(r, 0, sizeof(*r));
	receive(process->socket, &report);
	for (int i = 0; i < 2; i++)
		if (process->fds[i] >= 0)
			drain_fd(&process->drains[i], process->fds[i], LAST_BLOCKS);
	fill_result(&report, r);
	r->timeout_ns = process->timeout_ns;
	r->out_bytes = process->drains[0].bytes;
	r->err_bytes = process->drains[1].bytes;
	drain_finish(&process->drains[0], &r->out, r->out_sha256);
	drain_finish(&process->drains[1], &r->err, hex);
	if (process->file >= 0) {
		r->out_sha256[0] = '\0';
		r->out_bytes = fstat(process->file, &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	process_free(process);
}

static void drain_ready(struct process *process, const struct pollfd *fds)
{
	for (int i = 0; i < 2; i++)
		if (fds[i].revents != 0 && drain_fd(&process->drains[i], process->fds[i], TURN_BLOCKS) == 0)
			close_fd(&process->fds[i]);
}

/* One poll over all. Index of one that has ended, -1 none. fds has room for 3 a process and one more. */
static int wait_once(struct process **processes, size_t count, struct pollfd *fds, int timeout_ms)
{
	for (size_t i = 0; i < count; i++) {
		const struct process *p = processes[i];

		fds[3 * i] = (struct pollfd){.fd = p != NULL ? p->fds[0] : -1, .events = POLLIN};
		fds[3 * i + 1] = (struct pollfd){.fd = p != NULL ? p->fds[1] : -1, .events = POLLIN};
		fds[3 * i + 2] = (struct pollfd){.fd = p != NULL ? p->socket : -1, .events = POLLIN};
	}
	fds[3 * count] = (struct pollfd){.fd = process_interrupt_fd(), .events = POLLIN};
	if (poll(fds, 3 * count + 1, timeout_ms) <= 0 || process_interrupted())
		return -1;
	for (size_t i = 0; i < count; i++)
		if (processes[i] != NULL)
			drain_ready(processes[i], fds + 3 * i);
	for (size_t i = 0; i < count; i++)
		if (processes[i] != NULL && fds[3 * i + 2].revents != 0)
			return (int)i;
	return -1;
}

int process_wait_any(
	struct process **processes, size_t count, int64_t timeout_ns, struct process_result *result)
{
	int64_t until_ns = timeout_ns < 0 ? 0 : clock_ns() + timeout_ns;
	struct pollfd *fds;
	size_t living = 0;
	int index = -1;

	for (size_t i = 0; i < count; i++)
		living += processes[i] != NULL;
	if (living == 0)
		return -2;
	fds = mem_alloc_array(3 * count + 1, sizeof(*fds));
	do
		index = wait_once(processes, count, fds, child_poll_ms(until_ns));
	while (index < 0 && !process_interrupted() && (timeout_ns < 0 || clock_ns() < until_ns));
	mem_free(fds);
	if (index >= 0) {
		finish(processes[index], result);
		processes[index] = NULL;
	}
	return index;
}

int process_run(const struct process_options *options, struct process_result *result, struct error *e)
{
	struct process *process = process_start(options, e);

	if (process == NULL)
		return -1;
	if (process_wait_any(&process, 1, -1, result) == 0)
		return 0;
	process_kill(process);
	return error_set(e, EXIT_INTERRUPTED, "running %s: interrupted; it was ended", options->argv[0]);
}

void process_result_release(struct process_result *result)
{
	buf_release(&result->out);
	buf_release(&result->err);
}

bool process_ok(const struct process_result *result)
{
	return result->exit_code == 0 && result->signal == 0 && !result->timed_out;
}
