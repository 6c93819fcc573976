#include "sys/spawner.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/clock.h"
#include "base/mem.h"
#include "driver/protocol.h"
#include "sys/child.h"
#include "sys/process.h"
#include "sys/spawner_wire.h"

static const int64_t grace_default_ns = 1000000000;

struct spawner {
	pid_t pid;
	int socket; /* -1: the helper is gone */
	char *path;
	struct buf out, in;
	struct arena texts; /* of the last answer */
	int64_t wait_cpu_ns;
};

/* Starts the helper with one end of the socket pair as its SPAWNER_FD. */
static pid_t start_helper(const char *path, int socket, struct error *e)
{
	char *argv[] = {(char *)"flagstone-spawner", NULL};
	char *env[] = {NULL};
	struct child_report report = {.errnum = 0};
	struct child_plan plan = {.path = path,
		.argv = argv,
		.env = env,
		.stdin_path = "/dev/null",
		.stdin_fd = -1,
		.out_fd = 2,
		.err_fd = 2,
		.result_fd = socket,
		.barrier_fd = -1,
		.cpu = -1,
		.parent = getpid()};
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = child_start(&plan, &report);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		error_errno(e, report.errnum, "starting the helper %s", path);
		error_advice(e, "set FLAGSTONE_LIBEXEC to the folder it is in, or install flagstone again");
	}
	return pid;
}

struct spawner *spawner_new(const char *path, struct error *e)
{
	struct spawner *spawner;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		error_errno(e, errno, "making a socket for the helper %s", path);
		return NULL;
	}
	pair[0] = child_move_up(pair[0]);
	pair[1] = child_move_up(pair[1]);
	pid = start_helper(path, pair[1], e);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return NULL;
	}
	spawner = mem_alloc(sizeof(*spawner));
	spawner->pid = pid;
	spawner->socket = pair[0];
	spawner->path = mem_strdup(path);
	return spawner;
}

/* Closing the socket makes the helper kill what it started and exit. *status as wait gives it. */
static void end_helper(struct spawner *spawner, int *status)
{
	if (spawner->socket < 0)
		return;
	close(spawner->socket);
	spawner->socket = -1;
	while (waitpid(spawner->pid, status, 0) < 0 && errno == EINTR)
		;
}

pid_t spawner_pid(const struct spawner *spawner)
{
	return spawner->pid;
}

int64_t spawner_wait_cpu_ns(const struct spawner *spawner)
{
	return spawner->wait_cpu_ns;
}

void spawner_free(struct spawner *spawner)
{
	int status;

	if (spawner == NULL)
		return;
	end_helper(spawner, &status);
	buf_release(&spawner->out);
	buf_release(&spawner->in);
	arena_release(&spawner->texts);
	mem_free(spawner->path);
	mem_free(spawner);
}

static int helper_lost(struct spawner *spawner, struct error *e)
{
	int status = 0;

	end_helper(spawner, &status);
	if (WIFSIGNALED(status))
		return error_set(e, EXIT_CANNOT,
			"the helper %s was killed by signal %d (%s); its children died with it",
			spawner->path, WTERMSIG(status), process_signal_name(WTERMSIG(status)));
	return error_set(e, EXIT_CANNOT,
		"the helper %s ended with exit code %d; is it of the same build as flagstone?", spawner->path,
		WEXITSTATUS(status));
}

static uint32_t count_words(char *const *words)
{
	uint32_t n = 0;

	while (words[n] != NULL)
		n++;
	return n;
}

static bool needs_barrier_word(const struct spawn_request *request)
{
	if (!request->barrier)
		return false;
	for (char *const *env = request->env; *env != NULL; env++)
		if (strcmp(*env, FLAGSTONE_BARRIER_ENV "=1") == 0)
			return false;
	return true;
}

static void add_text(struct buf *out, const char *text)
{
	buf_add(out, text, strlen(text) + 1);
}

static int write_request(struct spawner *spawner, const struct spawn_request *request, struct error *e)
{
	struct buf *out = &spawner->out;
	bool extra = needs_barrier_word(request);
	struct wire_request wire = {.magic = WIRE_MAGIC,
		.copies = request->copies,
		.argc = count_words(request->argv),
		.envc = count_words(request->env) + extra,
		.barrier = request->barrier,
		.timeout_ns = request->timeout_ns,
		.grace_ns = request->grace_ns > 0 ? request->grace_ns : grace_default_ns,
		.memory_limit = request->memory_limit};

	buf_clear(out);
	buf_add(out, &wire, sizeof(wire));
	for (uint32_t i = 0; i < request->copies; i++)
		buf_add(out, &(int32_t){request->cpus[i]}, sizeof(int32_t));
	add_text(out, request->folder != NULL ? request->folder : "");
	add_text(out, request->stdin_path != NULL ? request->stdin_path : "");
	for (uint32_t i = 0; i < wire.argc; i++)
		add_text(out, request->argv[i]);
	for (char *const *env = request->env; *env != NULL; env++)
		add_text(out, *env);
	if (extra)
		add_text(out, FLAGSTONE_BARRIER_ENV "=1");
	if (out->n > WIRE_BYTES_MAX)
		return error_set(e, EXIT_CANNOT,
			"starting %s: its arguments and environment take more than %d bytes",
			request->argv[0], WIRE_BYTES_MAX);
	wire.bytes = (uint32_t)out->n;
	memcpy(out->data, &wire, sizeof(wire));
	return 0;
}

static int send_request(struct spawner *spawner, struct error *e)
{
	size_t sent = 0;

	while (sent < spawner->out.n) {
		ssize_t n =
			send(spawner->socket, spawner->out.data + sent, spawner->out.n - sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return helper_lost(spawner, e);
		sent += (size_t)n;
	}
	return 0;
}

/* Sleeps until the helper answers, or the program is interrupted. */
static int wait_for_answer(struct spawner *spawner, const struct spawn_request *request, struct error *e)
{
	struct pollfd fds[2] = {
		{.fd = spawner->socket, .events = POLLIN}, {.fd = process_interrupt_fd(), .events = POLLIN}};
	int64_t cpu_before = clock_own_cpu_ns();
	int status;

	while (!process_interrupted()) {
		if (poll(fds, 2, -1) <= 0 || fds[0].revents == 0)
			continue;
		spawner->wait_cpu_ns += clock_own_cpu_ns() - cpu_before;
		return 0;
	}
	end_helper(spawner, &status);
	return error_set(e, EXIT_INTERRUPTED, "running %s: interrupted; it was ended", request->argv[0]);
}

static int receive_reply(struct spawner *spawner, const struct spawn_request *request, struct error *e)
{
	struct wire_reply reply = {.bytes = UINT32_MAX};
	char block[16384];

	buf_clear(&spawner->in);
	do {
		ssize_t got;

		if (wait_for_answer(spawner, request, e) != 0)
			return -1;
		got = recv(spawner->socket, block, sizeof(block), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return helper_lost(spawner, e);
		buf_add(&spawner->in, block, (size_t)got);
		if (spawner->in.n >= sizeof(reply))
			memcpy(&reply, spawner->in.data, sizeof(reply));
	} while (spawner->in.n < reply.bytes);
	spawner->wait_cpu_ns += reply.wait_cpu_ns;
	return reply.magic == WIRE_MAGIC ? 0 : helper_lost(spawner, e);
}

/* Bytes as a text: NULs become '?'. */
static const char *text_of(struct arena *arena, const char *bytes, size_t count)
{
	char *text = count > 0 ? arena_alloc(arena, count + 1) : NULL;

	if (text == NULL)
		return "";
	memcpy(text, bytes, count);
	for (size_t i = 0; i < count; i++)
		if (text[i] == '\0')
			text[i] = '?';
	return text;
}

/* The result line without its newline, and without whatever follows it. */
static const char *line_of(struct arena *arena, const char *bytes, size_t count)
{
	const char *newline = count > 0 ? memchr(bytes, '\n', count) : NULL;

	return text_of(arena, bytes, newline != NULL ? (size_t)(newline - bytes) : count);
}

static const char *what_failed(
	const struct wire_copy *wire, const struct spawn_request *request, uint32_t copy, struct arena *arena)
{
	switch (wire->stage) {
	case CHILD_STARTED:
		return "";
	case CHILD_STDIN:
		return arena_printf(arena, "opening %s as standard input",
			request->stdin_path != NULL ? request->stdin_path : "/dev/null");
	case CHILD_FOLDER:
		return arena_printf(
			arena, "going to the folder %s", request->folder != NULL ? request->folder : "/");
	case CHILD_PIN:
		return arena_printf(arena, "pinning to CPU %d", request->cpus[copy]);
	case CHILD_FILES:
		return "making pipes and shared memory";
	case CHILD_LIMITS:
		return "setting limits";
	case CHILD_FORK:
		return "making a process";
	default:
		return arena_printf(arena, "starting %s", request->argv[0]);
	}
}

static void fill_copy(const struct wire_copy *wire, struct spawn_copy *copy)
{
	static const char digits[] = "0123456789abcdef";
	bool ran = wire->stage == CHILD_STARTED;
	bool exited = WIFEXITED(wire->status);

	memset(copy, 0, sizeof(*copy));
	copy->exec_errno = wire->errnum;
	copy->exit_code = ran && exited ? WEXITSTATUS(wire->status) : -1;
	copy->signal = ran && !exited ? WTERMSIG(wire->status) : 0;
	copy->timed_out = wire->timed_out;
	copy->left_children = wire->left_children;
	copy->oom_kill = wire->oom_kill;
	copy->start_ns = wire->start_ns;
	copy->exec_to_exit_ns = wire->wall_ns;
	copy->user_ns = wire->user_ns;
	copy->system_ns = wire->system_ns;
	copy->run_wait_ns = wire->run_wait_ns;
	copy->peak_kib = wire->peak_kib;
	copy->voluntary_switches = wire->voluntary_switches;
	copy->involuntary_switches = wire->involuntary_switches;
	copy->minor_faults = wire->minor_faults;
	copy->major_faults = wire->major_faults;
	copy->output_bytes = wire->output_bytes;
	for (int i = 0; i < HASH_SIZE; i++) {
		copy->output_sha256[2 * i] = digits[wire->sha256[i] >> 4];
		copy->output_sha256[2 * i + 1] = digits[wire->sha256[i] & 15];
	}
}

static int read_reply(struct spawner *spawner, const struct spawn_request *request, struct spawn_copy *copies,
	struct error *e)
{
	size_t at = sizeof(struct wire_reply);
	size_t texts = at + request->copies * sizeof(struct wire_copy);
	const char *data = spawner->in.data;
	size_t n = spawner->in.n;

	arena_release(&spawner->texts);
	for (uint32_t i = 0; i < request->copies; i++, at += sizeof(struct wire_copy)) {
		struct wire_copy wire;

		if (texts > n)
			return helper_lost(spawner, e);
		memcpy(&wire, data + at, sizeof(wire));
		if (wire.line_n > n - texts || wire.output_n > n - texts - wire.line_n)
			return helper_lost(spawner, e);
		fill_copy(&wire, &copies[i]);
		copies[i].exec_what = what_failed(&wire, request, i, &spawner->texts);
		copies[i].result_line = line_of(&spawner->texts, data + texts, wire.line_n);
		texts += wire.line_n;
		copies[i].output = text_of(&spawner->texts, data + texts, wire.output_n);
		texts += wire.output_n;
	}
	return 0;
}

int spawner_run(struct spawner *spawner, const struct spawn_request *request, struct spawn_copy *copies,
	struct error *e)
{
	if (spawner->socket < 0)
		return error_set(
			e, EXIT_CANNOT, "running %s: the helper %s is gone", request->argv[0], spawner->path);
	if (request->copies == 0 || request->copies > SPAWN_MAX_COPIES)
		return error_set(e, EXIT_USAGE, "running %s: %u copies; 1 to %d can be had", request->argv[0],
			request->copies, SPAWN_MAX_COPIES);
	if (write_request(spawner, request, e) != 0 || send_request(spawner, e) != 0 ||
		receive_reply(spawner, request, e) != 0)
		return -1;
	return read_reply(spawner, request, copies, e);
}

char *spawner_describe(
	const struct spawn_request *request, const struct spawn_copy *copy, struct arena *arena)
{
	struct process_result as_process = {.exit_code = copy->exit_code,
		.signal = copy->signal,
		.timed_out = copy->timed_out,
		.oom_kill = copy->oom_kill,
		.timeout_ns = request->timeout_ns};

	if (copy->exec_errno != 0)
		return arena_printf(arena, "%s: %s", copy->exec_what, strerror(copy->exec_errno));
	return process_describe(&as_process, arena);
}

char *spawner_find_helper(struct arena *arena, const char *name, struct error *e)
{
	const char *set = getenv("FLAGSTONE_LIBEXEC");
	char *self, *folder, *beside, *installed;

	if (set != NULL && set[0] != '\0') {
		char *path = file_join(arena, set, name);

		if (file_is_program(path))
			return path;
		error_set(e, EXIT_CANNOT,
			"looking for the helper %s in FLAGSTONE_LIBEXEC=%s: it is not there", name, set);
		return NULL;
	}
	self = file_real(arena, "/proc/self/exe", e);
	if (self == NULL)
		return NULL;
	folder = file_folder(arena, self);
	beside = file_join(arena, folder, name);
	installed = arena_printf(arena, "%s/../libexec/flagstone/%s", folder, name);
	if (file_is_program(beside))
		return beside;
	if (file_is_program(installed))
		return installed;
	error_set(e, EXIT_CANNOT,
		"looking for the helper %s: neither %s nor %s is a program; set FLAGSTONE_LIBEXEC to its "
		"folder or install flagstone again",
		name, beside, installed);
	return NULL;
}
