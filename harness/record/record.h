/*
 * record.h - what the archive keeps of a run: the types. Their JSON is json.h of this folder, the samples'
 * columns samples.h. Every text and array lives in record->arena, unless said otherwise.
 *
 * Integers stay below 2^53. Seeds and hashes are texts.
 */
#ifndef FLAGSTONE_RECORD_RECORD_H
#define FLAGSTONE_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/fact.h"
#include "record/samples.h"

#define RECORD_SCHEMA	    "flagstone.record/1"
#define RECORD_SCHEMA_MAJOR 1

/* Which CPUs copies are pinned to, in this order: a fact of `harness`; its source where --cpus said so. */
#define RECORD_CPUS_KEY	  "harness.cpus"
#define RECORD_CPUS_GIVEN "--cpus"
/* The bundle whose programs were measured: a fact of `harness`; absent where they were built here. */
#define RECORD_BUNDLE_KEY "harness.bundle.id"

/* One boot's or one sitting's part of a run; a resume adds one. */
struct record_session {
	const char *boot_id;
	const char *started;  /* UTC stamp */
	struct facts changed; /* host facts that differ from record->host */
};

/* A toolchain that the run used, under the slot names by which the matrix called it. */
struct record_toolchain {
	struct words slots;
	struct facts facts; /* toolchain.family, .version, .target, .driver.path, .driver.sha256, ... */
};

struct record_workload {
	const char *name;
	const char *title;
	struct words tags;
	const char *
		content_hash; /* 64 hex digits over workload.yaml and all sources; NULL for a foreign command */
	const char *unit;     /* of `value`: lps, MWIPS, mul/s, KBps */
	bool lower_is_better;
	uint64_t units;	    /* units of work of a sample */
	struct facts facts; /* workload.commit, workload.dirty, ... */
	const char *suite;  /* index: suite name or NULL, and its baseline */
	double suite_baseline;
};

enum cell_status {
	CELL_PLANNED,	 /* not yet built */
	CELL_IMPOSSIBLE, /* cannot exist here: reason */
	CELL_BUILD_FAILED,
	CELL_CHECK_FAILED, /* wrong result: wrong, not fast */
	CELL_RUN_FAILED,   /* a sample died, timed out, or gave no value */
	CELL_BUILT,
	CELL_MEASURED
};

/* "planned", "impossible", "build failed", "check failed", "run failed", "built", "measured" */
const char *cell_status_text(enum cell_status status);
/* The status of such a text, -1 when it is none. */
int cell_status_of(const char *text);

struct record_layout {
	uint32_t arm;
	uint32_t layout;    /* index k */
	const char *seed;   /* 64 hex digits: SHA-256(build content hash, arm, k) */
	const char *sha256; /* of the linked file */
};

/* A function of the workload: code/functions.h. */
struct record_function {
	const char *name; /* as the linker has it, with a compiler's suffixes */
	uint64_t size;	  /* bytes; 0: the symbol does not say */
	const char *hash; /* 16 hex digits over its canonical bytes; NULL: unknown */
};

/*
 * One cell and its build. Samples point here by index (column `build`). Cells that share a build (other copies
 * or args) have equal content hashes.
 */
struct record_build {
	const char *cell; /* workload/slot/variant/copies[/args] */
	const char *workload;
	const char *slot;
	const char *variant;
	uint32_t copies;
	const char *args; /* "n=4,m=2" or "" */
	enum cell_status status;
	const char *reason; /* why impossible or failed; NULL else */
	bool baseline;	    /* is it the baseline of its workload, slot, copies, args? */

	const char *content_hash; /* build key: what went in; NULL when never tried */
	const char *code_hash;	  /* of code and data of the canonical link; NULL when unknown */
	const char *build_id;	  /* of the canonical link, or NULL */
	struct words commands;	  /* each compile and link command, quoted as a shell would take it */
	struct facts
		facts; /* build.cflags, build.ldflags, resolved.*, size.text, isa.*, time.*: see build.h */
	const char *log_excerpt; /* bounded; NULL or "" when the build said nothing */
	struct record_layout *layouts;
	size_t layout_count;
	const char *check_value; /* what the check run gave, or NULL */
	/* The largest first; none where the fact build.functions is unknown, fewer than it says where they are many. */
	struct record_function *functions;
	size_t function_count;
};

/* Settings of measuring, resolved: what the matrix said, with defaults filled in. */
struct measure_settings {
	int64_t sample_ns;
	uint32_t layouts_min, layouts_max;
	uint32_t rounds_min, rounds_max;
	double precision;	 /* log effect: 0.01 for 1 % */
	double matters;		 /* log effect: 0.005 for 0.5 % */
	int64_t budget_ns;	 /* of measuring; 0: none */
	int64_t build_budget_ns; /* of build and links; 0: none */
	int64_t timeout_ns;	 /* of one process */
	uint32_t
		counted_rounds; /* every so many rounds are counted (measure/count.h), the first one, too; 0: none */
};

/* A planned comparison: builds[b] against builds[a], both of one workload, slot, copies and args. */
struct record_comparison {
	uint32_t a; /* baseline */
	uint32_t b;
	uint32_t closed_at; /* rounds at the look that closed it; 0: open to the end */
	bool regrouped;	    /* in no file: of a view with other baselines than the run's (compare/within.h) */
};

/*
 * From this round on blocks of the workload meet so many layouts (session/layout_order.h); the newest step of a
 * workload counts.
 */
struct record_layout_step {
	uint32_t round;
	uint32_t workload; /* index, UINT32_MAX: of all workloads */
	uint32_t layouts;
};

struct record_plan {
	const char *matrix_name;
	const char *matrix_text; /* the file as it was */
	const char *seed;	 /* 32 hex digits: order of everything random */
	struct measure_settings settings;
	bool aa;	   /* identical code was judged like any other (--aa) */
	uint32_t looks[8]; /* planned looks, in rounds */
	size_t look_count;
	uint32_t
		last_look; /* rounds at the last look that took place; budget's or Ctrl-C's end counts as one */
	struct record_layout_step
		*layout_steps; /* by round; none: all that the builds list, in every round */
	size_t layout_step_count;
	struct record_comparison *comparisons;
	size_t comparison_count;
	double canary_dep_limit_ns, canary_wide_limit_ns; /* marking thresholds; 0: none yet */
	double run_wait_limit;				  /* share of a sample's time */
};

struct record_failure {
	int64_t sample;	  /* row, or -1: not a sample's */
	uint32_t build;	  /* index, UINT32_MAX: none */
	const char *what; /* "build", "check", "run", "timeout" */
	const char *reason;
};

struct record {
	struct arena *arena;
	char id[HASH_HEX];     /* set when written or read */
	const char *kind;      /* run, accept, trust, import */
	const char *run;       /* random id, 32 hex digits */
	const char *continues; /* id of the record that a resume completes, or NULL */
	const char *group;     /* ties --repeat, or NULL */
	uint32_t repeat_index, repeat_count;
	const char *started;
	const char *finished; /* NULL while it runs */
	bool complete;
	const char *incomplete_reason; /* NULL when complete */
	struct facts harness;	       /* harness.version, .commit, .dirty, .compiler, .flags */
	struct facts project;	       /* project.commit, .dirty */
	const char *host_name;	       /* HOST of DESIGN.md: the folder's name */
	struct facts host;
	struct record_session *sessions;
	size_t session_count;
	struct record_toolchain *toolchains;
	size_t toolchain_count;
	struct record_workload *workloads;
	size_t workload_count;
	struct record_build *builds;
	size_t build_count;
	struct record_plan plan;
	struct samples samples; /* owns its own memory */
	struct record_failure *failures;
	size_t failure_count, failure_cap;
	struct words notes; /* sentences for the reader: what disturbed, what was found */
	json_t *unknown;    /* members of the document that this version does not know, kept when rewritten */
};

/* An empty record in the arena, kind "run", its facts' arenas set. record_release() frees samples and unknown. */
struct record *record_new(struct arena *arena);
void record_release(struct record *record);
/* Adds a failure; texts are copied. */
void record_add_failure(struct record *record, int64_t sample, uint32_t build, const char *what,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a note, once: an equal one is not added again. */
void record_note(struct record *record, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const struct record_workload *record_workload(const struct record *record, const char *name);
/* Is a higher value of this cell better? */
bool record_higher_is_better(const struct record *record, const struct record_build *build);
const struct record_toolchain *record_toolchain(const struct record *record, const char *slot);
/* Index of a cell's build, or -1. */
int record_find_cell(const struct record *record, const char *cell);

#endif
