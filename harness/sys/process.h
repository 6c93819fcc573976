/*
 * process.h - starting programs: the one place that does (samples go through the spawner, which is built on
 * the same functions).
 *
 * A program is started without a shell: argv is passed as it is. It gets standard input from /dev/null (or a
 * file), an environment of its own, a process group of its own, default signal handling, and dies with
 * flagstone (parent-death signal). Output is drained into bounded memory (what is beyond the limit is counted,
 * hashed and dropped; both ends of a long output are kept) or goes to a file.
 *
 *	struct process_options o = {.argv = words.v, .timeout_ns = 60e9};
 *	struct process_result r = {0};
 *	if (process_run(&o, &r, &e) != 0) ...        could not be started
 *	if (!process_ok(&r)) ... process_describe()  ended badly
 *	process_result_release(&r);
 *
 * Several at once: process_start() each, process_wait_any() until all have ended.
 */
#ifndef FLAGSTONE_SYS_PROCESS_H
#define FLAGSTONE_SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"

struct process_options {
	char *const *argv;  /* NULL-terminated; argv[0] is looked up in PATH of env when it has no slash */
	char *const *env;   /* NULL-terminated "NAME=VALUE"; NULL: process_clean_env() */
	const char *folder; /* working directory; NULL: the caller's */
	const char *stdin_path; /* NULL: /dev/null */
	const char
		*output_path;  /* standard output and error to this file (created, truncated); NULL: memory */
	bool merge;	       /* error into the output buffer, in order */
	size_t output_limit;   /* bytes kept of each stream in memory; 0: 1 MiB */
	int64_t timeout_ns;    /* 0: none. Then TERM to the group, KILL to all descendants after grace_ns */
	int64_t grace_ns;      /* 0: 2 s */
	uint64_t memory_limit; /* bytes of address space a process (RLIMIT_AS); 0: none */
	uint64_t file_size_limit; /* bytes a file (RLIMIT_FSIZE); 0: none */
	int cpu;		  /* pin to this CPU; -1: not. NOTE 0 is CPU 0: set -1 for "not" */
};

struct process_result {
	int exit_code; /* 0 ... 255; -1: ended by a signal */
	int signal;    /* 0: none */
	bool timed_out;
	bool core_dumped;
	bool left_children; /* descendants outlived it (they were killed) */
	bool oom_kill;	    /* ended by signal 9 while the kernel's count of out-of-memory kills rose */
	int64_t timeout_ns; /* that it was started with */
	int64_t wall_ns;    /* exec to exit */
	int64_t user_ns, system_ns;
	int64_t peak_kib; /* -1 unknown: not above flagstone's own, which the kernel hands on at exec */
	/*
	 * Kept bytes: the first and the last half of output_limit, with a line "[flagstone: N bytes left out]" between;
	 * out also holds err when merged; empty with output_path.
	 */
	struct buf out, err;
	uint64_t out_bytes, err_bytes; /* all bytes written; with output_path out_bytes is the file's size */
	char out_sha256[HASH_HEX];     /* of all bytes of out; "" with output_path */
};

/*
 * Starts and waits. 0 whenever it was started, whatever its end; -1: could not be started (which program, why), or
 * flagstone was interrupted (EXIT_INTERRUPTED; it was killed).
 */
int process_run(const struct process_options *options, struct process_result *result, struct error *e);
void process_result_release(struct process_result *result);
/* Exit code 0, no signal, no timeout. */
bool process_ok(const struct process_result *result);
/* "exit code 22", "killed by signal 11 (SIGSEGV)", "timed out after 5 s", with an OOM hint at signal 9. */
char *process_describe(const struct process_result *result, struct arena *arena);

struct process;
struct process *process_start(const struct process_options *options, struct error *e);
/*
 * Drains the outputs of count processes until one has ended; returns its index (result filled, entry freed and
 * set to NULL), -1 when timeout_ns passed (0: no waiting, -1: for ever) or process_interrupted() is set. NULL
 * entries are skipped; -2: all are NULL.
 */
int process_wait_any(
	struct process **processes, size_t count, int64_t timeout_ns, struct process_result *result);
/* Ends a started process and all its descendants now (KILL) and frees it. */
void process_kill(struct process *process);

/* What this program becomes. */
struct process_replacement {
	char *const *argv;	/* NULL-terminated; argv[0] with a slash is taken as it is */
	char *const *env;	/* NULL-terminated */
	const char *folder;	/* working directory; NULL: stays */
	const char *stdin_path; /* NULL: standard input stays */
	const int *closed;	/* descriptors that it must not have, -1 at the end; NULL: none */
	int cpu;		/* pin to this CPU; -1: not */
};

/*
 * exec: process id, terminal, descriptors and process group stay, and so do ignored signals but for SIGINT and SIGTERM;
 * caught signals get their default back, so that it is the new program that Ctrl-C ends and whose exit code the caller
 * sees. Returns only on failure: what failed, or EXIT_INTERRUPTED, EXIT_TERMINATED when a caught signal came before
 * (process_interrupted()).
 */
int process_replace(const struct process_replacement *replacement, struct error *e);
/* Why exec of a path failed, with what its bare number does not tell. folder: it was moved to first, or NULL. */
int process_exec_error(const char *path, const char *folder, int errnum, struct error *e);

/*
 * A minimal environment: PATH (the caller's), HOME, TMPDIR if set, LC_ALL=C, TZ=UTC, SOURCE_DATE_EPOCH=0 and
 * the switches that turn compiler caches off (CCACHE_DISABLE=1, SCCACHE_... ). In the arena. more: NULL or a
 * NULL-terminated list that is appended and wins.
 */
char **process_clean_env(struct arena *arena, char *const *more);

/* Signal names: "SIGSEGV"; "signal 77" for unknown ones (valid until the next call). */
const char *process_signal_name(int signal);

/*
 * SIGINT, SIGTERM and SIGHUP: process_catch_signals() makes them set a flag (and wake process_wait_any and the
 * spawner's client) instead of ending the program; process_interrupted() is 0, SIGINT or SIGTERM. A second
 * SIGINT ends the program at once. SIGHUP (the terminal is gone) counts as SIGTERM, and stays ignored under nohup.
 */
void process_catch_signals(void);
int process_interrupted(void);
/* A descriptor that is readable once interrupted, for poll; -1 without process_catch_signals(). Borrowed. */
int process_interrupt_fd(void);

#endif
