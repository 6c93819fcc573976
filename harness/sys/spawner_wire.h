/*
 * spawner_wire.h - what passes between sys/spawner and helpers/spawner.c over a stream socket (descriptor
 * SPAWNER_FD of the helper). Header-only, as the helper links base alone. Both come from one build: numbers
 * are in the machine's own form, and a helper of another build is refused by `magic`.
 *
 * Request: struct wire_request, int32_t cpus[copies], then NUL-terminated texts: program is argv[0]; folder,
 * standard input ("": none given), argv[argc], env[envc].
 * Reply: struct wire_reply, struct wire_copy[copies], then for each copy its line_n and output_n bytes.
 * One request, one reply; the client sends nothing in between: whatever arrives then, the end of the
 * stream above all, makes the helper kill everything and exit.
 */
#ifndef FLAGSTONE_SYS_SPAWNER_WIRE_H
#define FLAGSTONE_SYS_SPAWNER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

enum { SPAWNER_FD = 3, WIRE_TEXT_MAX = 4096, WIRE_COPIES_MAX = 4096, WIRE_BYTES_MAX = 1 << 28 };

struct wire_request {
	uint32_t magic; /* WIRE_MAGIC */
	uint32_t bytes; /* of the whole request */
	uint32_t copies, argc, envc;
	uint32_t barrier; /* 0 or 1 */
	int64_t timeout_ns, grace_ns;
	uint64_t memory_limit;
};

struct wire_copy {
	int32_t stage, errnum; /* enum child_stage; CHILD_STARTED: it ran */
	int32_t status;	       /* as wait gives it */
	uint8_t timed_out, left_children, oom_kill, pad;
	int64_t start_ns, wall_ns, user_ns, system_ns, run_wait_ns;
	uint32_t peak_kib, voluntary_switches, involuntary_switches, minor_faults, major_faults;
	uint32_t line_n, output_n;
	uint64_t output_bytes;
	uint8_t sha256[HASH_SIZE]; /* of standard output */
};

struct wire_reply {
	uint32_t magic;
	uint32_t bytes;	     /* of the whole reply */
	int64_t wait_cpu_ns; /* CPU time that the helper used from the start of the copies to their end */
};

/* changes with the size of what is sent, and by hand where only a meaning changes */
#define WIRE_MAGIC ((uint32_t)(0x666c0200 + sizeof(struct wire_request) * 256 + sizeof(struct wire_copy)))

struct wire_parts {
	const int32_t *cpus; /* one a copy */
	const char *folder, *stdin_path;
	char **argv, **env; /* NULL-terminated */
};

/* The words that wire_parse() needs room for; 0: this is no whole request. bytes as from malloc. */
static inline size_t wire_words(const char *bytes, size_t count)
{
	struct wire_request r;

	if (count < sizeof(r))
		return 0;
	memcpy(&r, bytes, sizeof(r));
	if (r.magic != WIRE_MAGIC || r.bytes != count || r.argc == 0 || r.copies == 0 ||
		r.copies > WIRE_COPIES_MAX)
		return 0;
	/* each word takes a byte at least */
	return (uint64_t)r.argc + r.envc > count ? 0 : (size_t)r.argc + r.envc + 2;
}

/* The next NUL-terminated text before end; NULL: there is none. */
static inline char *wire_text(char **at, const char *end)
{
	char *text = *at;
	char *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (nul != NULL)
		*at = nul + 1;
	return nul != NULL ? text : NULL;
}

/* Points the parts into a request's bytes; false where these are not what the numbers say. */
static inline bool wire_parse(char *bytes, size_t count, char **words, struct wire_parts *parts)
{
	struct wire_request r;
	size_t need = wire_words(bytes, count);
	char *at = bytes + sizeof(r), *end = bytes + count;

	if (need == 0)
		return false;
	memcpy(&r, bytes, sizeof(r));
	if (r.copies > (count - sizeof(r)) / sizeof(int32_t))
		return false;
	parts->cpus = (const int32_t *)(const void *)at;
	at += r.copies * sizeof(int32_t);
	parts->folder = wire_text(&at, end);
	parts->stdin_path = wire_text(&at, end);
	for (size_t i = 0; i < need; i++) {
		bool last = i == r.argc || i == need - 1;

		words[i] = last ? NULL : wire_text(&at, end);
		if (words[i] == NULL && !last)
			return false;
	}
	parts->argv = words;
	parts->env = words + r.argc + 1;
	return at == end && parts->stdin_path != NULL;
}

#endif
