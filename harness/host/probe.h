/*
 * probe.h - what the probes of this folder share: reading small files below the root, and values that may
 * differ from CPU to CPU. Private to host.
 */
#ifndef FLAGSTONE_HOST_PROBE_H
#define FLAGSTONE_HOST_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/fact.h"
#include "sys/cpu.h"

/* One line "key : value" of /proc/cpuinfo and the CPU whose block it stands in; -1: none. */
struct cpuinfo_line {
	const char *key;
	const char *value;
	int cpu;
};

struct cpuinfo {
	struct cpuinfo_line *v;
	size_t n, cap;
	const char *reason; /* why it has no lines */
};

struct probe {
	const char *root; /* "" is live */
	bool live;
	struct facts *facts; /* what is found goes here */
	struct arena *arena; /* scratch, ended after the last probe */
	struct cpu_list online;
	const char *online_source;
	struct cpuinfo cpuinfo;
};

/*
 * A file's text below the root, blanks at both ends removed, up to the first NUL. NULL and the exact reason when
 * it cannot be read. Path starts with '/'. In the arena.
 */
char *probe_text(struct probe *probe, const char *path, const char **reason);
char *probe_textf(struct probe *probe, const char **reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Sets the fact to the file's text, or to unknown with the reason. True when known. */
bool probe_file(struct probe *probe, const char *key, const char *path);
/* Is there such a file or folder below the root? */
bool probe_exists(struct probe *probe, const char *path);
/* Names in a folder below the root, sorted; false and the reason when it cannot be listed. */
bool probe_list(struct probe *probe, const char *path, struct words *names, const char **reason);

/* A fact's key and its file. */
struct probe_entry {
	const char *key;
	const char *path;
};
void probe_files(struct probe *probe, const struct probe_entry *entries, size_t count);

/* The value after "NAME" and blanks at the start of a line, such as "MemTotal:"; NULL: none. In the arena. */
char *probe_line(struct probe *probe, const char *text, const char *name);

/* Values by CPU: equal ones stand together. Zeroed: empty. */
struct spread_part {
	const char *value;
	struct cpu_list cpus;
};
struct spread {
	struct spread_part *v;
	size_t n, cap;
};
/* The value must live as long as the arena. */
void spread_add(struct spread *spread, struct probe *probe, const char *value, int cpu);
/* "V" when all CPUs agree, else "V (cpus 0-3), W (cpus 4)"; NULL when empty. In the arena. */
char *spread_text(const struct spread *spread, struct probe *probe);
/*
 * The fact from /sys/devices/system/cpu/cpuN/SUFFIX of each online CPU. CPUs without the file are named in the
 * value when others have it; when none has it the fact is unknown. True when known.
 */
bool probe_per_cpu(struct probe *probe, const char *key, const char *suffix);

/* The probes, in the order in which they run: later ones read facts of earlier ones. */
void probe_cpu(struct probe *probe);
void probe_topology(struct probe *probe);
void probe_cache(struct probe *probe);
void probe_numa(struct probe *probe);
void probe_frequency(struct probe *probe);
void probe_memory(struct probe *probe);
void probe_kernel(struct probe *probe);
void probe_system(struct probe *probe);
void probe_firmware(struct probe *probe);
void probe_virtual(struct probe *probe);
void probe_container(struct probe *probe);
void probe_cgroup(struct probe *probe);
void probe_counters(struct probe *probe);
void probe_moment(struct probe *probe);
void probe_identity(struct probe *probe);

/* Reads /proc/cpuinfo; and which CPUs are online, from /sys, else from the former. */
void cpuinfo_read(struct probe *probe);
/* The first value of a key in cpuinfo; NULL: none. */
const char *cpuinfo_first(const struct cpuinfo *info, const char *key);
/* All CPUs' values of a key. */
void cpuinfo_spread(struct probe *probe, const char *key, struct spread *spread);

/*
 * Sets the fact to what the firmware says, or to unknown when that is empty or one of the texts that vendors
 * leave in place of a value. True when known.
 */
bool firmware_set(struct facts *facts, const char *key, const char *value, const char *source);
/* Is it such a text: "N/A", "-----", "To Be Filled By O.E.M.", ... */
bool firmware_placeholder(const char *text);

/* The first 12 hex digits of SHA-256 over a constant, the label and the text: names a thing without telling it. */
char *probe_private_hash(struct arena *arena, const char *label, const char *text);

#endif
