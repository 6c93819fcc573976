/*
 * check_list.h - the checks and what they are written with. Private to host.
 *
 * A check is a row of a table: its words, the facts that it reads, and a function that judges them. A function says
 * something at least once, or the check is unknown.
 */
#ifndef FLAGSTONE_HOST_CHECK_LIST_H
#define FLAGSTONE_HOST_CHECK_LIST_H

#include "base/text.h"
#include "host/check.h"

struct judging {
	const struct host_checks_input *in;
	struct host_check *check;
	struct arena *arena;
	bool said;
};

struct check_kind {
	const char *id, *title;
	bool decides;
	const char *why;
	void (*judge)(struct judging *judging);
	const char *reads[CHECK_READS]; /* keys of facts */
};

/* A list of check kinds, ended by one without id. In the order shown: */
extern const struct check_kind checks_frequency[], checks_cpu[], checks_memory[], checks_kernel[],
	checks_moment[];

/* A fact's value; NULL: unknown or absent. */
const char *fact_of(const struct judging *judging, const char *key);
/* Why it is unknown; NULL: it is known, or was not read. */
const char *fact_reason(const struct judging *judging, const char *key);
bool fact_is(const struct judging *judging, const char *key, const char *value);
/* Its value as a number, at least 0; false: unknown or none. */
bool fact_number(const struct judging *judging, const char *key, double *value);

/* Adds a sentence to what is found; the worst status stands (unfit, caveat, unknown, ok). */
void judge(struct judging *judging, enum check_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Unknown: says the fact's own reason. */
void judge_unknown(struct judging *judging, const char *key);
/* What to do, and the command (NULL: none). The first advice stands. */
void advise(struct judging *judging, const char *command, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A fact that may differ from CPU to CPU: "V", or "V (cpus 0-3), W (cpus 4-7)". */
struct cpu_value {
	const char *value;
	struct cpu_list cpus; /* n 0: all */
};
enum { CPU_VALUES = 16 };
/* The values of the CPUs to be measured on, at most CPU_VALUES of them; 0: unknown. */
size_t fact_values(const struct judging *judging, const char *key, struct cpu_value values[CPU_VALUES]);

/* "3.90 GHz" of a number of kHz. In the arena. */
const char *ghz_text(struct arena *arena, double khz);
/* "15.5 GiB", "512 MiB". In the arena. */
const char *bytes_text(struct arena *arena, double bytes);
/* Is the CPU among those to be measured on? */
bool is_measured(const struct judging *judging, int cpu);

/* check_noise.c */
void judge_noise(struct judging *judging);

#endif
