/*
 * spawner.h - the small process through which every sample is started, and its client.
 *
 * Why: Linux hands a child its parent's peak memory at exec, fork gets slower with the parent's size, and what
 * flagstone itself holds must not act on what it measures. The spawner (helpers/spawner.c) is a tiny program
 * that links base only, speaks this protocol over a socket pair, is a child subreaper, and dies with flagstone.
 *
 * One request starts one sample: `copies` processes of one program, each pinned to its CPU, with a common
 * barrier if copies > 1. The spawner drains their outputs into bounded memory, reads run-queue wait from
 * /proc/PID/schedstat of the unreaped child, reaps with rusage, kills what outlives the main process, and
 * answers once, when all have ended. Meanwhile the client sleeps in one read.
 */
#ifndef FLAGSTONE_SYS_SPAWNER_H
#define FLAGSTONE_SYS_SPAWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"

enum {
	SPAWN_MAX_COPIES = 4096,
	SPAWN_TEXT_MAX = 4096 /* kept of a copy's output; result lines are below 2048 */
};

struct spawn_request {
	char *const *argv;	/* NULL-terminated, argv[0] an absolute path */
	char *const *env;	/* NULL-terminated; the client adds nothing */
	const char *folder;	/* working directory, NULL: "/" */
	const char *stdin_path; /* NULL: /dev/null */
	const int *cpus;	/* one a copy; -1: not pinned */
	uint32_t copies;	/* >= 1 */
	bool barrier; /* give the copies protocol.h's barrier; copies == 1 needs none. Then the client adds
			      FLAGSTONE_BARRIER=1 to env unless it is there: without it no worker would come */
	int64_t timeout_ns;    /* of the whole sample; 0: none */
	int64_t grace_ns;      /* TERM to KILL; 0: 1 s */
	uint64_t memory_limit; /* RLIMIT_AS, bytes; 0: none */
};

struct spawn_copy {
	int exit_code; /* -1: signal */
	int signal;
	bool timed_out;
	bool left_children;	 /* descendants outlived it, and were killed; what left its group and session
				    cannot be told apart among several copies, and is then said of all */
	bool oom_kill;		 /* ended by signal 9 while the kernel's count of out-of-memory kills rose */
	int exec_errno;		 /* not 0: exec (or pinning) failed with this errno, nothing ran */
	const char *exec_what;	 /* then: what failed, "starting PROGRAM", "pinning to CPU 7"; else "" */
	int64_t exec_to_exit_ns; /* wall, CLOCK_MONOTONIC_RAW */
	int64_t start_ns;	 /* CLOCK_MONOTONIC_RAW right before exec */
	int64_t user_ns, system_ns, run_wait_ns; /* run_wait_ns -1: unreadable; of the first thread */
	uint32_t peak_kib,			 /* at least the spawner's own, about 1 MiB */
		voluntary_switches, involuntary_switches, minor_faults, major_faults;
	const char *result_line; /* from the result descriptor, NUL-terminated, "" if none */
	const char
		*output; /* last bytes of standard output and error, merged, NUL-terminated (NULs replaced) */
	uint64_t output_bytes;	/* all bytes written */
	char output_sha256[65]; /* of standard output alone, all bytes */
};

struct spawner;

/*
 * Starts the helper; path: its program. Error: which file, why. It inherits the caller's affinity, and copies that
 * are not pinned inherit the helper's: make it before the caller pins itself.
 */
struct spawner *spawner_new(const char *path, struct error *e);
/*
 * Runs one sample. copies[request->copies] is filled; texts are valid until the next call. -1: the spawner
 * itself failed (it is gone: make a new one), or the program was interrupted (code EXIT_INTERRUPTED; the
 * children are dead).
 */
int spawner_run(struct spawner *spawner, const struct spawn_request *request, struct spawn_copy *copies,
	struct error *e);
void spawner_free(struct spawner *spawner);
/* The helper's process id: who counts what its children do (perf.h) counts there. */
pid_t spawner_pid(const struct spawner *spawner);
/* CPU time that this program and the helper themselves used while samples ran, since spawner_new(): nanoseconds. */
int64_t spawner_wait_cpu_ns(const struct spawner *spawner);
/*
 * How a copy ended, in words: "exit code 22", "killed by signal 11 (SIGSEGV)", "timed out after 5 s", "starting
 * /x/y: No such file or directory". In the arena.
 */
char *spawner_describe(
	const struct spawn_request *request, const struct spawn_copy *copy, struct arena *arena);
/* Where a helper program ("spawner", "ccwrap") is: FLAGSTONE_LIBEXEC, beside this program, ../libexec/flagstone. */
char *spawner_find_helper(struct arena *arena, const char *name, struct error *e);

#endif
