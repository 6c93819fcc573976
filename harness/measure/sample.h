/*
 * sample.h - one sample: canaries, a request to the spawner, rows. A part of measure's own.
 */
#ifndef FLAGSTONE_MEASURE_SAMPLE_H
#define FLAGSTONE_MEASURE_SAMPLE_H

#include "measure/measure.h"

/* Where a sample stands in its run. */
struct sample_place {
	uint32_t round, block, position;
	uint32_t repeat_of; /* row of copy 0 that it measures again, or SAMPLE_NONE */
};

/*
 * Takes one sample of an item and adds its rows (one a copy). *first: row of copy 0; *marks: of all copies
 * together. -1: interrupted or no spawner.
 */
int sample_take(struct measurer *m, struct record *record, const struct measure_item *item,
	const struct sample_place *place, size_t *first, uint32_t *marks, struct error *e);

/* Share of the time that a process wanted a CPU in which it got none; -1: unknown. */
double sample_wait_share(const struct sample *row);

/* Marks of a row by its canaries and its run-queue wait; never by its value. */
uint32_t sample_marks(const struct measurer *m, const struct sample *row);

/* Do the copies' times have less than 90 % in common? Then they were not measured at once. copies >= 1. */
bool sample_overlap_is_small(const int64_t *starts, const int64_t *ends, uint32_t copies);

/* The environment of a measured process: fixed, the variant's, and a word of random size. *bytes: its size. */
char **sample_environment(struct measurer *m, const struct words *env, struct arena *arena, uint32_t *bytes);
/* The same with `size` letters in that word, 0 to 4096. */
char **sample_environment_of(const struct words *env, size_t size, struct arena *arena, uint32_t *bytes);
/* The command line of a measured process: runner, program, its words. */
void sample_words(const struct measure_item *item, struct arena *arena, struct words *argv);

/* The CPUs that copies are pinned to. In the arena. */
const int *sample_cpus(const struct measurer *m, uint32_t copies, struct arena *arena);

/* The words behind it that say where stack and heap begin, by how many bytes they are moved. */
void sample_add_start(uint32_t stack, uint32_t heap, struct arena *arena, struct words *argv);

/* Descriptors of the protocol, -1 at the end: where they are closed, the result line goes to standard output. */
extern const int sample_descriptors[];

/* What ended badly, with the worker's own last words; NULL when nothing did. In the arena. */
char *sample_failure(const struct spawn_copy *copy, int64_t timeout_ns, struct arena *arena);

#endif
