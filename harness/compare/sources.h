/*
 * sources.h - what differs between two cells beside their speed: functions whose code differs, settings, sizes, and
 * what was counted while they ran. It is evidence of where a difference comes from, never a proof: nothing here says
 * "because".
 *
 * Measures are medians over the samples that count (the last attempt of each round with a value). Whether two differ
 * by more than the noise is asked of Mann and Whitney's test over medians of layouts, where both cells have at least
 * STATS_MIN_LAYOUTS, else over samples; between records over medians of runs; Holm over all measures of the two.
 * Counts and CPU times are of whole processes, with start and warm-up.
 *
 * What is not known is listed with its reason, once.
 */
#ifndef FLAGSTONE_COMPARE_SOURCES_H
#define FLAGSTONE_COMPARE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/record.h"

/* One run of a cell. */
struct source_run {
	const struct record *record;
	uint32_t build;
};

/* A cell with its runs, the first of which is asked for code and settings. */
struct source_side {
	const char *name; /* in texts: "the baseline", "this cell" */
	const struct source_run *runs;
	size_t run_count;
};

/* A function on both sides, or on one: the other's name is NULL then. */
struct source_function {
	const char *a, *b; /* names differ where a compiler made a copy: multiply, multiply.constprop.0 */
	uint64_t size_a, size_b;
};

struct source_functions {
	const char *reason; /* why unknown; NULL: known */
	size_t count_a, count_b, same;
	size_t untold; /* on one side, and perhaps among those that the other's record left out */
	size_t unread; /* on both, with code that at least one side does not know */
	struct source_function *differ, *only_a, *only_b; /* the largest first */
	size_t differ_count, only_a_count, only_b_count;
};

enum source_kind { SOURCE_SETTING, SOURCE_SIZE };

/* A fact of the build that differs. */
struct source_fact {
	enum source_kind kind;
	const char *key;  /* "resolved.vector_width"; "vectors.widest_bits" is made of resolved.features */
	const char *what; /* "preferred vector width" */
	bool words;	  /* a and b are the words that only this side has */
	const char *a, *b;
};

struct source_measure {
	const char *column; /* of the record's samples: "minor_faults" */
	const char *what;   /* "minor page faults" */
	const char *unit;   /* "s", "B", or "" for a count */
	bool per_unit;	    /* a unit of work; else a process, summed over copies */
	const char *over;   /* what the medians were tested over: "layouts", "samples", "runs" */
	size_t n_a, n_b;    /* of these */
	double a, b;	    /* medians */
	bool has_p;	    /* false: too few, or no scatter and no difference */
	double p, p_adjusted;
	bool outside; /* the noise: adjusted p at most STATS_ALPHA */
};

struct source_unknown {
	const char *what, *reason;
};

enum { SOURCE_FACTS = 24, SOURCE_MEASURES = 16, SOURCE_UNKNOWN = 24 };

struct sources {
	const char *a, *b; /* names of the sides */
	struct source_functions functions;
	struct source_fact facts[SOURCE_FACTS];
	size_t fact_count;
	struct source_measure measures[SOURCE_MEASURES];
	size_t measure_count;
	struct source_unknown unknown[SOURCE_UNKNOWN];
	size_t unknown_count;
};

/* a is the baseline. Everything is in the arena or borrowed from the records. */
void sources_compare(
	const struct source_side *a, const struct source_side *b, struct arena *arena, struct sources *out);
/* The functions alone, which takes no look at samples. */
void sources_functions(const struct record_build *a, const struct record_build *b, struct arena *arena,
	struct source_functions *out);

/* Sentences, what touches speed most directly first; what is not known at the end. Never empty. */
void sources_tell(const struct sources *sources, struct arena *arena, struct words *lines);
/* "3 of 14 functions differ: multiply, scale, main", or why that is unknown. */
const char *sources_brief(const struct source_functions *functions, struct arena *arena);

#endif
