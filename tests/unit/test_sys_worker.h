/*
 * test_sys_worker.h - the programs that the tests of sys/process and sys/spawner start: the test itself, executed
 * again as "TEST --worker WHAT [WORDS]". main() calls worker_main() first.
 */
#ifndef FLAGSTONE_TESTS_UNIT_TEST_SYS_WORKER_H
#define FLAGSTONE_TESTS_UNIT_TEST_SYS_WORKER_H

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "driver/protocol.h"

static inline void worker_note_pid(const char *path)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	(void)!write(fd, text, (size_t)n);
	close(fd);
}

static inline void worker_sleep(void)
{
	for (int i = 0; i < 600; i++)
		clock_sleep_ns(100000000);
}

/* A process that left group and session and ignores what it can: the parent's parent goes on at once. */
static inline void worker_daemon(const char *path)
{
	if (fork() != 0) {
		wait(NULL);
		return;
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	signal(SIGTERM, SIG_IGN);
	worker_note_pid(path);
	worker_sleep();
	_exit(0);
}

static inline bool worker_file_has_lines(const char *path, int lines)
{
	char text[512];
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	ssize_t got = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < got; i++)
		found += text[i] == '\n';
	return found >= lines;
}

/* Up to 20 s, so that a busy machine does not fail a test. */
static inline bool worker_wait_for_lines(const char *path, int lines)
{
	for (int i = 0; i < 2000; i++) {
		if (worker_file_has_lines(path, lines))
			return true;
		clock_sleep_ns(10000000);
	}
	return false;
}

/* A main process, a child in its group, a daemon: three lines in the file, none minds SIGTERM. */
static inline int worker_tree(const char *path)
{
	signal(SIGTERM, SIG_IGN);
	worker_daemon(path);
	if (fork() == 0) {
		worker_note_pid(path);
		worker_sleep();
		_exit(0);
	}
	worker_note_pid(path);
	worker_sleep();
	return 0;
}

/* bytes 'o' to standard output and as many 'e' to standard error, in turns. */
static inline int worker_flood(long bytes)
{
	static char out[65536], err[65536];

	memset(out, 'o', sizeof(out));
	memset(err, 'e', sizeof(err));
	for (long left = bytes; left > 0; left -= (long)sizeof(out)) {
		size_t n = left < (long)sizeof(out) ? (size_t)left : sizeof(out);

		if (write(1, out, n) != (ssize_t)n || write(2, err, n) != (ssize_t)n)
			return 1;
	}
	return 0;
}

static inline int worker_descriptors(void)
{
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	return 0;
}

/* Changes how its outputs behave, which it shares with whoever else holds them. */
static inline int worker_change_outputs(void)
{
	for (int fd = 1; fd <= 3; fd++)
		if (fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND) != 0 || fcntl(fd, F_SETPIPE_SZ, 4096) < 0)
			return 1;
	return 0;
}

/* Prints flags and sizes of its outputs. */
static inline int worker_show_outputs(void)
{
	for (int fd = 1; fd <= 3; fd++)
		printf("%d:%d ", fcntl(fd, F_GETFL) & ~O_ACCMODE, fcntl(fd, F_GETPIPE_SZ));
	return 0;
}

/* Counts ignored and blocked signals: there must be none. */
static inline int worker_signals(void)
{
	sigset_t blocked;
	int odd = 0;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int i = 1; i < 32; i++) {
		struct sigaction action;

		if (i == SIGKILL || i == SIGSTOP || sigaction(i, NULL, &action) != 0)
			continue;
		odd += sigismember(&blocked, i) || action.sa_handler == SIG_IGN;
	}
	return odd;
}

static inline int worker_barrier(bool come)
{
	struct flagstone_barrier *b;
	char line[128];
	int n;

	if (!come || getenv(FLAGSTONE_BARRIER_ENV) == NULL)
		return 9;
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, FLAGSTONE_BARRIER_FD, 0);
	if (b == MAP_FAILED)
		return 10;
	__atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL);
	syscall(SYS_futex, &b->arrived, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while (__atomic_load_n(&b->go, __ATOMIC_ACQUIRE) == 0)
		syscall(SYS_futex, &b->go, FUTEX_WAIT, 0, NULL, NULL, 0);
	if (b->go != 1)
		return FLAGSTONE_EXIT_BARRIER;
	n = snprintf(line, sizeof(line), "flagstone-result 1 units=1 start_ns=%lld arrived=%u\n",
		(long long)clock_ns(), b->arrived);
	return write(FLAGSTONE_RESULT_FD, line, (size_t)n) != n;
}

static inline int worker_allocate(size_t mib)
{
	char *memory = malloc(mib << 20);

	if (memory == NULL)
		return 12;
	memset(memory, 1, mib << 20);
	__asm__ volatile("" : : "r"(memory) : "memory");
	free(memory);
	return 0;
}

static inline int worker_run(int argc, char **argv)
{
	const char *what = argv[0];
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(what, "exit") == 0)
		return atoi(word);
	if (strcmp(what, "signal") == 0) {
		signal(atoi(word), SIG_DFL); /* a sanitizer may have taken it */
		raise(atoi(word));
		return 1;
	}
	if (strcmp(what, "tree") == 0)
		return worker_tree(word);
	if (strcmp(what, "daemon") == 0)
		return worker_daemon(word), worker_wait_for_lines(word, 1) ? 0 : 1;
	if (strcmp(what, "flood") == 0)
		return worker_flood(atol(word));
	if (strcmp(what, "bytes") == 0)
		return write(1,
			       "a\0\xff\xfe"
			       "b",
			       5) != 5;
	if (strcmp(what, "argv") == 0) {
		for (int i = 1; i < argc; i++)
			printf("<%s>", argv[i]);
		return 0;
	}
	if (strcmp(what, "env") == 0) {
		for (char **env = environ; *env != NULL; env++)
			puts(*env);
		return 0;
	}
	if (strcmp(what, "stdin") == 0) {
		char text[64];
		ssize_t got = read(0, text, sizeof(text));

		printf("%d:%.*s", (int)got, got > 0 ? (int)got : 0, text);
		return 0;
	}
	if (strcmp(what, "cwd") == 0) {
		char text[PATH_MAX];

		puts(getcwd(text, sizeof(text)) != NULL ? text : "?");
		return 0;
	}
	if (strcmp(what, "descriptors") == 0)
		return worker_descriptors();
	if (strcmp(what, "change-outputs") == 0)
		return worker_change_outputs();
	if (strcmp(what, "show-outputs") == 0)
		return worker_show_outputs();
	if (strcmp(what, "signals") == 0)
		return worker_signals();
	if (strcmp(what, "group") == 0)
		return getpgrp() != getpid();
	if (strcmp(what, "barrier") == 0)
		return worker_barrier(true);
	if (strcmp(what, "no-show") == 0)
		return worker_barrier(false);
	if (strcmp(what, "allocate") == 0)
		return worker_allocate((size_t)atol(word));
	if (strcmp(what, "grow") == 0) {
		char block[4096] = {0};
		int fd = open(word, O_WRONLY | O_CREAT, 0600);

		for (int i = 0; i < 1024; i++)
			(void)!write(fd, block, sizeof(block));
		return 0;
	}
	if (strcmp(what, "result") == 0) {
		const char line[] = "flagstone-result 1 units=8 elapsed_ns=5\n";

		return write(FLAGSTONE_RESULT_FD, line, sizeof(line) - 1) < 0;
	}
	worker_sleep();
	return 0;
}

/* Does not return where this is a worker. */
static inline void worker_main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--worker") == 0)
		exit(worker_run(argc - 2, argv + 2));
}

/* The path of this test program, for argv[0]. */
static inline char *worker_self(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

/* Gone, or a zombie that its new parent has not waited for yet. */
static inline bool worker_is_dead(long pid)
{
	char path[64], text[256] = "";
	const char *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	end = strrchr(text, ')');
	return end == NULL || end[2] == 'Z' || end[2] == 'X';
}

/* Are all processes that the file names dead, soon? */
static inline bool worker_all_dead(const char *path, int count)
{
	FILE *file = fopen(path, "re");
	long pid;
	int seen = 0, dead = 0;

	if (file == NULL)
		return false;
	while (fscanf(file, "%ld", &pid) == 1) {
		seen++;
		for (int i = 0; i < 1000 && !worker_is_dead(pid); i++)
			clock_sleep_ns(10000000);
		dead += worker_is_dead(pid);
	}
	fclose(file);
	return seen == count && dead == count;
}

/* A fresh scratch folder; its path in a static buffer. */
static inline char *worker_scratch(void)
{
	static char folder[64];

	strcpy(folder, "/tmp/flagstone-sys-XXXXXX");
	return mkdtemp(folder);
}

#endif
