#include "sys/drain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

void drain_init(struct drain *drain, size_t limit, bool hashed)
{
	memset(drain, 0, sizeof(*drain));
	drain->head_limit = limit / 2;
	drain->tail_limit = limit - limit / 2;
	drain->hashed = hashed;
	hash_init(&drain->hash);
}

static void add_tail(struct drain *drain, const char *bytes, size_t count)
{
	size_t first;

	if (count == 0)
		return;
	if (drain->tail == NULL)
		drain->tail = mem_alloc(drain->tail_limit);
	if (count > drain->tail_limit) {
		bytes += count - drain->tail_limit;
		count = drain->tail_limit;
	}
	first = drain->tail_limit - drain->tail_at;
	if (first > count)
		first = count;
	memcpy(drain->tail + drain->tail_at, bytes, first);
	memcpy(drain->tail, bytes + first, count - first);
	drain->tail_at = (drain->tail_at + count) % drain->tail_limit;
	drain->tail_n = drain->tail_n + count > drain->tail_limit ? drain->tail_limit : drain->tail_n + count;
}

void drain_add(struct drain *drain, const char *bytes, size_t count)
{
	size_t room = drain->head_limit - drain->head.n;
	size_t first = count < room ? count : room;

	drain->bytes += count;
	if (drain->hashed)
		hash_add(&drain->hash, bytes, count);
	if (first > 0)
		buf_add(&drain->head, bytes, first);
	add_tail(drain, bytes + first, count - first);
}

int drain_fd(struct drain *drain, int fd, unsigned blocks)
{
	char block[65536];

	while (blocks > 0) {
		ssize_t got = read(fd, block, sizeof(block));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 && errno == EAGAIN;
		drain_add(drain, block, (size_t)got);
		blocks--;
	}
	return 1;
}

void drain_finish(struct drain *drain, struct buf *out, char hex[HASH_HEX])
{
	uint64_t dropped = drain->bytes - drain->head.n - drain->tail_n;
	size_t start = drain->tail_n < drain->tail_limit ? 0 : drain->tail_at;

	*out = drain->head;
	memset(&drain->head, 0, sizeof(drain->head));
	if (dropped > 0)
		buf_addf(out, "\n[flagstone: %" PRIu64 " bytes left out]\n", dropped);
	if (drain->tail_n > 0) {
		buf_add(out, drain->tail + start, drain->tail_n - start);
		buf_add(out, drain->tail, start);
	}
	hex[0] = '\0';
	if (drain->hashed)
		hash_final_hex(&drain->hash, hex);
	drain_release(drain);
}

void drain_release(struct drain *drain)
{
	buf_release(&drain->head);
	mem_free(drain->tail);
	drain->tail = NULL;
}
