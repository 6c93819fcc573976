/*
 * spawner_copy.h - one copy of a sample, and what it writes (a part of spawner.c).
 *
 * Outputs are read into bounded memory: all bytes of standard output are hashed, the last WIRE_TEXT_MAX bytes of
 * both outputs together and the first FLAGSTONE_RESULT_MAX of the result descriptor are kept.
 */
#ifndef FLAGSTONE_HELPERS_SPAWNER_COPY_H
#define FLAGSTONE_HELPERS_SPAWNER_COPY_H

#include <sys/wait.h>

#include "base/buf.h"
#include "base/hash.h"
#include "driver/protocol.h"
#include "sys/child.h"
#include "sys/spawner_wire.h"

enum { BLOCK = 65536 };
enum stream { OUT, ERR, RESULT, STREAMS };

struct copy {
	pid_t pid;	       /* 0: ended, or never started */
	int pipes[STREAMS][2]; /* -1: none */
	int pipe_bytes[STREAMS];
	struct hash hash; /* of standard output; begun with its first byte */
	struct buf output, line;
	struct wire_copy wire;
};

/*
 * Pipes that nobody else holds any more serve the next sample, too: to make and close three costs as much as all
 * else that this program does for a sample. What a child did to one (O_NONBLOCK, O_ASYNC, its size) is undone.
 */
static inline int copy_pipe(struct copy *copy, enum stream stream)
{
	int *pair = copy->pipes[stream];

	if (pair[1] >= 0) {
		if (fcntl(pair[1], F_GETPIPE_SZ) == copy->pipe_bytes[stream])
			return fcntl(pair[1], F_SETFL, 0);
		close(pair[0]);
		close(pair[1]);
	}
	if (child_pipe(pair) != 0)
		return -1;
	copy->pipe_bytes[stream] = fcntl(pair[1], F_GETPIPE_SZ);
	return 0;
}

/* Then nobody can hold its pipes any more: all that it started was waited for. */
static inline bool copy_ended_cleanly(const struct copy *copy)
{
	return copy->wire.stage == CHILD_STARTED && WIFEXITED(copy->wire.status) &&
	       !copy->wire.left_children && !copy->wire.timed_out;
}

static inline void copy_close(struct copy *copy)
{
	for (int fd = 0; fd < 2 * STREAMS; fd++)
		if (copy->pipes[fd / 2][fd % 2] >= 0)
			close(copy->pipes[fd / 2][fd % 2]);
	memset(copy->pipes, -1, sizeof(copy->pipes));
}

static inline void keep_last(struct buf *kept, const char *bytes, size_t count)
{
	if (count >= WIRE_TEXT_MAX) {
		bytes += count - WIRE_TEXT_MAX;
		count = WIRE_TEXT_MAX;
		buf_clear(kept);
	}
	if (kept->n + count > WIRE_TEXT_MAX) {
		size_t drop = kept->n + count - WIRE_TEXT_MAX;

		memmove(kept->data, kept->data + drop, kept->n - drop);
		kept->n -= drop;
	}
	buf_add(kept, bytes, count);
}

static inline void take(struct copy *copy, enum stream stream, const char *bytes, size_t count)
{
	if (stream == RESULT) {
		size_t room = FLAGSTONE_RESULT_MAX - copy->line.n;

		buf_add(&copy->line, bytes, count < room ? count : room);
		return;
	}
	if (stream == OUT) {
		if (copy->hash.length == 0)
			hash_init(&copy->hash);
		hash_add(&copy->hash, bytes, count);
	}
	copy->wire.output_bytes += count;
	keep_last(&copy->output, bytes, count);
}

/* Reads what is there, through a block of BLOCK bytes; a fast writer gets its turn and no more. */
static inline void copy_drain(struct copy *copy, enum stream stream, char *block, int blocks)
{
	while (blocks-- > 0) {
		ssize_t got = read(copy->pipes[stream][0], block, BLOCK);

		if (got <= 0)
			return;
		take(copy, stream, block, (size_t)got);
	}
}

/* Run-queue wait of a process that has ended and is not waited for yet; -1 unreadable. */
static inline int64_t run_wait_ns(pid_t pid)
{
	char text[96], *p = text;
	ssize_t got;
	int fd;

	snprintf(text, sizeof(text), "/proc/%ld/schedstat", (long)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	strtoll(text, &p, 10); /* time on the CPU; then time waiting for one */
	return *p == ' ' ? strtoll(p, NULL, 10) : -1;
}

#endif
