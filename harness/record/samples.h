/*
 * samples.h - the samples of a run as columns: one row a process. In memory a row takes about 190 bytes, so
 * that a million fit into 200 MB; on disk they are written and read by a streaming path (json.h), never as a
 * tree.
 */
#ifndef FLAGSTONE_RECORD_SAMPLES_H
#define FLAGSTONE_RECORD_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of `marks`: why a sample counts as disturbed. Rules never look at the value. */
enum sample_mark {
	MARK_FREQ = 1,	   /* dependent canary before it was slow: lower frequency */
	MARK_SHARED = 2,   /* wide canary before it was slow: core or cache shared */
	MARK_WAIT = 4,	   /* waited on the run queue */
	MARK_THROTTLE = 8, /* a throttling counter rose */
	MARK_OVERLAP = 16, /* copies overlapped less than 90 % */
	MARK_TIMEOUT = 32,
	MARK_CHECK = 64,  /* the check value was wrong */
	MARK_SIGNAL = 128 /* died by a signal or a bad exit code */
};
/* Marks of a sample without a usable value. */
#define MARKS_FAILED (MARK_TIMEOUT | MARK_CHECK | MARK_SIGNAL)

#define SAMPLE_NONE UINT32_MAX /* null in canary, repeat_of and other uint32_t columns that allow it */

struct sample {
	double value; /* in the workload's unit; NAN: failed */
	uint64_t units;
	int64_t elapsed_ns;			 /* wall, barrier to last unit; -1: none */
	int64_t user_ns, system_ns, run_wait_ns; /* -1: unknown */
	int64_t start_offset_ns; /* of the clock's start against the run's first sample, CLOCK_MONOTONIC_RAW */
	uint32_t build, layout, session, round, block, position;
	uint32_t arm, copy;
	uint32_t peak_kib, voluntary_switches, involuntary_switches, minor_faults, major_faults;
	uint32_t canary_dep_before_ns, canary_dep_after_ns; /* SAMPLE_NONE: null (copies but the first) */
	uint32_t canary_wide_before_ns, canary_wide_after_ns;
	uint32_t env_bytes; /* random environment size */
	uint32_t stack_bytes,
		heap_bytes; /* random start of stack and heap; SAMPLE_NONE: of an older version */
	uint32_t marks;
	uint32_t repeat_of; /* row that this one measures again, or SAMPLE_NONE */
	/*
	 * What a second run was seen to do from exec to end (measure/count.h), all copies together: in the first
	 * one's row. -1, SAMPLE_NONE: not counted in this round, or not to be had; the host's facts counters.* say
	 * why.
	 */
	uint32_t page_faults, migrations;
	int64_t task_clock_ns, cycles, instructions, branch_misses;
	int64_t energy_uj; /* of all processor packages meanwhile (host/energy.h), in the first copy's row; -1 */
};

struct samples {
	struct sample *v;
	size_t n, cap;
};

/* A row of nothing but unknowns: value NAN, every nullable column null, units 1, all else 0. */
void sample_init(struct sample *row);
/* Appends a row and returns its index. */
size_t samples_add(struct samples *samples, const struct sample *row);
void samples_release(struct samples *samples);

/*
 * The columns' names and types in the order of the document; json.h and the journal walk this table, so that a
 * column is named once.
 */
enum column_type { COLUMN_DOUBLE, COLUMN_U64, COLUMN_I64, COLUMN_U32 };
struct column {
	const char *name;
	size_t offset; /* in struct sample */
	enum column_type type;
	bool nullable; /* null allowed: NAN, -1, SAMPLE_NONE by type */
	bool added;    /* after version 1.0 of the format; not written where all rows have null */
};
extern const struct column sample_columns[];
extern const size_t sample_column_count;
/* NULL: there is none of this name. */
const struct column *sample_column(const char *name);

#endif
