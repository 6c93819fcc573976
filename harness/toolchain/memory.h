/*
 * memory.h - what toolchains_find() leaves in a struct toolchain for later questions: the answers so far, and how
 * and where to ask. Answers are JSON texts under a key that covers everything they depend on: the question, the
 * compiler's identity, the state of the files and folders it rests on, its command and environment, and the CPU.
 */
#ifndef FLAGSTONE_TOOLCHAIN_MEMORY_H
#define FLAGSTONE_TOOLCHAIN_MEMORY_H

#include "base/hash.h"
#include "base/json.h"
#include "toolchain/ask.h"
#include "toolchain/toolchain.h"

struct memory_entry {
	const char *key, *text;
};

struct toolchain_memory {
	struct arena *arena; /* toolchains_find()'s */
	const char *cache_folder, *scratch, *cpu;
	int64_t timeout_ns;
	char watch[HASH_HEX]; /* state of files and folders when it was identified */
	enum spec_family_style style;
	bool musl;			       /* is the C library musl */
	const struct spec_toolchain *cxx_user; /* whose cxx counts; NULL: what stands beside cc */
	struct memory_entry *v;
	size_t n, cap;
};

/* The key of a question: its kind, then lists of words; `lists` ends with NULL. */
void memory_key(
	const struct toolchain *t, const char *kind, const struct words *const *lists, char key[HASH_HEX]);
/* New reference, NULL: not yet asked. */
json_t *memory_get(const struct toolchain *t, const char *key);
void memory_put(const struct toolchain *t, const char *key, const json_t *answer);
/* How to ask this compiler, in a folder of one's own. */
struct asker memory_asker(const struct toolchain *t, struct arena *arena, const char *folder);
/*
 * What -march=native depends on: vendor, family, model, stepping, features, cache size of /proc/cpuinfo, and on x86 what
 * CPUID answers now.
 */
const char *memory_cpu(struct arena *arena);

#endif
