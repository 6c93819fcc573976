/*
 * spawner.c - the small process through which every sample is started (sys/spawner.h says why). It links base
 * alone and keeps its memory and its system calls few, since both would show in what is measured.
 *
 * One loop: read a request, start the copies, wait for their ends, send one reply. It sleeps in poll on a
 * signalfd (a child ended), the socket (the client is gone: kill everything), and the copies' pipes. The write
 * ends of the pipes stay open here until the sample is over: otherwise each pipe's end would wake it once more.
 */
#include <linux/futex.h>
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "helpers/spawner_copy.h"

enum { TURN_BLOCKS = 16, LAST_BLOCKS = 1024, SETTLE_MS = 100, BARRIER_TICK_NS = 2000000 };
enum { FD_SIGNALS, FD_SOCKET, FD_COPIES };

struct sample {
	struct wire_request request;
	const int32_t *cpus;
	struct child_plan plan;
	struct copy *copies;
	struct pollfd *fds; /* signalfd, socket, then STREAMS a copy */
	uint32_t living;
	int64_t deadline_ns;
	bool terminated, ended_a_copy, any_signal_9;
	int64_t wait_cpu_ns;		   /* of this program, while the copies ran */
	struct flagstone_barrier *barrier; /* NULL: none, or released */
};

struct spawner {
	int socket, signals, null;
	struct buf in, out;
	char **words; /* argv and env of the current request */
	size_t words_cap, copies_cap;
	struct copy *copies;
	struct pollfd *fds;
	struct rlimit open_files; /* what children get */
	bool raised;
	int64_t oom_kills;
	char *block; /* BLOCK bytes, once there is output */
};

/* The client is gone, or talks nonsense: nothing that was started may stay. */
static _Noreturn void kill_all_and_exit(struct spawner *s, int code)
{
	for (int tries = 0; tries < CHILD_KILL_TRIES; tries++) {
		struct pollfd fd = {.fd = s->signals, .events = POLLIN};
		struct signalfd_siginfo info;
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			break;
		child_kill_children();
		if (poll(&fd, 1, 5) > 0)
			(void)!read(s->signals, &info, sizeof(info));
	}
	_exit(code);
}

static void drain_ready(struct spawner *s, struct sample *sample, int blocks)
{
	if (s->block == NULL)
		s->block = mem_alloc(BLOCK);
	for (uint32_t i = 0; i < sample->request.copies; i++)
		for (int stream = 0; stream < STREAMS; stream++)
			if (sample->fds[FD_COPIES + i * STREAMS + (uint32_t)stream].revents != 0)
				copy_drain(&sample->copies[i], (enum stream)stream, s->block, blocks);
}

/* Sleeps until something happens; ends the program when the client has gone. */
static void wait_for_event(struct spawner *s, struct sample *sample, int timeout_ms)
{
	struct signalfd_siginfo info;
	int n = poll(sample->fds, FD_COPIES + STREAMS * (nfds_t)sample->request.copies, timeout_ms);

	if (n <= 0)
		return;
	if (sample->fds[FD_SOCKET].revents != 0)
		kill_all_and_exit(s, 0);
	if (sample->fds[FD_SIGNALS].revents != 0) {
		(void)!read(s->signals, &info, sizeof(info));
		sample->ended_a_copy = true;
		n--;
	}
	if (n > 0)
		drain_ready(s, sample, TURN_BLOCKS);
}

static void copy_has_ended(struct sample *sample, struct copy *copy, int64_t now_ns)
{
	struct wire_copy *w = &copy->wire;
	struct rusage usage;
	pid_t group = copy->pid, pid;

	w->wall_ns = now_ns - w->start_ns;
	w->run_wait_ns = run_wait_ns(copy->pid);
	wait4(copy->pid, &w->status, 0, &usage);
	copy->pid = 0;
	sample->living--;
	w->user_ns = child_timeval_ns(&usage.ru_utime);
	w->system_ns = child_timeval_ns(&usage.ru_stime);
	w->peak_kib = (uint32_t)usage.ru_maxrss;
	w->voluntary_switches = (uint32_t)usage.ru_nvcsw;
	w->involuntary_switches = (uint32_t)usage.ru_nivcsw;
	w->minor_faults = (uint32_t)usage.ru_minflt;
	w->major_faults = (uint32_t)usage.ru_majflt;
	if (WIFSIGNALED(w->status) && WTERMSIG(w->status) == SIGKILL && !w->timed_out)
		sample->any_signal_9 = true;
	if (sample->request.copies == 1)
		return; /* whoever is left afterwards is its */
	while ((pid = waitpid(-group, NULL, WNOHANG)) > 0)
		;
	if (pid == 0) {
		w->left_children = !w->timed_out;
		kill(-group, SIGKILL);
	}
}

static void reap(struct sample *sample)
{
	int64_t now_ns = clock_ns();

	sample->ended_a_copy = false;
	while (sample->living > 0) {
		siginfo_t info = {0};
		uint32_t i = 0;

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return;
		while (i < sample->request.copies && sample->copies[i].pid != info.si_pid)
			i++;
		if (i < sample->request.copies)
			copy_has_ended(sample, &sample->copies[i], now_ns);
		else
			waitpid(info.si_pid, NULL, 0); /* an orphan of theirs */
	}
}

static void signal_living(struct sample *sample, int signal_number)
{
	for (uint32_t i = 0; i < sample->request.copies; i++) {
		struct copy *copy = &sample->copies[i];

		if (copy->pid == 0)
			continue;
		copy->wire.timed_out = 1;
		kill(-copy->pid, signal_number);
		/* what is stopped goes on, to take it; what went to another group gets it as well */
		kill(-copy->pid, SIGCONT);
		if (signal_number == SIGKILL)
			kill(copy->pid, SIGKILL);
	}
}

static void at_deadline(struct sample *sample)
{
	signal_living(sample, sample->terminated ? SIGKILL : SIGTERM);
	sample->deadline_ns = sample->terminated ? 0 : clock_ns() + sample->request.grace_ns;
	sample->terminated = true;
}

/* Ends what outlived the copies. Was there anything? */
static bool end_descendants(struct spawner *s, struct sample *sample)
{
	int64_t settle_until_ns = sample->terminated ? clock_ns() + (int64_t)SETTLE_MS * 1000000 : 0;
	bool left = false;

	for (int tries = 0; tries < CHILD_KILL_TRIES; tries++) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			break;
		/* after a timeout the whole group got the signal, and some die a moment later than others */
		if (clock_ns() >= settle_until_ns) {
			left = true;
			child_kill_children();
		}
		wait_for_event(s, sample, 5);
	}
	return left;
}

static void futex_wake_all(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Releases the copies when all have arrived; lets them give up when one cannot come any more. */
static void tend_barrier(struct sample *sample)
{
	const struct timespec tick = {0, BARRIER_TICK_NS};
	struct flagstone_barrier *barrier = sample->barrier;
	uint32_t arrived = __atomic_load_n(&barrier->arrived, __ATOMIC_ACQUIRE);

	if (sample->living == sample->request.copies && arrived < sample->request.copies) {
		syscall(SYS_futex, &barrier->arrived, FUTEX_WAIT, arrived, &tick, NULL, 0);
		return;
	}
	__atomic_store_n(&barrier->go, sample->living == sample->request.copies ? 1 : 2, __ATOMIC_RELEASE);
	futex_wake_all(&barrier->go);
	munmap(barrier, sizeof(*barrier));
	sample->barrier = NULL;
}

static bool any_result(const struct sample *sample)
{
	for (uint32_t i = 0; i < sample->request.copies; i++)
		if (sample->copies[i].line.n > 0)
			return true;
	return false;
}

static void wait_for_copies(struct spawner *s, struct sample *sample)
{
	int64_t cpu_before = clock_own_cpu_ns();

	while (sample->living > 0 || sample->barrier != NULL) {
		if (sample->barrier != NULL)
			tend_barrier(sample);
		if (sample->living > 0) {
			wait_for_event(
				s, sample, sample->barrier != NULL ? 0 : child_poll_ms(sample->deadline_ns));
			/* what comes with or after the first result line is after that sample's end */
			if (!any_result(sample) && !sample->ended_a_copy && sample->barrier == NULL)
				sample->wait_cpu_ns = clock_own_cpu_ns() - cpu_before;
		}
		if (sample->ended_a_copy)
			reap(sample);
		if (sample->living > 0 && sample->deadline_ns != 0 && clock_ns() >= sample->deadline_ns)
			at_deadline(sample);
	}
}

/* Shared memory of the copies; its descriptor, -1 with errno. */
static int make_barrier(struct sample *sample)
{
	int fd = child_move_up(memfd_create("barrier", MFD_CLOEXEC));
	void *memory = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(struct flagstone_barrier)) == 0)
		memory = mmap(
			NULL, sizeof(struct flagstone_barrier), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	sample->barrier = memory;
	return fd;
}

static void start_copy(struct sample *sample, uint32_t i)
{
	struct copy *copy = &sample->copies[i];
	struct child_plan plan = sample->plan;
	struct child_report report = {.stage = CHILD_FILES};
	pid_t pid;

	for (int stream = 0; stream < STREAMS; stream++)
		if (copy_pipe(copy, (enum stream)stream) != 0)
			goto failed;
	plan.out_fd = copy->pipes[OUT][1];
	plan.err_fd = copy->pipes[ERR][1];
	plan.result_fd = copy->pipes[RESULT][1];
	plan.cpu = sample->cpus[i];
	pid = child_start(&plan, &report);
	if (pid < 0)
		goto out;
	copy->pid = pid;
	sample->living++;
	for (int stream = 0; stream < STREAMS; stream++)
		sample->fds[FD_COPIES + i * STREAMS + (uint32_t)stream].fd = copy->pipes[stream][0];
	goto out;
failed:
	report.errnum = errno;
out:
	copy->wire.stage = (int32_t)report.stage;
	copy->wire.errnum = report.errnum;
	copy->wire.start_ns = report.start_ns;
}

static void start_copies(struct sample *sample)
{
	uint32_t n = sample->request.copies;
	int barrier = -1;

	if (sample->request.barrier && (barrier = make_barrier(sample)) < 0) {
		for (uint32_t i = 0; i < n; i++) {
			sample->copies[i].wire.stage = CHILD_FILES;
			sample->copies[i].wire.errnum = errno;
		}
		return;
	}
	sample->plan.barrier_fd = barrier;
	for (uint32_t i = 0; i < n; i++)
		start_copy(sample, i);
	if (barrier >= 0)
		close(barrier);
	if (sample->request.timeout_ns > 0)
		sample->deadline_ns = clock_ns() + sample->request.timeout_ns;
}

static void prepare_copies(struct spawner *s, struct sample *sample)
{
	uint32_t n = sample->request.copies;

	if (s->copies_cap < n) {
		s->copies = mem_resize(s->copies, n, sizeof(*s->copies));
		s->fds = mem_resize(s->fds, FD_COPIES + (size_t)n * STREAMS, sizeof(*s->fds));
		memset(s->copies + s->copies_cap, 0, (n - s->copies_cap) * sizeof(*s->copies));
		for (uint32_t i = (uint32_t)s->copies_cap; i < n; i++)
			memset(s->copies[i].pipes, -1, sizeof(s->copies[i].pipes));
		s->copies_cap = n;
	}
	for (uint32_t i = n; i < s->copies_cap; i++)
		copy_close(&s->copies[i]);
	sample->copies = s->copies;
	sample->fds = s->fds;
	for (uint32_t i = 0; i < n; i++) {
		struct copy *copy = &s->copies[i];

		copy->hash.length = 0;
		buf_clear(&copy->output);
		buf_clear(&copy->line);
		memset(&copy->wire, 0, sizeof(copy->wire));
	}
	s->fds[FD_SIGNALS] = (struct pollfd){.fd = s->signals, .events = POLLIN};
	s->fds[FD_SOCKET] = (struct pollfd){.fd = s->socket, .events = POLLIN | POLLRDHUP};
	for (uint32_t i = 0; i < n * STREAMS; i++)
		s->fds[FD_COPIES + i] = (struct pollfd){.fd = -1, .events = POLLIN};
}

/* Six descriptors a copy may be more than the usual 1024; children get what there was before. */
static void allow_files(struct spawner *s, struct sample *sample)
{
	rlim_t need = 64 + (rlim_t)sample->request.copies * 2 * STREAMS;
	struct rlimit more = s->open_files;

	if (need > s->open_files.rlim_cur && !s->raised) {
		more.rlim_cur = more.rlim_max;
		s->raised = setrlimit(RLIMIT_NOFILE, &more) == 0;
	}
	sample->plan.open_files = s->raised ? &s->open_files : NULL;
}

static void finish_copies(struct spawner *s, struct sample *sample)
{
	bool left = end_descendants(s, sample);
	bool oom = false;

	if (sample->any_signal_9) {
		int64_t now = child_oom_kills();

		oom = s->oom_kills >= 0 && now > s->oom_kills;
		s->oom_kills = now;
	}
	/* nobody writes any more; one call says which pipes still hold something */
	if (poll(sample->fds + FD_COPIES, STREAMS * (nfds_t)sample->request.copies, 0) > 0)
		drain_ready(s, sample, LAST_BLOCKS);
	for (uint32_t i = 0; i < sample->request.copies; i++) {
		struct copy *copy = &sample->copies[i];

		copy->wire.left_children |= left;
		copy->wire.oom_kill =
			oom && WIFSIGNALED(copy->wire.status) && WTERMSIG(copy->wire.status) == SIGKILL;
		copy->wire.line_n = (uint32_t)copy->line.n;
		copy->wire.output_n = (uint32_t)copy->output.n;
		if (copy->hash.length == 0)
			hash_init(&copy->hash);
		hash_final(&copy->hash, copy->wire.sha256);
		if (!copy_ended_cleanly(copy))
			copy_close(copy);
	}
}

static void send_reply(struct spawner *s, const struct sample *sample)
{
	struct wire_reply reply = {.magic = WIRE_MAGIC, .wait_cpu_ns = sample->wait_cpu_ns};
	size_t sent = 0;

	buf_clear(&s->out);
	buf_add(&s->out, &reply, sizeof(reply));
	for (uint32_t i = 0; i < sample->request.copies; i++)
		buf_add(&s->out, &sample->copies[i].wire, sizeof(sample->copies[i].wire));
	for (uint32_t i = 0; i < sample->request.copies; i++) {
		buf_add(&s->out, buf_text(&sample->copies[i].line), sample->copies[i].line.n);
		buf_add(&s->out, buf_text(&sample->copies[i].output), sample->copies[i].output.n);
	}
	reply.bytes = (uint32_t)s->out.n;
	memcpy(s->out.data, &reply, sizeof(reply));
	while (sent < s->out.n) {
		ssize_t n = send(s->socket, s->out.data + sent, s->out.n - sent, MSG_NOSIGNAL);

		if (n <= 0)
			kill_all_and_exit(s, 0);
		sent += (size_t)n;
	}
}

/* Points argv and env into the request's bytes. */
static bool read_parts(struct spawner *s, struct sample *sample)
{
	size_t words = wire_words(s->in.data, s->in.n);
	struct wire_parts parts;

	if (words == 0)
		return false;
	if (s->words_cap < words) {
		s->words = mem_resize(s->words, words, sizeof(*s->words));
		s->words_cap = words;
	}
	if (!wire_parse(s->in.data, s->in.n, s->words, &parts))
		return false;
	sample->cpus = parts.cpus;
	sample->plan.path = parts.argv[0];
	sample->plan.argv = parts.argv;
	sample->plan.env = parts.env;
	sample->plan.folder = parts.folder[0] != '\0' ? parts.folder : "/";
	sample->plan.stdin_path = parts.stdin_path[0] != '\0' ? parts.stdin_path : NULL;
	return true;
}

/* Reads one whole request; false: it is none. The client's end ends the program. */
static bool read_request(struct spawner *s, struct sample *sample)
{
	struct wire_request *r = &sample->request;
	char first[8192];

	buf_clear(&s->in);
	for (;;) {
		ssize_t got = recv(s->socket, first, sizeof(first), 0);

		if (got <= 0)
			kill_all_and_exit(s, 0);
		buf_add(&s->in, first, (size_t)got);
		if (s->in.n < sizeof(*r))
			continue;
		memcpy(r, s->in.data, sizeof(*r));
		if (r->magic != WIRE_MAGIC || r->bytes > WIRE_BYTES_MAX || s->in.n > r->bytes)
			return false;
		if (s->in.n == r->bytes)
			break;
	}
	return read_parts(s, sample);
}

static void serve(struct spawner *s)
{
	for (;;) {
		struct sample sample = {.plan = {.stdin_fd = s->null, .parent = getpid()}};

		if (!read_request(s, &sample))
			kill_all_and_exit(s, 65);
		sample.plan.memory_limit = sample.request.memory_limit;
		allow_files(s, &sample);
		prepare_copies(s, &sample);
		start_copies(&sample);
		wait_for_copies(s, &sample);
		finish_copies(s, &sample);
		send_reply(s, &sample);
	}
}

int main(void)
{
	struct spawner s = {0};
	sigset_t chld;

	/* the client's death is seen on the socket, which leaves time to end what was started */
	prctl(PR_SET_PDEATHSIG, 0);
	child_reset_signals();
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child_limit(RLIMIT_CORE, 0);
	/* what flagstone itself was started with, such as make's job server */
	child_close_range(SPAWNER_FD + 1, UINT32_MAX);
	getrlimit(RLIMIT_NOFILE, &s.open_files);
	s.socket = fcntl(SPAWNER_FD, F_DUPFD_CLOEXEC, CHILD_FIRST_FD);
	s.null = child_move_up(open("/dev/null", O_RDONLY | O_CLOEXEC));
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	s.signals = child_move_up(signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK));
	if (s.socket < 0 || s.null < 0 || s.signals < 0)
		return 71;
	/* the low numbers are filled, so that pipes need not be moved out of the children's way */
	for (int fd = SPAWNER_FD; fd < CHILD_FIRST_FD; fd++)
		dup3(s.null, fd, O_CLOEXEC);
	s.oom_kills = child_oom_kills();
	serve(&s);
}
