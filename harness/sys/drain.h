/*
 * drain.h - an output of any length in bounded memory: all bytes are counted, and hashed where asked, the first and the
 * last half of the limit are kept.
 */
#ifndef FLAGSTONE_SYS_DRAIN_H
#define FLAGSTONE_SYS_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"

struct drain {
	size_t head_limit, tail_limit; /* bytes */
	struct buf head;
	char *tail; /* ring of tail_limit bytes, NULL until the head is full */
	size_t tail_at, tail_n;
	uint64_t bytes; /* all so far */
	bool hashed;
	struct hash hash;
};

/* limit: bytes kept in all, at least 2. hashed: the hash is wanted. */
void drain_init(struct drain *drain, size_t limit, bool hashed);
void drain_add(struct drain *drain, const char *bytes, size_t count);
/*
 * Reads a non-blocking descriptor until it has nothing more, or `blocks` of 64 KiB are read, so that a fast writer
 * cannot hold up everything else: 1 there may be more later, 0 it has ended.
 */
int drain_fd(struct drain *drain, int fd, unsigned blocks);
/*
 * Moves what was kept to *out (owned by the caller), with the line "[flagstone: N bytes left out]" between
 * the halves where something was dropped, and the hash of all bytes to hex ("" unless hashed); releases the drain.
 */
void drain_finish(struct drain *drain, struct buf *out, char hex[HASH_HEX]);
void drain_release(struct drain *drain);

#endif
