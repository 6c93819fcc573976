#include "toolchain/memory.h"

#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "base/mem.h"
#include "toolchain/cache.h"

/* Raise it when an answer's form or the way to ask changes: older answers are then not found. */
static const char *const format = "flagstone toolchain answers 2";

static void add_words(struct hash *hash, const struct words *words)
{
	for (size_t i = 0; words != NULL && i < words->n; i++)
		hash_add_field(hash, words->v[i]);
	hash_add_field(hash, NULL);
}

void memory_key(
	const struct toolchain *t, const char *kind, const struct words *const *lists, char key[HASH_HEX])
{
	struct hash hash;

	hash_init(&hash);
	hash_add_field(&hash, format);
	hash_add_field(&hash, kind);
	hash_add_field(&hash, t->identity);
	hash_add_field(&hash, t->memory->watch);
	hash_add_field(&hash, t->memory->cpu);
	add_words(&hash, &t->cc);
	add_words(&hash, &t->env);
	for (; *lists != NULL; lists++)
		add_words(&hash, *lists);
	hash_final_hex(&hash, key);
}

static json_t *find(const struct toolchain_memory *memory, const char *key)
{
	for (size_t i = 0; i < memory->n; i++)
		if (strcmp(memory->v[i].key, key) == 0)
			return json_parse(memory->v[i].text, strlen(memory->v[i].text), key, NULL);
	return NULL;
}

static void remember(struct toolchain_memory *memory, const char *key, const json_t *answer)
{
	struct buf text = {0};

	if (memory->n == memory->cap) {
		struct memory_entry *old = memory->v;

		memory->cap = mem_grown(memory->cap, memory->n + 16);
		memory->v = arena_array(memory->arena, memory->cap, sizeof(*memory->v));
		if (memory->n > 0)
			memcpy(memory->v, old, memory->n * sizeof(*old));
	}
	json_add_tree(&text, answer, false);
	memory->v[memory->n++] = (struct memory_entry){
		arena_strdup(memory->arena, key), arena_strdup(memory->arena, buf_text(&text))};
	buf_release(&text);
}

json_t *memory_get(const struct toolchain *t, const char *key)
{
	json_t *answer = find(t->memory, key);

	if (answer == NULL) {
		answer = cache_load(t->memory->cache_folder, key);
		if (answer != NULL)
			remember(t->memory, key, answer);
	}
	return answer;
}

void memory_put(const struct toolchain *t, const char *key, const json_t *answer)
{
	remember(t->memory, key, answer);
	cache_store(t->memory->cache_folder, key, answer);
}

struct asker memory_asker(const struct toolchain *t, struct arena *arena, const char *folder)
{
	return (struct asker){.arena = arena,
		.command = &t->cc,
		.env = &t->env,
		.folder = folder,
		.timeout_ns = t->memory->timeout_ns};
}

/*
 * What a compiler itself asks: CPUID. A guest that was moved to another host answers it anew, while /proc/cpuinfo stays
 * as it was at boot. Left out: what differs between the CPUs of one machine (leaf 1's EBX has the APIC id) and what
 * code has no use for (cache sizes).
 */
static void add_cpuid(struct buf *found)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct {
		unsigned int leaf, subleaf;
	} leaves[] = {
		{1, 0}, {7, 0}, {7, 1}, {0xd, 1}, {0x14, 0}, {0x19, 0}, {0x80000001, 0}, {0x80000008, 0}};

	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		unsigned int a = 0, b = 0, c = 0, d = 0;

		if (!__get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &a, &b, &c, &d))
			continue;
		if (leaves[i].leaf == 1 || leaves[i].leaf == 0xd)
			b = 0; /* APIC id; size of the area in use */
		buf_addf(found, "cpuid %x.%x: %x %x %x %x\n", leaves[i].leaf, leaves[i].subleaf, a, b, c, d);
	}
#else
	(void)found;
#endif
}

const char *memory_cpu(struct arena *arena)
{
	/* x86, then arm64, then others' words for the same */
	static const char *const keys[] = {"vendor_id", "cpu family", "model", "model name", "stepping",
		"cache size", "flags", "CPU implementer", "CPU architecture", "CPU variant", "CPU part",
		"CPU revision", "Features", "isa", "uarch", "cpu", "revision", "features"};
	struct buf text = {0}, found = {0};
	const char *line;
	char *cpu;

	if (file_read("/proc/cpuinfo", 4 << 20, &text, NULL) != 0)
		buf_clear(&text);
	/* The first CPU's paragraph: what a compiler asks is the CPU it happens to run on. */
	for (line = buf_text(&text); *line != '\0' && *line != '\n';) {
		const size_t length = strcspn(line, "\n");
		size_t name = strcspn(line, ":\n");

		while (name > 0 && strchr(" \t", line[name - 1]) != NULL)
			name--;
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strlen(keys[i]) == name && strncmp(line, keys[i], name) == 0) {
				buf_add(&found, line, length);
				buf_addc(&found, '\n');
			}
		line += length + (line[length] == '\n');
	}
	add_cpuid(&found);
	cpu = arena_strdup(arena, buf_text(&found));
	buf_release(&text);
	buf_release(&found);
	return cpu;
}
